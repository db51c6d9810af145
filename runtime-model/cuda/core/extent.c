/* How long an image is, as it says itself. */
#include "runtime-model/cuda/core/internal.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK_PAGES = 4096 };
/* beyond this no image is believed */
#define IMAGE_MOST ((uint64_t)1 << 32)

/* Some memory is at all of these addresses. */
static bool is_mapped(const void *p, uint64_t n)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = (uint64_t)(uintptr_t)p + n;
	unsigned char seen[CHUNK_PAGES];

	for (uint64_t at = (uint64_t)(uintptr_t)p / page * page; at < end; at += CHUNK_PAGES * page) {
		const uint64_t left = end - at, chunk = CHUNK_PAGES * page;

		if (mincore((void *)(uintptr_t)at, left < chunk ? left : chunk, seen) != 0)
			return false;
	}
	return true;
}

/* n: as cu_image_bytes() has it. */
static bool is_there(const void *p, uint64_t n, uint64_t bytes)
{
	return bytes <= IMAGE_MOST && (n ? bytes <= n : is_mapped(p, bytes));
}

static uint64_t further(uint64_t end, uint64_t offset, uint64_t bytes)
{
	if (offset > IMAGE_MOST || bytes > IMAGE_MOST)
		return UINT64_MAX;
	return offset + bytes > end ? offset + bytes : end;
}

/* Its headers may stand before or behind what they are of. 0: some of it is not there. */
static uint64_t elf_bytes(const char *p, uint64_t n)
{
	uint64_t end = sizeof(Elf64_Ehdr);
	Elf64_Ehdr e;

	if (!is_there(p, n, end))
		return 0;
	memcpy(&e, p, sizeof e);
	end = further(end, e.e_phoff, (uint64_t)e.e_phnum * e.e_phentsize);
	end = further(end, e.e_shoff, (uint64_t)e.e_shnum * e.e_shentsize);
	if (!is_there(p, n, end))
		return 0;
	for (unsigned i = 0; i < e.e_shnum && e.e_shentsize == sizeof(Elf64_Shdr); i++) {
		Elf64_Shdr s;

		memcpy(&s, p + e.e_shoff + i * sizeof s, sizeof s);
		end = further(end, s.sh_offset, s.sh_type == SHT_NOBITS ? 0 : s.sh_size);
	}
	return is_there(p, n, end) ? end : 0;
}

static uint64_t container_bytes(const char *p, uint64_t n)
{
	uint64_t body;
	uint16_t header;

	if (!is_there(p, n, 16))
		return 0;
	memcpy(&header, p + 6, sizeof header);
	memcpy(&body, p + 8, sizeof body);
	body = further(0, header, body);
	return is_there(p, n, body) ? body : 0;
}

static uint64_t image_bytes(const char *p, uint64_t n)
{
	switch (n && n < 4 ? IMAGE_TEXT : image_magic(p)) {
	case IMAGE_WRAPPER: /* its container is static data of the program */
		return is_there(p, n, IMAGE_WRAPPER_BYTES) ? IMAGE_WRAPPER_BYTES : 0;
	case IMAGE_CONTAINER:
		return container_bytes(p, n);
	case IMAGE_ELF:
		return elf_bytes(p, n);
	}
	return (n ? strnlen(p, n) : strlen(p)) + 1;
}

size_t cu_image_bytes(const void *image, size_t n)
{
	const uint64_t bytes = image_bytes(image, n);

	if (!bytes)
		say("error: an image says that it has more bytes than there are");
	return bytes;
}
