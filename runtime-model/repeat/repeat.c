#include "runtime-model/repeat/repeat.h"

#include "analyzer/base/rng.h"
#include "runtime-model/reuse/code.h"

#include <assert.h>
#include <string.h>

const struct repeat_text repeat_text[REPEAT_WHYS] = {
#define REPEAT(id, name, what, remedy) { #name, what, remedy },
#include "runtime-model/repeat/why.def"
#undef REPEAT
};

void repeat_add(struct repeat_counts *sum, const struct repeat_counts *x)
{
	uint64_t *to = &sum->issued;
	const uint64_t *from = &x->issued;

	for (unsigned i = 0; i < sizeof *x / sizeof *from; i++)
		to[i] += from[i];
}

void repeat_add_samples(struct repeat_samples *sum, const struct repeat_samples *x)
{
	sum->repeated += x->repeated;
	sum->often += x->often;
	sum->first += x->first;
}

static uint64_t join(uint64_t h, uint64_t v) { return mix64((h ^ v) + HASH_GOLDEN); }

/* ---- the code ---- */
/* What a value was made from. */
/* the thread's place in its CTA or warp; memory that is written or bound to textures */
enum { FROM_INDEX = 1, FROM_DATA = 2 };

struct code_insn {
	uint64_t operation; /* hash of all that does not change from one execution to the next */
	/* in code.use: what it reads, operand by operand, then what it writes, each register once */
	uint32_t use;
	uint8_t nsrc, ndst, ngeneral; /* of ndst, general ones: the first */
	uint8_t from;                 /* what else goes in, beside its sources */
	bool computes;                /* can be repeated */
	bool more;                    /* something goes in that no register has: memory, a special register */
	bool preds;                   /* reads a predicate as data */
	bool loads, stores_local;
	bool of_cta, of_warp; /* loads: other memory in each CTA; in each warp */
	/* enum memory, bits: loads that something may change under it; stores, atomics and copies */
	uint8_t reads, writes;
	/* at a barrier; a fence, an acquire; a load that each time asks memory itself */
	bool waits, orders, unordered;
	uint8_t scope; /* of the special registers that it reads: */
};
enum memory { MEMORY_SHARED, MEMORY_GLOBAL, MEMORY_LOCAL, MEMORIES };
/* each CTA, each warp of a CTA has its own; never the same */
enum { SCOPE_CTA = 1, SCOPE_PLACE = 2, SCOPE_ONCE = 4 };

struct repeat_code {
	const struct code_insn *insn;
	const uint16_t *use;
	unsigned nreg;
};

static void special(struct code_insn *c, enum sreg s)
{
	if (s >= SREG_TID_X && s <= SREG_TID_Z) {
		c->from |= FROM_INDEX;
		c->scope |= SCOPE_PLACE;
	} else if (s == SREG_LANEID || (s >= SREG_LANEMASK_EQ && s <= SREG_LANEMASK_GE)) {
		c->from |= FROM_INDEX;
	} else if (sreg_is_of_warp(s)) {
		c->from |= FROM_INDEX;
		c->scope |= s == SREG_WARPID ? SCOPE_PLACE : SCOPE_ONCE;
	} else if ((s >= SREG_CTAID_X && s <= SREG_CTAID_Z) || s == SREG_SMID ||
		   (s >= SREG_CLUSTERID_X && s <= SREG_CLUSTER_NCTARANK)) {
		c->scope |= SCOPE_CTA;
	}
	c->more = true;
}

static uint64_t hash_operand(const struct kernel *k, struct ref r)
{
	uint64_t h = r.kind | (uint64_t)r.neg << 8 | (uint64_t)r.abs << 9;

	if (r.kind == REF_IMM)
		return join(h, k->imm[r.val]);
	if (r.kind == REF_SYM)
		return join(join(h, k->symref[r.val].sym), (uint64_t)k->symref[r.val].addend);
	return r.kind == REF_REG && !mreg_is_fixed(r.val) ? h : join(h, r.val + 1);
}

static uint64_t hash_operation(const struct kernel *k, const struct insn *i)
{
	uint64_t h = join(i->op, (uint64_t)i->ndst << 8 | i->nsrc);

	h = join(h, (uint64_t)(uint32_t)i->offset << 32 | (uint64_t)i->space << 24 | (uint64_t)i->vec << 16 |
			    (uint64_t)i->cop << 8 | i->cbool);
	h = join(h, i->mods & ~(uint32_t)(MOD_UNI | MOD_MOVED));
	for (unsigned s = 0; s < (unsigned)i->ndst + i->nsrc; s++)
		h = join(h, hash_operand(k, k->opnd[i->opnd + s]));
	return h;
}

