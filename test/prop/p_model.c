/* The timing model never changes what a kernel does and accounts for all of it: random kernels under every preset,
 * under what no preset has, and on small machines leave the memory of the functional run, issue its instructions
 * once each, end, keep the sums of stats.h, and count the same again: on other threads and in other quanta, without
 * watchers, with axes that are asked for what the model knows of them, and in checked mode, where each operand that
 * the register file delivers is the one executed, and it is seen when packing delivers, reads or writes another. On
 * a core of sub-cores the same holds of whatever goes with it; a kernel tries some of that, drawn by its seed.
 * Usage: p_model [SEEDS [FIRST]] */
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/explain/explain.h"
#include "runtime-model/packing/packed.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"
#include "test/prop/axes.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

struct config {
	const char *machine, *rf, *set[4];
};

static const struct config config[] = {
#define PRESET(name, issue, residency, packing, hierarchy, values, reuse, what) { "gtx480", name, { NULL } },
#include "runtime-model/config/presets.def"
#undef PRESET
	{ "regmutex", "baseline", { NULL } },
	{ "corf", "baseline", { NULL } },
	{ "hierarchical-rf", "baseline", { NULL } },
	{ "g-scalar", "baseline", { NULL } },
	{ "wir", "baseline", { NULL } },
	{ "hierarchical-rf", "baseline", { "active_warps=1", NULL } },
	{ "gtx480", "baseline,issue=two-level-rr", { "active_warps=3", "sms=2", NULL } },
	{ "gtx480", "baseline,issue=cggty", { "sms=2", NULL } },
	{ "gtx480", "baseline", { "sms=1", "schedulers=1", "rf_banks=1", NULL } },
	{ "gtx480", "baseline,issue=lrr", { "sms=2", "rf_banks=4", "collectors_mem=1", NULL } },
	{ "corf", "baseline,issue=lrr", { "sms=1", "collectors=1", NULL } },
	{ "corf", "baseline,residency=rfv", { NULL } },
	{ "corf", "first-fit,residency=rfv", { NULL } },
	{ "corf", "corf,residency=rfv", { NULL } },
	{ "corf", "corf++,residency=rfv", { NULL } },
	{ "gtx480", "baseline,residency=rfv", { "rf_banks=8", NULL } },
};
enum { CONFIGS = sizeof config / sizeof *config, ALONE_MAX = 192, OF_SUBCORES = 4 };

/* The values of an axis that no preset has, each alone; from `subcores` on, what goes with a core of sub-cores, of
 * which a kernel tries one in OF_SUBCORES. */
static struct config alone[ALONE_MAX];
static char alone_rf[ALONE_MAX][RF_TEXT];
static unsigned configs = CONFIGS, subcores;

static const struct config *config_at(unsigned at) { return at < CONFIGS ? &config[at] : &alone[at - CONFIGS]; }

/* compared: operands, in checked mode; variant: the run was one of the kernel's variant, if it has one */
struct outcome {
	unsigned char *out;
	struct stats st;
	uint64_t compared;
	bool variant;
};
/* what packing does */
enum wrong { RIGHT, WRONG_BIT, WRONG_BANK, WRONG_ROW, WRONG_SHARE, WRONG_WRITE, WRONGS };
/* of a run; asked: axes do not say what follows from what */
struct manner {
	unsigned threads;
	bool watched, asked, checked;
	enum wrong wrong;
};

/* What a packing value delivers, with one bit turned over. */
static const char *deliver_wrong(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned src,
				 uint32_t lane[WARP_LANES])
{
	const char *instead = packed_deliver(pk, u, a, src, lane);

	for (unsigned l = 0; l < WARP_LANES; l++)
		lane[l] ^= 1;
	return instead;
}

static unsigned read_wrong_bank(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
				struct bank_access out[])
{
	unsigned n = packed_read(pk, u, operands, phys, out);

	for (unsigned i = 0; i < n; i++)
		out[i].bank = (uint16_t)((out[i].bank + 1) % pk->banks);
	return n;
}

static unsigned read_wrong_row(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
			       struct bank_access out[])
{
	unsigned n = packed_read(pk, u, operands, phys, out);

	for (unsigned i = 0; i < n; i++)
		out[i].entry ^= 1;
	return n;
}

/* Whatever their bytes, the first two operands share an access. */
static unsigned read_shared(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
			    struct bank_access out[])
{
	unsigned n = packed_read(pk, u, operands, phys, out);

	if (n < 2)
		return n;
	out[0].operands |= out[1].operands;
	out[0].entry2 = out[1].entry;
	out[0].mask[1] = out[1].mask[0];
	for (unsigned i = 2; i < n; i++)
		out[i - 1] = out[i];
	return n - 1;
}

