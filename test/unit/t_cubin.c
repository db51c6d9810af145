/* Cubins that nvcc made (test/golden/cubin/make.sh): functions, resources, parameters, branches, relocations, calls, of
 * both ABIs. */
#include "analyzer/cubin/cubin.h"

#include <check.h>
#include <string.h>

#define DIR "test/golden/cubin/"

struct env {
	struct arena a;
	struct diag d;
	struct source s;
	struct cubin *c;
};

static struct cubin *open_file(struct env *e, const char *name)
{
	arena_init(&e->a);
	diag_init(&e->d, NULL);
	ck_assert(source_read(&e->s, name, &e->a, &e->d));
	e->c = cubin_read(&e->s, &e->a, &e->d);
	return e->c;
}

static void done(struct env *e)
{
	diag_free(&e->d);
	arena_free(&e->a);
}

static const struct cubin_func *func(const struct env *e, const char *name)
{
	for (uint32_t f = 0; f < e->c->nfunc; f++)
		if (strcmp(e->c->func[f].name, name) == 0)
			return &e->c->func[f];
	ck_abort_msg("there is no function %s", name);
}

/* ptxas -v said the registers, shared memory, stack and parameters. */
static const struct {
	const char *file;
	unsigned sm;
	char suffix;
	bool relocatable;
	const char *kernel;
	uint32_t regs, barriers, shared, reserved, frame, base, params;
} kernels[] = {
	{ DIR "calls_75.cubin", 75, 0, false, "calls", 24, 1, 256, 0, 8, 0x160, 13 },
	{ DIR "calls_80.cubin", 80, 0, false, "calls", 24, 1, 256, 0, 8, 0x160, 13 },
	{ DIR "calls_80_rdc.cubin", 80, 0, true, "calls", 24, 1, 256, 0, 8, 0x160, 13 },
	{ DIR "calls_90_rdc.cubin", 90, 0, true, "calls", 24, 1, 256, 0, 8, 0x210, 13 },
	{ DIR "calls_120.cubin", 120, 0, false, "calls", 24, 1, 1280, 1024, 8, 0x380, 13 },
	{ DIR "large_90a.cubin", 90, 'a', false, "large", 8, 0, 0, 0, 0, 0x210, 8008 },
};

START_TEST(resources_are_those_that_ptxas_reports)
{
	struct env e;
	const struct cubin_func *f;

	ck_assert(open_file(&e, kernels[_i].file) != NULL);
	ck_assert_uint_eq(e.c->sm, kernels[_i].sm);
	ck_assert_int_eq(e.c->suffix, kernels[_i].suffix);
	ck_assert_uint_eq(e.c->toolkit, 130);
	ck_assert(e.c->new_abi);
	ck_assert(e.c->relocatable == kernels[_i].relocatable);
	f = func(&e, kernels[_i].kernel);
	ck_assert(f->entry && f->owner);
	ck_assert_uint_eq(f->regs, kernels[_i].regs);
	ck_assert_uint_eq(f->barriers, kernels[_i].barriers);
	ck_assert_uint_eq(f->shared_bytes, kernels[_i].shared);
	ck_assert_uint_eq(f->shared_reserved, kernels[_i].reserved);
	ck_assert_uint_eq(f->frame_bytes, kernels[_i].frame);
	ck_assert_uint_eq(f->param_base, kernels[_i].base);
	ck_assert_uint_eq(f->param_bytes, kernels[_i].params);
	done(&e);
}
END_TEST

