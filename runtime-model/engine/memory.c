/* Loads, stores and atomics of one warp instruction. Every access is checked. The common case, all lanes inside one
 * allocation or one space, costs one range check for the warp; lanes in different places are served one by one.
 *
 * Addresses of shared, local, const and param space are offsets into them, mod 2^32; generic addresses are windows over
 * them (analyzer/ir/ir.h). Lanes in the shared memory of another CTA of the cluster are served one by one. Local memory
 * is kept as it is interleaved on hardware, [word][lane], so that a spilled register is one row. An access is aligned
 * to its whole size, vector included. */
#include "runtime-model/engine/core.h"
#include "runtime-model/engine/native.h"

#include <string.h>

#define ALL_LANES UINT32_MAX

struct access {
	struct engine *e;
	struct cta *c;
	struct warp *w;
	const struct xinsn *x;
	struct xmem *m;
	uint32_t exec;
	uint64_t at[WARP_LANES]; /* addresses, later offsets from the start of their memory */
	struct addr_facts f;
	uint64_t size; /* bytes of that memory */
};

static enum space window_of(uint64_t addr)
{
	if (addr >= GLOBAL_START)
		return SP_GLOBAL;
	if (addr >= CONST_VARS_WINDOW + (uint64_t)WINDOW_BYTES)
		return addr >= CLUSTER_WINDOW ? SP_SHARED : SP_NONE;
	if (addr >= CONST_VARS_WINDOW)
		return SP_CONST;
	if (addr >= CONST_WINDOW)
		return SP_PARAM;
	if (addr >= LOCAL_WINDOW)
		return SP_LOCAL;
	return addr >= SHARED_WINDOW ? SP_SHARED : SP_NONE;
}

/* An address of shared memory in machine code, as the engine's: without a rank where it is the own CTA's. */
static uint64_t from_native(const struct engine *e, const struct cta *c, enum space s, uint64_t addr)
{
	const uint64_t own = c->index % e->cluster_ctas, rank = addr >> NATIVE_RANK_SHIFT & NATIVE_RANK_MASK;
	uint64_t at = addr & ((1u << NATIVE_RANK_SHIFT) - 1);

	if (s == SP_GENERIC ? addr >> 32 != NATIVE_SHARED_WINDOW >> 32 : s != SP_SHARED)
		return addr;
	if (rank != own)
		at = rank < e->cluster_ctas && at < CLUSTER_BYTES ? CLUSTER_OFFSET + rank * CLUSTER_BYTES + at
								  : CLUSTER_NOWHERE;
	return at + (s == SP_GENERIC ? SHARED_WINDOW : 0);
}

static bool fault(const struct access *a, unsigned lane, enum space s, uint64_t addr)
{
	return fault_address(a->e, a->c, a->w, insn_of(a->e, a->x), lane, s, addr, a->m->total);
}

static bool in_bank0(const struct access *a, enum space s)
{
	return s == SP_PARAM || (s == SP_CONST && a->m->space == SP_CONST && a->m->bank == 0);
}

static bool in_bank4(const struct access *a, enum space s)
{
	return s == SP_CONST && a->e->k->native && a->m->space == SP_CONST && a->m->bank == 4;
}

/* Memory of a space other than global and local, and its size. */
static unsigned char *space_memory(const struct access *a, enum space s, uint64_t *size)
{
	const struct engine *e = a->e;

	if (s == SP_SHARED) {
		*size = e->shared_bytes;
		return a->c->shared;
	}
	if (in_bank0(a, s)) {
		*size = e->bank0_bytes;
		return e->bank0;
	}
	if (e->k->native && a->m->space == SP_CONST && a->m->bank == 2) { /* it is only read */
		*size = e->k->native->nconstant2;
		return (unsigned char *)(uintptr_t)e->k->native->constant2;
	}
	if (in_bank4(a, s)) {
		*size = e->k->native->nconstant4;
		return e->bank4;
	}
	*size = e->mod->bank3_bytes;
	return e->mod->bank3;
}

/* Of machine code: does some lane read what nobody knows of bank 0 or 4? */
static bool unknown_constant(const struct access *a, enum space s)
{
	const unsigned char *known = a->e->bank4_known;

	if (!a->e->bank0_known || (!in_bank0(a, s) && !in_bank4(a, s)))
		return false;
	if (in_bank0(a, s))
		known = a->e->bank0_known;
	EACH_ACTIVE(l, a->exec)
	if (memchr(known + a->at[l], 0, a->m->total))
		return true;
	return false;
}

