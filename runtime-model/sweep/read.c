/* A sweep file: what its keys mean. Errors stand where the value is. */
#include "runtime-model/sweep/sweep.h"
#include "analyzer/base/infile.h"
#include "analyzer/base/inside.h"
#include "analyzer/base/near.h"
#include "runtime-model/core/machine_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct sweep *w;
	struct arena *a;
	struct diag *d;
};

/* The file, as seen from a folder ("" or "x/"). */
static const char *join(const char *folder, const char *file, struct arena *a)
{
	return arena_printf(a, "%s%s", *file == '/' ? "" : folder, file);
}

const char *sweep_reason(const struct diag *quiet, struct arena *a)
{
	const char *text = quiet->last ? quiet->last : "an error without a message", *at = strstr(text, "error: ");

	text = at ? at + strlen("error: ") : text;
	return arena_strndup(a, text, strcspn(text, "\n"));
}

/* ---- values of one kind ---- */
static const char *get_text(struct reader *r, const struct node *n, const char *what)
{
	if (n->kind == NODE_TEXT && *n->text)
		return n->text;
	diag_error(r->d, n->at, n->kind == NODE_TEXT ? "%s is empty" : "%s is a single value", what);
	return NULL;
}

/* Lists are compared with themselves. */
static bool long_list(struct reader *r, const struct node *n)
{
	return n->n > SWEEP_LIST_MAX && !diag_error(r->d, n->at, "a list of %u; %d are the most", n->n, SWEEP_LIST_MAX);
}

static bool get_number(struct reader *r, const struct node *n, const char *what, uint64_t min, uint64_t max,
		       uint64_t *out)
{
	const char *text = get_text(r, n, what);
	char *end;

	if (!text)
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || *out < min || *out > max)
		return diag_error(r->d, n->at, "%s is a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'", what,
				  min, max, text);
	return true;
}

/* A list of texts, or one text. */
static bool get_texts(struct reader *r, const struct node *n, const char *what, const char ***out, unsigned *nout)
{
	const unsigned count = n->kind == NODE_TEXT ? 1 : n->n;

	if (n->kind == NODE_MAP || !count)
		return diag_error(
			r->d, n->at,
			n->kind == NODE_MAP ? "%s: a list was expected, not a mapping" : "%s: the list is empty", what);
	if (long_list(r, n))
		return false;
	*out = new_array(r->a, const char *, count);
	for (unsigned i = 0; i < count; i++)
		if (!((*out)[(*nout)++] = get_text(r, n->kind == NODE_TEXT ? n : &n->item[i], what)))
			return false;
	return true;
}

static struct loc place(const struct node *n, unsigned i) /* of value i of get_texts() */
{
	return n->kind == NODE_TEXT ? n->at : n->item[i].at;
}

static bool distinct(struct reader *r, const struct node *n, const char *what, const char *const *text, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (name_find(text, i, text[i]) < i)
			return diag_error(r->d, place(n, i), "%s '%s' is given twice", what, text[i]);
	return true;
}

static bool get_named(struct reader *r, const struct node *n, const char *what, struct sweep_text **out, unsigned *nout)
{
	const char **text = NULL;

	if (!get_texts(r, n, what, &text, nout) || !distinct(r, n, what, text, *nout))
		return false;
	*out = new_array(r->a, struct sweep_text, *nout);
	for (unsigned i = 0; i < *nout; i++)
		(*out)[i] = (struct sweep_text){ text[i], place(n, i) };
	return true;
}

/* ---- kernels ---- */
static const char *base_name(const char *path, struct arena *a)
{
	const char *name = loc_base_name(path), *dot = strrchr(name, '.');

	return dot && dot != name ? arena_strndup(a, name, (size_t)(dot - name)) : name;
}

static bool get_launches(struct reader *r, const struct node *n, struct sweep_kernel *k)
{
	const char **file = NULL;

	if (!get_texts(r, n, "a launch file", &file, &k->nlaunch))
		return false;
	k->launch = new_array(r->a, struct sweep_launch, k->nlaunch);
	for (unsigned i = 0; i < k->nlaunch; i++) {
		k->launch[i] = (struct sweep_launch){ base_name(file[i], r->a), join(r->w->folder, file[i], r->a),
						      place(n, i), "" };
		for (unsigned j = 0; j < i; j++)
			if (strcmp(k->launch[j].name, k->launch[i].name) == 0)
				return diag_error(r->d, k->launch[i].at, "two launch files are called '%s'",
						  k->launch[i].name);
	}
	return true;
}

