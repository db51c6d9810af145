/* The video instructions of one lane. Source: PTX ISA, "Video Instructions": results are numbers of 34 bits until they
 * are saturated, combined with c or merged into it. */
#ifndef REGLOOM_LANE_VIDEO_H
#define REGLOOM_LANE_VIDEO_H

#include "analyzer/ir/video.h"

static inline int64_t video_extend(uint64_t v, unsigned bits, bool sign)
{
	v &= ((uint64_t)1 << bits) - 1;
	return sign && v >> (bits - 1) ? (int64_t)v - ((int64_t)1 << bits) : (int64_t)v;
}

static inline int64_t video_clamp(int64_t v, unsigned bits, bool sign)
{
	int64_t most = ((int64_t)1 << (bits - sign)) - 1, least = sign ? -most - 1 : 0;

	if (v > most)
		return most;
	return v < least ? least : v;
}

static inline int64_t video_compute(const struct video *v, int64_t a, int64_t b)
{
	int64_t n;

	switch (v->op) {
	case VIDEO_ADD:
		return a + b;
	case VIDEO_SUB:
		return a - b;
	case VIDEO_ABSDIFF:
		return a < b ? b - a : a - b;
	case VIDEO_MIN:
		return a < b ? a : b;
	case VIDEO_MAX:
		return a > b ? a : b;
	case VIDEO_AVRG:
		return (a + b + (a + b >= 0)) >> 1;
	case VIDEO_SHL:
	case VIDEO_SHR:
		if (v->wrap)
			n = b & 31;
		else
			n = b > 32 ? 32 : b;
		return v->op == VIDEO_SHR ? a >> n : (int64_t)((uint64_t)a << n);
	case VIDEO_SET:
		switch (v->cmp) {
		case CMP_EQ:
			return a == b;
		case CMP_NE:
			return a != b;
		case CMP_LT:
			return a < b;
		case CMP_LE:
			return a <= b;
		case CMP_GT:
			return a > b;
		case CMP_GE:
			return a >= b;
		}
		break;
	case VIDEO_MAD:
		break;
	}
	return 0;
}

static inline void video_part_at(enum video_part p, unsigned *at, unsigned *bits)
{
	if (p == PART_ALL) {
		*bits = 32;
		*at = 0;
	} else if (p >= PART_H0) {
		*bits = 16;
		*at = 16 * (unsigned)(p - PART_H0);
	} else {
		*bits = 8;
		*at = 8 * (unsigned)(p - PART_B0);
	}
}

static inline int64_t video_take(uint32_t v, enum video_part p, bool sign)
{
	unsigned at, bits;

	video_part_at(p, &at, &bits);
	return video_extend(v >> at, bits, sign);
}

/* a * b + c over 66 bits in two words: high and low. */
static inline uint32_t video_mad(const struct video *v, int64_t a, int64_t b, uint32_t c)
{
	bool negated = !v->po && (v->aneg ^ v->bneg), cneg = !v->po && !negated && v->cneg;
	bool sign = v->asign || v->bsign || negated || cneg;
	uint64_t low = (uint64_t)a * (uint64_t)b, sum, addend;
	int64_t high = !v->asign && !v->bsign ? 0 : (int64_t)low >> 63;

	if (negated) {
		low = ~low;
		high = ~high;
	}
	c = cneg ? ~c : c;
	addend = sign ? (uint64_t)(int64_t)(int32_t)c : c;
	sum = low + addend;
	high += (sign && (int32_t)c < 0 ? -1 : 0) + (sum < low);
	low = sum + (v->po || negated || cneg);
	high += low < sum;
	if (v->shift) {
		low = low >> v->shift | (uint64_t)high << (64 - v->shift);
		high >>= v->shift;
	}
	if (v->sat && sign) {
		if (high > 0 || (high == 0 && low > INT32_MAX))
			low = INT32_MAX;
		else
			low = high < -1 || (high == -1 && (int64_t)low < INT32_MIN) || (high == -1 && (int64_t)low >= 0)
				      ? 0x80000000
				      : low;
	} else if (v->sat)
		low = high || low > UINT32_MAX ? UINT32_MAX : low;
	return (uint32_t)low;
}

static inline uint32_t video_lanes(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
	unsigned bits = 32 / v->lanes;
	uint64_t both = (uint64_t)b << 32 | a;
	uint32_t d = v->second ? c : 0, low = (1u << bits) - 1;

	for (unsigned i = 0; i < v->lanes; i++) {
		int64_t t = video_compute(v, video_extend(both >> bits * v->asel[i], bits, v->asign),
					  video_extend(both >> bits * v->bsel[i], bits, v->bsign));

		t = v->sat && v->op != VIDEO_SET ? video_clamp(t, bits, v->dsign) : t;
		if (v->second)
			d += v->mask >> i & 1 ? (uint32_t)t : 0;
		else
			d |= (v->mask >> i & 1 ? (uint32_t)t & low : c >> bits * i & low) << bits * i;
	}
	return d;
}

static inline uint32_t video(enum op op, uint32_t a, uint32_t b, uint32_t c, uint64_t control)
{
	struct video v = video_unpack(op, control);
	bool dsign = v.op != VIDEO_SET && v.dsign;
	int64_t t, third = video_extend(c, 32, dsign), ta = video_take(a, v.a, v.asign);
	unsigned at, bits;

	if (v.lanes > 1)
		return video_lanes(&v, a, b, c);
	if (v.op == VIDEO_MAD)
		return video_mad(&v, ta, video_take(b, v.b, v.bsign), c);
	t = video_compute(&v, ta, video_take(b, v.b, v.bsign && v.op != VIDEO_SHL && v.op != VIDEO_SHR));
	video_part_at(v.d, &at, &bits);
	if (v.sat && v.op != VIDEO_SET)
		t = video_clamp(t, bits, dsign);
	if (v.d != PART_ALL) {
		uint32_t low = (uint32_t)(((uint64_t)1 << bits) - 1) << at;

		return ((uint32_t)t << at & low) | (c & ~low);
	}
	switch (v.second) {
	case SECOND_NONE:
		break;
	case SECOND_ADD:
		t += third;
		break;
	case SECOND_MIN:
		t = t < third ? t : third;
		break;
	case SECOND_MAX:
		t = t > third ? t : third;
		break;
	}
	return (uint32_t)t;
}

#endif
