/* Memory pools. Work is done when it is issued, so an allocation is there at once and memory that is freed is free; a
 * pool only counts what it has handed out, and holds back nothing: reserved is what is used. */
#include "runtime-model/cuda/core/pool.h"

#include "runtime-model/cuda/core/internal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum attribute {
	REUSE_FOLLOW = 1,
	REUSE_OPPORTUNISTIC,
	REUSE_INTERNAL,
	RELEASE_THRESHOLD,
	RESERVED_NOW,
	RESERVED_HIGH,
	USED_NOW,
	USED_HIGH
};

static bool pool_live(const struct CUmemPoolHandle_st *p)
{
	const struct CUmemPoolHandle_st *q = process.pool;

	while (q && q != p)
		q = q->next;
	return p && (p == &process.first_pool || (q && q->live));
}

static struct CUmemPoolHandle_st *current(void) { return process.pool_now ? process.pool_now : &process.first_pool; }

/* As enter(), of a pool that there is. */
static enum cu_status enter_pool(const struct CUmemPoolHandle_st *p)
{
	enum cu_status s = enter();

	if (s)
		return s;
	return pool_live(p) ? CU_OK : leave(CU_INVALID_VALUE);
}

enum cu_status cu_pool_alloc(uint64_t *addr, uint64_t bytes, struct CUmemPoolHandle_st *pool)
{
	enum cu_status s = pool ? enter_pool(pool) : enter();
	struct allocation_row *row;

	if (s)
		return s;
	pool = pool ? pool : current();
	if (!addr || !bytes || pool->imported)
		return leave(CU_INVALID_VALUE);
	if (pool->most && (bytes > pool->most || pool->used > pool->most - bytes))
		return leave(CU_OUT_OF_MEMORY);
	s = row_add(addr, bytes, 0, CU_DEVICE, 0, host_caller());
	if (s)
		return leave(s);
	row = row_find(*addr);
	row->pool = pool;
	pool->used += bytes;
	if (pool->file && !row_share(row, pool->file)) {
		row_remove(row);
		return leave(CU_OUT_OF_MEMORY);
	}
	pool->high = pool->used > pool->high ? pool->used : pool->high;
	return leave(CU_OK);
}

/* ---- pools ---- */
/* One that was destroyed and has nothing out any more, or a new one. */
static struct CUmemPoolHandle_st *pool_new(uint64_t most, int file)
{
	struct process *p = &process;
	struct CUmemPoolHandle_st *q = p->pool;
	struct shared_file *f = NULL;

	while (q && (q->live || q->used))
		q = q->next;
	if (!q) {
		q = new(&p->a, struct CUmemPoolHandle_st);
		q->next = p->pool;
		p->pool = q;
	}
	if (file >= 0) {
		f = q->file ? q->file : new(&p->a, struct shared_file);
		*f = (struct shared_file){ .bytes = 0 };
		own_set(&f->own, file);
	}
	*q = (struct CUmemPoolHandle_st){ .next = q->next, .live = true, .most = most, .file = f };
	return q;
}

enum cu_status cu_pool_create(struct CUmemPoolHandle_st **out, const struct cu_pool_props *props)
{
	enum cu_status s = enter();
	int file = -1;

	if (s)
		return s;
	if (!out || !props)
		return leave(CU_INVALID_VALUE);
	if (props->at.kind == CU_AT_DEVICE && props->at.id)
		return leave(CU_INVALID_DEVICE);
	if (props->kind != CU_KIND_PINNED || props->at.kind <= 0)
		return leave(CU_INVALID_VALUE);
	if (props->at.kind != CU_AT_DEVICE || props->handles & ~CU_HANDLE_FILE)
		return leave(CU_NOT_SUPPORTED);
	if (props->handles) {
		file = file_new(FILE_POOL);
		if (file < 0)
			return leave(CU_OPERATING_SYSTEM);
	}
	*out = pool_new(props->most, file);
	return leave(CU_OK);
}

enum cu_status cu_pool_export(int *file, struct CUmemPoolHandle_st *pool)
{
	enum cu_status s = file ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s)
		return s;
	if (!pool->file || pool->imported)
		return leave(CU_INVALID_VALUE);
	return leave(own_give(&pool->file->own, file) ? CU_OK : CU_OPERATING_SYSTEM);
}

enum cu_status cu_pool_import(struct CUmemPoolHandle_st **out, int file)
{
	enum cu_status s = enter();
	int own;

	if (s)
		return s;
	if (!out || !is_file_of(file, FILE_POOL))
		return leave(CU_INVALID_VALUE);
	own = fcntl(file, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return leave(CU_OPERATING_SYSTEM);
	*out = pool_new(0, own);
	(*out)->imported = true;
	return leave(CU_OK);
}

enum cu_status cu_pool_export_pointer(char h[CU_POINTER_BYTES], uint64_t addr)
{
	enum cu_status s = enter();
	const struct allocation_row *r;

