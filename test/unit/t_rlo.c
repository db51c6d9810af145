/* The annotated object: round trip, determinism, readelf, and that damage anywhere is refused or harmless. */
#include "analyzer/elf/format.h"
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "passes/regmutex.h"
#include "rounds.h"

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

Suite *suite_rlo(void);

static struct arena a;
static struct diag d;

static void setup(void)
{
	arena_init(&a);
	diag_init(&d, NULL);
}

static void teardown(void)
{
	arena_free(&a);
	diag_free(&d);
}

/* ---- a module in machine form, by hand ---- */
static struct insn *emit(struct kernel *k, enum op op, unsigned ndst, unsigned nsrc, const struct ref *operand)
{
	struct insn *i = ir_append(k, op, ndst, nsrc);

	for (unsigned s = 0; s < ndst + nsrc; s++)
		k->opnd[i->opnd + s] = operand[s];
	i->where = 4 * k->ninsn;
	i->line = k->ninsn % 2;
	return i;
}
#define EMIT(k, op, ndst, nsrc, ...) emit((k), (op), (ndst), (nsrc), (struct ref[]){ __VA_ARGS__ })

static struct ref sreg(enum sreg s) { return (struct ref){ .kind = REF_SREG, .val = s & REF_VAL_MAX }; }
static struct ref target(uint32_t b) { return (struct ref){ .kind = REF_BLOCK, .val = b & REF_VAL_MAX }; }

static void add_symbol(struct module *m, struct symbol s)
{
	arena_grow(m->a, m->sym, m->nsym, m->sym_cap);
	m->sym[m->nsym++] = s;
}

static void need_facts(struct kernel *k)
{
	struct pass_ctx cx;

	pass_ctx_init(&cx, &d);
	ck_assert(pass_need(k, FACT_ALL, &cx));
	pass_ctx_free(&cx);
}

/* A loop with a guarded write, a vector store, a spill, an address and a special register. */
static void add_loop_kernel(struct module *m)
{
	struct kernel *k = kernel_new(m, "loop");
	struct insn *i;

	arena_grow(&a, k->param, k->nparam, k->param_cap);
	k->param[k->nparam++] = (struct param){ "n", 0, 4, 4, TY_U32, false };
	arena_grow(&a, k->param, k->nparam, k->param_cap);
	k->param[k->nparam++] = (struct param){ "pad", 4, 12, 4, TY_B8, true };
	ir_block(k, NULL);
	EMIT(k, OP_MOV_B32, 1, 1, ref_reg(0), sreg(SREG_TID_X));
	EMIT(k, OP_MOV_B64, 1, 1, ref_reg(2), ir_symref(k, 0, 16));
	EMIT(k, OP_MOV_B32, 1, 1, ref_reg(1), ref_const(0, PARAM_BASE));
	i = EMIT(k, OP_ST_B32, 0, 2, ir_imm(k, 0), ref_reg(0));
	i->space = SP_LOCAL;
	i->offset = 8;
	ir_block(k, "$again");
	EMIT(k, OP_ADD_S32, 1, 2, ref_reg(1), ref_reg(1), ir_imm(k, UINT32_MAX));
	EMIT(k, OP_SETP_GT_S32, 1, 2, ref_reg(MREG_P0), ref_reg(1), ref_reg(MREG_RZ));
	i = EMIT(k, OP_MUL_LO_S32, 1, 2, ref_reg(0), ref_reg(0), ref_reg(1));
	i->guard = (struct ref){ .kind = REF_REG, .neg = 1, .val = MREG_P0 };
	i = EMIT(k, OP_BRA, 0, 1, target(1));
	i->guard = ref_reg(MREG_P0);
	ir_block(k, NULL);
	i = EMIT(k, OP_LD_B32, 1, 1, ref_reg(4), ir_imm(k, 0));
	i->space = SP_LOCAL;
	i->offset = 8;
	i = EMIT(k, OP_ST_B32, 0, 3, ref_reg(2), ref_reg(0), ref_reg(4));
	i->space = SP_GLOBAL;
	i->vec = 2;
	i->offset = -4;
	i->cop = COP_CG;
	EMIT(k, OP_RET, 0, 0, ref_none());
	k->form = FORM_MACHINE;
	k->spill = new_array(&a, struct spill, 2);
	k->nspill = k->spill_cap = 2;
	k->spill[0] = (struct spill){ 3, true, RC_32, 8, "%r7" };
	k->spill[1] = (struct spill){ 8, false, RC_32, 8, "%r7" };
	k->maxntid[0] = 128;
	k->res = (struct resources){
		.regs = 5,
		.preds = 1,
		.shared_bytes = 64,
		.local_bytes = 16,
		.param_bytes = 16,
		.barriers = 1,
		.spill_loads = 1,
		.spill_stores = 1,
		.spill_bytes = 4,
		.virtual_regs = 9,
		.virtual_insns = 14,
	};
	need_facts(k);
}

