/* What modules are made of: PTX texts in fatbins of our own making, linked ones, and two that have a kernel of one
 * name. images CASE. */
#include "test/cuda_core/core.h"

/* A fatbin of PTX texts as they are, and nvcc's wrapper around it. */
struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *more;
};

static char *container(unsigned n, const char *const text[], const unsigned arch[])
{
	static char *made[16];
	static unsigned count;
	uint64_t size = 0, at = 16;
	char *c;

	for (unsigned i = 0; i < n; i++)
		size += 64 + (strlen(text[i]) + 8) / 8 * 8;
	c = made[count++] = calloc(1, 16 + size);
	memcpy(c, "\x50\xed\x55\xba\1\0\x10\0", 8);
	memcpy(c + 8, &size, 8);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t bytes = (strlen(text[i]) + 8) / 8 * 8;

		c[at] = 1;
		c[at + 4] = 64;
		memcpy(c + at + 8, &bytes, 8);
		c[at + 26] = 8;
		memcpy(c + at + 28, &arch[i], 4);
		c[at + 40] = 0x11;
		strcpy(c + at + 64, text[i]);
		at += 64 + bytes;
	}
	return c;
}

#define STORES(n)                                                                                          \
	".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 %d; " \
	"ld.param.u64 %d, [p]; st.global.u32 [%d], " #n "; ret; }\n"

