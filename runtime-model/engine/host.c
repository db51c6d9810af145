/* Calls that the host serves for a kernel: vprintf, __assertfail, malloc, free. Lanes go in order, so what they print
 * and what addresses they get depend on the canonical order of execution alone. */
#include "analyzer/base/rng.h"
#include "runtime-model/engine/host.h"

#include <string.h>

/* bytes of a string that is read; width and precision of a conversion */
enum { TEXT_MAX = 1 << 16, DIGITS_MAX = 4096 };

uint64_t host_argument(const struct lane_call *h, unsigned s, bool wide)
{
	const uint32_t *r = (h->x->src[s] < 0 ? h->e->prog.konst : h->w->reg) + (h->x->src[s] & INT32_MAX);

	return r[h->lane] | (wide ? (uint64_t)r[WARP_LANES + h->lane] << 32 : 0);
}

void host_result(const struct lane_call *h, uint64_t v, bool wide)
{
	uint32_t *r = h->w->reg + h->x->dst[0];

	r[h->lane] = (uint32_t)v;
	if (wide)
		r[WARP_LANES + h->lane] = (uint32_t)(v >> 32);
}

bool host_fault(const struct lane_call *h, enum fault_kind kind, const char *what, uint64_t at)
{
	return fault_in(h->e, kind, h->c, h->w, insn_of(h->e, h->x), h->lane, "%s 0x%llx", what,
			(unsigned long long)at);
}

unsigned char *host_byte(const struct lane_call *h, uint64_t at)
{
	unsigned n;

	return memory_byte(h->e, h->c, h->w, SP_GENERIC, h->lane, at, &n);
}

static const char no_memory[] = "an argument is not in memory: address";

bool host_read(const struct lane_call *h, uint64_t at, unsigned n, uint64_t *v)
{
	*v = 0;
	for (unsigned b = 0; b < n; b++) {
		const unsigned char *p = host_byte(h, at + b);

		if (!p)
			return host_fault(h, FAULT_BOUNDS, no_memory, at);
		*v |= (uint64_t)*p << 8 * b;
	}
	return true;
}

bool host_write(const struct lane_call *h, uint64_t at, unsigned n, uint64_t v)
{
	for (unsigned b = 0; b < n; b++) {
		unsigned char *p = host_byte(h, at + b);

		if (!p)
			return host_fault(h, FAULT_BOUNDS, no_memory, at);
		*p = (unsigned char)(v >> 8 * b);
	}
	if (h->e->sanitizing)
		sanitize_span(h->e, h->c, h->w, insn_of(h->e, h->x), h->lane, SP_GENERIC, at, n, true);
	return true;
}

/* A string in arena a; one that goes on beyond TEXT_MAX bytes ends there. */
static bool read_text(const struct lane_call *h, uint64_t at, struct arena *a, char **text, size_t max)
{
	size_t n = 0, cap = 256;
	char *s = arena_alloc(a, cap + 1, 1);

	for (; n < max && n < TEXT_MAX; n++) {
		const unsigned char *p = host_byte(h, at + n);

		if (!p)
			return host_fault(h, FAULT_BOUNDS, "a string is not in memory: address", at + n);
		if (!*p)
			break;
		if (n == cap) {
			char *wider = arena_alloc(a, cap * 2 + 1, 1);

			memcpy(wider, s, n);
			s = wider;
			cap *= 2;
		}
		s[n] = (char)*p;
	}
	s[n] = 0;
	*text = s;
	return true;
}

/* ---- printf ---- */
/* arguments as C promotes them, each aligned to its size */
struct list {
	uint64_t at;
	unsigned taken;
};

static bool next_argument(const struct lane_call *h, struct list *l, unsigned bytes, uint64_t *v)
{
	l->at = (l->at + bytes - 1) / bytes * bytes;
	l->taken++;
	if (!host_read(h, l->at, bytes, v))
		return false;
	l->at += bytes;
	return true;
}

static const char *number(const char *s, unsigned *n)
{
	for (*n = 0; *s >= '0' && *s <= '9'; s++)
		*n = *n < DIGITS_MAX ? *n * 10 + (unsigned)(*s - '0') : *n;
	*n = *n < DIGITS_MAX ? *n : DIGITS_MAX;
	return s;
}

/* * or digits. */
static bool count(const struct lane_call *h, struct list *l, const char **s, int *n)
{
	unsigned digits;
	uint64_t v;

	if (**s != '*') {
		*s = number(*s, &digits);
		*n = (int)digits;
		return true;
	}
	++*s;
	if (!next_argument(h, l, 4, &v))
		return false;
	if ((int32_t)v > DIGITS_MAX)
		*n = DIGITS_MAX;
	else
		*n = (int32_t)v < -DIGITS_MAX ? -DIGITS_MAX : (int32_t)v;
	return true;
}