/* Of which a warp holds R2 and above from the second instruction on. */
static void add_variant(struct kernel *k)
{
	struct kernel *v = ir_clone(k, &a);
	struct regmutex *g = new(&a, struct regmutex);
	struct rewrite rw;

	*g = (struct regmutex){
		.regs = 8,
		.asked = 5,
		.base = 2,
		.extended = 6,
		.sm = SM_LIMITS_DEFAULT,
		.cta = { 128, 4096 },
		.ctas = 8,
		.warps = 32,
		.limit = LIMIT_CTAS,
		.reason = REGMUTEX_GIVEN,
		.nsize = 2,
		.chosen = 1,
		.needs = { 5, 2, 7, WAIT_SPIN },
		.acquires = 1,
		.releases = 1,
		.acquires_weighted = 1,
		.releases_weighted = 1,
		.held = 9,
		.held_weighted = 30,
		.all_weighted = 35,
		.plain_weighted = 33,
	};
	g->size = new_array(&a, struct regmutex_size, 2);
	g->size[0] = (struct regmutex_size){ 2, 6, 8, 32, 32, 8, 32, 0, SIZE_COMPACT, REGMUTEX_NONE, 0 };
	g->size[1] = (struct regmutex_size){ 6, 2, 8, 32, 31, 8, 32, 3150, SIZE_LEGAL, 0, 0 };
	v->plain = k;
	v->base_regs = 2;
	v->res.regs = 8;
	rewrite_begin(&rw, v);
	for (uint32_t b = 0; b < v->nblock; b++) {
		uint32_t first = v->block[b].first, end = first + v->block[b].n;

		rewrite_block(&rw);
		for (uint32_t i = first; i < end; i++) {
			if (i == 1 || op_info[rw.old[i].op].flags & OPF_EXIT)
				rewrite_new(&rw, i == 1 ? OP_RF_ACQUIRE : OP_RF_RELEASE, 0, 0, NULL)->where =
					rw.old[i].where;
			rewrite_keep(&rw, &rw.old[i]);
		}
	}
	rewrite_end(&rw);
	for (uint32_t s = 0; s < v->nspill; s++)
		v->spill[s].insn++;
	need_facts(v);
	k->variant = v;
	k->regmutex = g;
}

static void add_empty_kernel(struct module *m)
{
	struct kernel *k = kernel_new(m, "_Z5emptyv");

	ir_block(k, NULL);
	EMIT(k, OP_RET, 0, 0, ref_none());
	k->form = FORM_MACHINE;
	need_facts(k);
}

static struct module *sample(void)
{
	struct module *m = module_new(&a);
	struct source *src = new(&a, struct source);
	struct symreloc *reloc = new(&a, struct symreloc);

	*src = (struct source){ "k.ptx", "line one\n\n  line three\nand four, which is a longer one\nend\n", 60 };
	m->src = src;
	m->src_name = src->name;
	m->ptx_version = 75;
	m->sm = 75;
	m->address_bits = 64;
	memcpy(m->target, "sm_75", 6);
	module_line(m, module_file(m, "dir/k.cl"), 12, 3);
	*reloc = (struct symreloc){ 8, 1, -4, 8, true };
	add_symbol(m, (struct symbol){ .name = "table",
				       .space = SP_GLOBAL,
				       .visible = true,
				       .align = 8,
				       .size = 24,
				       .kernel = UINT32_MAX,
				       .init = (const uint8_t *)"abcdefghijklmnopqrstuvwx",
				       .reloc = reloc,
				       .nreloc = 1,
				       .relocap = 1 });
	add_symbol(m, (struct symbol){
			      .name = "zero", .space = SP_GLOBAL, .align = 16, .size = 100, .kernel = UINT32_MAX });
	add_symbol(m, (struct symbol){ .name = "c1",
				       .space = SP_CONST,
				       .align = 4,
				       .size = 4,
				       .kernel = UINT32_MAX,
				       .init = (const uint8_t *)"1234" });
	add_symbol(m,
		   (struct symbol){
			   .name = "c2", .space = SP_CONST, .align = 8, .size = 8, .kernel = UINT32_MAX, .offset = 8 });
	add_symbol(m, (struct symbol){ .name = "tile", .space = SP_SHARED, .align = 4, .size = 64, .kernel = 0 });
	add_symbol(m, (struct symbol){ .name = "dyn",
				       .space = SP_SHARED,
				       .align = 4,
				       .external = true,
				       .kernel = UINT32_MAX,
				       .offset = 64 });
	add_symbol(m, (struct symbol){ .name = "tmp", .space = SP_LOCAL, .align = 4, .size = 8, .kernel = 0 });
	add_loop_kernel(m);
	add_variant(m->kernel[0]);
	add_empty_kernel(m);
	return m;
}

struct object {
	uint8_t *p;
	size_t n;
};

static struct object encode(const struct module *m)
{
	struct object o;
	void *p;

	ck_assert(rlo_encode(m, &a, &p, &o.n, &d));
	o.p = p;
	return o;
}

static uint64_t get(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned b = 0; b < bytes; b++)
		v |= (uint64_t)p[b] << 8 * b;
	return v;
}

/* Header of a section by name. */
static uint8_t *section_header(struct object o, const char *name)
{
	uint8_t *sh = o.p + get(o.p + 40, 8), *str = sh + 64 * get(o.p + 62, 2);

	for (unsigned s = 1; s < get(o.p + 60, 2); s++)
		if (strcmp((char *)o.p + get(str + 24, 8) + get(sh + 64 * s, 4), name) == 0)
			return sh + 64 * s;
	ck_abort_msg("no section %s", name);
	return NULL;
}

