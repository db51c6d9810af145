/* A launch: what CUDA checks before it, its execution, and what came of it. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/pool.h"
#include "runtime-model/core/occupancy.h"
#include "runtime-model/gpu/sim.h"

#include <string.h>

/* of a thread, as GPUs of these compute capabilities allocate them */
enum { REGISTER_GRANULE = 8 };
/* CTAs of a cluster (CUDA C++ Programming Guide 13.0, Thread Block Clusters); there are clusters from compute
 * capability 9.0 on. */
enum { SM_CLUSTERS = 90, CLUSTER_PORTABLE = 8 };

static bool has_clusters(void) { return process.opt.sm >= SM_CLUSTERS; }

static bool is_function(const struct cu_function *f)
{
	for (const struct cu_module *m = process.module; m; m = m->next)
		for (const struct cu_function *x = m->function; x; x = x->next)
			if (x == f)
				return true;
	return false;
}

/* It is one, and is compiled. */
static enum cu_status use(struct cu_function *f)
{
	return is_function(f) ? function_need(f) : CU_INVALID_DEVICE_FUNCTION;
}

static unsigned function_max_threads(const struct cu_function *f)
{
	const struct kernel *k = f->k;
	const unsigned regs = (k->res.regs + REGISTER_GRANULE - 1) / REGISTER_GRANULE * REGISTER_GRANULE;
	unsigned most = process.device.threads_per_cta;
	const uint32_t *limit = k->maxntid[0] ? k->maxntid : k->reqntid;
	uint64_t said = 1;

	for (unsigned i = 0; i < 3 && limit[0]; i++)
		said *= limit[i] ? limit[i] : 1;
	if (limit[0] && said < most)
		most = (unsigned)said;
	if (regs && process.device.registers_per_cta / regs / 32 * 32 < most)
		most = process.device.registers_per_cta / regs / 32 * 32;
	return most;
}

/* The static shared memory that f itself names, which may be less than lies below its dynamic one: that of the module,
 * and an alignment. */
uint64_t function_shared(const struct cu_function *f)
{
	const struct module *m = f->k->m;
	const struct kernel *k = f->k;
	uint64_t n = 0;

	if (k->native)
		return k->res.shared_bytes;
	for (uint32_t i = 0; i < m->nsym; i++) {
		const struct symbol *s = &m->sym[i];
		bool named = s->kernel != UINT32_MAX;

		for (uint32_t r = 0; r < k->nsymref && !named; r++)
			named = k->symref[r].sym == i;
		if (s->space == SP_SHARED && !s->external && named) {
			const uint32_t align = s->align ? s->align : 1;

			n = (n + align - 1) / align * align + s->size;
		}
	}
	return n < k->res.shared_bytes ? n : k->res.shared_bytes;
}

/* Of machine code the first is all of them, the others have their names. */
static uint64_t function_constant(const struct cu_function *f)
{
	const struct module *m = f->k->m;
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->nsym; i++)
		if (m->sym[i].space == SP_CONST && !m->sym[i].external && !(f->k->native && n))
			n += m->sym[i].size;
	return n;
}

static uint32_t param_bytes(const struct kernel *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->nparam; i++)
		if (k->param[i].offset + k->param[i].size > n)
			n = k->param[i].offset + k->param[i].size;
	return n;
}

/* ---- functions ---- */
enum cu_status cu_function_name(const char **name, struct cu_module **m, struct cu_function *f)
{
	enum cu_status s = enter_anyway();

	if (s)
		return s;
	if (!is_function(f))
		return leave(CU_INVALID_DEVICE_FUNCTION);
	if (name)
		*name = f->name;
	if (m)
		*m = f->module;
	return leave(CU_OK);
}

bool cu_function_ready(struct cu_function *f)
{
	bool ready;

	if (enter_anyway())
		return false;
	ready = is_function(f) && f->k;
	leave(CU_OK);
	return ready;
}

