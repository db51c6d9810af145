/* regloom-gpu verify. */
#include "runtime-model/hardware/answers.h"
#include "runtime-model/hardware/command.h"
#include "runtime-model/engine/mufu.h"

#include <string.h>

int pairs_given(struct pair **list, unsigned *n, const struct options *o, struct arena *a, struct diag *d)
{
	if (o->given[OPT_SUITE] && !o->ninput && !o->given[OPT_LAUNCH])
		return pairs_find(list, n, o->value[OPT_SUITE], a, d) ? EXIT_FINE : EXIT_INPUT;
	if (o->given[OPT_SUITE] || !o->ninput || !o->given[OPT_LAUNCH])
		return usage_error("regloom-gpu", o->command, "%s",
				   "wants a kernel and --launch FILE, or --suite DIR alone");
	*list = new(a, struct pair);
	**list = pair_of(o->input[0], o->value[OPT_LAUNCH], a);
	*n = 1;
	return EXIT_FINE;
}

static void show(const struct answer *x, const struct options *o)
{
	say_progress(NULL);
	if (!o->given[OPT_QUIET] || !answer_right(x))
		answer_print(stdout, x);
}

/* All that were compared are right, and some were. */
static int code_of(const struct answer *x, unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (!answer_right(&x[i]))
			return EXIT_INPUT;
		any |= x[i].verdict == VERDICT_EQUAL || x[i].verdict == VERDICT_EXCLUDED;
	}
	return any ? EXIT_FINE : EXIT_INPUT;
}

/* A kernel that failed may have taken all that is done on the device with it. */
static bool is_lost(struct hardware *h, struct diag *d)
{
	FILE *to = d->out;
	bool lost;

	d->out = NULL;
	lost = h->ops->alloc(h, 1) == 0;
	d->out = to;
	return lost;
}

static int ask(const struct options *o, const struct pair *pair, unsigned n, const struct mufu_table *t,
	       struct arena *a, struct diag *d)
{
	struct answer *x = new_array(a, struct answer, n);
	struct hardware h;
	bool lost = false;
	unsigned done = 0;

	if (!open_hardware(&h, o, a, d))
		return EXIT_INPUT;
	for (; done < n && !lost; done++) {
		say_progress(pair[done].name);
		answer_ask(&x[done], &pair[done], &h, t, a, d);
		show(&x[done], o);
		lost = x[done].verdict == VERDICT_FAILED && is_lost(&h, d);
	}
	h.ops->close(&h);
	if (!o->given[OPT_QUIET])
		answers_count(stdout, x, done);
	if (lost && done < n)
		diag_error_plain(d, h.name, "does nothing more in this process; %u kernels were not asked", n - done);
	if (o->given[OPT_JSON] && !lost && !answers_write(o->value[OPT_JSON], &h, x, n, a, d))
		return EXIT_INPUT;
	return code_of(x, done);
}

static const struct pair *pair_called(const struct pair *pair, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(pair[i].name, name) == 0)
			return &pair[i];
	return NULL;
}

/* Every golden answer must have its kernel. */
static int replay(const struct options *o, const struct pair *pair, unsigned n, const struct mufu_table *t,
		  struct arena *a, struct diag *d)
{
	struct answer *golden, *x;
	const char *from;
	unsigned all;

	if (!answers_read(o->value[OPT_REPLAY], &golden, &all, &from, a, d))
		return EXIT_INPUT;
	x = new_array(a, struct answer, all);
	for (unsigned i = 0; i < all; i++) {
		const struct pair *p = pair_called(pair, n, golden[i].name);

		if (p)
			answer_replay(&x[i], p, &golden[i], t, a, d);
		else
			x[i] = (struct answer){ .name = golden[i].name,
						.verdict = VERDICT_DIFFERS,
						.why = "its kernel or launch file is not there" };
		show(&x[i], o);
	}
	if (!o->given[OPT_QUIET]) {
		printf("%s: ", from);
		answers_count(stdout, x, all);
	}
	return code_of(x, all);
}

int command_verify(const struct options *o, struct arena *a, struct diag *d)
{
	const struct mufu_table *t = NULL;
	struct pair *pair;
	unsigned n;
	const int code = pairs_given(&pair, &n, o, a, d);

	if (code != EXIT_FINE)
		return code;
	if (o->given[OPT_TABLE] && !(t = mufu_read(o->value[OPT_TABLE], a, d)))
		return EXIT_INPUT;
	return o->given[OPT_REPLAY] ? replay(o, pair, n, t, a, d) : ask(o, pair, n, t, a, d);
}
