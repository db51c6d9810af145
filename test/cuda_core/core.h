/* What programs in C that test the core's interface have in common: checks, images, launches. */
#include "runtime-model/cuda/core/core.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAYBE __attribute__((unused))
static atomic_uint checks, wrong;

#define CHECK(x) check((x), #x, __LINE__)
#define IS(x, want) is((int)(x), (int)(want), #x, __LINE__)

MAYBE static void check(bool ok, const char *what, int line)
{
	checks++;
	if (!ok) {
		wrong++;
		printf("line %d: %s does not hold\n", line, what);
	}
}

static void is(int got, int want, const char *what, int line)
{
	checks++;
	if (got != want) {
		wrong++;
		printf("line %d: %s is %d (%s), not %d\n", line, what, got, cu_status_text(got), want);
	}
}

MAYBE static char *read_text(const char *path) /* an image lives as long as its module */
{
	static char *image[64];
	static unsigned n;
	FILE *f = fopen(path, "rb");
	char *text = image[n++] = calloc(1, 1 << 20);

	if (!f || !fread(text, 1, (1 << 20) - 1, f)) {
		printf("cannot read %s\n", path);
		exit(1);
	}
	fclose(f);
	return text;
}

MAYBE static uint64_t of(const void *p) { return (uint64_t)(uintptr_t)p; }

MAYBE static struct cu_function *function(struct cu_module *m, const char *name)
{
	struct cu_function *f = NULL;

	IS(cu_module_function(&f, m, name), CU_OK);
	return f;
}

MAYBE static struct cu_module *module(const char *path)
{
	struct cu_module *m = NULL;

	IS(cu_module_load(&m, read_text(path), path), CU_OK);
	return m;
}

MAYBE static enum cu_status launch(struct cu_function *f, unsigned grid, unsigned block, void **param)
{
	return cu_launch(
		&(struct cu_launch){ .f = f, .grid = { grid, 1, 1 }, .block = { block, 1, 1 }, .param = param });
}

struct test_case {
	const char *name;
	void (*run)(const char *);
	const char *file;
};

/* PROGRAM FOLDER CASE */
static int run_case(const struct test_case *cases, unsigned n, int argc, char **argv)
{
	char path[4096];

	for (unsigned i = 0; argc > 2 && i < n; i++)
		if (strcmp(argv[2], cases[i].name) == 0) {
			snprintf(path, sizeof path, "%s/%s.ptx", argv[1], cases[i].file);
			cases[i].run(path);
			printf("%s: %u checks, %u wrong\n", argv[2], checks, wrong);
			return wrong != 0;
		}
	return 2;
}
