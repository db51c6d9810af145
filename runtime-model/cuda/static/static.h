/* Programs and shared libraries that carry NVIDIA's runtime inside (nvcc's default): each of its functions is made to
 * jump into regloom's runtime before anything in the object runs. This is an auditing library of the dynamic linker
 * (rtld-audit(7)): it is told of every object that is mapped, dlopened ones too, and lives apart from the program. */
#ifndef REGLOOM_CUDA_STATIC_H
#define REGLOOM_CUDA_STATIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what a file's symbol table says (symbols.c) ---- */
struct entry {
	uint64_t at;      /* as in the file: the object may lie elsewhere */
	uint64_t room;    /* bytes up to what follows the function */
	const char *name; /* in the mapped file */
};
struct symbols {
	const void *file; /* mapped */
	size_t bytes;
	int version;          /* of the runtime: 11, 12 or 13; 0: there is none */
	uint64_t start, end;  /* of the executable segment that has it, in the file's addresses */
	int protection;       /* of that segment, as of mprotect() */
	uint64_t first, last; /* addresses of known functions */
	unsigned n;           /* entries */
	size_t name_bytes;    /* of all names, with their ends */
};
/* Maps the file and looks for a runtime in it. s->version is 0 if there is none, or the file cannot be read. */
void symbols_open(struct symbols *s, const char *path);
bool symbols_next(const struct symbols *s, size_t *place, struct entry *e); /* *place starts as 0 */
void symbols_close(struct symbols *s);

/* ---- jumps (redirect.c) ---- */
/* Where an entry jumps to: static_bind, then what it has found. Known to the assembly there. */
struct slot {
	void (*target)(void);
	const char *name;
	void (*missing)(void); /* of the runtime: gets the name */
	int version;
};
struct slots {
	size_t bytes;
	unsigned n;
	struct slot slot[]; /* and then the names */
};
/* NULL: there is no runtime, or it cannot be redirected, which is said. base: where the object lies less where its file
 * says. */
struct slots *redirect(const struct symbols *s, uint64_t base, const char *path);
void redirect_drop(struct slots *s);
void static_bind(void);    /* what a slot starts with; finds its slot in a register */
void static_missing(void); /* calls what `missing` says, likewise */

/* ---- who it jumps to (audit.c) ---- */
void static_resolve(struct slot *s); /* sets its target, on the first call */

#endif
