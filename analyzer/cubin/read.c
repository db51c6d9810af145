/* The container of a cubin: the ELF header and section headers are checked against the file's size before libelf sees
 * them; then sections, symbols, relocations and the call graph become arrays. Nothing in the file is trusted. Sections
 * may lie over each other, as those for Mercury of sm_100 do; the tables that are read may not, so that memory stays in
 * proportion to the file. */
#include "analyzer/cubin/read.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	EM_NVIDIA = 190,
	EHDR_BYTES = 64,
	PHDR_BYTES = 56,
	SHDR_BYTES = 64,
	OSABI_OLD = 0x33,
	OSABI_NEW = 0x41, /* of most toolkits up to 12, from 13 on */
	/* LLVM, ELF.h: EF_CUDA_ACCELERATORS_V1, EF_CUDA_ACCELERATORS */
	SM_FLAG_OLD_A = 0x800,
	SM_FLAG_NEW_A = 8,
	COMPAT_A = 9, /* in .nv.compat: 1 where code is for one architecture alone */
};

bool cubin_bad(struct cubin_reader *r, const struct cubin_section *s, uint64_t off, const char *fmt, ...)
{
	const char *msg;
	va_list ap;

	va_start(ap, fmt);
	msg = arena_vprintf(&r->d->a, fmt, ap);
	va_end(ap);
	return diag_error_bin(r->d, r->c->name, s ? s->name : NULL, off, "%s", msg);
}

bool cubin_spend(struct cubin_reader *r, const struct cubin_section *s)
{
	r->spent += s->size;
	return r->spent <= r->n || cubin_bad(r, s, 0, "lies over other tables of the file");
}

/* ---- what libelf must be able to trust ---- */
bool cubin_section_headers(const uint8_t *p, size_t n, struct cubin_headers *h)
{
	const uint8_t *first;

	*h = (struct cubin_headers){ cubin_u64(p + 40), cubin_u16(p + 60), cubin_u16(p + 62) };
	if (h->at % 8 || h->at > n || n - h->at < SHDR_BYTES)
		return false;
	first = p + h->at;
	h->n = h->n ? h->n : cubin_u64(first + 32);
	h->names = h->names == SHN_XINDEX ? cubin_u32(first + 40) : h->names;
	return h->n >= 2 && h->n <= (n - h->at) / SHDR_BYTES;
}

static bool header_ok(struct cubin_reader *r)
{
	const uint8_t *p = r->p;
	struct cubin_headers h;
	uint64_t phoff, phnum;

	if (r->n < EHDR_BYTES || memcmp(p, ELFMAG, SELFMAG) != 0)
		return cubin_bad(r, NULL, 0, "is not an ELF file");
	if (p[EI_CLASS] != ELFCLASS64)
		return cubin_bad(r, NULL, EI_CLASS, "is not a 64-bit ELF file");
	if (p[EI_DATA] != ELFDATA2LSB)
		return cubin_bad(r, NULL, EI_DATA, "is not little-endian");
	if (p[EI_VERSION] != EV_CURRENT)
		return cubin_bad(r, NULL, EI_VERSION, "has an unknown ELF version");
	if (cubin_u16(p + 18) != EM_NVIDIA)
		return cubin_bad(r, NULL, 18, "is for machine %u, not for NVIDIA's GPUs (%d)", cubin_u16(p + 18),
				 EM_NVIDIA);
	if (p[EI_OSABI] != OSABI_OLD && p[EI_OSABI] != OSABI_NEW)
		return cubin_bad(r, NULL, EI_OSABI, "has an unknown ABI, 0x%x: 0x33 and 0x41 are read", p[EI_OSABI]);
	if (cubin_u16(p + 16) != ET_EXEC && cubin_u16(p + 16) != ET_REL)
		return cubin_bad(r, NULL, 16, "is neither linked nor relocatable");
	if (cubin_u16(p + 52) != EHDR_BYTES)
		return cubin_bad(r, NULL, 52, "has an ELF header of unknown size");
	if (cubin_u16(p + 58) != SHDR_BYTES)
		return cubin_bad(r, NULL, 58, "has section headers of unknown size");
	phoff = cubin_u64(p + 32);
	phnum = cubin_u16(p + 56);
	if (phnum &&
	    (cubin_u16(p + 54) != PHDR_BYTES || phoff % 8 || phoff > r->n || phnum * PHDR_BYTES > r->n - phoff))
		return cubin_bad(r, NULL, 32, "program headers are outside the file; is it cut?");
	if (!cubin_section_headers(p, r->n, &h))
		return cubin_bad(r, NULL, 40, "section headers are outside the file; is it cut?");
	if (!h.names || h.names >= h.n)
		return cubin_bad(r, NULL, 62, "has no section names");
	return true;
}

