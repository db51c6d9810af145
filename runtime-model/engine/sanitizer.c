/* Looks at each access before it is made, lane by lane: where it is, whether anything is there, and what init and race
 * say of it. What is outside memory is not made, if the user wants to go on: reads give zero, writes are lost. */
#include "runtime-model/engine/sanitize.h"

#include "runtime-model/engine/before.h"

#include <string.h>

struct sanitizer {
	struct arena a;
	unsigned kinds;
	void (*say)(void *ctx, const struct finding *f);
	void *ctx;
	struct finding *first, **end;
	uint32_t launches;
	unsigned char *nowhere; /* what is outside memory */
	uint32_t nowhere_bytes;
};

static const struct {
	const char *name, *what;
} kind[SANITIZE_KINDS] = {
	[SANITIZE_OOB] = { "oob", "access outside memory" },
	[SANITIZE_INIT] = { "init", "read of memory that nobody has written" },
	[SANITIZE_SYNC] = { "sync", "barrier in divergent code" },
	[SANITIZE_RACE] = { "race", "data race" },
};

/* ---- the sanitizer ---- */
struct sanitizer *sanitizer_new(unsigned kinds, void (*say)(void *ctx, const struct finding *f), void *ctx)
{
	struct arena a;
	struct sanitizer *s;

	arena_init(&a);
	s = new(&a, struct sanitizer);
	*s = (struct sanitizer){ .a = a, .kinds = kinds, .say = say, .ctx = ctx };
	s->end = &s->first;
	return s;
}

void sanitizer_free(struct sanitizer *s)
{
	struct arena a;

	if (!s)
		return;
	a = s->a;
	arena_free(&a);
}

const struct finding *sanitizer_findings(const struct sanitizer *s) { return s->first; }

static const char *plural(unsigned long long n) { return n == 1 ? "" : "s"; }

/* "race 12 times at 1 instruction". */
static const char *total(const struct sanitizer *s, unsigned k, struct arena *a)
{
	unsigned long long insns = 0, times = 0;

	for (const struct finding *f = s->first; f; f = f->next)
		if (f->kind == k) {
			insns++;
			times += f->times;
		}
	if (!times)
		return arena_printf(a, "%s none", kind[k].name);
	return arena_printf(a, "%s %llu time%s at %llu instruction%s", kind[k].name, times, plural(times), insns,
			    plural(insns));
}

const char *sanitizer_totals(const struct sanitizer *s, struct arena *a)
{
	const char *text = "";

	for (unsigned k = 0; k < SANITIZE_KINDS; k++)
		if (s->kinds >> k & 1)
			text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", total(s, k, a));
	return text;
}

const char *sanitizer_read(const char *oob, const char *check, unsigned *kinds, struct arena *a)
{
	*kinds = 0;
	if (oob && strcmp(oob, "warn") == 0)
		*kinds |= 1u << SANITIZE_OOB;
	else if (oob && strcmp(oob, "stop") != 0)
		return arena_printf(a, "--oob wants stop or warn, not '%s'", oob);
	for (size_t n; check; check = check[n] ? check + n + 1 : NULL) {
		unsigned k = SANITIZE_INIT;

		n = strcspn(check, ",");
		while (k < SANITIZE_KINDS && (strlen(kind[k].name) != n || strncmp(kind[k].name, check, n) != 0))
			k++;
		if (k < SANITIZE_KINDS)
			*kinds |= 1u << k;
		else if (n == 3 && strncmp(check, "all", n) == 0)
			*kinds |= 1u << SANITIZE_INIT | 1u << SANITIZE_SYNC | 1u << SANITIZE_RACE;
		else
			return arena_printf(
				a, "--check wants init, sync or race, several as init,race, or all, not '%.*s'", (int)n,
				check);
	}
	return NULL;
}

void device_set_sanitizer(struct device *dev, struct sanitizer *s) { dev->sanitizer = s; }

