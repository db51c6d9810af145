/* Reading the container: the ELF header and section headers are checked against the file's size before libelf sees
 * them, then sections and tables are found by name. Nothing in an object is trusted. */
#include "analyzer/elf/rlo.h"

#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/format.h"
#include "passes/regmutex.h"

#include <gelf.h>
#include <stdarg.h>

enum { EHDR_BYTES = 64, SHDR_BYTES = 64 };

bool rlo_bad(struct reader *r, const struct table *t, uint32_t record, const char *fmt, ...)
{
	const char *msg;
	va_list ap;

	va_start(ap, fmt);
	msg = arena_vprintf(&r->d->a, fmt, ap);
	va_end(ap);
	return diag_error_bin(r->d, r->name, t->section, t->head + (uint64_t)record * t->bytes, "%s", msg);
}

const struct rlo_section *rlo_section(const struct reader *r, const char *name)
{
	uint32_t id = intern_find(&r->names, name, strlen(name));

	return id == INTERN_NONE ? NULL : &r->sec[r->at[id]];
}

bool rlo_open(struct reader *r, enum rlo_record t, const char *kernel, bool optional, struct table *out)
{
	const struct rlo_table *want = &rlo_table[t];
	const char *name = arena_printf(r->a, "%s%s", want->section, kernel);
	const struct rlo_section *s = rlo_section(r, name);
	struct io io;
	uint64_t version, bytes, count;

	*out = (struct table){ .section = name, .bytes = want->bytes, .head = RLO_HEAD_BYTES };
	if (!s)
		return optional ? true
				: diag_error_bin(r->d, r->name, NULL, 0,
						 "has no section %s; is it an annotated object?", name);
	if (s->type != r->section_type || s->size < RLO_HEAD_BYTES || memcmp(s->p, want->magic, 4) != 0)
		return diag_error_bin(r->d, r->name, name, 0, "does not begin with \"%s\"", want->magic);
	io = (struct io){ (uint8_t *)(uintptr_t)(s->p + 4), false };
	version = io_int(&io, 0, 2);
	bytes = io_int(&io, 0, 2);
	count = io_int(&io, 0, 8);
	if (version != want->version)
		return diag_error_bin(r->d, r->name, name, 4, "is version %u; this program reads version %u",
				      (unsigned)version, want->version);
	if (bytes != want->bytes)
		return diag_error_bin(r->d, r->name, name, 6, "has records of %u bytes instead of %u", (unsigned)bytes,
				      want->bytes);
	if (count > UINT32_MAX || s->size - RLO_HEAD_BYTES != count * want->bytes)
		return diag_error_bin(
			r->d, r->name, name, 8, "holds %llu bytes of records, but says %llu records of %u bytes",
			(unsigned long long)(s->size - RLO_HEAD_BYTES), (unsigned long long)count, want->bytes);
	out->p = s->p + RLO_HEAD_BYTES;
	out->n = (uint32_t)count;
	return true;
}

bool rlo_string(struct reader *r, const struct table *strings, uint32_t off, bool word, const char **out)
{
	const char *s = (const char *)strings->p + off;

	*out = NULL;
	if (off == 0)
		return !word;
	if (off >= strings->n)
		return false;
	for (const char *c = s; word && *c; c++)
		if (*c <= ' ' || *c > '~')
			return false;
	if (word && !*s)
		return false;
	*out = arena_strndup(r->a, s, strlen(s));
	return true;
}

/* ---- the container ---- */
static uint64_t get(const uint8_t *p, unsigned bytes)
{
	struct io io = { (uint8_t *)(uintptr_t)p, false };

	return io_int(&io, 0, bytes);
}