/* What malloc gave is checked lane by lane. */
static const struct allocation *given(const struct access *a, const struct allocation *heap, uint32_t exec)
{
	EACH_ACTIVE(l, exec)
	if (!heap_holds(a->e->dev, a->at[l], a->m->total))
		return NULL;
	return heap;
}

/* The allocation around bytes of global memory: most often the `last` one. */
static const struct allocation *allocation_of(const struct device *dev, uint32_t *last, uint64_t addr, uint64_t bytes)
{
	const struct allocation *al = &dev->alloc[*last];

	if (addr < al->addr || bytes > al->bytes || addr - al->addr > al->bytes - bytes) {
		al = device_around(dev, addr, bytes);
		*last = al ? (uint32_t)(al - dev->alloc) : *last;
	}
	return al;
}

/* The allocation of the addresses of lanes `exec`, which are from low to high. */
static const struct allocation *find(const struct access *a, uint32_t exec, uint64_t low, uint64_t high)
{
	const struct device *dev = a->e->dev;
	uint64_t need = high - low + a->m->total;
	const struct allocation *al = allocation_of(dev, &a->m->last, low, need);
	const bool write = !a->m->load || a->m->atomic;

	if (!al || !allocation_allows(al, low, need, write))
		return NULL;
	return al->heap ? given(a, al, exec) : al;
}

/* ---- one element of all lanes ---- */
static void put(uint32_t *d, const uint32_t t[WARP_LANES], uint32_t exec)
{
	if (exec == ALL_LANES) {
		memcpy(d, t, WARP_LANES * sizeof *d);
		return;
	}
	EACH_ACTIVE(l, exec)
	d[l] = t[l];
}

static uint32_t get32(const unsigned char *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}
static uint64_t get64(const unsigned char *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}

static inline uint32_t get_narrow(const unsigned char *p, unsigned bytes, bool sx)
{
	uint16_t h;

	if (bytes == 1)
		return sx ? (uint32_t)(int8_t)*p : *p;
	memcpy(&h, p, 2);
	return sx ? (uint32_t)(int16_t)h : h;
}

static inline __attribute__((always_inline)) void get_all(const struct access *a, const unsigned char *mem,
							  unsigned bytes, bool sx, uint32_t t[WARP_LANES])
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		t[l] = get_narrow(mem + a->at[l], bytes, sx);
}

/* One or two bytes of each lane: a loop for each kind. */
static void get_narrow_lanes(const struct access *a, const unsigned char *mem, uint32_t t[WARP_LANES])
{
	if (a->m->bytes == 1 && a->m->sx)
		get_all(a, mem, 1, true, t);
	else if (a->m->bytes == 1)
		get_all(a, mem, 1, false, t);
	else if (a->m->sx)
		get_all(a, mem, 2, true, t);
	else
		get_all(a, mem, 2, false, t);
}

static void load(const struct access *a, const unsigned char *mem)
{
	const struct xmem *m = a->m;
	uint32_t t[WARP_LANES], hi[WARP_LANES];

	if (m->bytes == 4 && m->vec == 1) {
		uint32_t *d = a->w->reg + m->data[0];

		if (a->f.unit && a->exec == ALL_LANES)
			memcpy(d, mem + a->at[0], sizeof t);
		else
			a->e->lanes->load(mem, a->size, a->at, &a->f, a->exec, d);
		return;
	}
	for (unsigned v = 0; v < m->vec; v++, mem += m->bytes) {
		uint32_t *d = a->w->reg + m->data[v];

		if (m->bytes == 4) {
			a->e->lanes->load(mem, a->size - v * 4, a->at, &a->f, a->exec, d);
		} else if (m->bytes == 8) {
			for (unsigned l = 0; l < WARP_LANES; l++) {
				uint64_t x = get64(mem + a->at[l]);

				t[l] = (uint32_t)x;
				hi[l] = (uint32_t)(x >> 32);
			}
			put(d, t, a->exec);
			put(d + WARP_LANES, hi, a->exec);
		} else {
			get_narrow_lanes(a, mem, t);
			put(d, t, a->exec);
		}
	}
}

static const uint32_t *data(const struct access *a, unsigned v)
{
	uint32_t at = a->m->data[v];

	return (at >> 31 ? a->e->prog.konst : a->w->reg) + (at & INT32_MAX);
}

