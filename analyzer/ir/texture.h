/* What a row of textures and surfaces (ops/texture.def) says in its text: what it does, the shape of the resource,
 * types. */
#ifndef REGLOOM_TEXTURE_H
#define REGLOOM_TEXTURE_H

#include "analyzer/ir/ir.h"

enum texture_kind {
	TEXTURE_NONE,
	TEXTURE_FETCH,
	TEXTURE_GATHER,
	TEXTURE_QUERY,
	TEXTURE_TEST,
	SURFACE_QUERY,
	SURFACE_LOAD,
	SURFACE_STORE,
	SURFACE_REDUCE
};

enum resource_query {
	QUERY_WIDTH,
	QUERY_HEIGHT,
	QUERY_DEPTH,
	QUERY_ARRAY_SIZE,
	QUERY_LEVELS,
	QUERY_SAMPLES,
	QUERY_DATA_TYPE,
	QUERY_ORDER,
	QUERY_NORMALIZED,
	QUERY_FILTER,
	QUERY_ADDRESS_0,
	QUERY_ADDRESS_1,
	QUERY_ADDRESS_2,
	QUERY_FORCE_UNNORMALIZED,
	QUERY_LAYOUT
};

/* A module's variables that stand for a resource; in struct symbol.reference. */
enum reference { REFERENCE_NONE, REFERENCE_TEXTURE, REFERENCE_SAMPLER, REFERENCE_SURFACE };

/* Such a variable takes REFERENCE_BYTES of global memory, and its address is its handle. A sampler with initial values
 * holds them there, a byte each in this order; the first is REFERENCE_MARK. */
enum { REFERENCE_BYTES = 16, REFERENCE_MARK = 0x53 };
enum { MARK_AT, FILTER_AT, ADDRESS_AT, UNNORMALIZED_AT = ADDRESS_AT + 3 };

/* What a surface access does outside; in insn.offset. */
enum outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };

/* As PTX numbers them in queries; clamp_ogl is read as clamp. */
enum address_mode { ADDRESS_WRAP, ADDRESS_MIRROR, ADDRESS_CLAMP_OGL, ADDRESS_CLAMP, ADDRESS_BORDER, ADDRESS_COUNT };

struct texture {
	enum texture_kind kind;
	uint8_t dims;                /* 1 to 3; of a cube 3 */
	bool array, cube, floats;    /* floats: coordinates */
	bool level, grad, formatted; /* formatted: .p */
	uint8_t component;           /* tld4 */
	enum resource_query query;
	enum reference tested; /* istypep */
	enum op_reduce { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR } reduce;
	enum scalar_type type; /* of the data */
	uint8_t elements;      /* registers of data */
	uint8_t coords;        /* coordinates that count, the index of an array included */
};

/* False: the row is none of texture.def. */
bool texture_of(enum op op, struct texture *x);
/* Elements of the coordinates' vector as it is written; those after x->coords are ignored. */
unsigned texture_written(const struct texture *x);
static inline bool texture_has_sampler(const struct texture *x)
{
	return x->kind == TEXTURE_FETCH || x->kind == TEXTURE_GATHER;
}
/* The instruction as text, without its guard. */
char *texture_print(struct arena *a, const struct kernel *k, const struct insn *i, const struct texture *x);

#endif