static uint8_t *section(struct object o, const char *name) { return o.p + get(section_header(o, name) + 24, 8); }

static void same_variant(const struct kernel *x, const struct kernel *y)
{
	const struct regmutex *g = x->regmutex, *h = y->regmutex;
	const struct kernel *v = x->variant, *w = y->variant;

	ck_assert(w && w->plain == y && w->base_regs == 2 && !w->variant && !w->regmutex);
	ck_assert_str_eq(w->name, y->name);
	ck_assert_uint_eq(w->ninsn, v->ninsn);
	ck_assert_mem_eq(&w->res, &v->res, sizeof v->res);
	ck_assert_uint_eq(w->facts & FACT_ALL & ~FACT_KILLS, FACT_OBJECT);
	for (uint32_t i = 0; i < v->ninsn; i++) {
		ck_assert_str_eq(ir_print_insn(&a, w, &w->insn[i]), ir_print_insn(&a, v, &v->insn[i]));
		ck_assert_str_eq(ir_where(&a, w, &w->insn[i]), ir_where(&a, v, &v->insn[i]));
	}
	ck_assert_str_eq(h->sm.machine, g->sm.machine);
	ck_assert(h->regs == g->regs && h->asked == g->asked && h->base == g->base && h->extended == g->extended &&
		  h->cta.threads == g->cta.threads && h->cta.dynamic_bytes == g->cta.dynamic_bytes &&
		  h->ctas == g->ctas && h->warps == g->warps && h->limit == g->limit && h->reason == g->reason &&
		  h->chosen == g->chosen && h->needs.most == g->needs.most && h->needs.wait == g->needs.wait &&
		  h->needs.waiting == g->needs.waiting && h->needs.at == g->needs.at && h->rules_off == g->rules_off &&
		  h->acquires == g->acquires && h->releases == g->releases && h->moves == g->moves &&
		  h->held == g->held && h->held_weighted == g->held_weighted && h->all_weighted == g->all_weighted &&
		  h->plain_weighted == g->plain_weighted && h->acquires_weighted == g->acquires_weighted &&
		  h->sm.registers == g->sm.registers && h->sm.granule == g->sm.granule &&
		  h->sm.shared_bytes == g->sm.shared_bytes && h->sm.threads == g->sm.threads &&
		  h->sm.ctas == g->sm.ctas);
	ck_assert_uint_eq(h->nsize, g->nsize);
	ck_assert_mem_eq(h->size, g->size, g->nsize * sizeof *g->size);
}

START_TEST(reading_gives_back_what_was_written)
{
	struct module *m = sample(), *r;
	struct object o = encode(m), again;

	r = rlo_read_memory(o.p, o.n, "k.rlo", &a, &d);
	ck_assert_msg(r != NULL, "%s", d.last);
	ck_assert_str_eq(r->target, "sm_75");
	ck_assert_uint_eq(r->ptx_version, 75);
	ck_assert_uint_eq(r->address_bits, 64);
	ck_assert_uint_eq(r->nkernel, 2);
	ck_assert_uint_eq(r->nsym, m->nsym);
	for (uint32_t s = 0; s < m->nsym; s++) {
		ck_assert_str_eq(r->sym[s].name, m->sym[s].name);
		ck_assert_uint_eq(r->sym[s].space, m->sym[s].space);
		ck_assert_uint_eq(r->sym[s].size, m->sym[s].size);
		ck_assert_uint_eq(r->sym[s].offset, m->sym[s].offset);
		ck_assert_uint_eq(r->sym[s].kernel, m->sym[s].kernel);
		ck_assert_uint_eq(r->sym[s].external, m->sym[s].external);
		ck_assert_uint_eq(r->sym[s].visible, m->sym[s].visible);
		ck_assert((r->sym[s].init != NULL) == (m->sym[s].init != NULL));
		if (m->sym[s].init)
			ck_assert_mem_eq(r->sym[s].init, m->sym[s].init, m->sym[s].size);
	}
	ck_assert_uint_eq(r->sym[0].nreloc, 1);
	ck_assert_mem_eq(r->sym[0].reloc, m->sym[0].reloc, sizeof(struct symreloc));
	for (uint32_t n = 0; n < m->nkernel; n++) {
		const struct kernel *x = m->kernel[n], *y = r->kernel[n];

		ck_assert_str_eq(y->name, x->name);
		ck_assert_uint_eq(y->ninsn, x->ninsn);
		ck_assert_mem_eq(&y->res, &x->res, sizeof x->res);
		ck_assert_uint_eq(y->facts & FACT_ALL & ~FACT_KILLS, FACT_OBJECT);
		ck_assert_uint_eq(y->maxntid[0], x->maxntid[0]);
		ck_assert_uint_eq(y->nspill, x->nspill);
		ck_assert_uint_eq(y->nparam, x->nparam);
		for (uint32_t p = 0; p < x->nparam; p++) {
			ck_assert_str_eq(y->param[p].name, x->param[p].name);
			ck_assert_uint_eq(y->param[p].size, x->param[p].size);
			ck_assert_uint_eq(y->param[p].type, x->param[p].type);
		}
		for (uint32_t i = 0; i < x->ninsn; i++) {
			ck_assert_str_eq(ir_print_insn(&a, y, &y->insn[i]), ir_print_insn(&a, x, &x->insn[i]));
			ck_assert_str_eq(ir_where(&a, y, &y->insn[i]), ir_where(&a, x, &x->insn[i]));
			ck_assert_uint_eq(y->insn[i].line, x->insn[i].line);
			ck_assert_uint_eq(y->insn[i].cop, x->insn[i].cop);
		}
	}
	ck_assert(!r->kernel[1]->variant && !r->kernel[1]->regmutex);
	same_variant(m->kernel[0], r->kernel[0]);
	ck_assert_str_eq(ir_where(&a, r->kernel[0], &r->kernel[0]->insn[5]), "k.ptx:4:2");
	ck_assert_str_eq(r->kernel[0]->block[1].label, "$again");
	again = encode(r);
	ck_assert_uint_eq(again.n, o.n);
	ck_assert_mem_eq(again.p, o.p, o.n);
}
END_TEST

