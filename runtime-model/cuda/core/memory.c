/* Allocations, copies, fills. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/ram.h"

#include <string.h>
#include <sys/mman.h>

enum { ALIGN_MIN = 256, PAGE = 4096 };

/* ---- the table ---- */
/* The first row that starts above addr. */
static uint32_t above(uint64_t addr)
{
	const struct process *p = &process;
	uint32_t lo = 0, hi = p->nrow;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->row[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct allocation_row *row_find(uint64_t addr)
{
	uint32_t i = above(addr);
	struct allocation_row *r = i ? &process.row[i - 1] : NULL;

	return r && addr - r->addr < r->bytes ? r : NULL;
}

struct allocation_row *row_near(uint64_t addr)
{
	struct process *p = &process;
	uint32_t i = above(addr);
	struct allocation_row *below = i ? &p->row[i - 1] : NULL, *next = i < p->nrow ? &p->row[i] : NULL;

	if (!below || !next)
		return below ? below : next;
	return addr - below->addr < below->bytes || addr - (below->addr + below->bytes) <= next->addr - addr ? below
													     : next;
}

/* Of registered memory, which the device may see elsewhere. */
static struct allocation_row *row_seen(uint64_t host)
{
	struct process *p = &process;

	for (uint32_t i = 0; i < p->nrow; i++) {
		struct allocation_row *r = &p->row[i];

		if (r->kind == CU_REGISTERED && host - (uint64_t)(uintptr_t)r->seen < r->bytes)
			return r;
	}
	return NULL;
}

void row_insert(struct allocation_row r)
{
	struct process *p = &process;
	uint32_t i = above(r.addr);

	arena_grow(&p->a, p->row, p->nrow, p->row_cap);
	memmove(p->row + i + 1, p->row + i, (p->nrow - i) * sizeof *p->row);
	p->row[i] = r;
	p->nrow++;
}

const char *memory_kind(enum cu_memory kind)
{
	static const char *const name[] = {
		"device memory",      "managed memory",           "pinned memory", "registered memory", "an array",
		"reserved addresses", "memory of another process"
	};

	return name[kind];
}

/* Managed and pinned memory: pages of the range that the host may touch. */
static bool open_pages(struct allocation_row *r, bool variable)
{
	struct process *p = &process;
	const uint64_t bytes = (r->bytes + PAGE - 1) / PAGE * PAGE;

	r->addr = (variable ? device_place_apart : device_place)(p->dev, bytes, PAGE);
	if (!r->addr || !ram_count(bytes))
		return false;
	if (mprotect((void *)(uintptr_t)r->addr, bytes, PROT_READ | PROT_WRITE) != 0) {
		ram_uncount(bytes);
		return false;
	}
	r->host = r->seen = (unsigned char *)(uintptr_t)r->addr;
	return device_map(p->dev, memory_kind(r->kind), r->addr, r->bytes, r->host);
}

static void close_pages(const struct allocation_row *r)
{
	const uint64_t bytes = (r->bytes + PAGE - 1) / PAGE * PAGE;

	ram_uncount(bytes);
	madvise(r->seen, bytes, MADV_DONTNEED);
	mprotect(r->seen, bytes, PROT_NONE);
}

/* Of the device alone. */
static bool own_memory(struct allocation_row *r, uint64_t align)
{
	struct process *p = &process;

	if (align <= ALIGN_MIN) {
		r->addr = device_alloc(p->dev, memory_kind(r->kind), r->bytes);
		r->host = r->addr ? device_ptr(p->dev, r->addr, r->bytes) : NULL;
		return r->host != NULL;
	}
	r->host = !ram_count(r->bytes) ? MAP_FAILED
				       : mmap(NULL, r->bytes, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->host == MAP_FAILED)
		return false;
	r->addr = device_place(p->dev, r->bytes, align);
	r->mapped = true;
	if (r->addr && device_map(p->dev, memory_kind(r->kind), r->addr, r->bytes, r->host))
		return true;
	munmap(r->host, r->bytes);
	ram_uncount(r->bytes);
	return false;
}

static enum cu_status add(uint64_t *addr, uint64_t bytes, uint64_t align, enum cu_memory kind, unsigned flags,
			  struct caller by, bool variable)
{
	struct process *p = &process;
	struct allocation_row r = { .bytes = bytes, .kind = kind, .flags = flags, .id = ++p->ids, .by = by };
	const bool on_host = kind == CU_PINNED;
	char reason[RAM_TEXT];

	if (bytes > (on_host ? p->bytes / 4 : p->device.memory - p->used)) {
		explain(REASON_MEMORY,
			"there is no room for %llu bytes of %s: %llu are left; --memory N gives the device N MiB",
			(unsigned long long)bytes, memory_kind(kind),
			(unsigned long long)(on_host ? p->bytes / 4 : p->device.memory - p->used));
		return CU_OUT_OF_MEMORY;
	}
	if (!(kind == CU_MANAGED || kind == CU_PINNED ? open_pages(&r, variable) : own_memory(&r, align))) {
		explain(REASON_MEMORY, "there is no room for %llu bytes of %s: %s", (unsigned long long)bytes,
			memory_kind(kind), ram_why(reason));
		last_error();
		return CU_OUT_OF_MEMORY;
	}
	if (kind == CU_DEVICE)
		device_unwritten(p->dev, r.addr, bytes);
	p->used += on_host ? 0 : bytes;
	row_insert(r);
	*addr = r.addr;
	return CU_OK;
}

enum cu_status row_add(uint64_t *addr, uint64_t bytes, uint64_t align, enum cu_memory kind, unsigned flags,
		       struct caller by)
{
	return add(addr, bytes, align, kind, flags, by, false);
}

enum { FREED_KEPT = 1024 };

const struct freed_row *row_freed(uint64_t addr)
{
	const struct process *p = &process;

	for (uint32_t i = 0; i < p->nfreed && i < FREED_KEPT; i++) {
		const struct freed_row *r = &p->freed[(p->nfreed - 1 - i) % FREED_KEPT];

		if (addr - r->addr < r->bytes)
			return r;
	}
	return NULL;
}

void row_remove(struct allocation_row *r)
{
	struct process *p = &process;
	/* counted by the process that allocated it */
	const bool theirs = r->kind == CU_IMPORTED || (r->pool && r->pool->imported);

	if (!p->freed)
		p->freed = new_array(&p->a, struct freed_row, FREED_KEPT);
	p->freed[p->nfreed++ % FREED_KEPT] = (struct freed_row){ r->addr, r->bytes, r->kind, r->by, host_caller() };
	if (!theirs && (r->kind == CU_DEVICE || r->kind == CU_ARRAY || r->kind == CU_MANAGED))
		p->used -= r->bytes;
	if (r->pool)
		r->pool->used -= r->bytes;
	if (r->mapped || r->seen || r->kind == CU_RESERVED)
		device_unmap(p->dev, r->addr);
	else
		device_release(p->dev, r->addr);
	if (r->piece)
		piece_end(r->piece);
	else if (r->mapped)
		munmap(r->host, r->bytes);
	if (r->mapped && !theirs)
		ram_uncount(r->bytes);
	if (r->kind == CU_MANAGED || r->kind == CU_PINNED)
		close_pages(r);
	if (r - p->row < p->nrow / 2) { /* the shorter part moves */
		memmove(p->row + 1, p->row, (size_t)(r - p->row) * sizeof *r);
		p->row++;
		p->row_cap--;
	} else {
		memmove(r, r + 1, (size_t)(p->row + p->nrow - (r + 1)) * sizeof *r);
	}
	p->nrow--;
}

void memory_reset(void)
{
	while (process.nrow)
		row_remove(&process.row[process.nrow - 1]);
}

/* ---- allocations ---- */
enum cu_status cu_alloc(uint64_t *addr, uint64_t bytes, uint64_t align, enum cu_memory kind, unsigned flags)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!addr || !bytes || (align & (align - 1)) || kind == CU_REGISTERED)
		return leave(CU_INVALID_VALUE);
	return leave(row_add(addr, bytes, align > ALIGN_MIN ? align : ALIGN_MIN, kind, flags, host_caller()));
}

