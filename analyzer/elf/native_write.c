/* Annotations as sections of the cubin that they are of. */
#include "analyzer/elf/annotated.h"

#include "analyzer/cubin/write.h"
#include "analyzer/elf/native.h"
#include "passes/regmutex.h"

#include <assert.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

/* tables of the file */
enum { HEADS = 3 };

struct writer {
	const struct module *m;
	const struct cubin *c;
	struct arena *a;
	struct cubin_addition *add;
	uint32_t nadd, add_cap;
	struct native_sections sections;
	struct strtab strings;
	struct intern kernels;    /* entries of the cubin by name */
	uint32_t *func, func_cap; /* of each: index in c->func */
};

static void add_section(struct writer *w, const char *name, const void *bytes, size_t n)
{
	arena_grow(w->a, w->add, w->nadd, w->add_cap);
	w->add[w->nadd++] = (struct cubin_addition){ name, bytes, n };
}

/* A table of no records is left out, unless a reader must find it. */
static void add_table(struct writer *w, enum rlo_record t, const char *kernel, struct buf *b, bool optional)
{
	if (optional && b->n == RLO_HEAD_BYTES)
		return;
	rlo_table_end(b, t);
	add_section(w, arena_printf(w->a, "%s%s", rlo_table[t].section, kernel), b->p, b->n);
}

static void find_kernels(struct writer *w)
{
	intern_init(&w->kernels, w->a);
	for (uint32_t f = 0; f < w->c->nfunc; f++) {
		uint32_t id;

		if (!w->c->func[f].entry)
			continue;
		id = intern_id(&w->kernels, w->c->func[f].name, strlen(w->c->func[f].name));
		while (w->func_cap <= id)
			arena_grow(w->a, w->func, w->func_cap, w->func_cap);
		w->func[id] = f;
	}
}

/* The code that the annotations are of. */
static struct buf code(struct writer *w)
{
	struct buf b = rlo_table_begin(RLO_R_code, w->a);

	for (uint32_t s = 1; s < w->c->nsection; s++) {
		const struct cubin_section *x = &w->c->section[s];
		struct rlo_code r = { .section = s, .size = x->size };

		if (!native_is_code(x))
			continue;
		r.name = strtab_add(&w->strings, x->name);
		native_digest(x, r.sha256);
		rlo_io_code(&(struct io){ buf_room(&b, RLO_BYTES_code), true }, &r);
	}
	return b;
}

static void put_head(struct writer *w, uint32_t at, enum rlo_record t, struct buf b)
{
	rlo_table_end(&b, t);
	w->add[at] = (struct cubin_addition){ rlo_table[t].section, b.p, b.n };
}