/* Options of ptx-annotate that say how the object is made. Others write files, or something that is no object. */
static bool check_options(struct reader *r, const struct node *n, const char *const *option, unsigned count)
{
	static const char *const takes[] = {
		"input",
		"module",
		"code",
		"sm",
		"optimise",
		"kernel",
		"fresh",
		"maxreg",
		"inline",
		"no-fold",
		"no-schedule",
		"schedule",
		"pairs",
		"align",
		"align-time",
		"orf",
		"orf-entries",
		"orf-warps",
		"orf-cost-entries",
		"no-orf-partial",
		"no-orf-read-operands",
		"no-orf-branches",
		"orf-writes",
		"orf-ranges",
		"orf-weights",
		"orf-never-flush",
		"orf-past-barriers",
		"orf-exact",
		"regmutex",
		"regmutex-place",
		"regmutex-liveness",
		"regmutex-exact",
		"regmutex-kernel",
		"regmutex-rules",
		"machine",
		"set",
		"launch",
		"block",
		"grid",
		"param",
		"profile",
		"verify-passes",
	};
	enum { TAKES = sizeof takes / sizeof *takes };
	bool value = false; /* the one before may take this one as its value */

	for (unsigned i = 0; i < count; i++) {
		const char *text = option[i];
		const size_t length = strcspn(text, "=");
		char hint[NEAR_HINT];
		struct near near;

		if (*text != '-' && value) {
			value = false;
			continue;
		}
		value = strchr(text, '=') == NULL;
		if (strncmp(text, "-O", 2) == 0 ||
		    (strncmp(text, "--", 2) == 0 && length < 40 &&
		     name_find(takes, TAKES, arena_strndup(r->a, text + 2, length - 2)) < TAKES))
			continue;
		near_begin(&near, text + strspn(text, "-"), length - strspn(text, "-"));
		for (unsigned t = 0; t < TAKES; t++)
			near_offer(&near, takes[t]);
		return diag_error(r->d, place(n, i),
				  "'%.*s' is no option of ptx-annotate that a sweep takes: those that say how an "
				  "object is made%s",
				  (int)length, text, near_hint(&near, hint));
	}
	return true;
}

static bool read_kernel(struct reader *r, const struct node *n, struct sweep_kernel *k)
{
	static const char *const keys[] = { "name", "object", "source", "annotate", "launch", "launches" };
	const struct node *object, *source, *annotate, *one, *more, *name;

	k->at = n->at;
	if (!node_keys(n, "a kernel", keys, sizeof keys / sizeof *keys, r->d))
		return false;
	object = node_get(n, "object");
	source = node_get(n, "source");
	annotate = node_get(n, "annotate");
	one = node_get(n, "launch");
	more = node_get(n, "launches");
	name = node_get(n, "name");
	if (!object == !source)
		return diag_error(
			r->d, n->at,
			"a kernel has one of 'object', an annotated object, and 'source', what ptx-annotate reads");
	if (!one == !more)
		return diag_error(r->d, n->at,
				  "a kernel has one of 'launch' and 'launches', the launch files that it runs by");
	if (annotate && object)
		return diag_error(r->d, annotate->at,
				  "options of ptx-annotate belong to a 'source'; this is an object");
	if ((object && !(k->object = get_text(r, object, "an object"))) ||
	    (source && !(k->source = get_text(r, source, "a source"))) ||
	    (name && !(k->name = get_text(r, name, "a name"))))
		return false;
	if (!k->name)
		k->name = base_name(object ? k->object : k->source, r->a);
	if (strchr(k->name, '/'))
		return diag_error(r->d, name ? name->at : n->at, "the name '%s' has a '/'", k->name);
	if (object)
		k->object = join(r->w->folder, k->object, r->a);
	return (!annotate || (get_texts(r, annotate, "an option of ptx-annotate", &k->annotate, &k->nannotate) &&
			      check_options(r, annotate, k->annotate, k->nannotate))) &&
	       (!one || one->kind == NODE_TEXT ||
		diag_error(r->d, one->at, "'launch' names one file; 'launches' is a list")) &&
	       get_launches(r, one ? one : more, k);
}

