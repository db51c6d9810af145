/* A launch: its checks, the window of CTAs in flight and the order in which they advance.
 *
 * The order is canonical: slots of the window are visited in turn. A visit lets the slot's CTA run until each of its
 * warps has executed QUANTUM instructions, has exited or waits at a barrier that no warp of the CTA can complete in
 * this visit; its warps take turns by index. A slot whose CTA has exited takes the next CTA at its next visit.
 * Consumers cause visits, they never choose them. */
#include "runtime-model/engine/native.h"

#include "analyzer/base/rng.h"

#include <string.h>
#include <unistd.h>

enum { BLOCK_MAX = 1024, BLOCK_Z_MAX = 64, GRID_YZ_MAX = 65535, GRID_X_MAX = INT32_MAX };
/* CTAs */
enum { COOPERATIVE_MAX = 1 << 20, THREADS_MAX = 256 };
enum { PROGRESS_INSNS = 1 << 17, VISITS_AT_ONCE = 16 };
/* CTAs of a launch; bytes of the window */
static const uint64_t cta_max = (uint64_t)1 << 32, state_max = (uint64_t)16 << 30;

const struct lanes *lanes_best(void)
{
#if defined(__x86_64__) && !defined(LANES_ONLY_BASE)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul"))
		return &lanes_v3;
#endif
	return &lanes_base;
}

/* ---- checks ---- */
static bool check_clusters(const struct launch *l, struct diag *d)
{
	struct arena a;
	const char *wrong;

	arena_init(&a);
	wrong = launch_cluster_wrong(l, &a);
	if (wrong)
		diag_error_plain(d, l->k->name, "%s", wrong);
	arena_free(&a);
	return !wrong;
}

static bool check_shape(const struct launch *l, struct diag *d)
{
	const struct kernel *k = l->k;
	const uint32_t *b = l->block, *g = l->grid;
	uint64_t threads = (uint64_t)b[0] * b[1] * b[2], most = 1;
	uint32_t need = 0;

	for (unsigned i = 0; i < 3; i++)
		if (!b[i] || !g[i])
			return diag_error_plain(d, k->name, "launch of %ux%ux%u CTAs of %ux%ux%u threads is empty",
						g[0], g[1], g[2], b[0], b[1], b[2]);
	if (k->ninsn > RECORD_APART) /* what a record's word has room for */
		return diag_error_plain(d, k->name, "has %u instructions; kernels of up to %d are executed", k->ninsn,
					RECORD_APART);
	if (b[0] > BLOCK_MAX || b[1] > BLOCK_MAX || b[2] > BLOCK_Z_MAX || threads > BLOCK_MAX)
		return diag_error_plain(d, k->name, "block of %ux%ux%u threads is over the limit of %d (z: %d)", b[0],
					b[1], b[2], BLOCK_MAX, BLOCK_Z_MAX);
	if (g[0] > GRID_X_MAX || g[1] > GRID_YZ_MAX || g[2] > GRID_YZ_MAX || (uint64_t)g[0] * g[1] > cta_max / g[2])
		return diag_error_plain(d, k->name, "grid of %ux%ux%u CTAs is over the limit", g[0], g[1], g[2]);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t want;
		if (k->reqntid[0])
			want = k->reqntid[i] ? k->reqntid[i] : 1;
		else
			want = 0;

		if (want && b[i] != want)
			return diag_error_plain(
				d, k->name, "block of %ux%ux%u threads, but the kernel requires %ux%ux%u (.reqntid)",
				b[0], b[1], b[2], k->reqntid[0], k->reqntid[1] ? k->reqntid[1] : 1,
				k->reqntid[2] ? k->reqntid[2] : 1);
		most *= k->maxntid[i] ? k->maxntid[i] : 1;
	}
	if (k->maxntid[0] && threads > most)
		return diag_error_plain(d, k->name, "block of %llu threads, but the kernel allows %llu (.maxntid)",
					(unsigned long long)threads, (unsigned long long)most);
	for (uint32_t p = 0; p < k->nparam; p++)
		if (k->param[p].offset + k->param[p].size > need)
			need = k->param[p].offset + k->param[p].size;
	if (l->param_bytes < need || l->param_bytes > PARAM_MAX_BYTES)
		return diag_error_plain(d, k->name, "takes %u bytes of parameters, the launch gives %u", need,
					l->param_bytes);
	if ((uint64_t)k->res.shared_bytes + l->dynamic_shared > WINDOW_BYTES)
		return diag_error_plain(d, k->name, "needs %llu bytes of shared memory, over the limit of %u",
					(unsigned long long)k->res.shared_bytes + l->dynamic_shared, WINDOW_BYTES);
	if (k->res.stack && (uint64_t)l->stack_bytes + STACK_DEFAULT + k->res.local_bytes > WINDOW_BYTES)
		return diag_error_plain(
			d, k->name, "needs %u bytes of local memory and a stack of %u a thread, over the limit of %u",
			k->res.local_bytes, l->stack_bytes, WINDOW_BYTES);
	if (k->res.local_bytes > WINDOW_BYTES)
		return diag_error_plain(d, k->name, "needs %u bytes of local memory a thread, over the limit of %u",
					k->res.local_bytes, WINDOW_BYTES);
	return check_clusters(l, d);
}

