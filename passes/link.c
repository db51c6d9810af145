/* Linking: the calls of a kernel are replaced by what they call, so that the passes behind see one body of code.
 *
 * A call is inlined where that keeps the code small: the function's blocks are cloned at the place of the call, with
 * fresh registers; arguments and return values become moves, ret a branch to the instruction behind the call. All other
 * functions are appended to the kernel's code, once each, and called (link_call.c). What calls itself, directly or not,
 * is always called.
 *
 * Which: a function of at most SMALL instructions, one that is called from one place only, and any other as long as the
 * body that it goes into stays under opt.inline_limit, and as long as such copies are GROWTH_MAX instructions together:
 * functions that call one another in a row would else be doubled again and again. Functions are settled before their
 * callers, so sizes are those after inlining.
 *
 * Frames: those of functions that do not recurse lie above one another as on a stack, at addresses that are known here:
 * that of a function starts where the frames of all its callers end. Functions that recurse have theirs where the stack
 * register points.
 *
 * Some functions are the host's (vprintf, __assertfail, malloc, free) or the device runtime's, which launches kernels
 * from kernels: a call of one, if the module has no body for it, is an instruction of its own. */
#include "analyzer/ir/limits.h"
#include "passes/link.h"

#include <string.h>

/* DEPTH_MAX: bodies in each other, as emit_body() is called. */
enum { SMALL = 40, DEPTH_MAX = 64, GROWTH_MAX = 1 << 16, LINK_INSNS_MAX = 4 << 20 };

bool link_refuse(struct link *l, const struct insn *at, const char *text)
{
	l->failed = true;
	if (l->k->m->src)
		return diag_error(l->d, (struct loc){ l->k->m->src, at->where }, "%s", text);
	return diag_error_plain(l->d, l->k->name, "%s", text);
}

struct insn *link_append(struct link *l, enum op op, unsigned ndst, unsigned nsrc, const struct insn *like)
{
	struct insn *i = ir_append(l->k, op, ndst, nsrc);

	i->where = like->where;
	i->line = like->line;
	return i;
}

void link_move(struct link *l, struct ref d, struct ref s, enum reg_class rc, const struct insn *like)
{
	static const enum op mov[RC_COUNT] = { [RC_PRED] = OP_MOV_PRED, [RC_32] = OP_MOV_B32, [RC_64] = OP_MOV_B64 };
	struct insn *i = link_append(l, mov[rc], 1, 1, like);

	insn_dst(l->k, i)[0] = d;
	insn_src(l->k, i)[0] = s;
}

/* ---- functions of the host ---- */
enum { VECTOR_BYTES = 12 };

/* Three words come by their address in local memory. */
static bool fits(const struct formal *f, char size, bool narrow)
{
	if (size == 'v')
		return f->array && f->size == VECTOR_BYTES;
	return !f->array && (f->size == (uint32_t)(size - '0') || (narrow && size == '8' && f->size == 4));
}

/* An argument in a register of its own, of 64 bits. */
static struct ref widen(struct link *l, struct ref r, const struct insn *call)
{
	struct ref wide = ref_reg(ir_vreg(l->k, NULL, RC_64, 64));
	struct insn *i = link_append(l, OP_CVT_U64_U32, 1, 1, call);

	insn_dst(l->k, i)[0] = wide;
	insn_src(l->k, i)[0] = r;
	return wide;
}

/* Arguments beyond what the instruction takes are left out: __assertfail's size of a character, a copy's kind and
 * stream. Pointers of 32-bit modules are extended. */