enum cu_status cu_function_info(struct cu_function_info *out, struct cu_function *f)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = out ? use(f) : CU_INVALID_VALUE;
	if (s)
		return leave(s);
	*out = f->set;
	out->name = f->name;
	out->module = f->module;
	out->registers = f->k->res.regs;
	out->max_threads = function_max_threads(f);
	out->shared = function_shared(f);
	out->constant = function_constant(f);
	out->local = f->k->res.local_bytes;
	out->nparam = f->k->nparam;
	if (f->k->cluster[0])
		memcpy(out->cluster, f->k->cluster, sizeof out->cluster);
	out->cluster_must_be_set = f->k->explicit_cluster || f->k->cluster[0];
	out->ptx = (int)(f->module->ptx_sm ? f->module->ptx_sm : f->module->m->sm);
	out->binary = (int)(f->k->native ? f->k->native->sm : process.opt.sm);
	return leave(CU_OK);
}

enum cu_status cu_function_set(struct cu_function *f, enum cu_setting what, int64_t value)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = use(f);
	if (s)
		return leave(s);
	switch (what) {
	case CU_MAX_DYNAMIC_SHARED:
		if (value < 0 || (uint64_t)value + function_shared(f) > process.device.shared_optin) {
			struct arena a;

			arena_init(&a);
			explain(REASON_SHARED,
				"%s cannot have %lld bytes of dynamic shared memory: a block has %llu at most%s",
				kernel_short_name(kernel_name(f->name, &a), 64, &a), (long long)value,
				(unsigned long long)(process.device.shared_optin - function_shared(f)),
				process.opt.configs->n
					? " on the machine that times it (--set shared_bytes=N gives it more)"
					: "");
			arena_free(&a);
			return leave(CU_INVALID_VALUE);
		}
		f->set.max_dynamic_shared = (uint64_t)value;
		break;
	case CU_CARVEOUT:
		if (value < -1 || value > 100)
			return leave(CU_INVALID_VALUE);
		f->set.carveout = (int)value;
		break;
	case CU_CACHE:
		if (value < 0 || value > 3)
			return leave(CU_INVALID_VALUE);
		f->set.cache = (int)value;
		break;
	case CU_NONPORTABLE_CLUSTER:
		f->set.nonportable_cluster = value != 0;
		break;
	case CU_CLUSTER_WIDTH:
	case CU_CLUSTER_HEIGHT:
	case CU_CLUSTER_DEPTH:
		if (f->k->cluster[0])
			return leave(CU_NOT_PERMITTED);
		if (value < 0 || !has_clusters())
			return leave(CU_INVALID_VALUE);
		f->set.cluster[what - CU_CLUSTER_WIDTH] = (unsigned)value;
		break;
	}
	return leave(CU_OK);
}

enum cu_status cu_function_param(struct cu_function *f, unsigned i, uint64_t *offset, uint64_t *bytes)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = use(f);
	if (s)
		return leave(s);
	if (i >= f->k->nparam)
		return leave(CU_INVALID_VALUE);
	if (offset)
		*offset = f->k->param[i].offset;
	if (bytes)
		*bytes = f->k->param[i].size;
	return leave(CU_OK);
}

/* CTAs of an SM, as the machine's baseline register file holds them. */
static unsigned occupancy(const struct cu_function *f, unsigned threads, uint64_t dynamic_shared)
{
	const struct cu_device *d = &process.device;
	const struct kernel *k = f->k;
	struct occupancy_query q;
	struct diag quiet;
	struct params sm = *process.sm;
	struct rf_config rf;
	unsigned n = 0;

	if (!threads || threads > function_max_threads(f) || function_shared(f) + dynamic_shared > d->shared_optin)
		return 0;
	diag_init(&quiet, NULL);
	if (rf_config_parse(&rf, "baseline", &sm, &quiet)) {
		q = occupancy_query_of(&sm, &rf, k, threads,
				       (uint32_t)(function_shared(f) + dynamic_shared + d->shared_reserved));
		n = occupancy_of(&q).ctas;
	}
	diag_free(&quiet);
	return n;
}