/* Its loads and stores, in the terms of the hardware that must not reuse a load too late. */
static void decode_order(struct code_insn *c, const struct insn *i, const struct reuse_insn *r)
{
	const unsigned shared = 1 << MEMORY_SHARED, global = 1 << MEMORY_GLOBAL, local = 1 << MEMORY_LOCAL;
	const bool changes = r->load == LOAD_SHARED || r->load == LOAD_GLOBAL || r->load == LOAD_GENERIC;

	if (changes && i->space == SP_LOCAL)
		c->reads = (uint8_t)local;
	else if (changes && r->load == LOAD_SHARED)
		c->reads = (uint8_t)shared;
	else if (changes)
		c->reads = (uint8_t)(r->load == LOAD_GLOBAL ? global : shared | global | local);
	c->writes = r->order & ORDER_STORE_SHARED ? shared : 0;
	c->writes |= r->order & ORDER_STORE_GLOBAL ? global : 0;
	if (op_info[i->op].flags & OPF_STORE && (i->space == SP_LOCAL || i->space == SP_GENERIC))
		c->writes |= (uint8_t)local;
	c->waits = op_info[i->op].flags & OPF_BARRIER && r->order & ORDER_CLEAR;
	c->orders = r->order & (ORDER_CLEAR | ORDER_COUNT);
	c->unordered = changes && i->space != SP_LOCAL && (r->why == REUSE_ORDERED || r->why == REUSE_SURFACE);
}

static void decode_memory(struct code_insn *c, const struct insn *i)
{
	const uint32_t flags = op_info[i->op].flags;
	const bool local = i->space == SP_LOCAL;

	c->loads = flags & OPF_LOAD && i->space != SP_CONST && i->space != SP_PARAM;
	c->stores_local = flags & OPF_STORE && local;
	c->of_cta = i->space == SP_SHARED || i->space == SP_GENERIC;
	c->of_warp = local;
	c->more |= flags & OPF_LOAD;
}

struct repeat_code *repeat_decode(const struct kernel *k, struct arena *a)
{
	const uint32_t never = OPF_STORE | OPF_ATOMIC | OPF_BRANCH | OPF_END | OPF_EXIT | OPF_BARRIER | OPF_FENCE |
			       OPF_CALL | OPF_RETURN | OPF_REGMUTEX;
	struct code_insn *insn = new_array(a, struct code_insn, (size_t)k->ninsn + 1);
	struct repeat_code *code = new(a, struct repeat_code);
	/* for its memory alone, which is no matter of fields */
	const struct reuse_code order = reuse_decode(k, 32, 16, a);
	uint16_t *list = NULL;
	uint32_t n = 0, cap = 0;

	for (uint32_t x = 0; x < k->ninsn; x++) {
		const struct insn *i = &k->insn[x];
		struct code_insn *c = &insn[x];
		struct reg_use use[REG_USE_MAX];
		struct insn_regs regs;
		unsigned uses = insn_reg_uses(k, i, use);

		ir_insn_regs(k, i, &regs);
		c->operation = hash_operation(k, i);
		c->use = n;
		for (unsigned u = 0; u < uses; u++) {
			if (use[u].write || use[u].slot == UINT8_MAX) /* the guard shows in the lanes */
				continue;
			arena_grow(a, list, n, cap);
			list[n++] = (uint16_t)use[u].reg;
			c->nsrc++;
			c->preds |= mreg_is_pred(use[u].reg);
		}
		for (unsigned d = 0; d < regs.ndst; d++) {
			arena_grow(a, list, n, cap);
			list[n++] = regs.dst[d];
		}
		c->ndst = c->ngeneral = regs.ndst;
		for (unsigned u = 0; u < uses; u++) {
			if (!use[u].write || !mreg_is_pred(use[u].reg))
				continue;
			arena_grow(a, list, n, cap);
			list[n++] = (uint16_t)use[u].reg;
			c->ndst++;
		}
		for (unsigned s = 0; s < i->nsrc; s++)
			if (insn_src(k, i)[s].kind == REF_SREG)
				special(c, (enum sreg)insn_src(k, i)[s].val);
		if (op_info[i->op].flags & OPF_CROSS)
			c->from |= FROM_INDEX;
		decode_memory(c, i);
		decode_order(c, i, &order.insn[x]);
		c->computes = c->ndst && !(op_info[i->op].flags & never);
	}
	code->insn = insn;
	code->use = list;
	code->nreg = MREG_COUNT;
	return code;
}