/* As `readelf --debug-dump=decodedline` has them, which applies no relocations: rows of calls follow those of jumps. */
START_TEST(lines_are_those_of_the_table)
{
	static const struct {
		const char *section;
		uint64_t offset;
		uint32_t line;
	} want[] = {
		{ ".text.jumps", 0x0, 21 },   { ".text.jumps", 0x10, 23 },  { ".text.jumps", 0x130, 26 },
		{ ".text.jumps", 0x160, 24 }, { ".text.jumps", 0x3b0, 29 }, { ".text.calls", 0x0, 12 },
		{ ".text.calls", 0xf0, 16 },  { ".text.calls", 0x320, 8 },  { ".text.calls", 0xa10, 10 },
	};
	struct env e;
	uint32_t l = 0, calls = 0;

	ck_assert(open_file(&e, DIR "calls_80.cubin") != NULL);
	ck_assert_uint_eq(e.c->nline, 43);
	for (size_t w = 0; w < sizeof want / sizeof *want; w++) {
		while (l < e.c->nline && (strcmp(e.c->section[e.c->line[l].shndx].name, want[w].section) != 0 ||
					  e.c->line[l].offset != want[w].offset))
			l++;
		ck_assert_uint_lt(l, e.c->nline);
		ck_assert_uint_eq(e.c->line[l].line, want[w].line);
		ck_assert_str_eq(e.c->line[l].file, "/tmp/cubin/calls.cu");
	}
	done(&e);
	/* addends beside the fields, a section a function */
	ck_assert(open_file(&e, DIR "calls_90_rdc.cubin") != NULL);
	for (l = 0; l < e.c->nline; l++)
		if (strcmp(e.c->section[e.c->line[l].shndx].name, ".text.calls") == 0 && !calls++)
			ck_assert(e.c->line[l].offset == 0 && e.c->line[l].line == 12);
	ck_assert_uint_gt(calls, 10);
	done(&e);
	ck_assert(open_file(&e, DIR "calls_75.cubin") != NULL);
	ck_assert_uint_eq(e.c->nline, 0);
	done(&e);
}
END_TEST

/* sm_80: one BRX for the switch of seven, or two, and where they may go. */
START_TEST(indirect_branches_name_their_targets)
{
	struct env e;
	const struct cubin_func *f;

	ck_assert(open_file(&e, DIR "calls_80.cubin") != NULL);
	f = func(&e, "jumps");
	ck_assert_uint_eq(f->nrange, 2);
	ck_assert_uint_eq(f->range[0].offset, 0x120);
	ck_assert_uint_eq(f->range[0].ntarget, 4);
	ck_assert_uint_eq(e.c->target[f->range[0].target_first], 0x160);
	ck_assert_uint_eq(f->range[1].offset, 0x260);
	ck_assert_uint_eq(e.c->target[f->range[1].target_first + 2], 0x300);
	ck_assert_uint_eq(f->nexit, 9);
	ck_assert_uint_eq(f->exit[0], 0x150);
	ck_assert_uint_eq(func(&e, "calls")->nrange, 0);
	done(&e);
}
END_TEST

START_TEST(parameters_come_by_offset)
{
	static const struct cubin_param calls[] = { { 0, 0, 8 }, { 1, 8, 4 }, { 2, 12, 1 } },
					large[] = { { 0, 0, 8000 }, { 1, 8000, 8 } };
	struct env e;
	const struct cubin_func *f;

	ck_assert(open_file(&e, DIR "calls_75.cubin") != NULL);
	f = func(&e, "calls");
	ck_assert_uint_eq(f->nparam, 3);
	ck_assert_mem_eq(f->param, calls, sizeof calls);
	ck_assert(f->maxntid[0] == 128 && f->maxntid[1] == 1 && f->maxntid[2] == 1 && f->reqntid[0] == 0);
	done(&e);
	ck_assert(open_file(&e, DIR "large_90a.cubin") != NULL);
	f = func(&e, "large");
	ck_assert_uint_eq(f->nparam, 2);
	ck_assert_mem_eq(f->param, large, sizeof large);
	ck_assert(f->cluster[0] == 2 && f->cluster[1] == 1 && f->cluster[2] == 1);
	done(&e);
}
END_TEST

START_TEST(functions_inside_a_kernel_are_not_kernels)
{
	struct env e;
	const struct cubin_func *f, *k;

	ck_assert(open_file(&e, DIR "calls_80.cubin") != NULL);
	k = func(&e, "calls");
	f = func(&e, "$calls$_Z3sumfi");
	ck_assert(!f->entry && !f->owner);
	ck_assert_uint_eq(f->shndx, k->shndx);
	ck_assert_uint_eq(f->offset, 0x320);
	ck_assert_uint_eq(f->regs, 0);
	ck_assert(e.c->func[0].entry && e.c->func[1].entry && !e.c->func[2].entry);
	done(&e);
	ck_assert(open_file(&e, DIR "calls_90_rdc.cubin") != NULL);
	f = func(&e, "_Z3sumfi");
	ck_assert(!f->entry && f->owner && f->offset == 0);
	ck_assert_uint_eq(f->regs, 53);
	done(&e);
}
END_TEST

