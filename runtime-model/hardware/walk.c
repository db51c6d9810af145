#include "runtime-model/hardware/walk.h"
#include "runtime-model/hardware/flow.h"
#include "analyzer/base/pool.h"
#include "analyzer/base/sha256.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axes.h"
#include "runtime-model/engine/feed.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/run/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* host memory as the address modulo this (device_map()) */
enum { HOST_ALIGN = 16 };

bool walk_read(struct walk *w, const struct pair *p, const struct mufu_table *mufu, struct arena *a, struct diag *d)
{
	*w = (struct walk){ .mufu = mufu, .a = a, .d = d };
	if (!source_read(&w->src, p->kernel, a, d))
		return false;
	w->m = hardware_module(&w->src, a, d);
	w->f = w->m ? launch_read(p->launch, a, d) : NULL;
	return w->f && launch_object_fits(w->f, w->src.text, w->src.len, p->kernel, d) &&
	       launch_name_kernels(w->f, w->m, d) && launch_bind(w->f, w->m, d);
}

const char *walk_unasked(const struct walk *w)
{
	const struct launch_file *f = w->f;

	if (f->nresource)
		return "textures, surfaces and samplers";
	if (f->heap_bytes)
		return "heap_bytes";
	if (w->m->address_bits != 64)
		return "addresses of 32 bits";
	for (unsigned i = 0; i < f->nbuffer; i++)
		if (f->buffer[i].variable)
			return "variables of the module that are buffers";
	for (unsigned i = 0; i < f->nlaunch; i++) {
		if (f->launch[i].cooperative)
			return "cooperative launches";
		if (f->launch[i].cluster[0])
			return "clusters that the launch file gives";
		if (f->launch[i].stack_bytes)
			return "stack_bytes";
	}
	return NULL;
}

/* ---- memory ---- */
static bool is_variable(const struct symbol *s)
{
	return s->space == SP_GLOBAL && !s->external && !s->reference && s->size && s->kernel == UINT32_MAX;
}

static void list_pieces(struct walk *w)
{
	const unsigned most = w->f->nbuffer + w->m->nsym;

	w->piece = new_array(w->a, struct walk_piece, most);
	w->place = new_array(w->a, uint64_t, most);
	for (; w->nplace < w->f->nbuffer; w->nplace++) {
		const struct buffer_spec *b = &w->f->buffer[w->nplace];

		w->piece[w->nplace] = (struct walk_piece){ .name = b->name,
							   .type = b->type,
							   .bytes = b->count * (type_info[b->type].bits / 8) };
	}
	for (uint32_t s = 0; s < w->m->nsym; s++)
		if (is_variable(&w->m->sym[s]))
			w->piece[w->nplace++] = (struct walk_piece){ .name = w->m->sym[s].name,
								     .type = TY_B8,
								     .bytes = w->m->sym[s].size };
}

/* Sets w->place. */
static bool ask_addresses(struct walk *w)
{
	for (unsigned i = 0; i < w->nplace; i++) {
		const struct walk_piece *p = &w->piece[i];
		const unsigned errors = w->h->d->errors;
		uint64_t bytes = p->bytes;

		if (i < w->f->nbuffer)
			w->place[i] = w->h->ops->alloc(w->h, p->bytes);
		else if (!w->h->ops->variable(w->h, w->code, p->name, &w->place[i], &bytes))
			w->place[i] = 0;
		if (w->h->d->errors != errors)
			return false;
		if (w->place[i] && bytes != p->bytes)
			return diag_error_plain(w->d, p->name, "has %llu bytes on the device, and here %llu",
						(unsigned long long)bytes, (unsigned long long)p->bytes);
	}
	return true;
}