/* Without bytes in the file: also of types that only relocatable files have. */
static bool no_bytes(uint32_t type)
{
	return type == SHT_NOBITS || type == CSHT_GLOBAL || type == CSHT_LOCAL || type == CSHT_SHARED;
}

static bool section_headers_ok(struct cubin_reader *r)
{
	const bool counted = cubin_u16(r->p + 60) == 0; /* the first header says how many there are */
	struct cubin_headers h;

	cubin_section_headers(r->p, r->n, &h);
	for (uint64_t s = 0; s < h.n; s++) {
		uint64_t at = h.at + s * SHDR_BYTES, off = cubin_u64(r->p + at + 24), size = cubin_u64(r->p + at + 32),
			 align = cubin_u64(r->p + at + 48);
		uint32_t type = cubin_u32(r->p + at + 4);

		if (s ? type == SHT_NULL : type != SHT_NULL || (size && !counted))
			return cubin_bad(r, NULL, at + 4, "section %u has a wrong type", (unsigned)s);
		if (s && !no_bytes(type) && (off > r->n || size > r->n - off))
			return cubin_bad(r, NULL, at + 24, "section %u is outside the file; is it cut?", (unsigned)s);
		if (no_bytes(type) && size > UINT32_MAX)
			return cubin_bad(r, NULL, at + 32, "section %u is larger than the memory of a GPU",
					 (unsigned)s);
		if ((align & (align - 1)) || align > 1 << 30)
			return cubin_bad(r, NULL, at + 48, "section %u has a wrong alignment", (unsigned)s);
		if (cubin_u64(r->p + at + 8) & SHF_COMPRESSED)
			return cubin_bad(r, NULL, at + 8, "section %u is compressed", (unsigned)s);
	}
	return true;
}

/* ---- sections, symbols ---- */
static bool read_sections(struct cubin_reader *r, Elf *e)
{
	struct cubin *c = r->c;
	size_t count, names;
	GElf_Shdr sh;

	if (elf_getshdrnum(e, &count) != 0 || elf_getshdrstrndx(e, &names) != 0)
		return cubin_bad(r, NULL, 0, "%s", elf_errmsg(-1));
	c->nsection = (uint32_t)count;
	c->section = new_array(r->a, struct cubin_section, count);
	c->section[0].name = "";
	if (!gelf_getshdr(elf_getscn(e, names), &sh) || sh.sh_type != SHT_STRTAB || !sh.sh_size ||
	    r->p[sh.sh_offset + sh.sh_size - 1])
		return cubin_bad(r, NULL, 62, "section names do not end");
	for (uint32_t s = 1; s < c->nsection; s++) {
		const char *name;

		if (!gelf_getshdr(elf_getscn(e, s), &sh) || !(name = elf_strptr(e, names, sh.sh_name)))
			return cubin_bad(r, NULL, 0, "section %u has no name: %s", s, elf_errmsg(-1));
		c->section[s] = (struct cubin_section){
			.name = name,
			.shndx = s,
			.type = sh.sh_type,
			.link = sh.sh_link,
			.info = sh.sh_info,
			.flags = sh.sh_flags,
			.offset = sh.sh_offset,
			.size = sh.sh_size,
			.align = sh.sh_addralign,
			.addr = sh.sh_addr,
			.bytes = no_bytes(sh.sh_type) ? NULL : r->p + sh.sh_offset,
		};
	}
	return true;
}

static const struct cubin_section *section_of_type(const struct cubin *c, uint32_t type)
{
	for (uint32_t s = 1; s < c->nsection; s++)
		if (c->section[s].type == type)
			return &c->section[s];
	return NULL;
}