static unsigned write_wrong_bank(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys,
				 struct bank_access out[])
{
	unsigned n = packed_write(pk, u, dst, phys, out);

	out[n - 1].bank = (uint16_t)((out[n - 1].bank + 1) % pk->banks);
	return n;
}

static void make_wrong(struct packing_ops *p, enum wrong how)
{
	if (how == WRONG_BIT)
		p->deliver = deliver_wrong;
	else if (how == WRONG_WRITE)
		p->write = write_wrong_bank;
	else {
		if (how == WRONG_BANK)
			p->read = read_wrong_bank;
		else
			p->read = how == WRONG_ROW ? read_wrong_row : read_shared;
	}
}

static bool time_launch(const struct module *m, const struct config *c, uint64_t seed, const struct gen_options *o,
			struct manner how, struct outcome *r, struct arena *a, struct diag *d)
{
	struct params machine;
	struct sim_options so = { .params = &machine,
				  .have_anno = ANNO_ALL | ANNO_REGMUTEX,
				  .threads = how.threads,
				  .quantum = how.threads > 1 ? 9 : 0 };
	struct explain *why = explain_new(true, a);
	struct residency_ops residency;
	struct packing_ops packing;
	struct checked_sums sums = { 0 };
	bool ok = params_machine(&machine, c->machine, d) && rf_config_parse(&so.rf, c->rf, &machine, d);

	for (unsigned i = 0; ok && c->set[i]; i++)
		ok = params_set(&machine, c->set[i], d);
	if (how.watched)
		so.probe = explain_probe(why, NULL);
	if (how.checked)
		so.checked = &sums;
	if (ok && how.asked) {
		residency = *so.rf.residency;
		residency.fixed = false;
		so.rf.residency = &residency;
	}
	if (ok && how.wrong) {
		packing = *so.rf.packing;
		make_wrong(&packing, how.wrong);
		so.rf.packing = &packing;
	}
	ok = ok && gen_time(m, NULL, seed, o, &so, a, &r->out, &r->st, d) &&
	     (!how.watched || explain_check(why, false, d));
	explain_free(why);
	/* A core of sub-cores names its stalls as Nsight Compute does, whoever holds a warp up. */
	if (ok && machine.core && r->st.slots[STALL_SCOREBOARD])
		ok = diag_error_plain(d, NULL, "%llu slots have another core's reason",
				      (unsigned long long)r->st.slots[STALL_SCOREBOARD]);
	r->variant = ok && so.rf.residency->variant;
	if (how.checked)
		r->compared += sums.compared;
	return ok;
}

static bool execute(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
		    unsigned char **out, struct engine_counts *n, struct arena *a, struct diag *d)
{
	return gen_execute(m, k, seed, o, &(struct engine_options){ .max_insns = GEN_INSNS_MAX }, a, out, n, d);
}

/* Under c, if packing has bytes of its own. */
static bool wrong_is_found(const struct module *m, const struct config *c, uint64_t seed, const struct gen_options *o,
			   struct arena *a)
{
	struct outcome r = { .compared = 0 };
	struct rf_config rf;
	struct params machine;
	struct diag d;
	bool found;

	diag_init(&d, NULL);
	found = params_machine(&machine, c->machine, &d) && rf_config_parse(&rf, c->rf, &machine, &d);
	for (unsigned how = RIGHT + 1; found && rf.packing->deliver == packed_deliver && how < WRONGS; how++)
		found = !time_launch(m, c, seed, o, (struct manner){ 1, false, false, true, (enum wrong)how }, &r, a,
				     &d) &&
			strstr(d.last, " delivers a wrong operand ");
	diag_free(&d);
	return found;
}

