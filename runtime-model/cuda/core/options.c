#include "runtime-model/cuda/core/options.h"

#include "passes/options.h"
#include "runtime-model/core/machine_file.h"
#include "runtime-model/engine/mufu.h"
#include "runtime-model/engine/sanitizer.h"
#include "runtime-model/gpu/sample.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *code_word(unsigned code) { return code ? fatbin_code_word(code - FATBIN_CODE_PTX) : "auto"; }

static const struct option_row row[CUDA_OPT_COUNT] = {
#define OPTION(id, ...) [CUDA_OPT_##id] = OPTION_ROW(__VA_ARGS__),
#include "runtime-model/cuda/core/options.def"
#undef OPTION
};
static const struct option_table table = {
	.row = row,
	.n = CUDA_OPT_COUNT,
	.column = 24,
	.meant = "; did you mean %s?",
	.many = "too many of %s",
};
_Static_assert(sizeof row / sizeof *row <= OPTIONS_MAX, "options fit");

static bool refuse(struct diag *d, const char *fmt, const char *what)
{
	char text[256];

	snprintf(text, sizeof text, fmt, what);
	return diag_error_plain(d, NULL, "%s", text);
}

static const struct {
	unsigned sm, shared_sm, shared_cta;
} capability[] = {
#define CAPABILITY(sm, shared_sm, shared_cta) { sm, shared_sm << 10, shared_cta << 10 },
#include "runtime-model/cuda/core/capability.def"
#undef CAPABILITY
};

/* "90", "90a" */
static bool read_sm(struct cuda_options *o, const char *text, struct diag *d)
{
	size_t n = strspn(text, "0123456789");

	if (n < 2 || n > 3 || (text[n] && ((text[n] != 'a' && text[n] != 'f') || text[n + 1])))
		return refuse(d, "--sm wants a compute capability, as 80 or 90a, not '%s'", text);
	o->sm = (unsigned)atoi(text);
	o->suffix = text[n];
	for (unsigned i = 0; i < sizeof capability / sizeof *capability; i++)
		if (capability[i].sm == o->sm) {
			o->shared_sm = capability[i].shared_sm;
			o->shared_cta = capability[i].shared_cta;
			return true;
		}
	return refuse(d, "--sm %s is no compute capability of a GPU that CUDA 12 or 13 knows", text);
}

/* "3-5,8,20-" */
static bool read_ranges(struct cuda_options *o, const char *text, struct diag *d)
{
	const char *s = text;

	for (;; s++) {
		uint64_t from, to;
		char *end;

		errno = 0;
		from = to = strtoull(s, &end, 10);
		if (*s < '0' || *s > '9' || !from || errno || o->nrange == CUDA_RANGES_MAX)
			break;
		s = end;
		if (*s == '-' && s[1] >= '0' && s[1] <= '9') {
			to = strtoull(s + 1, &end, 10);
			s = end;
		} else if (*s == '-') {
			to = UINT64_MAX;
			s++;
		}
		if (to < from || errno)
			break;
		o->range[o->nrange].from = from;
		o->range[o->nrange++].to = to;
		if (!*s)
			return true;
		if (*s != ',')
			break;
	}
	return refuse(d, "--launches wants numbers from 1 and ranges, as 3-5,8,20-, not '%s'", text);
}

static bool read_kernels(struct cuda_options *o, const char *text, struct diag *d)
{
	char why[128];
	int bad = regcomp(&o->kernels, text, REG_EXTENDED | REG_NOSUB);

	if (!bad)
		return o->choose = true;
	regerror(bad, &o->kernels, why, sizeof why);
	return diag_error_plain(d, NULL, "--kernels: '%s' is no regular expression: %s", text, why);
}

/* Is anything done with some launches alone? */
static bool chooses(const struct cuda_options *o)
{
	return o->configs->n || o->given[CUDA_OPT_SAVE] || o->given[CUDA_OPT_USAGE] || o->given[CUDA_OPT_VALUES];
}

