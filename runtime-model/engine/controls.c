/* Control codes, proven while code executes: stall counts, barriers of dependence, DEPBAR.
 *
 * The engine executes in order, so a wrong control code changes nothing here; on a GPU it reads what was there before.
 * So each warp has a list of what is not delivered yet: results, and sources that are still to be read. Who touches one
 * of them before its time would see, or spoil, another value than the engine's, and is reported with the instruction
 * that it depends on. If nothing is reported, every result was delivered before its readers: an engine that wrote
 * registers late would have computed the same.
 *
 *   fixed latency   delivered so many cycles behind issue (latency.h); sources are read in order
 *   queued          delivered, or its sources are read, when the barrier that it raises has been waited for, or that of
 *                   a later one of its queue
 *
 * Time is the warp's own issue, the least that the stall counts allow, counted for each entry while its lanes execute:
 * what other paths of the warp do between is no excuse. Entries of lanes that have parted are parted too. */
#include "runtime-model/engine/native.h"

#include "analyzer/sass/latency.h"

#include <string.h>

enum { NO_BOARD = BARRIERS_OF_DEPENDENCE, NO_REG = MREG_ALL, COPY };
enum { COPIES_NOT, COPIES_DEPEND, COPIES_ARRIVE };
enum { AGE_MAX = 1 << 20 };

/* an instruction */
struct control {
	struct control_code code;
	uint32_t first, n; /* accesses */
	uint8_t queue;     /* enum sass_queue */
	uint8_t copies;    /* COPIES_*: LDGDEPBAR, ARRIVES */
	bool early;        /* its predicate is there as soon as its operands are read */
	bool drains;       /* BAR as of sm_75: those before it in the queue have been read */
	bool depbar;       /* DEPBAR: */
	uint8_t board, left, mask;
};

struct control_codes {
	unsigned sm;
	struct control *of; /* by instruction */
	struct sass_access *access;
};

/* Not delivered yet; of reg NO_REG: that a barrier was raised; of COPY: bytes of shared memory that LDGSTS writes. */
struct entry {
	uint32_t insn, lanes, age;  /* who; of which lanes; cycles since, of these lanes */
	uint32_t seq;               /* among all of the warp */
	uint32_t order, tied_order; /* among those that raise `board`, `tied` */
	uint16_t reg;
	uint8_t unit, queue; /* enum sass_unit, enum sass_queue */
	uint8_t board, tied; /* that are waited for: one of them is enough */
	bool write;          /* else a source that is still to be read */
	bool fixed;
	uint8_t soon; /* it was waited for too soon: cycles that were missing */
	uint8_t late; /* cycles until what DEPBAR waited for is there */
	uint64_t at, end;
};

struct controls {
	struct entry *p;
	uint32_t n, cap;
	uint32_t seq, order[BARRIERS_OF_DEPENDENCE];
};

/* ---- the code ---- */
/* What of machine code its operands and modifiers say. */
static void list_native(struct control *x, const struct sass_insn *s)
{
	x->early = sass_class(s) == SCLASS_ATOMIC && s->control.rbar < BARRIERS_OF_DEPENDENCE;
	if (s->row && strcmp(sass_mnemonic(s), "LDGDEPBAR") == 0)
		x->copies = COPIES_DEPEND;
	else if (s->row && strcmp(sass_mnemonic(s), "ARRIVES") == 0)
		x->copies = COPIES_ARRIVE;
	x->drains = s->row && strcmp(sass_mnemonic(s), "BAR") == 0 && !sass_has(s, "DEFER_BLOCKING");
	x->depbar = s->row && strcmp(sass_mnemonic(s), "DEPBAR") == 0;
	if (x->depbar) {
		x->board = (uint8_t)sass_number(s, SROLE_BAR, SASS_INT);
		x->left = (uint8_t)sass_number(s, SROLE_NUM, SASS_INT);
		x->mask = (uint8_t)sass_number(s, SROLE_NUM, SASS_MASK);
	}
}

