/* Whether a file lies in a folder, whatever links lead where: what a file from somebody else may name. */
#ifndef REGLOOM_BASE_INSIDE_H
#define REGLOOM_BASE_INSIDE_H

#include <stdbool.h>

/* FOLDER "": the current one. PATH need not be there; what is missing of it is taken as it is written. False as well if
 * either cannot be looked at. */
bool inside(const char *folder, const char *path);

/* The folders that lines of source files are taken from, besides that of the input and the current one. */
enum { SOURCE_DIRS_MAX = 64 };
struct source_dirs {
	const char *dir[SOURCE_DIRS_MAX];
	unsigned n;
	char left_out[4096]; /* the first file that is there and in none of them; "": there is none */
};
bool source_dir_add(struct source_dirs *s, const char *dir); /* false: it is no folder, or there are too many */
/* May lines of this file be shown, which a kernel of INPUT names? s may be NULL: there are none, and nobody is told. */
bool source_allowed(struct source_dirs *s, const char *input, const char *path);
/* How what was left out is allowed, on standard error. */
void source_note(const struct source_dirs *s, const char *program);

#endif