static bool read_symbols(struct cubin_reader *r, Elf *e)
{
	struct cubin *c = r->c;
	const struct cubin_section *sym = section_of_type(c, SHT_SYMTAB), *str;
	Elf_Data *data;

	if (!sym)
		return cubin_bad(r, NULL, 0, "has no symbols");
	str = sym->link && sym->link < c->nsection ? &c->section[sym->link] : NULL;
	if (!str || str->type != SHT_STRTAB || !str->size || str->bytes[str->size - 1])
		return cubin_bad(r, sym, 0, "has no names of symbols, or they do not end");
	if (sym->size % sizeof(Elf64_Sym) || sym->size / sizeof(Elf64_Sym) > UINT32_MAX)
		return cubin_bad(r, sym, sym->size, "ends within a symbol");
	data = elf_getdata(elf_getscn(e, sym->shndx), NULL);
	if (sym->size && !data)
		return cubin_bad(r, sym, 0, "%s", elf_errmsg(-1));
	if (!cubin_spend(r, sym))
		return false;
	c->nsymbol = (uint32_t)(sym->size / sizeof(Elf64_Sym));
	c->symbol = new_array(r->a, struct cubin_symbol, c->nsymbol + 1);
	for (uint32_t i = 0; i < c->nsymbol; i++) {
		const char *name;
		GElf_Sym s;

		if (!gelf_getsym(data, (int)i, &s) || !(name = elf_strptr(e, str->shndx, s.st_name)))
			return cubin_bad(r, sym, i * sizeof(Elf64_Sym), "a symbol has no name: %s", elf_errmsg(-1));
		if (s.st_shndx >= c->nsection && s.st_shndx < SHN_LORESERVE)
			return cubin_bad(r, sym, i * sizeof(Elf64_Sym) + 6,
					 "symbol %s is of section %u, which there is not", name, s.st_shndx);
		c->symbol[i] = (struct cubin_symbol){
			name,     GELF_ST_BIND(s.st_info), GELF_ST_TYPE(s.st_info), s.st_other, s.st_shndx, s.st_value,
			s.st_size
		};
	}
	return true;
}

/* ---- relocations, calls ---- */
static int by_place(const void *x, const void *y)
{
	const struct cubin_reloc *a = x, *b = y;

	if (a->shndx != b->shndx)
		return a->shndx < b->shndx ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static bool read_relocations(struct cubin_reader *r)
{
	struct cubin *c = r->c;
	uint64_t all = 0;

	for (uint32_t s = 1; s < c->nsection; s++) {
		const struct cubin_section *x = &c->section[s];
		uint32_t bytes = x->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);

		if (x->type != SHT_REL && x->type != SHT_RELA)
			continue;
		if (x->size % bytes)
			return cubin_bad(r, x, x->size, "ends within a relocation");
		if (!cubin_spend(r, x))
			return false;
		all += x->size / bytes;
	}
	c->reloc = new_array(r->a, struct cubin_reloc, all + 1);
	for (uint32_t s = 1; s < c->nsection; s++) {
		const struct cubin_section *x = &c->section[s], *to;
		uint32_t bytes = x->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);

		if (x->type != SHT_REL && x->type != SHT_RELA)
			continue;
		if (!x->info || x->info >= c->nsection)
			return cubin_bad(r, x, 0, "relocates section %u, which there is not", x->info);
		to = &c->section[x->info];
		for (uint64_t at = 0; at < x->size; at += bytes) {
			struct cubin_reloc o = { x->info,
						 cubin_u64(x->bytes + at),
						 cubin_u32(x->bytes + at + 8),
						 cubin_u32(x->bytes + at + 12),
						 0,
						 x->type == SHT_REL };

			if (x->type == SHT_RELA)
				o.addend = (int64_t)cubin_u64(x->bytes + at + 16);
			if (o.offset >= to->size || !to->bytes)
				return cubin_bad(r, x, at, "relocates byte 0x%llx of %s, which has 0x%llx",
						 (unsigned long long)o.offset, to->name,
						 (unsigned long long)(to->bytes ? to->size : 0));
			if (o.symbol >= c->nsymbol)
				return cubin_bad(r, x, at + 12, "uses symbol %u of %u", o.symbol, c->nsymbol);
			c->reloc[c->nreloc++] = o;
		}
	}
	qsort(c->reloc, c->nreloc, sizeof *c->reloc, by_place);
	return true;
}

static bool read_calls(struct cubin_reader *r)
{
	struct cubin *c = r->c;
	const struct cubin_section *x = section_of_type(c, CSHT_CALLGRAPH);

	if (!x)
		return true;
	if (x->size % 8)
		return cubin_bad(r, x, x->size, "ends within a pair of caller and callee");
	if (!cubin_spend(r, x))
		return false;
	c->call = new_array(r->a, struct cubin_call, x->size / 8 + 1);
	for (uint64_t at = 0; at < x->size; at += 8) {
		struct cubin_call l = { cubin_u32(x->bytes + at), cubin_u32(x->bytes + at + 4) };

		if (l.caller >= c->nsymbol || (l.callee >= c->nsymbol && l.callee < CUBIN_CALL_FLAGS))
			return cubin_bad(r, x, at, "calls between symbols %u and %u of %u", l.caller, l.callee,
					 c->nsymbol);
		c->call[c->ncall++] = l;
	}
	return true;
}