/* ---- how many instructions of the window have a property: a table of hashes ---- */
/* slots: more than twice what a full window needs */
enum { TABLE = 1 << 14 };
/* last: place in the window of the latest */
struct counted {
	uint64_t hash;
	uint32_t n, last;
};

static struct counted *find(struct counted table[TABLE], uint64_t hash)
{
	unsigned i = hash % TABLE;

	while (table[i].n && table[i].hash != hash)
		i = (i + 1) % TABLE;
	return &table[i];
}

static void put(struct counted table[TABLE], uint64_t hash, uint32_t at)
{
	struct counted *c = find(table, hash);

	c->hash = hash;
	c->n++;
	c->last = at;
}

static void drop(struct counted table[TABLE], uint64_t hash)
{
	struct counted *c = find(table, hash);
	unsigned hole = (unsigned)(c - table);

	assert(c->n);
	if (--c->n)
		return;
	/* What probing has pushed past the hole moves into it. */
	for (unsigned i = (hole + 1) % TABLE; table[i].n; i = (i + 1) % TABLE) {
		unsigned home = table[i].hash % TABLE;

		if ((i + TABLE - home) % TABLE < (i + TABLE - hole) % TABLE)
			continue;
		table[hole] = table[i];
		table[i].n = 0;
		hole = i;
	}
}

/* ---- an SM ---- */
/* a register of a warp */
struct known {
	uint64_t value; /* what it holds */
	uint64_t made;  /* from which elements of memory, by which operations */
	/* number of the write; a loop-invariant one repeats the number of the one before */
	uint32_t write;
	uint8_t from; /* FROM_* */
};

struct warp_known {
	uint64_t cta;
	uint32_t number;  /* of all warps of the SM: no other has it */
	uint32_t missing; /* lanes that have no thread */
	uint8_t place;    /* in its CTA */
	uint8_t local;    /* what its local memory has been made from */
	/* Of each memory, when it may last have changed for this warp: barriers it has waited at, high; its stores,
	 * fences and acquires since, low. Warps of a CTA that do the same have the same, and a barrier makes up for
	 * what only some of them do. */
	uint32_t changed[MEMORIES];
};

/* The same computation; and from the same elements; in the same CTA; in the same warp; the same instruction of the same
 * warp, whatever it computed. Loads of memory that may have changed in between are not the same in a warp, or if it is
 * the CTA's own, in a CTA; EVER: but for that, the same. */
enum same { SAME, SAME_MADE, SAME_CTA, SAME_WARP, SAME_INSN, SAME_EVER, SAMES };
/* writes: of its sources, hashed; first: number of its first write */
struct past {
	uint64_t same[SAMES];
	uint64_t writes;
	uint32_t first;
	bool computed;
};

enum { RING = 1024, BLOCK = 1 << 11 };

struct repeat {
	const struct repeat_code *code;
	unsigned warps;
	struct known *reg; /* nreg of each warp */
	struct warp_known *warp;
	struct past past[RING];
	struct counted table[TABLE];
	struct {
		uint64_t hash;
		uint32_t n;
	} block[BLOCK]; /* of the sample under way; n 0: free */
	uint64_t issued;
	uint32_t writes, started;
	struct repeat_samples samples;
};
_Static_assert((int)RING > (int)REPEAT_WINDOW && (RING & (RING - 1)) == 0, "a place for each of the window");

struct repeat *repeat_new(const struct repeat_code *c, unsigned warps, struct arena *a)
{
	struct repeat *r = new(a, struct repeat);

	r->code = c;
	r->warps = warps;
	r->reg = new_array(a, struct known, (size_t)warps * c->nreg);
	r->warp = new_array(a, struct warp_known, warps);
	return r;
}

void repeat_begin(struct repeat *r)
{
	memset(r->past, 0, sizeof r->past);
	memset(r->table, 0, sizeof r->table);
	memset(r->block, 0, sizeof r->block);
	r->issued = 0;
}

void repeat_start(struct repeat *r, unsigned first, unsigned threads, uint64_t cta)
{
	for (unsigned w = 0; w * WARP_LANES < threads; w++) {
		struct known *reg = r->reg + (size_t)(first + w) * r->code->nreg;

		r->warp[first + w] = (struct warp_known){
			.cta = cta, .number = ++r->started, .missing = missing_lanes(threads, w), .place = (uint8_t)w
		};
		for (unsigned i = 0; i < r->code->nreg; i++) { /* nothing was written: like no other */
			uint64_t own = join((uint64_t)r->started << 16, i);

			reg[i] = (struct known){ .value = own, .made = own, .write = ++r->writes };
		}
	}
}

