/* The directory of a fatbin: containers and entries, from a file of its own or from sections of an ELF file. */
#include "fatbin.h"

#include <gelf.h>
#include <string.h>

#define MAGIC 0xba55ed50u
#define EM_CUBIN 190 /* EM_CUDA of the ELF registry */

enum {
	HEAD_BYTES = 16,
	ENTRY_BYTES = 64,
	ENTRIES_MAX = 1 << 16,
	FLAG_DEBUG = 1 << 1,
	FLAG_LZ4 = 1 << 13,
	FLAG_ZSTD = 1 << 15,
	FLAG_A = 1 << 20,
	FLAG_F = 1 << 21,
	FLAG_COMPAT = 1 << 24,
};
#define SIZE_MAX_UNPACKED ((uint64_t)256 << 20)
/* Compilers' output shrinks to a tenth as a rule; a file that is all zeros, to a thousandth and less. */
#define UNPACKED_ANYWAY ((uint64_t)32 << 20)
enum { UNPACKED_TIMES = 64 };

/* One section, or the whole file. */
struct part {
	const struct source *s;
	const char *section;
	const char *bytes;
	uint64_t len;
};

static uint64_t get(const struct part *p, uint64_t at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = bytes; i--;)
		v = v << 8 | (unsigned char)p->bytes[at + i];
	return v;
}

static bool bad(const struct part *p, uint64_t at, struct diag *d, const char *what)
{
	return diag_error_bin(d, p->s->name, p->section, at, "%s", what);
}

/* LEN bytes at OFF of an entry's header as a string, without spaces at its ends; "" where there is none. */
static const char *text_at(const struct part *p, uint64_t entry, uint64_t head, uint64_t off, uint64_t len,
			   struct arena *a)
{
	const char *s = p->bytes + entry + off;

	if (!off || !len || off > head || len > head - off)
		return "";
	for (; len && (*s == ' ' || !*s); s++)
		len--;
	while (len && (s[len - 1] == ' ' || !s[len - 1]))
		len--;
	return arena_strndup(a, s, len);
}

static bool read_entry(struct fatbin *f, const struct part *p, uint64_t at, uint64_t end, uint64_t *next,
		       struct arena *a, struct diag *d)
{
	static const char kinds[] = { [1] = FATBIN_PTX, [2] = FATBIN_CUBIN, [8] = FATBIN_LTO };
	struct fatbin_entry e = { .section = p->section, .number = f->n + 1, .container = f->containers };
	uint64_t head, padded, packed, flags, options, kind;

	if (end - at < ENTRY_BYTES)
		return bad(p, at, d, "the container ends within the header of an entry");
	kind = get(p, at, 2);
	head = get(p, at + 4, 4);
	padded = get(p, at + 8, 8);
	packed = get(p, at + 16, 4);
	options = get(p, at + 20, 4);
	flags = get(p, at + 40, 8);
	if (head < ENTRY_BYTES || head > end - at)
		return bad(p, at + 4, d, "the size of an entry's header is wrong");
	if (padded > end - at - head)
		return bad(p, at + 8, d, "an entry is larger than its container");
	if (f->n == ENTRIES_MAX)
		return bad(p, at, d, "more than 65536 entries");
	e.kind = kind < sizeof kinds && (kind == 1 || kinds[kind]) ? (enum fatbin_kind)kinds[kind] : FATBIN_OTHER;
	e.packing = flags & FLAG_LZ4 ? PACKED_LZ4 : PACKED_NO;
	if (flags & FLAG_ZSTD)
		e.packing = PACKED_ZSTD;
	e.version = (uint32_t)(get(p, at + 26, 2) * 10 + get(p, at + 24, 2) % 10);
	e.arch = (uint32_t)get(p, at + 28, 4);
	e.suffix = flags & FLAG_F ? 'f' : 0;
	if (flags & FLAG_A)
		e.suffix = 'a';
	e.debug = (flags & FLAG_DEBUG) != 0;
	e.off = at + head;
	e.bytes = p->bytes + at + head;
	e.stored = e.packing == PACKED_NO ? padded : packed;
	e.size = e.packing == PACKED_NO ? padded : get(p, at + 56, 8);
	if (e.stored > padded)
		return bad(p, at + 16, d, "a packed payload is larger than its entry");
	if (e.size > SIZE_MAX_UNPACKED)
		return bad(p, at + (e.packing == PACKED_NO ? 8 : 56), d, "an entry is larger than 256 MiB");
	/* others are not unpacked */
	if (e.packing == PACKED_ZSTD || (e.packing == PACKED_LZ4 && fatbin_lz4_fits(&e)))
		f->unpacked += e.size;
	if (f->unpacked > UNPACKED_ANYWAY + UNPACKED_TIMES * (uint64_t)p->s->len)
		return bad(p, at + 56, d,
			   "what is packed up to here unpacks to more than 32 MiB and 64 times the size of the file, "
			   "the limit");
	e.name = text_at(p, at, head, get(p, at + 32, 4), get(p, at + 36, 4), a);
	/* of a cubin with that flag, attributes as in its .nv.compat stand there */
	e.options = options && options <= head - 8 && !(flags & FLAG_COMPAT)
			    ? text_at(p, at, head, get(p, at + options, 4), get(p, at + options + 4, 4), a)
			    : "";
	arena_grow(a, f->entry, f->n, f->cap);
	f->entry[f->n++] = e;
	*next = at + head + padded;
	return true;
}