START_TEST(relocations_and_calls_are_kept)
{
	struct env e;
	bool call = false, table = false;

	ck_assert(open_file(&e, DIR "calls_90_rdc.cubin") != NULL);
	for (uint32_t i = 0; i < e.c->nreloc; i++) {
		const struct cubin_reloc *x = &e.c->reloc[i];

		ck_assert(!i || x[-1].shndx < x->shndx || (x[-1].shndx == x->shndx && x[-1].offset <= x->offset));
		ck_assert_ptr_nonnull(cubin_reloc_name(x->type, NULL));
		ck_assert(!x->in_place);
		table |= strcmp(e.c->symbol[x->symbol].name, "table") == 0 &&
			 strcmp(cubin_reloc_name(x->type, NULL), "CONST_IMM") == 0;
	}
	ck_assert(table);
	for (uint32_t i = 0; i < e.c->ncall; i++)
		if (e.c->call[i].callee < CUBIN_CALL_FLAGS)
			call |= strcmp(e.c->symbol[e.c->call[i].caller].name, "calls") == 0 &&
				strcmp(e.c->symbol[e.c->call[i].callee].name, "_Z3sumfi") == 0;
	ck_assert(call);
	done(&e);
}
END_TEST

/* No toolkit before 13 is at hand, so the header is written as they did: the SM is in other bits, the toolkit in
 * e_version. */
START_TEST(headers_of_older_toolkits_are_read)
{
	static const struct {
		const char *file;
		uint32_t flags;
		unsigned sm;
		char suffix;
	} old[] = {
		{ DIR "calls_75.cubin", 0x4b054b, 75, 0 },
		{ DIR "calls_80.cubin", 0x500550, 80, 0 },
		{ DIR "large_90a.cubin", 0x5a0d5a, 90, 'a' },
	};
	struct env e;
	struct cubin *c;
	uint8_t *p;

	ck_assert(open_file(&e, old[_i].file) != NULL);
	p = (uint8_t *)(uintptr_t)e.s.text;
	p[7] = 0x33;
	p[8] = 7;
	memcpy(p + 20, &(uint32_t){ 118 }, 4);
	memcpy(p + 48, &old[_i].flags, 4);
	c = cubin_read(&e.s, &e.a, &e.d);
	ck_assert_ptr_nonnull(c);
	ck_assert(!c->new_abi);
	ck_assert_uint_eq(c->sm, old[_i].sm);
	ck_assert_int_eq(c->suffix, old[_i].suffix);
	ck_assert_uint_eq(c->func[0].regs, e.c->func[0].regs);
	p = memmem(p, e.s.len, ".note.nv.cuinfo", 15);
	p[1] = 'X'; /* older files have no notes */
	c = cubin_read(&e.s, &e.a, &e.d);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->toolkit, 118);
	((uint8_t *)(uintptr_t)e.s.text)[7] = 0x41; /* and of newer ones an attribute of kernels says it too */
	c = cubin_read(&e.s, &e.a, &e.d);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->toolkit, 130);
	done(&e);
}
END_TEST

