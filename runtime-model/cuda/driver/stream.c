/* Streams and events. */
#include "runtime-model/cuda/driver/driver.h"

API(cuStreamCreateWithPriority, CUstream *s, unsigned flags, int priority)
{
	CUresult r;

	READY();
	if (priority > 0)
		priority = 0;
	if (priority < -5)
		priority = -5;
	r = s && flags <= 1 ? told(cu_stream_create(s, flags, priority)) : CU_INVALID_VALUE;
	if (!r)
		own(OWNED_STREAM, (uint64_t)(uintptr_t)*s);
	return r;
}

API(cuStreamCreate, CUstream *s, unsigned flags) { return cuStreamCreateWithPriority(s, flags, 0); }

API(cuStreamDestroy_v2, CUstream s)
{
	CUresult r;

	READY();
	r = ended(told(cu_stream_destroy(s)), OWNED_STREAM, s);
	if (!r)
		cu_capture_forget(s);
	return r;
}
ALIAS(cuStreamDestroy, cuStreamDestroy_v2);

OF_STREAM(cuStreamSynchronize, (CUstream s), (s), (OWN(s)), {
	CUresult r;

	READY();
	r = told(cu_capture_refuses(s));
	return r ? r : told(cu_stream_synchronize(s));
})

OF_STREAM(cuStreamQuery, (CUstream s), (s), (OWN(s)), {
	CUresult r;

	READY();
	r = told(cu_capture_refuses(s));
	if (r)
		return r;
	return cu_stream_valid(s) ? told(cu_sticky()) : CU_INVALID_HANDLE;
})

OF_STREAM(cuStreamGetPriority, (CUstream s, int *priority), (s, priority), (OWN(s), priority), {
	READY();
	return priority ? told(cu_stream_get(s, NULL, priority, NULL)) : CU_INVALID_VALUE;
})

OF_STREAM(cuStreamGetFlags, (CUstream s, unsigned *flags), (s, flags), (OWN(s), flags), {
	READY();
	return flags ? told(cu_stream_get(s, flags, NULL, NULL)) : CU_INVALID_VALUE;
})

OF_STREAM(cuStreamGetId, (CUstream s, unsigned long long *id), (s, id), (OWN(s), id), {
	uint64_t n = 0;
	CUresult r;

	READY();
	r = id ? told(cu_stream_get(s, NULL, NULL, &n)) : CU_INVALID_VALUE;
	if (!r)
		*id = n;
	return r;
})

static CUresult stream_context(CUstream s, CUcontext *c)
{
	CUcontext of;

	READY();
	if (!c || !cu_stream_valid(s))
		return c ? CU_INVALID_HANDLE : CU_INVALID_VALUE;
	of = owner(OWNED_STREAM, (uint64_t)(uintptr_t)s);
	*c = of ? of : context_now();
	return CU_OK;
}

OF_STREAM(cuStreamGetCtx, (CUstream s, CUcontext *c), (s, c), (OWN(s), c), { return stream_context(s, c); })

OF_STREAM(cuStreamGetCtx_v2, (CUstream s, CUcontext *c, void **green), (s, c, green), (OWN(s), c, green), {
	if (green)
		*green = NULL;
	return stream_context(s, c);
})

OF_STREAM(cuStreamGetDevice, (CUstream s, CUdevice *d), (s, d), (OWN(s), d), {
	READY();
	if (!d || !cu_stream_valid(s))
		return d ? CU_INVALID_HANDLE : CU_INVALID_VALUE;
	*d = 0;
	return CU_OK;
})

/* A hint: memory of both worlds is seen by both at any time. */
OF_STREAM(cuStreamAttachMemAsync, (CUstream s, CUdeviceptr addr, size_t bytes, unsigned flags), (s, addr, bytes, flags),
	  (OWN(s), addr, bytes, flags), {
		  struct cu_range r;

		  READY();
		  if (!cu_stream_valid(s))
			  return CU_INVALID_HANDLE;
		  return (flags == 1 || flags == 2 || flags == 4) && cu_find(&r, addr) && r.kind == CU_MANAGED &&
					 r.addr == addr && (!bytes || bytes == r.bytes)
				 ? CU_OK
				 : CU_INVALID_VALUE;
	  })

OF_STREAM(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned flags), (s, e, flags), (OWN(s), e, flags), {
	READY();
	if (flags > 1)
		return CU_INVALID_VALUE;
	return !e ? CU_INVALID_HANDLE : told(cu_op_issue(&(struct op){ .kind = OP_WAIT, .event = e }, s));
})

OF_STREAM(cuLaunchHostFunc, (CUstream s, void (*f)(void *), void *data), (s, f, data), (OWN(s), f, data), {
	READY();
	return f ? told(cu_op_issue(&(struct op){ .kind = OP_HOST, .host = { f, data } }, s)) : CU_INVALID_VALUE;
})

struct callback {
	void (*f)(CUstream, CUresult, void *);
	CUstream s;
	void *data;
};

static void call(void *p)
{
	const struct callback *c = p;

	c->f(c->s, CU_OK, c->data);
}

OF_STREAM(cuStreamAddCallback, (CUstream s, void (*f)(CUstream, CUresult, void *), void *data, unsigned flags),
	  (s, f, data, flags), (OWN(s), f, data, flags), {
		  struct callback c = { .f = f, .s = s, .data = data };
		  CUresult r;

		  READY();
		  r = f && !flags ? told(cu_capture_refuses(s)) : CU_INVALID_VALUE;
		  return r ? r : told(cu_stream_host(s, call, &c));
	  })

/* ---- events ---- */
API(cuEventCreate, CUevent *e, unsigned flags)
{
	CUresult r;

	READY();
	r = e ? told(cu_event_create(e, flags)) : CU_INVALID_VALUE;
	if (!r)
		own(OWNED_EVENT, (uint64_t)(uintptr_t)*e);
	return r;
}

OF_STREAM(cuEventRecord, (CUevent e, CUstream s), (e, s), (e, OWN(s)), {
	READY();
	return e ? told(cu_op_issue(&(struct op){ .kind = OP_RECORD, .event = e }, s)) : CU_INVALID_HANDLE;
})

OF_STREAM(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned flags), (e, s, flags), (e, OWN(s), flags),
	  { return flags > 1 ? CU_INVALID_VALUE : cuEventRecord_of(e, s); })

API(cuEventQuery, CUevent e)
{
	READY();
	return told(cu_event_query(e));
}
ALIAS(cuEventSynchronize, cuEventQuery);

API(cuEventElapsedTime, float *ms, CUevent from, CUevent to)
{
	double t = 0;
	CUresult s;

	READY();
	s = ms ? told(cu_event_elapsed(&t, from, to)) : CU_INVALID_VALUE;
	if (!s)
		*ms = (float)t;
	return s;
}
ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);

API(cuEventDestroy_v2, CUevent e)
{
	READY();
	return ended(told(cu_event_destroy(e)), OWNED_EVENT, e);
}
ALIAS(cuEventDestroy, cuEventDestroy_v2);
