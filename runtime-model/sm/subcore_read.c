/* The stages of a sub-core between issue and execution, and results on their way back: control, allocate, the reads
 * of two banks, the reuse cache, the queues of slow units, the result queue.
 *
 * Each bank has one write port, and params.rf_read_ports for reads. What has a fixed latency waits in the allocate
 * stage until all its reads fit in the three cycles behind, and keeps what comes after it waiting; queued
 * instructions take what ports are left. A fixed-latency result that finds its bank taken waits in a queue, of which
 * others are served by the bypass, so that nobody is late; a load gives way to it and is a cycle later (sections
 * 5.1.1 and 5.3). */
#include "runtime-model/sm/subcore.h"

#include <string.h>

/* ---- ports ---- */
static uint8_t *used(struct sub *c, cycle at)
{
	const unsigned i = (unsigned)(at % PORT_CYCLES);

	if (c->port[i].at != at) {
		c->port[i].at = at;
		memset(c->port[i].used, 0, sizeof c->port[i].used);
	}
	return c->port[i].used;
}

static bool is_main(const struct sm *s, const struct bank_access *a) { return a->bank < s->p->rf_banks; }
static unsigned bank_of(const struct bank_access *a) { return a->bank % SUB_BANKS; }

/* ---- the reuse cache ---- */
/* The register that source src is in, which is how the reuse cache knows it. Under a reuse that renames one that was
 * never written is in none. */
static unsigned kept_as(const struct sm *s, const struct uop *u, unsigned src)
{
	return s->front ? s->ax.rf->reuse->physical(s->ax.reuse, u, src) : u->src[src];
}

/* The source may be in the reuse cache: it is in a slot, and in a register. */
static bool may_be_kept(const struct sub_insn *i, unsigned reg, unsigned src)
{
	return i->slot[src] != SLOT_NONE && reg != NO_REGISTER;
}

static bool looks_at_reuse(const struct sm *s, const struct sub_insn *i)
{
	return s->p->reuse_cache && i->unit < SUB_UNIFORM;
}

/* Source src of u, which is in that register and slot, is kept from now on. */
static void keep(struct sm *s, struct sub *c, const struct uop *u, unsigned src, unsigned reg, unsigned slot)
{
	struct kept *e = &c->kept[reg % SUB_BANKS][slot];

	c->keeps |= (uint8_t)kept_bit(reg % SUB_BANKS, slot);
	e->known = u->src_value != NULL;
	e->reg = (uint16_t)reg;
	e->warp = u->warp;
	if (e->known)
		memcpy(e->value, u->src_value[src], sizeof e->value);
	s->st.reuse_cache_writes++;
}

/* Sources that the reuse cache has. Then what this instruction reads: a request for a bank and slot puts out what is
 * there, unless its own reuse bit keeps it (section 5.3.1). */
RARE uint32_t from_reuse_cache(struct sm *s, struct sub *c, unsigned n, uint32_t among)
{
	const struct uop *u = &s->flight[n].u;
	const struct sub_insn *i = s->flight[n].sub.insn;
	uint32_t found = 0;

	if (!c->keeps && !i->code.reuse)
		return 0;
	for (uint32_t m = c->keeps ? among : 0; m; m &= m - 1) {
		const unsigned k = (unsigned)__builtin_ctz(m), reg = kept_as(s, u, k);
		const struct kept *e = &c->kept[reg % SUB_BANKS][i->slot[k] % SUB_SLOTS];

		if (!may_be_kept(i, reg, k) || !(c->keeps & kept_bit(reg % SUB_BANKS, i->slot[k])) ||
		    e->warp != u->warp || e->reg != reg)
			continue;
		found |= (uint32_t)1 << k;
		s->st.reuse_cache_reads++;
		if (s->checked && e->known)
			checked_kept(s, n, k, e->value);
	}
	for (unsigned k = 0; k < u->nsrc; k++) {
		const unsigned reg = kept_as(s, u, k), slot = i->slot[k];

		if (!may_be_kept(i, reg, k))
			continue;
		c->keeps &= (uint8_t)~kept_bit(reg % SUB_BANKS, slot);
		if (i->code.reuse >> slot & 1)
			keep(s, c, u, k, reg, slot);
	}
	return found;
}