/* What only timing needs. */
static bool check_timed(const struct cuda_options *o, const struct options *x, struct diag *d)
{
	static const enum cuda_option timed[] = { CUDA_OPT_SAMPLE, CUDA_OPT_EXACT, CUDA_OPT_MAX_INSNS,
						  CUDA_OPT_MAX_CYCLES, CUDA_OPT_RECORDS };
	static const enum cuda_option chosen[] = { CUDA_OPT_KERNELS, CUDA_OPT_LAUNCHES };

	for (unsigned i = 0; i < sizeof chosen / sizeof *chosen && !chooses(o); i++)
		if (o->given[chosen[i]])
			return refuse(d,
				      "--%s says what is timed or saved: give the register files by --rf, as --rf "
				      "baseline",
				      row[chosen[i]].name);

	for (unsigned i = 0; i < sizeof timed / sizeof *timed && !o->configs->n; i++)
		if (o->given[timed[i]])
			return refuse(d, "--%s says what is timed: give the register files by --rf, as --rf baseline",
				      row[timed[i]].name);
	for (unsigned i = CUDA_OPT_MAXREG + PASS_OPT_CODE_END; i < CUDA_OPT_MAXREG + PASS_OPT_COUNT; i++)
		if (x->given[i] && !o->configs->n)
			return refuse(d,
				      "--%s says how what is timed is annotated: give the register files by --rf, as "
				      "--rf baseline",
				      row[i].name);
	return true;
}

static bool read_code(struct cuda_options *o, const struct options *x, struct diag *d)
{
	unsigned code = FATBIN_CODE_ANY;
	const char *wrong = option_read(x, CUDA_OPT_CODE, &code);

	if (wrong)
		return diag_error_plain(d, NULL, "%s", wrong);
	o->code = code;
	for (unsigned i = CUDA_OPT_MAXREG; i < CUDA_OPT_MAXREG + PASS_OPT_CODE_END; i++) {
		if (x->given[i] && o->code == FATBIN_CODE_SASS)
			return refuse(d, "--%s says how PTX is compiled, and --code=sass takes machine code",
				      row[i].name);
		if (x->given[i])
			o->code = FATBIN_CODE_PTX;
	}
	return true;
}

static bool read_passes(struct cuda_options *o, const struct options *x, struct diag *d)
{
	const struct params *p = o->configs->n ? o->configs->config[0].params : o->machine;
	struct pass_ctx cx;
	const char *wrong;

	pass_ctx_init(&cx, d);
	o->pass = cx.opt;
	pass_ctx_free(&cx);
	o->pass.regmutex.sm = params_limits(p);
	wrong = pass_options_read(x, CUDA_OPT_MAXREG, &o->pass);
	return !wrong || diag_error_plain(d, NULL, "%s", wrong);
}

/* What is shown of a launch is of all its CTAs, unless a sample is asked for. */
static bool read_sample(struct cuda_options *o, struct diag *d)
{
	static const enum cuda_option whole[] = { CUDA_OPT_EXACT, CUDA_OPT_RECORDS, CUDA_OPT_HTML, CUDA_OPT_SAVE };
	bool unasked = !o->given[CUDA_OPT_SAMPLE] && !watched_asked(&o->watch);

	for (unsigned i = 0; i < sizeof whole / sizeof *whole; i++)
		unasked = unasked && !o->given[whole[i]];
	if (o->given[CUDA_OPT_EXACT] && o->number[CUDA_OPT_SAMPLE])
		return refuse(d, "--exact times all CTAs, and --sample%s a part of them", "");
	o->sample = unasked ? SAMPLE_CLUSTERS_UNASKED : (unsigned)o->number[CUDA_OPT_SAMPLE];
	o->sample_gain = unasked ? SAMPLE_GAIN_UNASKED : SAMPLE_GAIN;
	return true;
}

/* The machine's, if it says one. From 9.0 on GPUs run what is for their own architecture alone, too. */
static const char *default_sm(const struct params *machine, struct arena *a)
{
	enum { OWN_FEATURES = 90 };
	const unsigned sm = machine->carveout;
	const char *suffix = sm >= OWN_FEATURES ? "a" : "";

	return sm ? arena_printf(a, "%u%s", sm, suffix) : "90a";
}