void controls_list(struct engine *e)
{
	const struct kernel *k = e->k;
	const struct native *n = k->native;
	struct control_codes *codes = new(&e->a, struct control_codes);
	struct sass_access x[SASS_ACCESSES];
	uint32_t cap = 64, used = 0;

	codes->sm = control_sm(k);
	codes->of = new_array(&e->a, struct control, k->ninsn + 1u);
	codes->access = new_array(&e->a, struct sass_access, cap);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_insn s;

		codes->of[i].code = k->control[i];
		codes->of[i].queue = (uint8_t)sass_queue(codes->sm, insn_unit(k, &k->insn[i]));
		codes->of[i].first = used;
		if (n) {
			sass_decode_words(n->sm, n->word[i], &s);
			list_native(&codes->of[i], &s);
			codes->of[i].n = sass_accesses(&s, x);
		} else {
			codes->of[i].n = insn_accesses(k, &k->insn[i], x);
		}
		for (unsigned a = 0; a < codes->of[i].n; a++) {
			arena_grow(&e->a, codes->access, used, cap);
			codes->access[used++] = x[a];
		}
	}
	e->prog.controls = codes;
}

struct controls *controls_start(struct engine *e, struct controls *c)
{
	if (!c)
		c = new(&e->a, struct controls);
	c->n = c->seq = 0;
	memset(c->order, 0, sizeof c->order);
	return c;
}

/* ---- entries ---- */
static struct entry *add(struct engine *e, struct controls *c, const struct entry *x)
{
	arena_grow(&e->a, c->p, c->n, c->cap);
	c->p[c->n] = *x;
	return &c->p[c->n++];
}

/* Entry i is of these lanes alone, what it was of others becomes one of its own. False: it was of none of these. */
static bool part(struct engine *e, struct controls *c, uint32_t i, uint32_t lanes)
{
	struct entry rest = c->p[i];

	if (!(rest.lanes & lanes))
		return false;
	rest.lanes &= ~lanes;
	c->p[i].lanes &= lanes;
	if (rest.lanes)
		add(e, c, &rest);
	return true;
}

static void drop_delivered(struct controls *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->p[i].lanes)
			c->p[n++] = c->p[i];
	c->n = n;
}

/* ---- waiting ---- */
/* Whether who waits for the barrier that RAISED says was raised has waited for X too. Sources are read in the order of
 * the queue, whatever barriers are raised. */
static bool stands_for(const struct entry *raised, const struct entry *x)
{
	return raised->reg == NO_REG && raised->queue && x->queue == raised->queue && x->seq < raised->seq &&
	       x->reg != NO_REG && !x->fixed && (!x->write || (raised->write && x->board == NO_BOARD));
}

/* `board` does not show yet what X raised it for. */
static void too_soon(struct controls *c, struct entry *x, unsigned board)
{
	x->soon = (uint8_t)(BARRIER_SET_CYCLES - x->age);
	for (uint32_t i = 0; i < c->n; i++)
		if (stands_for(x, &c->p[i]) && c->p[i].board == NO_BOARD) {
			c->p[i].soon = x->soon;
			c->p[i].tied = (uint8_t)board;
			c->p[i].tied_order = x->order;
		}
}

static void deliver(struct engine *e, struct controls *c, uint32_t i, unsigned late, uint32_t lanes)
{
	if (!part(e, c, i, lanes))
		return;
	c->p[i].late = (uint8_t)late;
	c->p[i].lanes = late ? c->p[i].lanes : 0;
}

/* What these lanes have raised `board` for, all but the last `left`, is done; DEPBAR says so `late` cycles behind. */
static void wait_for(struct engine *e, struct controls *c, unsigned board, uint32_t left, unsigned late, uint32_t lanes)
{
	const uint32_t upto = c->order[board] > left ? c->order[board] - left : 0, n = c->n;

	for (uint32_t i = 0; i < n; i++) {
		const struct entry x = c->p[i];

		if (!(x.lanes & lanes) ||
		    !((x.board == board && x.order <= upto) || (x.tied == board && x.tied_order <= upto)))
			continue;
		if (x.age < BARRIER_SET_CYCLES && !late) {
			too_soon(c, &c->p[i], board);
			continue;
		}
		deliver(e, c, i, late, lanes);
		for (uint32_t j = 0; j < n; j++)
			if (stands_for(&x, &c->p[j]))
				deliver(e, c, j, late, lanes & x.lanes);
	}
	drop_delivered(c);
}