static bool read_kernels(struct reader *r, const struct node *n)
{
	struct sweep *w = r->w;

	if (n->kind != NODE_LIST || !n->n)
		return diag_error(r->d, n->at, "'kernels' is a list of one kernel or more");
	if (long_list(r, n))
		return false;
	w->kernel = new_array(r->a, struct sweep_kernel, n->n);
	for (; w->nkernel < n->n; w->nkernel++) {
		struct sweep_kernel *k = &w->kernel[w->nkernel];

		if (!read_kernel(r, &n->item[w->nkernel], k))
			return false;
		for (unsigned j = 0; j < w->nkernel; j++)
			if (strcmp(w->kernel[j].name, k->name) == 0)
				return diag_error(r->d, k->at, "two kernels are called '%s'; 'name' tells them apart",
						  k->name);
	}
	return true;
}

/* ---- configurations ---- */
/* Is MACHINE,ITEMS a configuration? */
static bool is_config(struct reader *r, const char *machine, const char *items, struct loc at)
{
	struct config_list *l = new(r->a, struct config_list);
	struct diag quiet;
	bool ok;

	diag_init(&quiet, NULL);
	l->machine = machine;
	ok = config_list_add(l, items, r->a, &quiet);
	if (!ok)
		diag_error(r->d, at, "%s", sweep_reason(&quiet, r->a));
	diag_free(&quiet);
	return ok;
}

static bool has_item(const char *text, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = text; *p; p += strcspn(p, ","), p += *p == ',')
		if (strncmp(p, name, n) == 0 && p[n] == '=')
			return true;
	return false;
}

static bool read_configs(struct reader *r, const struct node *machines, const struct node *rf)
{
	static const char *const not_here[] = { "machine", "name" };
	struct sweep *w = r->w;

	if ((machines && !get_named(r, machines, "the machine", &w->machine, &w->nmachine)) ||
	    (rf && !get_named(r, rf, "the register file", &w->rf, &w->nrf)))
		return false;
	if (!machines) {
		w->machine = new(r->a, struct sweep_text);
		w->machine[w->nmachine++] = (struct sweep_text){ params_machine_name(0), { NULL, 0 } };
	}
	if (!rf) {
		w->rf = new(r->a, struct sweep_text);
		w->rf[w->nrf++] = (struct sweep_text){ "baseline", { NULL, 0 } };
	}
	for (unsigned m = 0; m < w->nmachine; m++)
		if (!is_config(r, w->machine[m].text, "baseline", w->machine[m].at))
			return false;
	for (unsigned i = 0; i < w->nrf; i++)
		for (unsigned k = 0; k < sizeof not_here / sizeof *not_here; k++)
			if (has_item(w->rf[i].text, not_here[k]))
				return diag_error(r->d, w->rf[i].at, "'%s' has no place in a register file's text",
						  not_here[k]);
	for (unsigned i = 0; i < w->nrf; i++)
		for (unsigned m = 0; m < w->nmachine; m++)
			if (!is_config(r, w->machine[m].text, w->rf[i].text, w->rf[i].at))
				return false;
	return true;
}

/* ---- values of parameters ---- */
static bool get_real(struct reader *r, const struct node *n, const char *what, double *out)
{
	const char *text = get_text(r, n, what);
	char *end;

	if (!text)
		return false;
	*out = strtod(text, &end);
	return (*end == '\0' && isfinite(*out)) || diag_error(r->d, n->at, "%s is a number, not '%s'", what, text);
}

/* {from: 4, to: 16, step: 4} or {from: 4, to: 16, factor: 2}. */
static bool read_range(struct reader *r, const struct node *n, struct sweep_set *s)
{
	static const char *const keys[] = { "from", "to", "step", "factor" };
	const struct node *from, *to, *step, *factor;
	double first, last, by = 1;

	if (!node_keys(n, "a range", keys, sizeof keys / sizeof *keys, r->d))
		return false;
	from = node_get(n, "from");
	to = node_get(n, "to");
	step = node_get(n, "step");
	factor = node_get(n, "factor");
	if (!from || !to || (step && factor))
		return diag_error(r->d, n->at,
				  step && factor ? "a range has 'step' or 'factor', not both"
						 : "a range has 'from' and 'to'");
	if (!get_real(r, from, "'from'", &first) || !get_real(r, to, "'to'", &last) ||
	    (step && !get_real(r, step, "'step'", &by)) || (factor && !get_real(r, factor, "'factor'", &by)))
		return false;
	if (factor ? by <= 1 || first <= 0 : by <= 0)
		return diag_error(r->d, factor ? factor->at : step->at,
				  factor ? "a factor is above 1, and begins above 0" : "a step is above 0");
	if (last < first)
		return diag_error(r->d, to->at, "the range ends before it begins");
	s->value = new_array(r->a, const char *, SWEEP_LIST_MAX);
	/* Each from its number, so that fractions do not add up; a millionth of a step past the end is the end. */
	for (unsigned i = 0;; i++) {
		double v = factor ? first * pow(by, i) : first + i * by;

		if (factor ? v > last * (1 + 1e-9) : v > last + by * 1e-6)
			return true;
		if (s->n == SWEEP_LIST_MAX)
			return diag_error(r->d, n->at, "more than %d values", SWEEP_LIST_MAX);
		s->value[s->n++] = arena_printf(r->a, "%.12g", v);
	}
}