static bool header_ok(struct reader *r, const uint8_t *p, size_t n)
{
	static const struct {
		unsigned at, bytes;
		uint64_t want;
		const char *what;
	} fields[] = {
		{ EI_CLASS, 1, ELFCLASS64, "is not a 64-bit ELF file" },
		{ EI_DATA, 1, ELFDATA2LSB, "is not little-endian" },
		{ EI_VERSION, 1, EV_CURRENT, "has an unknown ELF version" },
		{ 16, 2, ET_REL, "is not a relocatable object" },
		{ 18, 2, EM_NONE,
		  "is host code, not an annotated object; sm-model run takes the machine code for GPUs in it" },
		{ 20, 4, EV_CURRENT, "has an unknown ELF version" },
		{ 32, 8, 0, "has program headers" },
		{ 52, 2, EHDR_BYTES, "has an ELF header of unknown size" },
		{ 56, 2, 0, "has program headers" },
		{ 58, 2, SHDR_BYTES, "has section headers of unknown size" },
	};
	uint64_t shoff, shnum;

	if (n < EHDR_BYTES || memcmp(p, ELFMAG, SELFMAG) != 0)
		return diag_error_bin(r->d, r->name, NULL, 0, "is not an ELF file");
	if (cubin_is(p, n))
		return diag_error_plain(r->d, r->name,
					"is a cubin, not an annotated object: sm-model run executes and ptx-annotate "
					"analyses it");
	for (unsigned f = 0; f < sizeof fields / sizeof *fields; f++)
		if (get(p + fields[f].at, fields[f].bytes) != fields[f].want)
			return diag_error_bin(r->d, r->name, NULL, fields[f].at, "%s", fields[f].what);
	shoff = get(p + 40, 8);
	shnum = get(p + 60, 2);
	if (shoff % 8 || shoff > n || shnum < 2 || shnum * SHDR_BYTES > n - shoff)
		return diag_error_bin(r->d, r->name, NULL, 40, "section headers are outside the file");
	if (!get(p + 62, 2) || get(p + 62, 2) >= shnum)
		return diag_error_bin(r->d, r->name, NULL, 62, "has no section names");
	for (uint64_t s = 0; s < shnum; s++) {
		const uint8_t *h = p + shoff + s * SHDR_BYTES;
		uint64_t type = get(h + 4, 4), off = get(h + 24, 8), size = get(h + 32, 8), align = get(h + 48, 8);

		if (s ? type == SHT_NULL : type != SHT_NULL || size)
			return diag_error_bin(r->d, r->name, NULL, shoff + s * SHDR_BYTES + 4,
					      "section %u has a wrong type", (unsigned)s);
		if (s && type != SHT_NOBITS && (off > n || size > n - off))
			return diag_error_bin(r->d, r->name, NULL, shoff + s * SHDR_BYTES + 24,
					      "section %u is outside the file", (unsigned)s);
		if (align && (!rlo_power_of_two(align) || align > 1 << 30))
			return diag_error_bin(r->d, r->name, NULL, shoff + s * SHDR_BYTES + 48,
					      "section %u has a wrong alignment", (unsigned)s);
		if (get(h + 8, 8) & SHF_COMPRESSED)
			return diag_error_bin(r->d, r->name, NULL, shoff + s * SHDR_BYTES + 8,
					      "section %u is compressed", (unsigned)s);
	}
	return true;
}

static bool strings_ok(const struct rlo_section *s)
{
	return s->type == SHT_STRTAB && s->size && s->size <= UINT32_MAX && !s->p[s->size - 1];
}

static bool sections(struct reader *r, Elf *e, const uint8_t *base)
{
	size_t shstr;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t count;

	if (elf_getshdrnum(e, &count) != 0 || elf_getshdrstrndx(e, &shstr) != 0)
		return diag_error_bin(r->d, r->name, NULL, 0, "%s", elf_errmsg(-1));
	r->nsec = (uint32_t)count;
	r->sec = new_array(r->a, struct rlo_section, r->nsec);
	intern_init(&r->names, r->a);
	if (!gelf_getshdr(elf_getscn(e, shstr), &sh) || sh.sh_type != SHT_STRTAB || !sh.sh_size ||
	    base[sh.sh_offset + sh.sh_size - 1])
		return diag_error_bin(r->d, r->name, NULL, 62, "section names do not end");
	while ((scn = elf_nextscn(e, scn))) {
		struct rlo_section *s = &r->sec[elf_ndxscn(scn)];
		const char *name;
		uint32_t id;

		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(e, shstr, sh.sh_name)))
			return diag_error_bin(r->d, r->name, NULL, 0, "section %zu has no name: %s", elf_ndxscn(scn),
					      elf_errmsg(-1));
		*s = (struct rlo_section){
			.name = arena_strndup(r->a, name, strlen(name)),
			.type = sh.sh_type,
			.link = sh.sh_link,
			.info = sh.sh_info,
			.entsize = sh.sh_entsize,
			.size = sh.sh_size,
			.p = sh.sh_type == SHT_NOBITS ? NULL : base + sh.sh_offset,
		};
		id = intern_id(&r->names, s->name, strlen(s->name));
		while (r->at_cap <= id)
			arena_grow(r->a, r->at, r->at_cap, r->at_cap);
		if (r->at[id])
			return diag_error_bin(r->d, r->name, s->name, 0, "there are two sections of this name");
		r->at[id] = (uint32_t)elf_ndxscn(scn);
	}
	return true;
}