static bool call_host(struct link *l, enum host_function function, const struct kernel *f, const struct insn *call,
		      const struct ref *op)
{
	struct kernel *k = l->k;
	const bool narrow = k->m->address_bits == 32;
	const struct host_info *h = &host_info[function];
	const char *sizes = h->sizes + (*h->sizes == '-');
	const uint32_t nret = sizes == h->sizes, narg = (uint32_t)strlen(h->sizes) - 1;
	const unsigned ndst = op_info[h->op].ndst, nsrc = op_info[h->op].nsrc,
		       number = h->op == OP_HOST_DEVICE; /* which goes first */
	struct ref arg[5], ret = ref_none();
	struct insn *i;
	bool same = f->nret == nret && f->narg == narg;

	for (unsigned x = 0; same && x < nret + narg; x++)
		same = fits(&f->formal[x], sizes[x], narrow);
	if (!same)
		return link_refuse(l, call,
				   arena_printf(l->a,
						"'%s' is declared with other parameters than the host's function has",
						f->name));
	for (unsigned x = 0; x < nsrc; x++) {
		const struct formal *formal = x - number < narg ? &f->formal[nret + x - number] : NULL;

		if (x < number)
			arg[x] = ir_imm(k, (uint64_t)function);
		else if (!formal)
			arg[x] = ir_imm(k, 0);
		else if (formal->size == 4 && (number || sizes[nret + x] == '8'))
			arg[x] = widen(l, op[call->ndst + x - number], call);
		else
			arg[x] = op[call->ndst + x - number];
	}
	if (nret)
		ret = f->formal[0].size == (uint32_t)(sizes[0] - '0') ? op[0] : ref_reg(ir_vreg(k, NULL, RC_64, 64));
	else if (ndst)
		ret = ref_reg(ir_vreg(k, NULL, RC_32, 32)); /* which it leaves alone */
	i = link_append(l, h->op, ndst, nsrc, call);
	if (ndst)
		insn_dst(k, i)[0] = ret;
	for (unsigned x = 0; x < nsrc; x++)
		insn_src(k, i)[x] = arg[x];
	if (nret && ret.val != op[0].val && op[0].kind == REF_REG) {
		i = link_append(l, OP_CVT_U32_D, 1, 1, call);
		insn_dst(k, i)[0] = op[0];
		insn_src(k, i)[0] = ret;
	}
	return true;
}

/* ---- who calls whom ---- */
static const struct kernel *body_of(const struct link *l, uint32_t f)
{
	return f == l->nfunc ? l->k : l->k->m->func[f];
}

static bool compatible(const struct proto *p, const struct kernel *f)
{
	if (f->nret != p->nret || f->narg != p->narg)
		return false;
	for (uint32_t i = 0; i < p->nret + p->narg; i++)
		if (f->formal[i].array != p->formal[i].array || f->formal[i].rc != p->formal[i].rc ||
		    (f->formal[i].size != p->formal[i].size && f->formal[i].size && p->formal[i].size))
			return false;
	return true;
}

/* The function that a name stands for, through aliases. */
static uint32_t resolve(const struct module *m, uint32_t func)
{
	while (m->func[func]->alias)
		func = m->func[func]->alias - 1;
	return func;
}

/* The functions that a call may lead to, those without a body left out; *n of them. */
const struct candidate *link_candidates(struct link *l, const struct call *c, uint32_t *n)
{
	const struct module *m = l->k->m;
	struct candidate *list;

	*n = 0;
	if (!c->proto) {
		list = new_array(l->a, struct candidate, 1);
		list[0].func = resolve(m, c->func);
		*n = m->func[list[0].func]->nblock != 0;
		return list;
	}
	for (uint32_t i = 0; i < l->nlisted; i++)
		if (l->listed[i].proto == c->proto) {
			*n = l->listed[i].n;
			return l->listed[i].list;
		}
	list = new_array(l->a, struct candidate, (c->proto->listed ? c->proto->nlist : m->nfunc) + 1);
	for (uint32_t i = 0; i < (c->proto->listed ? c->proto->nlist : m->nfunc); i++) {
		uint32_t name = c->proto->listed ? c->proto->list[i] : i, f = resolve(m, name);

		if ((c->proto->listed || m->func[name]->address_taken) && m->func[f]->nblock && !m->func[f]->broken &&
		    compatible(c->proto, m->func[f]))
			list[(*n)++] = (struct candidate){ f, code_address(name) };
	}
	arena_grow(l->a, l->listed, l->nlisted, l->listed_cap);
	l->listed[l->nlisted++] = (struct listed){ c->proto, list, *n };
	return list;
}

/* a function being visited, and the edge at hand */
struct walk {
	uint32_t f, call, next;
};

