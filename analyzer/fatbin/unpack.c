/* Payloads: as they are, an LZ4 block, or a zstd frame. PTX is text; the padding behind it is dropped. */
#include "fatbin.h"

#include "analyzer/base/ram.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

static bool bad(const struct fatbin *f, const struct fatbin_entry *e, struct diag *d, const char *what)
{
	return diag_error_bin(d, f->name, e->section, e->off, "module %u: %s", e->number, what);
}

bool fatbin_unpack(struct source *out, const struct fatbin *f, const struct fatbin_entry *e, struct arena *a,
		   struct diag *d)
{
	char *to, why[RAM_TEXT];
	int n;
	size_t z;

	*out = (struct source){ .name = arena_printf(a, "%s:module %u", f->name, e->number) };
	if (e->packing == PACKED_LZ4 && !fatbin_lz4_fits(e))
		return bad(f, e, d, "no LZ4 block of this size unpacks to so much");
	to = arena_try_alloc(a, e->size + 1, 1);
	if (!to)
		return diag_error_bin(d, f->name, e->section, e->off, "module %u: no memory to unpack it: %s",
				      e->number, ram_why(why));
	switch (e->packing) {
	case PACKED_NO:
		memcpy(to, e->bytes, e->size);
		break;
	case PACKED_LZ4:
		n = LZ4_decompress_safe(e->bytes, to, (int)e->stored, (int)e->size);
		if (n < 0 || (uint64_t)n != e->size)
			return bad(f, e, d, "the LZ4 block is damaged");
		break;
	case PACKED_ZSTD:
		z = ZSTD_decompress(to, e->size, e->bytes, e->stored);
		if (ZSTD_isError(z))
			return diag_error_bin(d, f->name, e->section, e->off,
					      "module %u: the zstd frame is damaged: %s", e->number,
					      ZSTD_getErrorName(z));
		if (z != e->size)
			return bad(f, e, d, "the zstd frame unpacks to another size");
		break;
	}
	out->text = to;
	out->len = e->size;
	while (e->kind == FATBIN_PTX && out->len && !to[out->len - 1])
		out->len--;
	return true;
}
