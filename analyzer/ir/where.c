/* Instructions keep their place in the PTX text: a byte offset while the text is at hand, a line-table entry after an
 * object has been loaded without it. */
#include "ir.h"

/* Of decoded machine code: ".text.saxpy+0x1a0". */
static char *native_where(struct arena *a, const struct kernel *k, const struct insn *i)
{
	const struct native *n = k->native;
	const uint32_t at = (uint32_t)(i - k->insn);
	uint32_t p = 0;

	while (p + 1 < n->npart && n->part[p + 1].first <= at)
		p++;
	return arena_printf(a, "%s+0x%llx", n->part[p].section,
			    (unsigned long long)(n->part[p].at + 16 * (uint64_t)(at - n->part[p].first)));
}

char *ir_where(struct arena *a, const struct kernel *k, const struct insn *i)
{
	const struct module *m = k->m;

	if (k->native)
		return native_where(a, k, i);
	if (m->src && i->where) {
		unsigned line, col;

		loc_line_col((struct loc){ m->src, i->where }, &line, &col);
		return arena_printf(a, "%s:%u:%u", m->src->name, line, col);
	}
	if (m->src || !i->where || i->where >= m->nline || m->line[i->where].file >= m->nfile)
		return arena_printf(a, "%s", "");
	return arena_printf(a, "%s:%u:%u", m->file[m->line[i->where].file], m->line[i->where].line,
			    m->line[i->where].col);
}

char *ir_source(struct arena *a, const struct kernel *k, const struct insn *i)
{
	const struct module *m = k->m;

	if (m && i->line && i->line < m->nline && m->line[i->line].line && m->line[i->line].file < m->nfile)
		return arena_printf(a, "%s:%u", m->file[m->line[i->line].file], m->line[i->line].line);
	return m ? ir_where(a, k, i) : arena_printf(a, "%s", "");
}
