/* Memory and events that several processes use.
 *
 * What a process gives handles of lies in a file without a name, mapped by all who use it: memory moves there when its
 * first handle is asked for. Each has a piece of its own, never used again, that begins with a page which says what it
 * is; when it is freed, its pages go and that page is zero. A handle names the process, the file, as /proc shows it to
 * others of the same user, the piece, and a key that was drawn for it. Pools for other processes have files of their
 * own, which the program hands over.
 *
 * Work is done when it is issued. So an event that was recorded has happened, whoever asks; what a process waits for is
 * the time on the other's clock, which lies in the piece. */
#include "runtime-model/cuda/core/ipc.h"

#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/ram.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MARK = 0x4970672e }; /* ".gpI" */

enum kind { KIND_MEMORY = 1, KIND_EVENT, KIND_POOLED };
/* what a piece begins with */
struct head {
	uint64_t key[2], kind, bytes; /* bytes: of memory, behind this page */
	_Atomic uint64_t done;        /* as a cu_event's */
};
/* what a handle says */
struct ticket {
	uint32_t mark, kind;
	int32_t pid, fd;
	uint64_t offset, key[2];
};
_Static_assert(sizeof(struct ticket) <= CU_HANDLE_BYTES && sizeof(struct head) <= PAGE, "they fit");
/* as this process has it mapped */
struct piece {
	struct head *head;
	struct shared_file *file; /* of this process; NULL: it is another's */
	uint64_t room, offset;    /* bytes that are mapped; in the file */
	uint64_t bytes;           /* of memory: others may write the head */
	uint64_t key[2];
	uint32_t refs; /* of another's memory: how often it was opened */
};

static enum cu_status refuse(enum cu_status s, const char *why)
{
	explain(REASON_IPC, "of other processes: %s", why);
	return s;
}

static unsigned char *memory_of(const struct piece *x) { return (unsigned char *)x->head + PAGE; }

static bool map(struct piece *x, int fd)
{
	void *at = mmap(NULL, x->room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)x->offset);

	x->head = at == MAP_FAILED ? NULL : at;
	return x->head != NULL;
}

/* ---- files ---- */
static const char *file_name(enum file kind)
{
	static const char *const name[] = { [FILE_HANDLES] = "regloom handles",
					    [FILE_MEMORY] = "regloom memory",
					    [FILE_POOL] = "regloom pool",
					    [FILE_DEVICE] = "regloom device memory" };

	return name[kind];
}

int file_new(enum file kind) { return memfd_create(file_name(kind), MFD_CLOEXEC); }

static bool names_file(const char *path, enum file kind)
{
	const char *const name = file_name(kind);
	char link[64];
	const ssize_t n = readlink(path, link, sizeof link - 1);

	link[n < 0 ? 0 : n] = 0;
	return strncmp(link, "/memfd:", 7) == 0 && strncmp(link + 7, name, strlen(name)) == 0;
}

bool is_file_of(int fd, enum file kind)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return names_file(path, kind);
}

/* ---- this process's ---- */
/* The file that new pieces lie in; a program that closes all it does not know has closed the last one. */
static struct shared_file *file_ready(struct process *p)
{
	if (!p->shared || !own_is(&p->shared->own)) {
		p->shared = new(&p->a, struct shared_file);
		own_set(&p->shared->own, file_new(FILE_HANDLES));
	}
	return p->shared;
}

static struct piece *piece_new(struct shared_file *f, enum kind kind, uint64_t bytes)
{
	struct piece *x = own_is(&f->own) ? calloc(1, sizeof *x) : NULL;

	if (!x)
		return NULL;
	*x = (struct piece){
		.room = PAGE + (bytes + PAGE - 1) / PAGE * PAGE, .offset = f->bytes, .bytes = bytes, .file = f
	};
	if (getrandom(x->key, sizeof x->key, 0) != (ssize_t)sizeof x->key ||
	    ftruncate(f->own.fd, (off_t)(x->offset + x->room)) != 0 || !map(x, f->own.fd)) {
		free(x);
		return NULL;
	}
	f->bytes += x->room;
	x->head->kind = kind;
	x->head->bytes = bytes;
	memcpy(x->head->key, x->key, sizeof x->key);
	return x;
}

void piece_end(struct piece *x)
{
	if (x->file)
		memset(x->head, 0, sizeof *x->head);
	if (x->file && own_is(&x->file->own))
		fallocate(x->file->own.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)x->offset,
			  (off_t)x->room);
	munmap(x->head, x->room);
	free(x);
}