/* Who writes a register ends what the reuse cache has of it. Huerta et al. do not say so, but ptxas relies on it, or on
 * something that does as much: code of it flags a register at the end of a loop that its beginning writes and reads in
 * the same slot. */
static void forget_written(const struct sm *s, struct sub *c, const struct uop *u)
{
	for (unsigned d = 0; c->keeps && !s->front && d < u->ndst; d++)
		for (unsigned k = 0, bank = u->dst[d] % SUB_BANKS; k < SUB_SLOTS; k++)
			if (c->kept[bank][k].warp == u->warp && c->kept[bank][k].reg == u->dst[d])
				c->keeps &= (uint8_t)~kept_bit(bank, k);
}

/* Likewise, under a reuse that renames, of a physical register. */
RARE void forget_overwritten(struct sub *c, unsigned phys)
{
	for (unsigned k = 0; k < SUB_SLOTS; k++)
		if (c->kept[phys % SUB_BANKS][k].reg == phys)
			c->keeps &= (uint8_t)~kept_bit(phys % SUB_BANKS, k);
}

/* ---- reads ---- */
/* Those that are listed of flight n. */
static uint64_t all_accesses(const struct sm *s, unsigned n)
{
	const unsigned k = s->flight[n].sub.naccess;

	return k ? ~(uint64_t)0 >> (64 - k) : 0;
}

static void list(struct sm *s, unsigned n, uint32_t among)
{
	const unsigned k = list_reads(s, n, among);

	s->flight[n].sub.naccess = (uint8_t)k;
	s->flight[n].sub.accesses = all_accesses(s, n);
	s->flight[n].sub.listed_at = s->now;
}

/* The access is made: a read of operands, or what an axis adds. */
static void count_access(struct sm *s, unsigned n, const struct bank_access *a, unsigned waited)
{
	const struct uop *u = &s->flight[n].u;

	if (a->write)
		count_write(s, a->arrays);
	else
		count_reads(s, 1, a->arrays);
	if (probing(s, PROBE_BANK))
		probe_access(s, u->warp, u->insn, a, waited);
}

/* These accesses of flight n do not find a port in this cycle, or no packer. */
RARE void count_waiting(struct sm *s, unsigned n, uint64_t accesses, bool packers)
{
	const bool first = !s->flight[n].waited;

	for (uint64_t m = accesses; m; m &= m - 1) {
		const struct bank_access *a = &s->acc[n][__builtin_ctzll(m)];

		s->st.rf_bank_conflicts += first && !a->write;
		s->st.rf_conflict_cycles += !a->write;
		s->st.verify_conflict_cycles += !a->write && s->front && s->flight[n].more;
		*(packers && a->operands ? &s->st.packer_conflicts : &s->st.rf_write_conflicts) += first && a->write;
	}
}

/* All sources are there. */
static void have_sources(struct sm *s, unsigned n)
{
	for (unsigned k = 0; !s->banks && k < s->flight[n].sub.naccess; k++)
		if (!s->acc[n][k].write)
			sources_read(s, n, s->acc[n][k].operands, READ_STORED, &s->acc[n][k]);
	operands_read(s, &s->flight[n].u);
	if (probing(s, PROBE_READ))
		probe_flight(s, PROBE_READ, n, 0, 0);
	s->moved = true;
}

/* The first cycle behind this one in which the access can be made: a renaming table has said where by then. */
static cycle looked_up(const struct sm *s, unsigned n, const struct bank_access *a, cycle now)
{
	const cycle at = s->flight[n].sub.listed_at + a->delay;

	return (at > now ? at : now) + 1;
}

/* The reads of flight n, which have to be looked up, fit in the window behind this cycle; if so they are booked. */
RARE bool fits_looked_up(struct sm *s, struct sub *c, unsigned n, cycle now)
{
	const unsigned window = c->window;
	uint8_t more[PORT_CYCLES][SUB_BANKS];

	memset(more, 0, sizeof more);
	for (unsigned k = 0; k < s->flight[n].sub.naccess; k++) {
		const struct bank_access *a = &s->acc[n][k];
		const unsigned b = bank_of(a);
		cycle at = looked_up(s, n, a, now);

		if (!is_main(s, a))
			continue;
		while (at <= now + window && used(c, at)[b] + more[at - now][b] >= s->p->rf_read_ports)
			at++;
		if (at > now + window)
			return false;
		more[at - now][b]++;
	}
	for (unsigned i = 1; i <= window; i++)
		for (unsigned b = 0; b < SUB_BANKS; b++)
			if (more[i][b])
				used(c, now + i)[b] = (uint8_t)(used(c, now + i)[b] + more[i][b]);
	return true;
}