enum cu_status cu_alloc_variable(uint64_t *addr, uint64_t bytes, unsigned flags)
{
	enum cu_status s = enter();

	if (s)
		return s;
	return leave(addr && bytes ? add(addr, bytes, ALIGN_MIN, CU_MANAGED, flags, host_caller(), true)
				   : CU_INVALID_VALUE);
}

static enum cu_status bad_free(uint64_t addr, const struct allocation_row *r, enum cu_memory kind)
{
	const struct freed_row *gone = r ? NULL : row_freed(addr);
	const unsigned long long at = addr;
	struct arena a;

	arena_init(&a);
	if (r)
		explain(REASON_FREE,
			"0x%llx cannot be freed: it is %llu bytes into %s, or freed by another function than allocated "
			"it",
			at, (unsigned long long)(kind == CU_REGISTERED ? 0 : addr - r->addr), memory_kind(r->kind));
	else if (gone && explains(REASON_FREE))
		explain(REASON_FREE, "0x%llx cannot be freed: it was, by %s", at, host_symbol(&gone->freed, &a));
	else if (addr && !gone)
		explain(REASON_FREE, "0x%llx cannot be freed: nothing is allocated there", at);
	arena_free(&a);
	return kind == CU_REGISTERED ? CU_HOST_MEMORY_NOT_REGISTERED : CU_INVALID_VALUE;
}