/* Tarjan 1972 from the kernel, with an explicit stack; l->order gets callees before callers. */
static void find_cycles(struct link *l)
{
	uint32_t top = 0, open = 0, *number = new_array(l->a, uint32_t, l->nfunc + 1),
		 *low = new_array(l->a, uint32_t, l->nfunc + 1), n = 0;
	struct walk *stack = new_array(l->a, struct walk, l->nfunc + 1);
	uint32_t *waiting = new_array(l->a, uint32_t, l->nfunc + 1);

	stack[top++] = (struct walk){ l->nfunc, 0, 0 };
	number[l->nfunc] = low[l->nfunc] = ++n;
	waiting[open++] = l->nfunc;
	while (top) {
		struct walk *w = &stack[top - 1];
		const struct kernel *k = body_of(l, w->f);
		uint32_t count, size = 0, member;

		if (w->call < k->ncall) {
			const struct candidate *to = link_candidates(l, &k->call[w->call], &count);

			if (w->next == count) {
				w->call++;
				w->next = 0;
				continue;
			}
			member = to[w->next++].func;
			l->fn[member].sites++;
			l->fn[member].indirect |= k->call[w->call].proto != NULL;
			l->fn[w->f].recursive |= member == w->f;
			if (!number[member]) {
				number[member] = low[member] = ++n;
				waiting[open++] = member;
				stack[top++] = (struct walk){ member, 0, 0 };
			} else if (!l->fn[member].order && number[member] < low[w->f]) {
				low[w->f] = number[member];
			}
			continue;
		}
		top--;
		if (top && low[w->f] < low[stack[top - 1].f])
			low[stack[top - 1].f] = low[w->f];
		if (low[w->f] != number[w->f])
			continue;
		l->nscc++;
		do {
			member = waiting[--open];
			l->fn[member].scc = l->nscc;
			l->order[l->norder++] = member;
			l->fn[member].order = l->norder;
			size++;
		} while (member != w->f);
		for (uint32_t i = 0; size > 1 && i < size; i++)
			l->fn[l->order[l->norder - 1 - i]].recursive = true;
	}
}

/* Which calls are inlined, and how large bodies get. */
static void decide(struct link *l)
{
	uint64_t grown = 0;

	for (uint32_t o = 0; o < l->norder; o++) {
		struct fn *f = &l->fn[l->order[o]];
		const struct kernel *k = body_of(l, l->order[o]);

		f->size = k->ninsn;
		f->inlined = new_array(l->a, bool, k->ncall + 1);
		for (uint32_t c = 0; c < k->ncall; c++) {
			uint32_t to = k->call[c].proto ? 0 : resolve(k->m, k->call[c].func);
			const struct fn *g = k->call[c].proto ? NULL : &l->fn[to];
			bool of_host = g && !k->m->func[to]->nblock; /* an instruction, or refused */

			bool large = g && g->size > SMALL && g->sites != 1;

			f->inlined[c] = of_host ||
					(g && !g->recursive && l->limit && g->depth < DEPTH_MAX &&
					 (!large || (f->size + g->size <= l->limit && grown + g->size <= GROWTH_MAX)));
			grown += large && f->inlined[c] ? g->size : 0;
			f->size += f->inlined[c] ? g->size : 4;
			if (f->inlined[c] && f->depth <= g->depth)
				f->depth = g->depth + 1;
		}
	}
}

/* ---- cloning ---- */
/* The offset of a local variable from where the stack register points, as operand `slot` of i. */
static struct ref stack_address(struct link *l, const struct kernel *from, const struct insn *i, unsigned slot,
				uint32_t at, int32_t *offset)
{
	struct kernel *k = l->k;
	struct ref sum, wide;
	struct insn *n;

	if (slot == i->ndst && op_info[i->op].mem_bytes) {
		*offset += (int32_t)at;
		return l->sp;
	}
	sum = ref_reg(ir_vreg(k, NULL, RC_32, 32));
	n = link_append(l, OP_ADD_S32, 1, 2, i);
	insn_dst(k, n)[0] = sum;
	insn_src(k, n)[0] = l->sp;
	insn_src(k, n)[1] = ir_imm(k, at);
	if (insn_operand_class(from, i, slot) != RC_64)
		return sum;
	wide = ref_reg(ir_vreg(k, NULL, RC_64, 64));
	n = link_append(l, OP_CVT_U64_U32, 1, 1, i);
	insn_dst(k, n)[0] = wide;
	insn_src(k, n)[0] = sum;
	return wide;
}

