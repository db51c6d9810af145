/* What the parts of the lifter share: a file's functions, and the kernel at hand. */
#ifndef REGLOOM_SASS_LIFT_CODE_H
#define REGLOOM_SASS_LIFT_CODE_H

#include "analyzer/sass/lift.h"
#include "analyzer/sass/sass.h"

#define NOWHERE UINT32_MAX
enum { WORD_BYTES = 16 };

/* A function's bytes in a section: from its symbol to the next function's, or the end. */
struct piece {
	uint32_t shndx, func; /* func: index in cubin.func */
	uint64_t start, end;
	uint32_t kernel, part; /* part of the kernel whose number + 1 is `kernel` */
};

/* of a file */
struct lift {
	const struct cubin *c;
	struct arena *a;
	struct diag *d;
	struct module *m;
	struct piece *piece;
	uint32_t npiece;        /* by section and start */
	uint32_t *symbol_piece; /* by symbol; NOWHERE: it is no function with code */
	uint32_t *section_line; /* by section: its first in cubin.line */
	/* by code section: the one with the constants of its kernel in bank 2; 0: none */
	uint32_t *constants;
	uint32_t *line;                 /* by cubin.line: index in module.line */
	uint32_t *variable;             /* by symbol: index in module.sym; NOWHERE */
	bool code_relocs;               /* there are relocations in code sections */
	const struct lift_taken *taken; /* lift_taken.c; NULL: not asked yet */
};

/* An instruction that control may leave, or a place that is named as a target. to: a byte in section shndx; outside:
 * there is no instruction there; noted: why it is not known; runtime: what it calls, if that is known to be in the
 * driver; else NULL. */
struct jump {
	uint32_t insn, part, shndx;
	enum sass_class class;
	bool known, mark, outside, noted;
	uint64_t to;
	const struct host_info *runtime;
};

struct lift_part {
	uint32_t first, n, piece;
};

struct lift_kernel {
	struct lift *l;
	struct kernel *k;
	struct native *native;
	uint64_t (*word)[2];
	uint32_t word_cap;
	/* the kernel's own code first, then as calls are met */
	struct lift_part *part;
	uint32_t npart, part_cap;
	struct jump *jump;
	uint32_t njump, jump_cap; /* by instruction */
	uint32_t note_cap, relocated_cap, address_cap;
	const struct cubin_func *f;
	uint32_t number;
};

/* What is said of instruction i, once for each. */
void lift_note(struct lift_kernel *x, uint32_t i, const char *what);
/* "DOES 0x1230, where its section has no instruction" */
const char *lift_outside(const struct lift_kernel *x, const char *does, const struct jump *j);
/* The first relocation of a section from byte `at` on, within so many bytes, or NULL. */
const struct cubin_reloc *lift_reloc(const struct lift *l, uint32_t shndx, uint64_t at, uint64_t bytes);
/* The piece that a byte of a section is in; NOWHERE. */
uint32_t lift_piece_at(const struct lift *l, uint32_t shndx, uint64_t at);
/* The kernel's instruction at a byte of a section; NOWHERE if the kernel has none there. */
uint32_t lift_insn_at(const struct lift_kernel *x, uint32_t shndx, uint64_t at);
/* Byte offset of instruction i in its section. */
uint64_t lift_address(const struct lift_kernel *x, uint32_t i);
uint32_t lift_part_of(const struct lift_kernel *x, uint32_t i);
/* Makes the piece a part of the kernel, once: its code is decoded when its turn comes. */
void lift_want(struct lift_kernel *x, uint32_t piece);

/* lift_data.c: variables of the module; native->address of a kernel that is decoded. */
void lift_variables(struct lift *l);
void lift_addresses(struct lift_kernel *x);

/* lift_insn.c: decodes all of part p behind the instructions that there are. */
void lift_decode(struct lift_kernel *x, uint32_t p);
/* lift_pred.c: into i->offset and i->cop, insn_implies() and insn_matters(). */
void lift_implied(const struct sass_insn *s, const uint64_t word[2], struct insn *i);
/* lift_taken.c: a set of parts of the kernel, in arena A: the functions that a call through a register can enter. Into
 * *WHY: why these are all, when it cannot be known; else NULL. */
uint64_t *lift_taken(struct lift_kernel *x, struct arena *a, const char **why);
/* Makes functions with sections of their own parts of the kernel, if it calls what a register names and their address
 * is taken. Wants all decoded, once or, if there is more, again. */
void lift_want_taken(struct lift_kernel *x);
/* lift_runtime.c: jump.runtime. Wants all decoded. */
void lift_runtime(struct lift_kernel *x, struct arena *a);
/* Registers that its arguments are in, a bit each from RUNTIME_ARGUMENTS on. */
uint32_t lift_arguments(const struct host_info *r);
/* The places that an indirect branch at a byte of a section goes to, as the file lists them; NULL. */
const struct cubin_range *lift_range(const struct lift_kernel *x, uint32_t shndx, uint64_t at);
/* lift_flow.c: blocks, functions and jump tables of what was decoded. */
void lift_flow(struct lift_kernel *x);
/* lift_reach.c: native->reach. */
void lift_reach(struct lift_kernel *x);
/* lift_stack.c: res.local_bytes, native->unbounded and native->elsewhere. Wants the blocks. */
void lift_stack(struct lift_kernel *x);

#endif
