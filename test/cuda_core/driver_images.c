/* Images, what is in them, and images of another kind: libraries, links, arrays and textures. */
#include "driver.h"

#include "test/cuda_core/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *text_of(const char *folder, const char *name)
{
	char path[4096], *text = calloc(1, 1 << 16);
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f || !fread(text, 1, (1 << 16) - 1, f))
		wrong++;
	if (f)
		fclose(f);
	return text;
}

/* The logs of a compilation, of which there are two, each with its size before and after it. */
static void what_is_said(const char *folder)
{
	static const char none[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .b32 %a; "
				   "add.u32 %a, %b, 1; ret; }\n";
	char *mixed = text_of(folder, "lazy.ptx"), info[32] = "xxx", log[300] = "xxx", tiny[4] = "xxx";
	int option[] = { 0, 6, 5, 3, 4 };
	void *value[] = { (void *)32, (void *)sizeof log, log, info, (void *)sizeof info }, *m = NULL, *l = NULL;

	context();
	IS(cuModuleLoadDataEx(&m, none, 5, option, value), 218);
	CHECK(strstr(log, "'%b' is not declared") && value[1] == (void *)strlen(log));
	CHECK(!info[0] && !value[4] && value[0] == (void *)32);
	value[1] = (void *)sizeof tiny;
	value[2] = tiny;
	IS(cuModuleLoadDataEx(&m, none, 5, option, value), 218);
	CHECK(strlen(tiny) == 3 && value[1] == (void *)3);
	value[1] = (void *)77; /* its size alone */
	IS(cuModuleLoadDataEx(&m, none, 2, option, value), 0);
	CHECK(!value[1]);
	IS(cuModuleUnload(m), 0);
	value[1] = (void *)sizeof log;
	value[2] = log;
	IS(cuLibraryLoadData(&l, mixed, option, value, 5, NULL, NULL, 0), 0); /* some of its kernels are good */
	CHECK(strstr(log, "kernel wrong cannot be run") && value[1] == (void *)strlen(log));
	IS(cuLibraryUnload(l), 0);
	free(mixed);
}

/* Files whose images say that there is more of them, or are none without the program that they were in. */
static void files(void)
{
	static const unsigned char cut[] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0 },
				   huge[] = { 0x50, 0xed, 0x55, 0xba, 1,   0,   16,  0,
					      255,  255,  255,  255,  255, 255, 255, 255 },
				   wrapper[] = { 0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0, 8, 0, 0, 0,
						 0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0 };
	static const struct {
		const void *bytes;
		size_t n;
	} bad[] = { { cut, sizeof cut }, { huge, sizeof huge }, { cut, 8 }, { wrapper, sizeof wrapper } };
	char path[4096];
	void *m = NULL, *l = NULL;

	CHECK(temporary(path));
	IS(cuLinkCreate_v2(0, NULL, NULL, &l), 0);
	for (unsigned i = 0; i < 4; i++) {
		FILE *f = fopen(path, "wb");

		fwrite(bad[i].bytes, 1, bad[i].n, f);
		fclose(f);
		IS(cuModuleLoad(&m, path), 200);
		IS(cuLinkAddFile_v2(l, 2, path, 0, NULL, NULL), 200);
		IS(cuLinkAddData_v2(l, 2, (void *)(uintptr_t)bad[i].bytes, bad[i].n, "cut", 0, NULL, NULL),
		   i < 3 ? 200 : 0);
	}
	IS(cuLinkDestroy(l), 0);
	CHECK(remove(path) == 0);
}

void images(const char *folder)
{
	what_is_said(folder);
	files();
}