	if (s)
		return s;
	r = row_find(addr);
	if (!h || !r || r->addr != addr || !r->pool || !r->piece || r->pool->imported)
		return leave(CU_INVALID_VALUE);
	piece_write(h, r->piece);
	return leave(CU_OK);
}

enum cu_status cu_pool_import_pointer(uint64_t *addr, struct CUmemPoolHandle_st *pool, const char h[CU_POINTER_BYTES])
{
	struct allocation_row r = { .kind = CU_DEVICE, .pool = pool };
	enum cu_status s = addr && h ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s)
		return s;
	if (!pool->imported || !own_is(&pool->file->own))
		return leave(CU_INVALID_VALUE);
	s = piece_row(&r, pool->file->own.fd, h);
	if (s)
		return leave(s);
	pool->used += r.bytes;
	pool->high = pool->used > pool->high ? pool->used : pool->high;
	*addr = r.addr;
	return leave(CU_OK);
}

static void close_file(const struct CUmemPoolHandle_st *pool)
{
	if (pool->live && pool->file && own_is(&pool->file->own))
		close(pool->file->own.fd);
}

enum cu_status cu_pool_destroy(struct CUmemPoolHandle_st *pool)
{
	enum cu_status s = enter_pool(pool);

	if (s)
		return s;
	if (pool == &process.first_pool)
		return leave(CU_INVALID_VALUE);
	close_file(pool);
	pool->live = false;
	if (process.pool_now == pool)
		process.pool_now = NULL;
	return leave(CU_OK);
}

enum cu_status cu_pool_trim(struct CUmemPoolHandle_st *pool)
{
	enum cu_status s = enter_pool(pool);

	return s ? s : leave(CU_OK);
}

enum cu_status cu_pool_set(struct CUmemPoolHandle_st *pool, int attribute, const void *value)
{
	enum cu_status s = value ? enter_pool(pool) : CU_INVALID_VALUE;
	uint64_t v;
	int n;

	if (s)
		return s;
	switch (attribute) {
	case REUSE_FOLLOW:
	case REUSE_OPPORTUNISTIC:
	case REUSE_INTERNAL:
		memcpy(&n, value, sizeof n);
		pool->no_reuse[attribute - REUSE_FOLLOW] = !n;
		return leave(CU_OK);
	case RELEASE_THRESHOLD:
		memcpy(&pool->threshold, value, sizeof pool->threshold);
		return leave(CU_OK);
	case RESERVED_HIGH:
	case USED_HIGH:
		memcpy(&v, value, sizeof v);
		if (v) /* a mark can only be set anew */
			return leave(CU_INVALID_VALUE);
		pool->high = pool->used;
		return leave(CU_OK);
	default:
		return leave(CU_INVALID_VALUE);
	}
}

enum cu_status cu_pool_get(struct CUmemPoolHandle_st *pool, int attribute, void *value)
{
	enum cu_status s = value ? enter_pool(pool) : CU_INVALID_VALUE;
	const uint64_t *from = NULL;
	int n;

	if (s)
		return s;
	switch (attribute) {
	case REUSE_FOLLOW:
	case REUSE_OPPORTUNISTIC:
	case REUSE_INTERNAL:
		n = !pool->no_reuse[attribute - REUSE_FOLLOW];
		memcpy(value, &n, sizeof n);
		return leave(CU_OK);
	case RELEASE_THRESHOLD:
		from = &pool->threshold;
		break;
	case RESERVED_NOW:
	case USED_NOW:
		from = &pool->used;
		break;
	case RESERVED_HIGH:
	case USED_HIGH:
		from = &pool->high;
		break;
	default:
		return leave(CU_INVALID_VALUE);
	}
	memcpy(value, from, sizeof *from);
	return leave(CU_OK);
}

enum cu_status cu_pool_allow(struct CUmemPoolHandle_st *pool, const struct cu_access *access, size_t n)
{
	enum cu_status s = access || !n ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s)
		return s;
	for (size_t i = 0; i < n; i++) {
		if (access[i].at.kind != CU_AT_DEVICE)
			return leave(CU_INVALID_VALUE);
		if (access[i].at.id)
			return leave(CU_INVALID_DEVICE);
		if (access[i].flags != CU_ACCESS_BOTH) /* its own device cannot lose it */
			return leave(CU_INVALID_VALUE);
	}
	return leave(CU_OK);
}

enum cu_status cu_pool_access(int *flags, struct CUmemPoolHandle_st *pool, const struct cu_location *at)
{
	enum cu_status s = flags && at ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s)
		return s;
	if (at->kind != CU_AT_DEVICE || at->id)
		return leave(CU_INVALID_VALUE);
	*flags = CU_ACCESS_BOTH;
	return leave(CU_OK);
}

static enum cu_status told(struct CUmemPoolHandle_st **out, bool first)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!out)
		return leave(CU_INVALID_VALUE);
	*out = first ? &process.first_pool : current();
	return leave(CU_OK);
}

enum cu_status cu_pool_first(struct CUmemPoolHandle_st **out) { return told(out, true); }
enum cu_status cu_pool_current(struct CUmemPoolHandle_st **out) { return told(out, false); }

enum cu_status cu_pool_use(struct CUmemPoolHandle_st *pool)
{
	enum cu_status s = enter_pool(pool);

	if (s)
		return s;
	if (pool->imported)
		return leave(CU_INVALID_VALUE);
	process.pool_now = pool;
	return leave(CU_OK);
}

void pools_reset(void)
{
	struct process *p = &process;

	for (struct CUmemPoolHandle_st *q = p->pool; q; q = q->next) {
		close_file(q);
		q->live = false;
	}
	p->first_pool = (struct CUmemPoolHandle_st){ 0 };
	p->pool_now = NULL;
}
