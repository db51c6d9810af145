/* The host program that a launch file stands for, through the driver interface: replay KERNELS LAUNCH.yaml, of
 * PTX or a cubin. Buffers are allocated in their order, set to zero, copied to the device or left as they are, and what
 * comes back is judged as the file says: PASS or FAIL. A device of the functional engine's stands beside the driver's,
 * for the file's own functions: its buffers must lie at the same addresses. Links with libregloom and with libcuda. */
#include "test/cuda_core/driver.h"

#include "analyzer/cubin/cubin.h"
#include "analyzer/ptx/ptx.h"
#include "analyzer/sass/lift.h"
#include "runtime-model/launch/launch.h"

#include <stdio.h>
#include <string.h>

extern int cuMemsetD8_v2(ptr, unsigned char, size_t);

enum { LIMIT_STACK = 0, LIMIT_HEAP = 2, MAX_DYNAMIC_SHARED = 8, PARAMS_POINTER = 1, PARAMS_SIZE = 2 };

struct replay {
	struct module *m;
	struct launch_file *f;
	struct device *beside;
	void *module;
	struct arena a;
	struct diag d;
};

static bool done(int status, const char *what)
{
	if (status)
		fprintf(stderr, "replay: %s: %d\n", what, status);
	return !status;
}
#define DONE(call) done(call, #call)

static uint64_t bytes_of(const struct buffer_spec *b) { return b->count * (type_info[b->type].bits / 8); }

static void *shadow(const struct replay *r, const struct buffer_spec *b)
{
	return device_ptr(r->beside, b->address, bytes_of(b));
}

static bool allocate(const struct replay *r)
{
	for (unsigned i = 0; i < r->f->nbuffer; i++) {
		const struct buffer_spec *b = &r->f->buffer[i];
		ptr at = 0;

		if (!DONE(cuMemAlloc_v2(&at, bytes_of(b))))
			return false;
		if (at != b->address) {
			fprintf(stderr, "replay: buffer %s lies at 0x%llx, and in a launch file at 0x%llx\n", b->name,
				at, (unsigned long long)b->address);
			return false;
		}
		if (b->fill == FILL_ZERO && !DONE(cuMemsetD8_v2(at, 0, bytes_of(b))))
			return false;
		if (b->fill != FILL_ZERO && b->fill != FILL_NONE &&
		    !DONE(cuMemcpyHtoD_v2(at, shadow(r, b), bytes_of(b))))
			return false;
	}
	return true;
}

/* That decides about repeat i; NULL: none does. */
static const struct buffer_spec *flag_of(const struct replay *r, unsigned i)
{
	return r->f->repeat[i].flag < 0 ? NULL : &r->f->buffer[r->f->repeat[i].flag];
}

/* The next launch. A flag that decides is read before, and cleared where the launch file has it cleared. */
static enum launch_step advance(struct replay *r, struct launch_cursor *c)
{
	enum launch_step step;

	for (unsigned i = 0; i < r->f->nrepeat; i++) {
		const struct buffer_spec *b = flag_of(r, i);

		if (b && !DONE(cuMemcpyDtoH_v2(shadow(r, b), b->address, bytes_of(b))))
			return LAUNCH_FAILED;
	}
	step = launch_advance(r->f, r->beside, c, &r->d);
	for (unsigned i = 0; i < r->f->nrepeat && step == LAUNCH_RUN; i++) {
		const struct buffer_spec *b = c->launch == r->f->repeat[i].first ? flag_of(r, i) : NULL;

		if (b && !DONE(cuMemsetD8_v2(b->address, 0, type_info[b->type].bits / 8)))
			return LAUNCH_FAILED;
	}
	return step;
}

