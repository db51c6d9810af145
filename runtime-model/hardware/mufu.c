/* regloom-gpu mufu: asks the device for its approximate functions of all arguments that a table holds
 * (engine/mufu.def), by one kernel of machine code whose MUFU is made each function in turn, and then for others,
 * which should follow. */
#include "runtime-model/hardware/command.h"
#include "runtime-model/hardware/edit.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/rng.h"
#include "runtime-model/engine/mufu.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

/* arguments of a launch; threads of a CTA; arguments tried elsewhere */
enum { BATCH = 1 << 22, BLOCK = 256, ELSEWHERE = 1 << 20 };

struct asked {
	struct hardware *h;
	struct hardware_code *code;
	uint64_t in, out;          /* on the device */
	uint32_t *of;              /* BATCH arguments, which results take the place of */
	struct arena *a, *scratch; /* scratch: of one function */
	struct diag *d;
};

static bool ask(struct asked *x, uint32_t n)
{
	const struct {
		uint64_t out, in;
		uint32_t n, pad;
	} param = { x->out, x->in, n, 0 };
	const struct hardware_launch l = { .kernel = "function",
					   .grid = { (n + BLOCK - 1) / BLOCK, 1, 1 },
					   .block = { BLOCK, 1, 1 },
					   .param = &param,
					   .param_bytes = sizeof param - sizeof param.pad };
	const struct hardware_ops *ops = x->h->ops;

	return ops->write(x->h, x->in, x->of, n * sizeof *x->of) && ops->launch(x->h, x->code, &l, NULL) &&
	       ops->read(x->h, x->of, x->out, n * sizeof *x->of);
}

static uint32_t result_of(enum mufu id, uint32_t word)
{
	const bool half = mufu_info[id].kind == MUFU_F16 || mufu_info[id].kind == MUFU_BF16;

	return half ? word & 0xffff : word;
}

static bool ask_table(struct asked *x, enum mufu id, int32_t *difference)
{
	const struct mufu_info *m = &mufu_info[id];

	for (uint32_t from = 0; from < m->entries; from += BATCH) {
		const uint32_t n = m->entries - from < BATCH ? m->entries - from : BATCH;

		for (uint32_t i = 0; i < n; i++)
			x->of[i] = mufu_argument(id, from + i);
		if (!ask(x, n))
			return false;
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t a = mufu_argument(id, from + i), u = result_of(id, x->of[i]);
			const int64_t ulp = mufu_order(id, u) - mufu_order(id, mufu_exact(id, a));

			if (ulp != (int32_t)ulp || (m->kind == MUFU_F32 && (u & 0x7fffffff) > 0x7f800000))
				return diag_error_plain(x->d, x->h->name,
							"%s of 0x%08" PRIx32 " is 0x%08" PRIx32
							", which is no such function",
							m->name, a, u);
			difference[from + i] = (int32_t)ulp;
		}
	}
	return true;
}

/* Halves have no arguments but those of the table. */
static bool ask_elsewhere(struct asked *x, struct mufu_measured *m)
{
	const struct mufu_function f = { m->id, sizeof *m->difference, m->difference };
	uint64_t rng = m->id;
	uint32_t *argument;

	if (mufu_info[m->id].kind != MUFU_F32 && mufu_info[m->id].kind != MUFU_HIGH)
		return true;
	argument = new_array(x->scratch, uint32_t, ELSEWHERE);
	for (uint32_t i = 0; i < ELSEWHERE; i++)
		x->of[i] = argument[i] = (uint32_t)rng_next(&rng);
	if (!ask(x, ELSEWHERE))
		return false;
	for (uint32_t i = 0; i < ELSEWHERE; i++)
		m->differ += x->of[i] != mufu_value(&f, argument[i]);
	m->elsewhere = ELSEWHERE;
	return true;
}

/* One function, in arena x->scratch, and what of it a file has, in a. */
static bool measure(struct asked *x, const struct image *image, struct mufu_measured *m, struct mufu_packed *p)
{
	const struct hardware_ops *ops = x->h->ops;
	int32_t *difference = new_array(x->scratch, int32_t, mufu_info[m->id].entries);

	say_progress(mufu_info[m->id].name);
	m->difference = difference;
	x->code = ops->load(x->h, image->bytes, image->n, image->name);
	x->in = x->code ? ops->alloc(x->h, BATCH * sizeof *x->of) : 0;
	x->out = x->in ? ops->alloc(x->h, BATCH * sizeof *x->of) : 0;
	if (!x->out || !ask_table(x, m->id, difference) || !ask_elsewhere(x, m))
		return false;
	ops->reset(x->h);
	return mufu_pack(p, m, x->a) || diag_error_plain(x->d, x->h->name, "the table cannot be packed");
}

/* ---- which ---- */
static const char *name_of(unsigned id) { return mufu_info[id].name; }

/* False with a diagnostic: a word is no function. */
static bool chosen(const char *list, bool want[MUFU_COUNT], struct arena *a, struct diag *d)
{
	char *text = arena_printf(a, "%s", list ? list : ""), *rest = text;
	const char *word;

	for (unsigned id = 0; id < MUFU_COUNT; id++)
		want[id] = !list;
	while (list && (word = strsep(&rest, ","))) {
		unsigned id = 0;

		while (id < MUFU_COUNT && strcmp(name_of(id), word) != 0)
			id++;
		if (id == MUFU_COUNT)
			return diag_error_plain(d, NULL, "--functions: there is no function '%s'", word);
		want[id] = true;
	}
	return true;
}