const struct repeat_samples *repeat_samples(const struct repeat *r) { return &r->samples; }

/* What goes into an instruction. */
/* memory: that it reads, when it may have changed */
struct inputs {
	uint64_t values, made, writes, memory;
	uint8_t from;
};

static uint64_t memory_of(const struct repeat *r, const struct warp_known *w, const struct code_insn *c)
{
	uint64_t h = 0;

	for (unsigned m = 0; m < MEMORIES; m++)
		if (c->reads >> m & 1)
			h = join(h, w->changed[m]);
	return c->unordered ? join(h, r->issued) : h;
}

/* What the instruction does to the memory that its warp's loads find. */
static void change_memory(struct warp_known *w, const struct code_insn *c)
{
	enum { BARRIER = 1 << 16 };

	for (unsigned m = 0; m < MEMORIES; m++) {
		if (c->waits && m != MEMORY_LOCAL)
			w->changed[m] = (w->changed[m] | (BARRIER - 1)) + 1;
		else
			w->changed[m] += c->writes >> m & 1 || (c->orders && m != MEMORY_LOCAL);
	}
}

static uint64_t special_values(const struct repeat *r, const struct warp_known *w, const struct code_insn *c)
{
	uint64_t h = c->scope;

	if (c->scope & SCOPE_CTA)
		h = join(h, w->cta);
	if (c->scope & SCOPE_PLACE)
		h = join(h, w->place);
	return c->scope & SCOPE_ONCE ? join(h, r->issued) : h;
}

/* Results say what predicates and special registers held if all lanes have results; else they are named themselves. */
static struct inputs inputs_of(const struct repeat *r, const struct warp_known *w, const struct known *reg,
			       const struct code_insn *c, uint32_t active, const struct value_sig *sig)
{
	const bool results = sig && c->ngeneral && (active | w->missing) == UINT32_MAX;
	uint64_t outcome = 0;
	struct inputs in = { .values = join(c->operation, active),
			     .writes = join(c->operation, active),
			     .from = c->from };

	in.made = in.values;
	in.memory = memory_of(r, w, c);
	in.writes = join(in.writes, in.memory);
	for (unsigned i = 0; i < c->nsrc; i++) {
		const unsigned n = r->code->use[c->use + i];

		in.values = join(in.values, results && mreg_is_pred(n) ? 0 : reg[n].value);
		in.made = join(in.made, reg[n].made);
		in.writes = join(in.writes, reg[n].write);
		in.from |= reg[n].from;
	}
	if (sig)
		for (unsigned d = 0; d < c->ngeneral; d++)
			outcome = join(outcome, sig[d].hash);
	if (c->more || c->preds) {
		in.values = join(in.values, results || c->loads ? outcome : special_values(r, w, c));
		if (!c->loads)
			in.made = join(in.made, results ? outcome : special_values(r, w, c));
	}
	return in;
}

/* Registers after the instruction. */
static void write_results(struct repeat *r, unsigned warp, const struct code_insn *c, const struct inputs *in,
			  uint32_t active, const struct value_sig *sig, uint32_t first)
{
	const struct warp_known *w = &r->warp[warp];
	struct known *reg = r->reg + (size_t)warp * r->code->nreg;
	uint64_t made = c->loads ? join(in->values, 1) : in->made;
	uint8_t from = in->from;

	if (c->loads && c->of_cta)
		made = join(join(made, w->cta), in->memory);
	if (c->of_warp)
		made = join(made, w->number);
	if (c->loads)
		from |= c->of_warp ? w->local : FROM_DATA;
	for (unsigned d = 0; d < c->ndst; d++) {
		struct known *to = &reg[r->code->use[c->use + c->nsrc + d]];
		struct known x = { .made = join(made, d), .write = first + d, .from = from };

		x.value = d < c->ngeneral && sig ? sig[d].hash : join(in->values, d);
		if ((active | w->missing) != UINT32_MAX) {
			x.value = d < c->ngeneral && sig ? x.value : join(join(x.value, to->value), active);
			x.made = join(join(x.made, to->made), active);
			x.from |= to->from;
			x.write = ++r->writes;
		}
		*to = x;
	}
}

