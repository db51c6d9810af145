/* Decoded instructions as instructions of the IR: a row for the kind of work, and every register of 32 bits, predicate
 * and barrier that is read or written as an operand of its own. */
#include "analyzer/sass/lift_code.h"
#include "analyzer/sass/table.h"

#include <string.h>

static const uint16_t row_of[SCLASS_COUNT] = {
	[SCLASS_MOVE] = OP_SASS_MOVE,
	[SCLASS_INT] = OP_SASS_INT,
	[SCLASS_MINMAX] = OP_SASS_MINMAX,
	[SCLASS_IMAD] = OP_SASS_IMAD,
	[SCLASS_FADD] = OP_SASS_FADD,
	[SCLASS_FMUL] = OP_SASS_FMUL,
	[SCLASS_FMAD] = OP_SASS_FMAD,
	[SCLASS_FMINMAX] = OP_SASS_FMINMAX,
	[SCLASS_DADD] = OP_SASS_DADD,
	[SCLASS_DMUL] = OP_SASS_DMUL,
	[SCLASS_DMAD] = OP_SASS_DMAD,
	[SCLASS_CONVERT] = OP_SASS_CONVERT,
	[SCLASS_PRED] = OP_SASS_PRED,
	[SCLASS_UNIFORM] = OP_SASS_UNIFORM,
	[SCLASS_SPECIAL] = OP_SASS_SPECIAL,
	[SCLASS_SFU] = OP_SASS_SFU,
	[SCLASS_SHUFFLE] = OP_SASS_SHUFFLE,
	[SCLASS_VOTE] = OP_SASS_VOTE,
	[SCLASS_MMA] = OP_SASS_MMA,
	[SCLASS_LOAD] = OP_SASS_LOAD,
	[SCLASS_STORE] = OP_SASS_STORE,
	[SCLASS_ATOMIC] = OP_SASS_ATOMIC,
	[SCLASS_TEXTURE] = OP_SASS_TEXTURE,
	[SCLASS_CACHE] = OP_SASS_CACHE,
	[SCLASS_FENCE] = OP_SASS_FENCE,
	[SCLASS_BARRIER] = OP_SASS_BARRIER,
	[SCLASS_SYNC] = OP_SASS_SYNC,
	[SCLASS_OTHER] = OP_SASS_OTHER,
	[SCLASS_NOP] = OP_SASS_NOP,
	[SCLASS_BRANCH] = OP_SASS_BRANCH,
	[SCLASS_BRANCH_INDIRECT] = OP_SASS_TABLE,
	[SCLASS_CALL] = OP_SASS_CALL,
	[SCLASS_CALL_INDIRECT] = OP_SASS_UNKNOWN,
	[SCLASS_RETURN] = OP_SASS_RETURN,
	[SCLASS_EXIT] = OP_SASS_EXIT,
	[SCLASS_BSSY] = OP_SASS_SYNC,
	[SCLASS_BSYNC] = OP_SASS_SYNC,
	[SCLASS_BREAK] = OP_SASS_SYNC,
	[SCLASS_UNKNOWN] = OP_SASS_UNKNOWN,
};

static const uint8_t space_of[] = {
	[SSPACE_NONE] = SP_NONE,      [SSPACE_GENERIC] = SP_GENERIC, [SSPACE_GLOBAL] = SP_GLOBAL,
	[SSPACE_SHARED] = SP_SHARED,  [SSPACE_LOCAL] = SP_LOCAL,     [SSPACE_CONST] = SP_CONST,
	[SSPACE_TEXTURE] = SP_GLOBAL, [SSPACE_SURFACE] = SP_GLOBAL,
};

static const struct {
	uint16_t number;
	enum sreg ptx;
} special[] = {
#define SREG(value, name, ptx) { value, SREG_##ptx },
#include "analyzer/sass/sregs.def"
};

enum sreg sass_special(uint64_t number)
{
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (special[i].number == number)
			return special[i].ptx;
	return SREG_COUNT;
}

/* Operands of one instruction as they are found. */
/* of struct insn */
enum { FOUND_MAX = 255 };
struct found {
	struct ref dst[FOUND_MAX], src[FOUND_MAX];
	unsigned ndst, nsrc;
};

