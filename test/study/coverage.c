/* coverage MOST FILE...: how much of the machine code in fatbins, libraries and cubins can be executed (analyzer/sass).
 * Of a file with more than MOST cubins for a target, so many are read, evenly from the first to the last; of a cubin
 * whose kernels may call more than SHARED_MOST bytes of functions together, the first kernels. Lines for
 * test/study/coverage.py, with tabs between:
 *
 *   file     NAME SM CUBINS READ KERNELS INSTRUCTIONS REFUSED
 *   refused  NAME SM MNEMONIC INSTRUCTIONS REASON EXAMPLE */
#include "analyzer/fatbin/fatbin.h"
#include "analyzer/sass/lift.h"
#include "analyzer/sass/values.h"

#include "analyzer/base/intern.h"

#include <stdlib.h>
#include <string.h>

struct coverage {
	uint32_t cubins, read, kernels, nreason;
	uint64_t instructions, refused;
	struct intern whys; /* "MNEMONIC\tREASON" */
	struct reason {
		uint64_t n;
		const char *example;
	} * of; /* by id of whys */
	uint32_t cap;
};
enum { TARGETS = 256, FIRST_TARGET = 75 };
static const uint64_t SHARED_MOST = UINT64_C(1) << 28;

static void count_kernel(struct coverage *t, const struct kernel *k, struct arena *scratch, struct arena *a)
{
	struct sass_refusal *r;
	const uint32_t n = sass_refusals(&r, k, scratch);

	t->kernels++;
	t->instructions += k->ninsn;
	for (uint32_t i = 0; i < n; i++) {
		const char *key = arena_printf(scratch, "%s\t%s", r[i].mnemonic, r[i].why);
		const uint32_t id = intern_id(&t->whys, key, strlen(key));

		arena_grow(a, t->of, id, t->cap);
		if (id == t->nreason) { /* numbered as they come */
			t->nreason++;
			t->of[id] =
				(struct reason){ 0, arena_printf(a, "%s", k->native->print(scratch, k, r[i].first)) };
		}
		t->of[id].n += r[i].n;
		t->refused += r[i].n;
	}
}

/* A kernel is lifted with all functions that it may call: those of NCCL may each call all that there are. */
static void keep_kernels(struct cubin *c)
{
	uint64_t shared = 1;
	uint32_t kept = 0;

	for (uint32_t f = 0; f < c->nfunc; f++)
		shared += c->func[f].entry ? 0 : c->func[f].size;
	for (uint32_t f = 0; f < c->nfunc && c->func[f].entry; f++)
		if (kept++ && kept * shared > SHARED_MOST)
			c->func[f].entry = false;
}

static bool count_cubin(struct coverage *target, const struct source *code, struct arena *scratch, struct arena *a,
			struct diag *d)
{
	struct cubin *c = cubin_read(code, scratch, d);
	const bool kernels = c && c->nfunc && c->func[0].entry;
	struct module *m;

	if (kernels)
		keep_kernels(c);
	m = kernels ? sass_lift(c, scratch, d) : NULL;

	for (uint32_t k = 0; m && k < m->nkernel; k++)
		count_kernel(&target[c->sm % TARGETS], m->kernel[k], scratch, a);
	return c && (m || !kernels);
}

static bool is_known(const struct fatbin_entry *e) { return e->kind == FATBIN_CUBIN && e->arch >= FIRST_TARGET; }

static bool count_file(const char *path, uint32_t most, struct diag *d)
{
	struct coverage target[TARGETS] = { { 0 } };
	uint32_t at[TARGETS] = { 0 };
	struct arena a, scratch;
	struct fatbin f;
	struct source s;
	bool ok;

	arena_init(&a);
	arena_init(&scratch);
	for (unsigned sm = 0; sm < TARGETS; sm++)
		intern_init(&target[sm].whys, &a);
	ok = source_read(&s, path, &a, d) && fatbin_read(&f, &s, &a, d);
	for (uint32_t e = 0; ok && e < f.n; e++)
		target[f.entry[e].arch % TARGETS].cubins += is_known(&f.entry[e]);
	for (uint32_t e = 0; ok && e < f.n; e++) {
		const unsigned sm = f.entry[e].arch % TARGETS;
		struct coverage *t = &target[sm];
		struct source code;

		if (!is_known(&f.entry[e]))
			continue;
		/* number n of so many is read if a step of an even walk of `most` steps begins there */
		const uint64_t n = at[sm]++;
		if (t->cubins > most && n * most / t->cubins == (n + 1) * most / t->cubins)
			continue;
		t->read++;
		ok = fatbin_unpack(&code, &f, &f.entry[e], &scratch, d) && count_cubin(target, &code, &scratch, &a, d);
		arena_reset(&scratch);
	}
	for (unsigned sm = 0; ok && sm < TARGETS; sm++) {
		const struct coverage *t = &target[sm];

		if (!t->cubins)
			continue;
		printf("file\t%s\t%u\t%u\t%u\t%u\t%llu\t%llu\n", loc_base_name(path), sm, t->cubins, t->read,
		       t->kernels, (unsigned long long)t->instructions, (unsigned long long)t->refused);
		for (uint32_t i = 0; i < t->whys.n; i++) {
			const char *tab = strchr(t->whys.text[i], '\t');

			printf("refused\t%s\t%u\t%.*s\t%llu\t%s\t%s\n", loc_base_name(path), sm,
			       (int)(tab - t->whys.text[i]), t->whys.text[i], (unsigned long long)t->of[i].n, tab + 1,
			       t->of[i].example);
		}
	}
	arena_free(&scratch);
	arena_free(&a);
	return ok;
}

int main(int argc, char **argv)
{
	const long most = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	struct diag d;
	bool ok = argc > 2 && most > 0 && most <= 1 << 20;

	diag_init(&d, stderr);
	for (int i = 2; ok && i < argc; i++) {
		ok = count_file(argv[i], (uint32_t)most, &d);
		fflush(stdout);
	}
	diag_free(&d);
	return !ok;
}