enum cu_status cu_occupancy(unsigned *ctas, struct cu_function *f, unsigned threads, uint64_t dynamic_shared)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = use(f);
	if (s)
		return leave(s);
	if (!ctas || !threads)
		return leave(CU_INVALID_VALUE);
	*ctas = occupancy(f, threads, dynamic_shared);
	return leave(CU_OK);
}

/* ---- launches ---- */
/* Into `why`, of WHY bytes, what its status alone does not say. */
enum { WHY = 320 };

/* The CTAs of a cluster that the function wants, or zeros. */
static const unsigned *required_cluster(const struct cu_function *f)
{
	return f->k->cluster[0] ? f->k->cluster : f->set.cluster;
}

/* Those that l gives, else those. */
static const unsigned *given_cluster(const struct cu_launch *l)
{
	return l->cluster[0] || l->cluster[1] || l->cluster[2] ? l->cluster : required_cluster(l->f);
}

/* How many it may have. */
static unsigned most_of_cluster(const struct cu_function *f)
{
	const unsigned most = f->set.nonportable_cluster ? CLUSTER_MAX : CLUSTER_PORTABLE;

	return f->k->max_cluster && f->k->max_cluster < most ? f->k->max_cluster : most;
}

/* Into n the CTAs of a cluster of l, and what is wrong with them, apart from the grid. */
static enum cu_status cluster_of(const struct cu_launch *l, unsigned n[3], char *why)
{
	const struct kernel *k = l->f->k;
	const unsigned *wants = required_cluster(l->f), *from = given_cluster(l), most = most_of_cluster(l->f);
	const bool given = from[0] || from[1] || from[2];
	uint64_t ctas;

	for (unsigned i = 0; i < 3; i++)
		n[i] = given ? from[i] : 1;
	if (given && (!n[0] || !n[1] || !n[2])) {
		snprintf(why, WHY, "clusters of %u x %u x %u blocks", n[0], n[1], n[2]);
		return CU_INVALID_CLUSTER_SIZE;
	}
	if (n[0] == 1 && n[1] == 1 && n[2] == 1 && !wants[0] && !k->explicit_cluster)
		return CU_OK;
	if (!has_clusters()) {
		snprintf(why, WHY,
			 "clusters of blocks on a device of compute capability %u.%u; they come with 9.0 (--sm 90)",
			 process.opt.sm / 10, process.opt.sm % 10);
		return CU_NOT_SUPPORTED;
	}
	if (!given) {
		snprintf(why, WHY, "the kernel wants the size of its clusters to be given");
		return CU_INVALID_CLUSTER_SIZE;
	}
	if (wants[0] && memcmp(n, wants, 3 * sizeof *n) != 0) {
		snprintf(why, WHY, "clusters of %u x %u x %u blocks, and the kernel wants %u x %u x %u", n[0], n[1],
			 n[2], wants[0], wants[1], wants[2]);
		return CU_INVALID_CLUSTER_SIZE;
	}
	ctas = (uint64_t)n[0] * n[1];
	ctas = ctas > CLUSTER_MAX ? ctas : ctas * n[2];
	if (ctas > most) {
		snprintf(why, WHY, "clusters of %u x %u x %u blocks; %u blocks are the most%s", n[0], n[1], n[2], most,
			 most == CLUSTER_PORTABLE ? " (cudaFuncAttributeNonPortableClusterSizeAllowed: 16)" : "");
		return CU_INVALID_CLUSTER_SIZE;
	}
	return CU_OK;
}

/* How many blocks the device holds, into text. */
static const char *room_text(unsigned room, char text[64])
{
	const unsigned sms = process.device.sms;

	snprintf(text, 64, "%u SM%s room for %u%s", sms, sms == 1 ? " has" : "s have", room, sms == 1 ? "" : " each");
	return text;
}

