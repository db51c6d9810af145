/* The runtime's functions in a file's symbol table. Names that cudart.def lists are known. Others that begin like them
 * are the runtime's if they lie among the known: the archive is linked in one piece, and what a program calls
 * cudaSomething itself, in C, lies elsewhere. The version is told by names that 13 took away, and one that
 * came with 12. */
#include "runtime-model/cuda/static/static.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */
enum { IN12 = 1, IN13 = 2 };
#define BOTH IN12 | IN13
#define ONLY12 IN12
#define ONLY13 IN13
static const struct known {
	const char *name;
	size_t length;
	int versions;
} known[] = {
#define FN(versions, chapter, name, types) { #name, sizeof #name - 1, versions },
#define FX(versions, chapter, type, name, types) { #name, sizeof #name - 1, versions },
#define NO(versions, chapter, name) { #name, sizeof #name - 1, versions },
#include "runtime-model/cuda/runtime/cudart.def"
#undef FN
#undef FX
#undef NO
};

static bool alike(const char *name)
{
	name += strncmp(name, "__", 2) == 0 ? 2 : 0;
	return strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z';
}

/* The versions that have it; 0: unknown. */
static int versions_of(const char *name)
{
	const size_t n = strlen(name);
	int versions = 0;

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].length == n && memcmp(known[i].name, name, n) == 0)
			versions |= known[i].versions;
	return versions;
}

/* ---- the file ---- */
static const void *part(const struct symbols *s, uint64_t offset, uint64_t bytes)
{
	if (!s->file || offset > s->bytes || bytes > s->bytes - offset)
		return NULL;
	return (const char *)s->file + offset;
}

/* NULL: no ELF file of this kind of processor */
static const Elf64_Ehdr *header(const struct symbols *s)
{
	const Elf64_Ehdr *h = part(s, 0, sizeof *h);

	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_machine != EM_X86_64 || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	return h;
}

struct table {
	const Elf64_Sym *symbol;
	size_t n;
	const char *text; /* ends with 0 */
	size_t text_bytes;
};

/* .symtab; not .dynsym, which has not the hidden ones. */
static struct table find_table(const struct symbols *s)
{
	const Elf64_Ehdr *h = header(s);
	const Elf64_Shdr *section = h ? part(s, h->e_shoff, (uint64_t)h->e_shnum * sizeof *section) : NULL;
	struct table t = { .symbol = NULL };

	for (unsigned i = 0; section && i < h->e_shnum; i++) {
		const Elf64_Shdr *x = &section[i];
		const Elf64_Shdr *names = x->sh_link < h->e_shnum ? &section[x->sh_link] : NULL;

		if (x->sh_type != SHT_SYMTAB || !names || x->sh_offset % _Alignof(Elf64_Sym))
			continue;
		t.symbol = part(s, x->sh_offset, x->sh_size);
		t.text = part(s, names->sh_offset, names->sh_size);
		t.n = x->sh_size / sizeof *t.symbol;
		t.text_bytes = names->sh_size;
	}
	if (!t.symbol || !t.text || !t.text_bytes || t.text[t.text_bytes - 1])
		t.n = 0;
	return t;
}

/* The name of a function that is here and called as the runtime's are; NULL: it is none. */
static const char *candidate(const struct table *t, size_t i)
{
	const Elf64_Sym *x = &t->symbol[i];

	if (ELF64_ST_TYPE(x->st_info) != STT_FUNC || x->st_shndx == SHN_UNDEF || x->st_name >= t->text_bytes)
		return NULL;
	return alike(t->text + x->st_name) ? t->text + x->st_name : NULL;
}

/* Up to the next function, no further than the padding that aligns it. */
static uint64_t room(const struct table *t, const Elf64_Sym *x)
{
	const uint64_t align = 16;
	uint64_t end = (x->st_value + x->st_size + align - 1) / align * align;

	for (size_t i = 0; i < t->n; i++) {
		const Elf64_Sym *y = &t->symbol[i];

		if (ELF64_ST_TYPE(y->st_info) == STT_FUNC && y->st_value > x->st_value && y->st_value < end)
			end = y->st_value;
	}
	return end - x->st_value;
}

static void find_segment(struct symbols *s)
{
	const Elf64_Ehdr *h = header(s);
	const Elf64_Phdr *p = h ? part(s, h->e_phoff, (uint64_t)h->e_phnum * sizeof *p) : NULL;

	for (unsigned i = 0; p && i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X && p[i].p_vaddr <= s->first &&
		    s->last - p[i].p_vaddr < p[i].p_filesz) {
			s->start = p[i].p_vaddr;
			s->end = p[i].p_vaddr + p[i].p_filesz;
			s->protection = PROT_EXEC | (p[i].p_flags & PF_R ? PROT_READ : 0) |
					(p[i].p_flags & PF_W ? PROT_WRITE : 0);
		}
}

static void find_runtime(struct symbols *s)
{
	const struct table t = find_table(s);
	bool registers = false, before13 = false, before12 = true;
	size_t place = 0;
	struct entry e;

	for (size_t i = 0; i < t.n; i++) {
		const char *name = candidate(&t, i);
		const int versions = name ? versions_of(name) : 0;

		if (!versions)
			continue;
		s->first = s->last && s->first < t.symbol[i].st_value ? s->first : t.symbol[i].st_value;
		s->last = s->last > t.symbol[i].st_value ? s->last : t.symbol[i].st_value;
		registers |= strcmp(name, "__cudaRegisterFatBinary") == 0;
		before13 |= versions == IN12;
		before12 &= strcmp(name, "cudaGetDeviceProperties_v2") != 0;
	}
	if (registers)
		find_segment(s);
	while (s->end && symbols_next(s, &place, &e)) {
		s->n++;
		s->name_bytes += strlen(e.name) + 1;
	}
	if (s->n)
		s->version = before13 ? 12 - before12 : 13;
}

bool symbols_next(const struct symbols *s, size_t *place, struct entry *e)
{
	const struct table t = find_table(s);

	for (; *place < t.n; ++*place) {
		const Elf64_Sym *x = &t.symbol[*place];
		const char *name = candidate(&t, *place);

		if (name && x->st_value >= s->first && x->st_value <= s->last) {
			*e = (struct entry){ x->st_value, room(&t, x), name };
			++*place;
			return true;
		}
	}
	return false;
}

void symbols_open(struct symbols *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file;

	*s = (struct symbols){ .file = NULL };
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		s->file = file == MAP_FAILED ? NULL : file;
		s->bytes = s->file ? (size_t)st.st_size : 0;
	}
	close(fd);
	find_runtime(s);
}

void symbols_close(struct symbols *s)
{
	if (s->file)
		munmap((void *)(uintptr_t)s->file, s->bytes);
	*s = (struct symbols){ .file = NULL };
}
