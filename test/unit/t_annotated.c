/* Annotations in a cubin: written, read again and compared; changed code and changed facts are refused where they are.
 * The kernel is made by hand, so that no decoder plays a part. */
#include "analyzer/cubin/write.h"
#include "analyzer/elf/annotated.h"
#include "analyzer/elf/native.h"
#include "analyzer/fatbin/fatbin.h"
#include "passes/corf.h"
#include "passes/owf.h"
#include "passes/pass.h"
#include "passes/regmutex.h"

#include <check.h>
#include <gelf.h>
#include <string.h>

Suite *suite_annotated(void);

static struct arena a;
static struct diag d;
static struct source file; /* the cubin of sm_75 that nvcc put into a fatbin */

/* What annotations need to know of a cubin. */
static struct cubin *cubin_of(const void *bytes, size_t n)
{
	struct cubin *c = new(&a, struct cubin);
	size_t count, names;
	Elf *e;

	elf_version(EV_CURRENT);
	e = elf_memory((char *)(uintptr_t)bytes, n);
	ck_assert(e && elf_getshdrnum(e, &count) == 0 && elf_getshdrstrndx(e, &names) == 0);
	*c = (struct cubin){ .name = "k.cubin",
			     .sm = 75,
			     .section = new_array(&a, struct cubin_section, count),
			     .nsection = (uint32_t)count };
	for (uint32_t s = 1; s < count; s++) {
		GElf_Shdr h;

		ck_assert_ptr_nonnull(gelf_getshdr(elf_getscn(e, s), &h));
		c->section[s] = (struct cubin_section){ .name = arena_printf(&a, "%s", elf_strptr(e, names, h.sh_name)),
							.shndx = s,
							.type = h.sh_type,
							.link = h.sh_link,
							.info = h.sh_info,
							.flags = h.sh_flags,
							.offset = h.sh_offset,
							.size = h.sh_size,
							.align = h.sh_addralign,
							.bytes = h.sh_type == SHT_NOBITS
									 ? NULL
									 : (const uint8_t *)bytes + h.sh_offset };
		if (strncmp(c->section[s].name, ".text.", 6) == 0) {
			c->func = new(&a, struct cubin_func);
			c->func[0] = (struct cubin_func){ .name = c->section[s].name + 6,
							  .symbol = h.sh_info & 0xffffff,
							  .shndx = s,
							  .size = h.sh_size,
							  .entry = true };
			c->nfunc = 1;
		}
		if (h.sh_type == SHT_SYMTAB)
			c->nsymbol = (uint32_t)(h.sh_size / 24);
	}
	elf_end(e);
	ck_assert_uint_eq(c->nfunc, 1);
	return c;
}

static struct insn *emit(struct kernel *k, enum op op, unsigned ndst, unsigned nsrc, const uint32_t *reg)
{
	struct insn *i = ir_append(k, op, ndst, nsrc);

	for (unsigned s = 0; s < ndst + nsrc; s++)
		k->opnd[i->opnd + s] = ref_reg(reg[s]);
	return i;
}
#define EMIT(k, op, ndst, nsrc, ...) emit((k), (op), (ndst), (nsrc), (uint32_t[]){ __VA_ARGS__ })

/* A loop over pairs of registers in all register files. */
static struct module *module_of(const struct cubin *c)
{
	static const uint64_t word[16][2];
	struct module *m = module_new(&a);
	struct kernel *k = kernel_new(m, c->func[0].name);
	struct native *n = new(&a, struct native);
	struct insn *i;

	m->sm = 75;
	m->src_name = "k.cubin";
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	EMIT(k, OP_SASS_SPECIAL, 1, 0, 0);
	EMIT(k, OP_SASS_UNIFORM, 1, 0, MREG_UR0 + 4);
	EMIT(k, OP_SASS_LOAD, 2, 1, 2, 3, 0);
	EMIT(k, OP_SASS_MOVE, 1, 1, 9, 0); /* of the extended set */
	EMIT(k, OP_SASS_MOVE, 1, 1, 0, 9);
	ir_block(k, NULL);
	EMIT(k, OP_SASS_FMAD, 1, 3, 4, 2, 3, 0);
	EMIT(k, OP_SASS_PRED, 1, 2, MREG_P0, 4, MREG_UR0 + 4);
	EMIT(k, OP_SASS_MOVE, 1, 1, 2, 4);
	i = ir_append(k, OP_SASS_BRANCH, 0, 1);
	k->opnd[i->opnd] = (struct ref){ .kind = REF_BLOCK, .val = 1 };
	i->guard = ref_reg(MREG_P0);
	ir_block(k, NULL);
	EMIT(k, OP_SASS_STORE, 0, 3, 0, 3, 4);
	ir_append(k, OP_SASS_EXIT, 0, 0);
	n->sm = 75;
	n->word = word;
	n->part = new(&a, struct native_part);
	n->part[0] = (struct native_part){ c->section[c->func[0].shndx].name, 0, 0, k->ninsn, c->func[0].shndx };
	n->npart = 1;
	for (uint32_t r = 0; r < 10; r++)
		bitset_add(n->named, r);
	bitset_add(n->named, MREG_P0);
	bitset_add(n->named, MREG_UR0 + 4);
	k->native = n;
	k->res.regs = 12;
	return m;
}