static void put_element(unsigned char *p, const uint32_t *s, unsigned l, unsigned bytes)
{
	uint64_t x;

	if (bytes == 4)
		memcpy(p, &s[l], 4);
	else if (bytes == 8) {
		x = (uint64_t)s[l + WARP_LANES] << 32 | s[l];
		memcpy(p, &x, 8);
	} else if (bytes == 2) {
		uint16_t h = (uint16_t)s[l];

		memcpy(p, &h, 2);
	} else {
		*p = (unsigned char)s[l];
	}
}

/* Lanes in order; within a lane elements in order: where lanes collide the highest one wins. */
static void store(const struct access *a, unsigned char *mem)
{
	const struct xmem *m = a->m;

	if (m->bytes == 4 && m->vec == 1) {
		const uint32_t *s = data(a, 0);

		if (a->exec == ALL_LANES && a->f.unit)
			memcpy(mem + a->at[0], s, WARP_LANES * sizeof *s);
		else
			EACH_ACTIVE(l, a->exec)
		memcpy(mem + a->at[l], &s[l], 4);
		return;
	}
	EACH_ACTIVE(l, a->exec)
	for (unsigned v = 0; v < m->vec; v++)
		put_element(mem + a->at[l] + v * m->bytes, data(a, v), l, m->bytes);
}

/* ---- local memory ---- */
static unsigned char *local_byte(const struct access *a, unsigned l, uint64_t offset)
{
	return a->w->local + ((offset / 4 * WARP_LANES + l) * 4 + offset % 4);
}

static void local(const struct access *a)
{
	const struct xmem *m = a->m;

	for (unsigned v = 0; v < m->vec; v++) {
		uint32_t *d = m->load ? a->w->reg + m->data[v] : NULL;
		const uint32_t *s = m->load ? NULL : data(a, v);

		for (unsigned o = 0; o < m->bytes; o += 4) {
			uint64_t at = a->at[0] + v * m->bytes + o;
			unsigned half = o / 4 * WARP_LANES;

			if (a->f.low == a->f.high && m->bytes >= 4) { /* a row */
				uint32_t *row = (uint32_t *)(void *)local_byte(a, 0, at);

				put(m->load ? d + half : row, m->load ? row : s + half, a->exec);
				continue;
			}
			EACH_ACTIVE(l, a->exec)
			{
				unsigned char *p = local_byte(a, l, a->at[l] + v * m->bytes + o);

				if (m->bytes >= 4 && m->load)
					d[half + l] = get32(p);
				else if (m->load)
					d[l] = get_narrow(p, m->bytes, m->sx);
				else
					put_element(p, s + half, l, m->bytes >= 4 ? 4 : m->bytes);
			}
		}
	}
}

/* ---- records ---- */
/* Lines of the constant banks that lanes at offset[] of space s[] touch. */
static unsigned const_lines(const struct access *a, const uint64_t offset[], const uint8_t s[], uint32_t exec,
			    uint64_t line[])
{
	uint64_t at[WARP_LANES];

	EACH_ACTIVE(l, exec)
	at[l] = CONST_LINES + (in_bank0(a, s[l]) ? 0 : CONST_BANK_BYTES) + offset[l];
	return coalesce_lines(at, exec, a->m->total, line);
}

/* As shared_passes(), from the facts alone where they say enough. */
static unsigned passes_of(const struct access *a)
{
	unsigned parts = a->m->total / 4;

	if (!a->m->atomic && a->m->total <= 4 && a->f.words)
		return a->f.words << 16 | 1; /* words that follow each other are in different banks */
	if (!a->m->atomic && a->f.unit && a->exec == ALL_LANES)
		return WARP_LANES * parts << 16 | parts;
	return shared_passes(a->at, a->exec, a->m->total, a->m->atomic) |
	       (a->m->load && !a->m->atomic ? merged_passes(a->at, a->exec, a->m->total) : 0);
}

/* An access of all lanes to shared memory or to one constant bank. */
static void note_passes(const struct access *a, enum space s)
{
	struct engine *e = a->e;
	unsigned pass;
	if (s == SP_SHARED)
		pass = passes_of(a);
	else
		pass = a->f.low == a->f.high ? 1 : const_passes(a->at, a->exec);

	e->nline = 0;
	if (s != SP_SHARED && a->f.low / CONST_LINE_BYTES != a->f.high / CONST_LINE_BYTES) {
		uint8_t space[WARP_LANES];

		memset(space, (int)s, sizeof space);
		e->nline = const_lines(a, a->at, space, a->exec, e->line);
	}
	e->line[e->nline++] =
		memory_pass_word(s != SP_SHARED && in_bank0(a, s) ? SP_PARAM : s, a->at[__builtin_ctz(a->exec)], pass);
}