/* These lanes have waited for the barriers of a mask: they are free some time behind the last that raised them. */
static unsigned held(const struct controls *c, unsigned mask, uint32_t lanes)
{
	unsigned more = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct entry *x = &c->p[i];

		if (x->reg == NO_REG && mask >> x->board & 1 && x->lanes & lanes && x->age >= BARRIER_SET_CYCLES &&
		    x->age + more < BARRIER_HELD_CYCLES)
			more = BARRIER_HELD_CYCLES - x->age;
	}
	return more;
}

static void drain(struct engine *e, struct controls *c, uint32_t lanes)
{
	for (uint32_t i = 0, n = c->n; i < n; i++)
		if (!c->p[i].write && c->p[i].reg != NO_REG && c->p[i].queue == QUEUE_MEMORY && part(e, c, i, lanes))
			c->p[i].lanes = 0;
}

static void pass_cycles(struct engine *e, struct controls *c, unsigned cycles, uint32_t lanes)
{
	const unsigned sm = e->prog.controls->sm;
	const uint32_t n = c->n;

	for (uint32_t i = 0; cycles && i < n; i++) {
		struct entry *x;

		if (!part(e, c, i, lanes))
			continue;
		x = &c->p[i];
		x->age = x->age + cycles < AGE_MAX ? x->age + cycles : AGE_MAX;
		if (x->late) {
			x->late = x->late > cycles ? (uint8_t)(x->late - cycles) : 0;
			x->lanes = x->late ? x->lanes : 0;
		} else if (x->fixed && x->age >= sass_latency_most(sm, mreg_is_pred(x->reg), x->unit)) {
			x->lanes = 0;
		}
	}
	drop_delivered(c);
}

/* ---- reports ---- */
static const char *place(struct engine *e, uint32_t insn)
{
	const struct native *n = e->k->native;
	uint64_t at = 0;

	if (!n)
		return arena_printf(&e->a, "at %u%s", insn, fault_line(e, insn, &e->a));
	for (uint32_t p = 0; p < n->npart; p++)
		if (insn - n->part[p].first < n->part[p].n)
			at = n->part[p].at + (uint64_t)(insn - n->part[p].first) * sizeof(struct sass_word);
	return arena_printf(&e->a, "at 0x%llx%s", (unsigned long long)at, fault_line(e, insn, &e->a));
}

/* The instruction touches what entry X says is not delivered; missing: cycles, of one of fixed latency. */
static bool report(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, uint32_t lanes,
		   const struct entry *x, bool write, unsigned takes)
{
	const enum reg_file f = mreg_file(x->reg);
	const char *what = arena_printf(&e->a, "%s: %s %s%u", place(e, insn), write ? "writes" : "reads",
					reg_file_prefix[f], x->reg - mreg_first(f));
	const char *by =
		arena_printf(&e->a, "`%s` %s", ir_print_insn(&e->a, e->k, &e->k->insn[x->insn]), place(e, x->insn));
	const char *does = x->write ? "writes" : "reads";
	const unsigned lane = (unsigned)__builtin_ctz(lanes & x->lanes);

	if (x->fixed)
		return fault_in(e, FAULT_ILLEGAL, c, w, insn, lane, "%s %u cycles behind %s, which takes %u", what,
				x->age, by, takes);
	if (x->late)
		return fault_in(e, FAULT_ILLEGAL, c, w, insn, lane,
				"%s, which %s %s: the DEPBAR that waits for it is %u cycles too near", what, by, does,
				x->late);
	if (x->board == NO_BOARD && !x->soon)
		return fault_in(e, FAULT_ILLEGAL, c, w, insn, lane,
				"%s, which %s %s: no barrier of its queue was waited for since", what, by, does);
	return fault_in(e, FAULT_ILLEGAL, c, w, insn, lane,
			x->soon ? "%s, which %s %s: its barrier SB%u was waited for %u cycle too soon to see it"
				: "%s, which %s %s: its barrier SB%u was not waited for",
			what, by, does, x->board == NO_BOARD ? x->tied : x->board, x->soon);
}

