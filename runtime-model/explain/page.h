/* A kernel's explanation as it is printed, and how. Private to runtime-model/explain. */
#ifndef REGLOOM_EXPLAIN_PAGE_H
#define REGLOOM_EXPLAIN_PAGE_H

#include "analyzer/emit/view.h"
#include "runtime-model/explain/counts.h"

/* rows of a table in detail; columns of source or code */
enum { TOP_DETAIL = 40, TEXT = 60 };

struct page {
	FILE *f;
	struct view v;
	struct arena a;
	struct counts c;
	struct lines l;
	bool detail; /* tables of every warp, SM and bank */
	/* columns of a reason, and of two with their shares: as wide as the names that there are */
	int reason, stalled;
};

double page_share(uint64_t n, uint64_t of); /* percent; 0 of nothing */
double page_ratio(uint64_t n, uint64_t of);
void page_text(const struct page *p, const char *s, int max); /* and the end of the line */
/* "sgemm.ptx:12"; of a line, of instruction i; in the page's arena, as are these: */
const char *page_line_name(struct page *p, const struct line_counts *l);
const char *page_insn_name(struct page *p, uint32_t i);
const char *page_insn_text(struct page *p, uint32_t i);
/* "lines 32.0/1.0": of an access, ideal; "": none */
const char *page_access_text(struct page *p, const struct memory_counts *m);

struct ranked {
	uint64_t by;
	uint32_t at;
};
void page_rank(struct ranked r[], uint32_t n); /* the most first */

void page_memory(struct page *p);
void page_reuse(struct page *p, const struct explain *x, bool listing);
void page_occupancy(struct page *p, const struct explain *x);

#endif