/* ---- lanes in different places ---- */
/* Host memory of one lane's access in a space; at[] becomes its offset there. NULL: a fault, reported. */
static unsigned char *resolve_lane(struct access *a, unsigned l, enum space s)
{
	const struct allocation *al;
	unsigned char *mem;
	uint64_t size, at;

	if (s == SP_GLOBAL) {
		al = find(a, 1u << l, a->at[l], a->at[l]);
		if (!al) {
			fault(a, l, s, a->at[l]);
			return NULL;
		}
		a->at[l] -= al->addr;
		return al->host;
	}
	at = a->at[l];
	if (s == SP_LOCAL) {
		size = a->e->local_bytes;
		mem = a->w->local;
	} else {
		mem = space_memory(a, s, &size);
		if (s == SP_SHARED)
			mem = cluster_shared(a->e, a->c, &a->at[l]);
	}
	if (!mem || size < a->m->total || a->at[l] > size - a->m->total) {
		fault(a, l, s, at);
		return NULL;
	}
	return mem;
}

static void one_lane(struct access *a, unsigned l, unsigned char *mem, enum space s)
{
	struct access one = *a;

	one.exec = 1u << l;
	for (unsigned i = 0; i < WARP_LANES; i++)
		one.at[i] = a->at[l];
	one.f = (struct addr_facts){ .low = a->at[l], .high = a->at[l], .words = 1 };
	one.size = a->at[l] + a->m->total;
	if (s == SP_LOCAL)
		local(&one);
	else if (a->m->load)
		load(&one, mem);
	else
		store(&one, mem);
}

static bool scattered(struct access *a)
{
	struct engine *e = a->e;
	uint32_t global = 0, in_local = 0, in_shared = 0, in_const = 0;
	uint64_t origin[WARP_LANES], first = 0;
	unsigned char *mem[WARP_LANES];
	uint8_t space[WARP_LANES];
	unsigned pass = 0;

	memcpy(origin, a->at, sizeof origin);
	EACH_ACTIVE(l, a->exec)
	{
		enum space s = a->m->space == SP_GENERIC ? window_of(a->at[l]) : (enum space)a->m->space;

		if (a->at[l] % a->m->total || s == SP_NONE ||
		    (s == SP_SHARED && a->m->space == SP_GENERIC && a->at[l] >= CLUSTER_WINDOW &&
		     a->e->cluster_ctas == 1))
			return fault(a, l, SP_GENERIC, a->at[l]);
		if (a->m->space == SP_GENERIC)
			a->at[l] -= space_window(s);
		if ((a->m->atomic && s != SP_GLOBAL && s != SP_SHARED) ||
		    (!a->m->load && (s == SP_CONST || s == SP_PARAM)) ||
		    (s == SP_LOCAL && a->m->total > LOCAL_ACCESS_MAX))
			return fault_in(e, FAULT_SPACE, a->c, a->w, insn_of(a->e, a->x), l,
					"address 0x%llx is in a space that does not allow this",
					(unsigned long long)origin[l]);
		if (s != SP_GLOBAL)
			origin[l] = a->at[l];
		space[l] = (uint8_t)s;
		mem[l] = resolve_lane(a, l, s);
		if (!mem[l])
			return false;
		if (s == SP_GLOBAL)
			global |= 1u << l;
		else if (s == SP_LOCAL)
			in_local |= 1u << l;
		else if (s == SP_SHARED)
			in_shared |= 1u << l;
		else
			in_const |= 1u << l;
	}
	if (e->recording) {
		e->nline = global ? coalesce_lines(origin, global, a->m->total, e->line) : 0;
		if (in_local)
			e->nline += coalesce_local(warp_local_base(e, a->c, a->w), origin, in_local, a->m->total,
						   e->line + e->nline);
		if (in_const)
			e->nline += const_lines(a, origin, space, in_const, e->line + e->nline);
		if (in_shared | in_const) {
			pass = in_shared ? shared_passes(origin, in_shared, a->m->total, a->m->atomic) : 0;
			pass += in_const ? const_passes(origin, in_const) : 0;
			if (in_shared && !in_const && a->m->load && !a->m->atomic)
				pass |= merged_passes(origin, in_shared, a->m->total);
			first = origin[__builtin_ctz(in_shared ? in_shared : in_const)];
			e->line[e->nline++] = memory_pass_word(in_shared ? SP_SHARED : SP_CONST, first, pass);
		}
	}
	if (a->m->atomic) {
		EACH_ACTIVE(l, a->exec)
		mem[l] += a->at[l];
		if (a->m->mbarrier)
			return mbarrier_execute(e, a->c, a->w, a->x, a->exec, global, mem);
		a->w->atoms_changed = a->x->fn.atom(a->x, a->w->reg, e->prog.konst, a->exec, global, mem);
		return true;
	}
	EACH_ACTIVE(l, a->exec)
	one_lane(a, l, mem[l], space[l]);
	return true;
}

