/* What a configuration takes whatever it executes: metrics that no counter has, storage and code. */
#include "analyzer/elf/rlo.h"
#include "runtime-model/core/storage.h"
#include "runtime-model/core/axis.h"
#include "passes/pass.h"
#include "runtime-model/run/run.h"

#include <string.h>

enum { FACT_STORAGE, FACT_CODE, FACTS };
static const struct {
	const char *name, *unit, *what;
} fact[FACTS] = {
	[FACT_STORAGE] = { "storage_bits", "bits",
			   "that the register file adds to an SM: tables, upper levels, encodings "
			   "(docs/STORAGE.md#storage)" },
	[FACT_CODE] = { "code_bytes", "bytes",
			"of the kernels that were launched, each once, with what tells hardware what the compiler "
			"found" },
};

unsigned run_metric_count(void) { return stats_count() + FACTS; }

const char *run_metric_name(unsigned i) { return i < stats_count() ? stats_name(i) : fact[i - stats_count()].name; }
const char *run_metric_unit(unsigned i) { return i < stats_count() ? stats_unit(i) : fact[i - stats_count()].unit; }

bool run_metric_index(const char *name, unsigned *i)
{
	if (stats_index(name, i))
		return true;
	*i = stats_count() + names_find(NAMES_IN(fact, name), name);
	return *i < run_metric_count();
}

void run_metric_near(struct near *x)
{
	stats_near(x);
	near_offer_all(x, NAMES_IN(fact, name));
}

void run_metric_list(FILE *f)
{
	fprintf(f, "of a configuration, in sm-model compare\n");
	for (unsigned i = 0; i < FACTS; i++)
		fprintf(f, "  %-22s %s (%s)\n", fact[i].name, fact[i].what, fact[i].unit);
}

/* The instructions of what it runs, a regmutex.acquire or release among them; metadata instructions before them; those
 * that tell hardware where registers die; and bits that it adds to each instruction, rounded up to bytes. */
uint64_t run_code_bytes(const struct run *r, unsigned config, unsigned kernel)
{
	const struct run_config *c = &r->opt.config[config];
	const struct kernel *k = rf_config_kernel(&c->rf, module_find_kernel(r->m, r->kernel[kernel]));
	const uint64_t bits = c->rf.hierarchy->encoding_bits ? c->rf.hierarchy->encoding_bits(c->params) : 0;
	uint64_t n = (uint64_t)k->ninsn + rf_config_preamble(&c->rf, c->params, k);

	if (c->rf.residency->needs_anno & ANNO_RELEASE) {
		const struct release_words w = release_words(k);

		n += (uint64_t)w.flags + w.numbers;
	}
	return n * c->params->insn_bytes + (k->ninsn * bits + 7) / 8;
}

static uint64_t code_of_all(const struct run *r, unsigned config)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->nkernel; i++)
		sum += run_code_bytes(r, config, i);
	return sum;
}

static uint64_t fact_of(const struct run *r, unsigned config, int kernel, unsigned f)
{
	const struct run_config *c = &r->opt.config[config];

	if (f == FACT_STORAGE)
		return rf_config_storage(&c->rf, c->params, run_registers(r, config));
	return kernel == RUN_ALL_KERNELS ? code_of_all(r, config) : run_code_bytes(r, config, (unsigned)kernel);
}

struct metric run_metric(const struct run *r, unsigned config, int kernel, unsigned i)
{
	const struct run_timing *t = &r->timing[config];

	if (i >= stats_count()) {
		const unsigned f = i - stats_count();
		const uint64_t n = fact_of(r, config, kernel, f);

		return (struct metric){ fact[f].name, fact[f].unit, fact[f].what, true, n, (double)n };
	}
	return stats_metric(i, kernel == RUN_ALL_KERNELS ? &t->stats : &t->kernel[kernel],
			    r->opt.config[config].params);
}
