/* Reading the annotations of a cubin. They are of the code whose SHA-256 they name; what follows from code is computed
 * again and compared, what was chosen is checked by the readers of objects. Nothing in a file is trusted. */
#include "analyzer/elf/annotated.h"

#include "analyzer/cubin/write.h"
#include "analyzer/elf/native.h"
#include "passes/freq.h"
#include "passes/regmutex.h"

bool annotated_has(const struct cubin *c)
{
	for (uint32_t s = 1; s < c->nsection; s++)
		if (strncmp(c->section[s].name, CUBIN_ADDED, sizeof CUBIN_ADDED - 1) == 0)
			return true;
	return false;
}

static bool sections(struct reader *r, const struct cubin *c)
{
	const struct rlo_section *strings;

	r->nsec = c->nsection;
	r->sec = new_array(r->a, struct rlo_section, r->nsec + 1);
	intern_init(&r->names, r->a);
	for (uint32_t s = 1; s < c->nsection; s++) {
		const struct cubin_section *x = &c->section[s];
		uint32_t id;

		r->sec[s] = (struct rlo_section){ .name = x->name,
						  .type = x->type,
						  .link = x->link,
						  .info = x->info,
						  .size = x->bytes ? x->size : 0,
						  .p = x->bytes };
		if (strncmp(x->name, CUBIN_ADDED, sizeof CUBIN_ADDED - 1) != 0)
			continue;
		id = intern_id(&r->names, x->name, strlen(x->name));
		while (r->at_cap <= id)
			arena_grow(r->a, r->at, r->at_cap, r->at_cap);
		if (r->at[id])
			return diag_error_bin(r->d, r->name, x->name, 0, "there are two sections of this name");
		r->at[id] = s;
	}
	strings = rlo_section(r, NATIVE_STRINGS);
	if (!strings || strings->type != r->section_type || !strings->size || strings->size > UINT32_MAX ||
	    strings->p[strings->size - 1])
		return diag_error_bin(r->d, r->name, NATIVE_STRINGS, 0, "is missing or does not end");
	r->strings = (struct table){ .section = strings->name, .p = strings->p, .n = (uint32_t)strings->size };
	return true;
}

static bool head(struct reader *r, const struct cubin *c)
{
	struct rlo_cubin x;
	struct table t;
	const char *writer;

	if (!rlo_open(r, RLO_R_cubin, "", false, &t))
		return false;
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records instead of one", t.n);
	RLO_GET(&t, 0, cubin, &x);
	if (!rlo_string(r, &r->strings, x.writer, false, &writer) || !writer)
		return rlo_bad(r, &t, 0, "does not say who wrote it");
	if (x.strings != native_strings_sum(r->strings.p, r->strings.n))
		return diag_error_bin(r->d, r->name, NATIVE_STRINGS, 0,
				      "the sum over it is not the one in .regloom.cubin; damaged");
	return x.sm == c->sm || rlo_bad(r, &t, 0, "is for sm_%u, the cubin is for sm_%u", x.sm, c->sm);
}

#define AGAIN "; --fresh analyses the code as it is"

/* Every code section is the one that was annotated, and there is no other. */
static bool code(struct reader *r, const struct cubin *c)
{
	uint32_t n = 0;
	struct table t;

	if (!rlo_open(r, RLO_R_code, "", false, &t))
		return false;
	for (uint32_t s = 1; s < c->nsection; s++) {
		const struct cubin_section *x = &c->section[s];
		uint8_t sha256[NATIVE_DIGEST];
		struct rlo_code y;
		const char *name;

		if (!native_is_code(x))
			continue;
		if (n == t.n)
			return diag_error_bin(r->d, r->name, x->name, 0,
					      "is not annotated: .regloom.code does not know it%s", AGAIN);
		RLO_GET(&t, n, code, &y);
		if (!rlo_string(r, &r->strings, y.name, false, &name) || !name || y.section != s ||
		    strcmp(name, x->name) != 0)
			return rlo_bad(r, &t, n, "is of section %u, and code is in section %u, %s%s", y.section, s,
				       x->name, AGAIN);
		if (y.size != x->size)
			return rlo_bad(r, &t, n, "%s has %llu bytes, and %llu when it was annotated%s", x->name,
				       (unsigned long long)x->size, (unsigned long long)y.size, AGAIN);
		native_digest(x, sha256);
		if (memcmp(sha256, y.sha256, sizeof sha256) != 0)
			return diag_error_bin(
				r->d, r->name, x->name, 0,
				"is not the code that was annotated: its SHA-256 is another than in .regloom.code "
				"(record %u)%s",
				n, AGAIN);
		n++;
	}
	return n == t.n || rlo_bad(r, &t, n, "is of a code section that is not there%s", AGAIN);
}