START_TEST(the_same_module_gives_the_same_bytes)
{
	struct object x = encode(sample()), y = encode(sample());

	ck_assert_uint_eq(x.n, y.n);
	ck_assert_mem_eq(x.p, y.p, x.n);
}
END_TEST

/* Record r of a table, n bytes per record. */
static const uint8_t *record(struct object o, const char *name, unsigned r, unsigned n)
{
	return section(o, name) + RLO_HEAD_BYTES + r * n;
}

START_TEST(last_reads_and_releases_are_those_of_the_code)
{
	/* live before, predicates, last-read bits, registers released; see add_loop_kernel() */
	static const struct {
		unsigned live, preds, last, releases;
	} want[] = {
		{ 0, 0, 0, 0 },
		{ 1, 0, 0, 0 },
		{ 3, 0, 0, 0 },
		{ 4, 0, 0, 0 },
		/* R1 = R1 - 1: its old value is read for the last time, the register stays live */
		{ 4, 0, 1, 0 },
		{ 4, 0, 0, 0 },
		{ 4, 1, 0, 0 }, /* guarded: R0 and P0 go on */
		{ 4, 1, 1u << RLO_GUARD_BIT, 1 },
		{ 3, 0, 0, 0 },
		{ 4, 0, 7, 4 },
		{ 0, 0, 0, 0 },
	};
	static const unsigned released[] = { MREG_P0, 0, 2, 3, 4 };
	struct object o = encode(sample());

	for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
		const uint8_t *p = record(o, ".regloom.points.loop", i, 10);

		ck_assert_msg(get(p, 2) == want[i].live && get(p + 2, 2) == want[i].preds &&
				      get(p + 4, 4) == want[i].last && get(p + 8, 2) == want[i].releases,
			      "instruction %u: %u %u %x %u", i, (unsigned)get(p, 2), (unsigned)get(p + 2, 2),
			      (unsigned)get(p + 4, 4), (unsigned)get(p + 8, 2));
	}
	ck_assert_uint_eq(get(section(o, ".regloom.release.loop") + 8, 8), 5);
	for (unsigned r = 0; r < 5; r++)
		ck_assert_uint_eq(get(record(o, ".regloom.release.loop", r, 2), 2), released[r]);
	/* R1 is live around the loop and released where the loop is left: on entry to block 2 */
	ck_assert_uint_eq(get(record(o, ".regloom.live.loop", 2, 120) + 80, 8), 1u << 1);
	ck_assert_uint_eq(get(record(o, ".regloom.live.loop", 1, 120) + 80, 8), 0);
}
END_TEST

START_TEST(readelf_reads_it_without_complaint)
{
	char path[] = "/tmp/regloom-t_rlo-XXXXXX", command[128], text[512];
	int fd = mkstemp(path);
	size_t n;
	FILE *p;

	ck_assert_int_ge(fd, 0);
	ck_assert(rlo_write(sample(), path, &d));
	snprintf(command, sizeof command, "readelf -a -W %s 2>&1 >/dev/null", path);
	p = popen(command, "r");
	ck_assert_ptr_nonnull(p);
	n = fread(text, 1, sizeof text - 1, p);
	text[n] = 0;
	ck_assert_int_eq(pclose(p), 0);
	ck_assert_str_eq(text, "");
	snprintf(command, sizeof command, "readelf -s -W %s", path);
	p = popen(command, "r");
	ck_assert_ptr_nonnull(p);
	for (n = 0; fgets(text, sizeof text, p);)
		n += (strstr(text, "FUNC    GLOBAL") && strstr(text, " loop\n")) ||
		     (strstr(text, "OBJECT  LOCAL") && strstr(text, " zero\n"));
	pclose(p);
	unlink(path);
	close(fd);
	ck_assert_uint_eq(n, 2);
}
END_TEST