/* A piece without a place is taken from the list. */
static void make_pieces(struct walk *w)
{
	for (unsigned i = 0; i < w->nplace; i++) {
		struct walk_piece p = w->piece[i];

		p.address = w->place[i];
		if (!p.address)
			continue;
		p.ours = (unsigned char *)arena_alloc(w->a, p.bytes + HOST_ALIGN, HOST_ALIGN) + p.address % HOST_ALIGN;
		p.theirs = w->h ? arena_alloc(w->a, p.bytes, HOST_ALIGN) : NULL;
		w->piece[w->npiece++] = p;
	}
}

/* Does the buffer of a saved launch hold an address of that time, which is another on the device? */
static bool leads_elsewhere(const struct walk *w, const struct walk_piece *p)
{
	for (uint64_t at = 0; at + 8 <= p->bytes; at += 8) {
		uint64_t v;

		memcpy(&v, p->ours + at, sizeof v);
		for (unsigned i = 0; v && i < w->f->nbuffer; i++) {
			const uint64_t was = w->f->buffer[i].place;

			if (was && was != w->piece[i].address && v - was < w->piece[i].bytes)
				return true;
		}
	}
	return false;
}

static bool fill_buffers(struct walk *w)
{
	for (unsigned i = 0; i < w->f->nbuffer; i++) {
		const struct walk_piece *p = &w->piece[i];

		w->f->buffer[i].address = p->address;
		if (!device_map(w->dev, p->name, p->address, p->bytes, p->ours))
			return false;
	}
	if (!launch_fill_buffers(w->f, w->dev, w->a, w->d))
		return false;
	for (unsigned i = 0; i < w->f->nbuffer; i++)
		if (w->f->buffer[i].fill == FILL_MEMORY && leads_elsewhere(w, &w->piece[i]))
			return diag_error(w->d, w->f->buffer[i].at,
					  "buffer %s was saved with addresses in it, which are others on the device",
					  w->f->buffer[i].name);
	return true;
}

static bool place_variables(struct walk *w)
{
	struct placed *placed = new_array(w->a, struct placed, w->npiece);
	uint32_t n = 0;

	for (uint32_t s = 0; s < w->m->nsym; s++)
		for (unsigned i = w->f->nbuffer; i < w->npiece && is_variable(&w->m->sym[s]); i++)
			if (strcmp(w->piece[i].name, w->m->sym[s].name) == 0)
				placed[n++] = (struct placed){ s, w->piece[i].address, w->piece[i].ours };
	return device_load_at(w->dev, w->m, placed, n);
}

/* PTX for another GPU than the device is taken to be for the device: what that lacks its driver refuses. */
static const char *text_for(const struct walk *w, size_t *bytes)
{
	const char *text = w->src.text, *at = strstr(text, ".target"), *end;
	char *digits;
	unsigned long sm;
	bool own;

	*bytes = w->src.len;
	at = at ? strstr(at, "sm_") : NULL;
	sm = at ? strtoul(at + 3, &digits, 10) : 0;
	own = sm && isalpha((unsigned char)*digits);
	if (!sm || cubin_is(text, w->src.len) || (sm <= w->h->sm && !(own && sm != w->h->sm)))
		return text;
	end = digits + own;
	text = arena_printf(w->a, "%.*ssm_%u%s%s", (int)(at - text), text, w->h->sm, own && w->h->sm >= 90 ? "a" : "",
			    end);
	*bytes = strlen(text);
	return text;
}

/* With all kernels, since a driver may leave each until it is asked for. */
static bool load(struct walk *w)
{
	size_t bytes;
	const char *text = text_for(w, &bytes);
	struct hardware_kernel k;

	w->code = w->h->ops->load(w->h, text, bytes, w->src.name);
	for (unsigned i = 0; w->code && i < w->f->nlaunch; i++)
		if (!w->h->ops->kernel(w->h, w->code, w->f->launch[i].kernel, &k))
			w->code = NULL;
	return w->code != NULL;
}

