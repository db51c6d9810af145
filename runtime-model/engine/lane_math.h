/* The functions that hardware approximates, in double precision rounded once to float: in error by little more than
 * half a unit of the last place, far inside the bounds of the ISA (test/conform/approx.c), and the same on every
 * machine, which no C library promises. Only IEEE operations and integers, without contraction. */
#ifndef REGLOOM_LANE_MATH_H
#define REGLOOM_LANE_MATH_H

#include "runtime-model/engine/lane.h"

static inline float rsqrt_f32(float a) { return (float)(1.0 / __builtin_sqrt((double)a)); }

/* 2^x, |x| <= 1000: the integer part goes to the exponent, 2^fraction (|fraction| <= 1/2) by its Taylor series to the
 * 11th power, whose remainder is below 2^-48. */
static inline double exp2_f64(double x)
{
	double n = (x + 0x1.8p52) - 0x1.8p52, t = (x - n) * 0x1.62e42fefa39efp-1, p;
	uint64_t scale;

	n = n == n ? n : 0;
	scale = (uint64_t)(uint32_t)((int32_t)n + 1023) << 52;
	p = 1 +
	    t * (1 +
		 t * (1.0 / 2 +
		      t * (1.0 / 6 +
			   t * (1.0 / 24 +
				t * (1.0 / 120 +
				     t * (1.0 / 720 +
					  t * (1.0 / 5040 + t * (1.0 / 40320 + t * (1.0 / 362880 +
										    t * (1.0 / 3628800 +
											 t * (1.0 / 39916800)))))))))));
	return p * f64_of(scale);
}

static inline double ex2_f64(float a)
{
	double x = a < -200 ? -200 : (double)a;

	return exp2_f64(x > 200 ? 200 : x);
}
static inline float ex2_f32(float a) { return (float)ex2_f64(a); }

/* log2 a: the exponent, plus log2 of a mantissa in [sqrt(1/2), sqrt 2) by the series of atanh, whose remainder is below
 * 2^-40 of the result. */
static inline double lg2_f64(float a)
{
	uint64_t u = bits_f64((double)a);                         /* a subnormal float is a normal double */
	int32_t up = (u & 0x000fffffffffffff) >= 0x6a09e667f3bcd; /* mantissa >= sqrt 2: halve it */
	int32_t e = (int32_t)(u >> 52) - 1023 + up;
	double m = f64_of((u & 0x000fffffffffffff) | (up ? 0x3fe0000000000000 : 0x3ff0000000000000));
	double s = (m - 1) / (m + 1), q = s * s;
	double r = s *
		   (2.0 + q * (2.0 / 3 +
			       q * (2.0 / 5 +
				    q * (2.0 / 7 + q * (2.0 / 9 + q * (2.0 / 11 + q * (2.0 / 13 + q * (2.0 / 15))))))));

	return (double)e + r * 0x1.71547652b82fep0;
}
static inline float lg2_f32(float a)
{
	float y = (float)lg2_f64(a);

	y = a == INFINITY ? INFINITY : y;
	y = a == 0 ? -INFINITY : y;
	return a < 0 || a != a ? f32_of(NAN_F32) : y;
}

/* tanh: near zero by its Taylor series, whose remainder is below 2^-60, else from 2^(-2|x| log2 e). From 10 on it is
 * 1. */
static inline double tanh_f64(float a) /* of the size */
{
	double x = __builtin_fabs((double)a), z = x * x, u, t;

	x = x > 20 ? 20 : x;
	u = exp2_f64(x * -0x1.71547652b82fep1);
	t = (1 - u) / (1 + u);
	return x < 0x1p-6 ? x * (1 + z * (-1.0 / 3 + z * (2.0 / 15 + z * (-17.0 / 315 + z * (62.0 / 2835))))) : t;
}
static inline float tanh_f32(float a) { return __builtin_copysignf((float)tanh_f64(a), a); }

/* An angle as quarter turns, mod 4, and the rest in radians, within pi/4. */
struct angle {
	uint32_t quarter;
	double rest;
};