static bool check_state(const struct engine *e)
{
	uint64_t warp = sizeof(struct warp) + (uint64_t)e->prog.nslot * WARP_LANES * 4 + e->prog.npred * 4u +
			(uint64_t)e->local_bytes * WARP_LANES;
	uint64_t bytes = e->window * (e->warps * warp + e->shared_bytes);
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES), most = pages * (uint64_t)sysconf(_SC_PAGESIZE) / 2;

	if (e->k->m->address_bits == 32 && device_top(e->dev) > UINT32_MAX)
		return diag_error_plain(e->d, e->k->name, "has 32-bit addresses, and buffers take more than 4 GiB");
	if (e->l.cooperative && (e->ctas > COOPERATIVE_MAX || bytes > (most < state_max ? most : state_max)))
		return diag_error_plain(
			e->d, e->k->name,
			"a cooperative launch has all of its %llu CTAs in flight at once; their registers and memory "
			"take %llu MiB",
			(unsigned long long)e->ctas,
			(unsigned long long)(e->ctas > COOPERATIVE_MAX ? UINT32_MAX : bytes >> 20));
	if (bytes > state_max)
		return diag_error_plain(e->d, e->k->name,
					"registers and memory of %u CTAs in flight take %llu GiB; use a smaller window",
					e->window, (unsigned long long)(bytes >> 30));
	return true;
}

/* ---- set-up ---- */
/* What cooperative groups synchronise a grid with: a size and a word in which CTAs count (grid_workspace of CUDA's
 * cooperative_groups). */
enum { GRID_BARRIER_BYTES = 256 };

uint64_t device_grid_barrier(struct device *dev, uint64_t addr)
{
	if (!dev->grid_barrier && addr && device_alloc_at(dev, "the grid's barrier", addr, GRID_BARRIER_BYTES))
		dev->grid_barrier = addr;
	return dev->grid_barrier;
}

static bool start_grid_barrier(struct device *dev)
{
	if (!dev->grid_barrier)
		dev->grid_barrier = device_alloc_apart(dev, "the grid's barrier", GRID_BARRIER_BYTES);
	if (!dev->grid_barrier)
		return false;
	memset(device_ptr(dev, dev->grid_barrier, GRID_BARRIER_BYTES), 0, GRID_BARRIER_BYTES);
	return true;
}

static void bind_constants(struct engine *e)
{
	if (e->k->native) {
		native_bind(e);
		return;
	}
	e->bank0_bytes = PARAM_BASE + e->l.param_bytes;
	e->bank0 = new_array(&e->a, unsigned char, e->bank0_bytes + 8u);
	memcpy(e->bank0 + CONST_STACK, &e->stack_at, sizeof e->stack_at);
	memcpy(e->bank0 + CONST_NTID, e->l.block, sizeof e->l.block);
	memcpy(e->bank0 + CONST_NCTAID, e->l.grid, sizeof e->l.grid);
	if (e->l.param_bytes)
		memcpy(e->bank0 + PARAM_BASE, e->l.params, e->l.param_bytes);
}

