/* Streams and events: clocks of modelled time. What is issued to a stream begins when what was issued to it before has
 * ended, and not before the host had waited for what it waited for. The legacy default stream and the blocking ones
 * wait for each other, as in CUDA; beyond that, streams do not get in each other's way (docs/CUDA.md#clocks). */
#include "runtime-model/cuda/core/internal.h"

#include <stdlib.h>

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static struct cu_stream *new_stream(unsigned flags, int priority)
{
	struct process *p = &process;
	struct cu_stream *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	*s = (struct cu_stream){ .next = p->stream, .flags = flags, .priority = priority, .id = ++p->ids };
	return p->stream = s;
}

/* The calling thread's own: made when it is first used. */
static struct cu_stream *own_stream(void)
{
	enum { OWN = 1 << 30 };
	pthread_t me = pthread_self();
	struct cu_stream *s = process.stream;

	while (s && !((s->flags & OWN) && pthread_equal(s->owner, me)))
		s = s->next;
	if (!s && (s = new_stream(OWN, 0)))
		s->owner = me;
	return s;
}

struct cu_stream *stream_of(struct cu_stream *s)
{
	if (!s || s == CU_STREAM_LEGACY)
		return &process.legacy;
	if (s == CU_STREAM_PER_THREAD)
		return own_stream();
	for (struct cu_stream *x = process.stream; x; x = x->next)
		if (x == s)
			return s;
	return NULL;
}

uint64_t stream_start(struct cu_stream *s)
{
	const struct process *p = &process;
	uint64_t at = later(later(s->now, p->host_now), p->all_wait);

	if (s->flags & CU_STREAM_NON_BLOCKING)
		return at;
	if (s != &p->legacy)
		return later(at, p->legacy.now);
	for (const struct cu_stream *x = p->stream; x; x = x->next)
		if (!(x->flags & CU_STREAM_NON_BLOCKING))
			at = later(at, x->now);
	return at;
}

void stream_end(struct cu_stream *s, uint64_t at) { s->now = at; }

void stream_wait_host(struct cu_stream *s)
{
	struct process *p = &process;

	if (s == &p->legacy) { /* as if something were issued to it */
		p->host_now = stream_start(s);
		return;
	}
	if (s) {
		p->host_now = later(p->host_now, s->now);
		return;
	}
	p->host_now = later(p->host_now, p->legacy.now);
	for (const struct cu_stream *x = p->stream; x; x = x->next)
		p->host_now = later(p->host_now, x->now);
}

void streams_reset(void)
{
	struct process *p = &process;

	while (p->stream) {
		struct cu_stream *s = p->stream;

		p->stream = s->next;
		handle_gone(s);
	}
	while (p->event) {
		event_end(p->event);
	}
}

enum cu_status cu_stream_create(struct cu_stream **out, unsigned flags, int priority)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!out || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
		return leave(CU_INVALID_VALUE);
	*out = new_stream(flags, priority);
	return leave(*out ? CU_OK : CU_OUT_OF_MEMORY);
}

enum cu_status cu_stream_destroy(struct cu_stream *s)
{
	struct process *p = &process;
	enum cu_status why = enter_anyway();
	struct cu_stream **at;

	if (why)
		return why;
	for (at = &p->stream; *at && *at != s; at = &(*at)->next)
		;
	if (!*at)
		return leave(CU_INVALID_HANDLE);
	if (!(s->flags & CU_STREAM_NON_BLOCKING)) /* who waits for it still does */
		p->legacy.now = later(p->legacy.now, s->now);
	*at = s->next;
	handle_gone(s);
	return leave(CU_OK);
}

bool cu_stream_valid(const struct cu_stream *s)
{
	bool ok;

	if (enter_anyway())
		return false;
	ok = stream_of((struct cu_stream *)(uintptr_t)s) != NULL;
	leave(CU_OK);
	return ok;
}

enum cu_status cu_stream_get(const struct cu_stream *stream, unsigned *flags, int *priority, uint64_t *id)
{
	enum cu_status why = enter();
	const struct cu_stream *s;

	if (why)
		return why;
	s = stream_of((struct cu_stream *)(uintptr_t)stream);
	if (!s)
		return leave(CU_INVALID_HANDLE);
	if (flags)
		*flags = s->flags & CU_STREAM_NON_BLOCKING;
	if (priority)
		*priority = s->priority;
	if (id)
		*id = s->id;
	return leave(CU_OK);
}

enum cu_status cu_stream_synchronize(struct cu_stream *s)
{
	enum cu_status why = enter();