enum cu_status cu_give_back(uint64_t addr, enum cu_memory kind)
{
	enum cu_status s = enter();
	struct allocation_row *r;

	if (s)
		return s;
	r = kind == CU_REGISTERED ? row_seen(addr) : row_find(addr);
	if (!r || r->kind != kind || addr != (kind == CU_REGISTERED ? (uint64_t)(uintptr_t)r->seen : r->addr))
		return leave(bad_free(addr, r, kind));
	row_remove(r);
	return leave(CU_OK);
}

enum cu_status cu_free(uint64_t addr, enum cu_memory kind)
{
	enum cu_status s = cu_give_back(addr, kind);

	if (s || enter_anyway())
		return s;
	if (kind != CU_REGISTERED)
		stream_wait_host(NULL);
	return leave(CU_OK);
}

enum cu_status cu_register(uint64_t *addr, void *host, uint64_t bytes, unsigned flags)
{
	struct process *p = &process;
	enum cu_status s = enter();
	struct allocation_row r = { .addr = (uint64_t)(uintptr_t)host,
				    .bytes = bytes,
				    .host = host,
				    .seen = host,
				    .kind = CU_REGISTERED,
				    .flags = flags };

	if (s)
		return s;
	if (!host || !bytes || r.addr + bytes < r.addr)
		return leave(CU_INVALID_VALUE);
	for (uint32_t i = 0; i < p->nrow; i++)
		if (p->row[i].seen && r.seen < p->row[i].seen + p->row[i].bytes && p->row[i].seen < r.seen + bytes)
			return leave(CU_HOST_MEMORY_ALREADY_REGISTERED);
	if (r.addr + bytes > p->base && r.addr < p->base + p->bytes)
		return leave(CU_INVALID_VALUE);
	/* Where windows of other memory lie, the device has it elsewhere. */
	if (r.addr < GLOBAL_START)
		r.addr = device_place(p->dev, bytes + 16, ALIGN_MIN) + (r.addr & 15);
	if (!device_map(p->dev, memory_kind(CU_REGISTERED), r.addr, bytes, host)) {
		last_error();
		return leave(CU_OUT_OF_MEMORY);
	}
	r.id = ++p->ids;
	r.by = host_caller();
	row_insert(r);
	if (addr)
		*addr = r.addr;
	return leave(CU_OK);
}

bool cu_find(struct cu_range *out, uint64_t addr)
{
	const struct allocation_row *r;
	bool found = false;

	if (enter_anyway())
		return false;
	r = row_find(addr);
	r = r ? r : row_seen(addr);
	if (r && r->kind == CU_RESERVED) {
		*out = (struct cu_range){ .kind = CU_DEVICE };
		found = virtual_find(addr, &out->addr, &out->bytes, &out->id);
	} else if (r) {
		*out = (struct cu_range){ r->addr, r->bytes, r->seen, r->kind, r->flags, r->id, r->pool };
		found = true;
	}
	leave(CU_OK);
	return found;
}

enum cu_status cu_memory_info(uint64_t *free, uint64_t *total)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (free) {
		const uint64_t device = process.device.memory - process.used, all = ram_left();

		*free = device < all ? device : all;
	}
	if (total)
		*total = process.device.memory;
	return leave(CU_OK);
}

/* ---- copies ---- */
enum where { HOST, DEVICE, EITHER };
/* a side of a copy */
struct place_of {
	unsigned char *at;     /* its first byte */
	uint64_t pitch, slice; /* bytes */
	bool device;           /* its bytes are the device's: over the bus */
	uint64_t addr;         /* of its first byte, there */
};

static enum cu_status resolve(const struct cu_side *side, const struct cu_box *box, enum where want, bool write,
			      struct place_of *out)
{
	const struct allocation_row *r = NULL;
	uint64_t addr = side->addr, pitch = side->pitch, rows = side->rows, bytes = UINT64_MAX, first, span;
	enum cu_status s;

