/* One cubin being read: read.c has the container, info.c what .nv.info says of functions, lines.c the line tables. */
#ifndef REGLOOM_CUBIN_READ_H
#define REGLOOM_CUBIN_READ_H

#include "analyzer/cubin/cubin.h"

struct cubin_reader {
	struct cubin *c;
	struct arena *a;
	struct diag *d;
	const uint8_t *p;
	size_t n; /* the file */
	/* bytes of tables read so far: sections that lie over each other must not add up */
	uint64_t spent;
	uint32_t *owner;     /* by section: the function whose code it is, index into c->func + 1; 0: none */
	uint32_t *of_symbol; /* by symbol: its function, likewise */
};

/* ELF values, as far as they matter and <elf.h> has no names for them. */
enum {
	CSHT_INFO = 0x70000000,
	CSHT_CALLGRAPH = 0x70000001,
	CSHT_GLOBAL = 0x70000007,
	CSHT_LOCAL = 0x70000009,
	CSHT_SHARED = 0x7000000a,
	CSTO_ENTRY = 0x10,
	CUBIN_INSN_BYTES = 16,
};

/* Where section headers are, how many there are, and which has their names: by the ELF header, or where the numbers are
 * too large for it by the first section header. False: they are not inside the n bytes at p, an ELF header at least. */
struct cubin_headers {
	uint64_t at, n, names;
};
bool cubin_section_headers(const uint8_t *p, size_t n, struct cubin_headers *h);
/* What is wrong at byte OFF of section S. Returns false. */
bool cubin_bad(struct cubin_reader *r, const struct cubin_section *s, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Takes section S from what may still be read. */
bool cubin_spend(struct cubin_reader *r, const struct cubin_section *s);
/* c->func, with their attributes; sections and symbols are known */
bool cubin_read_functions(struct cubin_reader *r);
bool cubin_read_lines(struct cubin_reader *r); /* c->line */

static inline uint32_t cubin_u16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t cubin_u32(const uint8_t *p) { return cubin_u16(p) | cubin_u16(p + 2) << 16; }
static inline uint64_t cubin_u64(const uint8_t *p) { return cubin_u32(p) | (uint64_t)cubin_u32(p + 4) << 32; }

#endif