/* BYTES bytes set to VALUE at AT of the file (section NULL), of a section's header or of its bytes. */
static const struct {
	const char *section;
	bool header;
	unsigned at, bytes;
	uint64_t value;
	const char *why;
} damage[] = {
	{ NULL, false, 0, 1, 0, "file+0x0: error: is not an ELF file" },
	{ NULL, false, 4, 1, 1, "file+0x4: error: is not a 64-bit ELF file" },
	{ NULL, false, 5, 1, 2, "file+0x5: error: is not little-endian" },
	{ NULL, false, 6, 1, 0, "file+0x6: error: has an unknown ELF version" },
	{ NULL, false, 7, 1, 0, "file+0x7: error: has an unknown ABI, 0x0" },
	{ NULL, false, 16, 2, 3, "file+0x10: error: is neither linked nor relocatable" },
	{ NULL, false, 18, 2, 62, "file+0x12: error: is for machine 62, not for NVIDIA's GPUs" },
	{ NULL, false, 32, 8, 1 << 20, "file+0x20: error: program headers are outside the file" },
	{ NULL, false, 40, 8, 1 << 20, "file+0x28: error: section headers are outside the file; is it cut?" },
	{ NULL, false, 48, 4, 4, "file+0x30: error: does not say for which GPU it is" },
	{ NULL, false, 52, 2, 52, "error: has an ELF header of unknown size" },
	{ NULL, false, 58, 2, 40, "error: has section headers of unknown size" },
	{ NULL, false, 62, 2, 0, "error: has no section names" },
	{ ".shstrtab", false, 0, 1, 0, NULL },
	{ ".shstrtab", true, 4, 4, 1, "error: section names do not end" },
	{ ".text.calls", true, 24, 8, 1 << 20, "is outside the file; is it cut?" },
	{ ".text.calls", true, 4, 4, 0, "has a wrong type" },
	{ ".text.calls", true, 48, 8, 3, "has a wrong alignment" },
	{ ".text.calls", true, 8, 8, 0x806, "is compressed" },
	{ ".text.calls", true, 32, 8, 0xe70,
	  ".text.calls+0xa40: error: $__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath, of 0x440 bytes, goes over the "
	  "end" },
	{ ".nv.shared.calls", true, 32, 8, (uint64_t)1 << 33, "is larger than the memory of a GPU" },
	{ ".symtab", true, 4, 4, 1, "error: has no symbols" },
	{ ".symtab", true, 32, 8, 25, ".symtab+0x19: error: ends within a symbol" },
	{ ".symtab", true, 40, 4, 4, ".symtab+0x0: error: has no names of symbols, or they do not end" },
	{ ".symtab", false, 24, 4, 1 << 20, "a symbol has no name" },
	{ ".symtab", false, 24 + 6, 2, 200, ".symtab+0x1e: error: symbol " },
	{ ".nv.info", false, 0, 1, 9, ".nv.info+0x0: error: attribute 0x2f has an unknown format, 9" },
	{ ".nv.info", false, 0, 1, 2, ".nv.info+0x0: error: REGCOUNT is of format 2 instead of 4" },
	{ ".nv.info", false, 2, 2, 12, ".nv.info+0x2: error: REGCOUNT has 12 bytes instead of 8" },
	{ ".nv.info", false, 2, 2, 1000,
	  ".nv.info+0x2: error: attribute 0x2f of 1000 bytes goes over the end of the section" },
	{ ".nv.info", false, 4, 4, 99, ".nv.info+0x4: error: REGCOUNT is of symbol 99 of 26" },
	{ ".nv.info", false, 8, 4, 300, "has 300 registers" },
	{ ".nv.info", true, 32, 8, 0x52,
	  ".nv.info+0x4a: error: attribute 0x12 of 8 bytes goes over the end of the section" },
	{ ".nv.info", true, 32, 8, 0x56, "ends within an attribute" },
	{ ".nv.info.jumps", true, 44, 4, 99, ".nv.info.jumps+0x0: error: is of section 99, which there is not" },
	{ ".nv.info.jumps", true, 44, 4, 25, "is the second section of attributes of calls" },
	{ ".nv.info.jumps", false, 72, 4, 0x500, "EXIT at 0x500 is outside the code of jumps" },
	{ ".nv.info.jumps", false, 112, 4, 0x1000, "an indirect branch at 0x1000 is outside the code of jumps" },
	{ ".nv.info.jumps", false, 120, 4, 200, "the targets of an indirect branch of jumps end too early" },
	{ ".nv.info.jumps", false, 124, 4, 0x1000,
	  "a target of an indirect branch, 0x1000, is outside the code of jumps" },
	{ ".rel.nv.constant4", false, 0, 8, 999,
	  ".rel.nv.constant4+0x0: error: relocates byte 0x3e7 of .nv.constant4, which has 0x18" },
	{ ".rel.nv.constant4", false, 12, 4, 99, "uses symbol 99 of 26" },
	{ ".rel.nv.constant4", true, 44, 4, 99, "relocates section 99, which there is not" },
	{ ".rel.nv.constant4", true, 32, 8, 9, "ends within a relocation" },
	{ ".nv.callgraph", true, 32, 8, 12, "ends within a pair of caller and callee" },
	{ ".nv.callgraph", false, 4, 4, 99, "calls between symbols 0 and 99 of 26" },
	{ ".debug_line", false, 0, 4, 0xfffffff0, ".debug_line+0x0: error: the line table is damaged" },
};

