/* Streams and events. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

/* as of compute capability 8.0 */
enum { PRIORITY_LEAST = 0, PRIORITY_GREATEST = -5 };

/* ---- streams ---- */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority)
{
	struct cu_stream *made;
	enum cu_status st;

	FAIL_IF(!s || flags & ~(unsigned)cudaStreamNonBlocking, INVALID_VALUE);
	if (priority > PRIORITY_LEAST)
		priority = PRIORITY_LEAST;
	if (priority < PRIORITY_GREATEST)
		priority = PRIORITY_GREATEST;
	st = cu_stream_create(&made, flags & cudaStreamNonBlocking ? CU_STREAM_NON_BLOCKING : 0, priority);
	if (st == CU_OK)
		*s = (cudaStream_t)made;
	return done(st);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
	return cudaStreamCreateWithPriority(s, flags, PRIORITY_LEAST);
}
cudaError_t cudaStreamCreate(cudaStream_t *s)
{
	return cudaStreamCreateWithPriority(s, cudaStreamDefault, PRIORITY_LEAST);
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	enum cu_status st = !s || s == cudaStreamLegacy || s == cudaStreamPerThread ? CU_INVALID_HANDLE
										    : cu_stream_destroy(stream_of(s));

	if (st == CU_OK) {
		stream_attributes_forget(s);
		cu_capture_forget(stream_of(s));
	}
	return done(st);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	enum cu_status s = cu_start();

	if (s == CU_OK && least)
		*least = PRIORITY_LEAST;
	if (s == CU_OK && greatest)
		*greatest = PRIORITY_GREATEST;
	return done(s);
}

static enum cu_status get(cudaStream_t s, unsigned *flags, int *priority, uint64_t *id)
{
	enum cu_status st = cu_start();

	return st == CU_OK ? cu_stream_get(stream_of(s), flags, priority, id) : st;
}

STREAM_FN(cudaStreamGetFlags, (OWN(s), flags), cudaStream_t s, unsigned int *flags)
{
	int priority;
	uint64_t id;

	FAIL_IF(!flags, INVALID_VALUE);
	return done(get(s, flags, &priority, &id));
}

STREAM_FN(cudaStreamGetPriority, (OWN(s), priority), cudaStream_t s, int *priority)
{
	unsigned flags;
	uint64_t id;

	FAIL_IF(!priority, INVALID_VALUE);
	return done(get(s, &flags, priority, &id));
}

STREAM_FN(cudaStreamGetId, (OWN(s), id), cudaStream_t s, unsigned long long *id)
{
	unsigned flags;
	int priority;
	uint64_t n;
	enum cu_status st;

	FAIL_IF(!id, INVALID_VALUE);
	st = get(s, &flags, &priority, &n);
	if (st == CU_OK)
		*id = n;
	return done(st);
}

STREAM_FN(cudaStreamGetDevice, (OWN(s), device), cudaStream_t s, int *device)
{
	unsigned flags;
	int priority;
	uint64_t id;
	enum cu_status st;

	FAIL_IF(!device, INVALID_VALUE);
	st = get(s, &flags, &priority, &id);
	if (st == CU_OK)
		*device = 0;
	return done(st);
}

STREAM_FN(cudaStreamQuery, (OWN(s)), cudaStream_t s)
{
	enum cu_status st = cu_capture_refuses(stream_of(s));

	return done(st == CU_OK ? cu_stream_synchronize(stream_of(s)) : st);
}

STREAM_FN(cudaStreamSynchronize, (OWN(s)), cudaStream_t s)
{
	enum cu_status st = cu_capture_refuses(stream_of(s));

	return done(st == CU_OK ? cu_stream_synchronize(stream_of(s)) : st);
}

STREAM_FN(cudaStreamWaitEvent, (OWN(s), e, flags), cudaStream_t s, cudaEvent_t e, unsigned int flags)
{
	FAIL_IF(flags & ~(unsigned)cudaEventWaitExternal, INVALID_VALUE);
	FAIL_IF(!e, INVALID_HANDLE);
	return done(op_issue(&(struct op){ .kind = OP_WAIT, .event = (struct cu_event *)e }, s));
}

struct call {
	cudaStreamCallback_t f;
	cudaStream_t s;
	void *data;
};

static void call(void *data)
{
	const struct call *c = data;

	c->f(c->s, (cudaError_t)cu_sticky(), c->data);
}

STREAM_FN(cudaStreamAddCallback, (OWN(s), f, data, flags), cudaStream_t s, cudaStreamCallback_t f, void *data,
	  unsigned int flags)
{
	enum cu_status st = f && !flags ? cu_capture_refuses(stream_of(s)) : CU_INVALID_VALUE;

	return done(st == CU_OK ? cu_stream_host(stream_of(s), call, &(struct call){ f, s, data }) : st);
}

/* Managed memory belongs to every stream here: what a stream is given to alone others may use too. */
STREAM_FN(cudaStreamAttachMemAsync, (OWN(s), p, n, flags), cudaStream_t s, void *p, size_t n, unsigned int flags)
{
	struct cu_range r;
	enum cu_status st = cu_start();

	if (st != CU_OK)
		return done(st);
	FAIL_IF(!cu_stream_valid(stream_of(s)), INVALID_HANDLE);
	FAIL_IF(!p || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle),
		INVALID_VALUE);
	FAIL_IF(flags == cudaMemAttachSingle && (!s || s == cudaStreamLegacy), INVALID_VALUE);
	FAIL_IF(!cu_find(&r, (uintptr_t)p) || r.kind != CU_MANAGED || r.addr != (uintptr_t)p || (n && n != r.bytes),
		INVALID_VALUE);
	return done(cu_sticky());
}