/* Likewise of those in the allocate stage that need not be. */
static bool fits(const struct sm *s, struct sub *c, cycle now)
{
	const unsigned ports = s->p->rf_read_ports;

	for (unsigned b = 0; b < SUB_BANKS; b++) {
		unsigned free = 0;

		for (unsigned i = 1; i <= c->window && free < c->need[b]; i++)
			free += ports - used(c, now + i)[b];
		if (free < c->need[b])
			return false;
	}
	for (unsigned b = 0; b < SUB_BANKS; b++)
		for (unsigned i = 1, left = c->need[b]; left; i++)
			for (uint8_t *u = &used(c, now + i)[b]; left && *u < ports; left--)
				++*u;
	return true;
}

/* What the reads of flight n need, and so many cycles hold them if nobody else reads: three, or what they take. */
static void plan(const struct sm *s, struct sub *c, const struct sub_insn *i, unsigned n)
{
	unsigned window = i->wide_reads ? 2 * READ_WINDOW : READ_WINDOW;

	memset(c->need, 0, sizeof c->need);
	c->looked_up = false;
	for (unsigned k = 0; k < s->flight[n].sub.naccess; k++) {
		c->need[bank_of(&s->acc[n][k])] += is_main(s, &s->acc[n][k]);
		c->looked_up |= s->acc[n][k].delay != 0;
	}
	for (unsigned b = 0; b < SUB_BANKS; b++)
		while (window * s->p->rf_read_ports < c->need[b])
			window++;
	c->window = (uint8_t)(window < PORT_CYCLES ? window : PORT_CYCLES - 1);
}

/* What is held comes a cycle later, and so does its result: its warp's stall count stands still for that cycle. The
 * paper says that conflicts never change the stall count that is needed (section 5.3), which this keeps; how hardware
 * does it is not known. A scoreboard needs no such thing. */
RARE void hold(struct sm *s, struct sub *c, cycle now)
{
	const unsigned w = s->flight[c->alloc].u.warp;

	if (s->p->dependences)
		return;
	subcore_delay(s, w, now);
	if (c->control != NO_FLIGHT && s->flight[c->control].u.warp != w)
		subcore_delay(s, s->flight[c->control].u.warp, now);
}

static void allocate(struct sm *s, struct sub *c, cycle now)
{
	const unsigned n = c->alloc;
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;

	if (!c->listed) {
		const uint32_t main = s->from_levels ? s->from_levels[n].from_main : all_sources(&f->u);
		uint32_t kept = 0;

		if (looks_at_reuse(s, i))
			kept = from_reuse_cache(s, c, n, main);
		sources_read(s, n, kept, READ_KEPT, NULL);
		list(s, n, all_sources(&f->u) & ~kept);
		plan(s, c, i, n);
		c->listed = true;
		f->waited = 0;
	}
	if (!(c->looked_up ? fits_looked_up(s, c, n, now) : fits(s, c, now))) {
		count_waiting(s, n, all_accesses(s, n), false);
		f->waited++;
		s->moved = true;
		hold(s, c, now);
		return;
	}
	for (unsigned k = 0; k < f->sub.naccess; k++)
		count_access(s, n, &s->acc[n][k], f->waited);
	have_sources(s, n);
	subcore_sources_read(s, n);
	forget_written(s, c, &f->u);
	c->alloc = NO_FLIGHT;
	if (probing(s, PROBE_EXECUTE))
		probe_execute(s, n, s->warp[f->u.warp].scheduler, 1); /* units of a pipe overlap, entries do not */
	complete_at(s, n, now + i->latency + deeper(s, n), false);
}

/* The bypass serves instructions of fixed latency; a memory instruction reads what has been written (section 5.3,
 * listing 3: a cycle more from a MOV to an address than to another MOV). Control codes know; a scoreboard has it
 * wait. */