static void put(struct found *f, bool write, struct ref r)
{
	unsigned *n = write ? &f->ndst : &f->nsrc;

	if (*n < FOUND_MAX)
		(write ? f->dst : f->src)[(*n)++] = r;
}

static void put_run(struct found *f, bool write, uint32_t base, uint32_t fixed, unsigned reg, unsigned n)
{
	for (unsigned x = 0; x < n && base + reg + x < fixed; x++)
		put(f, write, ref_reg(base + reg + x));
}

/* Of a guard or a predicate source. */
static bool always_true(const struct sass_operand *o)
{
	return (o->kind == SASS_PRED || o->kind == SASS_UPRED) && o->reg >= SASS_TRUE && !o->neg;
}

static struct ref predicate(const struct sass_operand *o)
{
	const uint32_t n = o->reg < SASS_TRUE ? o->reg : SASS_TRUE;
	struct ref p = ref_reg((o->kind == SASS_UPRED ? MREG_UP0 : MREG_P0) + n);

	p.neg = o->neg;
	return p;
}

/* What PTX calls a special register, as an operand; those that it has no name for are none. SRZ is zero. */
static void put_special(struct found *f, struct kernel *k, uint64_t number)
{
	const enum sreg s = sass_special(number);

	if (number == 255)
		put(f, false, ir_imm(k, 0));
	if (s != SREG_COUNT)
		put(f, false, (struct ref){ .kind = REF_SREG, .val = s });
}

/* uniform: of an instruction of the uniform datapath. */
static void put_operand(struct found *f, const struct sass_operand *o, bool uniform, struct kernel *k)
{
	struct ref p;

	switch ((enum sass_kind)o->kind) {
	case SASS_GPR:
		if (o->reg != SASS_ZERO)
			put_run(f, o->write, 0, MREG_RZ, o->reg, o->n);
		break;
	case SASS_UGPR:
		if (o->reg != SASS_ZERO)
			put_run(f, o->write, MREG_UR0, MREG_URZ, o->reg, o->n);
		break;
	case SASS_PRED:
	case SASS_UPRED:
		if (o->reg >= SASS_TRUE)
			break;
		p = predicate(o);
		p.neg = 0;
		put(f, o->write, p);
		break;
	case SASS_PREDS:
		for (unsigned b = 0; b < SASS_TRUE; b++)
			if (o->value >> b & 1)
				put(f, o->write, ref_reg((uniform ? MREG_UP0 : MREG_P0) + b));
		break;
	case SASS_CBAR:
		if (o->reg < MREG_ALL - MREG_B0)
			put(f, o->write, ref_reg(MREG_B0 + o->reg));
		break;
	case SASS_CONST:
		if (o->bindless && o->reg != SASS_ZERO)
			put_run(f, false, MREG_UR0, MREG_URZ, o->reg, o->n ? o->n : 1);
		else if (!o->bindless && o->bank < 1u << (27 - CONST_BITS) && o->value < 1u << CONST_BITS)
			put(f, false, ref_const(o->bank, (uint32_t)o->value));
		break;
	case SASS_SREG:
		put_special(f, k, o->value);
		break;
	case SASS_INT:
	case SASS_F32:
	case SASS_F64:
	case SASS_F16X2:
	case SASS_INT64:
	case SASS_MASK:
		break;
	}
}

/* BMOV.CLEAR Rd, Bn: Bn is empty afterwards; into RZ, that is all. */
static void clear_barrier(struct found *f)
{
	for (unsigned o = 0; o < f->nsrc; o++)
		if (mreg_file(f->src[o].val) == FILE_CBAR) {
			put(f, true, f->src[o]);
			f->nsrc = f->ndst == 1 ? 0 : f->nsrc;
			return;
		}
}

/* What an instruction reads besides its operands: destinations of which it leaves a part as it was, and tuples whose
 * length is not known. */