/* Words that lie at one place, or one behind the other for all lanes, from mem on: the most common loads. False: they
 * do not. */
static bool easy_load(const struct access *a, const unsigned char *mem)
{
	uint32_t *d = a->w->reg + a->m->data[0], v;

	if (!a->m->load || a->m->atomic || a->m->bytes != 4 || a->m->vec != 1)
		return false;
	if (a->f.unit && a->exec == ALL_LANES) {
		memcpy(d, mem, WARP_LANES * sizeof *d);
		return true;
	}
	if (a->f.low != a->f.high)
		return false;
	v = get32(mem);
	if (a->exec == ALL_LANES)
		for (unsigned l = 0; l < WARP_LANES; l++)
			d[l] = v;
	else
		EACH_ACTIVE(l, a->exec)
	d[l] = v;
	return true;
}

static void move_to(struct access *a, uint64_t base)
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		a->at[l] -= base;
	a->f.low -= base;
	a->f.high -= base;
}

/* Addresses of machine code as the engine's. */
static void of_engine(struct access *a, enum space s)
{
	if (a->f.high < (s == SP_GENERIC ? NATIVE_SHARED_WINDOW : (uint64_t)1 << NATIVE_RANK_SHIFT) ||
	    (s != SP_GENERIC && s != SP_SHARED))
		return;
	if (a->f.low >> NATIVE_RANK_SHIFT == a->f.high >> NATIVE_RANK_SHIFT) {
		move_to(a, a->f.low - from_native(a->e, a->c, s, a->f.low));
		return;
	}
	a->f = (struct addr_facts){ .low = UINT64_MAX, .bits = a->f.bits };
	EACH_ACTIVE(l, a->exec)
	{
		a->at[l] = from_native(a->e, a->c, s, a->at[l]);
		a->f.low = a->at[l] < a->f.low ? a->at[l] : a->f.low;
		a->f.high = a->at[l] > a->f.high ? a->at[l] : a->f.high;
	}
}