RARE bool waits_for_write(struct sm *s, const struct sub *c, unsigned n, cycle now)
{
	const struct uop *u = &s->flight[n].u;
	bool owed = false;

	for (unsigned i = 0; i < c->results.n; i++) {
		const unsigned r = c->results.v[(c->results.head + i) & c->results.mask];
		const struct uop *x = &s->flight[r].u;

		if (x->warp != u->warp || s->flight[r].sub.due <= now || !(x->active & u->active) ||
		    s->flight[r].issued > s->flight[n].issued)
			continue;
		for (unsigned d = 0; d < x->ndst; d++)
			for (unsigned k = 0; k < u->nsrc; k++)
				owed |= x->dst[d] == u->src[k];
	}
	if (owed && !s->p->dependences)
		issue_fault(s, u, "reads a register before it is written");
	return owed && s->p->dependences;
}

bool subcore_queued_read(struct sm *s, struct sub *c, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];

	if (f->sub.naccess == NOT_LISTED) {
		if (f->sub.insn->unit == SUB_MEMORY && (s->checked || s->p->dependences) &&
		    waits_for_write(s, c, n, now)) {
			sub_note(s, now + 1);
			return false;
		}
		list(s, n, all_sources(&f->u));
	}
	for (uint64_t m = f->sub.accesses; m; m &= m - 1) {
		const struct bank_access *a = &s->acc[n][__builtin_ctzll(m)];
		uint8_t *u = &used(c, now)[bank_of(a)];

		if (looked_up(s, n, a, now) > now + 1 || (is_main(s, a) && *u >= s->p->rf_read_ports))
			continue;
		*u = (uint8_t)(*u + is_main(s, a));
		count_access(s, n, a, 0);
		f->sub.accesses &= ~(m & -m);
		s->moved = true;
	}
	if (!f->sub.accesses)
		return true;
	sub_note(s, now + 1);
	return false;
}

void subcore_leave_queue(struct sm *s, struct sub *c, unsigned unit)
{
	struct sub_queue *q = &c->queue[unit];
	const unsigned n = sub_first(q);

	c->queued -= unit != SUB_MEMORY;
	q->head = (q->head + 1) % SUB_QUEUE_MAX;
	q->there--;
	q->n--;
	sub_open(s, c);
	q->last = s->now;
	if (s->flight[n].sub.reads_late)
		return;
	have_sources(s, n);
	subcore_sources_read(s, n);
}

/* ---- control stage, slow units ---- */
static void control(struct sm *s, struct sub *c)
{
	const unsigned n = c->control, unit = s->flight[n].sub.insn->unit;
	struct sub_queue *q = &c->queue[unit];

	if (!c->raised) {
		c->raising = (uint16_t)n;
		s->sub->raisers |= 1u << c->id;
		c->raised = true;
		s->moved = true;
	}
	s->flight[n].sub.naccess = NOT_LISTED;
	s->flight[n].sub.reads_late = false;
	if (unit >= SUB_XU) {
		q->v[(q->head + q->there++) % SUB_QUEUE_MAX] = (uint16_t)n;
		if (unit == SUB_MEMORY && q->there == 1)
			subcore_memory_due(s, c->id, s->flight[n].sub.entered + STAGES_TO_MEMORY_READ);
	} else if (c->alloc == NO_FLIGHT) {
		c->alloc = (uint16_t)n;
		c->listed = false;
	} else {
		return;
	}
	if (probing(s, PROBE_COLLECT))
		probe_flight(s, PROBE_COLLECT, n, unit >= SUB_XU, 0);
	c->control = NO_FLIGHT;
	s->moved = true;
}

/* The first instruction in the queue of a slow unit starts when it has its operands and the unit is free. */
RARE void start_slow(struct sm *s, struct sub *c, unsigned unit, cycle now)
{
	struct sub_queue *q = &c->queue[unit];
	cycle *free = unit == SUB_SLOW_FP64 ? &s->sub->fp64_free : &c->unit_free[unit];
	const uint32_t of_unit[SUB_UNITS] = {
		[SUB_XU] = s->p->xu_latency, [SUB_SLOW_FP64] = s->p->fp64_latency, [SUB_OTHER] = s->p->misc_latency
	};
	const uint32_t latency = of_unit[unit];
	const unsigned n = sub_first(q);
	const struct flight *f = &s->flight[n];
	const cycle from = f->sub.entered + STAGES_TO_READ + 1;
	cycle at;

	if (now < from) {
		sub_note(s, from);
		return;
	}
	if (!subcore_queued_read(s, c, n, now))
		return;
	if (*free > now) {
		sub_note(s, *free);
		return;
	}
	*free = now + f->sub.insn->interval;
	at = latency > STAGES_TO_READ + 1 ? now + latency - (STAGES_TO_READ + 1) : now + 1;
	subcore_leave_queue(s, c, unit);
	if (probing(s, PROBE_EXECUTE))
		probe_execute(s, n, s->warp[f->u.warp].scheduler, f->sub.insn->interval);
	complete_at(s, n, at + deeper(s, n), false);
}