static bool symbol_tables(struct reader *r)
{
	const struct rlo_section *sym = rlo_section(r, ".symtab"), *str, *own = rlo_section(r, ".regloom.strings");

	if (!own || !strings_ok(own))
		return diag_error_bin(r->d, r->name, ".regloom.strings", 0,
				      "is missing or does not end; is it an annotated object?");
	r->strings = (struct table){ .section = own->name, .p = own->p, .n = (uint32_t)own->size };
	if (!sym || sym->type != SHT_SYMTAB || sym->size % RLO_BYTES_sym || sym->entsize != RLO_BYTES_sym ||
	    sym->size / RLO_BYTES_sym > UINT32_MAX)
		return diag_error_bin(r->d, r->name, ".symtab", 0, "is missing or of a wrong size");
	str = sym->link < r->nsec ? &r->sec[sym->link] : NULL;
	if (!str || !strings_ok(str))
		return diag_error_bin(r->d, r->name, ".symtab", 0, "has no symbol names");
	r->symbols = (struct table){
		.section = ".symtab", .p = sym->p, .n = (uint32_t)(sym->size / RLO_BYTES_sym), .bytes = RLO_BYTES_sym
	};
	r->symnames = (struct table){ .section = str->name, .p = str->p, .n = (uint32_t)str->size };
	return true;
}

static const struct rlo_section *text_of(struct reader *r, const char *kernel)
{
	return rlo_section(r, arena_printf(r->a, ".text.%s", kernel));
}

/* Its sections are those of a kernel of another name. */
static bool variant(struct reader *r, struct kernel *k)
{
	const char *name = arena_printf(r->a, "%s" RLO_VARIANT, k->name);
	const struct rlo_section *text = text_of(r, name);
	struct kernel *v;

	if (!k->regmutex || !k->regmutex->extended)
		return !text || diag_error_bin(r->d, r->name, text->name, 0,
					       "is of a variant, and %s says that the kernel has none",
					       arena_printf(r->a, "%s%s", rlo_table[RLO_R_regmutex].section, k->name));
	if (!text)
		return diag_error_bin(r->d, r->name, NULL, 0, "has no section .text.%s", name);
	v = new(r->a, struct kernel);
	*v = (struct kernel){ .m = r->m, .a = r->a, .name = name, .plain = k, .base_regs = k->regmutex->base };
	if (!rlo_read_kernel(r, v, text) || !rlo_check_variant(r, v, k))
		return false;
	v->name = k->name;
	k->variant = v;
	return true;
}

static bool kernels(struct reader *r)
{
	for (uint32_t k = 0; k < r->m->nkernel; k++) {
		struct kernel *x = r->m->kernel[k];

		if (!rlo_read_kernel(r, x, text_of(r, x->name)) || !variant(r, x))
			return false;
	}
	return true;
}

struct module *rlo_read_memory(const void *bytes, size_t n, const char *name, struct arena *a, struct diag *d)
{
	struct reader r = { .name = name, .section_type = SHT_PROGBITS, .a = a, .d = d };
	uint8_t *copy;
	bool ok;
	Elf *e;

	if (!header_ok(&r, bytes, n))
		return NULL;
	copy = arena_alloc(a, n, 16); /* libelf wants alignment, and may write */
	memcpy(copy, bytes, n);
	elf_version(EV_CURRENT);
	e = elf_memory((char *)copy, n);
	if (!e || elf_kind(e) != ELF_K_ELF) {
		diag_error_bin(d, name, NULL, 0, "%s", elf_errmsg(-1));
		if (e)
			elf_end(e);
		return NULL;
	}
	r.m = module_new(a);
	r.m->path = name;
	ok = sections(&r, e, copy) && symbol_tables(&r) && rlo_read_module(&r) && kernels(&r);
	elf_end(e);
	return ok ? r.m : NULL;
}

struct module *rlo_read(const char *path, struct arena *a, struct diag *d)
{
	struct source s;

	if (!source_read(&s, path, a, d))
		return NULL;
	return rlo_read_memory(s.text, s.len, s.name, a, d);
}