static void number_threads(struct engine *e)
{
	uint32_t x = e->l.block[0], y = e->l.block[1], n = x * y * e->l.block[2];

	e->tid = new_array(&e->a, uint32_t, e->warps * 3u * WARP_LANES);
	e->first_active = new_array(&e->a, uint32_t, e->warps);
	for (uint32_t t = 0; t < e->warps * WARP_LANES; t++) {
		uint32_t *at = e->tid + t / WARP_LANES * 3 * WARP_LANES + t % WARP_LANES;

		at[0] = t % x;
		at[WARP_LANES] = t / x % y;
		at[2 * WARP_LANES] = t / x / y;
		if (t < n)
			e->first_active[t / WARP_LANES] |= 1u << t % WARP_LANES;
	}
}

void engine_choose_order(struct engine *e, const char *shows, bool must)
{
	e->ordered = must || !e->opt.any_order ? shows : NULL;
	e->together = device_shared(e->dev) || (!e->ordered && e->opt.threads > 1 && e->ctas > 1);
}

/* Sets e->ordered and e->together. */
static void choose_order(struct engine *e)
{
	const struct engine_options *o = &e->opt;
	bool must = false;
	const char *shows;

	e->together = device_shared(e->dev);
	if (!o->threads)
		e->ordered = "no threads were asked for";
	else if (o->consumers || o->poison || o->profile || o->controls)
		e->ordered = "more than the result is wanted";
	else if (e->dev->sanitizer)
		e->ordered = "what it does is looked at";
	else if (o->max_insns)
		e->ordered = "the limit of instructions is exact";
	else if (e->l.cooperative)
		e->ordered = "a cooperative launch";
	else
		e->ordered = e->cluster_ctas > 1 ? "clusters of several CTAs" : NULL;
	if (!e->ordered && !e->k->native) { /* else what it does is seen when it is decoded */
		shows = order_shows(e->k, &e->a, &must);
		engine_choose_order(e, shows, must);
	}
}

struct engine *engine_new(struct device *dev, const struct launch *l, const struct engine_options *o, struct diag *d)
{
	struct arena a;
	struct engine *e;

	if (!check_shape(l, d) || !device_load(dev, l->k->m) || (l->cooperative && !start_grid_barrier(dev)))
		return NULL;
	if (o->poison && !(l->k->facts & FACT_LIVE)) {
		diag_error_plain(d, l->k->name, "has no liveness, which overwriting dead registers needs");
		return NULL;
	}
	if (o->poison && l->k->form == FORM_MACHINE && !(l->k->facts & FACT_RELEASE)) {
		diag_error_plain(d, l->k->name, "has no release points, which overwriting dead registers needs");
		return NULL;
	}
	if (o->controls && !(l->k->control && (l->k->native || l->k->facts & FACT_CONTROL))) {
		diag_error_plain(d, l->k->name, "has no control codes to check");
		return NULL;
	}
	a = device_spare(dev, 0);
	e = new(&a, struct engine);
	*e = (struct engine){
		.a = a,
		.dev = dev,
		.d = d,
		.l = *l,
		.k = l->k,
		.opt = *o,
		.lanes = lanes_best(),
		.mod = device_loaded(dev, l->k->m),
		.warps = (l->block[0] * l->block[1] * l->block[2] + WARP_LANES - 1) / WARP_LANES,
		.ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
		.shared_bytes = l->k->res.shared_bytes + l->dynamic_shared +
				sreg_reserved_smem(l->k, l->k->res.shared_bytes + l->dynamic_shared),
		.stack_at = (l->k->res.local_bytes + FRAME_ALIGN - 1) & ~(FRAME_ALIGN - 1u),
	};
	e->local_bytes = (l->k->res.local_bytes + 3) & ~3u;
	if (l->k->res.stack || (l->k->native && l->k->native->unbounded))
		e->local_bytes = e->stack_at + ((l->stack_bytes ? l->stack_bytes : STACK_DEFAULT) + FRAME_ALIGN - 1) /
						       FRAME_ALIGN * FRAME_ALIGN;
	else
		e->stack_at = e->local_bytes;
	e->look_at = o->poison || o->controls ? UINT64_MAX : 0;
	e->cluster_ctas = launch_cluster(l, e->cluster);
	e->window = o->window ? o->window : WINDOW_DEFAULT;
	e->window = (e->window + e->cluster_ctas - 1) / e->cluster_ctas * e->cluster_ctas;
	if (e->window > e->ctas || (l->cooperative && e->ctas <= COOPERATIVE_MAX))
		e->window = (unsigned)e->ctas;
	pthread_mutex_init(&e->lock, NULL);
	bind_constants(e);
	number_threads(e);
	pthread_cond_init(&e->made, NULL);
	recorder_init(&e->rec, e);
	choose_order(e);
	if (!program_decode(e) || !check_state(e)) {
		engine_free(e);
		return NULL;
	}
	if (dev->sanitizer && !o->poison && !o->controls)
		sanitize_begin(e);
	if (!e->ordered) {
		team_new(e, o->threads < THREADS_MAX ? o->threads : THREADS_MAX);
		return e;
	}
	e->cta = new_array(&e->a, struct cta, e->window);
	for (unsigned s = 0; s < e->window; s++)
		e->cta[s].index = UINT64_MAX;
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	recorder_free(&e->rec);
	livelock_free(e);
	team_free(e);
	pthread_cond_destroy(&e->made);
	pthread_mutex_destroy(&e->lock);
	device_give_spare(e->dev, 0, e->a);
}