static struct ref translate(struct link *l, const struct body *b, struct ref r)
{
	const struct kernel *f = b->from;

	if (f == l->k)
		return r;
	if (r.kind == REF_REG)
		r.val = b->reg[r.val] & REF_VAL_MAX;
	else if (r.kind == REF_IMM)
		r = ir_imm(l->k, f->imm[r.val]);
	else if (r.kind == REF_SYM && !f->m->sym[f->symref[r.val].sym].func)
		r = ir_symref(l->k, f->symref[r.val].sym, f->symref[r.val].addend);
	return r;
}

static struct insn *clone(struct link *l, const struct body *b, const struct insn *from)
{
	unsigned n = from->ndst + (unsigned)from->nsrc, nfix = 0;
	struct {
		unsigned slot;
		uint32_t at;
	} fix[REG_USE_MAX];
	struct ref op[REG_USE_MAX];
	int32_t offset = from->offset;
	struct insn *i;
	uint32_t run;

	for (unsigned s = 0; s < n; s++) {
		struct ref r = b->from->opnd[from->opnd + s];

		op[s] = translate(l, b, r);
		if (b->from != l->k && r.kind == REF_SYM && op[s].kind == REF_SYM &&
		    b->from->m->sym[b->from->symref[r.val].sym].func) {
			const struct symref *sr = &b->from->symref[r.val];
			uint32_t at = (uint32_t)(b->frame + b->from->m->sym[sr->sym].offset + (uint64_t)sr->addend);

			if (l->fn[b->fn].recursive) {
				op[s] = stack_address(l, b->from, from, s, at, &offset);
			} else {
				fix[nfix].slot = s;
				fix[nfix++].at = at;
			}
		}
	}
	i = ir_append(l->k, from->op, from->ndst, from->nsrc);
	run = i->opnd;
	*i = *from;
	i->opnd = run;
	i->offset = offset;
	i->guard = translate(l, b, from->guard);
	for (unsigned s = 0; s < n; s++)
		l->k->opnd[run + s] = op[s];
	for (unsigned x = 0; x < nfix; x++) {
		arena_grow(l->a, l->fix, l->nfix, l->fix_cap);
		l->fix[l->nfix++] = (struct fix){ run + fix[x].slot, b->fn, fix[x].at };
	}
	return i;
}

static bool emit_body(struct link *l, const struct body *b, bool inlined);

static bool emit_call(struct link *l, const struct body *b, uint32_t fn, const struct insn *call)
{
	struct kernel *k = l->k;
	const struct call *c = &(b->from == k ? l->own_call : b->from->call)[call->offset];
	unsigned n = call->ndst + (unsigned)call->nsrc, at, d = 0;
	const struct kernel *f;
	struct ref op[REG_USE_MAX];
	struct body in;
	uint32_t func, first;

	if (c->proto || !l->fn[fn].inlined[call->offset]) {
		struct insn *i = clone(l, b, call);

		i->offset = (int32_t)l->nsite;
		arena_grow(l->a, l->site, l->nsite, l->site_cap);
		l->site[l->nsite++] = (struct site){ c, b->fn };
		return true;
	}
	func = resolve(k->m, c->func);
	f = k->m->func[func];
	for (unsigned s = 0; s < n; s++)
		op[s] = translate(l, b, b->from->opnd[call->opnd + s]);
	if (!f->nblock) {
		const enum host_function h = host_function(f->name);

		if (h != HOST_COUNT)
			return call_host(l, h, f, call, op);
		if (strncmp(f->name, "__cudaCDP2", 10) == 0)
			return link_refuse(
				l, call, arena_printf(l->a, "'%s' of the device's runtime is not there yet", f->name));
		return link_refuse(l, call,
				   arena_printf(l->a, "'%s' is called but this module does not define it", f->name));
	}
	if (k->ninsn > LINK_INSNS_MAX)
		return link_refuse(l, call,
				   arena_printf(l->a, "kernel %s is too large with its functions inlined", k->name));
	in = (struct body){ .from = f, .fn = b->fn, .func = func, .reg = new_array(l->a, uint32_t, f->nvreg + 1) };
	for (uint32_t r = 0; r < f->nvreg; r++)
		in.reg[r] = ir_vreg(k, f->vreg[r].name, f->vreg[r].rc, f->vreg[r].bits);
	in.frame = (b->frame + b->from->res.local_bytes + FRAME_ALIGN - 1) & ~(FRAME_ALIGN - 1u);
	if (in.frame + f->res.local_bytes > l->fn[b->fn].frame)
		l->fn[b->fn].frame = in.frame + f->res.local_bytes;
	at = call->ndst;
	for (uint32_t p = 0; p < f->nret + f->narg; p++)
		if (p >= f->nret || f->formal[p].array)
			link_move(l, ref_reg(in.reg[f->formal[p].vreg]), op[at++], f->formal[p].rc, call);
	first = k->ninsn;
	if (!emit_body(l, &in, true))
		return false;
	for (; first < k->ninsn; first++) /* code without a line of its own is that of the call */
		if (!k->insn[first].line)
			k->insn[first].line = call->line;
	for (uint32_t p = 0; p < f->nret; p++)
		if (!f->formal[p].array) {
			if (op[d].kind == REF_REG)
				link_move(l, op[d], ref_reg(in.reg[f->formal[p].vreg]), f->formal[p].rc, call);
			d++;
		}
	return true;
}