/* From 2^20 on, by Payne and Hanek (1983): a is m * 2^e; of 2/pi the 128 bits count whose product with it is below 4
 * and not below 2^-126, and a product mod 2^128 has the quarter turns in its two highest bits. */
static inline struct angle angle_far(float a)
{
	static const uint64_t two_over_pi[] = {
		0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0
	};
	__extension__ unsigned __int128 turn;
	uint32_t u = bits_f32(a), m = (u & 0x007fffff) | 0x00800000;
	unsigned at = (u >> 23 & 255) - 150 + 62, word = at / 64 & 3, shift = at % 64;
	uint64_t high = two_over_pi[word] << shift, low = two_over_pi[word + 1] << shift;
	bool less;

	if (shift) {
		high |= two_over_pi[word + 1] >> (64 - shift);
		low |= two_over_pi[word + 2] >> (64 - shift);
	}
	turn = (__extension__(unsigned __int128) high << 64 | low) * m;
	high = (uint64_t)(turn >> 126);
	turn <<= 2;
	less = turn >> 127; /* beyond half a quarter: to the next one, back */
	turn = less ? -turn : turn;
	return (struct angle){ (uint32_t)high + less,
			       (less ? -1 : 1) * ((double)turn * 0x1p-128) * 0x1.921fb54442d18p+0 };
}

/* Below: by Cody and Waite; pi/2 in three parts, whose products with the quarter turns are exact but for the last. */
static inline struct angle angle_of(float a)
{
	double x = __builtin_fabs((double)a), n = (x * 0x1.45f306dc9c883p-1 + 0x1.8p52) - 0x1.8p52;

	if (x >= 0x1p20)
		return angle_far(a);
	return (struct angle){ (uint32_t)n,
			       ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69 };
}

/* Sine of the angle, QUARTERS further on; the Taylor series of sine and cosine within pi/4 leave less than 2^-54. */
static inline double sine(struct angle t, uint32_t quarters)
{
	double x = t.rest, z = x * x;
	double s =
		x * (1 + z * (-1.0 / 6 +
			      z * (1.0 / 120 + z * (-1.0 / 5040 +
						    z * (1.0 / 362880 +
							 z * (-1.0 / 39916800 +
							      z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000))))))));
	double c = 1 +
		   z * (-1.0 / 2 +
			z * (1.0 / 24 +
			     z * (-1.0 / 720 +
				  z * (1.0 / 40320 + z * (-1.0 / 3628800 +
							  z * (1.0 / 479001600 + z * (-1.0 / 87178291200 +
										      z * (1.0 / 20922789888000))))))));

	quarters += t.quarter;
	return (quarters & 2 ? -1 : 1) * (quarters & 1 ? c : s);
}

static inline float sin_f32(float a)
{
	if (!(__builtin_fabsf(a) < INFINITY))
		return f32_of(NAN_F32);
	return __builtin_copysignf(1, a) * (float)sine(angle_of(a), 0);
}
static inline float cos_f32(float a)
{
	return __builtin_fabsf(a) < INFINITY ? (float)sine(angle_of(a), 1) : f32_of(NAN_F32);
}

/* The same of an angle in turns, as machine code has it: the nearest quarter, and what is left, which is exact. */
static inline struct angle angle_of_turns(float a)
{
	double x = __builtin_fabs((double)a), n;

	x = x < 0x1p24 ? x : 0; /* from there on all floats are whole turns */
	n = (x * 4 + 0x1.8p52) - 0x1.8p52;
	return (struct angle){ (uint32_t)n, (x - n * 0.25) * 0x1.921fb54442d18p+2 };
}
static inline float sin_turns_f32(float a)
{
	if (!(__builtin_fabsf(a) < INFINITY))
		return f32_of(NAN_F32);
	return __builtin_copysignf(1, a) * (float)sine(angle_of_turns(a), 0);
}
static inline float cos_turns_f32(float a)
{
	return __builtin_fabsf(a) < INFINITY ? (float)sine(angle_of_turns(a), 1) : f32_of(NAN_F32);
}

#endif
