#include "runtime-model/hardware/answers.h"
#include "analyzer/base/sha256.h"

#include <inttypes.h>
#include <string.h>

const char *const verdict_text[VERDICT_COUNT] = {
#define V(id, text) text,
	VERDICTS(V)
#undef V
};

/* Both files and what they are. False: the answer is that they cannot be read, or are not for a device. */
static bool begin(struct answer *x, struct walk *w, const struct pair *p, const struct mufu_table *t, struct arena *a,
		  struct diag *d)
{
	struct source text;

	*x = (struct answer){ .name = p->name, .verdict = VERDICT_FAILED };
	d->errors = 0; /* of the pair before: readers stop when they are many */
	if (!walk_read(w, p, t, a, d) || !source_read(&text, p->launch, a, d))
		return false;
	walk_hash_of(w->src.text, w->src.len, x->code);
	walk_hash_of(text.text, text.len, x->text);
	if (walk_unasked(w)) {
		x->verdict = VERDICT_UNASKED;
		x->why = walk_unasked(w);
		return false;
	}
	return true;
}

/* Of the latest message, without the file. */
static const char *first_line(const struct diag *d, struct arena *a)
{
	const char *text = strstr(d->last, "error: ");

	text = text ? text + strlen("error: ") : d->last;
	return arena_strndup(a, text, strcspn(text, "\n"));
}

/* Of what lies in the walk's arena, which goes, a copy in a. */
static void keep(struct answer *x, struct arena *a)
{
	const char **text[] = { &x->why, &x->kernel, &x->differs.theirs, &x->differs.ours };
	uint64_t *place = new_array(a, uint64_t, x->nplace + 1);
	struct walk_piece *piece = new(a, struct walk_piece);

	for (unsigned i = 0; i < sizeof text / sizeof *text; i++)
		if (*text[i])
			*text[i] = arena_printf(a, "%s", *text[i]);
	if (x->nplace)
		memcpy(place, x->place, x->nplace * sizeof *place);
	x->place = place;
	if (x->differs.piece) {
		piece->name = arena_printf(a, "%s", x->differs.piece->name);
		x->differs.piece = piece;
	}
}

static void keep_hashes(struct answer *x, const struct walk *w, bool theirs, struct arena *a)
{
	char(*memory)[WALK_HASH] = (char(*)[WALK_HASH])x->memory;

	for (unsigned i = 0; i < w->npiece; i++) {
		arena_grow(a, memory, x->nmemory, x->cap);
		walk_hash(w, i, theirs, memory[x->nmemory++]);
	}
	x->npiece = w->npiece;
	x->nlaunch++;
	x->memory = (const char(*)[WALK_HASH])memory;
}

/* Launch x->nlaunch has something that is other, where it may, or where it may not. */
static void note(struct answer *x, const struct walk *w, bool may)
{
	if (x->kernel && (x->verdict != VERDICT_EXCLUDED || may))
		return;
	x->kernel = w->l.k->name;
	x->launch = x->nlaunch;
	x->why = may ? w->excluded : NULL;
	x->verdict = may ? VERDICT_EXCLUDED : VERDICT_DIFFERS;
}

/* ---- asking ---- */
/* What a driver does not take is no fault of ours. */
static bool place(struct answer *x, struct walk *w, struct hardware *h, struct arena *a, struct diag *d)
{
	FILE *to = d->out;
	bool ok;

	d->out = NULL;
	ok = walk_place(w, h);
	d->out = to;
	if (!ok && !w->code) {
		x->verdict = VERDICT_REFUSED;
		x->why = first_line(d, a);
	} else if (!ok && to) {
		fputs(d->last, to);
	}
	return ok;
}

/* One launch on both sides. What differs where it may is taken from the device, which the launch file then judges. */
static bool ask_launch(struct answer *x, struct walk *w, struct arena *a)
{
	struct walk_difference of[2];
	double ns;

	if (!walk_device(w, &ns) || !walk_engine(w) || !walk_compare(w, of))
		return false;
	keep_hashes(x, w, true, a);
	walk_take(w);
	for (unsigned may = 0; may < 2; may++) {
		const enum verdict before = x->verdict;

		if (!of[may].piece)
			continue;
		x->ulps = of[may].ulps > x->ulps ? of[may].ulps : x->ulps;
		note(x, w, may);
		if (x->verdict != before)
			x->differs = of[may];
	}
	return true;
}

/* Of results that may be others: whether the launch file accepts them. */
static void judge(struct answer *x, struct walk *w, struct arena *a)
{
	struct expect_result *res = new_array(a, struct expect_result, w->f->nexpect + 1);
	const enum check c = launch_check(w->f, w->dev, res, a, w->d);
	const char *says = "the launch file expects nothing";

	if (c == CHECK_ERROR)
		x->verdict = VERDICT_FAILED;
	if (c == CHECK_PASS)
		says = "the device gives what the launch file expects";
	if (c == CHECK_FAIL) {
		x->verdict = VERDICT_DIFFERS;
		says = "the device does not give what the launch file expects";
	}
	x->why = arena_printf(a, "%s; %s", x->why, says);
}

