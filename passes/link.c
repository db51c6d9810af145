/* Linking: the calls of a kernel are replaced by what they call, so that the passes behind see one body of code.
 *
 * A call is inlined: the function's blocks are cloned at the place of the call, with fresh registers; arguments and return
 * values become moves, ret a branch to the instruction behind the call. Frames lie above one another as on a stack: that of
 * a call starts where its caller's ends, and calls that follow each other use the same memory.
 *
 * Some functions are the host's (vprintf, __assertfail, malloc, free): a call of one, if the module has no body for it, is an
 * instruction of its own. */
#include "passes/pass.h"

#include <string.h>

enum { DEPTH_MAX = 200, LINK_INSNS_MAX = 4 << 20 };

struct jump { uint32_t insn, block; };  /* an emitted branch whose target is block `block` of its body */

struct link {
	struct kernel *k;
	struct diag *d;
	struct arena *a;
	struct insn *insn;              /* of the kernel as it was */
	struct jump *jump; uint32_t njump, jump_cap;
	uint32_t *stack; unsigned depth;        /* functions being inlined */
	uint64_t frame;                 /* bytes of local memory in all */
	bool failed;
};

struct body {                           /* one clone of a body */
	const struct kernel *from;
	uint32_t *reg;                  /* its registers in the kernel */
	uint32_t frame;                 /* where its local variables start */
	uint32_t call;                  /* the place of the call in the text, for what has none of its own */
};

static bool refuse(struct link *l, const struct insn *at, const char *text)
{
	l->failed = true;
	if (l->k->m->src)
		return diag_error(l->d, (struct loc){ l->k->m->src, at->where }, "%s", text);
	return diag_error_plain(l->d, l->k->name, "%s", text);
}

/* ---- functions of the host ---- */
static const struct host { const char *name; enum op op; uint32_t nret, narg; const char *size; } host[] = {
	{ "vprintf", OP_HOST_PRINTF, 1, 2, "488" },
	{ "__assertfail", OP_HOST_ASSERTFAIL, 0, 5, "88488" },
	{ "malloc", OP_HOST_MALLOC, 1, 1, "88" },
	{ "free", OP_HOST_FREE, 0, 1, "8" },
};

static const struct host *find_host(const struct kernel *f)
{
	for (size_t h = 0; h < sizeof host / sizeof *host; h++)
		if (strcmp(f->name, host[h].name) == 0)
			return &host[h];
	return NULL;
}

/* Pointers of 32-bit modules are extended. */
static bool call_host(struct link *l, const struct host *h, const struct kernel *f, const struct insn *call, const struct ref *op)
{
	struct kernel *k = l->k;
	struct ref arg[5], ret = ref_none();
	bool narrow = k->m->address_bits == 32;
	struct insn *i;
	unsigned n = h->nret + h->narg;

	if (f->nret != h->nret || f->narg != h->narg)
		return refuse(l, call, arena_printf(l->a, "'%s' is declared with other parameters than the host's function has", f->name));
	for (unsigned x = 0; x < n; x++) {
		uint32_t size = (uint32_t)(h->size[x] - '0');

		if (f->formal[x].array || (f->formal[x].size != size && !(narrow && size == 8 && f->formal[x].size == 4)))
			return refuse(l, call, arena_printf(l->a, "'%s' is declared with other parameters than the host's function has", f->name));
	}
	for (unsigned x = 0; x < h->narg; x++) {
		arg[x] = op[call->ndst + x];
		if (h->size[h->nret + x] == '8' && f->formal[h->nret + x].size == 4) {
			struct ref wide = ref_reg(ir_vreg(k, NULL, RC_64, 64));

			i = ir_append(k, OP_CVT_U64_U32, 1, 1);
			i->where = call->where;
			i->line = call->line;
			insn_dst(k, i)[0] = wide;
			insn_src(k, i)[0] = arg[x];
			arg[x] = wide;
		}
	}
	if (h->nret)
		ret = f->formal[0].size == (uint32_t)(h->size[0] - '0') ? op[0] : ref_reg(ir_vreg(k, NULL, RC_64, 64));
	i = ir_append(k, h->op, op_info[h->op].ndst, op_info[h->op].nsrc);
	i->where = call->where;
	i->line = call->line;
	if (h->nret)
		insn_dst(k, i)[0] = ret;
	for (unsigned x = 0; x < op_info[h->op].nsrc; x++)      /* __assertfail's size of a character is left out */
		insn_src(k, i)[x] = arg[x];
	if (h->nret && ret.val != op[0].val && op[0].kind == REF_REG) {
		i = ir_append(k, OP_CVT_U32_D, 1, 1);
		i->where = call->where;
		i->line = call->line;
		insn_dst(k, i)[0] = op[0];
		insn_src(k, i)[0] = ret;
	}
	return true;
}

