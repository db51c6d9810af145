/* The points of a sweep and what each is called by. Two points of one name are one measurement. */
#include "runtime-model/sweep/sweep.h"
#include "runtime-model/core/axis.h"
#include "analyzer/base/bitset.h"
#include "analyzer/base/infile.h"
#include "analyzer/base/near.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/core/energy.h"
#include "runtime-model/launch/path.h"
#include "runtime-model/core/occupancy.h"
#include "runtime-model/sweep/process.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

/* ---- hashes ---- */
static bool hash_file(struct sha256 *s, const char *path, struct loc at, struct diag *d)
{
	char buf[1 << 14];
	bool other;
	FILE *f = infile_regular(path, &other);
	uint64_t bytes = 0;
	bool ok = f != NULL;

	for (size_t n; ok && (n = fread(buf, 1, sizeof buf, f)) > 0; bytes += n)
		sha256_add(s, buf, n);
	if (f && ferror(f))
		ok = false;
	if (!ok)
		diag_error(d, at, other ? "%s is read twice, and is not a regular file" : "cannot read %s: %s", path,
			   strerror(errno));
	sha256_add(s, &bytes, sizeof bytes);
	if (f)
		fclose(f);
	return ok;
}

bool point_hash_object(const char *path, struct loc at, char hash[SHA256_HEX], struct diag *d)
{
	struct sha256 s;
	bool ok;

	sha256_begin(&s);
	ok = hash_file(&s, path, at, d);
	sha256_end(&s, hash);
	return ok;
}

bool point_hash_launch(const struct launch_file *f, struct loc at, char hash[SHA256_HEX], struct arena *a,
		       struct diag *d)
{
	struct sha256 s;
	bool ok;

	sha256_begin(&s);
	ok = hash_file(&s, f->path, at, d);
	for (unsigned i = 0; ok && i < f->nbuffer; i++)
		if (f->buffer[i].fill == FILL_FILE)
			ok = hash_file(&s, path_resolve(f->buffer[i].file, f->path, a), f->buffer[i].at, d);
	for (unsigned i = 0; ok && i < f->nexpect; i++)
		if (f->expect[i].file)
			ok = hash_file(&s, path_resolve(f->expect[i].file, f->path, a), f->expect[i].at, d);
	sha256_end(&s, hash);
	return ok;
}

/* The build-id that the linker gave the program is another one for other code. */
static int find_build(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct sha256 *s = ctx;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + p->p_vaddr), *end = at + p->p_memsz;

		while (p->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= end) {
			ElfW(Nhdr) n;
			const char *name = at + sizeof n;

			memcpy(&n, at, sizeof n);
			at = name + ((n.n_namesz + 3) & ~3u) + ((n.n_descsz + 3) & ~3u);
			if (at <= end && n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
				sha256_add(s, at - ((n.n_descsz + 3) & ~3u), n.n_descsz);
		}
	}
	return 1; /* the first is the program itself */
}

/* Some linkers give none, and strip can remove it: then it is the file itself. */
static void add_build(struct sha256 *s)
{
	static char build[SHA256_HEX]; /* of this process; found once */
	static const struct loc nowhere;
	struct sha256 own, empty;
	char none[SHA256_HEX];
	struct diag quiet;

	if (!*build) {
		sha256_begin(&own);
		sha256_begin(&empty);
		dl_iterate_phdr(find_build, &own);
		sha256_end(&own, build);
		sha256_end(&empty, none);
		diag_init(&quiet, NULL);
		if (strcmp(build, none) == 0)
			point_hash_object("/proc/self/exe", nowhere, build, &quiet);
		diag_free(&quiet);
	}
	sha256_add(s, build, sizeof build);
}

/* All that a machine is, as numbers: as text it would be most of the time that a point of a --dry-run takes. */
static void add_params(struct sha256 *s, const struct params *p)
{
	const uint64_t value[] = {
#define PARAM(name, type, unit, def, min, max, what) p->name,
#include "runtime-model/core/params.def"
#undef PARAM
	};
	uint64_t unit[FU_COUNT][2];

	for (unsigned u = 0; u < FU_COUNT; u++) {
		unit[u][0] = p->unit[u].latency;
		unit[u][1] = p->unit[u].interval;
	}
	sha256_add(s, value, sizeof value);
	sha256_add(s, unit, sizeof unit);
	sha256_add(s, p->energy->name, strlen(p->energy->name) + 1);
}

static int add_text(const char *text, size_t n, void *s)
{
	sha256_add(s, text, n);
	return 0;
}