static uint32_t stored(struct cu_module *m)
{
	uint64_t at = 0;
	uint32_t v = 0;
	void *param[] = { &at };

	IS(cu_alloc(&at, 4, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(function(m, "k"), 1, 1, param), CU_OK);
	IS(cu_copy_line(of(&v), at, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	return v;
}

/* The newest PTX that the device's architecture takes. */
static void images(const char *path)
{
	static const char *const text[] = { STORES(50), STORES(80), STORES(100) };
	static const unsigned arch[] = { 50, 80, 100 };
	static struct wrapper w[2] = { { .magic = 0x466243b1, .version = 1 }, { .magic = 0x466243b1, .version = 1 } };
	static const char nothing[64] = "\177ELF\2\1\1";
	struct cu_module *m = NULL;

	(void)path;
	w[0].data = container(3, text, arch);
	w[1].data = container(1, text + 2, arch + 2);
	IS(cu_module_load(&m, &w[0], "app"), CU_OK);
	IS(stored(m), 80);
	IS(cu_module_load(&m, w[0].data, "app"), CU_OK);
	IS(stored(m), 80);
	IS(cu_module_load(&m, &w[1], "newer"), CU_OK);
	IS(cu_module_check(m), CU_NO_BINARY_FOR_GPU);
	IS(cu_module_load(&m, nothing, "cubin"), CU_OK);
	IS(cu_module_check(m), CU_INVALID_IMAGE);
	IS(cu_module_load(&m, "hello", "text"), CU_OK);
	IS(cu_module_check(m), CU_INVALID_PTX);
}

/* Modules of nvcc -rdc=true: a function and a variable of another one, locals of the same name, a weak function in
 * both. */
#define HEAD ".version 8.0\n.target sm_50\n.address_size 64\n"
static const char *const linked_text[] = {
	HEAD ".extern .func (.param .b32 r) f(.param .b32 x);\n.extern .global .align 4 .u32 g;\n.global .align 4 .u32 "
	     "mine = 1;\n"
	     ".weak .func (.param .b32 r) w(.param .b32 x) { .reg .b32 %a; ld.param.u32 %a, [x]; add.u32 %a, %a, 1000; "
	     "st.param.b32 [r], %a; ret; }\n"
	     ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<4>; .reg .b64 %d; ld.param.u64 %d, [p]; ld.global.u32 "
	     "%r0, [g]; ld.global.u32 %r1, [mine];\n"
	     "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), f, (a); ld.param.b32 %r2, [b]; }\n"
	     "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), w, (a); ld.param.b32 %r2, [b]; }\n"
	     "add.u32 %r2, %r2, %r1; st.global.u32 [%d], %r2; ret; }\n",
	HEAD ".visible .global .align 4 .u32 g = 7;\n.global .align 4 .u32 mine = 100;\n"
	     ".weak .func (.param .b32 r) w(.param .b32 x) { .reg .b32 %a; ld.param.u32 %a, [x]; add.u32 %a, %a, 1000; "
	     "st.param.b32 [r], %a; ret; }\n"
	     ".visible .func (.param .b32 r) f(.param .b32 x)\n{ .reg .b32 %a<3>; ld.param.u32 %a0, [x]; mul.lo.u32 "
	     "%a0, %a0, 3; ld.global.u32 %a1, [mine]; add.u32 %a0, %a0, %a1; st.param.b32 [r], %a0; ret; }\n",
};

static void linked(const char *path)
{
	static const unsigned arch = 50, far = 121;
	static const void *both[4], *twice[3];
	static struct wrapper w[2] = { { .magic = 0x466243b1, .version = 2 }, { .magic = 0x466243b1, .version = 2 } };
	struct cu_module *m = NULL;

	(void)path;
	both[0] = container(1, linked_text, &arch);
	both[1] = container(1, linked_text + 1, &arch);
	/* as libcudadevrt's, which has no PTX for the device */
	both[2] = container(1, linked_text + 1, &far);
	twice[0] = twice[1] = both[1];
	w[0].more = both;
	w[1].more = twice;
	IS(cu_module_load(&m, &w[0], "app"), CU_OK);
	IS(stored(m), 3 * 7 + 100 + 1000 + 1);
	IS(cu_module_load(&m, &w[1], "twice"), CU_OK);
	IS(cu_module_check(m), CU_INVALID_PTX);
}

/* Both count their files from 1. */
static void lines(const char *path)
{
	static const char *const text[] = {
		HEAD ".visible .entry store(.param .u64 p)\n{ .reg .b64 %d; ld.param.u64 %d, [p];\n.loc 1 5 "
		     "0\nst.global.u64 [%d], %d; ret; }\n.file 1 \"first.cu\"\n",
		HEAD ".visible .entry other(.param .u64 p)\n{ .reg .b64 %d; ld.param.u64 %d, [p];\n.loc 1 7 "
		     "0\nst.global.u64 [%d], %d; ret; }\n.file 1 \"second.cu\"\n",
	};
	static const unsigned arch = 50;
	static const void *both[3];
	static struct wrapper w = { .magic = 0x466243b1, .version = 2 };
	struct cu_module *m = NULL;
	uint64_t at = 8;
	void *param[] = { &at };

	(void)path;
	both[0] = container(1, text, &arch);
	both[1] = container(1, text + 1, &arch);
	w.more = both;
	IS(cu_module_load(&m, &w, "app"), CU_OK);
	IS(launch(function(m, "other"), 1, 1, param), CU_OK);
	IS(cu_synchronize(), CU_ILLEGAL_ADDRESS);
	IS(cu_reset(), CU_OK);
	IS(launch(function(m, "store"), 1, 1, param), CU_OK);
	IS(cu_synchronize(), CU_ILLEGAL_ADDRESS);
}

/* A function that calls itself for ever. */
static void deep(const char *path)
{
	static const char text[] = HEAD
		".func f(.reg .u32 %a) { .reg .u32 %b; add.u32 %b, %a, 1; call f, (%b); mul.lo.u32 %a, %a, %b; ret; }\n"
		".visible .entry k() { .reg .b32 %r; mov.u32 %r, 1; call f, (%r); ret; }\n";
	struct cu_module *m = NULL;

	(void)path;
	IS(cu_module_load(&m, text, "deep"), CU_OK);
	IS(cu_limit_set(CU_LIMIT_STACK, 4096), CU_OK);
	IS(launch(function(m, "k"), 1, 1, NULL), CU_OK);
	IS(cu_synchronize(), CU_LAUNCH_FAILED);
}

/* More blocks that wait for each other than the device holds. */
static void together(const char *path)
{
	struct cu_function *f = function(module(path), "sum");

	IS(cu_launch(&(struct cu_launch){ .f = f, .grid = { 1000, 1, 1 }, .block = { 8, 1, 1 }, .cooperative = true }),
	   CU_COOPERATIVE_LAUNCH_TOO_LARGE);
}

/* Kernels of one name in two images are two. */
static void namesakes(const char *path)
{
	struct cu_module *a = module(path), *b = NULL, *again = module(path);
	char *text = read_text(path);
	uint64_t at = 0;
	unsigned n = 32;
	float f = 2;
	void *param[] = { &at, &at, &f, &n };

	strcat(text, "\n// another\n");
	IS(cu_module_load(&b, text, path), CU_OK);
	IS(cu_alloc(&at, 4096, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(function(a, "saxpy"), 1, 32, param), CU_OK);
	IS(launch(function(b, "saxpy"), 2, 32, param), CU_OK);
	IS(launch(function(again, "saxpy"), 1, 32, param), CU_OK);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "images", images, "kernels" }, { "linked", linked, "kernels" },
		{ "lines", lines, "kernels" },   { "namesakes", namesakes, "kernels" },
		{ "deep", deep, "kernels" },     { "together", together, "kernels" },
	};

	return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