/* What does not hold, or NULL; the configuration in *at. */
static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	uint64_t *cycles = sums;
	struct gen_options o;
	struct module *m;
	struct pass_ctx cx;
	unsigned char *out;
	struct engine_counts n, shared;
	const struct engine_counts *want;
	struct manner how;
	bool ok;

	gen_options_random(&o, seed);
	m = gen_module(seed, &o, a, d);
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = seed % 2 ? 63 : 20;
	ok = m && pass_compile(m->kernel[0], &cx) && pass_need(m->kernel[0], FACT_ALL, &cx);
	pass_ctx_free(&cx);
	if (!ok || !execute(m, m->kernel[0], seed, &o, &out, &n, a, d))
		return "the functional run fails";
	shared = n;
	if (m->kernel[0]->variant && !execute(m, m->kernel[0]->variant, seed, &o, &out, &shared, a, d))
		return "the variant's functional run fails";
	for (*at = 0; *at < configs; ++*at) {
		const struct config *c = config_at(*at);
		const bool drawn = *at < subcores || (seed + *at) % OF_SUBCORES == 0;
		struct outcome r, again = { .compared = 0 };

		if (!drawn)
			continue;
		if (!time_launch(m, c, seed, &o, (struct manner){ 1, true, false, false, RIGHT }, &r, a, d))
			return "the timed run fails";
		if (memcmp(out, r.out, gen_out_bytes(&o)) != 0)
			return "memory differs from the functional run";
		want = r.variant ? &shared : &n;
		if (r.st.warp_instructions != want->warp_insns || r.st.thread_instructions != want->thread_insns)
			return "instructions issued are not those executed";
		if (r.st.ctas != o.grid)
			return "CTAs timed are not those executed";
		how = (struct manner){ 1 + (unsigned)(seed + *at) % 4 * 2, seed / 4 % 2, seed / 8 % 2, (seed + *at) % 2,
				       RIGHT };
		if (!time_launch(m, c, seed, &o, how, &again, a, d) || memcmp(&r.st, &again.st, sizeof r.st) != 0)
			return arena_printf(a, "%u threads%s%s%s count something else", how.threads,
					    how.watched ? "" : ", not watched,",
					    how.asked ? ", that ask for all banks," : "",
					    how.checked ? ", in checked mode," : "");
		if (how.checked && again.st.operand_reads && !again.compared)
			return "no operand was compared";
		if (how.checked && again.compared && !wrong_is_found(m, c, seed, &o, a))
			return "wrong operands are not found";
		*cycles += r.st.cycles;
	}
	return NULL;
}

static void where(unsigned at)
{
	const struct config *c = config_at(at % configs);

	printf(", %s on %s, configuration %u", c->rf, c->machine, at);
}

static bool has_preset(enum axis x, const char *value)
{
	static const char *const preset[][AXES] = {
#define PRESET(name, issue, residency, packing, hierarchy, values, reuse, what) \
	{ issue, residency, packing, hierarchy, values, reuse },
#include "runtime-model/config/presets.def"
#undef PRESET
	};

	for (unsigned i = 0; i < sizeof preset / sizeof *preset; i++)
		if (strcmp(preset[i][x], value) == 0)
			return true;
	return false;
}

static void find_alone(void)
{
	const unsigned have = ANNO_ALL | ANNO_REGMUTEX;
	struct rf_config rf_of;
	struct params p;

	for (unsigned x = 0; x < AXES; x++)
		for (unsigned i = 1; i < axis_values[x].n && configs < CONFIGS + ALONE_MAX; i++) {
			char *rf = alone_rf[configs - CONFIGS];

			if (has_preset((enum axis)x, axis_values[x].name[i]) || !params_machine(&p, "gtx480", NULL))
				continue;
			snprintf(rf, RF_TEXT, "baseline,%s=%s", axis_name[x], axis_values[x].name[i]);
			if (!axes_go(rf, &p, have, &rf_of))
				snprintf(rf, RF_TEXT, "baseline,issue=two-level,%s=%s", axis_name[x],
					 axis_values[x].name[i]);
			alone[configs++ - CONFIGS] = (struct config){ "gtx480", rf, { NULL } };
		}
}

/* `rf` on a core of sub-cores, which may have a scoreboard, as far as it goes with it. */
static void add_subcores(const char *rf)
{
	static const char *const set[] = { "sms=2", "dependences=1" };
	struct rf_config rf_of;
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	for (unsigned n = 1; n <= 2 && configs < CONFIGS + ALONE_MAX; n++) {
		struct config *c = &alone[configs - CONFIGS];
		bool ok = params_machine(&p, "rtx3080", &d);

		*c = (struct config){ "rtx3080", rf, { NULL } };
		for (unsigned i = 0; ok && i < n; i++)
			ok = params_set(&p, c->set[i] = set[i], &d);
		configs += ok && axes_go(rf, &p, ANNO_ALL | ANNO_REGMUTEX, &rf_of);
	}
	diag_free(&d);
}

static void find_subcores(void)
{
	static const char *const both[] = {
#define PRESET(name, issue, residency, packing, hierarchy, values, reuse, what) name,
#include "runtime-model/config/presets.def"
#undef PRESET
		"corf,residency=rfv",
		"corf++,residency=rfv",
		"first-fit,residency=rfv-shared",
	};
	const unsigned found = configs;

	subcores = configs;
	for (unsigned i = 0; i < sizeof both / sizeof *both; i++)
		add_subcores(both[i]);
	for (unsigned i = CONFIGS; i < found; i++)
		add_subcores(config_at(i)->rf);
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_model", argc, argv, 100);
	uint64_t cycles = 0;
	unsigned failed;

	find_alone();
	find_subcores();
	failed = seeds_try(&s, check, &cycles, where);

	printf("p_model: %llu kernels under %u configurations, %llu cycles, %u failed\n", (unsigned long long)s.n,
	       configs, (unsigned long long)cycles, failed);
	return failed != 0;
}