/* ---- CTAs ---- */
static void cta_allocate(struct engine *e, struct cta *c)
{
	size_t words = (size_t)e->prog.nslot * WARP_LANES;
	uint32_t *reg = aligned_array(&e->a, e->warps * words, sizeof *reg);
	unsigned char *local = aligned_array(&e->a, (size_t)e->warps * e->local_bytes, WARP_LANES);

	c->warp = new_array(&e->a, struct warp, e->warps);
	c->shared = aligned_array(&e->a, (size_t)e->shared_bytes + 8, 1);
	for (unsigned w = 0; w < e->warps; w++) {
		c->warp[w].reg = reg + w * words;
		c->warp[w].pred = new_array(&e->a, uint32_t, e->prog.npred);
		c->warp[w].below = new_array(&e->a, struct level, STACK_MAX);
		c->warp[w].room = STACK_MAX;
		c->warp[w].local = local + (size_t)w * e->local_bytes * WARP_LANES;
	}
}

static void warp_start(struct engine *e, struct cta *c, unsigned index, struct stream *stream, bool fresh)
{
	struct warp *w = &c->warp[index];
	size_t words = (size_t)e->prog.nslot * WARP_LANES;

	*w = (struct warp){
		.top = { 0, UINT32_MAX, e->first_active[index], 0 },
		.index = index,
		.state = WARP_READY,
		.reg = w->reg,
		.pred = w->pred,
		.local = w->local,
		.stream = stream,
		.below = w->below,
		.room = w->room,
		.spin = w->spin,
		.results = w->results,
		.behind = w->behind,
		.controls = e->opt.controls ? controls_start(e, w->controls) : NULL,
		.noise = mix64(e->opt.poison_seed ^ mix64(c->index * e->warps + index + 1)),
	};
	if (!fresh) {
		memset(w->reg, 0, words * sizeof *w->reg);
		memset(w->pred, 0, e->prog.npred * sizeof *w->pred);
		memset(w->local, 0, (size_t)e->local_bytes * WARP_LANES);
	}
	if (e->opt.poison) {
		for (size_t i = 0; i < words; i++)
			w->reg[i] = (uint32_t)rng_next(&w->noise);
		for (uint32_t i = 0; i < e->prog.npred; i++)
			w->pred[i] = (uint32_t)rng_next(&w->noise);
	}
	w->pred[0] = UINT32_MAX;
}

void cta_start(struct engine *e, struct cta *c)
{
	bool wanted =
		e->rec.consumers && !e->unread && (!e->opt.wanted || e->opt.wanted(e->opt.wanted_ctx, e->next_cta));
	struct streams *s = wanted ? recorder_start(&e->rec, e->next_cta) : NULL;
	bool fresh = !c->warp; /* all zeros */

	if (e->rec.consumers && !wanted)
		recorder_skip(&e->rec, e->next_cta);
	if (fresh)
		cta_allocate(e, c);
	c->index = e->next_cta++;
	cluster_place(e, c);
	c->live = e->warps;
	e->events++;
	memset(c->barrier, 0, sizeof c->barrier);
	if (!fresh)
		memset(c->shared, 0, e->shared_bytes);
	for (unsigned w = 0; w < e->warps; w++)
		warp_start(e, c, w, s ? &s->w[w] : NULL, fresh);
	if (e->sanitizing)
		sanitize_cta(e, c);
}

