/* How values are used, of random kernels: what the masks of runtime-model/usage count is what an oracle counts that
 * follows each value of each lane by itself; and each value is counted once, each read as often as the records have it.
 * Usage: p_usage [SEEDS [FIRST]] */
#include "passes/pass.h"
#include "runtime-model/usage/usage.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

struct value {
	bool held, shared_made, shared_read;
	uint64_t made, first;
	uint64_t reads;
};
struct lane {
	uint64_t now;
	struct value of[256];
};

static void end_value(struct value *v, struct usage *u, uint64_t *read)
{
	uint64_t life = v->first - v->made;

	if (!v->held)
		return;
	u->by_reads[v->reads > 3 ? 3 : v->reads]++;
	if (v->reads == 1)
		u->by_life[life > 3 ? 3 : life - 1]++;
	u->by_shared += v->shared_read;
	u->by_shared_of_private += v->shared_read && !v->shared_made;
	*read += v->reads;
	v->held = false;
}

static void lane_step(struct lane *l, const struct insn_regs *regs, bool shared, struct usage *u, uint64_t *read)
{
	l->now++;
	u->thread_insns++;
	for (unsigned i = 0; i < regs->nsrc; i++) {
		struct value *v = &l->of[regs->src[i]];

		u->reads++;
		u->unwritten += !v->held;
		if (v->held && !v->reads++)
			v->first = l->now;
		v->shared_read |= shared;
	}
	for (unsigned i = 0; i < regs->ndst; i++) {
		struct value *v = &l->of[regs->dst[i]];

		u->writes++;
		end_value(v, u, read);
		*v = (struct value){ .held = true, .shared_made = shared, .made = l->now };
	}
}

/* Warp after warp, each from its first record to its last. */
static bool oracle(struct engine *e, const struct kernel *k, struct usage *u, uint64_t *read)
{
	struct lane *lane = calloc(WARP_LANES, sizeof *lane);
	enum record_status got = RECORD_END;
	struct record r;

	for (uint64_t at = 0; lane && got == RECORD_END && at < engine_ctas(e) * engine_warps_per_cta(e); at++) {
		memset(lane, 0, WARP_LANES * sizeof *lane);
		while ((got = engine_next(e, 0, at / engine_warps_per_cta(e), (unsigned)(at % engine_warps_per_cta(e)),
					  &r)) == RECORD_OK) {
			struct insn_regs regs;

			ir_insn_regs(k, &k->insn[r.insn], &regs);
			u->warp_insns++;
			for (unsigned l = 0; l < WARP_LANES; l++)
				if (r.active >> l & 1)
					lane_step(&lane[l], &regs, insn_is_shared(&k->insn[r.insn]), u, read);
		}
		for (unsigned l = 0; l < WARP_LANES; l++)
			for (unsigned v = 0; v < 256; v++)
				end_value(&lane[l].of[v], u, read);
	}
	free(lane);
	return lane && got == RECORD_END;
}

/* One execution of the kernel, read by the oracle or by the real thing. */
static bool execute(const struct module *m, uint64_t seed, const struct gen_options *o, struct usage *u, uint64_t *read,
		    struct diag *d)
{
	struct engine_options eo = { .consumers = 1, .window = seed % 3 ? 0 : 1 };
	const struct usage_options uo = { .max_insns = 0 };
	struct device *dev = device_new(d);
	struct gen_params p;
	struct launch l;
	struct engine *e = gen_launch(dev, m, seed, o, &p, &l) ? engine_new(dev, &l, &eo, d) : NULL;
	struct stopped s = { .why = STOP_NOT };
	bool ok = e && (read ? oracle(e, l.k, u, read) : usage_launch(e, l.k, &uo, u, &s)) && s.why == STOP_NOT;

	engine_free(e);
	if (dev)
		device_free(dev);
	return ok;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	uint64_t *values = sums;
	struct usage got = { 0 }, want = { 0 };
	struct gen_options o;
	struct pass_ctx cx;
	struct module *m;
	uint64_t read = 0;
	bool ok;

	(void)at;
	gen_options_random(&o, seed);
	m = gen_module(seed, &o, a, d);
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = seed % 2 ? 63 : 20;
	ok = m && pass_compile(m->kernel[0], &cx) && pass_need(m->kernel[0], FACT_ALL, &cx);
	pass_ctx_free(&cx);
	if (!ok || !execute(m, seed, &o, &want, &read, d) || !execute(m, seed, &o, &got, NULL, d))
		return "it does not run";
	if (memcmp(&got, &want, sizeof got) != 0)
		return "the masks count something else";
	if (usage_values(&got) != got.writes || read != got.reads - got.unwritten)
		return "values or reads are lost";
	*values += got.writes;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_usage", argc, argv, 100);
	uint64_t values = 0;
	unsigned failed = seeds_try(&s, check, &values, NULL);

	printf("p_usage: %llu kernels, %llu values, %u failed\n", (unsigned long long)s.n, (unsigned long long)values,
	       failed);
	return failed != 0 || !values;
}