/* One field of a good object is overwritten; the message must say what and where. */
static const struct damage {
	const char *section;
	unsigned at, bytes;
	uint64_t value;
	const char *message;
} damages[] = {
	{ "", 0, 4, 0, "is not an ELF file" },
	{ "", 4, 1, 1, "is not a 64-bit ELF file" },
	{ "", 18, 2, 62, "is host code" },
	{ "", 40, 8, 1 << 30, "section headers are outside the file" },
	{ "", 62, 2, 500, "has no section names" },
	{ ".regloom.module", 0, 1, 'X', ".regloom.module+0x0: error: does not begin with \"RLmd\"" },
	{ ".regloom.module", 4, 2, 2, "is version 2; this program reads version 1" },
	{ ".regloom.module", 6, 2, 99, "has records of 99 bytes instead of 20" },
	{ ".regloom.module", 8, 8, 2, "says 2 records" },
	{ ".regloom.module", 16 + 8, 4, 48, "addresses of 48 bits" },
	{ ".regloom.module", 16 + 12, 4, 0, "has no target" },
	{ ".regloom.module", 16 + 12, 4, 100000, "has no target" },
	{ ".regloom.opcodes", 16, 4, 0, "is not a name" },
	{ ".regloom.opcodes", 16, 4, 1, "does not know the opcode \"sm_75\"" },
	{ ".regloom.kernels", 16, 4, 0, "there is no symbol 0" },
	{ ".regloom.kernels", 16, 4, 99, "there is no symbol 99" },
	{ ".regloom.kernels", 16, 4, 2, "has a wrong type" },
	{ ".regloom.kernels", 20, 4, 10, "there are two kernels loop" },
	{ ".regloom.lines", 16 + 12, 4, 7, "file 7 of 2" },
	{ ".regloom.vars", 16 + 4, 1, 0, "is in no state space" },
	{ ".regloom.vars", 16 + 5, 1, 8, "has unknown flags" },
	{ ".regloom.vars", 16 + 8, 4, 3, "has alignment 3" },
	{ ".regloom.vars", 16 + 12, 4, 2, "belongs to no kernel" },
	{ ".regloom.vars", 16 + 16, 8, 25, "has 25 bytes, its symbol says 24" },
	{ ".regloom.vars", 16 + 5, 1, 2, "is not in .bss" },
	{ ".regloom.vars", 16 + 32 * 4 + 24, 8, 16, "its symbol says 0" },
	{ ".regloom.reloc", 16, 4, 7, "names variables 7 and 1 of 7" },
	{ ".regloom.reloc", 16 + 8, 8, 17, "is outside the initial bytes of table" },
	{ ".regloom.reloc", 16 + 24, 1, 3, "has a wrong width" },
	{ ".regloom.info.loop", 16, 4, 2, "code is version 2" },
	{ ".regloom.info.loop", 16 + 4, 4, 12, "is not 12 instructions" },
	{ ".regloom.info.loop", 16 + 8, 4, 2, "holds 3 blocks" },
	{ ".regloom.info.loop", 16 + 44, 4, 17, "clusters of 17x0x0 CTAs" },
	{ ".regloom.info.loop", 16 + 48, 4, 2, "clusters of 0x2x0 CTAs" },
	{ ".regloom.info.loop", 16 + 60, 4, 2, "of kind 2" },
	{ ".regloom.info.loop", 16 + 64, 4, 256, "256 registers" },
	{ ".regloom.info.loop", 16 + 64, 4, 4, "uses more than 4 registers" },
	{ ".regloom.info.loop", 16 + 72, 4, 1 << 30, "bytes shared" },
	{ ".regloom.info.loop", 16 + 84, 4, 17, "17 barriers" },
	{ ".regloom.info.loop", 16 + 108, 4, 5, "not as stored 5" },
	{ ".regloom.params.loop", 16 + 16, 2, 5, "has no type" },
	{ ".regloom.params.loop", 16 + 12, 4, 0, "aligned to 0" },
	{ ".regloom.params.loop", 16 + 20 + 4, 4, 2, "12 bytes at 2" },
	{ ".regloom.params.loop", 16 + 8, 4, 2, "parameter n of .u32 has 2 bytes" },
	{ ".regloom.imm.loop", 16, 8, UINT32_MAX, "there twice" },
	{ ".regloom.symref.loop", 16, 4, 4, "the address of tile is not a symbol" },
	{ ".regloom.symref.loop", 16, 4, 70, "there is no variable 70" },
	{ ".regloom.lineno.loop", 16 + 8, 4, 77, "lines 77 and" },
	{ ".regloom.lineno.loop", 16 + 12, 4, 77, "and 77 of" },
	{ ".regloom.blocks.loop", 16, 4, 1, "the code is not well formed" },
	{ ".regloom.blocks.loop", 16 + 4, 4, 99, "block 0 is outside the code" },
	{ ".regloom.blocks.loop", 16 + 24 + 12, 4, 2, "block 1: loop depth" },
	{ ".regloom.blocks.loop", 16 + 24 + 16, 4, 2, "block 1: loop depth, dominator" },
	{ ".regloom.blocks.loop", 16 + 20, 4, 2, "block 0: loop depth" },
	{ ".text.loop", 0, 2, 99, ".text.loop+0x0: error: opcode 99" },
	{ ".text.loop", 2, 1, 11, "with 12 operands" },
	{ ".text.loop", 2, 1, 2, "the code is not well formed" },
	{ ".text.loop", 20, 4, 1, "opcode 0 with 2 operands" },
	{ ".text.loop", 4, 4, 8, "guard is not clean" },
	{ ".text.loop", 24 + 4, 4, 4 | 40 << 5, "there is no special register 40" },
	{ ".text.loop", 24 + 8, 4, 1, "operand 2 is not used and not zero" },
	{ ".text.loop", 2 * 64 + 28, 4, 3 | 0x34 << 5, "c[0x0][0x34] does not exist" },
	{ ".text.loop", 2 * 64 + 28, 4, 3 | (1u << 20 | 0x20) << 5, "c[0x1][0x20] does not exist" },
	{ ".text.loop", 24, 4, 1 | 300 << 5, "the code is not well formed" },
	{ ".text.loop", 24, 4, 1 | 7 << 5, "uses more than 5 registers" },
	{ ".text.loop", 7 * 64 + 24, 4, 6 | 3 << 5, "the code is not well formed" },
	{ ".text.loop", 7 * 64 + 24, 4, 6 | 2 << 5, "block 1: loop depth" },
	{ ".regloom.live.loop", 16 + 120, 1, 0, "liveness is not that of the code (record 1)" },
	{ ".regloom.points.loop", 16 + 10 * 4 + 4, 2, 0, "liveness is not that of the code (record 4)" },
	{ ".regloom.release.loop", 16, 2, 3,
	  ".regloom.release.loop+0x10: error: liveness is not that of the code (record 0)" },
	{ ".regloom.strand.loop", 16 + 3 * 5, 4, 7, "a strand is not that of the code (record 3)" },
	{ ".regloom.strand.loop", 16 + 4, 1, 0, "a strand is not that of the code (record 0)" },
	{ ".regloom.shape.loop", 16, 4, 64, "CTAs of 64,0,0 threads" },
	{ ".regloom.shape.loop", 16 + 12, 1, 0x77, "the CTA, or the sum, is not that of the code (record 0)" },
	{ ".regloom.scalar.loop", 16 + 2, 1, 0xe0, "what lanes have in common is not that of the code (record 2)" },
	{ ".regloom.lanes.loop", 16 + 5 * 1, 1, 0xff, "what lanes have in common is not that of the code (record 1)" },
	{ ".regloom.rfc.loop", 16 + 2 * 6, 1, 0xff, "a hint for caches is not that of the code (record 2)" },
	{ ".regloom.rfc.loop", 16 + 5 * 6 + 4, 1, 0xff, "a hint for caches is not that of the code (record 5)" },
	{ ".regloom.affinity.loop", 16, 2, 7,
	  ".regloom.affinity.loop+0x10: error: edge 0: R7 and R1 with weight 8, where the code has R0 and R1" },
	{ ".regloom.affinity.loop", 16 + 4, 8, UINT64_C(1) << 50, "edge 0: R0 and R1" },
	{ ".regloom.affinity.loop", 16 + 4, 8, 9, "weights are not those of the hints" },
	{ ".regloom.affinity.loop", 8, 8, 6, "6 records" },
	{ ".regloom.affinity.loop", 16 + 12 + 4, 8, 9, "are not those that were written" },
	{ ".regloom.corf.loop", 16 + 27, 1, 1, "are not those that were written" },
	{ ".regloom.corf.loop", 16 + 28, 1, 0, "are not those that were written" },
	{ ".regloom.corf.loop", 16, 8, 1, "weights are not those of the hints" },
	{ ".regloom.corf.loop", 16 + 16, 8, 100, "weights are not those of the hints" },
	{ ".regloom.corf.loop", 16 + 24, 1, 9, "pairs of kind 9, alignment of kind 1" },
	{ ".regloom.pairs.loop", 16, 8, 0, "the metadata words of loop are none" },
	{ ".regloom.align.loop", 16, 8, UINT64_C(0x3c2) << 54 | 1, "not for registers that the code reads together" },
	{ ".regloom.orf.loop", 8, 8, 2, "orf.loop" },
	{ ".regloom.orf.loop", 16, 1, 0, ".regloom.orf.loop+0x10: error: 0 entries for each thread of 8 warps" },
	{ ".regloom.orf.loop", 16 + 1, 1, 99, "3 entries for each thread of 99 warps" },
	{ ".regloom.orf.loop", 16 + 3, 1, 3, "writes of kind 3" },
	{ ".regloom.orf.loop", 16 + 6, 2, 64, "flags 0x40" },
	{ ".regloom.orf.loop", 16 + 8, 8, UINT64_C(0x7ff0000000000000),
	  "orf: 0x7ff0000000000000, 0x0000000000000000 and 0x0000000000000000 are no energies saved" },
	{ ".regloom.orf.loop", 16 + 8, 8, 255, "orf: 0x00000000000000ff, " },
	{ ".regloom.orf.loop", 16 + 8, 8, UINT64_C(0xbff0000000000000), "orf: 0xbff0000000000000, " },
	{ ".regloom.orf.loop", 16 + 8 + 48, 8, UINT64_C(0x4000000000000000), "orf: savings of 0, 0, and at most 2" },
	{ ".regloom.orf.loop", 16 + 1, 1, 7, "are not those that were written" },
	{ ".regloom.places.loop", 8, 8, 3, "holds 48 bytes of records, but says 3 records of 3 bytes" },
	{ ".regloom.places.loop", 16, 1, 0,
	  ".regloom.places.loop+0x10: error: orf: 0x0 is no place that instruction 0 can write to" },
	{ ".regloom.places.loop", 16 + 3, 1, 1 | 2 << 2,
	  "error: instruction 9, orf: R2: is read where its value may not be" },
	{ ".regloom.places.loop", 16 + 1, 1, 1 | 3 << 2, "lrf+orf: 0xd is no place" },
	{ ".regloom.places.loop", 16 + 2, 1, 3, "split-lrf+orf: 0x3 is no place" },
	{ ".regloom.places.loop", 16 + 2, 1, 0x60, "split-lrf+orf: 0x60 is no place" },
	{ ".regloom.owf.loop", 16, 1, 200,
	  ".regloom.owf.loop+0x10: error: R0 has rank 200 of 5, which is none, or another register's" },
	{ ".regloom.owf.loop", 16 + 2, 1, 0, "R2 has rank 0 of 5, which is none, or another register's" },
	{ ".regloom.owf.loop", 8, 8, 4, "4 records of 1 byte" },
	{ ".regloom.regmutex.loop", 16 + 8, 4, 3, "8 registers, of which 3 are a warp's own and 6 are shared" },
	{ ".regloom.regmutex.loop", 16 + 4, 4, 9, "8 registers" },
	{ ".regloom.regmutex.loop", 16 + 28, 4, 0, "size 0 of 2 is chosen, and 6 registers are shared" },
	{ ".regloom.regmutex.loop", 16 + 40, 4, 11, "instruction 11 of 11 needs 2 registers" },
	{ ".regloom.regmutex.loop", 16 + 100, 1, LIMIT_COUNT, "limit 4" },
	{ ".regloom.regmutex.loop", 16 + 101, 1, 99, "reason 99" },
	{ ".regloom.regmutex.loop", 16 + 102, 1, 4, "flags 0x4" },
	{ ".regloom.regmutex.loop", 16 + 103, 1, 3, "a wait of kind 3" },
	{ ".regloom.regmutex.loop", 16 + 104, 4, 0, "names no machine" },
	{ ".regloom.regmutex.loop", 16 + 20, 4, 7, "the sum over the decision is not that of its numbers" },
	{ ".regloom.regsizes.loop", 16, 4, 3, "3 registers of 8 are shared, and 6 not" },
	{ ".regloom.regsizes.loop", 16 + 36, 4, 11, "ruled out for reason 3 at instruction 11" },
	{ ".regloom.regsizes.loop", 16 + 8, 4, 7, "the sum over the decision is not that of its numbers" },
	{ ".regloom.info.loop.regmutex", 16 + 64, 4, 12, "orders 8 registers where the code has 12" },
	{ ".regloom.info.loop.regmutex", 16 + 72, 4, 65, "the variant does not take what the kernel takes" },
	{ ".regloom.imm.loop.regmutex", 16, 4, 12345, "the variant has other immediates than the kernel" },
	{ ".regloom.live.loop.regmutex", 16 + 120, 1, 0, "liveness is not that of the code (record 1)" },
	{ ".regloom.spill.loop", 16, 4, 99, "spills at instruction 99 of 11" },
	{ ".regloom.spill.loop", 16, 4, 4, "instruction 4 does not access local memory" },
	{ ".regloom.spill.loop", 16 + 4, 4, 13, "slot 13 is outside 16 bytes" },
	{ ".regloom.spill.loop", 16 + 13, 1, 3, "spills at instruction" },
};
enum { DAMAGES = sizeof damages / sizeof *damages };