/* The grid is one of whole clusters, and the device has room for one. Where it has none for a CTA, because of what
 * times it, all is executed nevertheless. */
static enum cu_status check_clusters(const struct cu_launch *l, unsigned threads, char *why)
{
	unsigned n[3], ctas, room;
	enum cu_status s = cluster_of(l, n, why);

	if (s)
		return s;
	for (unsigned i = 0; i < 3; i++)
		if (l->grid[i] % n[i]) {
			snprintf(why, WHY, "%u blocks in dimension %c are no whole clusters of %u", l->grid[i],
				 "xyz"[i], n[i]);
			return CU_INVALID_CLUSTER_SIZE;
		}
	ctas = n[0] * n[1] * n[2];
	room = ctas > 1 ? occupancy(l->f, threads, l->dynamic_shared) : 0;
	if (room && (uint64_t)process.device.sms * room < ctas) {
		snprintf(why, WHY, "clusters of %u blocks, and %s", ctas, room_text(room, (char[64]){ 0 }));
		return CU_INVALID_CLUSTER_SIZE;
	}
	return CU_OK;
}

/* How many CTAs the device holds at once. */
static enum cu_status room_of(uint64_t *ctas, const struct cu_launch *l)
{
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	if (!threads)
		return CU_INVALID_VALUE;
	*ctas = (uint64_t)process.device.sms *
		occupancy(l->f, threads > UINT32_MAX ? UINT32_MAX : (unsigned)threads, l->dynamic_shared);
	return CU_OK;
}

/* As CUDA has it, a size must be given unless the kernel has one. */
enum cu_status cu_occupancy_clusters(unsigned *clusters, const struct cu_launch *l)
{
	enum cu_status s = enter();
	char why[WHY] = "";
	uint64_t room;
	unsigned n[3];

	if (s)
		return s;
	s = clusters ? use(l->f) : CU_INVALID_VALUE;
	if (!s)
		s = room_of(&room, l);
	if (!s && !given_cluster(l)[0])
		s = CU_INVALID_CLUSTER_SIZE;
	if (!s)
		s = cluster_of(l, n, why);
	if (!s)
		*clusters = (unsigned)(room / (n[0] * n[1] * n[2]));
	return leave(s);
}

enum cu_status cu_occupancy_cluster_size(unsigned *ctas, const struct cu_launch *l)
{
	enum cu_status s = enter();
	const unsigned *wants;
	uint64_t room;
	unsigned most;

	if (s)
		return s;
	s = ctas ? use(l->f) : CU_INVALID_VALUE;
	if (!s)
		s = room_of(&room, l);
	if (s)
		return leave(s);
	wants = required_cluster(l->f);
	most = has_clusters() ? most_of_cluster(l->f) : 1;
	*ctas = room < most ? (unsigned)room : most;
	if (wants[0])
		*ctas = wants[0] * wants[1] * wants[2];
	return leave(CU_OK);
}

static enum cu_status check(const struct cu_launch *l, char *why)
{
	const struct cu_device *d = &process.device;
	const struct kernel *k = l->f->k;
	uint64_t threads = 1, ctas = 1;
	enum cu_status s;

