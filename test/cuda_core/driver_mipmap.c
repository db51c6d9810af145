/* Arrays with levels of detail, and textures of them. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

struct shape3 {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};
struct resource {
	int kind;
	union {
		void *array;
		int room[32];
	};
	unsigned flags;
};
struct sampler {
	int address[3], filter;
	unsigned flags, anisotropy;
	int mipmap_filter;
	float bias, low, high, border[4];
	int reserved[12];
};
struct view {
	int format;
	size_t width, height, depth;
	unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};
extern int cuMipmappedArrayCreate(void **, const struct shape3 *, unsigned),
	cuMipmappedArrayGetLevel(void **, void *, unsigned), cuMipmappedArrayDestroy(void *);
extern int cuMipmappedArrayGetMemoryRequirements(void *, void *, int),
	cuMipmappedArrayGetSparseProperties(void *, void *);

enum { SIDE = 8, LEVELS = 4, LANES = 32 };
static void *kernel[3]; /* detail, slope, about */
static ptr out;
static float got[LANES];

static void look(unsigned k, ptr texture, float x, float y, float from, float step)
{
	void *param[] = { &texture, &out, &x, &y, &from, &step };

	IS(cuLaunchKernel(kernel[k], 1, 1, 1, LANES, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuMemcpyDtoH_v2(got, out, sizeof got), 0);
}

static void near_to(float want, float by, unsigned i, int line)
{
	const bool near = got[i] > want - by && got[i] < want + by;

	is(near, 1, "a sample", line);
	if (!near)
		printf("  [%u] is %g, not %g\n", i, (double)got[i], (double)want);
}
#define NEAR(i, want) near_to(want, 1e-4f, i, __LINE__)

static ptr texture(void *m, const struct sampler *s, const struct view *v)
{
	struct resource r = { .kind = 1, .array = m };
	ptr t = 0;

	IS(cuTexObjectCreate(&t, &r, s, v), 0);
	return t;
}

static void wrong_calls(void *m, void *level)
{
	struct resource r = { .kind = 1, .array = m };
	struct sampler s = { .flags = 2, .high = 9 };
	struct shape3 d = { SIDE, SIDE, 0, 32, 1, 0 };
	struct view v = { .format = 0, .first_level = 1, .last_level = LEVELS };
	void *x = NULL;
	ptr t = 0;
	int room[16];

	IS(cuMipmappedArrayCreate(NULL, &d, 1), 1);
	IS(cuMipmappedArrayCreate(&x, NULL, 1), 1);
	d.flags = 64;
	IS(cuMipmappedArrayCreate(&x, &d, 1), 801); /* sparse */
	d = (struct shape3){ 0, 0, 0, 32, 1, 0 };
	IS(cuMipmappedArrayCreate(&x, &d, 1), 1);
	IS(cuMipmappedArrayGetLevel(&x, m, LEVELS), 1);
	IS(cuMipmappedArrayGetLevel(NULL, m, 0), 1);
	IS(cuMipmappedArrayGetLevel(&x, NULL, 0), 400);
	IS(cuMipmappedArrayGetLevel(&x, level, 0), 400);
	IS(cuMipmappedArrayDestroy(level), 400);
	IS(cuMipmappedArrayDestroy(NULL), 400);
	IS(cuArrayDestroy(level), 1); /* it is the whole one's */
	IS(cuMipmappedArrayGetMemoryRequirements(room, m, 0), 1);
	IS(cuMipmappedArrayGetMemoryRequirements(room, m, 1), 101);
	IS(cuMipmappedArrayGetSparseProperties(room, m), 1);
	IS(cuMipmappedArrayGetSparseProperties(room, level), 400);
	IS(cuTexObjectCreate(&t, &r, &s, &v), 1);
	v = (struct view){ .first_level = 2, .last_level = 1 };
	IS(cuTexObjectCreate(&t, &r, &s, &v), 1);
	v = (struct view){ .format = 0x11, .last_level = 1 };
	IS(cuTexObjectCreate(&t, &r, &s, &v), 801);
	v = (struct view){ .format = 0x16, .last_level = 1, .width = SIDE, .height = SIDE / 2 };
	IS(cuTexObjectCreate(&t, &r, &s, &v), 1);
	s.flags = 0;
	IS(cuTexObjectCreate(&t, &r, &s, NULL), 1); /* coordinates must be normalized */
	s = (struct sampler){ .flags = 2, .mipmap_filter = 2 };
	IS(cuTexObjectCreate(&t, &r, &s, NULL), 1);
	r.array = level;
	s.mipmap_filter = 0;
	IS(cuTexObjectCreate(&t, &r, &s, NULL), 400);
	r.array = NULL;
	IS(cuTexObjectCreate(&t, &r, &s, NULL), 400);
}

/* Level l is 10 (l + 1) everywhere. */
static void constant_levels(void *m)
{
	struct sampler s = { .flags = 2, .high = 99 };
	struct view v = { .format = 0x16, .width = SIDE, .height = SIDE, .first_level = 1, .last_level = 2 };
	ptr t = texture(m, &s, NULL);

	look(0, t, 0.5f, 0.5f, -1, 0.25f); /* without a filter: the nearest level */
	for (unsigned i = 0; i < LANES; i++) {
		const float lod = -1 + 0.25f * (float)i;

		const float level = lod >= 2.5f ? LEVELS : (float)(int)(lod + 0.5f) + 1;

		NEAR(i, 10 * (lod < 0.5f ? 1 : level));
	}
	look(2, t, 0.1f, 0.9f, 0, 0);
	for (unsigned i = 0; i < 30; i++)
		NEAR(i, i < LEVELS ? (float)(SIDE >> i) : 1);
	NEAR(30, LEVELS);
	NEAR(31, 10);
	look(1, t, 0.5f, 0.5f, 2.0f / SIDE, 1.0f / SIDE); /* 2, 3, 4, ... texels apart */
	NEAR(0, 20);
	NEAR(1, 30); /* log2 3 is nearer to 2 */
	NEAR(2, 30);
	NEAR(6, 40);
	NEAR(30, 40);
	look(1, t, 0.5f, 0.5f, 8.0f / SIDE, -1.0f / SIDE); /* x counts where it is larger */
	NEAR(0, 40);
	NEAR(5, 30);
	NEAR(8, 30);
	IS(cuTexObjectDestroy(t), 0);
	s.mipmap_filter = s.filter = 1;
	t = texture(m, &s, NULL);
	look(0, t, 0.3f, 0.7f, 0, 0.125f); /* between the levels */
	for (unsigned i = 0; i < LANES; i++)
		NEAR(i, 10 + (i < 24 ? 1.25f * (float)i : 30));
	IS(cuTexObjectDestroy(t), 0);
	s.filter = 0;
	s.bias = 0.5f;
	s.low = 1.25f;
	s.high = 2.5f;
	t = texture(m, &s, NULL);
	look(0, t, 0.3f, 0.7f, 0, 0.25f);
	for (unsigned i = 0; i < LANES; i++) {
		const float lod = 0.25f * (float)i + 0.5f;

		const float least = lod < 1.25f ? 1.25f : lod;

		NEAR(i, 10 + 10 * (least > 2.5f ? 2.5f : least));
	}
	IS(cuTexObjectDestroy(t), 0);
	s = (struct sampler){ .flags = 2, .mipmap_filter = 1, .high = 99 };
	t = texture(m, &s, &v); /* levels are counted from the view's first one */
	look(0, t, 0.3f, 0.7f, 0, 0.25f);
	NEAR(0, 20);
	NEAR(1, 22.5f);
	NEAR(4, 30);
	NEAR(31, 30);
	look(2, t, 0.3f, 0.7f, 0, 0);
	NEAR(0, SIDE / 2);
	NEAR(1, SIDE / 4);
	NEAR(30, 2);
	NEAR(31, 20);
	IS(cuTexObjectDestroy(t), 0);
}

/* Each level has its own texels: linear in x, so that filters find the same at the same place. */
static void ramps(void *m)
{
	struct sampler s = { .address = { 1, 1, 1 }, .filter = 1, .flags = 2, .mipmap_filter = 1, .high = 99 };
	void *level = NULL;
	float row[SIDE];
	ptr t;

	for (unsigned l = 0; l < LEVELS; l++) {
		const unsigned n = SIDE >> l;

		IS(cuMipmappedArrayGetLevel(&level, m, l), 0);
		for (unsigned x = 0; x < n; x++)
			row[x] = ((float)x + 0.5f) / (float)n;
		IS(cuMemcpyHtoA_v2(level, 0, row, n * 4), 0);
		IS(cuMemcpyHtoA_v2(level, n * 4, row, n * 4), 1); /* beyond the row */
	}
	t = texture(m, &s, NULL);
	look(0, t, 0.5f, 0, 0, 0.125f); /* the middle, of the first row */
	for (unsigned i = 0; i < LANES; i++)
		NEAR(i, 0.5f);
	look(0, t, 0.3f, 0, 0, 0.125f);
	for (unsigned i = 0; i <= 16; i++) /* weights have 8 bits */
		near_to(0.3f, 0.002f, i, __LINE__);
	near_to(0.4f, 0.002f, 20, __LINE__); /* half of it the last level, which is 0.5 */
	NEAR(31, 0.5f);                      /* one texel */
	IS(cuTexObjectDestroy(t), 0);
}

/* Views of an array as it is: by the number of its format, and with all of its layers. */
static void views(void)
{
	/* in the order of the numbers that views have: of 1, 2 and 4 channels each */
	static const int format[] = { 1, 8, 2, 9, 3, 10, 16, 32 };
	const struct sampler s = { .flags = 2 };

	for (int i = 0; i < 24; i++) {
		struct shape3 d = { SIDE, SIDE, 6, format[i / 3], 1u << i % 3, 1 };
		struct view v = { .format = i + 1, .width = SIDE, .height = SIDE, .depth = 6, .last_layer = 5 };
		struct resource r = { .kind = 0 };
		ptr t = 0;

		IS(cuArray3DCreate_v2(&r.array, &d), 0);
		IS(cuTexObjectCreate(&t, &r, &s, &v), 0);
		IS(cuTexObjectDestroy(t), 0);
		v.format = (i + 1) % 24 + 1;
		IS(cuTexObjectCreate(&t, &r, &s, &v), 801);
		v.format = i + 1;
		v.last_layer = 4;
		IS(cuTexObjectCreate(&t, &r, &s, &v), 801);
		v.last_layer = 5;
		v.first_layer = 1;
		IS(cuTexObjectCreate(&t, &r, &s, &v), 801);
		IS(cuArrayDestroy(r.array), 0);
	}
}

void mipmaps(const char *folder)
{
	struct shape3 d = { SIDE, SIDE, 0, 32, 1, 0 }, found;
	struct resource r;
	void *c = context(), *mod = NULL, *m = NULL, *level[LEVELS], *volume = NULL, *other = NULL;
	float value[SIDE * SIDE];
	char path[4096];
	size_t f = 0, g = 0, total = 0;
	ptr t = 0;

	snprintf(path, sizeof path, "%s/mipmap.ptx", folder);
	IS(cuModuleLoad(&mod, path), 0);
	IS(cuModuleGetFunction(&kernel[0], mod, "detail"), 0);
	IS(cuModuleGetFunction(&kernel[1], mod, "slope"), 0);
	IS(cuModuleGetFunction(&kernel[2], mod, "about"), 0);
	IS(cuMemAlloc_v2(&out, sizeof got), 0);
	IS(cuMemGetInfo_v2(&f, &total), 0);
	IS(cuMipmappedArrayCreate(&m, &d, 99), 0); /* as many as there can be */
	for (unsigned l = 0; l < LEVELS; l++) {
		const unsigned n = SIDE >> l;

		IS(cuMipmappedArrayGetLevel(&level[l], m, l), 0);
		IS(cuArray3DGetDescriptor_v2(&found, level[l]), 0);
		CHECK(found.width == n && found.height == n && found.depth == 0 && found.format == 32 &&
		      found.channels == 1);
		for (unsigned i = 0; i < n * n; i++)
			value[i] = 10 * (float)(l + 1);
		{
			struct {
				size_t fx, fy;
				int fk;
				const void *fh;
				ptr fd;
				void *fa;
				size_t fp, tx, ty;
				int tk;
				void *th;
				ptr td;
				void *ta;
				size_t tp, w, h;
			} box = { .fk = 1, .fh = value, .fp = n * 4, .tk = 3, .ta = level[l], .w = n * 4, .h = n };

			IS(cuMemcpy2D_v2(&box), 0);
			box.ty = 1;
			IS(cuMemcpy2D_v2(&box), 1); /* into the next one */
		}
	}
	wrong_calls(m, level[1]);
	constant_levels(m);
	ramps(m);
	views();
	/* Of three dimensions each halves, of layers not. */
	d = (struct shape3){ 16, 4, 8, 1, 4, 0 };
	IS(cuMipmappedArrayCreate(&volume, &d, 4), 0);
	IS(cuMipmappedArrayGetLevel(&other, volume, 3), 0);
	IS(cuArray3DGetDescriptor_v2(&found, other), 0);
	CHECK(found.width == 2 && found.height == 1 && found.depth == 1 && found.channels == 4);
	IS(cuMipmappedArrayGetLevel(&other, volume, 4), 1);
	r = (struct resource){ .kind = 1, .array = volume };
	/* integers are not mixed */
	IS(cuTexObjectCreate(&t, &r, &(struct sampler){ .flags = 3, .mipmap_filter = 1 }, NULL), 1);
	IS(cuMipmappedArrayDestroy(volume), 0);
	d = (struct shape3){ 16, 4, 8, 1, 4, 1 };
	IS(cuMipmappedArrayCreate(&volume, &d, 0), 0);
	IS(cuMipmappedArrayGetLevel(&other, volume, 1), 1); /* one, at least */
	IS(cuMipmappedArrayDestroy(volume), 0);
	IS(cuMipmappedArrayCreate(&volume, &d, 3), 0);
	IS(cuMipmappedArrayGetLevel(&other, volume, 2), 0);
	IS(cuArray3DGetDescriptor_v2(&found, other), 0);
	CHECK(found.width == 4 && found.height == 1 && found.depth == 8 && found.flags == 1);
	IS(cuMipmappedArrayDestroy(volume), 0);
	IS(cuMipmappedArrayDestroy(volume), 400);
	IS(cuArray3DGetDescriptor_v2(&found, other), 400);
	IS(cuMipmappedArrayDestroy(m), 0);
	IS(cuMemGetInfo_v2(&g, &total), 0);
	IS(g, f);
	d = (struct shape3){ SIDE, 0, 0, 32, 1, 0 };
	IS(cuMipmappedArrayCreate(&m, &d, 2), 0);
	IS(cuMipmappedArrayGetLevel(&other, m, 1), 0);
	IS(cuArray3DGetDescriptor_v2(&found, other), 0);
	CHECK(found.width == SIDE / 2 && !found.height && !found.depth);
	IS(cuCtxDestroy_v2(c), 0); /* with what it owns */
	context();
	IS(cuMemGetInfo_v2(&g, &total), 0);
	IS(g, total);
}