/* ---- findings ---- */
bool sanitizer_looks(const struct sanitizer *s, enum sanitize k) { return s->kinds >> k & 1; }
bool sanitizes(const struct engine *e, enum sanitize k) { return sanitizer_looks(e->sanitizing->s, k); }

static struct finding *finding_of(struct engine *e, enum sanitize k, uint32_t insn)
{
	struct sanitizer *s = e->sanitizing->s;
	struct finding **f = &s->first;

	while (*f && ((*f)->kind != k || (*f)->at.insn != insn || strcmp((*f)->at.kernel, e->k->name) != 0))
		f = &(*f)->next;
	if (!*f) {
		*f = new(&s->a, struct finding);
		**f = (struct finding){ .kind = k, .what = kind[k].what };
		(*f)->at.insn = insn;
		(*f)->at.kernel = arena_strndup(&s->a, e->k->name, strlen(e->k->name));
	}
	return *f;
}

bool sanitize_first(struct engine *e, enum sanitize k, uint32_t insn)
{
	struct finding **f = &e->sanitizing->found[k * e->k->ninsn + insn];

	if (!*f)
		*f = finding_of(e, k, insn);
	return (*f)->times++ == 0;
}

static void tell(struct engine *e, enum sanitize k, const struct launch_fault *at)
{
	struct sanitizer *s = e->sanitizing->s;
	struct finding *f = e->sanitizing->found[k * e->k->ninsn + at->insn];
	const char *kernel = f->at.kernel;

	f->at = *at;
	f->at.kernel = kernel;
	f->at.text = arena_strndup(&s->a, at->text, strlen(at->text));
	f->at.insn_text = arena_strndup(&s->a, at->insn_text, strlen(at->insn_text));
	f->at.source = arena_strndup(&s->a, at->source, strlen(at->source));
	s->say(s->ctx, f);
}

void sanitize_tell(const struct touch *t, enum sanitize k, const char *fmt, ...)
{
	struct launch_fault at;
	const char *what;
	va_list ap;

	va_start(ap, fmt);
	what = arena_vprintf(&t->e->a, fmt, ap);
	va_end(ap);
	fault_describe(t->e, t->c, t->w, t->insn, t->lane, what, &at);
	at.has_address = t->bytes != 0;
	at.space = t->p.space;
	at.address = t->p.space == SP_GLOBAL ? t->addr : t->p.at;
	at.bytes = t->bytes;
	tell(t->e, k, &at);
}

const struct symbol *sanitize_variable(const struct engine *e, enum space s, uint64_t at)
{
	const struct module *m = e->k->m;

	for (uint32_t i = 0; i < m->nsym; i++) {
		const struct symbol *v = &m->sym[i];
		const bool own = v->kernel == UINT32_MAX || m->kernel[v->kernel] == e->k;

		if (v->space == s && own && !v->func && !v->external && at - v->offset < v->size)
			return v;
	}
	return NULL;
}

const char *sanitize_place(const struct touch *t)
{
	const struct allocation *al = t->p.al;
	const struct symbol *v = al ? NULL : sanitize_variable(t->e, t->p.space, t->p.at);
	const char *text;

	if (al)
		return arena_printf(&t->e->a, "%u bytes at 0x%llx, %llu bytes into %s (%llu bytes at 0x%llx)", t->bytes,
				    (unsigned long long)t->addr, (unsigned long long)t->p.at, al->name,
				    (unsigned long long)al->bytes, (unsigned long long)al->addr);
	text = arena_printf(&t->e->a, "%u bytes of %s memory at offset 0x%llx", t->bytes,
			    t->p.space == SP_SHARED ? "shared" : "local", (unsigned long long)t->p.at);
	if (v)
		text = arena_printf(&t->e->a, "%s, %llu bytes into %s", text, (unsigned long long)(t->p.at - v->offset),
				    v->name);
	if (t->p.owner != t->c)
		text = arena_printf(&t->e->a, "%s, of CTA (%u,%u,%u)", text, t->p.owner->id[0], t->p.owner->id[1],
				    t->p.owner->id[2]);
	return text;
}