void subcore_read(struct sm *s, cycle now)
{
	const unsigned first = (unsigned)now % s->p->schedulers;

	/* what they share goes to each first in turn */
	for (unsigned m = sub_turned(s, s->sub->reading, first); m; m &= m - 1) {
		const unsigned sub = sub_turn(s, first, m);
		struct sub *c = &s->sub->sub[sub];

		if (c->alloc != NO_FLIGHT)
			allocate(s, c, now);
		for (unsigned u = SUB_XU; c->queued && u < SUB_MEMORY; u++)
			if (c->queue[u].there)
				start_slow(s, c, u, now);
		if (c->control != NO_FLIGHT)
			control(s, c);
		if (c->control == NO_FLIGHT && c->alloc == NO_FLIGHT && !c->queued)
			s->sub->reading &= ~(1u << sub);
	}
}

/* ---- results ---- */
/* A scoreboard knows of flight n's results no more. */
HOT void clear_pending(struct sm *s, const struct flight *f)
{
	struct warp *w = &s->warp[f->u.warp];

	sb_remove(s, w->pending, f->d->writes);
	if (f->d->pipe != PIPE_MEM)
		return;
	sb_remove(s, w->pending_mem, f->d->writes);
	sb_remove(s, w->pending_long, f->d->writes);
}

/* Copy n has come: of the groups raised behind it, those that have all of theirs complete. */
RARE void copied(struct sm *s, unsigned n)
{
	struct sub_warp *x = &s->sub->warp[s->flight[n].u.warp];
	const uint16_t number = s->flight[n].sub.group.number;
	uint16_t *at = &x->group;

	x->copies--;
	while (*at != NO_FLIGHT && (int16_t)(s->flight[*at].sub.group.number - number) >= 0) {
		const unsigned g = *at;
		struct copy_group *group = &s->flight[g].sub.group;

		if (--group->left) {
			at = &group->next;
			continue;
		}
		*at = group->next;
		if (s->flight[g].sub.due)
			complete_at(s, g, s->now + 1, false);
	}
}

static void finish(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;
	const unsigned w = f->u.warp;

	if (s->front)
		rounds_retire(s, n);
	if (probing(s, PROBE_RETIRE))
		probe_flight(s, PROBE_RETIRE, n, 0, 0);
	if (s->checked)
		checked_done(s, &f->u);
	s->released = f->u.insn;
	if (i->unit >= SUB_XU || s->front)
		clear_pending(s, f);
	for (unsigned k = 0; s->ax.rename && k < f->u.ndst; k++)
		rename_written(s->ax.rename, w, f->u.dst[k]);
	s->sub->warp[w].extended_writes = (uint16_t)(s->sub->warp[w].extended_writes - f->sub.extended);
	s->warp[w].in_flight--;
	s->warp[w].mem_flight -= f->d->pipe == PIPE_MEM;
	if (f->verdict == REUSE_HIT)
		s->sub->warp[w].unraised--;
	else
		subcore_written(s, n);
	if (i->copies)
		copied(s, n);
	flight_landed(s, n, now);
}

RARE void store_checked(struct sm *s, unsigned n)
{
	for (unsigned k = 0; k < s->flight[n].sub.naccess; k++) {
		const struct bank_access *a = &s->acc[n][k];

		for (uint32_t m = a->write ? a->operands : 0; m; m &= m - 1)
			checked_store(s, &s->flight[n].u, a, (unsigned)__builtin_ctz(m));
	}
}

/* A renaming table may move a register when it is written: no older instruction has yet to read it then, or the
 * result waits. Control codes and scoreboards have the writer of a register issue behind its reads, or the reads on
 * their way. */
static bool may_write(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];

	if (!s->ax.rename || !f->u.active || rename_may_write(s->ax.rename, &f->u)) {
		f->held = false;
		return true;
	}
	s->st.war_waits += !f->held; /* once */
	f->held = true;
	complete_at(s, n, now + 1, false);
	s->moved = true;
	return false;
}