void libraries(const char *folder)
{
	static const char *const names[] = { "choose", "apply", "count", "other", "wrong", "outside" };
	char path[4096], *text = text_of(folder, "lazy.ptx"), log[8] = "xxxxxxx";
	void *l = NULL, *m = NULL, *k = NULL, *f = NULL, *all[8] = { NULL }, *c = NULL, *value[] = { log, (void *)8 };
	unsigned n = 0, which = 1;
	void *param[] = { &which };
	int option[] = { 3, 4 }, v = -1;
	const char *name = "";
	size_t at = 9, bytes = 9;
	ptr p = 0;
	struct {
		int id, pad;
		unsigned x, y, z, room[13];
	} two = { 4, 0, 2, 1, 1, { 0 } };
	struct {
		unsigned grid[3], block[3], shared;
		void *s, *attribute;
		unsigned n;
	} config = { { 2, 1, 1 }, { 64, 1, 1 }, 0, NULL, NULL, 0 };

	IS(cuLibraryLoadData(&l, text, NULL, NULL, 0, NULL, NULL, 0), 3);
	IS(cuInit(0), 0); /* no context is needed */
	IS(cuLibraryLoadData(&l, NULL, NULL, NULL, 0, NULL, NULL, 0), 1);
	IS(cuLibraryLoadData(&l, text, NULL, NULL, 1, NULL, NULL, 0), 1);
	IS(cuLibraryLoadData(&l, text, option, value, 2, NULL, NULL, 0), 0);
	CHECK(!log[0] && !value[1]);
	memset(text, 'x', 100); /* it was copied */
	IS(cuLibraryGetKernelCount(&n, l), 0);
	IS(n, 6);
	IS(cuLibraryGetKernelCount(NULL, l), 1);
	IS(cuLibraryEnumerateKernels(all, 8, l), 0);
	for (unsigned i = 0; i < n; i++) {
		IS(cuKernelGetName(&name, all[i]), 0);
		IS(strcmp(name, names[i]), 0);
	}
	IS(cuLibraryGetKernel(&k, l, "nothing"), 500);
	IS(cuLibraryGetKernel(&k, l, "wrong"), 218);
	IS(cuLibraryGetKernel(&k, l, "choose"), 0);
	CHECK(k == all[0]);
	IS(cuLibraryGetKernel(&k, all[0], "choose"), 400);
	IS(cuKernelGetLibrary(&m, k), 0);
	CHECK(m == l);
	IS(cuKernelGetLibrary(&m, l), 400);
	IS(cuKernelGetParamInfo(k, 0, &at, &bytes), 0);
	CHECK(at == 0 && bytes == 4);
	IS(cuKernelGetParamInfo(k, 1, &at, &bytes), 1);
	IS(cuKernelGetAttribute(&v, 0, k, 0), 0);
	IS(v, 1024);
	IS(cuKernelGetAttribute(&v, 0, k, 1), 101);
	IS(cuKernelGetAttribute(&v, 99, k, 0), 1);
	IS(cuKernelSetAttribute(8, 1000, k, 0), 0);
	IS(cuKernelGetAttribute(&v, 8, k, 0), 0);
	IS(v, 1000);
	IS(cuKernelSetAttribute(8, 1 << 30, k, 0), 1);
	IS(cuKernelSetCacheConfig(k, 2, 0), 0);
	IS(cuKernelSetCacheConfig(k, 7, 0), 1);
	IS(cuKernelGetFunction(&f, k), 201);
	c = context();
	IS(cuKernelGetFunction(&f, k), 0);
	IS(cuKernelGetFunction(&f, l), 400);
	IS(cuLibraryGetModule(&m, l), 0);
	IS(cuLibraryGetModule(&m, f), 400);
	IS(cuLibraryGetGlobal(&p, &bytes, l, "total"), 0);
	IS(bytes, 4);
	IS(cuLibraryGetGlobal(&p, &bytes, l, "nothing"), 500);
	IS(cuLibraryGetManaged(&p, &bytes, l, "total"), 500);
	IS(cuFuncIsLoaded(&v, all[1]), 0);
	IS(v, 0);
	IS(cuFuncLoad(all[1]), 0);
	IS(cuFuncIsLoaded(&v, all[1]), 0);
	IS(v, 1);
	IS(cuFuncIsLoaded(&v, l), 400);
	IS(cuFuncLoad(all[4]), 218);
	IS(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuLaunchKernel(all[1], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
	IS(cuMemcpyDtoH_v2(&v, p, 4), 0);
	IS(v, 300);
	IS(cuModuleUnload(l), 400);
	IS(cuCtxDestroy_v2(c), 0); /* which does not own it */
	c = context();
	IS(cuMemcpyDtoH_v2(&v, p, 4), 0);
	IS(v, 300);
	IS(cuLibraryUnload(l), 0);
	IS(cuLibraryUnload(l), 400);
	IS(cuFuncLoad(k), 400);
	snprintf(path, sizeof path, "%s/lazy.ptx", folder);
	IS(cuLibraryLoadFromFile(&l, "/nothing", NULL, NULL, 0, NULL, NULL, 0), 301);
	IS(cuLibraryLoadFromFile(&l, path, NULL, NULL, 0, NULL, NULL, 0), 0);
	IS(cuLibraryUnload(l), 0);
	IS(cuModuleLoad(&m, path), 0);
	IS(cuLibraryUnload(m), 400);
	IS(cuModuleEnumerateFunctions(all, 2, m), 0);
	IS(cuModuleEnumerateFunctions(NULL, 2, m), 1);
	IS(cuFuncGetName(&name, all[1]), 0);
	IS(strcmp(name, "apply"), 0);
	IS(cuFuncGetModule(&f, all[1]), 0);
	CHECK(f == m);
	IS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, all[1], 1, 64), 0);
	CHECK(bytes >= 16384);
	IS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, all[1], 0, 64), 1);
	IS(cuOccupancyMaxActiveClusters(&v, all[1], &config), 912);
	config.attribute = &two;
	config.n = 1;
	IS(cuOccupancyMaxActiveClusters(&v, all[1], &config), 0);
	CHECK(v > 0);
	IS(cuOccupancyMaxPotentialClusterSize(&v, all[1], &config), 0);
	IS(v, 8);
	IS(cuOccupancyMaxPotentialClusterSize(&v, m, &config), 400);
	IS(cuOccupancyMaxActiveClusters(&v, all[1], NULL), 1);
	free(text);
}

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
void linking(const char *folder)
{
	static char f[] =
		HEAD ".visible .global .align 4 .u32 g = 7;\n.visible .func (.param .b32 r) f(.param .b32 x)\n{ .reg "
		     ".b32 %a; ld.param.u32 %a, [x]; mul.lo.u32 %a, %a, 3; st.param.b32 [r], %a; ret; }\n";
	static char k[] = HEAD ".extern .func (.param .b32 r) f(.param .b32 x);\n.extern .global .align 4 .u32 "
			       "g;\n.visible .entry k()\n{ .reg .b32 %r; ld.global.u32 %r, [g];\n"
			       "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r; call (b), f, (a); ld.param.b32 "
			       "%r, [b]; }\nst.global.u32 [g], %r; ret; }\n";
	static char bad[] = "no PTX at all", wrong_text[] = HEAD ".global .u32 x[;\n";
	char path[4096], log[100] = "";
	void *c = context(), *l = NULL, *image = NULL, *m = NULL, *fn = NULL,
	     *value[] = { log, (void *)sizeof log, (void *)0 };
	int option[] = { 5, 6, 7 }, v = 0;
	size_t bytes = 0;
	ptr p = 0;

	IS(cuLinkCreate_v2(1, NULL, NULL, &l), 1);
	IS(cuLinkCreate_v2(0, NULL, NULL, NULL), 1);
	IS(cuLinkCreate_v2(3, option, value, &l), 0);
	IS(cuLinkComplete(l, &image, &bytes), 1);
	IS(cuLinkAddData_v2(l, 1, k, strlen(k) + 1, "k.ptx", 0, NULL, NULL), 0);
	IS(cuLinkAddData_v2(l, 1, f, strlen(f), NULL, 0, NULL, NULL), 0); /* without its zero */
	IS(cuLinkAddData_v2(l, 1, NULL, 5, "f.ptx", 0, NULL, NULL), 1);
	IS(cuLinkAddData_v2(l, 6, f, 5, "f.ptx", 0, NULL, NULL), 1);
	IS(cuLinkAddData_v2(l, 4, f, 5, "libf.a", 0, NULL, NULL), 801);
	IS(cuLinkAddData_v2(c, 1, f, 5, "f.ptx", 0, NULL, NULL), 400);
	IS(cuLinkAddFile_v2(l, 1, "/nothing.ptx", 0, NULL, NULL), 301);
	IS(cuLinkComplete(l, NULL, &bytes), 1);
	IS(cuLinkComplete(l, &image, &bytes), 0);
	IS(bytes, strlen(image) + 1);
	CHECK(!log[0]);
	IS(cuLinkAddData_v2(l, 1, f, strlen(f), "late.ptx", 0, NULL, NULL), 1);
	IS(cuModuleLoadData(&m, image), 0);
	IS(cuLinkDestroy(l), 0);
	IS(cuLinkDestroy(l), 400);
	IS(cuModuleGetFunction(&fn, m, "k"), 0);
	IS(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
	IS(cuModuleGetGlobal_v2(&p, NULL, m, "g"), 0);
	IS(cuMemcpyDtoH_v2(&v, p, 4), 0);
	IS(v, 21);
	/* Two definitions; no PTX; PTX with errors; machine code. */
	value[1] = (void *)sizeof log;
	IS(cuLinkCreate_v2(3, option, value, &l), 0);
	IS(cuLinkAddData_v2(l, 1, f, strlen(f), "a.ptx", 0, NULL, NULL), 0);
	IS(cuLinkAddData_v2(l, 1, f, strlen(f), "b.ptx", 0, NULL, NULL), 0);
	IS(cuLinkComplete(l, &image, &bytes), 218);
	CHECK(strstr(log, "several modules define") && (size_t)(uintptr_t)value[1] == strlen(log));
	IS(cuLinkDestroy(l), 0);
	IS(cuLinkCreate_v2(0, NULL, NULL, &l), 0);
	IS(cuLinkAddData_v2(l, 1, bad, sizeof bad, "bad.ptx", 0, NULL, NULL), 0);
	IS(cuLinkComplete(l, &image, &bytes), 218);
	IS(cuLinkDestroy(l), 0);
	IS(cuLinkCreate_v2(0, NULL, NULL, &l), 0);
	IS(cuLinkAddData_v2(l, 1, wrong_text, sizeof wrong_text, "wrong.ptx", 0, NULL, NULL), 0);
	IS(cuLinkComplete(l, &image, &bytes), 218);
	IS(cuLinkDestroy(l), 0);
	IS(cuLinkCreate_v2(0, NULL, NULL, &l), 0);
	IS(cuLinkAddData_v2(l, 0, "\177ELF\2\1\1", 8, "k.cubin", 0, NULL, NULL), 200); /* cut */
	snprintf(path, sizeof path, "%s/../sass/cubin/saxpy.sm_75.cubin", folder);
	IS(cuLinkAddFile_v2(l, 0, path, 0, NULL, NULL), 0);
	IS(cuLinkComplete(l, &image, &bytes), 209);
	IS(cuLinkDestroy(l), 0);
	snprintf(path, sizeof path, "%s/lazy.ptx", folder);
	IS(cuLinkCreate_v2(0, NULL, NULL, &l), 0);
	IS(cuLinkAddFile_v2(l, 1, path, 0, NULL, NULL), 0);
	IS(cuLinkComplete(l, &image, &bytes), 0);
	IS(cuLinkDestroy(l), 0);
	IS(cuLinkDestroy(NULL), 400);
}

void textures(const char *folder)
{
	struct shape2 {
		size_t w, h;
		int format;
		unsigned channels;
	} two = { 8, 0, 32, 1 }, got2;
	struct shape3 {
		size_t w, h, d;
		int format;
		unsigned channels, flags;
	} three = { 8, 4, 0, 32, 1, 2 }, got3;
	struct {
		int kind;
		union {
			void *array;
			struct {
				ptr addr;
				int format;
				unsigned channels;
				size_t w, h, pitch;
			} rows;
			struct {
				ptr addr;
				int format;
				unsigned channels;
				size_t bytes;
			} linear;
			int room[32];
		};
		unsigned flags;
	} r = { .kind = 0 }, got;
	struct {
		int address[3], filter;
		unsigned flags, anisotropy;
		int mip;
		float bias, low, high, border[4];
		int room[12];
	} d = { .address = { 1, 1, 1 } }, got_d;
	struct {
		size_t fx, fy;
		int fk;
		const void *fh;
		ptr f;
		void *fa;
		size_t fp, tx, ty;
		int tk;
		void *th;
		ptr t;
		void *ta;
		size_t tp, w, h;
	} box = { .fk = 1, .tk = 3, .fp = 32, .w = 32, .h = 4 };
	void *c = context(), *line = NULL, *a = NULL, *none = NULL, *m = NULL, *f = NULL, *s = NULL;
	float x[32], y[32] = { 0 }, row = 1.5f;
	ptr texture = 0, surface = 0, p = 0, q = 0, h = 0;
	void *param[] = { &texture, &surface, &p, &row };
	char path[4096], view[112];
	unsigned off = 0;

	for (unsigned i = 0; i < 32; i++)
		x[i] = (float)i;
	two.format = 7;
	IS(cuArrayCreate_v2(&line, &two), 1);
	two.format = 32;
	two.channels = 3;
	IS(cuArrayCreate_v2(&line, &two), 1);
	two.channels = 1;
	IS(cuArrayCreate_v2(&line, NULL), 1);
	IS(cuArrayCreate_v2(NULL, &two), 1);
	IS(cuArrayCreate_v2(&line, &two), 0);
	IS(cuArrayGetDescriptor_v2(&got2, line), 0);
	IS(memcmp(&got2, &two, sizeof two), 0);
	three.flags = 0x40;
	IS(cuArray3DCreate_v2(&a, &three), 801);
	three.flags = 4;
	IS(cuArray3DCreate_v2(&a, &three), 1);
	three.flags = 2;
	IS(cuArray3DCreate_v2(&a, &three), 0);
	IS(cuArray3DGetDescriptor_v2(&got3, a), 0);
	IS(memcmp(&got3, &three, offsetof(struct shape3, flags) + sizeof three.flags), 0);
	IS(cuArray3DGetDescriptor_v2(&got3, &got3), 400);
	IS(cuArrayGetDescriptor_v2(NULL, a), 1);
	IS(cuArrayGetPlane(&none, a, 0), 1);
	IS(cuArrayGetSparseProperties(&got3, a), 1);
	/* Lines of bytes. */
	IS(cuMemcpyHtoA_v2(line, 4, x, 8), 0);
	IS(cuMemcpyAtoH_v2(y, line, 8, 4), 0);
	CHECK(y[0] == 1);
	IS(cuMemcpyHtoA_v2(line, 28, x, 8), 1);
	IS(cuMemcpyHtoA_v2(NULL, 28, x, 4), 1);
	IS(cuMemAlloc_v2(&p, sizeof x), 0);
	IS(cuMemcpyAtoD_v2(p, line, 4, 8), 0);
	IS(cuMemcpyDtoA_v2(line, 16, p, 8), 0);
	IS(cuMemcpyAtoA_v2(a, 0, line, 16, 8), 0);
	IS(cuMemcpyAtoH_v2_ptds(y, a, 4, 4), 0);
	CHECK(y[0] == 1);
	IS(cuStreamCreate(&s, 0), 0);
	IS(cuMemcpyHtoAAsync_v2(line, 0, x + 5, 4, s), 0);
	IS(cuMemcpyHtoAAsync_v2(line, 0, x + 5, 4, &off), 400);
	IS(cuMemcpyAtoHAsync_v2_ptsz(y, line, 0, 4, NULL), 0);
	CHECK(y[0] == 5);
	/* A texture and a surface of the same array. */
	box.fh = x;
	box.ta = a;
	IS(cuMemcpy2D_v2(&box), 0);
	r.array = a;
	IS(cuTexObjectCreate(&texture, &r, &d, NULL), 0);
	IS(cuTexObjectGetResourceDesc(&got, texture), 0);
	CHECK(got.kind == 0 && got.array == a);
	IS(cuTexObjectGetTextureDesc(&got_d, texture), 0);
	IS(memcmp(&got_d, &d, sizeof d), 0);
	IS(cuTexObjectGetResourceViewDesc(view, texture), 0);
	IS(cuTexObjectGetResourceDesc(&got, 1), 1);
	IS(cuSurfObjectCreate(&surface, &r), 0);
	IS(cuSurfObjectGetResourceDesc(&got, surface), 0);
	CHECK(got.array == a);
	IS(cuSurfObjectGetResourceDesc(NULL, surface), 1);
	snprintf(path, sizeof path, "%s/texture.ptx", folder);
	IS(cuModuleLoad(&m, path), 0);
	IS(cuModuleGetFunction(&f, m, "sample"), 0);
	IS(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuMemcpyDtoH_v2(y, p, 32), 0);
	for (unsigned i = 0; i < 8; i++)
		off += y[i] != (float)(8 + i);
	IS(cuMemcpyAtoH_v2(y, a, 0, 8), 0);
	box.fk = 3;
	box.tk = 1;
	box.fa = a;
	box.ta = NULL;
	box.th = y;
	box.tp = 32;
	IS(cuMemcpy2D_v2(&box), 0);
	for (unsigned i = 0; i < 32; i++)
		off += y[i] != (float)i + (i / 8 == 1);
	IS(off, 0);
	IS(cuTexObjectDestroy(texture), 0);
	IS(cuTexObjectDestroy(texture), 1);
	/* A border with a colour: above the last row, and, with a filter, half of it at the edge. */
	d.address[0] = d.address[1] = 3;
	d.border[0] = 100;
	row = -1;
	IS(cuTexObjectCreate(&texture, &r, &d, NULL), 0);
	IS(cuModuleGetFunction(&f, m, "look"), 0);
	IS(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuMemcpyDtoH_v2(y, p, 32), 0);
	CHECK(y[0] == 100 && y[7] == 100);
	IS(cuTexObjectDestroy(texture), 0);
	d.filter = 1;
	row = 0;
	IS(cuTexObjectCreate(&texture, &r, &d, NULL), 0);
	IS(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuMemcpyDtoH_v2(y, p, 32), 0);
	CHECK(y[0] == 75 && y[2] == 50 + 1.5f / 2); /* three corners of four are border, and two */
	IS(cuTexObjectDestroy(texture), 0);
	d.filter = 0;
	d.border[0] = 0;
	/* Normalised coordinates, which run back and forth in a mirror: whole numbers are its two ends. */
	d.flags = 2;
	d.address[0] = d.address[1] = 2;
	row = 0.375f;
	IS(cuTexObjectCreate(&texture, &r, &d, NULL), 0);
	IS(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuMemcpyDtoH_v2(y, p, 32), 0);
	CHECK(y[0] == 9 && y[1] == 16 && y[2] == 9 && y[7] == 16);
	IS(cuTexObjectDestroy(texture), 0);
	d.flags = 0;
	d.address[0] = d.address[1] = 1;
	IS(cuTexObjectGetTextureDesc(&got_d, texture), 1);
	IS(cuSurfObjectDestroy(surface), 0);
	IS(cuSurfObjectDestroy(surface), 1);
	/* Rows and lines of memory, and what is wrong with them. */
	r.kind = 3;
	IS(cuMemAlloc_v2(&q, 4096), 0);
	r.rows.addr = q;
	r.rows.format = 1;
	r.rows.channels = 4;
	r.rows.w = r.rows.h = 8;
	r.rows.pitch = 32;
	d.filter = 1;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 0); /* 8 bits, read as floats */
	IS(cuTexObjectDestroy(h), 0);
	d.flags = 1;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 1); /* integers are not filtered */
	d.filter = 0;
	IS(cuTexObjectCreate(&h, &r, &d, view), 1);
	r.rows.pitch = 16;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 1);
	r.kind = 2;
	r.linear.bytes = 0;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 1);
	r.linear.bytes = 64;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 0);
	IS(cuSurfObjectCreate(&h, &r), 1);
	r.kind = 1;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 400);
	r.kind = 9;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 1);
	r.kind = 0;
	r.array = line;
	IS(cuSurfObjectCreate(&h, &r), 1);
	d.address[0] = 4;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 1);
	d.address[0] = 0;
	d.flags = 16;
	IS(cuTexObjectCreate(&h, &r, &d, NULL), 801);
	IS(cuTexObjectCreate(NULL, &r, &d, NULL), 1);
	IS(cuArrayDestroy(a), 0);
	IS(cuArrayDestroy(a), 400);
	IS(cuCtxDestroy_v2(c), 0);
}
