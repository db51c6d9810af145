/* Cubins: ELF files with the machine code of kernels for one GPU, as ptxas and nvlink write them, read through libelf.
 * Both layouts of the header are accepted: the old one, of toolkits up to CUDA 12, and that of CUDA 13. docs/CUBIN.md
 * says what each section holds. Knows nothing of instructions. */
#ifndef REGLOOM_CUBIN_H
#define REGLOOM_CUBIN_H

#include "analyzer/base/diag.h"

/* bytes; offset from param_base */
struct cubin_param {
	uint32_t ordinal, offset, size;
};

/* One record of .nv.info. */
/* name: "REGCOUNT"; NULL: not known */
struct cubin_attr {
	uint8_t id, format;
	uint32_t value;
	const uint8_t *bytes;
	uint32_t n;
	const char *name;
};

/* an indirect branch at byte `offset` and its targets, in c->target */
struct cubin_range {
	uint32_t offset, target_first, ntarget;
};

/* A kernel or a device function: a symbol of type FUNC, with its own code section or inside a kernel's. */
struct cubin_func {
	const char *name;        /* mangled; of a function cloned into a kernel "$K$f" */
	uint32_t symbol, shndx;  /* index in .symtab; of its code section */
	uint64_t offset, size;   /* bytes in that section */
	bool entry;              /* a kernel */
	bool owner;              /* the section is its own: .text.NAME */
	uint32_t regs, barriers; /* declared: EIATTR_REGCOUNT or sh_info; 0: not given */
	/* static, with the first bytes that the driver reserves: sm_90 and later */
	uint32_t shared_bytes, shared_reserved;
	/* UINT32_MAX: no bound; stack_given: min_stack is there */
	uint32_t frame_bytes, min_stack, max_stack;
	bool stack_given;
	uint32_t maxntid[3], reqntid[3], cluster[3], maxreg; /* 0: not given */
	uint32_t param_base, param_bytes;                    /* in constant bank 0 */
	struct cubin_param *param;
	uint32_t nparam; /* by offset */
	struct cubin_attr *attr;
	uint32_t nattr;
	uint32_t *exit;
	uint32_t nexit; /* byte offsets of EXIT, as the file lists them */
	struct cubin_range *range;
	uint32_t nrange;
};

/* bytes NULL: NOBITS */
struct cubin_section {
	const char *name;
	uint32_t shndx, type, link, info;
	uint64_t flags, offset, size, align, addr;
	const uint8_t *bytes;
};
struct cubin_symbol {
	const char *name;
	uint8_t bind, type, other;
	uint32_t shndx;
	uint64_t value, size;
};
/* shndx: the section that is patched; in_place: the field holds the addend */
struct cubin_reloc {
	uint32_t shndx;
	uint64_t offset;
	uint32_t type, symbol;
	int64_t addend;
	bool in_place;
};
#define CUBIN_CALL_FLAGS 0xfffffffbu
/* symbols; a callee from CUBIN_CALL_FLAGS on is a flag */
struct cubin_call {
	uint32_t caller, callee;
};
/* From `offset` in a code section on; file NULL: none. inlined: "distance, inlined at k.cu:16", from the innermost call
 * out; NULL: the function's own code. */
struct cubin_line {
	uint32_t shndx;
	uint64_t offset;
	const char *file;
	uint32_t line;
	const char *inlined;
};

struct cubin {
	const char *name;
	unsigned sm;     /* 80 */
	unsigned ptx_sm; /* of the PTX that it was compiled from; 0: the file does not say */
	char suffix;     /* 'a' of sm_90a, 'f' where the compiler's options tell it, or 0 */
	bool new_abi, relocatable;
	uint8_t os_abi, abi_version;
	uint32_t e_flags, toolkit; /* toolkit: 130 for 13.0, 0 if the file does not say */
	struct cubin_section *section;
	uint32_t nsection; /* section[i].shndx == i */
	struct cubin_symbol *symbol;
	uint32_t nsymbol;
	struct cubin_func *func;
	uint32_t nfunc; /* kernels first, by section and offset */
	struct cubin_reloc *reloc;
	uint32_t nreloc; /* by section and offset */
	struct cubin_call *call;
	uint32_t ncall;
	/* of .nv.info: of the file, or with the symbol that they are of */
	struct cubin_attr *attr;
	uint32_t nattr;
	struct cubin_line *line;
	uint32_t nline; /* by section and offset */
	uint32_t *target;
	uint32_t ntarget;
};

/* Whether the bytes are an ELF file for NVIDIA's machine (e_machine 190). */
bool cubin_is(const void *bytes, size_t n);
/* Pointers are into arena a. NULL with a diagnostic: section and offset of what is wrong. */
struct cubin *cubin_read(const struct source *s, struct arena *a, struct diag *d);
/* "R_CUDA_32" of cubin_reloc.type; NULL: not known. What it patches, for people. */
const char *cubin_reloc_name(uint32_t type, const char **what);
/* "sm_90a" */
const char *cubin_arch(const struct cubin *c, struct arena *a);
/* Text for --list: kernels and functions with their resources, sections, as a table; or JSON. */
bool cubin_list(FILE *f, const struct cubin *c, bool json, struct arena *a);

#endif