static bool make_memory(struct walk *w)
{
	make_pieces(w);
	w->may_differ = new_array(w->a, bool, w->npiece + 1);
	w->dev = device_new_for(w->m, w->d);
	if (w->dev)
		device_set_mufu(w->dev, w->mufu);
	return w->dev && fill_buffers(w) && place_variables(w);
}

bool walk_place(struct walk *w, struct hardware *h)
{
	w->h = h;
	list_pieces(w);
	return load(w) && ask_addresses(w) && make_memory(w);
}

bool walk_place_at(struct walk *w, const uint64_t *place, unsigned nplace)
{
	list_pieces(w);
	for (unsigned i = 0; i < w->nplace && i < nplace; i++)
		w->place[i] = place[i];
	for (unsigned i = 0; i < w->f->nbuffer; i++)
		if (!w->place[i])
			return diag_error_plain(w->d, w->f->buffer[i].name, "has no address");
	return make_memory(w);
}

void walk_close(struct walk *w)
{
	if (w->h)
		w->h->ops->reset(w->h);
	if (w->dev)
		device_free(w->dev);
}

/* ---- launches ---- */
enum launch_step walk_next(struct walk *w)
{
	const enum launch_step step = launch_advance(w->f, w->dev, &w->at, w->d);
	const struct launch_spec *s = &w->f->launch[w->at.launch];
	const struct kernel *k;
	void *params;

	if (step != LAUNCH_RUN)
		return step;
	k = module_find_kernel(w->m, s->kernel);
	params = arena_alloc(w->a, launch_param_bytes(k) + 1, HOST_ALIGN);
	w->l = (struct launch){ .m = w->m,
				.k = k,
				.dynamic_shared = s->shared_bytes,
				.params = params,
				.param_bytes = launch_param_bytes(k) };
	memcpy(w->l.grid, s->grid, sizeof s->grid);
	memcpy(w->l.block, s->block, sizeof s->block);
	launched_add(&w->launched, k, w->a);
	return launch_params(w->f, w->at.launch, w->at.round, k, params, w->d) ? LAUNCH_RUN : LAUNCH_FAILED;
}

bool walk_device(struct walk *w, double *ns)
{
	struct hardware_launch l = { .kernel = w->l.k->name,
				     .dynamic_shared = w->l.dynamic_shared,
				     .param = w->l.params,
				     .param_bytes = w->l.param_bytes };

	memcpy(l.grid, w->l.grid, sizeof l.grid);
	memcpy(l.block, w->l.block, sizeof l.block);
	for (unsigned i = 0; i < w->npiece; i++)
		if (!w->h->ops->write(w->h, w->piece[i].address, w->piece[i].ours, w->piece[i].bytes))
			return false;
	return w->h->ops->launch(w->h, w->code, &l, ns);
}

/* ---- what may differ ---- */
/* Memories that each instruction of a launch touches, as flow.h numbers them. */
struct touched {
	const struct walk *w;
	uint64_t *of;
	unsigned words;
};

static void touch(struct touched *t, uint32_t insn, unsigned memory)
{
	bitset_add(t->of + (size_t)insn * t->words, memory);
}

static void touch_line(struct touched *t, uint32_t insn, uint64_t word)
{
	const struct walk *w = t->w;
	const uint64_t line = line_address(word);
	bool any = false;

	if (line >= LOCAL_LINES) {
		if (line < CONST_LINES)
			touch(t, insn, w->npiece + FLOW_LOCAL);
		return;
	}
	for (unsigned m = line_sectors(word); m; m &= m - 1) {
		const uint64_t from = line + (unsigned)__builtin_ctz(m) * SECTOR_BYTES;

		for (unsigned i = 0; i < w->npiece; i++) {
			const struct walk_piece *p = &w->piece[i];

			if (from + SECTOR_BYTES <= p->address || from >= p->address + p->bytes)
				continue;
			touch(t, insn, i);
			any = true;
		}
	}
	if (!any)
		touch(t, insn, w->npiece + FLOW_ELSEWHERE);
}