void answer_ask(struct answer *x, const struct pair *p, struct hardware *h, const struct mufu_table *t, struct arena *a,
		struct diag *d)
{
	enum launch_step step;
	struct arena scratch;
	struct walk w;

	arena_init(&scratch);
	if (begin(x, &w, p, t, &scratch, d) && place(x, &w, h, &scratch, d)) {
		x->place = w.place;
		x->nplace = w.nplace;
		x->verdict = VERDICT_EQUAL;
		while ((step = walk_next(&w)) == LAUNCH_RUN && ask_launch(x, &w, a))
			;
		if (step != LAUNCH_DONE)
			x->verdict = VERDICT_FAILED;
		else if (x->verdict == VERDICT_EXCLUDED)
			judge(x, &w, &scratch);
	}
	walk_close(&w);
	keep(x, a);
	arena_free(&scratch);
}

/* ---- replaying ---- */
static void differs(struct answer *x, const char *why)
{
	x->verdict = VERDICT_DIFFERS;
	x->why = why;
}

/* Compares what the latest launch left. What is the same as on the device differs no more. */
static void replay_launch(struct answer *x, struct walk *w, const struct answer *golden)
{
	const unsigned first = (x->nlaunch - 1) * x->npiece;

	for (unsigned i = 0; i < w->npiece; i++) {
		const bool same = x->nlaunch <= golden->nlaunch && golden->npiece == x->npiece &&
				  strcmp(x->memory[first + i], golden->memory[first + i]) == 0;

		if (!same)
			note(x, w, w->may_differ[i]);
		w->may_differ[i] &= !same;
	}
	if (x->verdict == VERDICT_DIFFERS)
		x->why = "memory is not what the device left";
}

static void replay_launches(struct answer *x, struct walk *w, const struct answer *golden, struct arena *a)
{
	enum launch_step step;

	x->verdict = VERDICT_EQUAL;
	while ((step = walk_next(w)) == LAUNCH_RUN && x->verdict != VERDICT_DIFFERS) {
		if (!walk_engine(w)) {
			x->verdict = VERDICT_FAILED;
			return;
		}
		keep_hashes(x, w, false, a);
		replay_launch(x, w, golden);
	}
	if (step == LAUNCH_FAILED)
		x->verdict = VERDICT_FAILED;
	else if (step == LAUNCH_DONE && x->nlaunch < golden->nlaunch)
		differs(x, "the device had more launches");
}

static void replay(struct answer *x, struct walk *w, const struct answer *golden, struct arena *a)
{
	if (strcmp(x->code, golden->code) != 0 || strcmp(x->text, golden->text) != 0) {
		differs(x, "it is another kernel or launch file than the device was asked");
	} else if (golden->verdict != VERDICT_EQUAL && golden->verdict != VERDICT_DIFFERS &&
		   golden->verdict != VERDICT_EXCLUDED) {
		x->verdict = golden->verdict;
		x->why = golden->why;
	} else if (walk_place_at(w, golden->place, golden->nplace)) {
		replay_launches(x, w, golden, a);
	}
}

void answer_replay(struct answer *x, const struct pair *p, const struct answer *golden, const struct mufu_table *t,
		   struct arena *a, struct diag *d)
{
	struct arena scratch;
	struct walk w;

	arena_init(&scratch);
	if (begin(x, &w, p, t, &scratch, d))
		replay(x, &w, golden, a);
	walk_close(&w);
	keep(x, a);
	arena_free(&scratch);
}

/* ---- for people ---- */
bool answer_right(const struct answer *x) { return x->verdict != VERDICT_DIFFERS && x->verdict != VERDICT_FAILED; }

/* "buffer C, 12 of 4096 elements: C[17] is 1.5 on the device, 1.25 here" */
static void print_difference(FILE *f, const struct answer *x)
{
	const struct walk_difference *d = &x->differs;

	fprintf(f, ": launch %u, %s", x->launch, x->kernel);
	if (!d->piece)
		return;
	fprintf(f, ": %" PRIu64 " of %" PRIu64 " elements differ; %s[%" PRIu64 "] is %s on the device, %s here",
		d->mismatches, d->of, d->piece->name, d->element, d->theirs, d->ours);
	if (x->ulps == UINT64_MAX)
		fputs("; some are a NaN on one side", f);
	else if (d->floats)
		fprintf(f, "; by %" PRIu64 " ulp at most", x->ulps);
}

void answer_print(FILE *f, const struct answer *x)
{
	fprintf(f, "%-8s  %s", verdict_text[x->verdict], x->name);
	if (x->kernel)
		print_difference(f, x);
	else if (x->nlaunch)
		fprintf(f, ": %u launch%s", x->nlaunch, x->nlaunch > 1 ? "es" : "");
	if (x->why)
		fprintf(f, "%s%s", x->kernel || x->nlaunch ? "; " : ": ", x->why);
	fputc('\n', f);
}

void answers_count(FILE *f, const struct answer *x, unsigned n)
{
	unsigned of[VERDICT_COUNT] = { 0 };
	const char *between = "";

	for (unsigned i = 0; i < n; i++)
		of[x[i].verdict]++;
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		if (of[v]) {
			fprintf(f, "%s%u %s", between, of[v], verdict_text[v]);
			between = ", ";
		}
	fputc('\n', f);
}
