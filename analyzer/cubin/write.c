/* Adding sections to a cubin. What is loaded, and all that tools know of a cubin, must stay as it is, so nothing is
 * moved: libelf lays the new sections out behind the old file, and a new table of section headers behind these; then
 * the old file and its section headers are put back as they were. libelf is told of the old sections as if they had no
 * bytes: it would correct them (cubins of CUDA 12 have an e_version of their own) and takes for granted what a file
 * need not obey. Names of sections stand in a string table of our own, the old one's bytes first, so that old headers
 * need not change, but for the first, which counts the sections where the ELF header cannot. The header table comes
 * last: what finds the end of a file by its headers finds this one's. */
#include "analyzer/cubin/write.h"

#include "analyzer/base/hash.h"
#include "analyzer/cubin/read.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	EHDR_BYTES = 64,
	SHDR_BYTES = 64,
	E_SHOFF = 40,
	E_SHNUM = 60,
	E_SHSTRNDX = 62,
	SH_SIZE = 32,
	SH_LINK = 40,
	HEAD_BYTES = 16,
	RECORD_BYTES = 32,
	CONTAINER_BYTES = HEAD_BYTES + RECORD_BYTES,
	OWN = 2,
	ALIGN = 8,
};

/* The record of the container section: what the ELF header said, and how long the file was. */
struct before {
	uint64_t bytes, shoff;
	uint32_t shnum, shstrndx;
};

static uint64_t get(const uint8_t *p, unsigned bytes)
{
	uint64_t x = 0;

	for (unsigned b = 0; b < bytes; b++)
		x |= (uint64_t)p[b] << 8 * b;
	return x;
}

static void put(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (unsigned b = 0; b < bytes; b++)
		p[b] = (uint8_t)(v >> 8 * b);
}

/* Of the bytes of a record that come before its sum. */
static uint64_t sum(const uint8_t *record) { return hash_bytes(HASH_START, record, RECORD_BYTES - 8); }

