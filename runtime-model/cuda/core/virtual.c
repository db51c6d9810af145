/* Reserved ranges of addresses, memory without an address, and mappings.
 *
 * All memory without an address lies in one file without a name, of which each has a piece of its own, never used
 * again; when it goes, its pages do. What other processes may be given has a file of its own. Reserved addresses have a
 * mirror on the host, as long as the device's range if that can be, where nothing may be touched but what is mapped:
 * there the piece of the file is. So what is mapped twice is one memory, and neighbours are neighbours on the host too,
 * for copies across them. Which parts may be accessed is the engine's to know (device_set_granules). */
#include "runtime-model/cuda/core/virtual.h"

#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/ram.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };
_Static_assert((int)CU_GRANULE == (int)GRANULE_BYTES, "as the engine knows them");

/* memory without an address */
struct physical {
	struct physical *next;
	uint64_t bytes, offset, id; /* in the file */
	struct own file;            /* that its bytes lie in */
	bool alone;                 /* nothing else does: others may be given the file */
	bool imported;              /* the memory is another process's, or counted with another handle */
	uint32_t refs, mappings;
	struct cu_memory_props props;
};
struct mapping {
	uint64_t addr, bytes;
	struct physical *p;
	int access;
};
struct virtual
{
	struct own file; /* that new memory lies in */
	uint64_t file_bytes;
	unsigned char *mirror;     /* of process.base; NULL: nothing was reserved yet */
	uint64_t mirror_bytes;     /* under a limit of addresses, less than the device's range */
	struct physical *physical; /* those with neither reference nor mapping are unused */
	struct mapping *map;
	uint32_t nmap, map_cap; /* by address */
};

static struct virtual *state(void)
{
	struct process *p = &process;

	if (!p->virtual) {
		p->virtual = new(&p->a, struct virtual);
		p->virtual->file.fd = -1;
	}
	return p->virtual;
}

static unsigned char *mirror_of(const struct virtual *v, uint64_t addr) { return v->mirror + (addr - process.base); }

/* Nothing may be touched there any more; it can be, where the system has no room for one more mapping. */
static void close_mirror(const struct virtual *v, uint64_t addr, uint64_t bytes)
{
	(void)mmap(mirror_of(v, addr), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		   0);
}