	for (unsigned i = 0; i < 3; i++) {
		if (!l->grid[i] || !l->block[i] || l->block[i] > d->block[i] || l->grid[i] > d->grid[i]) {
			snprintf(why, WHY, "%u %s in dimension %c, 1 to %u can be",
				 l->block[i] && l->block[i] <= d->block[i] ? l->grid[i] : l->block[i],
				 l->block[i] && l->block[i] <= d->block[i] ? "blocks" : "threads of a block", "xyz"[i],
				 l -> block[i] && l -> block[i] <= d -> block[i] ? d -> grid[i] : d -> block[i]);
			return CU_INVALID_CONFIGURATION;
		}
		threads *= l->block[i];
		ctas *= l->grid[i];
	}
	if (threads > d->threads_per_cta) {
		snprintf(why, WHY, "%llu threads of a block, %u are the most", (unsigned long long)threads,
			 d->threads_per_cta);
		return CU_INVALID_CONFIGURATION;
	}
	if (l->dynamic_shared > l->f->set.max_dynamic_shared) {
		snprintf(why, WHY,
			 "%llu bytes of dynamic shared memory, %llu are allowed to it (by cudaFuncSetAttribute up to "
			 "%llu%s)",
			 (unsigned long long)l->dynamic_shared, (unsigned long long)l->f->set.max_dynamic_shared,
			 (unsigned long long)(d->shared_optin - function_shared(l->f)),
			 process.opt.configs->n ? ", with --set shared_bytes=N more" : "");
		return CU_INVALID_VALUE;
	}
	if (threads > function_max_threads(l->f)) {
		snprintf(why, WHY,
			 "%llu threads of a block, %u are the most that its %u registers, %u of a block, or its launch "
			 "bounds allow",
			 (unsigned long long)threads, function_max_threads(l->f), (unsigned)k->res.regs,
			 d->registers_per_cta);
		return CU_LAUNCH_OUT_OF_RESOURCES;
	}
	for (unsigned i = 0; i < 3 && k->reqntid[0]; i++)
		if (l->block[i] != (k->reqntid[i] ? k->reqntid[i] : 1)) {
			snprintf(why, WHY, "%u threads of a block in dimension %c, and the kernel wants %u",
				 l->block[i], "xyz"[i], k -> reqntid[i] ? k -> reqntid[i] : 1);
			return CU_INVALID_VALUE;
		}
	if (l->cooperative) { /* one CTA is executed also if the machine has no room to time it */
		const unsigned room = occupancy(l->f, (unsigned)threads, l->dynamic_shared);

		if (ctas > (room ? (uint64_t)d->sms * room : 1)) {
			snprintf(why, WHY, "%llu blocks that wait for each other, and %s", (unsigned long long)ctas,
				 room_text(room, (char[64]){ 0 }));
			return CU_COOPERATIVE_LAUNCH_TOO_LARGE;
		}
	}
	s = check_clusters(l, (unsigned)threads, why);
	if (s)
		return s;
	if (k->nparam && !l->param && (!l->param_block || l->param_bytes < param_bytes(k))) {
		snprintf(why, WHY, "%llu bytes of parameters, and it takes %u",
			 (unsigned long long)(l->param_block ? l->param_bytes : 0), param_bytes(k));
		return CU_INVALID_VALUE;
	}
	return CU_OK;
}

/* symbol: of a kernel of m; of none: m NULL. */
static enum cu_status refuse(const struct cu_launch *l, const char *symbol, const struct cu_module *m, enum cu_status s,
			     const char *why)
{
	struct process *p = &process;

	watch_hold();
	p->not_launched++;
	report_not_launched(symbol, m, l, ++p->launches, s, why);
	watch_release();
	return s;
}

/* Its kernel cannot be had, which has been said. */
static enum cu_status refuse_kernel(const struct cu_launch *l, const char *symbol, const struct cu_module *m,
				    enum cu_status s)
{
	return refuse(l, symbol, m, s, kernel_reason(m, symbol, s));
}

static enum cu_status refuse_shape(const struct cu_launch *l, enum cu_status s, const char *why)
{
	struct arena a;

	arena_init(&a);
	explain(REASON_LAUNCH, "a launch of %s is refused (%s): %s",
		kernel_short_name(kernel_name(l->f->name, &a), 64, &a), cu_status_text((int)s), why);
	arena_free(&a);
	return refuse(l, l->f->name, l->f->module, s, why);
}

static const char no_kernel[] = "?";

enum cu_status cu_launch_refused(const struct cu_launch *l, struct cu_module *m, const char *name, enum cu_status s,
				 const char *why)
{
	const enum cu_status before = enter();

	if (before)
		return before;
	if (is_function(l->f))
		return leave(why ? refuse_shape(l, s, why) : refuse_kernel(l, l->f->name, l->f->module, s));
	return leave(refuse_kernel(l, m && name ? name : no_kernel, m && name ? m : NULL, s));
}

