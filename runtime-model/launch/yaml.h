/* What a launch file says before its meaning is checked: every scalar is still text. libcyaml checks the shape (keys,
 * kinds, required keys) and fills these structs; a second walk of the text by libyaml remembers where each value
 * stands, so that errors of meaning can point at it. */
#ifndef REGLOOM_LAUNCH_YAML_H
#define REGLOOM_LAUNCH_YAML_H

#include "analyzer/base/arena.h"
#include "analyzer/base/diag.h"
#include "analyzer/base/intern.h"

/* A NULL text is a key that is absent. */
struct raw_buffer {
	char *name, *type, *count, *fill, *value, *start, *step, *modulo, *low, *high, *seed, *file, *address,
		*variable;
};
struct raw_field {
	char *buffer, *offset, *value, *type, *texture, *surface, *sampler;
};
/* A texture, surface or sampler. */
struct raw_resource {
	char *name, *buffer, *width, *height, *depth, *layers, *cube, *channels, *format, *filter, *normalized, *read;
	char *handle, *offset, *pitch, *levels, *between, *bias, *low, *high;
	char **address, **border;
	uint32_t naddress, nborder;
};
struct raw_arg {
	char *buffer, *offset, *value, *type, *texture, *surface, *sampler;
	struct raw_field *field;
	uint32_t nfield;
};
struct raw_launch {
	char *kernel, *shared_bytes, *stack_bytes, *cooperative, *code_before;
	char **grid, **block, **cluster;
	uint32_t ngrid, nblock, ncluster;
	struct raw_arg *arg;
	uint32_t narg;
};
struct raw_repeat {
	char *first, *last, *flag, *counter_arg, *max_rounds, *rounds;
};
struct raw_expect {
	char *buffer, *file, *other, *abs, *rel, *allow_mismatch;
};
struct raw_file {
	struct raw_buffer *buffer;
	struct raw_launch *launch;
	struct raw_repeat *repeat;
	struct raw_expect *expect;
	struct raw_resource *texture, *surface, *sampler;
	uint32_t nbuffer, nlaunch, nrepeat, nexpect, ntexture, nsurface, nsampler;
	char *heap_bytes, *sha256, *object_sha256, *memory, *l2, *grid_barrier;
};

/* where each value stands, by its path */
struct yaml_marks {
	const struct source *src;
	struct intern paths; /* "launches[0].args[2].type" */
	uint32_t *off;       /* by id of the path; byte offset */
	uint32_t cap;
};

/* Whether lists and mappings of a text nest no deeper than that; false with a diagnostic. For before the text goes to
 * libyaml as a whole. */
bool yaml_depth(const struct source *s, unsigned most, struct diag *d);
/* NULL with one diagnostic. Everything in arena a. */
struct raw_file *yaml_read(const struct source *s, struct yaml_marks *marks, struct arena *a, struct diag *d);
/* Position of the value at a path, or of the innermost value around it that is there. */
struct loc yaml_at(const struct yaml_marks *marks, struct arena *a, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

#endif