static bool limit_reached(struct engine *e, struct warp *w)
{
	uint64_t done = e->counts.warp_insns;

	if (done >= e->limit) {
		e->stopped = STOP_INSNS;
		return true;
	}
	if (w->budget > e->limit - done)
		w->budget = (uint32_t)(e->limit - done);
	return false;
}

void cta_visit(struct engine *e, struct cta *c)
{
	bool ready, ran;

	for (unsigned w = 0; w < e->warps; w++)
		c->warp[w].budget = QUANTUM;
	do {
		ready = ran = false;
		for (unsigned i = 0; i < e->warps; i++) {
			struct warp *w = &c->warp[i];

			if (w->state == WARP_READY && w->budget) {
				if (limit_reached(e, w))
					return;
				(e->livelock ? livelock_run : warp_run)(e, c, w);
				ran = true;
				if (atomic_load_explicit(&e->failed, memory_order_relaxed))
					return;
			}
			ready |= w->state == WARP_READY;
		}
	} while (ran);
	if (!c->live) {
		c->index = UINT64_MAX;
		e->done_ctas++;
	} else if (!ready && (e->cluster_ctas == 1 || cluster_stuck(e, c))) {
		fault_deadlock(e, c);
	}
}

/* The slot of the turn is empty: a cluster begins in the slots of one that is gone. */
static void begin_at(struct engine *e, struct cta *c)
{
	if (e->next_cta == e->ctas || (e->cluster_ctas > 1 && (c != cluster_first(e, c) || !cluster_gone(e, c))))
		return;
	for (uint32_t r = 0; r < e->cluster_ctas; r++)
		cta_start(e, c + r);
}

bool engine_advance(struct engine *e)
{
	while (e->done_ctas < e->ctas && !e->stopped && !atomic_load_explicit(&e->failed, memory_order_relaxed)) {
		struct cta *c = &e->cta[e->turn];

		if (stop_asked(e->opt.stop)) {
			e->stopped = STOP_ASKED;
			break;
		}
		e->turn = e->turn + 1 == e->window ? 0 : e->turn + 1;
		if (c->index == UINT64_MAX)
			begin_at(e, c);
		if (c->index == UINT64_MAX)
			continue;
		cta_visit(e, c);
		if (e->counts.warp_insns >= e->look_at && !atomic_load_explicit(&e->failed, memory_order_relaxed))
			livelock_look(e);
		return true;
	}
	return false;
}

static void report_progress(struct engine *e)
{
	struct engine_progress p = { e->done_ctas, e->ctas, e->counts.warp_insns };

	e->reported = e->counts.warp_insns;
	e->opt.progress(e->opt.progress_ctx, &p);
}

bool engine_run(struct engine *e)
{
	if (e->team)
		return team_run(e);
	e->limit = e->opt.max_insns ? e->counts.warp_insns + e->opt.max_insns : UINT64_MAX;
	while (engine_advance(e))
		if (e->opt.progress && e->counts.warp_insns - e->reported >= PROGRESS_INSNS)
			report_progress(e);
	return !atomic_load(&e->failed) && !e->stopped;
}

bool engine_finish(struct engine *e)
{
	e->unread = true;
	for (unsigned s = 0; s < e->window; s++)
		for (unsigned w = 0; e->cta[s].index != UINT64_MAX && w < e->warps; w++)
			e->cta[s].warp[w].stream = NULL;
	return engine_run(e);
}

const char *engine_ordered(const struct engine *e) { return e->ordered; }
enum stop engine_stopped(const struct engine *e) { return e->stopped; }

const struct engine_counts *engine_counts(const struct engine *e) { return &e->counts; }
unsigned engine_warps_per_cta(const struct engine *e) { return e->warps; }
uint64_t engine_local_lines(const struct engine *e) { return e->local_bytes / 4; }
uint64_t engine_ctas(const struct engine *e) { return e->ctas; }

/* ---- consumers ---- */
/* With e->lock held and nobody producing: visits without the lock; several if others wait, who would sleep and wake,
 * and take the engine to another core, for each. False: there will be no more records. */