static const void *gather(const struct cu_launch *l, uint32_t *bytes, struct arena *a)
{
	const struct kernel *k = l->f->k;
	unsigned char *block;

	*bytes = param_bytes(k);
	block = arena_alloc(a, *bytes + 1, 16);
	if (!l->param && *bytes)
		memcpy(block, l->param_block, *bytes);
	for (uint32_t i = 0; l->param && i < k->nparam; i++)
		memcpy(block + k->param[i].offset, l->param[i], k->param[i].size);
	return block;
}

/* What the machine would take: each scheduler of the SMs that have a CTA issues an instruction in each cycle. */
static uint64_t estimate_ns(const struct cu_launch *l, uint64_t warp_insns)
{
	const struct params *m = process.opt.machine;
	const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], sms = ctas < m->sms ? ctas : m->sms;

	return warp_insns / (sms * m->schedulers) * 1000 / m->sm_mhz + 1;
}

bool launch_functional(const struct launch *x, struct measured *m, const struct engine_clock *clock, struct diag *d)
{
	const uint64_t threads = process.opt.number[CUDA_OPT_THREADS];
	const struct engine_options o = { .threads = threads ? (unsigned)threads : pool_cores(),
					  .any_order = process.opt.given[CUDA_OPT_ANY_ORDER],
					  .clock = clock,
					  .stop = watch_flag(),
					  .progress = watch_executing };
	struct engine *e = engine_new(process.dev, x, &o, d);
	bool ok = e && engine_run(e);

	if (e && engine_fault(e)->kind)
		measured_fault(m, engine_fault(e));

	if (e) {
		m->warp_insns = engine_counts(e)->warp_insns;
		m->thread_insns = engine_counts(e)->thread_insns;
	}
	engine_free(e);
	return ok;
}

static bool is_chosen(const struct cu_launch *l, uint64_t number)
{
	struct arena a;
	bool yes;

	arena_init(&a);
	yes = cuda_options_chooses(&process.opt, number, l->f->name, kernel_name(l->f->name, &a));
	arena_free(&a);
	process.chosen |= yes;
	return yes;
}

/* Is it one of those to time? */
static bool wants_timing(const struct cu_launch *l, uint64_t number)
{
	const struct process *p = &process;
	const uint64_t insns = p->opt.number[CUDA_OPT_MAX_INSNS], cycles = p->opt.number[CUDA_OPT_MAX_CYCLES];
	bool left = !insns || p->timed_insns < insns, some = !cycles;

	for (unsigned i = 0; i < p->opt.configs->n; i++)
		some |= p->timed_cycles[i] < cycles;
	return p->opt.configs->n && left && some && is_chosen(l, number);
}

/* Is it one of those to save: of those that are chosen, or else of each kernel the first? */
static bool wants_saving(const struct cu_launch *l, uint64_t number)
{
	const bool all = process.opt.nrange != 0, again = l->f->saved;

	if (!process.opt.given[CUDA_OPT_SAVE] || (again && !all) || !is_chosen(l, number))
		return false;
	return l->f->saved = true;
}

static bool wants_counting(const struct cu_launch *l, uint64_t number)
{
	return (process.opt.given[CUDA_OPT_USAGE] || process.opt.given[CUDA_OPT_VALUES]) && is_chosen(l, number);
}

static bool count(struct cu_function *f, struct launch *x, struct measured *m, struct diag *d)
{
	struct annotated *n = function_annotated(f, x);

	x->k = n->k;
	m->shown = shown_of(f, n);
	return launch_counted(m->shown, x, m, d);
}