static bool read_set(struct reader *r, const struct node *key, const struct node *n, struct sweep_set *s)
{
	const char *name = key->text;
	const struct sweep *w = r->w;
	char *item = arena_printf(r->a, "%s=", name);
	bool axis = axis_takes(item, strlen(item));

	*s = (struct sweep_set){ .name = name, .at = key->at };
	if (!axis && !params_known(name, strlen(name))) {
		struct diag quiet;
		struct params p;
		bool ok;

		diag_init(&quiet, NULL); /* what is near it is params_set()'s to know */
		ok = machine_read(&p, w->machine[0].text, r->a, &quiet) &&
		     params_set(&p, arena_printf(r->a, "%s=1", name), &quiet);
		diag_error(r->d, key->at, "%s", ok ? "no such parameter" : sweep_reason(&quiet, r->a));
		diag_free(&quiet);
		return false;
	}
	for (unsigned i = 0; i < w->nrf; i++)
		if (has_item(w->rf[i].text, name))
			return diag_error(r->d, key->at, "'%s' is swept here, and the register file '%s' sets it too",
					  name, w->rf[i].text);
	if (n->kind == NODE_MAP
		    ? !read_range(r, n, s)
		    : !get_texts(r, n, name, &s->value, &s->n) || !distinct(r, n, "the value", s->value, s->n))
		return false;
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned m = 0; m < w->nmachine; m++) {
			if (strpbrk(s->value[i], ","))
				return diag_error(r->d, place(n, i), "a value has no comma");
			if (!is_config(r, w->machine[m].text, arena_printf(r->a, "%s%s", item, s->value[i]),
				       n->kind == NODE_MAP ? n->at : place(n, i)))
				return false;
		}
	return true;
}

static bool read_sets(struct reader *r, const struct node *n)
{
	struct sweep *w = r->w;

	if (n->kind != NODE_MAP || n->n > SWEEP_SETS_MAX)
		return diag_error(r->d, n->at,
				  n->kind != NODE_MAP ? "'set' is a mapping of parameters or axes to values"
						      : "more than %d parameters",
				  SWEEP_SETS_MAX);
	w->set = new_array(r->a, struct sweep_set, n->n);
	for (; w->nset < n->n; w->nset++)
		if (!read_set(r, &n->key[w->nset], &n->item[w->nset], &w->set[w->nset]))
			return false;
	return node_once(n, r->d);
}

/* ---- what is left out ---- */
static const char *const part_name[] = {
	[KEY_KERNEL] = "kernel", [KEY_LAUNCH] = "launch", [KEY_MACHINE] = "machine", [KEY_RF] = "rf"
};

/* Does any point have this value? */
static bool occurs(const struct sweep *w, unsigned key, const char *value)
{
	bool yes = false;

	for (unsigned i = 0; i < w->nkernel && key <= KEY_LAUNCH; i++) {
		yes |= key == KEY_KERNEL && strcmp(w->kernel[i].name, value) == 0;
		for (unsigned l = 0; l < w->kernel[i].nlaunch && key == KEY_LAUNCH; l++)
			yes |= strcmp(w->kernel[i].launch[l].name, value) == 0;
	}
	for (unsigned i = 0; i < w->nmachine && key == KEY_MACHINE; i++)
		yes |= strcmp(w->machine[i].text, value) == 0;
	for (unsigned i = 0; i < w->nrf && key == KEY_RF; i++)
		yes |= strcmp(w->rf[i].text, value) == 0;
	return key < KEY_SET ? yes
			     : name_find(w->set[key - KEY_SET].value, w->set[key - KEY_SET].n, value) <
				       w->set[key - KEY_SET].n;
}