/* ---- cloning ---- */
static struct ref translate(struct link *l, const struct body *b, struct ref r)
{
	const struct kernel *f = b->from;

	if (f == l->k)
		return r;
	if (r.kind == REF_REG) {
		r.val = b->reg[r.val] & REF_VAL_MAX;
	} else if (r.kind == REF_IMM) {
		r = ir_imm(l->k, f->imm[r.val]);
	} else if (r.kind == REF_SYM) {
		struct symref s = f->symref[r.val];

		if (f->m->sym[s.sym].func)
			r = ir_imm(l->k, (uint32_t)(b->frame + f->m->sym[s.sym].offset + (uint64_t)s.addend));
		else
			r = ir_symref(l->k, s.sym, s.addend);
	}
	return r;
}

static struct insn *clone(struct link *l, const struct body *b, const struct insn *from)
{
	unsigned n = from->ndst + (unsigned)from->nsrc;
	struct ref op[REG_USE_MAX];
	struct insn *i;

	for (unsigned s = 0; s < n; s++)
		op[s] = translate(l, b, b->from->opnd[from->opnd + s]);
	i = ir_append(l->k, from->op, from->ndst, from->nsrc);
	{
		uint32_t run = i->opnd;

		*i = *from;
		i->opnd = run;
	}
	for (unsigned s = 0; s < n; s++)
		l->k->opnd[i->opnd + s] = op[s];
	if (from->guard.kind == REF_REG)
		i->guard = translate(l, b, from->guard);
	i->guard.neg = from->guard.neg;
	/* A variable of the frame, as an address: its offset in the instruction stays. */
	return i;
}

static void move(struct link *l, struct ref d, struct ref s, enum reg_class rc, const struct insn *like)
{
	struct insn *i = ir_append(l->k, rc == RC_PRED ? OP_MOV_PRED : rc == RC_64 ? OP_MOV_B64 : OP_MOV_B32, 1, 1);

	i->where = like->where;
	i->line = like->line;
	insn_dst(l->k, i)[0] = d;
	insn_src(l->k, i)[0] = s;
}

static bool emit_body(struct link *l, const struct body *b, const struct insn *call);

/* The function that a name stands for, through aliases. */
static struct kernel *resolve(const struct module *m, uint32_t *func)
{
	while (m->func[*func]->alias)
		*func = m->func[*func]->alias - 1;
	return m->func[*func];
}

static bool emit_call(struct link *l, const struct body *b, const struct insn *call)
{
	struct kernel *k = l->k;
	uint32_t func = b->from->call[call->offset].func, at = 0, d = 0;
	const struct kernel *f = resolve(k->m, &func);
	unsigned n = call->ndst + (unsigned)call->nsrc;
	struct body in = { .from = f };
	struct ref op[REG_USE_MAX];

	for (unsigned s = 0; s < n; s++)
		op[s] = translate(l, b, b->from->opnd[call->opnd + s]);
	if (!f->nblock) {
		const struct host *h = find_host(f);

		if (h)
			return call_host(l, h, f, call, op);
		if (strncmp(f->name, "cudaLaunchDevice", 16) == 0 || strncmp(f->name, "__cudaCDP2", 10) == 0 ||
		    strncmp(f->name, "cudaGetParameterBuffer", 22) == 0)
			return refuse(l, call, arena_printf(l->a, "'%s' launches a kernel from a kernel, which is not supported: one launch is modelled at a time",
			                                    f->name));
		return refuse(l, call, arena_printf(l->a, "'%s' is called but this module does not define it", f->name));
	}
	for (unsigned s = 0; s < l->depth; s++)
		if (l->stack[s] == func)
			return refuse(l, call, arena_printf(l->a, "'%s' calls itself: recursion is not supported", f->name));
	if (l->depth == DEPTH_MAX || k->ninsn > LINK_INSNS_MAX)
		return refuse(l, call, arena_printf(l->a, "kernel %s is too large with its functions inlined", k->name));
	in.reg = new_array(l->a, uint32_t, f->nvreg + 1);
	for (uint32_t r = 0; r < f->nvreg; r++)
		in.reg[r] = ir_vreg(k, f->vreg[r].name, f->vreg[r].rc, f->vreg[r].bits);
	in.frame = (b->frame + b->from->res.local_bytes + FRAME_ALIGN - 1) & ~(FRAME_ALIGN - 1u);
	if (in.frame + f->res.local_bytes > l->frame)
		l->frame = in.frame + f->res.local_bytes;
	at = call->ndst;
	for (uint32_t p = 0; p < f->nret + f->narg; p++)
		if (p >= f->nret || f->formal[p].array)
			move(l, ref_reg(in.reg[f->formal[p].vreg]), op[at++], f->formal[p].rc, call);
	l->stack[l->depth++] = func;
	if (!emit_body(l, &in, call))
		return false;
	l->depth--;
	for (uint32_t p = 0; p < f->nret; p++)
		if (!f->formal[p].array) {
			if (op[d].kind == REF_REG)
				move(l, op[d], ref_reg(in.reg[f->formal[p].vreg]), f->formal[p].rc, call);
			d++;
		}
	return true;
}