static void put_kept(struct found *f, const struct sass_insn *s, const uint64_t word[2])
{
	const char *name = sass_mnemonic(s);
	bool keeps = sass_class(s) == SCLASS_BREAK, by_mask = false;

	if (!s->row)
		return;
	if (strcmp(name, "BMOV") == 0 && (word[0] & 0x1ff) == 0x155 && word[1] >> (84 - 64) & 1)
		clear_barrier(f);
	for (unsigned o = 0; o < s->nop; o++)
		by_mask |= s->op[o].kind == SASS_GPR && s->op[o].role == SROLE_B;
	/* the mask in a register may leave some */
	keeps |= (strcmp(name, "R2P") == 0 || strcmp(name, "UR2UP") == 0) && by_mask;
	keeps |= strcmp(name, "LDTM") == 0 && word[1] >> (87 - 64) & 1; /* each of two writes half of the lanes */
	for (unsigned d = 0, n = f->ndst; keeps && d < n; d++)
		put(f, false, f->dst[d]);
	for (unsigned d = 0, n = f->ndst; strcmp(name, "R2UR") == 0 && word[1] >> (84 - 64) & 1 && d < n; d++)
		if (mreg_is_pred(f->dst[d].val))
			put(f, false, f->dst[d]); /* .OR: adds to what the predicate was */
	/* masks and scales: four registers at most */
	for (unsigned o = 0; o < s->nop && strncmp(name, "UTC", 3) == 0; o++)
		if (s->op[o].kind == SASS_UGPR && s->op[o].role == SROLE_U && s->op[o].reg != SASS_ZERO)
			put_run(f, false, MREG_UR0, MREG_URZ, s->op[o].reg, 4);
}

/* Of the same operands lanes may make different results, or it is not certain what is made: insn.mods, MOD_VARIES. */
static bool varies(const struct sass_insn *s)
{
	enum {
		FSWZADD = 0x022,
		LDSM = 0x03b,
		R2UR = 0x0ca,
		GETLMEMBASE = 0x1c0,
		LDGMC = 0x1a4,
		LDGMC_SUM = 0x1a5,
		LDTM = 0x1ee
	};
	unsigned at = 0;

	switch (s->row ? s->row->base : 0) {
	case FSWZADD:
	case LDSM:
	case GETLMEMBASE:
	case LDGMC:
	case LDGMC_SUM:
	case LDTM: /* by lane, of fragments of a matrix, what each thread has */
		return true;
	case R2UR:
		if (sass_mod(s, "r2uror") > 0)
			return true;
	}
	return !s->row || sass_sure(s) >= SURE_NOTED || s->unclaimed.lo || s->unclaimed.hi || sass_open(s, &at);
}

/* The only source of a branch or an exit besides its guard, if it is a predicate: what it is taken by. NULL. */
static const struct sass_operand *condition(const struct sass_insn *s)
{
	const struct sass_operand *found = NULL;

	for (unsigned x = 0; x < s->nop; x++) {
		const struct sass_operand *o = &s->op[x];

		if (o->write || always_true(o) ||
		    (o->kind != SASS_PRED && o->kind != SASS_UPRED && o->kind != SASS_UGPR))
			continue;
		if (found || o->kind == SASS_UGPR)
			return NULL;
		found = o;
	}
	return found;
}

/* Taken by more than its guard: predicates; of .DIV and .CONV which lanes are active. */
static bool conditional(const struct sass_insn *s)
{
	for (unsigned x = 0; x < s->nop; x++) {
		const struct sass_operand *o = &s->op[x];

		if (!o->write &&
		    (((o->kind == SASS_PRED || o->kind == SASS_UPRED) && !always_true(o)) || o->kind == SASS_UGPR))
			return true;
	}
	return false;
}

/* Not guarded: whether it may do nothing all the same. */
static bool may(const struct sass_insn *s, enum op op)
{
	return op_info[op].flags & OPF_UNKNOWN || (op_info[op].flags & OPF_END && conditional(s));
}

/* A branch that the lanes of a warp decide together (.DIV, .CONV, .ANY): a lane's own predicate does not say whether it
 * goes. */
static bool is_of_warp(const struct sass_insn *s, const uint64_t word[2])
{
	return strcmp(sass_mnemonic(s), "BRA") == 0 && (word[0] >> 33 & 1 || word[1] >> (84 - 64) & 1);
}