static void *no_state(void *ctx, struct arena *a)
{
	(void)a;
	return ctx;
}

static void no_end(void *ctx, void *state, unsigned warp)
{
	(void)ctx;
	(void)state;
	(void)warp;
}

static void take_record(void *ctx, void *state, uint64_t cta, unsigned warp, const struct record *r)
{
	struct touched *t = ctx;
	(void)state;
	(void)cta;
	(void)warp;
	for (unsigned i = 0; i < r->nline; i++)
		if (is_line(r->line[i]))
			touch_line(t, r->insn, r->line[i]);
		else if (smem_space(r->line[i]) != SP_CONST && smem_space(r->line[i]) != SP_PARAM)
			touch(t, r->insn, t->w->npiece + FLOW_SHARED);
}

/* The flow of what may differ needs to see what is touched. */
static bool has_flow(const struct walk *w)
{
	for (unsigned i = 0; i < w->npiece; i++)
		if (w->may_differ[i])
			return true;
	for (uint32_t n = 0; n < w->l.k->ninsn; n++)
		if (excluded(w->l.k, n, w->mufu))
			return true;
	return false;
}

/* The first instruction that is excluded, and why; NULL: there is none. */
static const char *first_excluded(const struct walk *w)
{
	const struct kernel *k = w->l.k;

	for (uint32_t n = 0; n < k->ninsn; n++)
		if (excluded(k, n, w->mufu))
			return arena_printf(w->a, "%s: %s", ir_print_insn(w->a, k, &k->insn[n]),
					    excluded(k, n, w->mufu));
	return "what a launch before it left";
}

static bool follow(struct walk *w, const struct touched *t)
{
	struct kernel *k = NULL;
	struct flow f = { .k = w->l.k, .mufu = w->mufu, .pieces = w->npiece, .touched = t->of };
	struct pass_ctx cx;
	bool ok, any = false;

	for (uint32_t n = 0; n < w->m->nkernel; n++)
		if (w->m->kernel[n] == w->l.k)
			k = w->m->kernel[n];
	pass_ctx_init(&cx, w->d);
	ok = pass_need(k, FACT_CFG, &cx);
	pass_ctx_free(&cx);
	if (!ok)
		return false;
	f.differs = new_array(w->a, uint64_t, t->words);
	for (unsigned i = 0; i < w->npiece; i++)
		if (w->may_differ[i])
			bitset_add(f.differs, i);
	flow_run(&f, w->a);
	for (unsigned i = 0; i < w->npiece; i++) {
		w->may_differ[i] = f.decided != UINT32_MAX || bitset_has(f.differs, i);
		any |= w->may_differ[i];
	}
	if (any)
		w->excluded = first_excluded(w);
	if (f.decided != UINT32_MAX)
		w->excluded =
			arena_printf(w->a, "%s; it decides what is executed or where memory is written", w->excluded);
	return true;
}

/* Raised when a launch has executed more than sm-model lets one. */
static void guard(void *ctx, const struct engine_progress *p)
{
	if (p->warp_insns > RUN_GUARD_INSNS)
		__atomic_store_n((int *)ctx, 1, __ATOMIC_RELAXED);
}

static bool too_long(struct walk *w)
{
	return diag_error_plain(w->d, w->l.k->name, "executes more than %llu instructions in one launch",
				(unsigned long long)RUN_GUARD_INSNS);
}

/* The launch, of which it is seen which memory each instruction touches. */
static bool run_followed(struct walk *w)
{
	struct touched t = { .w = w, .words = flow_words(w->npiece) };
	const struct feed_reader reader = { &t, no_state, take_record, no_end };
	const struct engine_options o = { .consumers = 1 };
	struct engine *e = engine_new(w->dev, &w->l, &o, w->d);
	struct stopped stopped;
	bool ok;

	t.of = new_array(w->a, uint64_t, (size_t)w->l.k->ninsn * t.words);
	ok = e && feed_launch(e, &reader, &(struct feed_options){ .max_insns = RUN_GUARD_INSNS }, &stopped);
	if (ok && stopped.why)
		ok = too_long(w);
	engine_free(e);
	return ok && follow(w, &t);
}