/* A ret of an inlined function: to the code behind. */
static void emit_leave(struct link *l, const struct body *b, const struct insn *ret, uint32_t behind)
{
	struct ref guard = translate(l, b, ret->guard);
	struct insn *j = link_append(l, OP_BRA, 0, 1, ret);

	j->guard = guard;
	insn_src(l->k, j)[0] = (struct ref){ .kind = REF_BLOCK };
	arena_grow(l->a, l->jump, l->njump, l->jump_cap);
	l->jump[l->njump++] = (struct jump){ j->opnd, behind, false };
}

static bool clone_table(struct link *l, const struct body *b, struct insn *i)
{
	struct kernel *k = l->k;
	const struct jump_table *t = &(b->from == k ? l->own_table : b->from->table)[i->offset];
	const struct target *to = (b->from == k ? l->own_target : b->from->target) + t->first;

	if (t->n > IR_TARGETS_MAX - k->ntarget)
		return link_refuse(l, i,
				   arena_printf(l->a,
						"the branches of kernel %s through tables have more than %d labels in "
						"all, the limit",
						k->name, IR_TARGETS_MAX));
	i->offset = (int32_t)k->ntable;
	arena_grow(k->a, k->table, k->ntable, k->table_cap);
	k->table[k->ntable++] = (struct jump_table){ k->ntarget, t->n };
	for (uint32_t n = 0; n < t->n; n++) {
		arena_grow(l->a, l->jump, l->njump, l->jump_cap);
		l->jump[l->njump++] = (struct jump){ k->ntarget, to[n].block, true };
		arena_grow(k->a, k->target, k->ntarget, k->target_cap);
		k->target[k->ntarget++] = (struct target){ to[n].key, 0 };
	}
	return true;
}

/* Clones a body behind the code so far. If it is inlined, the code behind the call starts a block, to which each ret
 * goes. */
static bool emit_body(struct link *l, const struct body *b, bool inlined)
{
	struct kernel *k = l->k;
	const struct kernel *from = b->from;
	const struct block *old = from == k ? l->own_block : from->block;
	const struct insn *insn = from == k ? l->own_insn : from->insn;
	uint32_t first = l->njump, nblock = from == k ? l->own_nblock : from->nblock,
		 *block = new_array(l->a, uint32_t, nblock + 1);

	for (uint32_t x = 0; x < nblock; x++) {
		block[x] = ir_block(k, old[x].label);
		for (uint32_t n = 0; n < old[x].n; n++) {
			const struct insn *i = &insn[old[x].first + n];

			if (i->op == OP_CALL) {
				if (!emit_call(l, b, b->func, i))
					return false;
			} else if (i->op == OP_RET && inlined) {
				/* else it falls through to the code behind */
				if (!(x + 1 == nblock && n + 1 == old[x].n && insn_kills(i)))
					emit_leave(l, b, i, nblock);
			} else {
				struct insn *c;

				if (i->op == OP_RET && b->fn != l->nfunc)
					link_give_back(l, b, i);
				c = clone(l, b, i);
				if (op_info[i->op].flags & OPF_BRANCH) {
					arena_grow(l->a, l->jump, l->njump, l->jump_cap);
					l->jump[l->njump++] =
						(struct jump){ c->opnd + c->ndst + c->nsrc - 1u,
							       insn_src(from, i)[i->nsrc - 1].val, false };
				}
				if (op_info[i->op].flags & OPF_TABLE && !clone_table(l, b, c))
					return false;
			}
		}
	}
	block[nblock] = inlined ? ir_block(k, NULL) : k->nblock;
	for (uint32_t j = first; j < l->njump; j++)
		if (l->jump[j].table)
			k->target[l->jump[j].place].block = block[l->jump[j].block];
		else
			k->opnd[l->jump[j].place] =
				(struct ref){ .kind = REF_BLOCK, .val = block[l->jump[j].block] & REF_VAL_MAX };
	l->njump = first;
	return true;
}

