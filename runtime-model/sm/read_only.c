/* The constant and the texture cache of an SM.
 *
 * Constants: loads of constant and parameter space. Lines of 64 bytes, allocated when they come; a miss takes one of a
 * few MSHRs, where later reads of the line wait with it; the load-store unit goes on. Textures: what tex, tld4 and
 * surface loads touch. Tags change at once, misses are asked for at once, and every access enters a first-in, first-out
 * queue as long as memory is slow: results leave it in order, one a cycle, so an access to a line on its way needs no
 * more than its place behind the one that asked for it (Igehy et al., Prefetching in a Texture Cache Architecture,
 * 1998). Neither cache sees stores. */
#include "runtime-model/sm/sm.h"

void read_only_init(struct sm *s, struct arena *a)
{
	const struct params *p = s->p;

	cache_init(&s->ro.constants, p->const_sets, p->const_ways, false, a);
	cache_init(&s->ro.textures, p->tex_sets, p->tex_ways, false, a);
	s->ro.const_miss = new_array(a, struct const_miss, p->const_mshrs);
	s->ro.tex = new_array(a, struct tex_access, p->tex_queue);
}

unsigned const_take_lines(const struct record *r, unsigned lines, uint64_t out[])
{
	unsigned n = 0;

	if (!lines) { /* all in one line, where the word of passes says */
		uint64_t at = CONST_LINES + smem_offset(r->line[0]) +
			      (smem_space(r->line[0]) == SP_PARAM ? 0 : CONST_BANK_BYTES);

		out[n++] = at / LINE_BYTES | (uint64_t)(at & CONST_LINE_BYTES ? CONST_HIGH : CONST_LOW) << 60;
	}
	for (unsigned i = 0; i < lines; i++) {
		unsigned sectors = line_sectors(r->line[i]);

		if (sectors & CONST_LOW)
			out[n++] = (r->line[i] << 4 >> 4) | (uint64_t)CONST_LOW << 60;
		if (sectors & CONST_HIGH)
			out[n++] = (r->line[i] << 4 >> 4) | (uint64_t)CONST_HIGH << 60;
	}
	return n;
}

bool const_read(struct sm *s, unsigned n, uint64_t word, cycle now)
{
	uint64_t line = line_address(word) / CONST_LINE_BYTES + (line_sectors(word) == CONST_HIGH);
	struct const_miss *free = NULL;

	if (!s->p->const_sets || cache_find(&s->ro.constants, line)) {
		s->st.const_reads++;
		s->st.const_read_hits++;
		return lsu_sent(s, n, PROBE_LINE_HIT);
	}
	for (unsigned i = 0; i < s->p->const_mshrs; i++) {
		struct const_miss *m = &s->ro.const_miss[i];

		if (!m->n) {
			free = m;
		} else if (m->line == line) {
			if (m->n == CONST_WAITERS)
				return false;
			m->waiter[m->n++] = (uint16_t)n;
			s->flight[n].lines_out++;
			s->st.const_reads++;
			s->st.const_read_merges++;
			return lsu_sent(s, n, PROBE_LINE_MERGE);
		}
	}
	if (!free || !lsu_send(s, now, MEMORY_READ, line_address(word) / LINE_BYTES, line_sectors(word), RESPONSE_CONST,
			       (unsigned)(free - s->ro.const_miss)))
		return false;
	free->line = line;
	free->n = 1;
	free->waiter[0] = (uint16_t)n;
	s->flight[n].lines_out++;
	s->st.const_reads++;
	s->st.const_read_misses++;
	return lsu_sent(s, n, PROBE_LINE_MISS);
}

void const_filled(struct sm *s, unsigned id)
{
	struct const_miss *m = &s->ro.const_miss[id];

	cache_take(&s->ro.constants, cache_victim(&s->ro.constants, m->line), m->line);
	for (unsigned i = 0; i < m->n; i++)
		queue_push(&s->mem.filled, m->waiter[i]);
	m->n = 0;
}

bool tex_read(struct sm *s, unsigned n, uint64_t line, cycle now)
{
	struct cache_line *l = cache_find(&s->ro.textures, line);
	unsigned at = (s->ro.tex_head + s->ro.ntex) % s->p->tex_queue;

	if (s->ro.ntex == s->p->tex_queue || (!l && !lsu_send(s, now, MEMORY_READ, line, 15, RESPONSE_TEX, at)))
		return false;
	s->st.tex_reads++;
	if (l) {
		s->st.tex_read_hits++;
	} else {
		s->st.tex_read_misses++;
		cache_take(&s->ro.textures, cache_victim(&s->ro.textures, line), line);
	}
	s->ro.tex[at] = (struct tex_access){ .at = now + s->p->tex_latency, .flight = (uint16_t)n, .there = l != NULL };
	s->ro.ntex++;
	s->flight[n].lines_out++;
	return lsu_sent(s, n, l ? PROBE_LINE_HIT : PROBE_LINE_MISS);
}

bool tex_done(struct sm *s, cycle now, unsigned *flight)
{
	struct tex_access *t = &s->ro.tex[s->ro.tex_head];

	if (!s->ro.ntex || !t->there || t->at > now)
		return false;
	*flight = t->flight;
	s->ro.tex_head = (s->ro.tex_head + 1) % s->p->tex_queue;
	s->ro.ntex--;
	return true;
}

cycle tex_next(const struct sm *s)
{
	return s->ro.ntex && s->ro.tex[s->ro.tex_head].there ? s->ro.tex[s->ro.tex_head].at : NEVER;
}