/* ---- copies to shared memory ---- */
/* Lanes side by side are one entry; parted, each has more than its own, which is no less than is under way. Of machine
 * code alone: cp.async of PTX has instructions that wait for it without a barrier of dependence. */
void controls_copy(struct engine *e, const struct warp *w, uint32_t insn, unsigned lane, uint64_t at, uint32_t bytes)
{
	struct controls *t = w->controls;
	struct entry *last = t->n ? &t->p[t->n - 1] : NULL;

	if (last && last->reg == COPY && last->insn == insn && last->end == at && last->board == NO_BOARD &&
	    !last->age) {
		last->lanes |= 1u << lane;
		last->end = at + bytes;
		return;
	}
	add(e, t,
	    &(struct entry){ .insn = insn,
			     .lanes = 1u << lane,
			     .reg = COPY,
			     .board = NO_BOARD,
			     .tied = NO_BOARD,
			     .write = true,
			     .at = at,
			     .end = at + bytes });
}

bool controls_shared(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
		     uint64_t at, uint32_t bytes)
{
	for (unsigned n = 0; n < e->warps; n++) {
		const struct controls *t = c->warp[n].controls;

		for (uint32_t i = 0; i < t->n; i++) {
			const struct entry *x = &t->p[i];

			if (x->reg == COPY && at < x->end && x->at < at + bytes)
				return fault_in(e, FAULT_ILLEGAL, c, w, insn, lane,
						"%s: %u bytes of shared memory at 0x%llx, which `%s` %s copies: %s",
						place(e, insn), bytes, (unsigned long long)at,
						ir_print_insn(&e->a, e->k, &e->k->insn[x->insn]), place(e, x->insn),
						x->board == NO_BOARD
							? "no LDGDEPBAR is behind it"
							: arena_printf(&e->a,
								       "its LDGDEPBAR's barrier SB%u was not "
								       "waited for",
								       x->board));
		}
	}
	return true;
}

/* LDGDEPBAR: copies before it are there when its barrier is free. ARRIVES has an mbarrier object told, which is not
 * followed. */
static void gather_copies(struct engine *e, struct controls *t, const struct control *now, uint32_t order,
			  uint32_t lanes)
{
	for (uint32_t i = 0, n = t->n; i < n; i++) {
		if (t->p[i].reg != COPY || t->p[i].board != NO_BOARD || !part(e, t, i, lanes))
			continue;
		if (now->copies == COPIES_ARRIVE)
			t->p[i].lanes = 0;
		t->p[i].board = t->p[i].tied = now->code.wbar;
		t->p[i].order = t->p[i].tied_order = order;
	}
}

/* ---- an instruction ---- */
static bool read_reg(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, uint32_t lanes,
		     const struct sass_access *a)
{
	const struct controls *t = w->controls;
	const unsigned sm = e->prog.controls->sm;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct entry *x = &t->p[i];
		unsigned takes = 0;

		if (x->reg != a->reg || !x->write || !(x->lanes & lanes))
			continue;
		if (x->fixed)
			takes = sass_latency(sm, mreg_is_pred(x->reg), x->unit, a->unit);
		if (!x->fixed || x->age < takes)
			return report(e, c, w, insn, lanes, x, false, takes);
	}
	return true;
}

static bool write_reg(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, uint32_t lanes,
		      const struct sass_access *a)
{
	const struct control *now = &e->prog.controls->of[insn];
	const unsigned sm = e->prog.controls->sm, own = sass_latency_least(sm, mreg_is_pred(a->reg), a->unit);
	struct controls *t = w->controls;

	for (uint32_t i = 0, n = t->n; i < n; i++) {
		const struct entry *x = &t->p[i];
		unsigned takes;

		if (x->reg != a->reg || !(x->lanes & lanes))
			continue;
		if (now->queue && x->queue == now->queue && (!x->write || x->board == NO_BOARD))
			continue;
		takes = x->fixed ? sass_latency_least(sm, mreg_is_pred(x->reg), x->unit) : 0;
		if (!x->fixed || (own && now->code.wbar >= BARRIERS_OF_DEPENDENCE && x->age + own < takes))
			return report(e, c, w, insn, lanes, x, true, takes);
		part(e, t, i, lanes);
		t->p[i].lanes = 0;
	}
	return true;
}

