/* Facts, names and source text that the listing, the JSON and the summary share.
 *
 * Source files are looked for under the name that .file gives and beside the module's own file. Only regular files of
 * up to SOURCE_MAX bytes are read: the names come from the input, and a view must not wait for a device. */
#include "analyzer/base/kernel_name.h"
#include "view.h"
#include "analyzer/base/inside.h"

#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MAX = 16 << 20 };

struct view_source {
	bool tried;
	const char *path; /* that it was read from; NULL: none */
	const char *text;
	uint32_t *line_at, nline; /* line n (from 1) is text[line_at[n - 1] .. line_at[n]) */
};

/* Members of set from `from` to `end`, which is not one. */
static uint32_t members(const uint64_t *set, uint32_t from, uint32_t end)
{
	uint32_t n = 0;

	for (uint32_t w = from / 64; w <= (end - 1) / 64; w++) {
		uint64_t x = set[w];

		if (w == from / 64)
			x &= ~UINT64_C(0) << from % 64;
		if (w == end / 64)
			x &= (UINT64_C(1) << end % 64) - 1;
		n += (uint32_t)__builtin_popcountll(x);
	}
	return n;
}

struct view_counts view_count(const struct kernel *k, const uint64_t *set)
{
	struct view_counts c = { 0 };
	uint32_t n = ir_nreg(k);

	if (k->form == FORM_MACHINE) {
		c.regs = members(set, 0, MREG_RZ);
		c.preds = members(set, MREG_P0, MREG_PT);
		if (k->native) {
			c.uregs = members(set, MREG_UR0, MREG_URZ);
			c.upreds = members(set, MREG_UP0, MREG_UPT);
		}
		return c;
	}
	for (uint32_t r = bitset_next(set, 0, n); r < n; r = bitset_next(set, r + 1, n)) {
		if (k->vreg[r].rc == RC_PRED)
			c.preds++;
		else
			c.regs += k->vreg[r].rc == RC_64 ? 2 : 1;
	}
	return c;
}

uint32_t view_counted(struct view_counts c, enum reg_file f)
{
	switch (f) {
	case FILE_GPR:
		return c.regs;
	case FILE_PRED:
		return c.preds;
	case FILE_UGPR:
		return c.uregs;
	case FILE_UPRED:
		return c.upreds;
	case FILE_CBAR:
	case FILE_COUNT:
		break;
	}
	return 0;
}

static void count_columns(struct view *v, const struct reg_use *use, unsigned n)
{
	for (unsigned u = 0; v->k->form == FORM_MACHINE && u < n; u++) {
		enum reg_file f = mreg_file(use[u].reg);
		uint32_t columns = use[u].reg - mreg_first(f) + 1;

		v->named_from[f] = !v->named[f] || columns <= v->named_from[f] ? columns - 1 : v->named_from[f];
		v->named[f] = columns > v->named[f] ? columns : v->named[f];
	}
}

static void walk_block(struct view *v, uint32_t b, uint64_t *set)
{
	const struct kernel *k = v->k;
	uint64_t *occupied = bitset_new(&v->a, ir_nreg(k));

	live_copy(set, live_out(k, b), ir_nreg(k));
	for (uint32_t j = k->block[b].n; j-- > 0;) {
		uint32_t i = k->block[b].first + j;
		struct reg_use use[REG_USE_MAX];
		unsigned n = insn_reg_uses(k, &k->insn[i], use);
		uint64_t *before = v->before + (size_t)i * v->words, *after = v->after + (size_t)i * v->words;

		bitset_copy(after, set, ir_nreg(k));
		live_step_back(k, &k->insn[i], set);
		bitset_copy(before, set, ir_nreg(k));
		for (uint32_t w = 0; w < v->words; w++)
			occupied[w] = before[w] | after[w];
		for (unsigned u = 0; u < n; u++)
			bitset_add(occupied, use[u].reg);
		v->live[i] = view_count(k, before);
		v->occupied[i] = view_count(k, occupied);
		count_columns(v, use, n);
	}
}

void view_init_text(struct view *v, const struct module *m, const struct kernel *k)
{
	*v = (struct view){ .m = m, .k = k, .words = bitset_words(ir_nreg(k)) };
	arena_init(&v->a);
	v->source = new_array(&v->a, struct view_source, (size_t)m->nfile + 1);
}

