/* The reading of a launch file, shared by the files that give meaning to its parts: read.c, resource.c. */
#ifndef REGLOOM_LAUNCH_READER_H
#define REGLOOM_LAUNCH_READER_H

#include "runtime-model/launch/launch.h"
#include "runtime-model/launch/yaml.h"

struct reader {
	struct launch_file *f;
	const struct raw_file *raw;
	struct yaml_marks marks;
	struct arena *a;
	struct diag *d;
};

/* Each reports what is wrong at `at` and returns false. */
bool reader_uint(struct reader *r, const char *text, struct loc at, const char *what, uint64_t min, uint64_t max,
		 uint64_t *out);
bool reader_buffer(struct reader *r, const char *name, struct loc at, uint32_t *out);

/* ---- resource.c ---- */
bool resource_read(struct reader *r); /* all of them */
bool resource_argument(struct reader *r, const struct raw_field *raw, const char *path, struct arg_spec *out);

#endif
