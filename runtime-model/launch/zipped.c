#include "runtime-model/launch/zipped.h"

#include "analyzer/base/infile.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 3, PIECE = 1 << 17, PAGE = 4096 };

/* ---- writing ---- */
static bool put(ZSTD_CCtx *z, ZSTD_inBuffer *in, ZSTD_EndDirective how, FILE *f)
{
	char piece[PIECE];
	size_t left;

	do {
		ZSTD_outBuffer out = { piece, sizeof piece, 0 };

		left = ZSTD_compressStream2(z, &out, in, how);
		if (ZSTD_isError(left) || fwrite(piece, 1, out.pos, f) != out.pos)
			return false;
	} while (how == ZSTD_e_end ? left != 0 : in->pos < in->size);
	return true;
}

bool zipped_write(FILE *f, const struct zipped_part *part, uint32_t n)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	uint64_t total = 0;
	bool ok = z != NULL;

	for (uint32_t i = 0; i < n; i++)
		total += part[i].n;
	if (ok) {
		ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
		ZSTD_CCtx_setPledgedSrcSize(z, total);
	}
	for (uint32_t i = 0; i < n && ok; i++)
		ok = put(z, &(ZSTD_inBuffer){ part[i].bytes, part[i].n, 0 }, ZSTD_e_continue, f);
	ok = ok && put(z, &(ZSTD_inBuffer){ "", 0, 0 }, ZSTD_e_end, f);
	ZSTD_freeCCtx(z);
	return ok;
}

/* ---- reading ---- */
struct zipped {
	FILE *f;
	ZSTD_DCtx *z;
	const char *path;
	struct loc at;
	struct diag *d;
	ZSTD_inBuffer in;
	bool ended, failed;
	char read[PIECE], page[PAGE];
};

static bool damaged(struct zipped *p, const char *why)
{
	if (!p->failed)
		diag_error(p->d, p->at, "%s is damaged: %s", p->path, why);
	p->failed = true;
	return false;
}

static bool more(struct zipped *p)
{
	if (p->in.pos < p->in.size)
		return true;
	p->in = (ZSTD_inBuffer){ p->read, fread(p->read, 1, sizeof p->read, p->f), 0 };
	return p->in.size != 0;
}

struct zipped *zipped_open(const char *path, struct loc at, uint64_t *total, struct arena *a, struct diag *d)
{
	struct zipped *p = new(a, struct zipped);
	unsigned long long n;
	bool other;

	*p = (struct zipped){ .path = path, .at = at, .d = d };
	p->f = infile_regular(path, &other);
	if (!p->f) {
		diag_error(d, at, other ? "%s is not a regular file" : "cannot open %s: %s", path, strerror(errno));
		return NULL;
	}
	p->z = ZSTD_createDCtx();
	more(p);
	n = ZSTD_getFrameContentSize(p->read, p->in.size);
	if (p->z && n != ZSTD_CONTENTSIZE_UNKNOWN && n != ZSTD_CONTENTSIZE_ERROR) {
		*total = n;
		return p;
	}
	damaged(p, "it does not begin as saved memory does");
	zipped_drop(p);
	return NULL;
}

/* Up to n bytes; 0 with a diagnostic. */
static size_t step(struct zipped *p, void *to, size_t n)
{
	ZSTD_outBuffer out = { to, n, 0 };

	while (!out.pos && !p->ended && !p->failed) {
		size_t left;

		if (!more(p)) {
			damaged(p, "it ends too early");
			break;
		}
		left = ZSTD_decompressStream(p->z, &out, &p->in);
		if (ZSTD_isError(left))
			damaged(p, ZSTD_getErrorName(left));
		p->ended = left == 0;
	}
	return p->failed ? 0 : out.pos;
}

static bool zero(const char *s, size_t n) { return !*s && memcmp(s, s + 1, n - 1) == 0; }

bool zipped_take(struct zipped *p, void *to, uint64_t n)
{
	for (uint64_t done = 0; done < n;) {
		const size_t want = n - done < PAGE ? (size_t)(n - done) : PAGE;
		size_t have = 0, got = 1;

		for (; have < want && got; have += got)
			got = step(p, p->page + have, want - have);
		if (have < want)
			return damaged(p, "it ends too early");
		if (!zero(p->page, want))
			memcpy((char *)to + done, p->page, want);
		done += want;
	}
	return true;
}

void zipped_drop(struct zipped *p)
{
	if (!p)
		return;
	ZSTD_freeDCtx(p->z);
	fclose(p->f);
}

bool zipped_close(struct zipped *p)
{
	char rest[1];
	bool ok;

	if (!p->failed && !p->ended && step(p, rest, 1))
		damaged(p, "there is more in it than was saved");
	if (!p->failed && more(p))
		damaged(p, "something follows what was saved");
	ok = !p->failed;
	zipped_drop(p);
	return ok;
}
