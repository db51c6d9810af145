/* Textures, samplers and surfaces of a device, and the instructions on them. Shared by the files of this folder
 * only. */
#ifndef REGLOOM_ENGINE_TEXTURE_H
#define REGLOOM_ENGINE_TEXTURE_H

#include "analyzer/ir/texture.h"
#include "runtime-model/engine/core.h"

/* texels: of one lane, in records */
enum { TEXTURE_COORDS = 4, TEXTURE_DATA = 4, TEXTURE_REST = 6, TEXELS_MAX = 8 };

/* Handles of resources lie between the windows of generic addresses and global memory, where nothing can be accessed. A
 * module's variable has its address as handle. */
#define RESOURCE_WINDOW 0x08000000u

struct bound {
	struct resource r;
	struct resource *level; /* each, if there are several; in a */
	unsigned char *texels;  /* NULL: it is a sampler, or that memory has been freed */
	bool used;
	uint32_t next;  /* unused: the next one that is, + 1 */
	struct arena a; /* its name */
};
struct bound_variable {
	uint64_t addr;
	uint32_t bound;
};

/* an instruction */
struct xtexture {
	struct texture x;
	uint32_t dst[TEXTURE_DATA]; /* word offsets; istypep: a predicate */
	int32_t handle, sampler;    /* operands */
	int32_t coord[TEXTURE_COORDS];
	int32_t data[TEXTURE_REST]; /* of sust, sured; a level; gradients by x, then by y */
	uint8_t outside;            /* enum outside */
};

/* addresses, for the record */
struct touched {
	uint64_t at[WARP_LANES * TEXELS_MAX];
	unsigned n;
};

/* ---- resource.c ---- */
const struct bound *resource_find(const struct device *dev, uint64_t handle);
/* Memory that is about to be freed: what lies in it has no texels from now on. */
void resources_forget(struct device *dev, const struct allocation *al);
void resources_moved(struct device *dev); /* memory of the host lies elsewhere */
void resources_free(struct device *dev);

/* ---- texture.c ---- */
/* Reports that a handle names nothing. */
bool texture_missing(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned l,
		     uint64_t handle, const char *what);
/* The same if the texels are gone. */
bool texture_freed(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned l,
		   const struct bound *b);
bool texture_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);

/* ---- surface.c ---- */
bool surface_execute(struct engine *e, struct cta *c, struct warp *w, const struct xtexture *tx, uint32_t insn,
		     uint32_t exec);

static inline uint64_t texture_handle(const uint32_t *v, unsigned l)
{
	return (uint64_t)v[l + WARP_LANES] << 32 | v[l];
}
static inline unsigned texture_levels(const struct resource *r) { return r->levels ? r->levels : 1; }
static inline unsigned texel_bytes(const struct resource *r) { return r->channels * (type_info[r->type].bits / 8u); }
static inline uint64_t texel_pitch(const struct resource *r)
{
	return r->pitch ? r->pitch : (uint64_t)r->size[0] * texel_bytes(r);
}
/* Layers of texels: faces count. */
static inline uint64_t texel_layers(const struct resource *r) { return r->layers * (r->cube ? (uint64_t)6 : 1); }

static inline const uint32_t *texture_operand(const struct engine *e, const struct warp *w, int32_t at)
{
	return (at < 0 ? e->prog.konst : w->reg) + (at & INT32_MAX);
}

#endif
