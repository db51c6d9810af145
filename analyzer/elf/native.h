/* What writing and reading annotations of cubins share: the tables that follow from the code. */
#ifndef REGLOOM_NATIVE_H
#define REGLOOM_NATIVE_H

#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/format.h"

/* ELF numbers of a cubin's code sections by name. Of two of one name, which no tool writes, the first. */
struct native_sections {
	struct intern names;
	uint32_t *at, cap;
};
void native_sections_init(struct native_sections *s, const struct cubin *c, struct arena *a);
bool native_is_code(const struct cubin_section *s);

enum { NATIVE_DIGEST = 32 };
void native_digest(const struct cubin_section *s, uint8_t sha256[NATIVE_DIGEST]); /* of its bytes */

/* Over the strings that tables name: what a changed letter says cannot be known otherwise. */
uint64_t native_strings_sum(const uint8_t *p, size_t n);

#define NATIVE_STRINGS ".regloom.strings"

struct native_place {
	uint32_t section, address;
};
/* By instruction; the last one, of k->ninsn, is behind the code. In arena a. */
const struct native_place *native_places(const struct kernel *k, const struct native_sections *s, struct arena *a);

struct native_tables {
	struct buf native, part, block, live, point, lastread, release, operand, wait, wfree;
};
/* FACT_CFG, FACT_DOM, FACT_PDOM, FACT_LOOP, FACT_LIVE, FACT_WLIVE and FACT_RELEASE of k, decoded machine code,
 * valid. */
void native_encode(const struct kernel *k, const struct native_sections *s, struct arena *a, struct native_tables *out);

/* Where RegMutex would acquire and release (native_mutex.c): of k->regmutex with an extended set; else there are
 * none. */
struct native_mutex {
	struct buf mutex, acquire, held;
};
void native_encode_mutex(const struct kernel *k, const struct native_sections *s, struct arena *a,
			 struct native_mutex *out);
/* k->regmutex has been read */
bool native_read_mutex(struct reader *r, const struct native_sections *s, struct kernel *k);

#endif
