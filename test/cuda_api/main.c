/* api FOLDER CASE: one case in a process of its own, as a program that nvcc built would be. */
#include "api.h"

#include <lz4.h>
#include <zstd.h>

unsigned checks, wrong;
const char *folder;
char *kernels;
void **image_handle;
unsigned counter_shadow, table_shadow[4], *managed_shadow, stranger_shadow;

#define KERNEL(name)                       \
	void name(void)                    \
	{                                  \
		volatile int x = __LINE__; \
		(void)x;                   \
	}
KERNEL(axpy)
KERNEL(variables)
KERNEL(uses_shared)
KERNEL(prints)
KERNEL(pokes)
KERNEL(traps)
KERNEL(at_most_64)
KERNEL(samples)
KERNEL(decides)
KERNEL(absent)
KERNEL(stranger)

void check(bool ok, const char *what, const char *file, int line)
{
	checks++;
	if (!ok) {
		wrong++;
		printf("%s:%d: %s does not hold\n", file, line, what);
	}
}

void is(long long got, long long want, const char *what, const char *file, int line)
{
	checks++;
	if (got != want) {
		wrong++;
		printf("%s:%d: %s is %lld (%s), not %lld (%s)\n", file, line, what, got,
		       cudaGetErrorName((cudaError_t)got), want, cudaGetErrorName((cudaError_t)want));
	}
}

char *read_text(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *f = fopen(path, "rb");

	if (!f || !fread(text, 1, (1 << 16) - 1, f)) {
		printf("cannot read %s\n", path);
		exit(1);
	}
	fclose(f);
	return text;
}

/* docs/FATBIN.md: a container with one entry of PTX for sm_80. */
static char *container(const char *ptx, enum packing p)
{
	const size_t n = strlen(ptx) + 1;
	char *out = calloc(1, 16 + 64 + 2 * n + 1024), *body = out + 80;
	size_t packed = 0, payload;

	if (p == LZ4)
		packed = (size_t)LZ4_compress_default(ptx, body, (int)n, (int)(n + 1024));
	else if (p == ZSTD)
		packed = ZSTD_compress(body, n + 1024, ptx, n, 3);
	else
		memcpy(body, ptx, n);
	payload = ((packed ? packed : n) + 7) / 8 * 8;
#define PUT(at, type, v) memcpy(out + (at), &(type){ v }, sizeof(type))
	PUT(0, uint32_t, 0xba55ed50);
	PUT(4, uint16_t, 1);
	PUT(6, uint16_t, 16);
	PUT(8, uint64_t, 64 + payload);
	PUT(16, uint16_t, 1);
	PUT(18, uint16_t, 0x101);
	PUT(20, uint32_t, 64);
	PUT(24, uint64_t, payload);
	PUT(32, uint32_t, (uint32_t)packed);
	PUT(40, uint16_t, 0);
	PUT(42, uint16_t, 8);
	PUT(44, uint32_t, 80);
	PUT(56, uint64_t, 0x11 | (p == LZ4) * 0x2000 | (p == ZSTD) * 0x8000);
	PUT(72, uint64_t, packed ? n : 0);
	return out;
}

struct wrapper {
	int magic, version;
	const void *data;
	void *file;
};

const void *make_fatbin(const char *ptx, enum packing p)
{
	struct wrapper *w = malloc(sizeof *w);

	*w = (struct wrapper){ 0x466243b1, 1, container(ptx, p), NULL };
	return w;
}

const void *fatbin_of(const void *wrapper) { return ((const struct wrapper *)wrapper)->data; }

static void give_back(const void *wrapper)
{
	free((void *)(uintptr_t)fatbin_of(wrapper));
	free((void *)(uintptr_t)wrapper);
}

static void register_image(const void *wrapper)
{
#define REGISTER(name)                                                                                                \
	__cudaRegisterFunction(image_handle, (const char *)(uintptr_t)name, #name, #name, -1, NULL, NULL, NULL, NULL, \
			       NULL)
	image_handle = __cudaRegisterFatBinary((void *)(uintptr_t)wrapper);
	REGISTER(axpy);
	REGISTER(variables);
	REGISTER(uses_shared);
	REGISTER(prints);
	REGISTER(pokes);
	REGISTER(traps);
	REGISTER(at_most_64);
	REGISTER(samples);
	REGISTER(decides);
	REGISTER(absent);
	__cudaRegisterVar(image_handle, (char *)&counter_shadow, "counter", "counter", 0, 4, 0, 0);
	__cudaRegisterVar(image_handle, (char *)table_shadow, "table", "table", 0, 16, 1, 0);
	__cudaRegisterManagedVar(image_handle, (void **)&managed_shadow, "shared_with_host", "shared_with_host", 0, 4,
				 0, 0);
	__cudaRegisterHostVar(image_handle, "stranger", (char *)&stranger_shadow, 4);
	__cudaRegisterFatBinaryEnd(image_handle);
}

unsigned first_word(const void *device)
{
	unsigned v = 0xdead;

	OK(cudaMemcpy(&v, device, 4, cudaMemcpyDeviceToHost));
	return v;
}

void run_axpy(unsigned *y, const unsigned *x, unsigned a, unsigned n, cudaStream_t s)
{
	OK(cudaLaunchKernel((void *)(uintptr_t)axpy, d((n + 63) / 64, 1, 1), d(64, 1, 1), ARGS(&x, &y, &a, &n), 0, s));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
#define CASE(name) { #name, test_##name },
		CASES
#undef CASE
	};
	char path[4096];
	const void *image;

	if (argc != 3)
		return 2;
	folder = argv[1];
	snprintf(path, sizeof path, "%s/kernels.ptx", folder);
	kernels = read_text(path);
	image = make_fatbin(kernels, getenv("PACKING") ? (enum packing)atoi(getenv("PACKING")) : ZSTD);
	register_image(image);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(cases[i].name, argv[2])) {
			cases[i].run();
			__cudaUnregisterFatBinary(image_handle);
			give_back(image);
			free(kernels);
			printf("%u checks, %u wrong\n", checks, wrong);
			return wrong != 0;
		}
	return 2;
}