static uint8_t *place(struct env *e, const char *section, bool header)
{
	uint8_t *p = (uint8_t *)(uintptr_t)e->s.text;
	uint64_t shoff;

	memcpy(&shoff, p + 40, 8);
	for (uint32_t s = 1; section && s < e->c->nsection; s++)
		if (strcmp(e->c->section[s].name, section) == 0)
			return header ? p + shoff + 64 * s : p + e->c->section[s].offset;
	ck_assert_msg(!section, "there is no section %s", section);
	return p;
}

/* What lines of a code section say of inlined functions. */
static const char *inlined_in(const struct env *e, const char *section)
{
	static char text[1024];
	size_t used = 0;

	text[0] = 0;
	for (uint32_t l = 0; l < e->c->nline; l++)
		if (strcmp(e->c->section[e->c->line[l].shndx].name, section) == 0 && e->c->line[l].inlined) {
			used += (size_t)snprintf(text + used, sizeof text - used, "%s; ", e->c->line[l].inlined);
			ck_assert_uint_lt(used, sizeof text);
		}
	return text;
}

/* The source has the calls on these lines; its kernels are in the file twice, in two tables, and each is a sequence
 * that numbers its own rows. */
#define AT(n) ", inlined at inlined.cu:" #n
START_TEST(inlined_functions_are_called_in_their_own_kernel)
{
	struct env e;
	uint8_t *table;

	ck_assert(open_file(&e, DIR "inlined_80_linked.cubin") != NULL);
	ck_assert_str_eq(inlined_in(&e, ".text.a1"),
			 "thrice1" AT(13) " in twice1" AT(19) "; thrice1" AT(18) "; twice1" AT(19) "; ");
	ck_assert_str_eq(inlined_in(&e, ".text.b1"), "thrice1" AT(13) " in twice1" AT(24) "; twice1" AT(24) "; ");
	ck_assert_str_eq(inlined_in(&e, ".text.a2"),
			 "thrice2" AT(13) " in twice2" AT(19) "; thrice2" AT(18) "; twice2" AT(19) "; ");
	ck_assert_str_eq(inlined_in(&e, ".text.b2"), "thrice2" AT(13) " in twice2" AT(24) "; twice2" AT(24) "; ");
	table = place(&e, ".debug_line", false);
	/* of b1, which has 11 rows: the fourteenth from there is of a1 */
	ck_assert(table[0x57] == 0x90 && table[0x58] == 3);
	table[0x58] = 14;
	ck_assert((e.c = cubin_read(&e.s, &e.a, &e.d)) != NULL);
	ck_assert_str_eq(inlined_in(&e, ".text.b1"), "thrice1" AT(13) "; twice1" AT(24) "; ");
	done(&e);
}
END_TEST

/* Of sm_90a a note with the options of ptxas says the letter, and .nv.compat. */
START_TEST(the_letter_of_an_architecture_is_in_two_places)
{
	struct env e;
	struct cubin *c;

	ck_assert(open_file(&e, DIR "large_90a.cubin") != NULL);
	((uint8_t *)memmem(e.s.text, e.s.len, ".note.nv.tkinfo", 15))[1] = 'X';
	c = cubin_read(&e.s, &e.a, &e.d);
	ck_assert(c && c->suffix == 'a');
	place(&e, ".nv.compat", false)[2] = 0;
	c = cubin_read(&e.s, &e.a, &e.d);
	ck_assert(c && c->suffix == 0);
	((uint8_t *)memmem(e.s.text, e.s.len, ".Xote.nv.tkinfo", 15))[1] = 'n';
	c = cubin_read(&e.s, &e.a, &e.d);
	ck_assert(c && c->suffix == 'a');
	done(&e);
}
END_TEST