/* What follows from the code. */
static bool same(struct reader *r, const struct native_sections *s, const struct kernel *k)
{
	static const char *const liveness = "liveness is", *const release = "the release of registers is",
				 *const lanes = "what lanes have in common is";
	struct native_tables native;
	struct rlo_strand_tables strands;
	struct rlo_uniform_tables uniform;
	struct arena a;
	bool ok;

	arena_init(&a);
	native_encode(k, s, &a, &native);
	rlo_encode_strands(k, &a, &strands);
	rlo_encode_uniform(k, &a, &uniform);
	ok = rlo_same(r, k, RLO_R_native, &native.native, "what is said of the kernel is") &&
	     rlo_same(r, k, RLO_R_part, &native.part, "a place is") &&
	     rlo_same(r, k, RLO_R_nblock, &native.block, "a block is") &&
	     rlo_same(r, k, RLO_R_nlive, &native.live, liveness) &&
	     rlo_same(r, k, RLO_R_npoint, &native.point, liveness) &&
	     rlo_same(r, k, RLO_R_lastread, &native.lastread, liveness) &&
	     rlo_same(r, k, RLO_R_release, &native.release, liveness) &&
	     rlo_same(r, k, RLO_R_operand, &native.operand, "a register is") &&
	     rlo_same(r, k, RLO_R_nwait, &native.wait, release) &&
	     rlo_same(r, k, RLO_R_nfree, &native.wfree, release) &&
	     rlo_same(r, k, RLO_R_strand, &strands.strand, "a strand is") &&
	     rlo_same(r, k, RLO_R_rfc, &strands.rfc, "a hint for caches is") &&
	     rlo_same(r, k, RLO_R_shape, &uniform.shape, "the CTA, or the sum, is") &&
	     rlo_same(r, k, RLO_R_scalar, &uniform.scalar, lanes) && rlo_same(r, k, RLO_R_lanes, &uniform.lanes, lanes);
	arena_free(&a);
	return ok;
}

static bool read_kernel(struct reader *r, const struct native_sections *s, struct kernel *k)
{
	struct orf orf[ORG_COUNT];

	return rlo_read_orf(r, k, orf) && rlo_need_facts(r, k, &orf[0].options) && same(r, s, k) &&
	       rlo_read_hints(r, k) && rlo_read_places(r, k, orf) && rlo_read_owf(r, k) && rlo_read_regmutex(r, k) &&
	       native_read_mutex(r, s, k);
}

/* Kernels that have annotations, as far as the module has them: it may have been cut down to one. */
static bool kernels(struct reader *r, const struct cubin *c, struct module *m)
{
	uint32_t *by_symbol = new_array(r->a, uint32_t, (size_t)c->nsymbol + 1), *by_name; /* number + 1 */
	struct native_sections s;
	struct intern names;
	struct table t;

	native_sections_init(&s, c, r->a);
	intern_init(&names, r->a);
	by_name = new_array(r->a, uint32_t, (size_t)m->nkernel + 1);
	for (uint32_t k = 0; k < m->nkernel; k++)
		by_name[intern_id(&names, m->kernel[k]->name, strlen(m->kernel[k]->name))] = k + 1;
	for (uint32_t f = 0; f < c->nfunc; f++)
		if (c->func[f].entry)
			by_symbol[c->func[f].symbol] = f + 1;
	if (!rlo_open(r, RLO_R_entry, "", false, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_entry x;
		const char *name;
		uint32_t id;

		RLO_GET(&t, i, entry, &x);
		if (x.symbol >= c->nsymbol || !by_symbol[x.symbol])
			return rlo_bad(r, &t, i, "symbol %u is no kernel, or one that was there before", x.symbol);
		name = c->func[by_symbol[x.symbol] - 1].name;
		by_symbol[x.symbol] = 0;
		id = intern_find(&names, name, strlen(name));
		if (id != INTERN_NONE && !read_kernel(r, &s, m->kernel[by_name[id] - 1]))
			return false;
	}
	return true;
}

bool annotated_read(struct module *m, const struct cubin *c, struct diag *d)
{
	struct reader r = { .name = c->name, .section_type = CUBIN_ADDED_TYPE, .a = m->a, .d = d, .m = m };

	return sections(&r, c) && head(&r, c) && code(&r, c) && kernels(&r, c, m);
}
