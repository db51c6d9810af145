#include "runtime-model/trace/trace.h"

#include <string.h>

static const char *trace_clean(const char *text, bool json, struct arena *a)
{
	char *out = arena_alloc(a, strlen(text) * 6 + 1, 1), *to = out;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= ' ' && (!json || (c != '"' && c != '\\')))
			*to++ = (char)c;
		else if (!json)
			*to++ = ' ';
		else
			to += sprintf(to, c < ' ' ? "\\u%04x" : "\\%c", c);
	}
	*to = 0;
	return out;
}

/* The line of the source that the PTX was made from, if it says; else the place in the PTX. */
static const char *where_text(const struct kernel *k, const struct insn *i, struct arena *a)
{
	const struct module *m = k->m;
	const struct srcline *l = &m->line[i->line];
	bool known = i->line && i->line < m->nline && l->line && l->file < m->nfile && m->file[l->file];

	return known ? arena_printf(a, "%s:%u", m->file[l->file], l->line) : ir_where(a, k, i);
}

const struct trace_text *trace_text(const struct trace_text **list, const struct kernel *k, bool json, struct arena *a)
{
	struct trace_text *t;

	for (const struct trace_text *known = *list; known; known = known->next)
		if (known->k == k)
			return known;
	t = new(a, struct trace_text);
	*t = (struct trace_text){
		k,
		trace_clean(k->name, json, a),
		new_array(a, const char *, k->ninsn + 1),
		new_array(a, const char *, k->ninsn + 1),
		new_array(a, const char *, k->ninsn + 1),
		*list,
	};
	for (uint32_t n = 0; n < k->ninsn; n++) {
		const struct insn *i = &k->insn[n];
		size_t len;
		const char *name = op_mnemonic((enum op)i->op, &len);

		t->name[n] = trace_clean(arena_strndup(a, name, len), json, a);
		t->text[n] = trace_clean(ir_print_insn(a, k, i), json, a);
		t->where[n] = trace_clean(where_text(k, i, a), json, a);
	}
	t->name[k->ninsn] = t->text[k->ninsn] = "metadata";
	t->where[k->ninsn] = "";
	*list = t;
	return t;
}