static bool run_all(struct walk *w, struct engine *e, const int *enough)
{
	const bool ok = engine_run(e);

	if (!ok && *enough)
		too_long(w);
	engine_free(e);
	return ok;
}

bool walk_engine(struct walk *w)
{
	int enough = 0;
	const struct engine_options o = {
		.threads = pool_cores(), .stop = &enough, .progress = guard, .progress_ctx = &enough
	};
	struct engine *e = engine_new(w->dev, &w->l, &o, w->d);
	uint32_t cluster[3];
	const char *ordered = e && launch_cluster(&w->l, cluster) == 1 ? engine_ordered(e) : NULL;

	w->excluded = ordered ? arena_printf(w->a, "%s", ordered) : NULL;
	if (e && !ordered && has_flow(w)) {
		engine_free(e);
		return run_followed(w);
	}
	for (unsigned i = 0; ordered && i < w->npiece; i++)
		w->may_differ[i] = true;
	return e && run_all(w, e, &enough);
}

bool walk_timed(struct walk *w, const struct params *p, struct l2 *l2, struct stats *st)
{
	struct params mine = *p;
	struct sim_options o = { .params = p,
				 .have_anno = ANNO_ALL,
				 .before = w->launched.k,
				 .nbefore = launched_place(&w->launched, w->l.k),
				 .l2 = l2 };

	for (unsigned i = 0; l2 && p->l2_preload && i < w->npiece; i++)
		l2_copied(l2, w->piece[i].address, w->piece[i].bytes);
	return rf_config_parse(&o.rf, "baseline", &mine, w->d) && sim_run(w->dev, &w->l, &o, st, w->d);
}

bool walk_timed_twice(struct walk *w, const struct params *p, struct l2 *l2, struct stats *st)
{
	struct stats first;

	stats_reset(&first);
	for (unsigned i = 0; i < w->npiece; i++)
		memcpy(w->piece[i].theirs, w->piece[i].ours, w->piece[i].bytes);
	if (!walk_timed(w, p, l2, &first))
		return false;
	walk_take(w);
	return walk_timed(w, p, l2, st);
}

/* ---- comparing ---- */
/* A float as a whole number, in the order of floats; false: it is no number. */
static bool rank(const unsigned char *p, enum scalar_type t, int64_t *out)
{
	if (t == TY_F32) {
		int32_t bits;
		float f;

		memcpy(&bits, p, sizeof bits);
		memcpy(&f, p, sizeof f);
		*out = bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
		return !isnan(f);
	}
	double g;

	memcpy(out, p, sizeof *out);
	memcpy(&g, p, sizeof g);
	if (*out < 0)
		*out = -(*out & INT64_MAX);
	return !isnan(g);
}