bool memory_access(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	struct access a;
	struct xmem *m = &e->prog.mem[x->target];
	const struct allocation *al;
	enum space s = m->space;
	unsigned char *mem = NULL;

	a.e = e;
	a.c = c;
	a.w = w;
	a.x = x;
	a.m = m;
	a.exec = exec;
	e->lanes->addr((m->address < 0 ? e->prog.konst : w->reg) + (m->address & INT32_MAX), m->wide, m->offset, exec,
		       m->total, a.at, &a.f);
	if (e->k->native)
		of_engine(&a, s);
	if (s == SP_GENERIC) {
		s = window_of(a.f.low);
		if (s == SP_NONE || s != window_of(a.f.high))
			return scattered(&a);
		if (s != SP_GLOBAL && (m->atomic ? s != SP_SHARED : !m->load && s != SP_SHARED && s != SP_LOCAL))
			return scattered(&a);
		if ((s == SP_LOCAL && m->total > LOCAL_ACCESS_MAX) || (s == SP_SHARED && a.f.high >= CLUSTER_WINDOW))
			return scattered(&a);
		if (s != SP_GLOBAL)
			move_to(&a, space_window(s));
	}
	if (a.f.bits & (m->total - 1u)) {
		EACH_ACTIVE(l, exec)
		if (a.at[l] & (m->total - 1u))
			return fault(&a, l, s, a.at[l]);
	}
	if (s == SP_GLOBAL) {
		al = find(&a, exec, a.f.low, a.f.high);
		if (!al)
			return scattered(&a);
		if (e->recording) {
			if (a.f.low == a.f.high)
				e->nline = coalesce_span(a.f.low, m->total, e->line);
			else
				e->nline = a.f.unit && exec == ALL_LANES
						   ? coalesce_span(a.f.low, m->total * WARP_LANES, e->line)
						   : coalesce_lines(a.at, exec, m->total, e->line);
		}
		if (easy_load(&a, al->host + (a.f.low - al->addr)))
			return true;
		move_to(&a, al->addr);
		mem = al->host;
		a.size = al->bytes;
	} else {
		if (s == SP_LOCAL)
			a.size = e->local_bytes;
		else
			mem = space_memory(&a, s, &a.size);
		if (s == SP_SHARED && a.f.high >= CLUSTER_OFFSET && e->cluster_ctas > 1)
			return scattered(&a);
		if (a.size < m->total || a.f.high > a.size - m->total) {
			EACH_ACTIVE(l, exec)
			if (a.size < m->total || a.at[l] > a.size - m->total)
				return fault(&a, l, s, a.at[l]);
		}
		for (unsigned l = 0; w->controls && s == SP_SHARED && l < WARP_LANES; l++)
			if (exec >> l & 1 && !controls_shared(e, c, w, insn_of(e, x), l, a.at[l], m->total))
				return false;
		if (unknown_constant(&a, s))
			return fault_in(e, FAULT_ILLEGAL, c, w, insn_of(e, x), WARP_LANES,
					"reads constant bank 0 where nobody knows what stands there");
		if (e->recording) {
			if (s == SP_LOCAL)
				e->nline = coalesce_local(warp_local_base(e, c, w), a.at, exec, m->total, e->line);
			else
				note_passes(&a, s);
		}
		if (s != SP_LOCAL && easy_load(&a, mem + a.f.low))
			return true;
	}
	if (m->atomic) {
		unsigned char *at[WARP_LANES];

		for (unsigned l = 0; l < WARP_LANES; l++)
			at[l] = mem + a.at[l];
		if (m->mbarrier)
			return mbarrier_execute(e, c, w, x, exec, s == SP_GLOBAL ? exec : 0, at);
		w->atoms_changed = x->fn.atom(x, w->reg, e->prog.konst, exec, s == SP_GLOBAL ? exec : 0, at);
	} else if (s == SP_LOCAL) {
		local(&a);
	} else if (m->load) {
		load(&a, mem);
	} else {
		store(&a, mem);
	}
	return true;
}

enum space memory_space(enum space s, uint64_t addr)
{
	if (s != SP_GENERIC)
		return s;
	return addr >> 32 == NATIVE_SHARED_WINDOW >> 32 ? SP_SHARED : window_of(addr);
}

/* An address in its own space. */
static uint64_t address_in(enum space given, enum space s, uint64_t addr)
{
	return given == SP_GENERIC && s != SP_GLOBAL && s != SP_NONE ? addr - space_window(s) : addr;
}

unsigned char *memory_byte(const struct engine *e, const struct cta *c, const struct warp *w, enum space given,
			   unsigned lane, uint64_t addr, unsigned *n)
{
	const enum space s = memory_space(given, addr);
	const uint64_t own = e->k->native ? from_native(e, c, given, addr) : addr;
	uint64_t at = address_in(given, s, own), size = 0;
	unsigned char *mem = NULL;

	if (s == SP_GLOBAL) {
		const struct allocation *al = device_holding(e->dev, addr, 1);

		if (al) {
			mem = al->host;
			size = al->bytes;
			at -= al->addr;
			if (al->granule) /* no further than its granule */
				size = size < at / GRANULE_BYTES * GRANULE_BYTES + GRANULE_BYTES
					       ? size
					       : at / GRANULE_BYTES * GRANULE_BYTES + GRANULE_BYTES;
		}
	} else if (s == SP_SHARED) {
		mem = cluster_shared(e, c, &at);
		size = mem ? e->shared_bytes : 0;
	} else if (s == SP_LOCAL && at < e->local_bytes) { /* interleaved by word */
		*n = 4 - (unsigned)(at % 4);
		return w->local + (at / 4 * WARP_LANES + lane) * 4 + at % 4;
	} else if (s == SP_PARAM) {
		mem = e->bank0;
		size = e->bank0_bytes;
	} else if (s == SP_CONST) {
		mem = e->mod->bank3;
		size = e->mod->bank3_bytes;
	}
	if (at >= size)
		return NULL;
	*n = size - at < UINT32_MAX ? (unsigned)(size - at) : UINT32_MAX;
	return mem + at;
}