START_TEST(another_block_with_the_same_proofs_is_refused)
{
	struct object o = encode(sample());
	uint8_t *block = section(o, ".regloom.shape.loop") + 16;

	block[0] = block[4] = block[8] = 5; /* %tid is a vector, as in any */
	ck_assert(!rlo_read_memory(o.p, o.n, "k.rlo", &a, &d));
	ck_assert_uint_eq(d.errors, 1);
	ck_assert_msg(strstr(d.last, "the CTA, or the sum, is not that of the code (record 0)") != NULL, "%s", d.last);
}
END_TEST

START_TEST(a_damaged_field_is_named)
{
	const struct damage *x = &damages[_i];
	struct object o = encode(sample());
	uint8_t *at = (*x->section ? section(o, x->section) : o.p) + x->at;

	for (unsigned b = 0; b < x->bytes; b++)
		at[b] = (uint8_t)(x->value >> 8 * b);
	ck_assert_msg(!rlo_read_memory(o.p, o.n, "k.rlo", &a, &d), "row %d was accepted: %s", _i, x->message);
	ck_assert_uint_eq(d.errors, 1);
	ck_assert_msg(strstr(d.last, x->message) != NULL, "row %d: %s", _i, d.last);
	ck_assert_msg(strncmp(d.last, "k.rlo: ", 7) == 0, "row %d: %s", _i, d.last);
}
END_TEST