/* Makes C's specification with j for integers, so that its library writes the text. */
static bool convert(const struct lane_call *h, struct list *l, const char **from, struct arena *a, char **out,
		    size_t *len)
{
	const char *s = *from + 1;
	char spec[32] = "%";
	size_t n = 1;
	int width = 0, precision = -1, padded;
	unsigned longs = 0, shorts = 0;
	uint64_t v;
	bool sign;
	double f;

	for (; *s && strchr("-+ #0", *s); s++)
		if (!memchr(spec, *s, n))
			spec[n++] = *s;
	if (!count(h, l, &s, &width))
		return false;
	if (*s == '.') {
		s++;
		if (!count(h, l, &s, &precision))
			return false;
	}
	for (; *s && strchr("hlLqjzt", *s); s++) {
		longs += *s == 'h' ? 0 : 1;
		shorts += *s == 'h';
	}
	spec[n++] = '*';
	spec[n++] = '.';
	spec[n++] = '*';
	switch (*s) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		if (!next_argument(h, l, longs ? 8 : 4, &v))
			return false;
		spec[n++] = 'j';
		spec[n++] = *s;
		sign = *s == 'd' || *s == 'i';
		if (!longs && shorts == 1)
			v = sign ? (uint64_t)(int16_t)v : (uint16_t)v;
		else if (!longs && shorts)
			v = sign ? (uint64_t)(int8_t)v : (uint8_t)v;
		else if (!longs)
			v = sign ? (uint64_t)(int32_t)v : (uint32_t)v;
		*out = arena_printf(a, spec, width, precision, v);
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		if (!next_argument(h, l, 8, &v))
			return false;
		spec[n++] = *s;
		memcpy(&f, &v, sizeof f);
		*out = arena_printf(a, spec, width, precision, f);
		break;
	case 'c':
		if (!next_argument(h, l, 4, &v))
			return false;
		padded = width < 0 ? -width : width;
		*out = arena_printf(a, memchr(spec, '-', n) ? "%-*c" : "%*c", width, (int)(uint8_t)v);
		*len = padded > 1 ? (size_t)padded : 1; /* the character may be NUL */
		break;
	case 's':
		if (!next_argument(h, l, 8, &v))
			return false;
		if (!v)
			*out = arena_printf(a, "(null)");
		else if (!read_text(h, v, a, out, precision < 0 ? TEXT_MAX : (size_t)precision))
			return false;
		*out = arena_printf(a, memchr(spec, '-', n) ? "%-*s" : "%*s", width, *out);
		break;
	case 'p':
		if (!next_argument(h, l, 8, &v))
			return false;
		*out = arena_printf(a, "%*s", width, arena_printf(a, "0x%llx", (unsigned long long)v));
		break;
	case '%':
		*out = arena_printf(a, "%%");
		break;
	default: /* no conversion: as it stands */
		*out = arena_strndup(a, *from, (size_t)(s - *from));
		*len = (size_t)(s - *from);
		*from = s;
		return true;
	}
	*from = s + 1;
	if (*s != 'c')
		*len = strlen(*out);
	return true;
}

/* The pieces of a text, one after the other; the whole of it does not depend on where it is cut. */
static void write_piece(FILE *f, const char *s, size_t n, uint64_t *sum)
{
	for (size_t i = 0; i < n; i++)
		*sum = mix64(*sum + (uint8_t)s[i]);
	if (f)
		fwrite(s, 1, n, f);
}

static bool print(const struct lane_call *h)
{
	uint64_t format = host_argument(h, 0, true);
	struct list l = { .at = host_argument(h, 1, true) };
	FILE *f = h->e->dev->print;
	uint64_t sum = 1;
	struct arena a;
	char *text, *piece;
	size_t len = 0;
	bool ok;

	if (!format) {
		host_result(h, UINT32_MAX, false); /* -1, as in CUDA */
		return true;
	}
	arena_init(&a);
	ok = read_text(h, format, &a, &text, TEXT_MAX);
	for (const char *s = ok ? text : ""; ok && *s;) {
		size_t plain = strcspn(s, "%");

		write_piece(f, s, plain, &sum);
		s += plain;
		if (!*s)
			break;
		ok = convert(h, &l, &s, &a, &piece, &len);
		if (ok)
			write_piece(f, piece, len, &sum);
	}
	h->e->dev->printed += sum;
	arena_free(&a);
	if (ok)
		host_result(h, l.taken, false);
	return ok;
}

static bool assert_failed(const struct lane_call *h)
{
	char *text = NULL, *file = NULL, *function = NULL;
	struct arena a;
	bool ok;

	arena_init(&a);
	ok = read_text(h, host_argument(h, 0, true), &a, &text, TEXT_MAX) &&
	     read_text(h, host_argument(h, 1, true), &a, &file, TEXT_MAX) &&
	     read_text(h, host_argument(h, 3, true), &a, &function, TEXT_MAX);
	if (ok)
		fault_in(h->e, FAULT_ASSERT, h->c, h->w, insn_of(h->e, h->x), h->lane,
			 "assertion '%.400s' failed in %.200s, %.200s:%u", text, function, file,
			 (uint32_t)host_argument(h, 2, false));
	arena_free(&a);
	return false;
}

bool host_call(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	struct lane_call h = { e, c, w, x, 0 };
	uint64_t at;

	EACH_ACTIVE(l, exec)
	{
		h.lane = l;
		switch (x->target) {
		case OP_HOST_PRINTF:
			if (!print(&h))
				return false;
			break;
		case OP_HOST_MALLOC:
			at = heap_alloc(e->dev, host_argument(&h, 0, true));
			if (at)
				device_unwritten(e->dev, at, host_argument(&h, 0, true));
			host_result(&h, at, true);
			break;
		case OP_HOST_FREE:
			if (!heap_free(e->dev, host_argument(&h, 0, true)))
				return host_fault(&h, FAULT_HEAP,
						  "free of what malloc did not give:", host_argument(&h, 0, true));
			break;
		case OP_HOST_PARAMETERS:
			if (!host_parameters(&h))
				return false;
			break;
		case OP_HOST_DEVICE:
			if (!host_device(&h))
				return false;
			break;
		default:
			return assert_failed(&h);
		}
	}
	return true;
}