/* ---- a launch ---- */
void sanitize_begin(struct engine *e)
{
	struct sanitizing *z = new(&e->a, struct sanitizing);

	z->s = e->dev->sanitizer;
	z->found = new_array(&e->a, struct finding *, (size_t)SANITIZE_KINDS * (e->k->ninsn + 1u));
	z->launch = ++z->s->launches;
	e->sanitizing = z;
	race_begin(e, z);
}

void sanitize_cta(struct engine *e, struct cta *c)
{
	const bool fresh = !c->shadow;

	if (fresh)
		c->shadow = new(&e->a, struct shadow);
	if (sanitizes(e, SANITIZE_INIT))
		init_cta(e, c->shadow, fresh);
	if (sanitizes(e, SANITIZE_RACE))
		race_cta(e, c->shadow, fresh);
}

/* ---- accesses ---- */
/* The user wants to go on where nothing is; it is said. Local memory with a stack is not gone on with: there is too
 * little of it. */
static bool goes_on(const struct touch *t)
{
	struct launch_fault at;
	const enum space s = t->p.space == SP_NONE ? SP_GENERIC : t->p.space;

	if (!sanitizes(t->e, SANITIZE_OOB) || (s == SP_LOCAL && t->e->k->res.stack))
		return false;
	if (!sanitize_first(t->e, SANITIZE_OOB, t->insn))
		return true;
	fault_describe_address(t->e, t->c, t->w, t->insn, t->lane, s,
			       s == SP_SHARED || s == SP_LOCAL ? t->p.at : t->addr, t->bytes, &at);
	tell(t->e, SANITIZE_OOB, &at);
	return true;
}

static void look(const struct touch *t)
{
	if (sanitizes(t->e, SANITIZE_INIT))
		init_access(t);
	if (sanitizes(t->e, SANITIZE_RACE) && t->p.space != SP_LOCAL)
		race_access(t);
}

void sanitize_span(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane, enum space s,
		   uint64_t addr, unsigned bytes, bool write)
{
	struct touch t = { .e = e,
			   .c = c,
			   .w = w,
			   .insn = insn,
			   .lane = lane,
			   .addr = addr,
			   .bytes = bytes,
			   .read = !write,
			   .write = write };

	if (bytes && memory_place(e, c, s, addr, bytes, write, &t.p) == PLACE_INSIDE)
		look(&t);
}

unsigned char *sanitize_outside(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane,
				enum space s, uint64_t addr, unsigned piece, unsigned bytes)
{
	struct sanitizer *z = e->sanitizing->s;
	const struct touch t = { .e = e,
				 .c = c,
				 .w = w,
				 .insn = insn,
				 .lane = lane,
				 .addr = addr,
				 .bytes = piece,
				 .p = { .space = s, .at = addr } };

	if (addr % piece || (s == SP_SHARED && addr >= CLUSTER_OFFSET && e->cluster_ctas > 1) || !goes_on(&t))
		return NULL;
	if (z->nowhere_bytes < bytes) {
		z->nowhere = arena_alloc(&z->a, bytes, 16);
		z->nowhere_bytes = bytes;
	}
	return memset(z->nowhere, 0, bytes);
}

/* Does lane l of a store write what is there? */
static bool silent(const struct engine *e, const struct warp *w, const struct xmem *m, unsigned l,
		   const unsigned char *p)
{
	for (unsigned v = 0; v < m->vec; v++, p += m->bytes) {
		const uint32_t *s = (m->data[v] >> 31 ? e->prog.konst : w->reg) + (m->data[v] & INT32_MAX);
		const uint64_t x = s[l] | (m->bytes == 8 ? (uint64_t)s[l + WARP_LANES] << 32 : 0);

		if (memcmp(p, &x, m->bytes) != 0)
			return false;
	}
	return true;
}

