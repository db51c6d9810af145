/* What contexts own: memory, modules, streams, events, arrays, textures and surfaces made while they were current,
 * which go when they go. Addresses are those of the one device, so that a context may use another's, as with unified
 * addressing. */
#include "runtime-model/cuda/driver/driver.h"

#include <pthread.h>
#include <stdlib.h>

struct owned {
	struct owned *next;
	CUcontext c;
	enum owned_kind kind;
	uint64_t handle, id;
};
static struct owned *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What tells it from another that is made in its place after it went by other means; 0: it is not there. */
static uint64_t id_of(enum owned_kind kind, uint64_t handle)
{
	struct cu_range r;
	uint64_t id = 0;

	if (kind == OWNED_MEMORY)
		return cu_find(&r, handle) ? r.id : 0;
	if (kind == OWNED_STREAM)
		return cu_stream_get((struct cu_stream *)(uintptr_t)handle, NULL, NULL, &id) ? 0 : id;
	return 1;
}

void own(enum owned_kind kind, uint64_t handle)
{
	struct owned *x = malloc(sizeof *x);
	CUcontext c = context_now();

	if (!x) /* it lives as long as the process, then */
		return;
	*x = (struct owned){ .c = c, .kind = kind, .handle = handle, .id = id_of(kind, handle) };
	pthread_mutex_lock(&lock);
	x->next = all;
	all = x;
	pthread_mutex_unlock(&lock);
}

void disown(enum owned_kind kind, uint64_t handle)
{
	struct owned **at, *x;

	pthread_mutex_lock(&lock);
	for (at = &all; *at && ((*at)->kind != kind || (*at)->handle != handle); at = &(*at)->next)
		;
	x = *at;
	if (x)
		*at = x->next;
	pthread_mutex_unlock(&lock);
	free(x);
}

CUresult ended(CUresult s, enum owned_kind kind, const void *x)
{
	if (!s)
		disown(kind, (uint64_t)(uintptr_t)x);
	return s;
}

CUcontext owner(enum owned_kind kind, uint64_t handle)
{
	const struct owned *x;
	CUcontext c;

	pthread_mutex_lock(&lock);
	for (x = all; x && (x->kind != kind || x->handle != handle); x = x->next)
		;
	c = x ? x->c : NULL;
	pthread_mutex_unlock(&lock);
	return c;
}

static void end(const struct owned *x)
{
	struct cu_range r;

	if (id_of(x->kind, x->handle) != x->id)
		return;
	switch (x->kind) {
	case OWNED_MEMORY:
		if (cu_find(&r, x->handle))
			cu_free(x->handle, r.kind);
		break;
	case OWNED_MODULE:
		module_end((CUmodule)(uintptr_t)x->handle);
		break;
	case OWNED_STREAM:
		cu_stream_destroy((CUstream)(uintptr_t)x->handle);
		break;
	case OWNED_EVENT:
		cu_event_destroy((CUevent)(uintptr_t)x->handle);
		break;
	case OWNED_ARRAY:
		cu_array_destroy((CUarray)(uintptr_t)x->handle);
		break;
	case OWNED_MIPMAP:
		cu_mipmap_destroy((CUmipmap)(uintptr_t)x->handle);
		break;
	case OWNED_TEXTURE:
		texture_end(x->handle);
		break;
	case OWNED_SURFACE:
		surface_end(x->handle);
		break;
	}
}

void owned_end(CUcontext c, bool gone)
{
	struct owned *mine = NULL, **at = &all, *x;

	pthread_mutex_lock(&lock);
	while ((x = *at))
		if (x->c == c || (gone && x->kind != OWNED_MODULE)) {
			*at = x->next;
			x->next = mine;
			mine = x;
		} else {
			at = &x->next;
		}
	pthread_mutex_unlock(&lock);
	while ((x = mine)) {
		mine = x->next;
		if (!gone || x->kind == OWNED_MODULE || x->kind == OWNED_TEXTURE || x->kind == OWNED_SURFACE)
			end(x);
		free(x);
	}
}
