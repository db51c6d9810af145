/* Line tables, .debug_line of -lineinfo and -G, through libdw. Addresses in it are filled in by relocations against
 * functions, which no one has applied yet; they are given the number of the code section in the upper half, so that one
 * number says both. libdw sees a small ELF file that holds these tables alone: of the file's other debug sections, of
 * which some are NVIDIA's own, it is told nothing. */
#include "analyzer/cubin/read.h"

#include "analyzer/base/intern.h"
#include "analyzer/base/mangled.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

enum { PART_NAMES, PART_LINE, PART_STR, PART_LINE_STR, PARTS, NAME_MAX_BYTES = 32, INLINED_MAX = 6, INLINED_NAME = 48 };
enum { RELOC_32 = 1, RELOC_64 = 2, RELOC_CLEAR_64 = 73 };

/* ---- relocation ---- */
static void store(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (unsigned b = 0; b < bytes; b++)
		p[b] = (uint8_t)(v >> 8 * b);
}

/* Of relocations without addends the field holds it. */
static void relocate(const struct cubin *c, const struct cubin_section *s, uint8_t *p)
{
	uint32_t lo = 0, hi = c->nreloc;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->reloc[mid].shndx < s->shndx)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < c->nreloc && c->reloc[lo].shndx == s->shndx; lo++) {
		const struct cubin_reloc *o = &c->reloc[lo];
		const struct cubin_symbol *y = &c->symbol[o->symbol];
		unsigned bytes = o->type == RELOC_32 ? 4 : 8;
		bool code = y->shndx < c->nsection && c->section[y->shndx].flags & SHF_EXECINSTR;
		uint64_t v;

		if ((o->type != RELOC_32 && o->type != RELOC_64 && o->type != RELOC_CLEAR_64) ||
		    s->size - o->offset < bytes)
			continue;
		v = (uint64_t)o->addend;
		if (o->in_place)
			v += bytes == 4 ? cubin_u32(p + o->offset) : cubin_u64(p + o->offset);
		v = ((v + y->value) & UINT32_MAX) | (code ? (uint64_t)y->shndx << 32 : 0);
		store(p + o->offset, o->type == RELOC_CLEAR_64 ? 0 : v, bytes);
	}
}

/* ---- the small file ---- */
static const char *const part_name[PARTS] = { ".shstrtab", ".debug_line", ".debug_str", ".debug_line_str" };

/* The first section of a name that holds anything. */
static const struct cubin_section *find(const struct cubin *c, const char *name)
{
	for (uint32_t s = 1; s < c->nsection; s++)
		if (c->section[s].bytes && c->section[s].size && strcmp(c->section[s].name, name) == 0)
			return &c->section[s];
	return NULL;
}

static uint8_t *make_file(struct cubin_reader *r, size_t *n)
{
	const struct cubin_section *from[PARTS] = { NULL };
	Elf64_Ehdr e = { .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof e,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shstrndx = 1,
			 .e_shnum = PARTS + 1 };
	Elf64_Shdr sh[PARTS + 1] = { { .sh_type = SHT_NULL } };
	char names[PARTS * NAME_MAX_BYTES] = "";
	size_t at = sizeof e, name = 1;
	uint8_t *file;

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	for (unsigned i = 0; i < PARTS; i++) {
		from[i] = i == PART_NAMES ? NULL : find(r->c, part_name[i]);
		strcpy(names + name, part_name[i]);
		sh[i + 1] = (Elf64_Shdr){ .sh_name = (Elf64_Word)name,
					  .sh_type = i ? SHT_PROGBITS : SHT_STRTAB,
					  .sh_offset = at,
					  .sh_addralign = 1,
					  .sh_size = from[i] ? from[i]->size : 0 };
		if (i == PART_NAMES)
			sh[i + 1].sh_size = sizeof names;
		name += strlen(part_name[i]) + 1;
		at += sh[i + 1].sh_size;
	}
	at = (at + 7) & ~(size_t)7;
	e.e_shoff = at;
	*n = at + sizeof sh;
	file = arena_alloc(r->a, *n, 16);
	memcpy(file, &e, sizeof e);
	memcpy(file + sh[PART_NAMES + 1].sh_offset, names, sizeof names);
	for (unsigned i = 0; i < PARTS; i++)
		if (from[i]) {
			memcpy(file + sh[i + 1].sh_offset, from[i]->bytes, from[i]->size);
			relocate(r->c, from[i], file + sh[i + 1].sh_offset);
		}
	memcpy(file + at, sh, sizeof sh);
	return file;
}