static enum cu_status launch(const struct cu_launch *l, struct cu_stream *s)
{
	struct process *p = &process;
	struct launch x = { .m = l->f->k->m,
			    .k = l->f->k,
			    .dynamic_shared = (uint32_t)l->dynamic_shared,
			    .stack_bytes = (uint32_t)p->limit[CU_LIMIT_STACK],
			    .stack_by = "cudaDeviceSetLimit(cudaLimitStackSize, BYTES) or cuCtxSetLimit() gives more",
			    .cooperative = l->cooperative };
	const uint64_t number = ++p->launches, start = stream_start(s), host = clock_ns();
	struct arena a;
	struct measured m = { .mode = MODE_FUNCTIONAL, .start_ns = start, .a = &a };
	enum cu_status why = CU_OK;
	bool ok;

	arena_init(&a);
	memcpy(x.grid, l->grid, sizeof x.grid);
	memcpy(x.block, l->block, sizeof x.block);
	memcpy(x.cluster, given_cluster(l), sizeof x.cluster);
	x.params = gather(l, &x.param_bytes, &a);
	if (wants_saving(l, number))
		launch_save(l->f, &x, number);
	watch_begin(l->f, l, number);
	p->launching = l->f;
	if (wants_timing(l, number))
		ok = launch_timed(l->f, &x, &m, &a, &p->d);
	else if (wants_counting(l, number))
		ok = count(l->f, &x, &m, &p->d);
	else
		ok = launch_functional(&x, &m, NULL, &p->d);
	watch_end(m.warp_insns);
	if (!m.fault.kind && (!ok || m.config) && watch_limit(&a)) { /* models that stop do not fail */
		ok = false;
		m.fault = (struct launch_fault){ .kind = FAULT_TIMEOUT,
						 .text = watch_limit(&a),
						 .kernel = x.k->name,
						 .insn_text = "",
						 .source = "" };
		p->cut = true;
	}
	if (!m.ns) {
		m.ns = estimate_ns(l, m.warp_insns);
		m.estimated = true;
	}
	m.seconds = (double)(clock_ns() - host) / 1e9;
	if (ok) {
		stream_end(s, start + m.ns);
		watch_hold();
		shown_launch(m.shown, &x, &m);
		report_launch(l->f, l, &m, number, start);
		watch_release();
	} else {
		const struct failure *failed;

		flush_prints();
		watch_hold();
		failed = fault_say(l->f, number, &m);
		report_failure(l->f, l, failed);
		watch_release();
		why = failed->status;
	}
	if (m.fault.kind) { /* as in CUDA it is later calls that say so */
		p->sticky = why;
		why = CU_OK;
	}
	arena_free(&a);
	return why;
}

struct launching {
	const struct cu_launch *l;
	struct cu_stream *stream;
	enum cu_status s;
};

static void launch_now(void *ctx)
{
	struct launching *x = ctx;

	x->s = launch(x->l, x->stream);
}

enum cu_status launch_function(const struct cu_launch *l, struct cu_stream *stream)
{
	struct launching x = { .l = l, .stream = stream };
	enum cu_status s = function_need(l->f);
	char why[WHY] = "";

	if (s)
		return refuse_kernel(l, l->f->name, l->f->module, s);
	s = check(l, why);
	if (s)
		return refuse_shape(l, s, why);
	with_stack(launch_now, &x);
	return x.s;
}

enum cu_status cu_launch(const struct cu_launch *l)
{
	enum cu_status s = enter();
	struct cu_stream *stream;

	if (s)
		return s;
	if (!l)
		return leave(CU_INVALID_DEVICE_FUNCTION);
	if (!is_function(l->f))
		return leave(refuse_kernel(l, no_kernel, NULL, CU_INVALID_DEVICE_FUNCTION));
	stream = stream_of(l->stream);
	if (!stream)
		return leave(refuse_shape(l, CU_INVALID_HANDLE, "its stream is none, or was destroyed"));
	flush_prints();
	s = launch_function(l, stream);
	if (!s)
		launch_children(l, stream);
	return leave(s);
}