/* ---- what was found ---- */
static void print(FILE *f, const struct mufu_measured *m)
{
	uint32_t differ = 0;
	int32_t least = 0, most = 0;

	for (uint32_t i = 0; i < mufu_info[m->id].entries; i++) {
		differ += m->difference[i] != 0;
		least = m->difference[i] < least ? m->difference[i] : least;
		most = m->difference[i] > most ? m->difference[i] : most;
	}
	fprintf(f, "%-10s %11" PRIu32 " %10.4f%% %11" PRId32 " %11" PRId32, name_of(m->id), mufu_info[m->id].entries,
		100.0 * differ / mufu_info[m->id].entries, least, most);
	if (m->elsewhere)
		fprintf(f, " %10" PRIu32 " of %" PRIu32, m->differ, m->elsewhere);
	fputc('\n', f);
}

/* All that are wanted; *n becomes how many. */
static bool measure_all(struct asked *x, const struct options *o, const bool want[MUFU_COUNT],
			struct mufu_packed p[MUFU_COUNT], unsigned *n)
{
	struct image all, one;
	struct arena scratch;

	if (!kernels_image(&all, x->h->sm, x->a, x->d))
		return false;
	x->of = new_array(x->a, uint32_t, BATCH);
	if (!o->given[OPT_QUIET])
		printf("%-10s %11s %11s %11s %11s %s\n", "function", "entries", "differ", "least", "most", "elsewhere");
	for (unsigned id = 0; id < MUFU_COUNT; id++) {
		const struct mufu_info *info = &mufu_info[id];
		struct mufu_measured m = { .id = (enum mufu)id };
		bool ok;

		if (!want[id])
			continue;
		if (!kernels_function(&one, &all, "function", info->function, info->type, x->a, x->d)) {
			if (diag_failed(x->d))
				return false;
			if (o->given[OPT_FUNCTIONS])
				return diag_error_plain(x->d, x->h->name, "has no function %s", info->name);
			continue;
		}
		arena_init(&scratch);
		x->scratch = &scratch;
		ok = measure(x, &one, &m, &p[*n]);
		*n += ok;
		if (ok && !o->given[OPT_QUIET]) {
			say_progress(NULL);
			print(stdout, &m);
		}
		arena_free(&scratch);
		if (!ok)
			return false;
	}
	return true;
}

static const char *head(const struct hardware *h, const struct mufu_packed *p, unsigned n, struct arena *a)
{
	const time_t now = time(NULL);
	struct tm tm;
	char date[16], *text;

	strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &tm));
	text = arena_printf(
		a,
		"# MUFU of %s (%s), compute capability %u.%u, %s, by regloom-gpu " REGLOOM_VERSION "\n"
		"# In units of the last place from the correctly rounded result. For these arguments, from which\n"
		"# those of others follow as G80's unit is made (envytools, nvhw/sfu.c):\n",
		h->name, h->driver, h->sm / 10, h->sm % 10, date);
	for (unsigned i = 0; i < n; i++)
		text = arena_printf(a, "%s# %s: %s\n", text, name_of(p[i].id), mufu_info[p[i].id].arguments);
	return arena_printf(
		a,
		"%s# function NAME ENTRIES WIDTH PACKED SHA256 TRIED DIFFER: of so many arguments anywhere, so\n"
		"# many gave what does not follow\n",
		text);
}

static bool write_table(const char *path, const struct hardware *h, const struct mufu_packed *p, unsigned n,
			struct arena *a, struct diag *d)
{
	struct outfile out;

	if (!outfile_open(&out, path, a, d))
		return false;
	mufu_write(out.f, head(h, p, n, a), p, n);
	return outfile_commit(&out);
}

int command_mufu(const struct options *o, struct arena *a, struct diag *d)
{
	const struct mufu_table *table = NULL;
	struct mufu_packed p[MUFU_COUNT];
	struct hardware h;
	struct asked x = { .h = &h, .a = a, .d = d };
	bool want[MUFU_COUNT], ok;
	unsigned n = 0;

	if (!chosen(o->value[OPT_FUNCTIONS], want, a, d))
		return EXIT_USAGE;
	if (o->given[OPT_TABLE] && !o->given[OPT_MODEL])
		return usage_error("regloom-gpu", "mufu", "--mufu goes with --model%s", "");
	if ((o->given[OPT_TABLE] && !(table = mufu_read(o->value[OPT_TABLE], a, d))) || !open_hardware(&h, o, a, d))
		return EXIT_INPUT;
	if (table)
		hardware_model_mufu(&h, table);
	ok = measure_all(&x, o, want, p, &n);
	h.ops->close(&h);
	if (!ok || (o->given[OPT_OUTPUT] && !write_table(o->value[OPT_OUTPUT], &h, p, n, a, d)))
		return EXIT_INPUT;
	return EXIT_FINE;
}
