/* Instructions keep their place in the PTX text: a byte offset while the text is at hand, a line-table entry after an
 * object has been loaded without it. */
#include "ir.h"

char *ir_where(struct arena *a, const struct kernel *k, const struct insn *i)
{
	const struct module *m = k->m;

	if (m->src && i->where) {
		unsigned line, col;

		loc_line_col((struct loc){ m->src, i->where }, &line, &col);
		return arena_printf(a, "%s:%u:%u", m->src->name, line, col);
	}
	if (m->src || !i->where || i->where >= m->nline || m->line[i->where].file >= m->nfile)
		return arena_printf(a, "%s", "");
	return arena_printf(a, "%s:%u:%u", m->file[m->line[i->where].file], m->line[i->where].line, m->line[i->where].col);
}

char *ir_source(struct arena *a, const struct kernel *k, const struct insn *i)
{
	const struct module *m = k->m;

	if (m && i->line && i->line < m->nline && m->line[i->line].line && m->line[i->line].file < m->nfile)
		return arena_printf(a, "%s:%u", m->file[m->line[i->line].file], m->line[i->line].line);
	return m ? ir_where(a, k, i) : arena_printf(a, "%s", "");
}