static uint64_t ulps_between(const unsigned char *x, const unsigned char *y, enum scalar_type t)
{
	int64_t a, b;
	const bool number = rank(x, t, &a), other = rank(y, t, &b);

	if (!number || !other)
		return number == other ? 0 : UINT64_MAX;
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static void compare_piece(struct walk *w, const struct walk_piece *p, struct walk_difference *x)
{
	const unsigned each = type_info[p->type].bits / 8;
	const bool floats = type_info[p->type].kind == 'f';

	x->of += p->bytes / each;
	if (memcmp(p->ours, p->theirs, p->bytes) == 0)
		return;
	for (uint64_t i = 0; i < p->bytes / each; i++) {
		const unsigned char *ours = p->ours + i * each, *theirs = p->theirs + i * each;
		uint64_t ulps;

		if (memcmp(ours, theirs, each) == 0)
			continue;
		if (!x->piece) {
			x->piece = p;
			x->element = i;
			x->ours = launch_element(w->a, p->ours, i, p->type);
			x->theirs = launch_element(w->a, p->theirs, i, p->type);
		}
		x->mismatches++;
		x->floats |= floats;
		ulps = floats ? ulps_between(ours, theirs, p->type) : 0;
		x->ulps = ulps > x->ulps ? ulps : x->ulps;
	}
}

bool walk_compare(struct walk *w, struct walk_difference x[2])
{
	memset(x, 0, 2 * sizeof *x);
	for (unsigned i = 0; i < w->npiece; i++) {
		const struct walk_piece *p = &w->piece[i];

		if (!w->h->ops->read(w->h, p->theirs, p->address, p->bytes))
			return false;
		compare_piece(w, p, &x[w->may_differ[i]]);
	}
	return true;
}

void walk_take(struct walk *w)
{
	for (unsigned i = 0; i < w->npiece; i++) {
		memcpy(w->piece[i].ours, w->piece[i].theirs, w->piece[i].bytes);
		w->may_differ[i] = false;
	}
}

void walk_hash_of(const void *bytes, size_t n, char hex[WALK_HASH])
{
	char whole[SHA256_HEX];

	sha256_of(bytes, n, whole);
	memcpy(hex, whole, WALK_HASH - 1);
	hex[WALK_HASH - 1] = 0;
}

void walk_hash(const struct walk *w, unsigned piece, bool theirs, char hex[WALK_HASH])
{
	const struct walk_piece *p = &w->piece[piece];

	walk_hash_of(theirs ? p->theirs : p->ours, p->bytes, hex);
}

/* ---- pairs ---- */
struct pair pair_of(const char *kernel, const char *launch, struct arena *a)
{
	const char *base = strrchr(kernel, '/') ? strrchr(kernel, '/') + 1 : kernel, *dot = strrchr(base, '.');

	return (struct pair){ arena_strndup(a, base, dot ? (size_t)(dot - base) : strlen(base)), kernel, launch };
}

static int is_named(const struct dirent *e) { return e->d_name[0] != '.'; }

static bool is_kernel(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (strcmp(dot, ".ptx") == 0 || strcmp(dot, ".cubin") == 0);
}

struct found {
	struct pair *pair;
	uint32_t n, cap;
	size_t prefix; /* of paths, that names leave out */
};

static void add_pair(struct found *x, const char *path, struct arena *a)
{
	const char *stem = arena_strndup(a, path, (size_t)(strrchr(path, '.') - path));
	const struct pair p = { stem + x->prefix, path, arena_printf(a, "%s.yaml", stem) };

	if (access(p.launch, F_OK) != 0)
		return;
	arena_grow(a, x->pair, x->n, x->cap);
	x->pair[x->n++] = p;
}

static bool find_pairs(struct found *x, const char *folder, struct arena *a, struct diag *d)
{
	struct dirent **entry;
	const int n = scandir(folder, &entry, is_named, alphasort);
	bool ok = n >= 0 || diag_error_plain(d, folder, "cannot be read: %s", strerror(errno));

	for (int i = 0; i < n; i++) {
		const char *path = arena_printf(a, "%s/%s", folder, entry[i]->d_name);

		if (entry[i]->d_type == DT_DIR)
			ok = ok && find_pairs(x, path, a, d);
		else if (is_kernel(path))
			add_pair(x, path, a);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return ok;
}

bool pairs_find(struct pair **list, unsigned *n, const char *folder, struct arena *a, struct diag *d)
{
	struct found x = { .prefix = strlen(folder) + 1 };
	const bool ok = find_pairs(&x, folder, a, d);

	*list = x.pair;
	*n = x.n;
	return ok && (x.n || diag_error_plain(d, folder,
					      "has no kernel, NAME.ptx or NAME.cubin, with its launch file NAME.yaml"));
}