/* What is shown of launches: timed under the baseline unless somebody says otherwise, or executed alone. */
static bool read_watched(struct cuda_options *o, const struct options *x, struct diag *d)
{
	const bool counts = o->given[CUDA_OPT_USAGE] || o->given[CUDA_OPT_VALUES];
	const char *wrong;

	if (!watched_read(&o->watch, x, CUDA_OPT_EXPLAIN, false, &wrong, d))
		return wrong ? diag_error_plain(d, NULL, "%s", wrong) : false;
	wrong = watched_wrong(&o->watch, o->configs->n ? o->configs->config[0].params : o->machine, x->a);
	if (wrong)
		return diag_error_plain(d, NULL, "%s", wrong);
	if (o->given[CUDA_OPT_USAGE] && o->given[CUDA_OPT_VALUES])
		return refuse(d, "--usage and --values%s are two runs", "");
	if (o->given[CUDA_OPT_BY_LINE] && !o->given[CUDA_OPT_VALUES])
		return refuse(d, "--by-line belongs to --values; --explain=lines%s is where issue slots went, by line",
			      "");
	if (o->given[CUDA_OPT_EXPLAIN] && o->given[CUDA_OPT_QUIET])
		return refuse(d, "--explain is printed behind the table, which --quiet%s leaves out", "");
	if (!watched_asked(&o->watch) && !o->given[CUDA_OPT_HTML])
		return !counts || !o->configs->n ||
		       refuse(d, "--%s executes without timing: leave out --rf and --config",
			      row[o->given[CUDA_OPT_USAGE] ? CUDA_OPT_USAGE : CUDA_OPT_VALUES].name);
	if (counts)
		return refuse(d, "--%s executes without timing, and what else is asked for times",
			      row[o->given[CUDA_OPT_USAGE] ? CUDA_OPT_USAGE : CUDA_OPT_VALUES].name);
	return o->configs->n || config_list_add_presets(o->configs, "baseline", x->a, d);
}

static bool configure(struct cuda_options *o, const struct options *x, struct diag *d)
{
	struct config_list *l = o->configs = new(x->a, struct config_list);
	struct params *p = new(x->a, struct params);
	const char *wrong = sanitizer_read(o->text[CUDA_OPT_OOB], o->text[CUDA_OPT_CHECK], &o->sanitize, x->a);

	if (wrong)
		return diag_error_plain(d, NULL, "%s", wrong);
	l->machine = o->text[CUDA_OPT_MACHINE] ? o->text[CUDA_OPT_MACHINE] : "gtx480";
	l->set = x->list[CUDA_OPT_SET];
	l->nset = x->given[CUDA_OPT_SET];
	if (!machine_read(p, l->machine, x->a, d)) {
		l->input = machine_is_file(l->machine);
		return false;
	}
	for (unsigned i = 0; i < l->nset; i++)
		if (!params_set(p, l->set[i], d))
			return false;
	o->machine = p;
	for (unsigned i = 0; i < x->given[CUDA_OPT_RF]; i++)
		if (!config_list_add_presets(l, x->list[CUDA_OPT_RF][i], x->a, d))
			return false;
	for (unsigned i = 0; i < x->given[CUDA_OPT_CONFIG]; i++)
		if (!config_list_add(l, x->list[CUDA_OPT_CONFIG][i], x->a, d))
			return false;
	if ((o->given[CUDA_OPT_RF] || o->given[CUDA_OPT_CONFIG]) && !l->n)
		return refuse(d, "--rf wants register files, as --rf baseline%s", "");
	if (!read_watched(o, x, d))
		return false;
	if (o->given[CUDA_OPT_ALL] && !o->given[CUDA_OPT_REPORT])
		return refuse(d, "--all says what is in the report: name its file by --report%s", "");
	if (o->given[CUDA_OPT_MUFU] && !(o->mufu = mufu_read(o->text[CUDA_OPT_MUFU], x->a, d)))
		return false;
	return check_timed(o, x, d) && read_sample(o, d) && read_code(o, x, d) && read_passes(o, x, d) &&
	       read_sm(o, o->text[CUDA_OPT_SM] ? o->text[CUDA_OPT_SM] : default_sm(o->machine, x->a), d) &&
	       (!o->given[CUDA_OPT_KERNELS] || read_kernels(o, o->text[CUDA_OPT_KERNELS], d)) &&
	       (!o->given[CUDA_OPT_LAUNCHES] || read_ranges(o, o->text[CUDA_OPT_LAUNCHES], d));
}