static bool produce(struct engine *e)
{
	unsigned n = VISITS_AT_ONCE;
	bool more;

	e->producing = true;
	pthread_mutex_unlock(&e->lock);
	do
		more = engine_advance(e);
	while (more && --n && atomic_load_explicit(&e->waiting, memory_order_relaxed));
	pthread_mutex_lock(&e->lock);
	e->producing = false;
	if (atomic_load_explicit(&e->waiting, memory_order_relaxed))
		pthread_cond_broadcast(&e->made);
	return more;
}

static bool must_wait(const struct engine *e, unsigned c)
{
	const struct recorder *r = &e->rec;

	if (e->producing)
		return true;
	return !e->stopped && !atomic_load_explicit(&e->failed, memory_order_relaxed) &&
	       atomic_load_explicit(&r->consumer[c].passed, memory_order_relaxed) > recorder_slowest(r) + LEAD_CHUNKS;
}

/* What one call may execute. Nobody is producing. */
static uint64_t limit_of_call(const struct engine *e)
{
	return e->opt.max_insns ? e->counts.warp_insns + e->opt.max_insns + (uint64_t)e->window * e->warps * QUANTUM
				: UINT64_MAX;
}

static enum peek wait_or_produce(struct engine *e, unsigned c, uint64_t cta, unsigned w, struct record *out,
				 enum stop *stopped)
{
	uint64_t limit = 0;
	enum peek p;

	pthread_mutex_lock(&e->lock);
	while ((p = recorder_next(&e->rec, &e->prog, c, cta, w, out)) == PEEK_NOTHING) {
		if (must_wait(e, c)) {
			atomic_fetch_add_explicit(&e->waiting, 1, memory_order_relaxed);
			pthread_cond_wait(&e->made, &e->lock);
			atomic_fetch_sub_explicit(&e->waiting, 1, memory_order_relaxed);
			continue;
		}
		e->limit = limit = limit ? limit : limit_of_call(e);
		if (!produce(e)) {
			p = recorder_next(&e->rec, &e->prog, c, cta, w, out);
			break;
		}
	}
	*stopped = e->stopped;
	pthread_mutex_unlock(&e->lock);
	return p;
}

/* The next record where it is not in a chunk that consumer c is reading. */
static __attribute__((noinline)) enum record_status go_on(struct engine *e, unsigned c, uint64_t cta, unsigned w,
							  struct record *out)
{
	enum peek p = recorder_next(&e->rec, &e->prog, c, cta, w, out);
	enum stop stopped = STOP_NOT;

	if (p == PEEK_NOTHING)
		p = wait_or_produce(e, c, cta, w, out, &stopped);
	if (p == PEEK_OK)
		return RECORD_OK;
	if (p == PEEK_END)
		return RECORD_END;
	return stopped ? RECORD_STOPPED : RECORD_FAILED;
}

enum record_status engine_next(struct engine *e, unsigned c, uint64_t cta, unsigned w, struct record *out)
{
	if (c >= e->rec.consumers || cta >= e->ctas || w >= e->warps)
		return RECORD_END;
	return recorder_ready(&e->rec, &e->prog, c, cta, w, out) ? RECORD_OK : go_on(e, c, cta, w, out);
}

enum record_status engine_made(struct engine *e, unsigned c, uint64_t cta, unsigned w, struct record *out)
{
	enum peek p;

	if (c >= e->rec.consumers || cta >= e->ctas || w >= e->warps)
		return RECORD_END;
	p = recorder_next(&e->rec, &e->prog, c, cta, w, out);
	if (p == PEEK_OK)
		return RECORD_OK;
	return p == PEEK_END ? RECORD_END : RECORD_LATER;
}

void engine_leave(struct engine *e, unsigned c)
{
	if (c >= e->rec.consumers)
		return;
	pthread_mutex_lock(&e->lock);
	while (e->producing) {
		atomic_fetch_add_explicit(&e->waiting, 1, memory_order_relaxed);
		pthread_cond_wait(&e->made, &e->lock);
		atomic_fetch_sub_explicit(&e->waiting, 1, memory_order_relaxed);
	}
	if (!atomic_load(&e->rec.consumer[c].gone))
		recorder_leave(&e->rec, c);
	pthread_cond_broadcast(&e->made);
	pthread_mutex_unlock(&e->lock);
}