/* What is read outside memory. */
static void give_zero(struct warp *w, const struct xinsn *x, const struct xmem *m, uint32_t lanes)
{
	const unsigned n = m->atomic ? 1 : m->vec, words = m->bytes == 8 ? 2 : 1;

	for (unsigned v = 0; (m->load || m->atomic) && v < n; v++)
		EACH_ACTIVE(l, lanes)
	for (unsigned h = 0; h < words; h++)
		w->reg[(m->atomic ? x->dst[0] : m->data[v]) + h * WARP_LANES + l] = 0;
}

/* Of an access none of whose lanes is made, where the record says that it was. */
static void record_nowhere(struct engine *e, const struct xmem *m, uint64_t at[WARP_LANES], uint32_t exec)
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		at[l] &= ADDRESS_END - m->total;
	e->nline = coalesce_lines(at, exec, m->total, e->line);
	if (m->space == SP_SHARED) {
		e->nline = 0;
		e->line[e->nline++] = memory_pass_word(SP_SHARED, 0, 1u << 16 | 1);
	}
}

/* The lanes of exec that are made. */
static uint32_t look_at_lanes(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
			      const uint64_t at[WARP_LANES])
{
	const struct xmem *m = &e->prog.mem[x->target];
	uint32_t made = exec;
	struct touch t = { .e = e,
			   .c = c,
			   .w = w,
			   .insn = insn_of(e, x),
			   .bytes = m->total,
			   .read = (m->load || m->atomic) && m->mbarrier != OP_MBARRIER_INIT,
			   .write = m->atomic || !m->load,
			   .strong = m->strong || m->release,
			   .object = m->mbarrier || (m->atomic && x->fn.atom == atomics[OP_SASS_ARRIVE]),
			   .cas = m->atomic && !m->mbarrier && m->nsrc == 3 };

	EACH_ACTIVE(l, exec)
	{
		enum reach r;

		if (at[l] % m->total)
			continue;
		t.lane = l;
		t.addr = at[l];
		r = memory_place(e, c, m->space, at[l], m->total, t.write, &t.p);
		if (r == PLACE_OUTSIDE && !m->mbarrier && goes_on(&t))
			made &= ~(1u << l);
		if (r != PLACE_INSIDE)
			continue;
		t.silent = !m->load && !m->atomic && t.p.host && silent(e, w, m, l, t.p.host);
		look(&t);
	}
	return made;
}

/* Nothing of the access is looked at but whether it is in memory, and all lanes are in one allocation or space. */
static bool plainly_inside(const struct engine *e, const struct xmem *m, const uint64_t at[WARP_LANES], uint32_t exec)
{
	const struct allocation *al;
	uint64_t low = UINT64_MAX, high = 0;

	if (sanitizes(e, SANITIZE_INIT) || sanitizes(e, SANITIZE_RACE))
		return false;
	EACH_ACTIVE(l, exec)
	{
		low = at[l] < low ? at[l] : low;
		high = at[l] > high ? at[l] : high;
	}
	if (m->space == SP_SHARED || m->space == SP_LOCAL)
		return high < (m->space == SP_SHARED ? e->shared_bytes : e->local_bytes) / m->total * m->total;
	al = device_around(e->dev, low, high - low + m->total);
	return al && !al->heap && !al->granule;
}

bool sanitize_memory(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xmem *m = &e->prog.mem[x->target];
	uint64_t at[WARP_LANES];
	uint32_t made = exec;

	if (m->space != SP_CONST && m->space != SP_PARAM) {
		before_addresses(e, w, x, exec, at);
		if (!plainly_inside(e, m, at, exec))
			made = look_at_lanes(e, c, w, x, exec, at);
		if (made && !(w->watching ? spin_memory : memory_access)(e, c, w, x, made))
			return false;
		if (made != exec)
			give_zero(w, x, m, exec & ~made);
		if (!made && e->recording)
			record_nowhere(e, m, at, exec);
		if (m->release || m->atomic || (m->strong && !m->load))
			race_release(e, c, w);
		if (m->mbarrier || (m->strong && (m->load || (m->atomic && x->dst[0])))) /* a reduction reads nothing */
			race_acquire(e, c, w);
		return true;
	}
	return (w->watching ? spin_memory : memory_access)(e, c, w, x, exec);
}