/* Of an instruction of which the window has an equal. */
static enum repeat_why find_why(struct repeat *r, const struct code_insn *c, const struct past *p,
				const struct inputs *in)
{
	const struct counted *insn = find(r->table, p->same[SAME_INSN]);
	const uint32_t ever = find(r->table, p->same[SAME_EVER])->n;
	const bool now = find(r->table, p->same[SAME_WARP])->n || (c->of_cta && find(r->table, p->same[SAME_CTA])->n);

	if (insn->n && r->past[insn->last].writes == p->writes && r->past[insn->last].same[SAME] == p->same[SAME])
		return REPEAT_LOOP;
	if (c->reads && ever && !now && (c->of_cta || ever == find(r->table, p->same[SAME])->n))
		return REPEAT_REWRITTEN;
	if (in->from & FROM_DATA)
		return find(r->table, p->same[SAME_MADE])->n ? REPEAT_ELEMENT : REPEAT_EQUAL;
	if (find(r->table, p->same[SAME_WARP])->n)
		return REPEAT_AGAIN;
	if (!(in->from & FROM_INDEX))
		return REPEAT_UNIFORM;
	return find(r->table, p->same[SAME_CTA])->n ? REPEAT_INDEX : REPEAT_CTA;
}

/* The paper's windows, end to end. */
static void sample(struct repeat *r, uint64_t hash)
{
	unsigned i = hash % BLOCK;

	while (r->block[i].n && r->block[i].hash != hash)
		i = (i + 1) % BLOCK;
	r->block[i].hash = hash;
	r->block[i].n++;
	r->samples.repeated += r->block[i].n > 1;
	r->samples.first += r->block[i].n == 2;
	if (r->block[i].n > REPEAT_OFTEN)
		r->samples.often += r->block[i].n == REPEAT_OFTEN + 1 ? REPEAT_OFTEN : 1;
}

/* It leaves the window. */
static void forget(struct repeat *r, struct past *p)
{
	for (unsigned i = 0; p->computed && i < SAMES; i++)
		drop(r->table, p->same[i]);
	p->computed = false;
}

struct repeat_found repeat_step(struct repeat *r, unsigned warp, uint32_t insn, uint32_t active,
				const struct value_sig *sig, struct repeat_counts *n)
{
	const struct code_insn *c = &r->code->insn[insn];
	struct warp_known *w = &r->warp[warp];
	const struct known *reg = r->reg + (size_t)warp * r->code->nreg;
	const uint64_t now = r->issued++;
	struct past *p = &r->past[now % RING];
	struct repeat_found found = { .why = REPEAT_NOT, .at = now };
	const struct counted *equal;
	struct inputs in;

	if (now > REPEAT_WINDOW)
		forget(r, &r->past[(now - REPEAT_WINDOW - 1) % RING]);
	if (now % REPEAT_WINDOW == 0)
		memset(r->block, 0, sizeof r->block);
	n->issued++;
	if (!active)
		return found;
	in = inputs_of(r, w, reg, c, active, sig);
	if (c->stores_local)
		w->local |= in.from;
	change_memory(w, c);
	if (!c->computes) {
		write_results(r, warp, c, &in, active, sig, r->writes + 1);
		r->writes += c->ndst;
		return found;
	}
	*p = (struct past){ .writes = in.writes, .computed = true };
	p->same[SAME] = in.values;
	p->same[SAME_MADE] = join(join(in.values, 1), in.made);
	p->same[SAME_CTA] = join(join(join(in.values, 2), w->cta), c->of_cta ? in.memory : 0);
	p->same[SAME_WARP] = join(join(join(in.values, 3), w->number), in.memory);
	p->same[SAME_INSN] = join(join(4, w->number), insn);
	p->same[SAME_EVER] = c->of_cta ? join(join(in.values, 5), w->cta) : join(join(in.values, 6), w->number);
	sample(r, in.values);
	equal = find(r->table, in.values);
	if (equal->n) {
		found.why = find_why(r, c, p, &in);
		found.equal = now - (now - equal->last) % RING;
		n->repeated++;
		n->often += equal->n >= REPEAT_OFTEN;
		n->why[found.why]++;
	}
	p->first = found.why == REPEAT_LOOP ? r->past[find(r->table, p->same[SAME_INSN])->last].first : r->writes + 1;
	r->writes += found.why == REPEAT_LOOP ? 0 : c->ndst;
	write_results(r, warp, c, &in, active, sig, p->first);
	for (unsigned i = 0; i < SAMES; i++)
		put(r->table, p->same[i], (uint32_t)(now % RING));
	return found;
}