/* Containers one behind the other, with zeros between them in a section. */
static bool read_containers(struct fatbin *f, const struct part *p, struct arena *a, struct diag *d)
{
	for (uint64_t at = 0; at < p->len;) {
		uint64_t head, size, end;

		if (p->section && !p->bytes[at]) {
			at++;
			continue;
		}
		if (p->len - at < HEAD_BYTES)
			return bad(p, at, d, "cut within the header of a container");
		if (get(p, at, 4) != MAGIC)
			return bad(p, at, d, "expected a container (bytes 50 ed 55 ba)");
		head = get(p, at + 6, 2);
		size = get(p, at + 8, 8);
		if (get(p, at + 4, 2) != 1)
			return bad(p, at + 4, d, "a container of an unknown version");
		if (head < HEAD_BYTES || head > p->len - at)
			return bad(p, at + 6, d, "the size of a container's header is wrong");
		if (size > p->len - at - head)
			return bad(p, at + 8, d, "the container is larger than what is left");
		end = at + head + size;
		f->containers++;
		for (at += head; at < end;)
			if (!read_entry(f, p, at, end, &at, a, d))
				return false;
	}
	return true;
}

/* ---- ELF ---- */
bool fatbin_is(const struct source *s) { return s->len >= 4 && memcmp(s->text, "\x50\xed\x55\xba", 4) == 0; }

bool fatbin_is_elf(const struct source *s)
{
	/* Ours has e_machine 0 (docs/RLO.md); both byte orders have it at byte 18. */
	return s->len >= 20 && memcmp(s->text, "\177ELF", 4) == 0 && (s->text[18] || s->text[19]);
}

/* A section that goes over the end of the file: why nothing was found in it. */
static bool is_cut(Elf *elf, const struct source *s, struct diag *d)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr h;

		if (gelf_getshdr(scn, &h) && h.sh_type != SHT_NULL && h.sh_type != SHT_NOBITS &&
		    (h.sh_offset > s->len || h.sh_size > s->len - h.sh_offset)) {
			diag_error_bin(d, s->name, NULL, s->len,
				       "section %zu goes over the end of the file; is it cut?", elf_ndxscn(scn));
			return true;
		}
	}
	return false;
}

static bool no_code(const struct source *s, struct diag *d)
{
	return diag_error_plain(d, s->name,
				"is an ELF file without GPU code: it has no fatbin in .nv_fatbin or __nv_relfatbin");
}

static bool read_sections(struct fatbin *f, Elf *elf, size_t names, const struct source *s, struct arena *a,
			  struct diag *d)
{
	bool any = false;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr h;
		const char *name;
		struct part p = { .s = s };

		if (!gelf_getshdr(scn, &h) || !(name = elf_strptr(elf, names, h.sh_name)))
			return !is_cut(elf, s, d) &&
			       diag_error_bin(d, s->name, NULL, 0, "a section header is broken: %s", elf_errmsg(-1));
		if (strcmp(name, ".nv_fatbin") != 0 && strcmp(name, "__nv_relfatbin") != 0)
			continue;
		if (h.sh_type == SHT_NOBITS)
			continue; /* a file that holds the debug information only */
		p.section = arena_strndup(a, name, strlen(name));
		if (h.sh_offset > s->len || h.sh_size > s->len - h.sh_offset)
			return diag_error_bin(d, s->name, p.section, 0,
					      "the section is larger than the file; is it cut?");
		p.bytes = s->text + h.sh_offset;
		p.len = h.sh_size;
		any = true;
		if (!read_containers(f, &p, a, d))
			return false;
	}
	if (any && f->n)
		return true;
	return !is_cut(elf, s, d) && no_code(s, d);
}

static bool read_elf(struct fatbin *f, const struct source *s, struct arena *a, struct diag *d)
{
	GElf_Ehdr h;
	Elf *elf;
	size_t names;
	bool ok;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)s->text, s->len);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &h))
		ok = diag_error_bin(d, s->name, NULL, EI_CLASS,
				    "an ELF file of an unknown class, byte order or version");
	else if (h.e_machine == EM_CUBIN)
		ok = diag_error_plain(d, s->name, "is a cubin, not a fatbin: --input=cubin reads it");
	else if (h.e_shoff > s->len ||
		 (h.e_shoff && gelf_fsize(elf, ELF_T_SHDR, h.e_shnum ? h.e_shnum : 1, EV_CURRENT) > s->len - h.e_shoff))
		ok = diag_error_bin(d, s->name, NULL, h.e_ident[EI_CLASS] == ELFCLASS64 ? 40 : 32,
				    "section headers are outside the file; is it cut?");
	else if (!h.e_shoff || elf_getshdrstrndx(elf, &names) != 0)
		ok = no_code(s, d); /* no sections */
	else
		ok = read_sections(f, elf, names, s, a, d);
	if (elf)
		elf_end(elf);
	return ok;
}

bool fatbin_read(struct fatbin *f, const struct source *s, struct arena *a, struct diag *d)
{
	struct part p = { .s = s, .bytes = s->text, .len = s->len };

	*f = (struct fatbin){ .name = s->name };
	if (!fatbin_is(s) && s->len >= 4 && memcmp(s->text, "\177ELF", 4) == 0)
		return read_elf(f, s, a, d);
	if (!fatbin_is(s))
		return diag_error_bin(d, s->name, NULL, 0, "neither a fatbin nor an ELF file");
	if (!read_containers(f, &p, a, d))
		return false;
	return f->n ? true : diag_error_bin(d, s->name, NULL, 0, "the fatbin is empty");
}