/* ---- rows ---- */
struct row {
	struct cubin_line l;
	uint32_t order;
	bool end;
};
struct rows {
	struct row *row;
	uint32_t n, cap;
	struct arena *a;
	struct intern names;
	const char *last, *interned;
	Dwarf *dw;
	Dwarf_Lines *lines;        /* the table that is read, ... */
	size_t nlines, first, end; /* ... and where the sequence of the row begins and ends in it */
};

/* The row that called what a row is of. NVIDIA numbers them anew in each sequence, libdw takes the numbers as those of
 * the whole table: the row that it finds says the number, by its place in the table. */
static Dwarf_Line *call_of(const struct rows *all, Dwarf_Line *line)
{
	const Dwarf_Line *nth = dwarf_linecontext(all->lines, line);
	size_t lo = 0, hi = all->nlines;

	if (!nth)
		return NULL;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (dwarf_onesrcline(all->lines, mid) < nth)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < all->end - all->first ? dwarf_onesrcline(all->lines, all->first + lo) : NULL;
}

/* The functions that a line is of, inlined one into another, and where: NVIDIA's extension of line tables, which libdw
 * knows. What is shown of it is short, so that a damaged table takes no more memory than its rows do, about. */
static const char *inlined(struct rows *all, Dwarf_Line *line)
{
	char text[INLINED_MAX * (2 * INLINED_NAME + 40) + 8] = "";
	size_t used = 0;
	unsigned depth = 0;
	uint32_t id;

	for (Dwarf_Line *at; (at = call_of(all, line)); line = at, depth++) {
		const char *function = dwarf_linefunctionname(all->dw, line), *file = dwarf_linesrc(at, NULL, NULL);
		char name[INLINED_NAME + 1];
		int number;

		if (dwarf_lineno(at, &number) != 0 || number <= 0)
			break;
		if (depth == INLINED_MAX) {
			strcpy(text + used, ", ...");
			used += strlen(text + used);
			break;
		}
		mangled_name(function && *function ? function : "a function", name, sizeof name);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s, inlined at %.*s:%d",
					 depth ? " in " : "", name, INLINED_NAME, file ? loc_base_name(file) : "?",
					 number);
	}
	if (!used)
		return NULL;
	id = intern_id(&all->names, text, used); /* moves the texts */
	return all->names.text[id];
}

static bool add_row(struct rows *all, const struct cubin *c, Dwarf_Line *line)
{
	struct row x = { .order = all->n };
	const char *file;
	Dwarf_Addr at;
	int number;

	if (dwarf_lineaddr(line, &at) != 0 || dwarf_lineno(line, &number) != 0 ||
	    dwarf_lineendsequence(line, &x.end) != 0)
		return false;
	x.l.shndx = (uint32_t)(at >> 32);
	x.l.offset = at & UINT32_MAX;
	if (!x.l.shndx || x.l.shndx >= c->nsection || !(c->section[x.l.shndx].flags & SHF_EXECINSTR) ||
	    x.l.offset >= c->section[x.l.shndx].size)
		return true; /* of what is not here, or behind the last instruction */
	file = x.end || number <= 0 ? NULL : dwarf_linesrc(line, NULL, NULL);
	if (file) {
		if (file != all->last) {
			uint32_t id = intern_id(&all->names, file, strlen(file));

			all->last = file;
			all->interned = all->names.text[id];
		}
		x.l.file = all->interned;
		x.l.line = (uint32_t)number;
		x.l.inlined = inlined(all, line);
	}
	arena_grow(all->a, all->row, all->n, all->cap);
	all->row[all->n++] = x;
	return true;
}

