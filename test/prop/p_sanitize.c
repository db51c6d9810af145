/* The sanitizer: random kernels, compiled or not, which are free of data races and read only what was written, have no
 * findings; without their barriers most of those that exchange through shared memory have. Usage: p_sanitize [SEEDS
 * [FIRST]] */
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/engine/sanitizer.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

enum { SHARE = 80 };
struct sums {
	uint64_t kernels, broken, found;
};

static void say(void *ctx, const struct finding *f) { *(const char **)ctx = f->at.text; }

/* The first finding in an execution of the kernel, in arena a; "": none. NULL: it does not run. */
static const char *finding(struct module *m, uint64_t seed, const struct gen_options *o, struct arena *a,
			   struct diag *d)
{
	/* lanes that go to the end before the others are not at the next barrier */
	const unsigned sync = o->barriers && strstr(gen_kernel(seed, o, a), "bra STORE;") ? 0 : 1 << SANITIZE_SYNC;
	const struct engine_options eo = { .max_insns = GEN_INSNS_MAX };
	struct device *dev = device_new(d);
	const char *text = "";
	struct sanitizer *s = sanitizer_new(1 << SANITIZE_INIT | 1 << SANITIZE_RACE | sync, say, &text);
	struct engine *e = NULL;
	struct gen_params p;
	struct launch l;
	bool ok;

	device_set_sanitizer(dev, s);
	ok = gen_launch(dev, m, seed, o, &p, &l) && (e = engine_new(dev, &l, &eo, d)) && engine_run(e);
	text = arena_strndup(a, text, strlen(text));
	if (e)
		engine_free(e);
	device_free(dev);
	sanitizer_free(s);
	return ok ? text : NULL;
}

static struct module *prepared(struct module *m, uint64_t seed, struct diag *d)
{
	struct pass_ctx cx;
	bool ok;

	pass_ctx_init(&cx, d);
	cx.opt.maxreg = gen_maxreg(seed);
	ok = m && (seed % 2 ? pass_compile(m->kernel[0], &cx) : pass_run(m->kernel[0], PASS_ID_link, &cx)) &&
	     pass_need(m->kernel[0], FACT_CFG | FACT_PDOM, &cx);
	pass_ctx_free(&cx);
	return ok ? m : NULL;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct sums *s = sums;
	struct gen_options o;
	const char *text;
	struct module *m;

	(void)at;
	gen_options_random(&o, seed);
	m = prepared(gen_module(seed, &o, a, d), seed, d);
	text = m ? finding(m, seed, &o, a, d) : NULL;
	s->kernels++;
	if (!text)
		return "it does not run";
	return *text ? arena_printf(a, "there is a finding: %s", text) : NULL;
}

/* The kernel without its barriers. */
static struct module *break_it(uint64_t seed, const struct gen_options *o, struct arena *a, struct diag *d)
{
	struct source *src = new(a, struct source);
	char *text = gen_kernel(seed, o, a);
	unsigned gone = 0;

	for (char *b = text; (b = strstr(b, ".sync 0;")); gone++) {
		while (b[-1] != '\t')
			b--;
		memset(b, ' ', strcspn(b, ";") + 1);
	}
	*src = (struct source){ "broken.ptx", text, strlen(text) };
	return gone ? ptx_parse(src, a, d) : NULL;
}

static const char *check_broken(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct sums *s = sums;
	struct gen_options o;
	const char *text;
	struct module *m;

	(void)at;
	gen_options_random(&o, seed);
	o.barriers = true;
	o.block = o.block < 64 ? 64 : o.block;
	o.n = o.grid * o.block;
	m = break_it(seed, &o, a, d);
	if (!m)
		return d->errors ? "it is no kernel any more" : NULL;
	m = prepared(m, seed, d);
	text = m ? finding(m, seed, &o, a, d) : NULL;
	if (!text)
		return "it does not run without barriers";
	s->broken++;
	s->found += *text != 0;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_sanitize", argc, argv, 100), same = seeds_same(&s);
	struct sums sums = { 0 };
	const unsigned failed = seeds_try(&s, check, &sums, NULL) + seeds_try(&same, check_broken, &sums, NULL);

	printf("p_sanitize: %llu kernels, %u failed; of %llu without their barriers %llu have findings\n",
	       (unsigned long long)sums.kernels, failed, (unsigned long long)sums.broken,
	       (unsigned long long)sums.found);
	return failed != 0 || !sums.kernels || sums.found * 100 < sums.broken * SHARE;
}