static void add_json(struct sha256 *s, json_t *o)
{
	json_dump_callback(o, add_text, s, JSON_COMPACT | JSON_SORT_KEYS);
	sha256_add(s, "", 1);
	json_decref(o);
}

void point_id(const char *object, const char *launch, const struct sweep_options *o, const struct run_config *c,
	      char id[SHA256_HEX])
{
	static const char what[] = "regloom-sweep-2 " REGLOOM_VERSION;
	char options[128];
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, what, sizeof what);
	add_build(&s);
	sha256_add(&s, object, SHA256_HEX);
	sha256_add(&s, launch, SHA256_HEX);
	sha256_add(&s, options,
		   (size_t)snprintf(options, sizeof options, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d", o->max_insns,
				    o->max_cycles, o->sample, o->checked));
	add_params(&s, c->params);
	add_json(&s, rf_config_json(&c->rf));
	sha256_end(&s, id);
}

const char *point_config(const struct sweep *w, const struct sweep_point *p, struct arena *a)
{
	char *text = arena_printf(a, "machine=%s,%s", w->machine[p->machine].text, w->rf[p->rf].text);

	for (unsigned i = 0; i < w->nset; i++)
		text = arena_printf(a, "%s,%s=%s", text, w->set[i].name, w->set[i].value[p->value[i]]);
	return text;
}

/* ---- which points there are ---- */
/* Values of a key have numbers. Those of launches go on from kernel to kernel. */
static unsigned number_of_key(const struct sweep *w, const struct sweep_point *p, unsigned key)
{
	unsigned launch = p->launch;

	if (key == KEY_KERNEL)
		return p->kernel;
	for (unsigned k = 0; key == KEY_LAUNCH && k < p->kernel; k++)
		launch += w->kernel[k].nlaunch;
	if (key == KEY_LAUNCH)
		return launch;
	if (key == KEY_MACHINE)
		return p->machine;
	return key == KEY_RF ? p->rf : p->value[key - KEY_SET];
}

/* All values of a key, by number, in arena a. */
static const char **values_of_key(const struct sweep *w, unsigned key, unsigned *n, struct arena *a)
{
	const char **value = NULL;
	uint32_t cap = 0, count = 0, listed = 0;

	if (key == KEY_MACHINE)
		listed = w->nmachine;
	else if (key == KEY_RF)
		listed = w->nrf;
	for (unsigned i = 0; i < listed; i++) {
		arena_grow(a, value, count, cap);
		value[count++] = key == KEY_MACHINE ? w->machine[i].text : w->rf[i].text;
	}
	for (unsigned k = 0; key <= KEY_LAUNCH && k < w->nkernel; k++)
		for (unsigned l = 0; l < (key == KEY_KERNEL ? 1 : w->kernel[k].nlaunch); l++) {
			arena_grow(a, value, count, cap);
			value[count++] = key == KEY_KERNEL ? w->kernel[k].name : w->kernel[k].launch[l].name;
		}
	*n = key < KEY_SET ? count : w->set[key - KEY_SET].n;
	return key < KEY_SET ? value : w->set[key - KEY_SET].value;
}

/* The values that exclusions name become bit sets, so that a point is looked up, not compared. */
static void number_excludes(struct sweep *w, struct arena *a)
{
	for (unsigned key = 0; key < KEY_SET + w->nset && w->nexclude; key++) {
		unsigned n;
		const char **value = values_of_key(w, key, &n, a);

		for (unsigned i = 0; i < w->nexclude; i++)
			for (unsigned m = 0; m < w->exclude[i].n; m++) {
				struct sweep_match *match = &w->exclude[i].match[m];

				if (match->key != key)
					continue;
				match->in = bitset_new(a, n);
				for (unsigned v = 0; v < n; v++)
					if (name_find(match->value, match->n, value[v]) < match->n)
						bitset_add(match->in, v);
			}
	}
}

static bool excluded(const struct sweep *w, const struct sweep_point *p)
{
	for (unsigned i = 0; i < w->nexclude; i++) {
		const struct sweep_exclude *e = &w->exclude[i];
		unsigned m = 0;

		while (m < e->n && bitset_has(e->match[m].in, number_of_key(w, p, e->match[m].key)))
			m++;
		if (m == e->n)
			return true;
	}
	return false;
}

/* The next combination, the last key first. False: there is none. */
static bool next_values(const struct sweep *w, uint16_t *value)
{
	for (unsigned i = w->nset; i-- > 0;) {
		if (++value[i] < w->set[i].n)
			return true;
		value[i] = 0;
	}
	return false;
}

/* ---- what goes together ---- */
/* Does a CTA of each launch fit an SM? Else why not. *window: CTAs in flight that the engine is asked for, which
 * decides the order of execution. */