	if (side->array) {
		if (want == HOST)
			return CU_INVALID_VALUE;
		s = array_side(side, &addr, &pitch, &rows, &bytes, &r);
		if (s)
			return s;
	} else {
		r = row_find(addr);
		r = r ? r : row_seen(addr);
	}
	if (!rows)
		rows = box->height + side->y;
	if (!pitch)
		pitch = box->width + side->x;
	if ((box->height > 1 || box->depth > 1) && pitch < box->width)
		return CU_INVALID_PITCH_VALUE;
	if (__builtin_mul_overflow(pitch, rows, &out->slice))
		return CU_INVALID_VALUE;
	out->pitch = pitch;
	if (__builtin_mul_overflow(out->slice, side->z, &first) ||
	    __builtin_mul_overflow(out->slice, box->depth - 1, &span))
		return CU_INVALID_VALUE;
	first += pitch * side->y + side->x;
	span += pitch * (box->height - 1) + box->width;
	if (first > bytes || span > bytes - first) {
		explain(REASON_COPY,
			"a copy of %llu bytes from byte %llu on does not fit an array, or a level of one, of %llu "
			"bytes",
			(unsigned long long)span, (unsigned long long)first, (unsigned long long)bytes);
		return CU_INVALID_VALUE;
	}
	/* a variable of a module */
	if (!r && want != HOST && addr >= process.base && addr - process.base < process.bytes) {
		out->at = device_ptr(process.dev, addr + first, span);
		out->addr = addr + first;
		out->device = true;
		return out->at ? CU_OK : CU_INVALID_VALUE;
	}
	if (!r && (want == DEVICE || (addr >= process.base && addr - process.base < process.bytes)))
		return CU_INVALID_VALUE;
	if (want == HOST && r && !r->seen)
		return CU_INVALID_VALUE;
	out->device = r && (want == DEVICE || !r->seen);
	if (r && r->kind == CU_RESERVED) {
		out->addr = addr + first;
		out->at = virtual_bytes(out->addr, span, write);
		if (!out->at)
			explain(REASON_COPY,
				"a copy or fill of %llu bytes at 0x%llx: not all of it is mapped and may be %s",
				(unsigned long long)span, (unsigned long long)out->addr, write ? "written" : "read");
		return out->at ? CU_OK : CU_INVALID_VALUE;
	}
	if (!r || (want != DEVICE && r->seen && addr - r->addr >= r->bytes)) {
		if (!addr)
			return CU_INVALID_VALUE;
		out->at = (unsigned char *)(uintptr_t)addr + first;
		return CU_OK;
	}
	addr = addr - r->addr < r->bytes ? addr - r->addr : addr - (uint64_t)(uintptr_t)r->seen;
	if (first > r->bytes - addr || span > r->bytes - addr - first) {
		explain(REASON_COPY,
			"a copy or fill of %llu bytes from byte %llu on does not fit %s of %llu bytes at 0x%llx",
			(unsigned long long)span, (unsigned long long)(addr + first), memory_kind(r->kind),
			(unsigned long long)r->bytes, (unsigned long long)r->addr);
		return CU_INVALID_VALUE;
	}
	out->at = r->host + addr + first;
	out->addr = r->addr + addr + first;
	return CU_OK;
}

/* Modelled ns that so many bytes take. */
static uint64_t copy_ns(uint64_t bytes, bool over_bus)
{
	const struct params *m = process.opt.machine;
	double gbs = over_bus ? (double)process.opt.number[CUDA_OPT_COPY]
			      : (double)m->partitions * m->dram_bytes_cycle * m->dram_mhz / 1e3 / 2;

	return (uint64_t)((double)bytes / gbs + 0.5);
}

/* Bytes from `at` on of t are written, with those of f, where these are the device's, or of the host. */
static void note_written(const struct place_of *t, uint64_t at, const struct place_of *f, uint64_t from, uint64_t bytes)
{
	if (t->addr && f && f->addr)
		device_copied(process.dev, t->addr + at, f->addr + from, bytes);
	else if (t->addr)
		device_written(process.dev, t->addr + at, bytes);
}

static enum cu_status copy(const struct cu_side *to, const struct cu_side *from, const struct cu_box *box,
			   enum cu_way way, struct cu_stream *s)
{
	static const enum where source[] = { HOST, HOST, DEVICE, DEVICE, EITHER },
				target[] = { HOST, DEVICE, HOST, DEVICE, EITHER };
	struct place_of t = { .addr = 0 }, f = { .addr = 0 };
	enum cu_status why;