static void facts(struct module *m)
{
	struct pass_ctx cx;

	pass_ctx_init(&cx, &d);
	cx.opt.regmutex.size = 4;
	cx.opt.regmutex.place = REGMUTEX_PLACE_PAPER;
	for (uint32_t k = 0; k < m->nkernel; k++)
		ck_assert_msg(pass_need(m->kernel[k], FACT_ALL, &cx) && regmutex_make(m->kernel[k], &cx), "%s", d.last);
	pass_ctx_free(&cx);
}

static uint8_t *written(struct module *m, const struct cubin *c, const void *bytes, size_t n, size_t *out_n)
{
	const struct source s = { "k.cubin", bytes, n };
	void *out;

	ck_assert_msg(annotated_write(m, c, &s, &a, &out, out_n, &d), "%s", d.last);
	return out;
}

static uint8_t *bytes;
static size_t nbytes;
static struct module *made;

static void setup(void)
{
	struct source s;
	struct fatbin f;
	struct cubin *c;

	arena_init(&a);
	diag_init(&d, NULL);
	ck_assert(source_read(&s, "test/golden/fatbin/raw.fatbin", &a, &d) && fatbin_read(&f, &s, &a, &d) &&
		  fatbin_unpack(&file, &f, &f.entry[0], &a, &d));
	c = cubin_of(file.text, file.len);
	ck_assert(!annotated_has(c));
	made = module_of(c);
	facts(made);
	ck_assert_uint_eq(made->kernel[0]->regmutex->npoint, 2);
	bytes = written(made, c, file.text, file.len, &nbytes);
}

static void teardown(void)
{
	diag_free(&d);
	arena_free(&a);
}

START_TEST(what_was_written_is_read_and_written_again_the_same)
{
	struct cubin *c = cubin_of(bytes, nbytes);
	struct module *m = module_of(c);
	size_t n;

	ck_assert(annotated_has(c));
	ck_assert_msg(annotated_read(m, c, &d), "%s", d.last);
	ck_assert_uint_eq(m->kernel[0]->facts & FACT_OBJECT, FACT_OBJECT);
	ck_assert_mem_eq(m->kernel[0]->owf->rank, made->kernel[0]->owf->rank, 256);
	ck_assert_uint_eq(m->kernel[0]->corf->pair_kept, made->kernel[0]->corf->pair_kept);
	ck_assert_mem_eq(written(m, c, bytes, nbytes, &n), bytes, nbytes);
	ck_assert_uint_eq(n, nbytes);
}
END_TEST

static struct table table(const struct cubin *c, enum rlo_record t)
{
	const char *name =
		arena_printf(&a, "%s%s", rlo_table[t].section, rlo_table[t].kernel ? made->kernel[0]->name : "");

	for (uint32_t s = 1; s < c->nsection; s++)
		if (strcmp(c->section[s].name, name) == 0)
			return (struct table){ .section = name,
					       .p = c->section[s].bytes + RLO_HEAD_BYTES,
					       .bytes = rlo_table[t].bytes,
					       .n = (uint32_t)((c->section[s].size - RLO_HEAD_BYTES) /
							       rlo_table[t].bytes) };
	ck_abort_msg("no section %s", name);
}

/* R2 and R3 in the loop: 3 is not written there, so it stays; 4 is read last behind it. */
START_TEST(liveness_is_by_address)
{
	struct cubin *c = cubin_of(bytes, nbytes);
	struct table points = table(c, RLO_R_npoint), last = table(c, RLO_R_lastread), regs = table(c, RLO_R_operand),
		     live = table(c, RLO_R_nlive);
	struct rlo_npoint p;
	struct rlo_nlive l;
	struct rlo_lastread r;
	struct rlo_operand o;

	ck_assert_uint_eq(points.n, 11);
	RLO_GET(&points, 5, npoint, &p); /* FMAD R4, R2, R3, R0 */
	ck_assert_uint_eq(p.section, c->func[0].shndx);
	ck_assert_uint_eq(p.address, 0x50);
	ck_assert_uint_eq(p.live32, 3);
	ck_assert_uint_eq(p.liveu, 1);
	ck_assert_uint_eq(p.livep, 0);
	ck_assert_uint_eq(p.reads, 3);
	ck_assert_uint_eq(p.writes, 1);
	ck_assert_uint_eq(p.last_reads, 1); /* R2: it is written again before it is read */
	RLO_GET(&live, 1, nlive, &l);
	ck_assert_uint_eq(l.in[0], 1 << 0 | 1 << 2 | 1 << 3);
	ck_assert(bitset_has(l.in, MREG_UR0 + 4) && bitset_has(l.out, MREG_UR0 + 4));
	RLO_GET(&last, 2, lastread, &r); /* behind R0 and R9 of the moves */
	ck_assert_uint_eq(r.reg, 2);
	/* SPECIAL: one written; LOAD: one read, two written; moves: two each */
	RLO_GET(&regs, 1 + 0 + 3 + 2 + 2, operand, &o);
	ck_assert_uint_eq(o.reg, 2);
}
END_TEST