static const char *fits(const struct module *m, const struct launch_file *f, const struct run_config *c,
			unsigned *window, struct arena *a)
{
	*window = WINDOW_DEFAULT;
	for (unsigned i = 0; i < f->nlaunch; i++) {
		const struct launch_spec *l = &f->launch[i];
		const struct kernel *k = rf_config_kernel(&c->rf, module_find_kernel(m, l->kernel));
		const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
		struct occupancy_query q =
			occupancy_query_of(c->params, &c->rf, k, threads > 1 << 20 ? 1 << 20 : (unsigned)threads,
					   k->res.shared_bytes + l->shared_bytes);
		struct occupancy o = occupancy_of(&q);

		if (!o.ctas)
			return arena_printf(a,
					    "%s: a CTA of %" PRIu64 " threads, %" PRIu32
					    " registers a thread and %" PRIu32
					    " bytes of shared memory does not fit an SM: %s",
					    l->kernel, threads, k->res.regs, k->res.shared_bytes + l->shared_bytes,
					    occupancy_limit_name(o.why));
		while (*window < (o.ctas + 1) * c->params->sms)
			*window *= 2;
	}
	return NULL;
}

/* Annotations that all objects have, and those of the kernels that are launched; what warps share of machine code is
 * found when it is timed. */
static unsigned annotations(const struct module *m, const struct launch_file *f)
{
	bool considered = true;

	for (unsigned i = 0; i < f->nlaunch; i++)
		considered &= module_find_kernel(m, f->launch[i].kernel)->native ||
			      module_find_kernel(m, f->launch[i].kernel)->regmutex;
	return ANNO_ALL | (considered ? ANNO_REGMUTEX : 0);
}

/* The id of a point, or why its parts do not go together. */
static void name_point(struct sweep_point *p, const struct sweep *w, const struct module *m,
		       const struct launch_file *f, struct arena *a)
{
	const struct sweep_kernel *k = &w->kernel[p->kernel];
	struct config_list *l;
	struct arena scratch;
	const char *no = NULL;
	struct diag quiet;

	arena_init(&scratch);
	diag_init(&quiet, NULL);
	l = new(&scratch, struct config_list);
	if (!config_list_add(l, point_config(w, p, &scratch), &scratch, &quiet) ||
	    !rf_config_check(&l->config[0].rf, l->config[0].params, annotations(m, f), k->name, &quiet) ||
	    !params_fit(l->config[0].params, NULL, &quiet))
		no = sweep_reason(&quiet, &scratch);
	else
		no = fits(m, f, &l->config[0], &p->window, &scratch);
	p->refused = no ? arena_printf(a, "%s", no) : NULL;
	if (!no) {
		p->variant = l->config[0].rf.residency->variant;
		point_id(k->hash, k->launch[p->launch].hash, &w->options, &l->config[0], p->id);
	}
	diag_free(&quiet);
	arena_free(&scratch);
}

static bool add_points(struct points *p, uint32_t *cap, const struct sweep *w, struct sweep_point at,
		       const struct module *m, const struct launch_file *f, struct arena *a, struct diag *d)
{
	uint16_t value[SWEEP_SETS_MAX] = { 0 };

	do {
		if (w->stop && *w->stop)
			return false;
		at.value = value;
		if (excluded(w, &at)) {
			p->excluded++;
			continue;
		}
		if (p->n == SWEEP_POINTS_MAX)
			return diag_error_plain(d, w->path, "more than %d points", SWEEP_POINTS_MAX);
		arena_grow(a, p->point, p->n, *cap);
		p->point[p->n] = at;
		p->point[p->n].value = memcpy(new_array(a, uint16_t, w->nset + 1), value, w->nset * sizeof *value);
		name_point(&p->point[p->n], w, m, f, a);
		p->point[p->n].first = p->n;
		p->n++;
	} while (next_values(w, value));
	return true;
}

/* Without what is excluded; said before anything is made of it. */
static bool check_size(const struct sweep *w, struct diag *d)
{
	double n = (double)w->nmachine * w->nrf, launches = 0;

	for (unsigned i = 0; i < w->nkernel; i++)
		launches += w->kernel[i].nlaunch;
	for (unsigned i = 0; i < w->nset; i++)
		n *= w->set[i].n;
	return n * launches <= 10.0 * SWEEP_POINTS_MAX ||
	       diag_error_plain(d, w->path, "%.0f combinations; a sweep has %d points at most", n * launches,
				SWEEP_POINTS_MAX);
}