START_TEST(damage_is_refused_with_its_offset)
{
	struct env e;
	struct cubin *c;

	ck_assert(open_file(&e, DIR "calls_80.cubin") != NULL);
	memcpy(place(&e, damage[_i].section, damage[_i].header) + damage[_i].at, &damage[_i].value, damage[_i].bytes);
	c = cubin_read(&e.s, &e.a, &e.d);
	if (!damage[_i].why) { /* nothing that matters */
		ck_assert_ptr_nonnull(c);
	} else {
		ck_assert_ptr_null(c);
		ck_assert_uint_eq(e.d.errors, 1);
		ck_assert_msg(strstr(e.d.last, damage[_i].why) != NULL, "%s", e.d.last);
	}
	done(&e);
}
END_TEST

START_TEST(a_cut_file_is_refused)
{
	struct env e;
	size_t whole;

	ck_assert(open_file(&e, DIR "calls_75.cubin") != NULL);
	whole = e.s.len;
	for (size_t n = 0; n < whole; n += n < 64 ? 1 : 97) {
		e.s.len = n;
		e.d.errors = 0;
		/* Program headers are last in a file of nvcc; all else comes before them. */
		ck_assert_ptr_null(cubin_read(&e.s, &e.a, &e.d));
		ck_assert_uint_eq(e.d.errors, 1);
	}
	done(&e);
}
END_TEST

/* Tables that lie over each other would grow with the number of their headers: here each of five names the same 8 KiB
 * of records. */
START_TEST(tables_that_lie_over_each_other_are_refused)
{
	static const char *const names[] = { ".rel.debug_frame", ".rel.nv.constant4", ".nv.info.calls",
					     ".nv.info.jumps", ".nv.callgraph" };
	const uint32_t type = 0x70000000, none = 0, record = 0x0401;
	struct env e;
	uint64_t size;

	ck_assert(open_file(&e, DIR "calls_80.cubin") != NULL);
	memcpy(&size, place(&e, ".nv_debug_ptx_txt", true) + 32, 8);
	size &= ~(uint64_t)3;
	for (uint64_t at = 0; at < size; at += 4)
		memcpy(place(&e, ".nv_debug_ptx_txt", false) + at, &record, 4);
	for (unsigned i = 0; i < 5; i++) {
		uint8_t *h = place(&e, names[i], true);

		memcpy(h + 4, &type, 4);
		memcpy(h + 24, place(&e, ".nv_debug_ptx_txt", true) + 24, 8);
		memcpy(h + 32, &size, 8);
		memcpy(h + 44, &none, 4);
		if (i == 0)
			ck_assert_ptr_nonnull(cubin_read(&e.s, &e.a, &e.d));
	}
	ck_assert_ptr_null(cubin_read(&e.s, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, "lies over other tables of the file") != NULL, "%s", e.d.last);
	done(&e);
}
END_TEST

Suite *suite_cubin(void);
Suite *suite_cubin(void)
{
	Suite *s = suite_create("cubin");
	TCase *t = tcase_create("read");

	suite_add_tcase(s, t);
	tcase_add_loop_test(t, resources_are_those_that_ptxas_reports, 0, sizeof kernels / sizeof *kernels);
	tcase_add_test(t, lines_are_those_of_the_table);
	tcase_add_test(t, inlined_functions_are_called_in_their_own_kernel);
	tcase_add_test(t, indirect_branches_name_their_targets);
	tcase_add_test(t, parameters_come_by_offset);
	tcase_add_test(t, functions_inside_a_kernel_are_not_kernels);
	tcase_add_test(t, relocations_and_calls_are_kept);
	tcase_add_loop_test(t, headers_of_older_toolkits_are_read, 0, 3);
	tcase_add_loop_test(t, damage_is_refused_with_its_offset, 0, sizeof damage / sizeof *damage);
	tcase_add_test(t, the_letter_of_an_architecture_is_in_two_places);
	tcase_add_test(t, a_cut_file_is_refused);
	tcase_add_test(t, tables_that_lie_over_each_other_are_refused);
	return s;
}
