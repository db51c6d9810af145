/* For tests of launch files: text in, what was said about it out. */
#ifndef REGLOOM_TEST_LAUNCH_ENV_H
#define REGLOOM_TEST_LAUNCH_ENV_H

#include "runtime-model/launch/launch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH "launches:\n  - {kernel: k, grid: [2, 3], block: [32]}\n"

struct env {
	struct arena a;
	struct diag d;
	char *text;
	size_t bytes;
};

static inline void setup(struct env *e)
{
	arena_init(&e->a);
	diag_init(&e->d, open_memstream(&e->text, &e->bytes));
}

static inline void teardown(struct env *e)
{
	fclose(e->d.out);
	free(e->text);
	diag_free(&e->d);
	arena_free(&e->a);
}

static inline const char *messages(struct env *e)
{
	fflush(e->d.out);
	return e->text;
}

static inline struct launch_file *read_text(struct env *e, const char *text)
{
	struct source *s = new(&e->a, struct source);

	*s = (struct source){ .name = "t.yaml", .text = text, .len = strlen(text) };
	return launch_read_source(s, &e->a, &e->d);
}

static inline struct kernel *kernel_with(struct env *e, const char *types, unsigned address_bits)
{
	struct module *m = module_new(&e->a);
	struct kernel *k;
	uint32_t at = 0;

	m->address_bits = address_bits;
	m->src_name = "t.ptx";
	k = kernel_new(m, "k");
	while (*types) { /* "u64 f32 b8*12 ..." */
		size_t n = strcspn(types, " *");
		enum scalar_type t = type_find(types, n);
		uint32_t size = type_info[t].bits / 8, align = size, count = 1;

		types += n;
		if (*types == '*') {
			count = (uint32_t)strtoul(types + 1, (char **)(uintptr_t)&types, 10);
			align = 8;
		}
		at = (at + align - 1) / align * align;
		arena_grow(&e->a, k->param, k->nparam, k->param_cap);
		k->param[k->nparam] = (struct param){ .name = arena_printf(&e->a, "p%u", k->nparam),
						      .offset = at,
						      .size = size * count,
						      .align = align,
						      .type = (uint8_t)t,
						      .array = count > 1 };
		k->nparam++;
		at += size * count;
		types += *types == ' ';
	}
	return k;
}

#endif