/* Flight n has its results, which are listed as k writes: who issues now may use them. */
static void bypass(struct sm *s, struct sub *c, unsigned n, unsigned k, cycle now)
{
	struct flight *f = &s->flight[n];
	const bool fixed = f->sub.insn->unit < SUB_XU;

	f->sub.naccess = (uint8_t)k;
	f->sub.accesses = all_accesses(s, n);
	if (fixed)
		subcore_has_results(s, n, now);
	if (!k && fixed)
		clear_pending(s, f);
	if (!k) {
		finish(s, n, now);
		return;
	}
	s->sub->writing |= 1u << c->id;
	if (fixed) {
		if (s->checked)
			store_checked(s, n);
		clear_pending(s, f);
		warp_update_in(s, f->u.warp, WAITS_FOR_OTHERS);
		f->sub.due = now + RESULT_TO_WRITE;
		queue_push(&c->results, n);
	} else {
		queue_push(&c->late, n);
	}
}

/* Likewise, under a reuse that renames: which registers they are in nobody knows before they have been looked up and
 * written, so that no bypass can serve who names them. */
RARE void rename_results(struct sm *s, struct sub *c, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];

	f->sub.naccess = 0;
	f->sub.accesses = 0;
	if (!f->u.ndst || !f->u.active || f->verdict == REUSE_HIT) {
		if (f->verdict != REUSE_HIT && f->sub.insn->unit < SUB_XU)
			subcore_has_results(s, n, now);
		finish(s, n, now);
		return;
	}
	f->held = true;
	s->sub->writing |= 1u << c->id;
	f->sub.due = f->sub.insn->unit < SUB_XU ? now + RESULT_TO_WRITE : now;
	queue_push(&c->late, n);
	s->moved = true;
}

static void result(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];
	struct sub *c = sub_of(s, f->u.warp);

	if (f->sub.due > now) {
		result_at(s, n, f->sub.due);
		return;
	}
	if (f->sub.group.left) {
		f->sub.due = now;
		return;
	}
	if (f->sub.reads_late) {
		f->sub.reads_late = false;
		have_sources(s, n);
		subcore_sources_read(s, n);
	}
	if (!may_write(s, n, now))
		return;
	if (f->sub.insn->unit >= SUB_XU)
		forget_written(s, c, &f->u);
	if (f->d->pipe == PIPE_MEM && (f->kind == KIND_LOAD || f->kind == KIND_ATOMIC) && f->nline &&
	    f->verdict != REUSE_HIT) {
		s->st.loads++;
		s->st.load_cycles += now - f->issued;
	}
	if (probing(s, PROBE_RESULT))
		probe_flight(s, PROBE_RESULT, n, 0, now - f->issued);
	f->waited = 0;
	if (s->front)
		rename_results(s, c, n, now);
	else
		bypass(s, c, n, f->u.ndst && f->u.active ? list_writes(s, n) : 0, now);
}

/* The access finds a port of its bank in this cycle, which a merge may read from, and a packer if it needs one. */
HOT bool has_port(struct sm *s, struct sub *c, const struct bank_access *a, bool packed, cycle now)
{
	const unsigned b = bank_of(a);

	if (packed && !c->packers)
		return false;
	if (is_main(s, a) && a->write) {
		if (c->written >> b & 1)
			return false;
		c->written |= 1u << b;
	} else if (is_main(s, a)) {
		if (used(c, now)[b] >= s->p->rf_read_ports)
			return false;
		used(c, now)[b]++;
	}
	c->packers -= packed;
	return true;
}

/* Writes of flight n that find their bank free; true: all are done. */
static bool write(struct sm *s, struct sub *c, unsigned n, cycle now)
{
	const bool packs = s->ax.rf->packing->packed;
	struct flight *f = &s->flight[n];
	bool packers = false;

	for (uint64_t m = f->sub.accesses; m; m &= m - 1) {
		const struct bank_access *a = &s->acc[n][__builtin_ctzll(m)];
		const bool packed = packs && a->write && a->operands;

		if (!has_port(s, c, a, packed, now)) {
			packers |= packed && !c->packers;
			continue;
		}
		count_access(s, n, a, f->waited);
		if (s->front && a->write)
			forget_overwritten(c, s->round[n].a[__builtin_ctzll(m)].phys);
		if (s->front && s->checked)
			checked_access(s, n, (unsigned)__builtin_ctzll(m));
		f->sub.accesses &= ~(m & -m);
	}
	s->moved = true;
	if (!f->sub.accesses)
		return true;
	count_waiting(s, n, f->sub.accesses, packers);
	f->waited++;
	return false;
}