static const char *const needed[] = {
	".regloom.module",
	".regloom.kernels",
	".regloom.lines",
	".regloom.strings",
	".symtab",
	".regloom.info.loop",
	".regloom.lineno.loop",
	".regloom.blocks.loop",
	".regloom.live.loop",
	".regloom.points.loop",
	".regloom.release.loop",
	".text.loop",
	".data",
	".const",
	".regloom.opcodes",
	".regloom.imm.loop",
	".regloom.strand.loop",
	".regloom.rfc.loop",
	".regloom.owf.loop",
	".regloom.regmutex.loop",
	".regloom.regsizes.loop",
	".text.loop.regmutex",
	".regloom.info.loop.regmutex",
	".regloom.places.loop.regmutex",
};
enum { NEEDED = sizeof needed / sizeof *needed };

START_TEST(a_missing_section_is_named)
{
	struct object o = encode(sample());
	uint8_t *sh = section_header(o, needed[_i]);

	memset(sh, 0, 4); /* it has no name now */
	ck_assert(!rlo_read_memory(o.p, o.n, "k.rlo", &a, &d));
	ck_assert_uint_ge(d.errors, 1);
}
END_TEST

START_TEST(an_object_cut_short_is_refused)
{
	struct object o = encode(sample());

	for (size_t n = 0; n < o.n; n += n < 200 || o.n - n < 200 ? 1 : 13) {
		uint8_t *cut = arena_alloc(&a, n + 1, 1);

		memcpy(cut, o.p, n);
		ck_assert(!rlo_read_memory(cut, n, "k.rlo", &a, &d));
	}
}
END_TEST