enum reach memory_place(struct engine *e, struct cta *c, enum space given, uint64_t addr, unsigned bytes, bool write,
			struct memory_place *p)
{
	const enum space s = memory_space(given, addr);
	const uint64_t own = e->k->native ? from_native(e, c, given, addr) : addr;
	uint64_t size = e->local_bytes;
	const struct allocation *al = p->al;
	uint32_t rank;

	*p = (struct memory_place){ .space = s, .owner = c, .at = address_in(given, s, own) };
	if (s == SP_GLOBAL || s == SP_NONE) {
		if (!al || al->heap || addr < al->addr || addr - al->addr > al->bytes ||
		    bytes > al->bytes - (addr - al->addr))
			al = device_holding(e->dev, addr, bytes);
		if (!al || !allocation_allows(al, addr, bytes, write))
			return PLACE_OUTSIDE;
		p->al = &e->dev->alloc[al - e->dev->alloc];
		p->at = addr - al->addr;
		p->host = al->host + p->at;
		return PLACE_INSIDE;
	}
	if (s != SP_SHARED && s != SP_LOCAL)
		return PLACE_OTHER;
	if (s == SP_SHARED && p->at >= CLUSTER_OFFSET && e->cluster_ctas > 1) {
		if (!cluster_peer(e, c, p->at, &rank))
			return PLACE_OTHER;
		p->owner = cluster_first(e, c) + rank;
		p->at = (p->at - CLUSTER_OFFSET) % CLUSTER_BYTES;
	}
	size = s == SP_SHARED ? e->shared_bytes : size;
	if (p->at > size || bytes > size - p->at)
		return PLACE_OUTSIDE;
	p->host = s == SP_SHARED ? p->owner->shared + p->at : NULL;
	return PLACE_INSIDE;
}

unsigned char *memory_global(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane,
			     uint64_t addr, unsigned bytes, unsigned piece, bool write)
{
	const struct allocation *al = allocation_of(e->dev, &e->last_global, addr, bytes);
	const unsigned all = bytes;
	unsigned char *nowhere;

	if (addr % piece == 0 && al && (!al->heap || heap_holds(e->dev, addr, bytes)) &&
	    allocation_allows(al, addr, bytes, write)) {
		if (e->sanitizing)
			sanitize_span(e, c, w, insn, lane, SP_GLOBAL, addr, bytes, write);
		return al->host + (addr - al->addr);
	}
	for (; addr % piece == 0 && bytes > piece && (al = device_holding(e->dev, addr, piece)) &&
	       allocation_allows(al, addr, piece, write);
	     bytes -= piece)
		addr += piece;
	nowhere = e->sanitizing ? sanitize_outside(e, c, w, insn, lane, SP_GLOBAL, addr, piece, all) : NULL;
	if (!nowhere)
		fault_address(e, c, w, insn, lane, SP_GLOBAL, addr, piece);
	return nowhere;
}

bool memory_span(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane, enum space s,
		 uint64_t addr, unsigned bytes, bool write, struct span *out)
{
	const enum space in = memory_space(s, addr);
	const uint64_t own = e->k->native ? from_native(e, c, s, addr) : addr;
	uint64_t at = address_in(s, in, own);
	unsigned char *mem;

	*out = (struct span){ .space = in, .at = at };
	if (in == SP_SHARED) {
		mem = cluster_shared(e, c, &at);
		if (!mem || at > e->shared_bytes || bytes > e->shared_bytes - at) {
			out->host = e->sanitizing ? sanitize_outside(e, c, w, insn, lane, in, out->at / bytes * bytes,
								     bytes, bytes)
						  : NULL;
			return out->host || fault_address(e, c, w, insn, lane, in, out->at / bytes * bytes, bytes);
		}
		out->host = mem + at;
		if (e->sanitizing)
			sanitize_span(e, c, w, insn, lane, in, out->at, bytes, write);
		return true;
	}
	if (in == SP_GLOBAL)
		return (out->host = memory_global(e, c, w, insn, lane, addr, bytes, 1, write)) != NULL;
	return fault_in(e, FAULT_SPACE, c, w, insn, lane, "address 0x%llx is in a space that does not allow this",
			(unsigned long long)addr);
}