/* The kernel's own code, then each function that a call stays for. */
static bool emit_all(struct link *l)
{
	struct kernel *k = l->k;
	struct body whole = { .from = k, .fn = l->nfunc, .func = l->nfunc };
	uint32_t done = 0;

	l->fn[l->nfunc].frame = k->res.local_bytes;
	l->fn[l->nfunc].first = 0;
	if (!emit_body(l, &whole, false))
		return false;
	for (; done < l->nsite; done++) {
		uint32_t n;
		const struct candidate *to = link_candidates(l, l->site[done].call, &n);

		for (uint32_t x = 0; x < n; x++) {
			struct fn *f = &l->fn[to[x].func];
			const struct kernel *from = k->m->func[to[x].func];
			struct body b = { .from = from, .fn = to[x].func, .func = to[x].func };

			if (f->reg)
				continue;
			f->reg = b.reg = new_array(l->a, uint32_t, from->nvreg + 1);
			for (uint32_t r = 0; r < from->nvreg; r++)
				b.reg[r] = ir_vreg(k, from->vreg[r].name, from->vreg[r].rc, from->vreg[r].bits);
			f->frame = from->res.local_bytes;
			l->called[l->ncalled++] = to[x].func;
			link_enter(l, to[x].func);
			if (!emit_body(l, &b, false))
				return false;
			f->end = k->nblock;
			if (k->ninsn > LINK_INSNS_MAX)
				return diag_error(l->d, k->at,
						  "kernel %s is too large with the functions that it calls", k->name);
		}
	}
	return true;
}

enum pass_result pass_link(struct kernel *k, struct pass_ctx *cx)
{
	struct link l = {
		.k = k, .d = cx->diag, .a = &cx->scratch, .nfunc = k->m->nfunc, .limit = cx->opt.inline_limit
	};
	bool any = false;

	if (k->form != FORM_VIRTUAL)
		return PASS_SAME;
	for (uint32_t i = 0; i < k->ninsn && !any; i++)
		any = k->insn[i].op == OP_CALL;
	if (!any)
		return PASS_SAME;
	l.fn = new_array(l.a, struct fn, l.nfunc + 1);
	l.order = new_array(l.a, uint32_t, l.nfunc + 1);
	l.called = new_array(l.a, uint32_t, l.nfunc + 1);
	find_cycles(&l);
	decide(&l);
	for (uint32_t f = 0; f < l.nfunc; f++)
		if (l.fn[f].recursive)
			k->res.stack = true;
	if (k->res.stack)
		l.sp = ref_reg(ir_vreg(k, "%stack", RC_32, 32));
	l.own_insn = k->insn;
	l.own_nblock = k->nblock;
	l.own_block = new_array(l.a, struct block, k->nblock);
	memcpy(l.own_block, k->block, k->nblock * sizeof *k->block);
	l.own_table = k->table;
	l.own_target = k->target;
	l.own_call = k->call;
	k->insn = NULL;
	k->table = NULL;
	k->target = NULL;
	k->ninsn = k->insn_cap = k->nblock = k->ntable = k->table_cap = k->ntarget = k->target_cap = 0;
	if (!emit_all(&l) || !link_calls(&l))
		return PASS_FAILED;
	ir_join_blocks(k);
	return PASS_CHANGED;
}