/* The first mapping that ends above addr. */
static uint32_t first_above(const struct virtual *v, uint64_t addr)
{
	uint32_t lo = 0, hi = v->nmap;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v->map[mid].addr + v->map[mid].bytes <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct mapping *mapping_at(uint64_t addr)
{
	struct virtual *v = state();
	uint32_t i = first_above(v, addr);

	return i < v->nmap && v->map[i].addr <= addr ? &v->map[i] : NULL;
}

/* The mappings that [addr, addr + bytes) is made of: *first and how many; 0: it is not made of whole ones, or has
 * gaps. */
static uint32_t whole(const struct virtual *v, uint64_t addr, uint64_t bytes, uint32_t *first)
{
	uint64_t at = addr;
	uint32_t i = *first = first_above(v, addr);

	while (i < v->nmap && v->map[i].addr == at && at - addr < bytes)
		at += v->map[i++].bytes;
	return at - addr == bytes ? i - *first : 0;
}

static enum cu_status refuse(enum cu_status s, const char *why, uint64_t addr, uint64_t bytes)
{
	explain(REASON_VIRTUAL, "%llu bytes at 0x%llx: %s", (unsigned long long)bytes, (unsigned long long)addr, why);
	return leave(s);
}

/* ---- addresses ---- */
static bool open_mirror(struct virtual *v)
{
	void *at;

	if (v->mirror)
		return true;
	for (v->mirror_bytes = process.bytes; v->mirror_bytes >= CU_GRANULE; v->mirror_bytes /= 2) {
		at = mmap(NULL, v->mirror_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (at != MAP_FAILED) {
			v->mirror = at;
			return true;
		}
	}
	return false;
}

enum cu_status cu_reserve(uint64_t *addr, uint64_t bytes, uint64_t align, uint64_t hint)
{
	struct process *p = &process;
	struct allocation_row r = { .kind = CU_RESERVED, .bytes = bytes };
	enum cu_status s = enter();
	struct virtual *v;

	if (s)
		return s;
	if (!addr || !bytes || bytes % PAGE || hint % PAGE || (align & (align - 1)))
		return leave(CU_INVALID_VALUE);
	v = state();
	align = align > CU_GRANULE ? align : CU_GRANULE;
	if (!open_mirror(v) || bytes > v->mirror_bytes)
		return refuse(CU_OUT_OF_MEMORY, "there is no room for so many addresses", 0, bytes);
	if (hint % align == 0 && hint >= p->base && hint - p->base <= v->mirror_bytes - bytes &&
	    device_reserve(p->dev, memory_kind(r.kind), hint, bytes, mirror_of(v, hint))) {
		r.addr = hint;
	} else {
		if (p->d.last)
			last_error();
		r.addr = device_place(p->dev, bytes, align);
		if (!r.addr || r.addr - p->base > v->mirror_bytes - bytes)
			return refuse(CU_OUT_OF_MEMORY, "there is no room for so many addresses", 0, bytes);
		if (!device_reserve(p->dev, memory_kind(r.kind), r.addr, bytes, mirror_of(v, r.addr))) {
			last_error();
			return leave(CU_OUT_OF_MEMORY);
		}
	}
	r.host = mirror_of(v, r.addr);
	r.id = ++p->ids;
	r.by = host_caller();
	row_insert(r);
	*addr = r.addr;
	return leave(CU_OK);
}

enum cu_status cu_unreserve(uint64_t addr, uint64_t bytes)
{
	enum cu_status s = enter();
	struct allocation_row *r;
	struct virtual *v;
	uint32_t i;

	if (s)
		return s;
	r = row_find(addr);
	if (!r || r->kind != CU_RESERVED || r->addr != addr || r->bytes != bytes)
		return refuse(CU_INVALID_VALUE, "these are not addresses as they were reserved", addr, bytes);
	v = state();
	i = first_above(v, addr);
	if (i < v->nmap && v->map[i].addr < addr + bytes)
		return refuse(CU_INVALID_VALUE, "memory is mapped there still", addr, bytes);
	row_remove(r);
	return leave(CU_OK);
}

/* ---- memory ---- */
static const char closed[] = "the program has closed the file that this memory lies in";

static struct physical *physical_of(uint64_t handle)
{
	struct physical *x = state()->physical;

	while (x && (uint64_t)(uintptr_t)x != handle)
		x = x->next;
	return x && x->refs ? x : NULL;
}

enum cu_status cu_memory_props_check(const struct cu_memory_props *p)
{
	if (!p || p->at.kind <= 0)
		return CU_INVALID_VALUE;
	if (p->at.kind == CU_AT_DEVICE && p->at.id)
		return CU_INVALID_DEVICE;
	if (p->kind == CU_KIND_MANAGED || p->at.kind != CU_AT_DEVICE || p->handles & ~CU_HANDLE_FILE || p->flags.usage)
		return CU_NOT_SUPPORTED;
	return p->kind == CU_KIND_PINNED ? CU_OK : CU_INVALID_VALUE;
}

/* One that is unused, as x says. */
static uint64_t physical_new(struct physical *x)
{
	struct virtual *v = state();
	struct physical *p = v->physical;

	while (p && (p->refs || p->mappings))
		p = p->next;
	if (!p) {
		p = new(&process.a, struct physical);
		p->next = v->physical;
		v->physical = p;
	}
	x->next = p->next;
	x->id = ++process.ids;
	x->refs = 1;
	*p = *x;
	p->props.flags.compression = 0; /* asked for, it is not given */
	return (uint64_t)(uintptr_t)p;
}

static bool own_file(struct physical *x)
{
	own_set(&x->file, file_new(FILE_MEMORY));
	x->alone = true;
	if (x->file.fd >= 0 && ftruncate(x->file.fd, (off_t)x->bytes) == 0)
		return true;
	if (x->file.fd >= 0)
		close(x->file.fd);
	return false;
}

/* At the end of the file of all; a program that closes all it does not know has closed the last one. */
static bool common_file(struct physical *x)
{
	struct virtual *v = state();

	if (!own_is(&v->file)) {
		own_set(&v->file, file_new(FILE_DEVICE));
		v->file_bytes = 0;
	}
	if (v->file.fd < 0 || ftruncate(v->file.fd, (off_t)(v->file_bytes + x->bytes)) != 0)
		return false;
	x->file = v->file;
	x->offset = v->file_bytes;
	v->file_bytes += x->bytes;
	return true;
}

enum cu_status cu_memory_create(uint64_t *handle, uint64_t bytes, const struct cu_memory_props *props)
{
	struct process *p = &process;
	struct physical x = { .bytes = bytes };
	enum cu_status s = enter();
	char why[RAM_TEXT];
	bool made, files;

	if (s)
		return s;
	s = cu_memory_props_check(props);
	if (s)
		return leave(s);
	if (!handle || !bytes || bytes % CU_GRANULE)
		return refuse(CU_INVALID_VALUE,
			      "memory is made in multiples of what cuMemGetAllocationGranularity says", 0, bytes);
	if (!ram_count(bytes))
		return refuse(CU_OUT_OF_MEMORY, ram_why(why), 0, bytes);
	errno = 0;
	made = bytes <= p->device.memory - p->used && (props->handles ? own_file(&x) : common_file(&x));
	if (!made) {
		files = errno == EMFILE || errno == ENFILE;
		ram_uncount(bytes);
		if (files)
			return refuse(CU_OPERATING_SYSTEM,
				      "too many files are open, and memory that has a type of handles has one of its "
				      "own",
				      0, bytes);
		return refuse(CU_OUT_OF_MEMORY,
			      "there is no room for so much memory; --memory N gives the device N MiB", 0, bytes);
	}
	x.props = *props;
	p->used += bytes;
	*handle = physical_new(&x);
	return leave(CU_OK);
}

enum cu_status cu_memory_export(int *file, uint64_t handle)
{
	enum cu_status s = enter();
	const struct physical *x;

	if (s)
		return s;
	x = physical_of(handle);
	if (!file || !x || !x->alone)
		return leave(CU_INVALID_VALUE);
	if (!own_give(&x->file, file))
		return refuse(CU_OPERATING_SYSTEM, closed, 0, x->bytes);
	return leave(CU_OK);
}

enum cu_status cu_memory_import(uint64_t *handle, int file)
{
	struct physical x = { .alone = true,
			      .imported = true,
			      .props = {
				      .kind = CU_KIND_PINNED, .handles = CU_HANDLE_FILE, .at = { CU_AT_DEVICE, 0 } } };
	enum cu_status s = enter();
	struct stat of;

	if (s)
		return s;
	if (!handle || !is_file_of(file, FILE_MEMORY) || fstat(file, &of) != 0 || !of.st_size ||
	    of.st_size % CU_GRANULE)
		return leave(CU_INVALID_VALUE);
	x.bytes = (uint64_t)of.st_size;
	own_set(&x.file, fcntl(file, F_DUPFD_CLOEXEC, 0));
	if (x.file.fd < 0)
		return leave(CU_OPERATING_SYSTEM);
	*handle = physical_new(&x);
	return leave(CU_OK);
}

static void physical_end(struct physical *x)
{
	if (x->refs || x->mappings)
		return;
	if (!x->imported) {
		process.used -= x->bytes;
		ram_uncount(x->bytes);
	}
	if (!own_is(&x->file))
		return;
	if (x->alone)
		close(x->file.fd);
	else
		fallocate(x->file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)x->offset, (off_t)x->bytes);
}

enum cu_status cu_memory_release(uint64_t handle)
{
	enum cu_status s = enter();
	struct physical *x;

	if (s)
		return s;
	x = physical_of(handle);
	if (!x)
		return leave(CU_INVALID_VALUE);
	x->refs--;
	physical_end(x);
	return leave(CU_OK);
}

enum cu_status cu_memory_retain(uint64_t *handle, uint64_t addr)
{
	enum cu_status s = enter();
	struct mapping *m;

	if (s)
		return s;
	m = mapping_at(addr);
	if (!handle || !m)
		return leave(CU_INVALID_VALUE);
	m->p->refs++;
	*handle = (uint64_t)(uintptr_t)m->p;
	return leave(CU_OK);
}

enum cu_status cu_memory_props(struct cu_memory_props *p, uint64_t handle)
{
	enum cu_status s = enter();
	const struct physical *x;

	if (s)
		return s;
	x = physical_of(handle);
	if (!p || !x)
		return leave(CU_INVALID_VALUE);
	*p = x->props;
	return leave(CU_OK);
}

/* ---- mappings ---- */
enum cu_status cu_map(uint64_t addr, uint64_t bytes, uint64_t offset, uint64_t handle)
{
	enum cu_status s = enter();
	const struct allocation_row *r;
	struct physical *x;
	struct virtual *v;
	uint32_t i;

	if (s)
		return s;
	x = physical_of(handle);
	if (!x)
		return leave(CU_INVALID_VALUE);
	if (!bytes || addr % CU_GRANULE || bytes % CU_GRANULE || offset)
		return refuse(CU_INVALID_VALUE,
			      "addresses and sizes of mappings are multiples of what cuMemGetAllocationGranularity "
			      "says, their offset is 0",
			      addr, bytes);
	if (bytes > x->bytes)
		return refuse(CU_INVALID_VALUE, "the memory that is mapped is smaller", addr, bytes);
	r = row_find(addr);
	if (!r || r->kind != CU_RESERVED || bytes > r->bytes - (addr - r->addr))
		return refuse(CU_INVALID_VALUE, "these addresses are not reserved", addr, bytes);
	v = state();
	i = first_above(v, addr);
	if (i < v->nmap && v->map[i].addr < addr + bytes)
		return refuse(CU_INVALID_VALUE, "memory is mapped there already", addr, bytes);
	if (!own_is(&x->file))
		return refuse(CU_OPERATING_SYSTEM, closed, addr, bytes);
	if (mmap(mirror_of(v, addr), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, x->file.fd,
		 (off_t)x->offset) == MAP_FAILED) {
		close_mirror(v, addr, bytes);
		return refuse(CU_OUT_OF_MEMORY, "this machine cannot map it", addr, bytes);
	}
	arena_grow(&process.a, v->map, v->nmap, v->map_cap);
	memmove(v->map + i + 1, v->map + i, (v->nmap++ - i) * sizeof *v->map);
	v->map[i] = (struct mapping){ addr, bytes, x, CU_ACCESS_NONE };
	x->mappings++;
	device_set_granules(process.dev, addr, bytes, GRANULE_CLOSED);
	if (x->alone)
		device_share(process.dev, r->addr);
	return leave(CU_OK);
}

enum cu_status cu_unmap(uint64_t addr, uint64_t bytes)
{
	enum cu_status s = enter();
	struct virtual *v;
	uint32_t n, first;

	if (s)
		return s;
	v = state();
	n = whole(v, addr, bytes, &first);
	if (!n)
		return refuse(CU_INVALID_VALUE, "these are no whole mappings, or there are gaps", addr, bytes);
	for (uint32_t i = first; i < first + n; i++) {
		device_set_granules(process.dev, v->map[i].addr, v->map[i].bytes, GRANULE_NONE);
		v->map[i].p->mappings--;
		physical_end(v->map[i].p);
	}
	close_mirror(v, addr, bytes);
	memmove(v->map + first, v->map + first + n, (v->nmap - first - n) * sizeof *v->map);
	v->nmap -= n;
	stream_wait_host(NULL);
	return leave(CU_OK);
}

enum cu_status cu_protect(uint64_t addr, uint64_t bytes, const struct cu_access *access, size_t n)
{
	static const enum granule part[] = {
		[CU_ACCESS_NONE] = GRANULE_CLOSED, [CU_ACCESS_READ] = GRANULE_READ, [CU_ACCESS_BOTH] = GRANULE_OPEN
	};
	enum cu_status s = enter();
	struct virtual *v;
	uint32_t count, first;

	if (s)
		return s;
	if (!access || !n)
		return leave(CU_INVALID_VALUE);
	for (size_t i = 0; i < n; i++) {
		if (access[i].at.kind != CU_AT_DEVICE)
			return leave(access[i].at.kind > 0 ? CU_NOT_SUPPORTED : CU_INVALID_VALUE);
		if (access[i].at.id)
			return leave(CU_INVALID_DEVICE);
		if (access[i].flags != CU_ACCESS_NONE && access[i].flags != CU_ACCESS_READ &&
		    access[i].flags != CU_ACCESS_BOTH)
			return leave(CU_INVALID_VALUE);
	}
	v = state();
	count = whole(v, addr, bytes, &first);
	if (!count)
		return refuse(CU_INVALID_VALUE, "these are no whole mappings, or there are gaps", addr, bytes);
	for (uint32_t i = first; i < first + count; i++) {
		v->map[i].access = access[n - 1].flags;
		device_set_granules(process.dev, v->map[i].addr, v->map[i].bytes, part[access[n - 1].flags]);
	}
	return leave(CU_OK);
}

enum cu_status cu_protection(int *flags, const struct cu_location *at, uint64_t addr)
{
	enum cu_status s = enter();
	const struct mapping *m;

	if (s)
		return s;
	m = mapping_at(addr);
	if (!flags || !at || at->kind <= 0 || !m)
		return leave(CU_INVALID_VALUE);
	if (at->kind == CU_AT_DEVICE && at->id)
		return leave(CU_INVALID_DEVICE);
	*flags = at->kind == CU_AT_DEVICE ? m->access : CU_ACCESS_NONE;
	return leave(CU_OK);
}

bool cu_mapped(struct cu_mapped *out, uint64_t addr)
{
	const struct allocation_row *r;
	const struct mapping *m;

	if (enter_anyway())
		return false;
	r = row_find(addr);
	if (r)
		*out = (struct cu_mapped){ r->addr, r->bytes, r->addr, r->bytes, r->id, CU_ACCESS_BOTH, true };
	if (r && r->kind == CU_RESERVED) {
		m = mapping_at(addr);
		out->at = m ? m->addr : 0;
		out->size = m ? m->bytes : 0;
		out->id = m ? m->p->id : 0;
		out->access = m ? m->access : CU_ACCESS_NONE;
		out->mapped = m != NULL;
	}
	leave(CU_OK);
	return r != NULL;
}

/* ---- for memory.c ---- */
bool virtual_find(uint64_t addr, uint64_t *at, uint64_t *bytes, uint64_t *id)
{
	const struct mapping *m = mapping_at(addr);

	if (m) {
		*at = m->addr;
		*bytes = m->bytes;
		*id = m->p->id;
	}
	return m != NULL;
}

unsigned char *virtual_bytes(uint64_t addr, uint64_t bytes, bool write)
{
	const int need = write ? CU_ACCESS_BOTH : CU_ACCESS_READ;
	struct virtual *v = state();
	uint64_t at = addr;

	for (uint32_t i = first_above(v, addr); at - addr < bytes; i++) {
		if (i == v->nmap || v->map[i].addr > at || (v->map[i].access & need) != need)
			return NULL;
		at = v->map[i].addr + v->map[i].bytes;
	}
	return mirror_of(v, addr);
}

void virtual_reset(void)
{
	struct virtual *v = state();

	for (uint32_t i = 0; i < v->nmap; i++) {
		close_mirror(v, v->map[i].addr, v->map[i].bytes);
		v->map[i].p->mappings = 0;
	}
	v->nmap = 0;
	for (struct physical *x = v->physical; x; x = x->next) {
		const bool there = x->refs || x->mappings;

		x->refs = x->mappings = 0;
		if (there)
			physical_end(x);
	}
}