void piece_write(char h[CU_HANDLE_BYTES], const struct piece *x)
{
	const struct ticket t = { .mark = MARK,
				  .kind = (uint32_t)x->head->kind,
				  .pid = (int32_t)getpid(),
				  .fd = x->file->own.fd,
				  .offset = x->offset,
				  .key = { x->key[0], x->key[1] } };

	memset(h, 0, CU_HANDLE_BYTES);
	memcpy(h, &t, sizeof t);
}

bool row_share(struct allocation_row *r, struct shared_file *f)
{
	if (!r->mapped && !ram_count(r->bytes))
		return false;
	r->piece = piece_new(f, r->pool ? KIND_POOLED : KIND_MEMORY, r->bytes);
	if (!r->piece) {
		ram_uncount(r->mapped ? 0 : r->bytes);
		return false;
	}
	device_move(process.dev, r->addr, memory_of(r->piece));
	device_share(process.dev, r->addr);
	if (r->mapped)
		munmap(r->host, r->bytes);
	r->mapped = true;
	r->host = memory_of(r->piece);
	return true;
}

/* The handle of x names its file by a descriptor. */
static enum cu_status give(char h[CU_HANDLE_BYTES], const struct piece *x)
{
	if (!own_is(&x->file->own))
		return refuse(CU_OPERATING_SYSTEM, "the program has closed the file that this lies in");
	piece_write(h, x);
	return CU_OK;
}

static struct allocation_row *row_to_share(uint64_t addr)
{
	struct allocation_row *r = row_find(addr);

	return r && r->kind == CU_DEVICE && !r->pool ? r : NULL;
}

static bool of_graph(uint64_t addr)
{
	struct cu_range r;

	return cu_find(&r, addr) && cu_graph_owns(r.addr);
}

bool cu_ipc_can(uint64_t addr)
{
	bool can;

	if (of_graph(addr) || enter_anyway())
		return false;
	can = row_to_share(addr) != NULL;
	leave(CU_OK);
	return can;
}

enum cu_status cu_ipc_share(char h[CU_HANDLE_BYTES], uint64_t addr)
{
	enum cu_status s = of_graph(addr) ? CU_INVALID_VALUE : enter();
	struct allocation_row *r;

	if (s)
		return s;
	r = row_to_share(addr);
	if (!h || !addr)
		return leave(CU_INVALID_VALUE);
	if (!r)
		return leave(refuse(CU_INVALID_VALUE, "only memory of cudaMalloc can be shared, not a pool's"));
	if (!r->piece && !row_share(r, file_ready(&process)))
		return leave(CU_OUT_OF_MEMORY);
	return leave(give(h, r->piece));
}

enum cu_status cu_ipc_share_event(char h[CU_HANDLE_BYTES], struct cu_event *e)
{
	enum cu_status s = h && e ? enter_event(e) : CU_INVALID_VALUE;

	if (s)
		return s;
	if (!(e->flags & CU_EVENT_INTERPROCESS) || (e->piece && !e->piece->file))
		return leave(refuse(CU_INVALID_HANDLE, "this event is not made for them, which takes "
						       "cudaEventInterprocess, or not by this process"));
	if (!e->piece) {
		e->piece = piece_new(file_ready(&process), KIND_EVENT, 0);
		if (!e->piece)
			return leave(CU_OUT_OF_MEMORY);
		e->piece->head->done = *e->done;
		e->done = &e->piece->head->done;
	}
	return leave(give(h, e->piece));
}

/* ---- another's ---- */
/* The file of which another process has number fd: -1: it has none, or another one. */
static int open_file(const struct ticket *t)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)t->pid, (int)t->fd);
	return names_file(path, FILE_HANDLES) ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

/* The piece of that file (-1: there is none), mapped, if it is there and all of it is. */
static struct piece *piece_in(int fd, const struct ticket *t)
{
	struct piece *x = NULL;
	struct head head;
	struct stat file;

	if (fd >= 0 && pread(fd, &head, sizeof head, (off_t)t->offset) == (ssize_t)sizeof head &&
	    memcmp(head.key, t->key, sizeof head.key) == 0 && head.kind == t->kind && fstat(fd, &file) == 0)
		x = calloc(1, sizeof *x);
	if (x) {
		*x = (struct piece){ .room = PAGE + (head.bytes + PAGE - 1) / PAGE * PAGE,
				     .offset = t->offset,
				     .bytes = head.bytes,
				     .key = { t->key[0], t->key[1] },
				     .refs = 1 };
		if (x->bytes > (uint64_t)file.st_size || x->room > (uint64_t)file.st_size - t->offset || !map(x, fd)) {
			free(x);
			x = NULL;
		}
	}
	return x;
}