static bool read_exclude(struct reader *r, const struct node *n, struct sweep_exclude *e)
{
	const char *keys[KEY_SET + SWEEP_SETS_MAX];
	const unsigned nkey = KEY_SET + r->w->nset;

	for (unsigned i = 0; i < nkey; i++)
		keys[i] = i < KEY_SET ? part_name[i] : r->w->set[i - KEY_SET].name;
	if (!node_keys(n, "an exclusion", keys, nkey, r->d))
		return false;
	if (!n->n)
		return diag_error(r->d, n->at, "this excludes every point");
	e->match = new_array(r->a, struct sweep_match, n->n);
	for (; e->n < n->n; e->n++) {
		struct sweep_match *m = &e->match[e->n];

		m->key = name_find(keys, nkey, n->key[e->n].text);
		if (!get_texts(r, &n->item[e->n], n->key[e->n].text, &m->value, &m->n))
			return false;
		for (unsigned i = 0; i < m->n; i++)
			if (!occurs(r->w, m->key, m->value[i]))
				return diag_error(r->d, place(&n->item[e->n], i), "no point has %s '%s'", keys[m->key],
						  m->value[i]);
	}
	return true;
}

static bool read_excludes(struct reader *r, const struct node *n)
{
	if (n->kind != NODE_LIST)
		return diag_error(r->d, n->at, "'exclude' is a list");
	if (long_list(r, n))
		return false;
	r->w->exclude = new_array(r->a, struct sweep_exclude, n->n);
	for (; r->w->nexclude < n->n; r->w->nexclude++)
		if (!read_exclude(r, &n->item[r->w->nexclude], &r->w->exclude[r->w->nexclude]))
			return false;
	return true;
}

/* ---- the rest ---- */
static bool read_metrics(struct reader *r, const struct node *n)
{
	const char **name = NULL;
	struct diag quiet;
	bool ok = true;
	unsigned count = 0;

	if (!get_texts(r, n, "a metric", &name, &count) || !distinct(r, n, "the metric", name, count))
		return false;
	if (count == 1 && strcmp(name[0], "all") == 0)
		return true;
	r->w->metrics.n = 0;
	diag_init(&quiet, NULL);
	for (unsigned i = 0; i < count && ok; i++) {
		struct metric_choice one;

		ok = !strchr(name[i], ',') && metric_choice_parse(&one, name[i], r->a, &quiet);
		if (ok)
			r->w->metrics.metric[r->w->metrics.n++] = one.metric[0];
		else
			diag_error(r->d, place(n, i), "%s",
				   strchr(name[i], ',') ? "a metric's name has no comma" : sweep_reason(&quiet, r->a));
	}
	diag_free(&quiet);
	return ok;
}

static bool get_switch(struct reader *r, const struct node *n, const char *what, bool *out)
{
	const char *text = get_text(r, n, what);

	*out = text && strcmp(text, "true") == 0;
	return text && (*out || strcmp(text, "false") == 0 ||
			diag_error(r->d, n->at, "%s is true or false, not '%s'", what, text));
}

static bool read_options(struct reader *r, const struct node *n)
{
	static const char *const keys[] = { "sample", "max-insns", "max-cycles", "checked" };
	struct sweep_options *o = &r->w->options;
	const struct node *v;

	if (!node_keys(n, "'options'", keys, sizeof keys / sizeof *keys, r->d))
		return false;
	if (((v = node_get(n, "max-insns")) && !get_number(r, v, "'max-insns'", 1, UINT64_MAX, &o->max_insns)) ||
	    ((v = node_get(n, "max-cycles")) && !get_number(r, v, "'max-cycles'", 1, UINT64_MAX, &o->max_cycles)) ||
	    ((v = node_get(n, "sample")) &&
	     !get_number(r, v, "'sample'", SAMPLE_CLUSTERS_MIN, SAMPLE_CLUSTERS_MAX, &o->sample)))
		return false;
	if (!(v = node_get(n, "checked")))
		return true;
	return get_switch(r, v, "'checked'", &o->checked);
}