static uint64_t align(uint64_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

static bool header_of(const uint8_t *p, size_t n, struct before *out)
{
	struct cubin_headers h;

	if (!cubin_section_headers(p, n, &h))
		return false;
	*out = (struct before){ n, h.at, (uint32_t)h.n, (uint32_t)h.names };
	return true;
}

/* Into an ELF header, and into FIRST, the first section header, which holds the numbers from SHN_LORESERVE on. NULL:
 * leave that as it is. */
static void put_header(uint8_t *p, uint8_t *first, const struct before *h)
{
	put(p + E_SHOFF, h->shoff, 8);
	put(p + E_SHNUM, h->shnum < SHN_LORESERVE ? h->shnum : 0, 2);
	put(p + E_SHSTRNDX, h->shstrndx < SHN_LORESERVE ? h->shstrndx : SHN_XINDEX, 2);
	if (first) {
		put(first + SH_SIZE, h->shnum < SHN_LORESERVE ? 0 : h->shnum, 8);
		put(first + SH_LINK, h->shstrndx < SHN_LORESERVE ? 0 : h->shstrndx, 4);
	}
}

/* The first n section headers, but for what the first says of their number. */
static bool same_headers(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	return memcmp(a, b, SH_SIZE) == 0 &&
	       memcmp(a + SH_LINK + 4, b + SH_LINK + 4, (size_t)n * SHDR_BYTES - SH_LINK - 4) == 0;
}

/* Whether section headers, and the names' section, are inside the file; where they are. */
static bool headers_inside(const uint8_t *p, size_t n, struct before *h)
{
	const uint8_t *names;

	if (n < EHDR_BYTES || memcmp(p, ELFMAG, SELFMAG) != 0 || p[EI_CLASS] != ELFCLASS64 ||
	    get(p + 58, 2) != SHDR_BYTES)
		return false;
	if (!header_of(p, n, h) || !h->shstrndx || h->shstrndx >= h->shnum)
		return false;
	names = p + h->shoff + (size_t)h->shstrndx * SHDR_BYTES;
	return get(names + 24, 8) <= n && get(names + 32, 8) <= n - get(names + 24, 8) && get(names + 32, 8) &&
	       !p[get(names + 24, 8) + get(names + 32, 8) - 1];
}

/* ---- adding ---- */
struct added {
	const char *name;
	const void *bytes;
	uint64_t n, offset;
	uint32_t name_at;
};

struct job {
	const char *name;
	const uint8_t *bytes;
	size_t n;
	struct before before;
	struct added *sec;
	uint32_t nsec;
	uint64_t shoff; /* new */
	struct diag *d;
};

static bool failed(const struct job *j, const char *what)
{
	return diag_error_plain(j->d, j->name, "cannot add sections: %s: %s", what, elf_errmsg(-1));
}

/* Where everything goes; fills in the bytes of the two sections of our own. */
static void plan(struct job *j, const struct cubin_addition *add, uint32_t nadd, struct arena *a)
{
	const uint8_t *old = j->bytes + j->before.shoff + (size_t)j->before.shstrndx * SHDR_BYTES;
	uint64_t names = get(old + 32, 8), at = names, end = align(j->n);
	uint8_t *container = arena_alloc(a, CONTAINER_BYTES, 8), *text;

	j->nsec = nadd + OWN;
	j->sec = new_array(a, struct added, j->nsec);
	j->sec[0] = (struct added){ CUBIN_CONTAINER, container, CONTAINER_BYTES, 0, 0 };
	for (uint32_t s = 0; s < nadd; s++)
		j->sec[s + 1] = (struct added){ add[s].name, add[s].bytes, add[s].n, 0, 0 };
	j->sec[nadd + 1].name = CUBIN_NAMES;
	for (uint32_t s = 0; s < j->nsec; s++) {
		j->sec[s].name_at = (uint32_t)at;
		at += strlen(j->sec[s].name) + 1;
	}
	text = arena_alloc(a, at, 1);
	memcpy(text, j->bytes + get(old + 24, 8), names);
	for (uint32_t s = 0; s < j->nsec; s++)
		memcpy(text + j->sec[s].name_at, j->sec[s].name, strlen(j->sec[s].name) + 1);
	j->sec[nadd + 1].bytes = text;
	j->sec[nadd + 1].n = at;
	memcpy(container, "RLct", 4);
	put(container + 4, 1, 2);
	put(container + 6, RECORD_BYTES, 2);
	put(container + 8, 1, 8);
	put(container + 16, j->before.bytes, 8);
	put(container + 24, j->before.shoff, 8);
	put(container + 32, j->before.shnum, 4);
	put(container + 36, j->before.shstrndx, 4);
	put(container + 40, sum(container + HEAD_BYTES), 8);
	for (uint32_t s = 0; s < j->nsec; s++) {
		j->sec[s].offset = end;
		end = align(end + j->sec[s].n);
	}
	j->shoff = end;
}

static bool add_section(const struct job *j, Elf *e, const struct added *x, uint32_t type, uint64_t alignment)
{
	Elf_Scn *scn = elf_newscn(e);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh = { .sh_name = x->name_at,
			 .sh_type = type,
			 .sh_offset = x->offset,
			 .sh_size = x->n,
			 .sh_addralign = alignment };

	if (!data)
		return failed(j, x->name);
	*data = (Elf_Data){ .d_buf = (void *)(uintptr_t)x->bytes,
			    .d_type = ELF_T_BYTE,
			    .d_version = EV_CURRENT,
			    .d_size = x->n,
			    .d_align = 1 };
	return gelf_update_shdr(scn, &sh) || failed(j, x->name);
}

static bool write_added(const struct job *j, Elf *e)
{
	Elf64_Ehdr *eh = elf_flagelf(e, ELF_C_SET, ELF_F_LAYOUT) ? elf64_newehdr(e) : NULL;

	if (!eh)
		return failed(j, "header");
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_type = ET_REL;
	eh->e_version = EV_CURRENT;
	eh->e_shoff = j->shoff;
	eh->e_shstrndx = 1; /* finish() says which */
	for (uint32_t s = 1; s < j->before.shnum; s++)
		if (!add_section(j, e, &(struct added){ "a section", NULL, 0, EHDR_BYTES, 0 }, SHT_NOBITS, 1))
			return false;
	for (uint32_t s = 0; s < j->nsec; s++)
		if (!add_section(j, e, &j->sec[s], s == j->nsec - 1 ? SHT_STRTAB : CUBIN_ADDED_TYPE,
				 s == j->nsec - 1 ? 1 : ALIGN))
			return false;
	return elf_update(e, ELF_C_WRITE) >= 0 || failed(j, "layout");
}

static bool read_all(int fd, uint8_t *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(fd, p + done, n - done, (off_t)done);

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* What libelf made, with all that was there before as it was. */
static bool finish(const struct job *j, int fd, uint8_t *out, size_t n)
{
	const struct before now = { n, j->shoff, j->before.shnum + j->nsec, j->before.shnum + j->nsec - 1 };

	if (lseek(fd, 0, SEEK_END) != (off_t)n || !read_all(fd, out, n))
		return diag_error_plain(j->d, j->name, "cannot add sections: the file came out shorter");
	memcpy(out, j->bytes, j->n);
	memcpy(out + j->shoff, j->bytes + j->before.shoff, (size_t)j->before.shnum * SHDR_BYTES);
	put_header(out, out + j->shoff, &now);
	return true;
}

bool cubin_add(const char *name, const void *bytes, size_t n, const struct cubin_addition *add, uint32_t nadd,
	       struct arena *a, void **out, size_t *out_n, struct diag *d)
{
	struct job j = { .name = name, .bytes = bytes, .n = n, .d = d };
	uint64_t sections;
	bool ok = true;
	Elf *e;
	int fd;

	if (!headers_inside(bytes, n, &j.before))
		return diag_error_bin(d, name, NULL, E_SHOFF, "section headers are outside the file");
	sections = (uint64_t)j.before.shnum + nadd + OWN;
	if (sections > CUBIN_SECTIONS_MAX)
		return diag_error_plain(
			d, name,
			"would have %llu sections with its annotations; at most %d are written: name one kernel",
			(unsigned long long)sections, CUBIN_SECTIONS_MAX);
	plan(&j, add, nadd, a);
	*out_n = (size_t)(j.shoff + sections * SHDR_BYTES);
	*out = arena_alloc(a, *out_n, 16);
	fd = memfd_create("regloom", MFD_CLOEXEC);
	if (fd < 0) {
		ok = diag_error_plain(d, name, "cannot add sections: %s", strerror(errno));
	} else {
		elf_version(EV_CURRENT);
		e = elf_begin(fd, ELF_C_WRITE, NULL);
		ok = e ? write_added(&j, e) : failed(&j, "begin");
		if (e)
			elf_end(e);
		ok = ok && finish(&j, fd, *out, *out_n);
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

/* ---- taking away ---- */
static bool is_added(const char *section) { return strncmp(section, CUBIN_ADDED, sizeof CUBIN_ADDED - 1) == 0; }

/* The first section whose name says that it was added; 0: none. */
static uint32_t first_added(const uint8_t *p, const struct before *h)
{
	const uint8_t *names = p + h->shoff + (size_t)h->shstrndx * SHDR_BYTES;
	const char *text = (const char *)p + get(names + 24, 8);

	for (uint32_t s = 1; s < h->shnum; s++) {
		uint64_t at = get(p + h->shoff + (size_t)s * SHDR_BYTES, 4);

		if (at < get(names + 32, 8) && is_added(text + at))
			return s;
	}
	return 0;
}

bool cubin_remove_added(const char *name, const void *bytes, size_t n, struct arena *a, const void **out, size_t *out_n,
			struct diag *d)
{
	static const char wrong[] =
		"is not as this program wrote it; llvm-objcopy --remove-section='.regloom.*' takes all of them away";
	const uint8_t *p = bytes, *sh, *record;
	struct before now, old;
	uint32_t first;
	uint8_t *made;

	*out = bytes;
	*out_n = n;
	if (!headers_inside(p, n, &now))
		return diag_error_bin(d, name, NULL, E_SHOFF, "section headers are outside the file");
	first = first_added(p, &now);
	if (!first)
		return true;
	sh = p + now.shoff + (size_t)first * SHDR_BYTES;
	if (get(sh + 32, 8) != CONTAINER_BYTES || get(sh + 24, 8) > n - CONTAINER_BYTES)
		return diag_error_bin(d, name, CUBIN_CONTAINER, 0, "%s", wrong);
	record = p + get(sh + 24, 8) + HEAD_BYTES;
	if (memcmp(record - HEAD_BYTES, "RLct\1\0\40\0\1\0\0\0\0\0\0\0", HEAD_BYTES) != 0)
		return diag_error_bin(d, name, CUBIN_CONTAINER, 0,
				      "is not a head of version 1 with one record of %d bytes", RECORD_BYTES);
	old = (struct before){ get(record, 8), get(record + 8, 8), (uint32_t)get(record + 16, 4),
			       (uint32_t)get(record + 20, 4) };
	if (get(record + 24, 8) != sum(record) || old.bytes > get(sh + 24, 8) || old.bytes < EHDR_BYTES ||
	    old.shnum != first || old.shoff > old.bytes || (uint64_t)old.shnum * SHDR_BYTES > old.bytes - old.shoff ||
	    !same_headers(p + old.shoff, p + now.shoff, first))
		return diag_error_bin(d, name, CUBIN_CONTAINER, HEAD_BYTES, "%s", wrong);
	made = arena_alloc(a, old.bytes + 1, 16);
	memcpy(made, p, old.bytes);
	put_header(made, NULL, &old);
	if (!headers_inside(made, old.bytes, &now))
		return diag_error_bin(d, name, CUBIN_CONTAINER, HEAD_BYTES, "%s", wrong);
	*out = made;
	*out_n = old.bytes;
	return true;
}