/* ---- which GPU, which toolkit ---- */
static const struct cubin_section *named(const struct cubin *c, const char *name)
{
	for (uint32_t s = 1; s < c->nsection; s++)
		if (strcmp(c->section[s].name, name) == 0 && c->section[s].bytes)
			return &c->section[s];
	return NULL;
}

/* The letter behind "-arch sm_90" among the options that ptxas leaves in a note. */
static char option_suffix(const struct cubin *c)
{
	const struct cubin_section *note = named(c, ".note.nv.tkinfo");
	const char *at, *end;

	if (!note || !(at = memmem(note->bytes, note->size, "-arch sm_", 9)))
		return 0;
	end = (const char *)note->bytes + note->size;
	for (at += 9; at < end && *at >= '0' && *at <= '9'; at++)
		continue;
	return at < end && (*at == 'a' || *at == 'f') ? *at : 0;
}

/* Records of .nv.compat are those of .nv.info, with numbers of their own. */
static bool compat_a(const struct cubin *c)
{
	const struct cubin_section *x = named(c, ".nv.compat");

	for (uint64_t at = 0; x && at + 4 <= x->size; at += 4 + (x->bytes[at] == 4 ? cubin_u16(x->bytes + at + 2) : 0))
		if (x->bytes[at] == 2 && x->bytes[at + 1] == COMPAT_A)
			return x->bytes[at + 2] == 1;
	return false;
}

static bool read_target(struct cubin_reader *r)
{
	struct cubin *c = r->c;
	const struct cubin_section *note = named(c, ".note.nv.cuinfo");
	uint32_t flag;

	c->os_abi = r->p[EI_OSABI];
	c->abi_version = r->p[EI_ABIVERSION];
	c->new_abi = c->os_abi == OSABI_NEW;
	c->relocatable = cubin_u16(r->p + 16) == ET_REL;
	c->e_flags = cubin_u32(r->p + 48);
	c->sm = c->new_abi ? c->e_flags >> 8 & 0xff : c->e_flags & 0xff;
	if (!c->sm)
		return cubin_bad(r, NULL, 48, "does not say for which GPU it is");
	flag = c->new_abi ? SM_FLAG_NEW_A : SM_FLAG_OLD_A;
	c->suffix = c->e_flags & flag || compat_a(c) ? 'a' : option_suffix(c);
	if (note && note->size >= 32 && cubin_u32(note->bytes) == 12 && cubin_u32(note->bytes + 4) >= 8) {
		c->ptx_sm = cubin_u16(note->bytes + 26);
		c->toolkit = cubin_u32(note->bytes + 28);
	} else if (!c->new_abi) {
		c->toolkit = cubin_u32(r->p + 20);
	}
	return true;
}

bool cubin_is(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	return n >= 20 && memcmp(p, ELFMAG, SELFMAG) == 0 && cubin_u16(p + 18) == EM_NVIDIA;
}

struct cubin *cubin_read(const struct source *s, struct arena *a, struct diag *d)
{
	struct cubin_reader r = {
		.c = new(a, struct cubin), .a = a, .d = d, .p = (const uint8_t *)s->text, .n = s->len
	};
	uint8_t *copy;
	bool ok;
	Elf *e;

	r.c->name = s->name;
	if (!header_ok(&r) || !section_headers_ok(&r))
		return NULL;
	copy = arena_alloc_raw(a, s->len, 1, 16); /* libelf wants alignment, and may write */
	memcpy(copy, s->text, s->len);
	r.p = copy;
	elf_version(EV_CURRENT);
	e = elf_memory((char *)copy, s->len);
	if (!e || elf_kind(e) != ELF_K_ELF) {
		cubin_bad(&r, NULL, 0, "%s", elf_errmsg(-1));
		if (e)
			elf_end(e);
		return NULL;
	}
	ok = read_sections(&r, e) && read_symbols(&r, e) && read_target(&r) && read_relocations(&r) && read_calls(&r) &&
	     cubin_read_functions(&r) && cubin_read_lines(&r);
	elf_end(e);
	return ok ? r.c : NULL;
}