/* Clones a body behind the code so far. CALL: the call that it is for, NULL for the kernel itself. The code behind the call
 * starts a block, to which each ret branches. */
static bool emit_body(struct link *l, const struct body *b, const struct insn *call)
{
	struct kernel *k = l->k;
	const struct kernel *from = b->from;
	uint32_t first = l->njump, nblock = from->nblock, *block = new_array(l->a, uint32_t, nblock + 1);
	const struct block *old = from == k ? NULL : from->block;
	const struct insn *insn = from == k ? l->insn : from->insn;
	struct block *own = NULL;

	if (!old) {
		own = new_array(l->a, struct block, nblock);
		memcpy(own, k->block, nblock * sizeof *own);
		old = own;
		k->nblock = 0;
	}
	for (uint32_t x = 0; x < nblock; x++) {
		block[x] = ir_block(k, old[x].label);
		for (uint32_t n = 0; n < old[x].n; n++) {
			const struct insn *i = &insn[old[x].first + n];
			bool last = x + 1 == nblock && n + 1 == old[x].n;

			if (i->op == OP_CALL) {
				if (!emit_call(l, b, i))
					return false;
			} else if (call && i->op == OP_RET) {
				struct ref guard = translate(l, b, i->guard);
				struct insn *j;

				if (last && guard.kind == REF_NONE)
					continue;       /* falls through to the code behind */
				j = ir_append(k, OP_BRA, 0, 1);
				j->where = i->where;
				j->line = i->line;
				j->guard = guard;
				j->guard.neg = i->guard.neg;
				insn_src(k, j)[0] = (struct ref){ .kind = REF_BLOCK };
				arena_grow(l->a, l->jump, l->njump, l->jump_cap);
				l->jump[l->njump++] = (struct jump){ k->ninsn - 1, nblock };
			} else {
				clone(l, b, i);
				if (op_info[i->op].flags & OPF_BRANCH) {
					arena_grow(l->a, l->jump, l->njump, l->jump_cap);
					l->jump[l->njump++] = (struct jump){ k->ninsn - 1, insn_src(from, i)[i->nsrc - 1].val };
				}
			}
		}
	}
	block[nblock] = call ? ir_block(k, NULL) : k->nblock;
	for (uint32_t j = first; j < l->njump; j++) {
		struct insn *i = &k->insn[l->jump[j].insn];

		insn_src(k, i)[i->nsrc - 1] = (struct ref){ .kind = REF_BLOCK, .val = block[l->jump[j].block] & REF_VAL_MAX };
	}
	l->njump = first;
	return true;
}

enum pass_result pass_link(struct kernel *k, struct pass_ctx *cx)
{
	struct link l = { .k = k, .d = cx->diag, .a = &cx->scratch };
	struct body whole = { .from = k };
	bool any = false;

	if (k->form != FORM_VIRTUAL)
		return PASS_SAME;
	for (uint32_t i = 0; i < k->ninsn && !any; i++)
		any = k->insn[i].op == OP_CALL;
	if (!any)
		return PASS_SAME;
	l.insn = k->insn;
	l.stack = new_array(l.a, uint32_t, DEPTH_MAX);
	l.frame = k->res.local_bytes;
	k->insn = NULL;
	k->ninsn = k->insn_cap = 0;
	if (!emit_body(&l, &whole, NULL))
		return PASS_FAILED;
	k->res.local_bytes = (uint32_t)l.frame;
	ir_join_blocks(k);
	return PASS_CHANGED;
}