static void next_round(struct sm *s, unsigned n)
{
	rounds_next(s, n);
	s->flight[n].sub.naccess = (uint8_t)s->round[n].n;
	s->flight[n].sub.accesses = s->flight[n].acc_left;
}

/* Results that are renamed as they are written, a round in a cycle (rounds.c). None waits for another one's register
 * behind which it stands. */
RARE void write_renamed(struct sm *s, struct sub *c, cycle now)
{
	for (unsigned k = c->late.n; k; k--) {
		const unsigned n = queue_pop(&c->late);
		struct flight *f = &s->flight[n];

		if (s->flight[n].sub.due > now) {
			sub_note(s, s->flight[n].sub.due);
			queue_push(&c->late, n);
			continue;
		}
		if (f->held)
			next_round(s, n);
		if (!f->held && write(s, c, n, now) && f->more)
			next_round(s, n);
		if (f->held || f->more || s->flight[n].sub.accesses)
			queue_push(&c->late, n);
		else
			finish(s, n, now);
	}
}

/* Results of slow units and memory. Those of a warp keep their order: its code may wait for the last of them alone. */
static void write_late(struct sm *s, struct sub *c, cycle now)
{
	uint64_t waiting = 0;

	for (unsigned k = c->late.n; k; k--) {
		const unsigned n = queue_pop(&c->late), w = s->flight[n].u.warp;

		if (waiting >> w & 1 || !write(s, c, n, now)) {
			waiting |= bit(w);
			queue_push(&c->late, n);
			continue;
		}
		if (s->checked)
			store_checked(s, n);
		finish(s, n, now);
	}
}

/* What suspended warps held goes to the banks that no result is written to. */
RARE void write_flushed(struct sm *s)
{
	for (uint64_t m = s->exec.flushing; m; m &= m - 1) {
		const unsigned w = (unsigned)__builtin_ctzll(m);
		struct extra *x = &s->exec.flush[w];
		struct sub *c = sub_of(s, w);
		unsigned left = 0;

		for (unsigned i = 0; i < x->n; i++) {
			if (c->written >> bank_of(&x->a[i]) & 1) {
				x->a[left++] = x->a[i];
				continue;
			}
			c->written |= 1u << bank_of(&x->a[i]);
			if (x->a[i].write)
				count_write(s, x->a[i].arrays);
			else
				count_reads(s, 1, x->a[i].arrays);
			if (probing(s, PROBE_BANK))
				probe_access(s, w, s->warp[w].rec.insn, &x->a[i], 0);
		}
		x->n = left;
		s->moved = true;
		if (left)
			continue;
		s->exec.flushing &= ~bit(w);
		warp_try_end(s, w);
	}
}

void subcore_write(struct sm *s, cycle now)
{
	const unsigned b = (unsigned)(now % WHEEL);

	for (unsigned n = s->exec.wheel[b], next; n != NO_FLIGHT; n = next) {
		next = s->flight[n].next;
		result(s, n, now);
	}
	s->exec.wheel[b] = NO_FLIGHT;
	s->exec.wheel_used[b / 64] &= ~bit(b % 64);
	for (unsigned m = s->exec.flushing ? (1u << s->p->schedulers) - 1 : s->sub->writing; m; m &= m - 1) {
		struct sub *c = &s->sub->sub[__builtin_ctz(m)];

		c->written = 0;
		c->packers = s->p->packers;
		while (c->results.n && s->flight[c->results.v[c->results.head]].sub.due <= now &&
		       write(s, c, c->results.v[c->results.head], now))
			finish(s, queue_pop(&c->results), now);
		if (c->results.n)
			sub_note(s, s->flight[c->results.v[c->results.head]].sub.due > now
					    ? s->flight[c->results.v[c->results.head]].sub.due
					    : now + 1);
		if (s->front)
			write_renamed(s, c, now);
		else
			write_late(s, c, now);
		if (!c->results.n && !c->late.n)
			s->sub->writing &= ~(m & -m);
	}
	if (s->exec.flushing)
		write_flushed(s);
}