void view_init(struct view *v, const struct module *m, const struct kernel *k)
{
	uint64_t *set;

	view_init_text(v, m, k);
	set = bitset_new(&v->a, ir_nreg(k));
	v->before = new_array(&v->a, uint64_t, (size_t)k->ninsn * v->words + 1);
	v->after = new_array(&v->a, uint64_t, (size_t)k->ninsn * v->words + 1);
	v->live = new_array(&v->a, struct view_counts, (size_t)k->ninsn + 1);
	v->occupied = new_array(&v->a, struct view_counts, (size_t)k->ninsn + 1);
	v->spill_of = new_array(&v->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t b = 0; b < k->nblock; b++)
		walk_block(v, b, set);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		if (v->live[i].regs > v->most.regs) {
			v->most.regs = v->live[i].regs;
			v->most_at = i;
		}
		if (v->live[i].uregs > v->most.uregs) {
			v->most.uregs = v->live[i].uregs;
			v->most_uregs_at = i;
		}
		v->most.preds = v->live[i].preds > v->most.preds ? v->live[i].preds : v->most.preds;
		v->most.upreds = v->live[i].upreds > v->most.upreds ? v->live[i].upreds : v->most.upreds;
	}
	for (uint32_t s = 0; s < k->nspill; s++)
		if (k->spill[s].insn < k->ninsn)
			v->spill_of[k->spill[s].insn] = s + 1;
}

const char *view_live_untold(const struct view *v)
{
	if (v->k->native && v->k->native->elsewhere)
		return v->k->native->elsewhere;
	return view_open(v->k, 0) < v->k->ninsn && !v->named[FILE_GPR] ? "no instruction that is known names a register"
								       : NULL;
}

const char *view_code(const struct module *m, const struct kernel *k, struct arena *a)
{
	const char *what = k->native ? "machine code" : "PTX";

	return m->target[0] ? arena_printf(a, "%s for %s", what, view_clean(a, m->target, strlen(m->target))) : what;
}

uint32_t *view_block_order(const struct kernel *k, uint32_t **place, struct arena *a)
{
	uint32_t *order = new_array(a, uint32_t, (size_t)k->nblock + 1), n = k->cfg->nrpo;

	*place = new_array(a, uint32_t, (size_t)k->nblock + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		(*place)[b] = k->cfg->rpo_index[b] == UINT32_MAX ? n++ : k->cfg->rpo_index[b];
		order[(*place)[b]] = b;
	}
	return order;
}

bool view_spills_untold(const struct kernel *k)
{
	if (!k->native)
		return false;
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (k->insn[i].space == SP_LOCAL)
			return true;
	return k->res.local_bytes != 0;
}

const char *view_unbounded(const struct kernel *k)
{
	if (k->native)
		return k->native->unbounded;
	return k->res.stack ? "functions that it calls recurse" : NULL;
}

void view_free(struct view *v) { arena_free(&v->a); }

const char *view_name(struct arena *a, const struct kernel *k)
{
	const char *name = kernel_name(k->name, a);

	return view_clean(a, name, strlen(name));
}

char *view_clean(struct arena *a, const char *s, size_t len)
{
	char *t = arena_strndup(a, s, len);

	for (char *p = t; *p; p++)
		if (*p == '\t')
			*p = ' ';
		else if (*p < ' ' || *p > '~')
			*p = '?';
	return t;
}

char *view_insn(struct arena *a, const struct kernel *k, uint32_t i)
{
	char *t = ir_print_insn(a, k, &k->insn[i]);

	return view_clean(a, t, strlen(t));
}

const char *view_block(struct arena *a, const struct kernel *k, uint32_t b)
{
	const char *label = k->block[b].label;

	if (!label && k->native && k->block[b].n) /* no branch names it */
		return view_insn_name(a, k, k->block[b].first);
	return label ? view_clean(a, label, strlen(label)) : arena_printf(a, ".L%u", b);
}

char *view_register(struct arena *a, const struct kernel *k, uint32_t r)
{
	char *t = ir_print_ref(a, k, ref_reg(r), 'W');

	return view_clean(a, t, strlen(t));
}

static void index_lines(struct view *v, struct view_source *s, const char *text, size_t len)
{
	uint32_t cap = 0;

	s->text = text;
	arena_grow(&v->a, s->line_at, s->nline, cap);
	s->line_at[s->nline++] = 0;
	for (uint32_t off = 0; off < len; off++)
		if (text[off] == '\n' || off + 1 == len) {
			arena_grow(&v->a, s->line_at, s->nline, cap);
			s->line_at[s->nline++] = off + 1;
		}
}