static bool get_count(struct reader *r, const struct node *root, const char *key, unsigned min, unsigned max,
		      unsigned *out)
{
	const struct node *n = node_get(root, key);
	uint64_t v = *out;

	if (n && !get_number(r, n, key, min, max, &v))
		return false;
	*out = (unsigned)v;
	return true;
}

static bool read_root(struct reader *r, const struct node *root)
{
	static const char *const keys[] = { "out",     "kernels", "machines", "rf",       "set",   "exclude", "metrics",
					    "options", "retry",   "timeout",  "together", "hosts", "slurm",   "units" };
	struct sweep *w = r->w;
	const struct node *n;
	const char *out;

	if (!node_keys(root, "a sweep", keys, sizeof keys / sizeof *keys, r->d))
		return false;
	out = base_name(w->path, r->a);
	if ((n = node_get(root, "out")) && !(out = get_text(r, n, "'out'")))
		return false;
	w->out_at = n ? n->at : (struct loc){ root->at.src, 0 };
	w->host_at = node_get(root, "hosts") ? node_get(root, "hosts")->at : w->host_at;
	w->slurm_at = node_get(root, "slurm") ? node_get(root, "slurm")->at : w->slurm_at;
	w->out = join(w->folder, out, r->a);
	if (out[strlen(out) - 1] == '/')
		return diag_error(r->d, n->at, "'out' is the beginning of names of files, not a folder");
	if (!(n = node_get(root, "kernels")))
		return diag_error(r->d, root->at, "'kernels' is missing");
	return read_kernels(r, n) && read_configs(r, node_get(root, "machines"), node_get(root, "rf")) &&
	       (!(n = node_get(root, "set")) || read_sets(r, n)) &&
	       (!(n = node_get(root, "exclude")) || read_excludes(r, n)) &&
	       (!(n = node_get(root, "metrics")) || read_metrics(r, n)) &&
	       (!(n = node_get(root, "options")) || read_options(r, n)) &&
	       (!(n = node_get(root, "hosts")) || get_texts(r, n, "a host", &w->host, &w->nhost)) &&
	       (!(n = node_get(root, "slurm")) || get_texts(r, n, "an argument of sbatch", &w->slurm, &w->nslurm)) &&
	       (!(n = node_get(root, "units")) || get_switch(r, n, "'units'", &w->units)) &&
	       get_count(r, root, "retry", 0, SWEEP_RETRY_MAX, &w->retry) &&
	       get_count(r, root, "timeout", 1, 1000000, &w->timeout) &&
	       get_count(r, root, "together", 1, SIM_JOBS_MAX, &w->together);
}

bool sweep_harmless(const struct sweep *w, struct arena *a, struct diag *d)
{
	static const char *const end[] = { ".csv", ".jsonl", ".journal", ".d" };

	for (unsigned i = 0; w->out_at.src && i < sizeof end / sizeof *end; i++)
		if (!inside(w->folder, arena_printf(a, "%s%s", w->out, end[i])))
			return diag_error(
				d, w->out_at,
				"%s%s is not in the folder of this file: --out says where results go, or --trust "
				"takes what the file says",
				w->out, end[i]);
	if (w->host_at.src)
		return diag_error(d, w->host_at,
				  "machines to log in to are the command line's to name: --hosts, or --trust takes "
				  "those of the file");
	return !w->slurm_at.src ||
	       diag_error(d, w->slurm_at,
			  "arguments of sbatch can run commands and write files: --trust takes those of the file");
}

bool sweep_read_source(struct sweep *w, const struct source *s, struct arena *a, struct diag *d)
{
	struct reader r = { w, a, d };
	const char *path = s->name, *slash = strrchr(path, '/');
	const struct node *root;

	*w = (struct sweep){ .path = path,
			     .folder = slash ? arena_strndup(a, path, (size_t)(slash + 1 - path)) : "",
			     .retry = 1,
			     .together = SWEEP_TOGETHER };
	metric_choice_all(&w->metrics, a);
	if (!(root = node_read(s, a, d)) || !read_root(&r, root))
		return false;
	if (w->options.max_insns || w->options.max_cycles || w->options.sample)
		/* a limit that one reaches stops those beside it, and the sample is one for all */
		w->together = 1;
	return true;
}

bool sweep_read(struct sweep *w, const char *path, struct arena *a, struct diag *d)
{
	struct source *s = new(a, struct source);

	return infile_source(s, INFILE_SWEEP, path, a, d) && sweep_read_source(w, s, a, d);
}