/* Of two at one address the end of a sequence comes first, the last of the others counts. */
static int by_place(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->l.shndx != b->l.shndx)
		return a->l.shndx < b->l.shndx ? -1 : 1;
	if (a->l.offset != b->l.offset)
		return a->l.offset < b->l.offset ? -1 : 1;
	if (a->end != b->end)
		return a->end ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool same_line(const struct cubin_line *a, const struct cubin_line *b)
{
	return a->shndx == b->shndx && a->file == b->file && a->line == b->line && a->inlined == b->inlined;
}

static void keep_rows(struct cubin_reader *r, struct rows *all)
{
	struct cubin *c = r->c;

	if (all->n)
		qsort(all->row, all->n, sizeof *all->row, by_place);
	c->line = new_array(r->a, struct cubin_line, all->n + 1);
	for (uint32_t i = 0; i < all->n; i++) {
		const struct cubin_line *x = &all->row[i].l;

		if (i + 1 < all->n && all->row[i + 1].l.shndx == x->shndx && all->row[i + 1].l.offset == x->offset)
			continue;
		if (c->nline ? same_line(&c->line[c->nline - 1], x) : !x->file)
			continue;
		c->line[c->nline++] = *x;
	}
}

/* Behind the row that ends the sequence of row i. */
static size_t end_of_sequence(Dwarf_Lines *lines, size_t i, size_t n)
{
	bool end = false;

	while (i < n && !end)
		dwarf_lineendsequence(dwarf_onesrcline(lines, i++), &end);
	return i;
}

static bool read_tables(struct cubin_reader *r, Dwarf *dw, const struct cubin_section *s, struct rows *all)
{
	Dwarf_Off at = 0, next;
	size_t n, nfiles;
	Dwarf_Lines *lines;
	Dwarf_Files *files;
	Dwarf_CU *cu = NULL; /* read as well */
	int got;

	all->dw = dw;
	while ((got = dwarf_next_lines(dw, at, &next, &cu, &files, &nfiles, &lines, &n)) == 0) {
		all->lines = lines;
		all->nlines = n;
		all->end = 0;
		for (size_t i = 0; i < n; i++) {
			if (i == all->end) {
				all->first = i;
				all->end = end_of_sequence(lines, i, n);
			}
			if (!add_row(all, r->c, dwarf_onesrcline(lines, i)))
				return cubin_bad(r, s, at, "the line table is damaged: %s", dwarf_errmsg(-1));
		}
		at = next;
	}
	return got > 0 || cubin_bad(r, s, at, "the line table is damaged: %s", dwarf_errmsg(-1));
}

bool cubin_read_lines(struct cubin_reader *r)
{
	const struct cubin_section *s = find(r->c, ".debug_line");
	struct rows all = { .a = r->a };
	uint8_t *file;
	size_t n;
	Dwarf *dw;
	Elf *e;
	bool ok;

	if (!s)
		return true;
	for (unsigned i = PART_LINE; i < PARTS; i++) {
		const struct cubin_section *x = find(r->c, part_name[i]);

		if (x && !cubin_spend(r, x))
			return false;
	}
	intern_init(&all.names, r->a);
	file = make_file(r, &n);
	e = elf_memory((char *)file, n);
	dw = e ? dwarf_begin_elf(e, DWARF_C_READ, NULL) : NULL;
	ok = dw ? read_tables(r, dw, s, &all) : cubin_bad(r, s, 0, "the line table is damaged: %s", dwarf_errmsg(-1));
	if (dw)
		dwarf_end(dw);
	if (e)
		elf_end(e);
	if (ok)
		keep_rows(r, &all);
	return ok;
}