/* The place at byte `off` of the module's own text. */
static bool place_in_text(struct view *v, uint32_t off, struct view_place *p)
{
	struct view_source *s = &v->source[v->m->nfile];
	uint32_t low = 0, high;

	if (!off || off >= v->m->src->len)
		return false;
	if (!s->text)
		index_lines(v, s, v->m->src->text, v->m->src->len);
	for (high = s->nline; high - low > 1;) {
		uint32_t mid = low + (high - low) / 2;

		if (s->line_at[mid] <= off)
			low = mid;
		else
			high = mid;
	}
	*p = (struct view_place){
		.file = v->m->src->name, .source = v->m->nfile, .line = low + 1, .col = off - s->line_at[low] + 1
	};
	return true;
}

bool view_find_place(struct view *v, uint32_t i, struct view_place *p)
{
	const struct module *m = v->m;
	const struct insn *x = &v->k->insn[i];
	uint32_t l = x->line;

	/* compilers give line 0 to code that no line stands for */
	if (!m->src && l < m->nline && !m->line[l].line)
		l = x->where;
	if (!l || l >= m->nline || !m->line[l].line || m->line[l].file >= m->nfile || !m->file[m->line[l].file])
		return m->src && place_in_text(v, x->where, p);
	*p = (struct view_place){ m->file[m->line[l].file], m->line[l].file, m->line[l].line, m->line[l].col,
				  m->inlined ? m->inlined[l] : NULL };
	return true;
}

char *view_place(struct arena *a, struct view *v, uint32_t i)
{
	struct view_place p;

	if (!view_find_place(v, i, &p))
		return NULL;
	p.file = loc_base_name(p.file);
	return arena_printf(a, "%s:%u", view_clean(a, p.file, strlen(p.file)), p.line);
}

static bool read_text(struct view *v, struct view_source *s, const char *path)
{
	struct diag quiet;
	struct source text;
	struct stat st;
	bool ok;

	if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MAX ||
	    !source_allowed(v->m->sources, v->m->path, path))
		return false;
	diag_init(&quiet, NULL);
	ok = source_read(&text, path, &v->a, &quiet);
	diag_free(&quiet);
	if (!ok)
		return false;
	index_lines(v, s, text.text, text.len);
	s->path = path;
	return true;
}

static void find_source(struct view *v, struct view_source *s, const char *name)
{
	const char *own = v->m->src_name, *slash = own ? strrchr(own, '/') : NULL;

	s->tried = true;
	if (!read_text(v, s, name) && slash && name[0] != '/')
		read_text(v, s, arena_printf(&v->a, "%.*s%s", (int)(slash - own + 1), own, name));
}

static struct view_source *open_source(struct view *v, const struct view_place *place)
{
	struct view_source *s = &v->source[place->source];

	if (!s->tried && !s->text)
		find_source(v, s, place->file);
	return s;
}

/* As far as its file can be read and has that line. */
static const char *readable(struct view *v, const struct view_place *p)
{
	const struct view_source *s = &v->source[p->source];
	struct stat st;

	if (p->source == v->m->nfile) /* the text at hand; of LLVM IR or a fatbin it is in no file */
		return s->nline && stat(v->m->src->name, &st) == 0 && S_ISREG(st.st_mode) &&
				       (size_t)st.st_size == v->m->src->len
			       ? v->m->src->name
			       : NULL;
	s = open_source(v, p);
	return s->text && p->line < s->nline ? s->path : NULL;
}

const char *view_find_readable(struct view *v, uint32_t i, struct view_place *p)
{
	const struct module *m = v->m;
	uint32_t where = v->k->insn[i].where;
	const char *path = view_find_place(v, i, p) ? readable(v, p) : NULL;

	if (path)
		return path;
	if (m->src)
		return place_in_text(v, where, p) ? readable(v, p) : NULL;
	if (!where || where >= m->nline || !m->line[where].line || m->line[where].file >= m->nfile ||
	    !m->file[m->line[where].file])
		return NULL;
	*p = (struct view_place){ m->file[m->line[where].file], m->line[where].file, m->line[where].line,
				  m->line[where].col, NULL };
	return readable(v, p);
}

bool view_source_file(struct view *v, const struct view_place *place, struct view_file *out)
{
	const struct view_source *s = open_source(v, place);

	*out = (struct view_file){ s->text, s->line_at, s->nline ? s->nline - 1 : 0 };
	return s->text != NULL;
}

const char *view_source_text(struct view *v, const struct view_place *place)
{
	const struct view_source *s = open_source(v, place);
	const char *p, *end;

	if (!s->text || !place->line || place->line >= s->nline)
		return NULL;
	p = s->text + s->line_at[place->line - 1];
	end = s->text + s->line_at[place->line];
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && strchr(" \t\r\n", end[-1]))
		end--;
	return view_clean(&v->a, p, (size_t)(end - p));
}