START_TEST(acquire_and_release_are_by_address)
{
	struct cubin *c = cubin_of(bytes, nbytes);
	struct table points = table(c, RLO_R_acquire), held = table(c, RLO_R_held);
	struct rlo_acquire x[2];
	struct module *m = module_of(c);

	ck_assert_uint_eq(points.n, 2);
	RLO_GET(&points, 0, acquire, &x[0]);
	RLO_GET(&points, 1, acquire, &x[1]);
	ck_assert(x[0].acquire && !x[1].acquire);
	ck_assert_uint_eq(x[0].section, c->func[0].shndx);
	ck_assert_uint_eq(x[0].address, 0x30);
	ck_assert_uint_eq(x[0].from_section, UINT32_MAX);
	ck_assert_uint_eq(x[1].address, 0x50);
	ck_assert_mem_eq(held.p, "\0\0\0\1\1\0\0\0\0\0\0", 11);
	ck_assert_msg(annotated_read(m, c, &d), "%s", d.last);
	ck_assert_uint_eq(m->kernel[0]->regmutex->extended, 4);
	ck_assert_mem_eq(m->kernel[0]->regmutex->hold, held.p, 11);
}
END_TEST

START_TEST(changed_code_is_refused)
{
	struct cubin *c = cubin_of(bytes, nbytes), *x;
	uint64_t at = c->section[c->func[0].shndx].offset + 0x11;

	bytes[at] ^= 1;
	x = cubin_of(bytes, nbytes);
	ck_assert(!annotated_read(module_of(x), x, &d));
	ck_assert_uint_eq(d.errors, 1);
	ck_assert_ptr_nonnull(strstr(d.last, ".text."));
	ck_assert_ptr_nonnull(strstr(d.last, "is not the code that was annotated"));
}
END_TEST

/* In each table, byte by byte in the short ones: one error, in a section of ours. */
START_TEST(changed_annotations_are_refused)
{
	struct cubin *c = cubin_of(bytes, nbytes);
	unsigned refused = 0;

	for (uint32_t s = 1; s < c->nsection; s++) {
		const struct cubin_section *x = &c->section[s];

		if (strncmp(x->name, CUBIN_ADDED, sizeof CUBIN_ADDED - 1) != 0 ||
		    strcmp(x->name, CUBIN_CONTAINER) == 0 || strcmp(x->name, CUBIN_NAMES) == 0)
			continue;
		for (uint64_t b = 0; b < x->size; b += 1 + x->size / 97) {
			struct arena keep = a;
			struct diag e;

			arena_init(&a);
			diag_init(&e, NULL);
			bytes[x->offset + b] ^= (uint8_t)(1 << b % 8);
			ck_assert_msg(!annotated_read(module_of(c), c, &e), "%s+%u", x->name, (unsigned)b);
			ck_assert_uint_eq(e.errors, 1);
			ck_assert_msg(strstr(e.last, "k.cubin: .regloom.") ||
					      (strcmp(x->name, ".regloom.code") == 0 && strstr(e.last, "SHA-256")),
				      "%s: %s", x->name, e.last);
			refused++;
			bytes[x->offset + b] ^= (uint8_t)(1 << b % 8);
			diag_free(&e);
			arena_free(&a);
			a = keep;
		}
	}
	ck_assert_uint_gt(refused, 500);
}
END_TEST

START_TEST(code_that_was_not_annotated_is_refused)
{
	struct cubin *c = cubin_of(bytes, nbytes);
	struct cubin_section *wide = new_array(&a, struct cubin_section, c->nsection + 1);

	memcpy(wide, c->section, c->nsection * sizeof *wide);
	wide[c->nsection] = wide[c->func[0].shndx];
	wide[c->nsection].name = ".text.other";
	c->section = wide;
	c->nsection++;
	ck_assert(!annotated_read(module_of(c), c, &d));
	ck_assert_ptr_nonnull(strstr(d.last, ".text.other+0x0: error: is not annotated"));
}
END_TEST

Suite *suite_annotated(void)
{
	Suite *s = suite_create("annotated");
	TCase *c = tcase_create("annotated");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, what_was_written_is_read_and_written_again_the_same);
	tcase_add_test(c, liveness_is_by_address);
	tcase_add_test(c, acquire_and_release_are_by_address);
	tcase_add_test(c, changed_code_is_refused);
	tcase_add_test(c, changed_annotations_are_refused);
	tcase_add_test(c, code_that_was_not_annotated_is_refused);
	suite_add_tcase(s, c);
	return s;
}