	if (way > CU_BY_ADDRESS)
		return CU_INVALID_MEMCPY_DIRECTION;
	if (!box->width || !box->height || !box->depth)
		return CU_OK;
	why = resolve(to, box, target[way], true, &t);
	why = why ? why : resolve(from, box, source[way], false, &f);
	if (why)
		return why;
	for (uint64_t z = 0; z < box->depth; z++)
		for (uint64_t y = 0; y < box->height; y++) {
			const uint64_t at = z * t.slice + y * t.pitch, of = z * f.slice + y * f.pitch;
			const bool whole = t.pitch == box->width && f.pitch == box->width; /* all rows at once */
			const uint64_t bytes = whole ? box->width * box->height : box->width;

			memmove(t.at + at, f.at + of, bytes);
			note_written(&t, at, &f, of, bytes);
			if (whole)
				break;
		}
	if (t.device && !f.device)
		timed_copied(t.addr, (box->depth - 1) * t.slice + (box->height - 1) * t.pitch + box->width);
	stream_end(s, stream_start(s) + copy_ns(box->width * box->height * box->depth, t.device != f.device));
	return CU_OK;
}

enum cu_status cu_copy(const struct cu_side *to, const struct cu_side *from, const struct cu_box *box, enum cu_way way,
		       struct cu_stream *s)
{
	enum cu_status why = enter();

	if (why)
		return why;
	if (!to || !from || !box)
		return leave(CU_INVALID_VALUE);
	s = stream_of(s);
	if (!s)
		return leave(CU_INVALID_HANDLE);
	flush_prints();
	return leave(copy(to, from, box, way, s));
}

enum cu_status memory_copy(uint64_t to, uint64_t from, uint64_t bytes, struct cu_stream *s)
{
	const struct cu_side t = { .addr = to }, f = { .addr = from };
	const struct cu_box box = { bytes, 1, 1 };

	return copy(&t, &f, &box, CU_DEVICE_TO_DEVICE, s);
}

enum cu_status memory_set(uint64_t addr, uint8_t value, uint64_t bytes, struct cu_stream *s)
{
	const struct cu_side side = { .addr = addr };
	const struct cu_box box = { bytes, 1, 1 };
	struct place_of t = { .addr = 0 };
	const enum cu_status why = bytes ? resolve(&side, &box, DEVICE, true, &t) : CU_OK;

	if (why || !bytes)
		return why;
	note_written(&t, 0, NULL, 0, bytes);
	memset(t.at, value, bytes);
	stream_end(s, stream_start(s) + copy_ns(bytes, false));
	return CU_OK;
}

enum cu_status cu_copy_line(uint64_t to, uint64_t from, uint64_t bytes, enum cu_way way, struct cu_stream *s)
{
	const struct cu_side t = { .addr = to }, f = { .addr = from };
	const struct cu_box box = { bytes, 1, 1 };

	return cu_copy(&t, &f, &box, way, s);
}

enum cu_status cu_fill(uint64_t addr, uint64_t pitch, uint64_t rows, uint32_t value, unsigned element_bytes,
		       const struct cu_box *box, struct cu_stream *s)
{
	const struct cu_side side = { .addr = addr, .pitch = pitch, .rows = rows };
	enum cu_status why = enter();
	struct place_of t = { .addr = 0 };

	if (why)
		return why;
	s = stream_of(s);
	if (!s)
		return leave(CU_INVALID_HANDLE);
	if ((element_bytes != 1 && element_bytes != 2 && element_bytes != 4) || box->width % element_bytes ||
	    addr % element_bytes)
		return leave(CU_INVALID_VALUE);
	if (!box->width || !box->height || !box->depth)
		return leave(CU_OK);
	why = resolve(&side, box, DEVICE, true, &t);
	if (why)
		return leave(why);
	for (uint64_t z = 0; z < box->depth; z++)
		for (uint64_t y = 0; y < box->height; y++) {
			unsigned char *a = t.at + z * t.slice + y * t.pitch;

			note_written(&t, z * t.slice + y * t.pitch, NULL, 0, box->width);
			if (element_bytes == 1)
				memset(a, (int)(value & 255), box->width);
			for (uint64_t i = 0; i < box->width && element_bytes > 1; i += element_bytes)
				memcpy(a + i, &value, element_bytes);
		}
	stream_end(s, stream_start(s) + copy_ns(box->width * box->height * box->depth, false));
	return leave(CU_OK);
}