/* most: lines that there may be. */
static uint32_t add_line(struct module *m, const struct cubin_line *l, uint32_t most)
{
	uint32_t file = module_file(m, l->file ? l->file : "?"), last = m->nline - 1;

	if (l->inlined && !m->inlined)
		m->inlined = new_array(m->a, const char *, (size_t)most + 2);
	if (last && m->inlined && m->inlined[last] != l->inlined && m->line[last].file == file &&
	    m->line[last].line == l->line) {
		arena_grow(m->a, m->line, m->nline, m->line_cap); /* the same line for another call */
		m->line[m->nline++] = (struct srcline){ file, l->line, 0 };
	} else {
		module_line(m, file, l->line, 0);
	}
	if (m->inlined)
		m->inlined[m->nline - 1] = l->inlined;
	return m->nline - 1;
}

static uint32_t line_at(struct lift *l, uint32_t shndx, uint64_t at, uint32_t *cursor)
{
	const struct cubin *c = l->c;
	uint32_t x = *cursor;

	while (x < c->nline && c->line[x].shndx == shndx && c->line[x].offset <= at)
		x++;
	*cursor = x;
	if (x == l->section_line[shndx])
		return 0;
	if (!l->line[x - 1]) {
		const struct cubin_line *ln = &c->line[x - 1];

		l->line[x - 1] = ln->line ? add_line(l->m, ln, c->nline) : 0;
	}
	return l->line[x - 1];
}

const struct cubin_reloc *lift_reloc(const struct lift *l, uint32_t shndx, uint64_t at, uint64_t bytes)
{
	uint32_t lo = 0, hi = l->c->nreloc;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct cubin_reloc *r = &l->c->reloc[mid];

		if (r->shndx < shndx || (r->shndx == shndx && r->offset < at))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->c->nreloc && l->c->reloc[lo].shndx == shndx && l->c->reloc[lo].offset - at < bytes
		       ? &l->c->reloc[lo]
		       : NULL;
}

static struct jump *add_jump(struct lift_kernel *x, uint32_t i, uint32_t part, enum sass_class class)
{
	arena_grow(x->l->a, x->jump, x->njump, x->jump_cap);
	x->jump[x->njump] = (struct jump){
		.insn = i, .part = part, .class = class, .shndx = x->l->piece[x->part[part].piece].shndx
	};
	return &x->jump[x->njump++];
}

/* Where a branch or call goes, as far as the instruction says. */
static void find_target(struct lift_kernel *x, struct jump *j, const struct sass_insn *s, uint64_t at)
{
	struct lift *l = x->l;
	const struct cubin_section *sec = &l->c->section[j->shndx];
	const struct cubin_reloc *r = j->class == SCLASS_CALL ? lift_reloc(l, j->shndx, at, WORD_BYTES) : NULL;

	if (r) {
		uint32_t p = l->symbol_piece[r->symbol];

		if (p == NOWHERE) {
			lift_note(x, j->insn,
				  *l->c->symbol[r->symbol].name
					  ? arena_printf(l->a, "calls %s, which is not in the file",
							 l->c->symbol[r->symbol].name)
					  : "calls what is not in the file");
			j->noted = true;
			return;
		}
		j->known = true;
		j->shndx = l->piece[p].shndx;
		j->to = l->piece[p].start;
		return;
	}
	if (!s->has_target || s->target_absolute) /* absolute: where the section is loaded is not known */
		return;
	j->to = at + (uint64_t)s->target;
	if (j->class == SCLASS_RETURN || j->class == SCLASS_BRANCH_INDIRECT)
		return; /* that is what is added to the register */
	j->outside = j->to % WORD_BYTES || j->to >= sec->size;
	j->known = !j->outside;
}

/* A branch that all lanes which come to it take together: by a uniform predicate (.U), by which lanes they are (.DIV,
 * .CONV), or if any of them would (.ANY). */
static bool goes_one_way(const struct sass_insn *s, const struct insn *i)
{
	const bool by_lane = i->guard.kind == REF_REG && mreg_is_pred(i->guard.val) && i->guard.val < MREG_UP0;

	return i->op == OP_SASS_BRANCH && (sass_mod(s, "braany") > 0 || (sass_mod(s, "bra") > 0 && !by_lane));
}