static struct piece *piece_open(const struct ticket *t)
{
	const int fd = open_file(t);
	struct piece *x = piece_in(fd, t);

	if (fd >= 0)
		close(fd);
	return x;
}

static enum cu_status read_handle(struct ticket *t, const char h[CU_HANDLE_BYTES], enum kind kind)
{
	memcpy(t, h, sizeof *t);
	if (t->mark != MARK || t->kind != kind || t->offset % PAGE)
		return refuse(CU_INVALID_VALUE, "this is no handle of theirs");
	if (kind != KIND_POOLED && t->pid == (int32_t)getpid())
		return refuse(CU_INVALID_CONTEXT, "a process cannot open handles of its own");
	return CU_OK;
}

static struct allocation_row *row_opened(const struct ticket *t)
{
	struct process *p = &process;

	for (uint32_t i = 0; i < p->nrow; i++)
		if (p->row[i].kind == CU_IMPORTED && memcmp(p->row[i].piece->key, t->key, sizeof t->key) == 0)
			return &p->row[i];
	return NULL;
}

/* Of the kind that r has; not counted: the process that allocated it does. */
static enum cu_status add_row(struct allocation_row *r, struct piece *x)
{
	struct process *p = &process;

	r->piece = x;
	r->bytes = x->bytes;
	r->mapped = true;
	r->host = memory_of(x);
	r->addr = device_place(p->dev, r->bytes, 0);
	if (!r->addr || !device_map(p->dev, memory_kind(r->kind), r->addr, r->bytes, r->host)) {
		if (r->addr)
			last_error();
		piece_end(x);
		return CU_OUT_OF_MEMORY;
	}
	device_share(p->dev, r->addr);
	r->id = ++p->ids;
	r->by = host_caller();
	row_insert(*r);
	return CU_OK;
}

static const char gone[] = "what this handle is of has gone: its process has ended, or has freed it";

enum cu_status piece_row(struct allocation_row *r, int file, const char h[CU_HANDLE_BYTES])
{
	struct ticket t;
	struct piece *x;
	enum cu_status s = read_handle(&t, h, KIND_POOLED);

	if (s)
		return s;
	x = piece_in(file, &t);
	return x ? add_row(r, x) : refuse(CU_MAP_FAILED, gone);
}

enum cu_status cu_ipc_open(uint64_t *addr, const char h[CU_HANDLE_BYTES])
{
	struct allocation_row *r, made = { .kind = CU_IMPORTED };
	enum cu_status s = enter();
	struct ticket t;
	struct piece *x;

	if (s)
		return s;
	if (!addr || !h)
		return leave(CU_INVALID_VALUE);
	s = read_handle(&t, h, KIND_MEMORY);
	if (s)
		return leave(s);
	r = row_opened(&t);
	if (r) {
		r->piece->refs++;
		*addr = r->addr;
		return leave(CU_OK);
	}
	x = piece_open(&t);
	s = x ? add_row(&made, x) : refuse(CU_MAP_FAILED, gone);
	if (!s)
		*addr = made.addr;
	return leave(s);
}

enum cu_status cu_ipc_close(uint64_t addr, bool *last)
{
	enum cu_status s = enter();
	struct allocation_row *r;

	if (s)
		return s;
	*last = false;
	r = row_find(addr);
	if (!r || r->kind != CU_IMPORTED || r->addr != addr)
		return leave(refuse(CU_INVALID_VALUE, "nothing of theirs was opened here"));
	*last = --r->piece->refs == 0;
	if (*last) {
		row_remove(r);
		stream_wait_host(NULL);
	}
	return leave(CU_OK);
}

enum cu_status cu_ipc_open_event(struct cu_event **out, const char h[CU_HANDLE_BYTES])
{
	enum cu_status s = enter();
	struct cu_event *e;
	struct ticket t;

	if (s)
		return s;
	if (!out || !h)
		return leave(CU_INVALID_VALUE);
	s = read_handle(&t, h, KIND_EVENT);
	if (s)
		return leave(s);
	e = event_new(CU_EVENT_NO_TIMING | CU_EVENT_INTERPROCESS);
	if (!e)
		return leave(CU_OUT_OF_MEMORY);
	e->piece = piece_open(&t);
	if (!e->piece) {
		event_end(e);
		return leave(refuse(CU_MAP_FAILED, gone));
	}
	e->done = &e->piece->head->done;
	*out = e;
	return leave(CU_OK);
}
