/* Fatbins: what nvcc puts into .fatbin files and, as sections, into host objects and executables: one or more
 * containers, each with the same kernels as machine code (cubins) for some GPUs and as PTX for some architectures,
 * compressed or not. The format is documented in docs/FATBIN.md; cubins are read by analyzer/cubin. */
#ifndef REGLOOM_FATBIN_H
#define REGLOOM_FATBIN_H

#include "analyzer/base/diag.h"

enum fatbin_kind { FATBIN_PTX, FATBIN_CUBIN, FATBIN_LTO, FATBIN_OTHER };
enum fatbin_packing { PACKED_NO, PACKED_LZ4, PACKED_ZSTD };

struct fatbin_entry {
	enum fatbin_kind kind;
	enum fatbin_packing packing;
	uint32_t number;    /* from 1, through the file: what --list shows and --module takes */
	uint32_t container; /* from 1; entries of one container are versions of one module */
	uint32_t version;   /* PTX: 83 for 8.3; cubin: of its ABI */
	uint32_t arch;      /* 90 */
	char suffix;        /* 'a', 'f' or 0 */
	bool debug;
	const char *section;        /* NULL: the file is the container */
	uint64_t off;               /* of the payload in its section */
	const char *bytes;          /* the payload as stored */
	uint64_t stored, size;      /* bytes, as stored and unpacked */
	const char *name, *options; /* of the source and for ptxas; "" if there is none */
};

/* Whether an LZ4 block of what is stored can unpack to what is said. */
static inline bool fatbin_lz4_fits(const struct fatbin_entry *e) { return e->size <= 255 * e->stored + 64; }

struct fatbin {
	const char *name; /* of the file */
	struct fatbin_entry *entry;
	uint32_t n, cap, containers;
	uint64_t unpacked; /* bytes that what is packed says that it has */
};

/* The first bytes of a container. */
bool fatbin_is(const struct source *s);
/* An ELF file that is not an object of ours: host code or a cubin. */
bool fatbin_is_elf(const struct source *s);

/* Reads the directory of a .fatbin, or of the fatbin sections of an ELF file; payloads stay packed. Pointers are into S
 * and arena a. False with a diagnostic: section + offset of what is wrong; or the file has no fatbin. */
bool fatbin_read(struct fatbin *f, const struct source *s, struct arena *a, struct diag *d);

/* The unpacked bytes of an entry, in arena a, with a NUL behind them; *out is named "FILE:module N". */
bool fatbin_unpack(struct source *out, const struct fatbin *f, const struct fatbin_entry *e, struct arena *a,
		   struct diag *d);

/* Names of the kernels in an unpacked entry, in arena a. False with a diagnostic where a cubin cannot be read. */
bool fatbin_entry_kernels(const struct source *code, enum fatbin_kind kind, const char ***names, uint32_t *n,
			  struct arena *a, struct diag *d);
/* Of PTX text. */
const char **fatbin_kernels(const struct source *ptx, uint32_t *n, struct arena *a);

/* any: PTX, of a container without it machine code */
enum fatbin_code { FATBIN_CODE_ANY, FATBIN_CODE_PTX, FATBIN_CODE_SASS };
const char *fatbin_code_word(unsigned code); /* as options call it: 0 is "ptx" */
/* "90a" of "90a" and of "sm_90a"; NULL: it is no architecture */
const char *fatbin_sm(const char *text);

/* Whether a GPU of architecture SM, "90a", takes e, of which kind, arch and suffix count; NULL: any does. */
bool fatbin_runs_on(const struct fatbin_entry *e, const char *sm);

struct fatbin_choice {
	uint32_t module;    /* this entry; 0: as the rules say */
	const char *sm;     /* "80", "90a"; NULL: the newest */
	const char *kernel; /* that it must define; NULL: any */
	enum fatbin_code code;
	bool sole; /* of machine code for several GPUs none is the newest: it is an error, with a list */
};
/* Chooses an entry as the driver would (docs/FATBIN.md#which-module) and unpacks it; *kind: FATBIN_PTX or
 * FATBIN_CUBIN. */
bool fatbin_choose(struct source *out, enum fatbin_kind *kind, const struct fatbin *f, const struct fatbin_choice *c,
		   struct arena *a, struct diag *d);

/* What other code there is beside what was chosen without --code or --module, and how it is asked for: "machine code
 * for sm_75, sm_80
 * (--code=sass, --sm=ARCH for one of them)"; NULL: none. */
const char *fatbin_also(const struct fatbin *f, enum fatbin_kind chosen, const struct fatbin_choice *c,
			struct arena *a);

/* What is inside, as an aligned table or as JSON. False with a diagnostic, before the first byte is written. */
bool fatbin_list(FILE *out, const struct fatbin *f, bool json, struct arena *a, struct diag *d);

/* "PTX", "sm_90a" */
const char *fatbin_kind_name(enum fatbin_kind kind);
char *fatbin_arch_name(const struct fatbin_entry *e, struct arena *a);

#endif