/* A load that others than the CTAs of its SM must agree with, whose values no L1 may keep. */
static bool loads_past_l1(const struct sass_insn *s)
{
	return sass_class(s) == SCLASS_LOAD && (sass_has(s, "STRONG.GPU") || sass_has(s, "STRONG.SYS") ||
						(sass_has(s, "STRONG") && (sass_has(s, "GPU") || sass_has(s, "SYS"))));
}

static void add_insn(struct lift_kernel *x, uint32_t part, const struct sass_insn *s, uint64_t at, uint32_t line)
{
	const enum sass_class class = sass_class(s);
	struct kernel *k = x->k;
	struct found f = { .ndst = 0 };
	struct insn *i;
	struct jump *j;
	const struct sass_operand *only;
	const bool uniform = s->guard.kind == SASS_UPRED;
	bool mark, ends, many, guarded = s->row && !always_true(&s->guard),
			       branches = op_info[row_of[class]].flags & OPF_BRANCH;

	ends = op_info[row_of[class]].flags & OPF_END;
	many = ends && class == SCLASS_BRANCH && is_of_warp(s, x->word[k->ninsn]);
	only = ends && always_true(&s->guard) && !many ? condition(s) : NULL;
	if (ends && guarded && (many || conditional(s))) { /* more than one guard: what each says is lost */
		put_operand(&f, &s->guard, uniform, k);
		guarded = false;
	}
	for (unsigned o = 0; o < s->nop; o++)
		if (&s->op[o] != only)
			put_operand(&f, &s->op[o], uniform, k);
	put_kept(&f, s, x->word[k->ninsn]);
	if (branches && f.nsrc == FOUND_MAX)
		f.nsrc--;
	i = ir_append(k, row_of[class], f.ndst, f.nsrc + branches);
	memcpy(insn_dst(k, i), f.dst, f.ndst * sizeof *f.dst);
	memcpy(insn_src(k, i), f.src, f.nsrc * sizeof *f.src);
	if (branches)
		insn_src(k, i)[f.nsrc] = (struct ref){ .kind = REF_BLOCK };
	i->mods |= f.ndst && varies(s) ? MOD_VARIES : 0;
	i->line = line;
	i->space = space_of[s->space < sizeof space_of ? s->space : SSPACE_NONE];
	i->cop = loads_past_l1(s) ? COP_CG : COP_DEFAULT;
	if (s->has_imm && s->imm >= INT32_MIN && s->imm <= INT32_MAX && !(op_info[i->op].flags & OPF_TABLE))
		i->offset = (int32_t)s->imm;
	if (i->op == OP_SASS_PRED || i->op == OP_SASS_UNIFORM) {
		i->offset = 0;
		lift_implied(s, x->word[k->ninsn - 1], i);
	}
	if (guarded) {
		i->guard = predicate(&s->guard);
	} else if (only) { /* the same as a guard */
		i->guard = predicate(only);
	} else if (many || may(s, i->op)) {
		i->mods |= MOD_MAY;
	}
	if (goes_one_way(s, i))
		i->mods |= MOD_UNI;
	for (unsigned o = 0; o < f.ndst; o++)
		bitset_add(x->native->named, f.dst[o].val);
	for (unsigned o = 0; o < f.nsrc; o++)
		if (f.src[o].kind == REF_REG)
			bitset_add(x->native->named, f.src[o].val);
	if (i->guard.kind == REF_REG && !mreg_is_fixed(i->guard.val))
		bitset_add(x->native->named, i->guard.val);
	x->native->unsure += s->row && (sass_sure(s) >= SURE_NOTED || s->unclaimed.lo || s->unclaimed.hi);
	if (class == SCLASS_UNKNOWN) {
		x->native->unknown++;
		return;
	}
	if (class == SCLASS_CALL_INDIRECT) {
		add_jump(x, k->ninsn - 1, part, class);
		return;
	}
	mark = class == SCLASS_BSSY || class == SCLASS_SYNC;
	if (!(mark && s->has_target) && !(op_info[i->op].flags & OPF_END && class != SCLASS_EXIT))
		return;
	j = add_jump(x, k->ninsn - 1, part, class);
	j->mark = mark;
	find_target(x, j, s, at);
	if (mark && j->outside)
		lift_note(x, j->insn, lift_outside(x, "names", j));
}