static void put_kernel(struct writer *w, const struct kernel *k)
{
	struct native_tables native;
	struct rlo_strand_tables strands;
	struct rlo_uniform_tables uniform;
	struct rlo_hints hints;
	struct rlo_places places;
	struct rlo_regmutex_tables regmutex;
	struct native_mutex mutex;
	struct buf order = rlo_encode_owf(k, w->a);

	native_encode(k, &w->sections, w->a, &native);
	rlo_encode_strands(k, w->a, &strands);
	rlo_encode_uniform(k, w->a, &uniform);
	rlo_encode_hints(k, w->a, &hints);
	rlo_encode_places(k, w->a, &places);
	rlo_encode_regmutex(k, k->regmutex ? strtab_add(&w->strings, k->regmutex->sm.machine) : 0, w->a, &regmutex);
	native_encode_mutex(k, &w->sections, w->a, &mutex);
	add_table(w, RLO_R_native, k->name, &native.native, false);
	add_table(w, RLO_R_part, k->name, &native.part, false);
	add_table(w, RLO_R_nblock, k->name, &native.block, false);
	add_table(w, RLO_R_nlive, k->name, &native.live, false);
	add_table(w, RLO_R_npoint, k->name, &native.point, false);
	add_table(w, RLO_R_lastread, k->name, &native.lastread, true);
	add_table(w, RLO_R_release, k->name, &native.release, true);
	add_table(w, RLO_R_operand, k->name, &native.operand, true);
	add_table(w, RLO_R_nwait, k->name, &native.wait, false);
	add_table(w, RLO_R_nfree, k->name, &native.wfree, true);
	add_table(w, RLO_R_strand, k->name, &strands.strand, false);
	add_table(w, RLO_R_rfc, k->name, &strands.rfc, false);
	add_table(w, RLO_R_affinity, k->name, &hints.affinity, true);
	add_table(w, RLO_R_corf, k->name, &hints.corf, false);
	add_table(w, RLO_R_pairs, k->name, &hints.pairs, true);
	add_table(w, RLO_R_align, k->name, &hints.align, true);
	add_table(w, RLO_R_orf, k->name, &places.orf, false);
	add_table(w, RLO_R_place, k->name, &places.places, true);
	add_table(w, RLO_R_owf, k->name, &order, true);
	add_table(w, RLO_R_shape, k->name, &uniform.shape, false);
	add_table(w, RLO_R_scalar, k->name, &uniform.scalar, false);
	add_table(w, RLO_R_lanes, k->name, &uniform.lanes, true);
	add_table(w, RLO_R_regmutex, k->name, &regmutex.decision, true);
	add_table(w, RLO_R_regsize, k->name, &regmutex.sizes, true);
	add_table(w, RLO_R_mutex, k->name, &mutex.mutex, true);
	add_table(w, RLO_R_acquire, k->name, &mutex.acquire, true);
	add_table(w, RLO_R_held, k->name, &mutex.held, true);
}

static bool put_module(struct writer *w, struct diag *d)
{
	struct buf head = rlo_table_begin(RLO_R_cubin, w->a), entries = rlo_table_begin(RLO_R_entry, w->a);
	uint32_t writer = strtab_add(&w->strings, "regloom " REGLOOM_VERSION);

	w->nadd = w->add_cap = HEADS; /* of the file: made last, and stand first */
	w->add = new_array(w->a, struct cubin_addition, HEADS);
	for (uint32_t n = 0; n < w->m->nkernel; n++) {
		const struct kernel *k = w->m->kernel[n];
		uint32_t id = intern_find(&w->kernels, k->name, strlen(k->name));

		assert(k->native && (k->facts & FACT_OBJECT) == FACT_OBJECT && id != INTERN_NONE);
		if (w->func[id] == UINT32_MAX)
			return diag_error_plain(d, w->c->name, "has two kernels %s: sections are called after them",
						k->name);
		RLO_PUT(&entries, entry, .symbol = w->c->func[w->func[id]].symbol);
		w->func[id] = UINT32_MAX;
		put_kernel(w, k);
	}
	put_head(w, 1, RLO_R_code, code(w));
	put_head(w, 2, RLO_R_entry, entries);
	RLO_PUT(&head, cubin, .writer = writer, .sm = w->m->sm,
		.strings = native_strings_sum(w->strings.bytes.p, w->strings.bytes.n));
	put_head(w, 0, RLO_R_cubin, head);
	add_section(w, NATIVE_STRINGS, w->strings.bytes.p, w->strings.bytes.n);
	return true;
}

bool annotated_write(const struct module *m, const struct cubin *c, const struct source *s, struct arena *a,
		     void **bytes, size_t *n, struct diag *d)
{
	struct arena scratch;
	struct writer w = { .m = m, .c = c, .a = &scratch };
	const void *plain;
	size_t plain_n;
	bool ok;

	arena_init(&scratch);
	strtab_init(&w.strings, &scratch);
	native_sections_init(&w.sections, c, &scratch);
	find_kernels(&w);
	ok = cubin_remove_added(s->name, s->text, s->len, &scratch, &plain, &plain_n, d) && put_module(&w, d) &&
	     cubin_add(s->name, plain, plain_n, w.add, w.nadd, a, bytes, n, d);
	arena_free(&scratch);
	return ok;
}