/* ---- attributes of streams: remembered, and copied ---- */
enum { ATTRIBUTES = 4 };
static const cudaLaunchAttributeID attribute[ATTRIBUTES] = {
	cudaLaunchAttributeAccessPolicyWindow,
	cudaLaunchAttributeSynchronizationPolicy,
	cudaLaunchAttributeMemSyncDomainMap,
	cudaLaunchAttributeMemSyncDomain,
};
struct attributes {
	struct attributes *next;
	cudaStream_t s;
	cudaLaunchAttributeValue v[ATTRIBUTES];
};
static struct attributes *attributes, *unused;

static struct attributes *attributes_of(cudaStream_t s, bool make)
{
	struct attributes *a = attributes;

	while (a && a->s != s)
		a = a->next;
	if (a || !make)
		return a;
	a = unused ? unused : new(&rt.a, struct attributes);
	if (unused)
		unused = unused->next;
	memset(a, 0, sizeof *a);
	*a = (struct attributes){ .next = attributes, .s = s };
	a->v[1].syncPolicy = cudaSyncPolicyAuto;
	a->v[2].memSyncDomainMap.remote = 1;
	return attributes = a;
}

void stream_attributes_forget(cudaStream_t s)
{
	LOCKED({
		for (struct attributes **p = &attributes, *a; (a = *p);)
			if (!s || a->s == s) {
				*p = a->next;
				a->next = unused;
				unused = a;
			} else {
				p = &a->next;
			}
	});
}

static int attribute_number(cudaLaunchAttributeID id)
{
	for (int i = 0; i < ATTRIBUTES; i++)
		if (attribute[i] == id)
			return i;
	return -1;
}

static enum cu_status stream_check(cudaStream_t s)
{
	enum cu_status st = cu_start();

	if (st != CU_OK)
		return st;
	return cu_stream_valid(stream_of(s)) ? cu_sticky() : CU_INVALID_HANDLE;
}

STREAM_FN(cudaStreamGetAttribute, (OWN(s), id, v), cudaStream_t s, cudaLaunchAttributeID id,
	  cudaLaunchAttributeValue *v)
{
	const int n = attribute_number(id);
	enum cu_status st = stream_check(s);

	if (st != CU_OK)
		return done(st);
	FAIL_IF(!v || (n < 0 && id != cudaLaunchAttributePriority), INVALID_VALUE);
	if (n < 0)
		return cudaStreamGetPriority(s, &v->priority);
	LOCKED(*v = attributes_of(s, true)->v[n]);
	return done(CU_OK);
}

STREAM_FN(cudaStreamSetAttribute, (OWN(s), id, v), cudaStream_t s, cudaLaunchAttributeID id,
	  const cudaLaunchAttributeValue *v)
{
	const int n = attribute_number(id);
	enum cu_status st = stream_check(s);

	if (st != CU_OK)
		return done(st);
	FAIL_IF(!v || n < 0, INVALID_VALUE);
	FAIL_IF(id == cudaLaunchAttributeSynchronizationPolicy &&
			(v->syncPolicy < cudaSyncPolicyAuto || v->syncPolicy > cudaSyncPolicyBlockingSync),
		INVALID_VALUE);
	LOCKED(attributes_of(s, true)->v[n] = *v);
	return done(CU_OK);
}

STREAM_FN(cudaStreamCopyAttributes, (OWN(to), OWN(from)), cudaStream_t to, cudaStream_t from)
{
	enum cu_status st = stream_check(to);

	if (st == CU_OK)
		st = stream_check(from);
	if (st == CU_OK)
		LOCKED({
			const struct attributes *a = attributes_of(from, true);

			memcpy(attributes_of(to, true)->v, a->v, sizeof a->v);
		});
	return done(st);
}

/* ---- events ---- */
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
	struct cu_event *made;
	enum cu_status s;

	FAIL_IF(!e || flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess),
		INVALID_VALUE);
	FAIL_IF(flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming), INVALID_VALUE);
	s = cu_event_create(&made, flags); /* the same numbers */
	if (s == CU_OK)
		*e = (cudaEvent_t)made;
	return done(s);
}

cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
	return done(e ? cu_event_destroy((struct cu_event *)e) : CU_INVALID_HANDLE);
}
cudaError_t cudaEventQuery(cudaEvent_t e) { return done(e ? cu_event_query((struct cu_event *)e) : CU_INVALID_HANDLE); }
cudaError_t cudaEventSynchronize(cudaEvent_t e) { return cudaEventQuery(e); }

STREAM_FN(cudaEventRecordWithFlags, (e, OWN(s), flags), cudaEvent_t e, cudaStream_t s, unsigned int flags)
{
	FAIL_IF(flags & ~(unsigned)cudaEventRecordExternal, INVALID_VALUE);
	FAIL_IF(!e, INVALID_HANDLE);
	return done(op_issue(&(struct op){ .kind = OP_RECORD, .event = (struct cu_event *)e }, s));
}

STREAM_FN(cudaEventRecord, (e, OWN(s)), cudaEvent_t e, cudaStream_t s)
{
	return cudaEventRecordWithFlags(e, s, cudaEventRecordDefault);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	double d;
	enum cu_status s;

	FAIL_IF(!ms, INVALID_VALUE);
	FAIL_IF(!from || !to, INVALID_HANDLE);
	s = cu_event_elapsed(&d, (struct cu_event *)from, (struct cu_event *)to);
	if (s == CU_OK)
		*ms = (float)d;
	return done(s);
}

#if CUDART == 12
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	return cudaEventElapsedTime(ms, from, to);
}
#endif