/* Padding: NOPs, and the branch to itself before them. What branches inside the function lead to is none. */
static void leave_padding_out(struct lift_kernel *x, struct lift_part *p, uint32_t jumps)
{
	const struct lift *l = x->l;
	const struct piece *pc = &l->piece[p->piece];
	struct kernel *k = x->k;
	uint32_t last = p->first, self = NOWHERE, end = k->ninsn;

	for (uint32_t n = jumps; n < x->njump; n++) {
		const struct jump *j = &x->jump[n];
		uint32_t to;

		if (!j->known || j->shndx != pc->shndx || j->to < pc->start || j->to >= pc->end)
			continue;
		to = p->first + (uint32_t)((j->to - pc->start) / WORD_BYTES);
		if (to != j->insn || j->mark)
			last = to > last ? to : last;
		else if (k->insn[to].op == OP_SASS_BRANCH && insn_kills(&k->insn[to]))
			self = to;
	}
	while (end > p->first + 1 && end - 1 > last && k->insn[end - 1].op == OP_SASS_NOP)
		end--;
	if (end > p->first + 1 && end - 1 > last && end - 1 == self) {
		const struct insn *before = &k->insn[end - 2];

		if (op_info[before->op].flags & OPF_END && !(op_info[before->op].flags & OPF_CALL) &&
		    insn_kills(before))
			end--;
	}
	while (x->njump && x->jump[x->njump - 1].insn >= end)
		x->njump--;
	while (x->native->nrelocated && x->native->relocated[x->native->nrelocated - 1] >= end)
		x->native->nrelocated--;
	k->ninsn = end;
	p->n = end - p->first;
}

void lift_decode(struct lift_kernel *x, uint32_t part)
{
	struct lift *l = x->l;
	struct kernel *k = x->k;
	const struct piece *pc = &l->piece[x->part[part].piece];
	const struct cubin_section *sec = &l->c->section[pc->shndx];
	uint32_t n = (uint32_t)((pc->end - pc->start) / WORD_BYTES), cursor = l->section_line[pc->shndx],
		 jumps = x->njump;

	x->part[part].first = k->ninsn;
	while (x->word_cap < k->ninsn + n) {
		uint32_t cap = x->word_cap ? x->word_cap + x->word_cap / 2 : 0;
		uint64_t(*wider)[2];

		x->word_cap = cap > k->ninsn + n ? cap : k->ninsn + n;
		wider = arena_alloc_raw(l->a, x->word_cap, sizeof *wider, _Alignof(uint64_t));
		if (k->ninsn)
			memcpy(wider, x->word, k->ninsn * sizeof *wider);
		x->word = wider;
	}
	for (uint32_t w = 0; w < n; w++) {
		const uint64_t at = pc->start + (uint64_t)w * WORD_BYTES;
		struct sass_insn s;

		memcpy(x->word[k->ninsn], sec->bytes + at, WORD_BYTES);
		sass_decode_words(l->c->sm, x->word[k->ninsn], &s);
		add_insn(x, part, &s, at, l->c->nline ? line_at(l, pc->shndx, at, &cursor) : 0);
		if (l->code_relocs && lift_reloc(l, pc->shndx, at, WORD_BYTES)) {
			arena_grow(l->a, x->native->relocated, x->native->nrelocated, x->relocated_cap);
			x->native->relocated[x->native->nrelocated++] = k->ninsn - 1;
		}
	}
	leave_padding_out(x, &x->part[part], jumps);
	for (; jumps < x->njump; jumps++) {
		const struct jump *j = &x->jump[jumps];
		uint32_t to = j->known && !j->mark ? lift_piece_at(l, j->shndx, j->to) : NOWHERE;

		if (to != NOWHERE && j->class == SCLASS_CALL && l->c->func[l->piece[to].func].shndx == j->shndx)
			lift_want(x, to);
	}
}