static bool launch_one(struct replay *r, const struct launch_cursor *c)
{
	const struct launch_spec *l = &r->f->launch[c->launch];
	const struct kernel *k = module_find_kernel(r->m, l->kernel);
	size_t bytes = launch_param_bytes(k);
	void *params = arena_alloc(&r->a, bytes + 1, 8), *function = NULL;
	void *extra[] = { (void *)PARAMS_POINTER, params, (void *)PARAMS_SIZE, &bytes, NULL };

	return launch_params(r->f, c->launch, c->round, k, params, &r->d) &&
	       DONE(cuModuleGetFunction(&function, r->module, l->kernel)) &&
	       (!l->shared_bytes || DONE(cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, (int)l->shared_bytes))) &&
	       DONE(cuLaunchKernel(function, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
				   l->shared_bytes, NULL, NULL, extra)) &&
	       DONE(cuCtxSynchronize());
}

/* Variables of the module lie before buffers, as in a launch file. */
static bool load(struct replay *r, const char *path)
{
	void *function, *context;
	int registers;

	if (!DONE(cuInit(0)) || !DONE(cuCtxCreate_v2(&context, 0, 0)) || !DONE(cuModuleLoad(&r->module, path)))
		return false;
	for (unsigned i = 0; i < r->f->nlaunch; i++)
		if (!DONE(cuModuleGetFunction(&function, r->module, r->f->launch[i].kernel)) ||
		    !DONE(cuFuncGetAttribute(&registers, 4, function)))
			return false;
	return !r->f->heap_bytes || DONE(cuCtxSetLimit(LIMIT_HEAP, r->f->heap_bytes));
}

static bool judge(struct replay *r)
{
	struct expect_result *result = new_array(&r->a, struct expect_result, r->f->nexpect);
	enum check check;

	for (unsigned i = 0; i < r->f->nbuffer; i++)
		if (!DONE(cuMemcpyDtoH_v2(shadow(r, &r->f->buffer[i]), r->f->buffer[i].address,
					  bytes_of(&r->f->buffer[i]))))
			return false;
	check = launch_check(r->f, r->beside, result, &r->a, &r->d);
	puts(check == CHECK_PASS || check == CHECK_NONE ? "replay: PASS" : "replay: FAIL");
	return check == CHECK_PASS || check == CHECK_NONE;
}

static struct module *read_kernels(struct replay *r, const char *path)
{
	struct source source;
	struct cubin *c;

	if (!source_read(&source, path, &r->a, &r->d))
		return NULL;
	if (!cubin_is(source.text, source.len))
		return ptx_parse(&source, &r->a, &r->d);
	c = cubin_read(&source, &r->a, &r->d);
	return c ? sass_lift(c, &r->a, &r->d) : NULL;
}

static bool replay(struct replay *r, const char *kernels, const char *launch)
{
	struct launch_cursor c = { 0 };
	enum launch_step step;

	if (!(r->m = read_kernels(r, kernels)) || !(r->f = launch_read(launch, &r->a, &r->d)) ||
	    !launch_bind(r->f, r->m, &r->d))
		return false;
	for (unsigned i = 0; i < r->f->nlaunch; i++)
		if (r->f->nresource || r->f->launch[i].cluster[0] || r->f->launch[i].stack_bytes)
			return done(1, "textures, clusters and stacks are not for this program");
	r->beside = device_new_for(r->m, &r->d);
	if (!device_load(r->beside, r->m) || !launch_prepare(r->f, r->beside, &r->a, &r->d) || !load(r, kernels) ||
	    !allocate(r))
		return false;
	while ((step = advance(r, &c)) == LAUNCH_RUN)
		if (!launch_one(r, &c))
			return false;
	return step == LAUNCH_DONE && judge(r);
}

int main(int argc, char **argv)
{
	struct replay r = { 0 };
	bool ok;

	if (argc != 3)
		return 2;
	arena_init(&r.a);
	diag_init(&r.d, stderr);
	ok = replay(&r, argv[1], argv[2]);
	device_free(r.beside);
	diag_free(&r.d);
	arena_free(&r.a);
	return !ok;
}