bool cuda_options_parse(struct cuda_options *o, int argc, char *const argv[], int *rest, struct arena *a,
			struct diag *d)
{
	struct options x = { .table = &table, .a = a };
	const char *wrong = options_parse(&x, argc, argv);

	*o = (struct cuda_options){ .nrange = 0 };
	for (unsigned i = 0; i < CUDA_OPT_COUNT; i++) {
		o->given[i] = x.given[i];
		o->text[i] = x.value[i];
		o->number[i] = x.number[i];
	}
	*rest = x.rest;
	if (wrong)
		return diag_error_plain(d, NULL, "%s", wrong);
	return o->given[CUDA_OPT_HELP] || o->given[CUDA_OPT_VERSION] || configure(o, &x, d);
}

bool cuda_options_environment(struct cuda_options *o, const char *json, struct arena *a, struct diag *d)
{
	json_t *list = json_loads(json, 0, NULL);
	size_t n = json_is_array(list) ? json_array_size(list) : 0;
	char **word = new_array(a, char *, n + 1);
	int rest;

	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		word[i] = arena_strndup(a, text ? text : "", text ? strlen(text) : 0);
	}
	if (!json_is_array(list))
		diag_error_plain(d, NULL,
				 "the environment's " CUDA_ENVIRONMENT
				 " is no JSON array of options; regloom-run writes it");
	json_decref(list);
	if (diag_failed(d) || !cuda_options_parse(o, (int)n, word, &rest, a, d))
		return false;
	return o->wrapped = true;
}

/* A file that is named is meant from where the user is. */
static const char *absolute(const char *path, char out[PATH_MAX])
{
	char here[PATH_MAX];

	if (*path == '/' || strcmp(path, "-") == 0 || !getcwd(here, sizeof here) ||
	    snprintf(out, PATH_MAX, "%s/%s", here, path) >= PATH_MAX)
		return path;
	return out;
}

char *cuda_options_json(char *const argv[], int n)
{
	static const char *const file[] = { "--machine", "--mufu",        "--report", "--summary",
					    "--records", "--series",      "--trace",  "--pipeview",
					    "--html",    "--save-launch", "--cache" };
	enum { FILES = sizeof file / sizeof *file, MACHINE = 0 };
	json_t *list = json_array();
	char path[PATH_MAX], *text;

	for (int i = 0; list && i < n; i++) {
		unsigned f = 0;
		size_t len = 0;

		while (f < FILES && strncmp(argv[i], file[f], len = strlen(file[f])) != 0)
			f++;
		if (f == MACHINE && argv[i][len] && !machine_is_file(argv[i] + len + 1))
			f = FILES;
		if (f == MACHINE && !argv[i][len] && i + 1 < n && !machine_is_file(argv[i + 1]))
			f = FILES;
		if (f < FILES && argv[i][len] == '=')
			json_array_append_new(list, json_sprintf("%s=%s", file[f], absolute(argv[i] + len + 1, path)));
		else
			json_array_append_new(list, json_string(argv[i]));
		if (f < FILES && !argv[i][len] && i + 1 < n)
			json_array_append_new(list, json_string(absolute(argv[++i], path)));
	}
	text = list ? json_dumps(list, JSON_COMPACT) : NULL;
	json_decref(list);
	return text;
}

const char *cuda_option_name(enum cuda_option id) { return row[id].name; }

void cuda_options_help(FILE *f)
{
	options_help(f, &table, 0);
	pass_options_help(f);
}

void cuda_options_note(const struct cuda_options *o, FILE *f, struct arena *a)
{
	for (unsigned i = 0; i < o->configs->n; i++) {
		const char *idle = config_list_idle(o->configs, i, a);

		if (!idle)
			continue;
		fprintf(f, "regloom-run: note: configuration %s: %s\n", o->configs->config[i].name, idle);
		return;
	}
}

bool cuda_options_chooses(const struct cuda_options *o, uint64_t number, const char *kernel, const char *demangled)
{
	bool in = o->nrange == 0;

	for (unsigned i = 0; i < o->nrange; i++)
		in |= number >= o->range[i].from && number <= o->range[i].to;
	return in && (!o->choose || regexec(&o->kernels, kernel, 0, NULL, 0) == 0 ||
		      (demangled && regexec(&o->kernels, demangled, 0, NULL, 0) == 0));
}