/* Any byte changed, three ways (where QUICK is set, in one of them, by turns): refused, or read into a module that
 * still verifies and can be written. */
START_TEST(any_changed_byte_is_refused_or_harmless)
{
	static const uint8_t change[] = { 0x01, 0x80, 0xff };
	struct object o = encode(sample());
	unsigned refused = 0;

	for (size_t n = (size_t)_i; n < o.n; n += 8)
		for (unsigned c = 0; c < (unsigned)rounds(3); c++) {
			const uint8_t with = change[(n / 8 + c) % 3];
			struct arena mine;
			struct diag quiet;
			struct module *m;

			arena_init(&mine);
			diag_init(&quiet, NULL);
			o.p[n] ^= with;
			m = rlo_read_memory(o.p, o.n, "k.rlo", &mine, &quiet);
			o.p[n] ^= with;
			if (m) {
				void *p;
				size_t bytes;

				ck_assert_uint_eq(quiet.errors, 0);
				for (uint32_t k = 0; k < m->nkernel; k++)
					ck_assert(ir_verify(m->kernel[k], &quiet));
				ck_assert(rlo_encode(m, &mine, &p, &bytes, &quiet));
			} else {
				ck_assert_uint_ge(quiet.errors, 1);
				refused++;
			}
			arena_free(&mine);
			diag_free(&quiet);
		}
	ck_assert_uint_gt(refused, o.n / 16);
}
END_TEST

/* Of CORF's tables and of places no bit at all: the weights of edges have nothing else to be checked against, and
 * several places are right. */
START_TEST(any_changed_bit_of_the_hints_is_refused)
{
	static const struct {
		const char *name;
		enum rlo_record t;
	} tables[] = {
		{ ".regloom.affinity.loop", RLO_R_affinity }, { ".regloom.corf.loop", RLO_R_corf },
		{ ".regloom.pairs.loop", RLO_R_pairs },       { ".regloom.align.loop", RLO_R_align },
		{ ".regloom.regmutex.loop", RLO_R_regmutex }, { ".regloom.regsizes.loop", RLO_R_regsize },
		{ ".regloom.orf.loop", RLO_R_orf },           { ".regloom.places.loop", RLO_R_place },
	};
	struct object o = encode(sample());
	unsigned bits = 0;

	for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++) {
		uint8_t *p = section(o, tables[t].name);
		unsigned n = 16 + p[8] * rlo_table[tables[t].t].bytes;

		for (unsigned b = 0; b < 8 * n; b++, bits++) {
			p[b / 8] ^= (uint8_t)(1u << b % 8);
			ck_assert_msg(!rlo_read_memory(o.p, o.n, "k.rlo", &a, &d), "%s: bit %u", tables[t].name, b);
			p[b / 8] ^= (uint8_t)(1u << b % 8);
		}
	}
	ck_assert_uint_gt(bits, 1000);
	ck_assert(rlo_read_memory(o.p, o.n, "k.rlo", &a, &d));
}
END_TEST

START_TEST(a_module_without_kernels_is_not_written)
{
	void *p;
	size_t n;

	ck_assert(!rlo_encode(module_new(&a), &a, &p, &n, &d));
	ck_assert_uint_eq(d.errors, 1);
}
END_TEST

Suite *suite_rlo(void)
{
	Suite *s = suite_create("rlo");
	TCase *t = tcase_create("rlo");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, reading_gives_back_what_was_written);
	tcase_add_test(t, the_same_module_gives_the_same_bytes);
	tcase_add_test(t, last_reads_and_releases_are_those_of_the_code);
	tcase_add_test(t, readelf_reads_it_without_complaint);
	tcase_add_test(t, another_block_with_the_same_proofs_is_refused);
	tcase_add_loop_test(t, a_damaged_field_is_named, 0, DAMAGES);
	tcase_add_loop_test(t, a_missing_section_is_named, 0, NEEDED);
	tcase_add_test(t, an_object_cut_short_is_refused);
	tcase_add_loop_test(t, any_changed_byte_is_refused_or_harmless, 0, rounds(8));
	tcase_add_test(t, any_changed_bit_of_the_hints_is_refused);
	tcase_add_test(t, a_module_without_kernels_is_not_written);
	suite_add_tcase(s, t);
	return s;
}
