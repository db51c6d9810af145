/* SHA-256 (FIPS 180-4): names of contents. */
#ifndef REGLOOM_BASE_SHA256_H
#define REGLOOM_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* the latter with the NUL */
enum { SHA256_BYTES = 32, SHA256_HEX = 2 * SHA256_BYTES + 1 };

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[64];
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t n);
void sha256_end(struct sha256 *s, char hex[SHA256_HEX]); /* lower case */
void sha256_of(const void *data, size_t n, char hex[SHA256_HEX]);

#endif
