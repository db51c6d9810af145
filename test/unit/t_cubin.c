/* Cubins that nvcc made (test/golden/cubin/make.sh): functions, resources, parameters, branches, relocations, calls, of both ABIs. */
#include "analyzer/cubin/cubin.h"

#include <check.h>
#include <string.h>

#define DIR "test/golden/cubin/"

struct env { struct arena a; struct diag d; struct source s; struct cubin *c; };

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
static const struct { const char *file; unsigned sm; char suffix; bool relocatable; const char *kernel; uint32_t regs, barriers, shared, reserved, frame, base, params; } kernels[] = {
	{ DIR "calls_75.cubin",     75,  0,   false, "calls", 24, 1, 256,  0,    8, 0x160, 13 },
	{ DIR "calls_80.cubin",     80,  0,   false, "calls", 24, 1, 256,  0,    8, 0x160, 13 },
	{ DIR "calls_80_rdc.cubin", 80,  0,   true,  "calls", 24, 1, 256,  0,    8, 0x160, 13 },
	{ DIR "calls_90_rdc.cubin", 90,  0,   true,  "calls", 24, 1, 256,  0,    8, 0x210, 13 },
	{ DIR "calls_120.cubin",    120, 0,   false, "calls", 24, 1, 1280, 1024, 8, 0x380, 13 },
	{ DIR "large_90a.cubin",    90,  'a', false, "large", 8, 0, 0,    0,    0, 0x210, 8008 },
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

Suite *suite_cubin(void);
Suite *suite_cubin(void)
{
	Suite *s = suite_create("cubin");
	TCase *t = tcase_create("read");

	suite_add_tcase(s, t);
	tcase_add_loop_test(t, resources_are_those_that_ptxas_reports, 0, sizeof kernels / sizeof *kernels);
	return s;
}
