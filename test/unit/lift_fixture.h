/* What the suites of machine code begin with: cubins of test/sass/cubin in the IR, as they are or with words put into
 * them. Run from the root of the tree. */
#ifndef REGLOOM_LIFT_FIXTURE_H
#define REGLOOM_LIFT_FIXTURE_H

#include "analyzer/sass/lift.h"
#include "analyzer/sass/sass.h"
#include "test/unit/pass_fixture.h"

#define CUBINS "test/sass/cubin/"

static inline struct cubin *cubin_of_source(const struct source *s)
{
	struct cubin *c = cubin_read(s, &arena, &diag);

	ck_assert_msg(c, "%s", diag.last);
	return c;
}

static inline struct cubin *cubin_of(const char *path, struct source *s)
{
	ck_assert_msg(source_read(s, path, &arena, &diag), "%s", diag.last);
	return cubin_of_source(s);
}

static inline struct module *lift_checked(const struct cubin *c)
{
	struct module *m = sass_lift(c, &arena, &diag);

	ck_assert_msg(m, "%s", diag.last);
	return m;
}

static inline struct module *lifted(const char *path)
{
	struct source s;

	return lift_checked(cubin_of(path, &s));
}

static inline struct kernel *kernel_called(const struct module *m, const char *name)
{
	for (uint32_t k = 0; k < m->nkernel; k++)
		if (strcmp(m->kernel[k]->name, name) == 0)
			return m->kernel[k];
	ck_abort_msg("there is no kernel %s", name);
	return NULL;
}

static inline const struct cubin_section *section_named(const struct cubin *c, const char *name)
{
	for (uint32_t s = 0; s < c->nsection; s++)
		if (c->section[s].name && strcmp(c->section[s].name, name) == 0)
			return &c->section[s];
	ck_abort_msg("there is no section %s", name);
	return NULL;
}

/* Puts instructions into a section, from a byte of it on. */
static inline void put_words(struct source *s, const struct cubin *c, const char *section, uint64_t at,
			     const struct sass_word *word, unsigned n)
{
	const struct cubin_section *to = section_named(c, section);

	ck_assert_uint_le(at + 16 * (uint64_t)n, to->size);
	for (unsigned x = 0; x < n; x++)
		for (unsigned byte = 0; byte < 16; byte++)
			((char *)(uintptr_t)s->text)[to->offset + at + 16 * (uint64_t)x + byte] =
				(char)((byte < 8 ? word[x].lo : word[x].hi) >> byte % 8 * 8);
}

#endif