/* ---- objects ---- */
/* memory: a file for it, or -1: it is made in w->objects. */
static bool annotate(struct sweep *w, struct sweep_kernel *k, int memory, struct arena *a, struct diag *d)
{
	char **argv = new_array(a, char *, k->nannotate + 8);
	unsigned n = 0;
	int status;

	k->object = w->objects ? arena_printf(a, "%s/object-%s.rlo", w->objects, k->name)
			       : arena_printf(a, "/proc/self/fd/%d", memory);
	if (w->objects)
		unlink(k->object); /* what lies there may be a link to somewhere else */
	argv[n++] = arena_printf(a, "%s", process_program("ptx-annotate", a));
	for (unsigned i = 0; i < k->nannotate; i++)
		argv[n++] = arena_printf(a, "%s", k->annotate[i]);
	argv[n++] = arena_printf(a, "-q");
	argv[n++] = arena_printf(a, "-o");
	argv[n++] = arena_printf(a, "%s", k->object);
	argv[n++] = arena_printf(a, "--"); /* the file's name is no option, whatever it is */
	argv[n++] = arena_printf(a, "%s", k->source);
	status = process_run(argv, w->folder, NULL, w->stop, a, d);
	return status == 0 || diag_error(d, k->at, "ptx-annotate could not make an object of %s", k->source);
}

/* Of a source; *memory: the file that has it, if it is in memory. */
static bool make_object(struct sweep *w, struct sweep_kernel *k, int *memory, struct arena *a, struct diag *d)
{
	if (w->objects && mkdir(w->objects, 0777) != 0 && errno != EEXIST)
		return diag_error_plain(d, w->objects, "cannot make the folder: %s", strerror(errno));
	if (!w->objects && (*memory = memfd_create("regloom", 0)) < 0) /* which ptx-annotate inherits */
		return diag_error(d, k->at, "no room for an object in memory: %s", strerror(errno));
	return annotate(w, k, *memory, a, d);
}

static int by_id(const void *x, const void *y)
{
	const struct sweep_point *const *a = x, *const *b = y;
	int c = strcmp((*a)->id, (*b)->id);

	if (c)
		return c;
	return (*a > *b) - (*a < *b);
}

/* Points that are the same measurement. */
static void find_same(struct points *p, struct arena *a)
{
	struct sweep_point **sorted = new_array(a, struct sweep_point *, p->n);

	for (unsigned i = 0; i < p->n; i++)
		sorted[i] = &p->point[i];
	qsort(sorted, p->n, sizeof *sorted, by_id);
	for (unsigned i = 1; i < p->n; i++)
		if (!sorted[i]->refused && strcmp(sorted[i]->id, sorted[i - 1]->id) == 0)
			sorted[i]->first = sorted[i - 1]->first;
}

static bool add_kernel(struct points *p, uint32_t *cap, struct sweep *w, unsigned number, struct arena *a,
		       struct diag *d)
{
	struct sweep_kernel *k = &w->kernel[number];
	struct arena mine;
	struct module *m = NULL;
	int memory = -1;
	bool ok = !k->source || make_object(w, k, &memory, a, d);

	arena_init(&mine);
	if (ok && !(m = run_read_object(k->object, &mine, d)))
		diag_error(d, k->at, "this kernel's %s is no annotated object and no cubin%s",
			   k->source ? "source" : "'object'",
			   k->source ? "" : "; for PTX and what else ptx-annotate reads it is 'source'");
	ok = m && point_hash_object(k->object, k->at, k->hash, d);
	for (unsigned l = 0; ok && l < k->nlaunch; l++) {
		struct launch_file *f = launch_read(k->launch[l].path, &mine, d);

		ok = f && launch_name_kernels(f, m, d) && launch_bind(f, m, d) &&
		     point_hash_launch(f, k->launch[l].at, k->launch[l].hash, &mine, d);
		for (unsigned i = 0; ok && i < w->nmachine; i++)
			for (unsigned r = 0; ok && r < w->nrf; r++)
				ok = add_points(
					p, cap, w,
					(struct sweep_point){ .kernel = number, .launch = l, .machine = i, .rf = r }, m,
					f, a, d);
	}
	arena_free(&mine);
	if (memory >= 0)
		close(memory);
	return ok;
}

bool points_make(struct points *p, struct sweep *w, struct arena *a, struct diag *d)
{
	uint32_t cap = 0;

	*p = (struct points){ .n = 0 };
	if (!check_size(w, d))
		return false;
	number_excludes(w, a);
	for (unsigned i = 0; i < w->nkernel; i++)
		if (!add_kernel(p, &cap, w, i, a, d))
			return false;
	if (!p->n)
		return diag_error_plain(d, w->path, "every point is excluded");
	find_same(p, a);
	return true;
}