	if (why)
		return why;
	s = stream_of(s);
	if (!s)
		return leave(CU_INVALID_HANDLE);
	flush_prints();
	stream_wait_host(s);
	return leave(CU_OK);
}

struct cu_event *event_new(unsigned flags)
{
	struct cu_event *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	*e = (struct cu_event){ .next = process.event, .flags = flags, .done = &e->own };
	return process.event = e;
}

void event_end(struct cu_event *e)
{
	struct cu_event **at = &process.event;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	if (e->piece)
		piece_end(e->piece);
	handle_gone(e);
}

/* It was, and what was has ended at *at. Another process may change it meanwhile: it is read once. */
static bool recorded(const struct cu_event *e, uint64_t *at)
{
	const uint64_t done = *e->done;

	*at = done - 1;
	return done != 0;
}

static bool is_event(const struct cu_event *e)
{
	const struct cu_event *x = process.event;

	while (x && x != e)
		x = x->next;
	return x != NULL;
}

enum cu_status enter_event(const struct cu_event *e)
{
	enum cu_status s = enter();

	if (s)
		return s;
	return is_event(e) ? CU_OK : leave(CU_INVALID_HANDLE);
}

enum cu_status cu_stream_wait(struct cu_stream *s, struct cu_event *e)
{
	enum cu_status why = enter();
	uint64_t at;

	if (why)
		return why;
	s = stream_of(s);
	if (!s || !is_event(e))
		return leave(CU_INVALID_HANDLE);
	if (recorded(e, &at))
		s->now = later(stream_start(s), at);
	return leave(CU_OK);
}

enum cu_status cu_stream_host(struct cu_stream *s, void (*f)(void *), void *data)
{
	enum cu_status why = enter();

	if (why)
		return why;
	if (!f)
		return leave(CU_INVALID_VALUE);
	if (!stream_of(s))
		return leave(CU_INVALID_HANDLE);
	flush_prints();
	leave(CU_OK);
	f(data);
	return CU_OK;
}

enum cu_status cu_event_create(struct cu_event **out, unsigned flags)
{
	enum cu_status why = enter();
	struct cu_event *e;

	if (why)
		return why;
	if (!out || (flags & ~7u) || (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_NO_TIMING)))
		return leave(CU_INVALID_VALUE);
	e = event_new(flags);
	if (e)
		*out = e;
	return leave(e ? CU_OK : CU_OUT_OF_MEMORY);
}

enum cu_status cu_event_record(struct cu_event *e, struct cu_stream *s)
{
	enum cu_status why = enter();

	if (why)
		return why;
	s = stream_of(s);
	if (!s || !is_event(e))
		return leave(CU_INVALID_HANDLE);
	s->now = stream_start(s);
	*e->done = s->now + 1;
	return leave(CU_OK);
}

enum cu_status cu_event_record_all(struct cu_event *e)
{
	enum cu_status why = enter_event(e);
	uint64_t at;

	if (why)
		return why;
	at = stream_start(&process.legacy);
	for (const struct cu_stream *x = process.stream; x; x = x->next)
		at = later(at, x->now);
	*e->done = at + 1;
	return leave(CU_OK);
}

enum cu_status cu_event_wait_all(struct cu_event *e)
{
	enum cu_status why = enter_event(e);
	uint64_t at;

	if (why)
		return why;
	if (recorded(e, &at))
		process.all_wait = later(process.all_wait, at);
	return leave(CU_OK);
}

enum cu_status cu_event_query(struct cu_event *e)
{
	enum cu_status why = enter_event(e);
	uint64_t at;

	if (why)
		return why;
	flush_prints();
	if (recorded(e, &at))
		process.host_now = later(process.host_now, at);
	return leave(CU_OK);
}

enum cu_status cu_event_elapsed(double *ms, const struct cu_event *from, const struct cu_event *to)
{
	enum cu_status why = enter();
	uint64_t first, last;

	if (why)
		return why;
	if (!ms)
		return leave(CU_INVALID_VALUE);
	if (!is_event(from) || !is_event(to) || !recorded(from, &first) || !recorded(to, &last) ||
	    (from->flags | to->flags) & CU_EVENT_NO_TIMING)
		return leave(CU_INVALID_HANDLE);
	*ms = ((double)last - (double)first) / 1e6;
	return leave(CU_OK);
}

enum cu_status cu_event_destroy(struct cu_event *e)
{
	enum cu_status why = enter_anyway();

	if (why)
		return why;
	if (!is_event(e))
		return leave(CU_INVALID_HANDLE);
	event_end(e);
	return leave(CU_OK);
}