/* What it leaves to be delivered. Barriers are raised, and queues passed, whatever the guard says: ptxas has the
 * barrier of an instruction that no lane executes stand for those before it in the queue. */
static void leave(struct engine *e, struct controls *t, uint32_t insn, uint32_t active, uint32_t exec)
{
	const struct control *now = &e->prog.controls->of[insn];
	const struct sass_access *a = e->prog.controls->access + now->first;
	const unsigned sm = e->prog.controls->sm;
	struct entry x = { .insn = insn, .lanes = active, .seq = t->seq++, .queue = now->queue };
	uint32_t order[2];

	for (unsigned write = 0; write < 2; write++) {
		const unsigned board = write ? now->code.wbar : now->code.rbar;

		order[write] = 0;
		if (board >= BARRIERS_OF_DEPENDENCE)
			continue;
		order[write] = ++t->order[board];
		x.reg = NO_REG;
		x.board = x.tied = (uint8_t)board;
		x.order = x.tied_order = order[write];
		x.write = write;
		add(e, t, &x);
	}
	if (now->copies)
		gather_copies(e, t, now, order[1], exec);
	x.lanes = exec;
	for (unsigned n = 0; exec && n < now->n; n++) {
		const bool pred = mreg_is_pred(a[n].reg);
		const bool write = a[n].write && !(pred && now->early);
		const unsigned board = write ? now->code.wbar : now->code.rbar;

		x.reg = a[n].reg;
		x.unit = a[n].unit;
		x.write = a[n].write;
		x.board = board < BARRIERS_OF_DEPENDENCE ? (uint8_t)board : NO_BOARD;
		x.tied = now->code.wbar < BARRIERS_OF_DEPENDENCE ? now->code.wbar : NO_BOARD;
		x.order = order[write];
		x.tied_order = order[1];
		x.fixed = x.write && x.board == NO_BOARD && sass_latency(sm, pred, a[n].unit, a[n].unit);
		if (!x.write && (mreg_file(x.reg) != FILE_GPR || (x.board == NO_BOARD && !now->queue)))
			continue; /* read at issue */
		if (x.write && !x.fixed && x.board == NO_BOARD && !now->queue)
			continue; /* its latency is not known */
		if (!x.write && x.board == NO_BOARD) {
			x.board = x.tied;
			x.order = x.tied_order;
		}
		add(e, t, &x);
	}
}

void controls_wait(struct engine *e, const struct warp *w, uint32_t insn, uint32_t active)
{
	const struct control *now = &e->prog.controls->of[insn];
	struct controls *t = w->controls;

	if (!now->code.wait)
		return;
	pass_cycles(e, t, held(t, now->code.wait, active), active);
	for (unsigned b = 0; b < BARRIERS_OF_DEPENDENCE; b++)
		if (now->code.wait >> b & 1)
			wait_for(e, t, b, 0, 0, active);
}

bool controls_step(struct engine *e, const struct cta *c, struct warp *w, uint32_t insn, uint32_t active, uint32_t exec)
{
	const struct control *now = &e->prog.controls->of[insn];
	const struct sass_access *a = e->prog.controls->access + now->first;
	struct controls *t = w->controls;

	for (unsigned n = 0; n < now->n; n++)
		if (!a[n].write && (a[n].guard || exec) && !read_reg(e, c, w, insn, a[n].guard ? active : exec, &a[n]))
			return false;
	for (unsigned n = 0; n < now->n; n++)
		if (a[n].write && exec && !write_reg(e, c, w, insn, exec, &a[n]))
			return false;
	if (now->depbar && exec) {
		for (unsigned b = 0; b < BARRIERS_OF_DEPENDENCE; b++)
			if (now->mask >> b & 1)
				wait_for(e, t, b, 0, DEPBAR_CYCLES, active);
		if (now->board < BARRIERS_OF_DEPENDENCE)
			wait_for(e, t, now->board, now->left, DEPBAR_CYCLES, active);
	}
	if (now->drains)
		drain(e, t, exec);
	leave(e, t, insn, active, exec);
	pass_cycles(e, t, sass_stall_cycles(now->code), active);
	return true;
}
