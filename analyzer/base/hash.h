/* Hashes, the same on every machine; not for what somebody chooses to collide. */
#ifndef REGLOOM_HASH_H
#define REGLOOM_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u
#define HASH_GOLDEN 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio, odd */

/* FNV-1a, 64 bits: a change of one bit always changes the hash. */
static inline uint64_t hash_step(uint64_t h, uint64_t v) { return (h ^ v) * 0x100000001b3u; }
static inline uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = hash_step(h, ((const unsigned char *)p)[i]);
	return h;
}

/* The same of 32 bits, of a text. */
static inline uint32_t hash_text(const char *s, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

/* A bijection of 64 bits in which every bit reaches every other: splitmix64's (Steele, Lea, Flood 2014). */
static inline uint64_t mix64(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif
