/* Control characters are U+0000 to U+001F and U+007F to U+009F; UTF-8 as RFC 3629 has it. */
#include "analyzer/base/text.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the UTF-8 sequence that begins with c; 0: none does. */
static size_t encoded_length(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c < 0xe0)
		return 2;
	if (c >= 0xe0 && c < 0xf0)
		return 3;
	return c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

/* Bytes of the character at p, which may be shown as it is; 0: its first byte may not. */
static size_t shown(const unsigned char *p, size_t n)
{
	size_t bytes = encoded_length(*p);
	uint32_t c = bytes == 1 ? *p : *p & (0xffu >> (bytes + 1));

	if (!bytes || bytes > n)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if ((bytes == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (bytes == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ? 0 : bytes;
}

char *text_shown(struct arena *a, const char *s, size_t n, const char *keep)
{
	static const char hex[] = "0123456789abcdef";
	char *out = new_array(a, char, 4 * n + 1), *to = out;

	for (size_t i = 0, k; i < n; i += k) {
		unsigned char c = (unsigned char)s[i];

		k = shown((const unsigned char *)s + i, n - i);
		k = !k && c && strchr(keep, c) ? 1 : k;
		if (k) {
			memcpy(to, s + i, k);
			to += k;
			continue;
		}
		k = 1;
		*to++ = '\\';
		*to++ = 'x';
		*to++ = hex[c >> 4];
		*to++ = hex[c & 15];
	}
	return out;
}

void text_mask(char *s, size_t n)
{
	for (size_t i = 0, k; i < n; i += k) {
		k = shown((const unsigned char *)s + i, n - i);
		if (!k && s[i] != '\t')
			s[i] = '?';
		k = k ? k : 1;
	}
}
