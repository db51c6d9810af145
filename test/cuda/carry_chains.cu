// Carry chains in inline PTX: 160-bit sums and differences, a 128 x 128-bit product by madc, the carry as a value.
#include <cstdint>

extern "C" __global__ void carry_chains(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	uint32_t a[5], b[5], s[6], d[6], p[8];

	for (int k = 0; k < 5; k++) {
		a[k] = in[k * n + i];
		b[k] = i % 3 == 0 && k < 4 ? ~a[k] + (k == 0) : in[(k * n + i * 5 + 3) % (5 * n)];
	}
	asm("add.cc.u32 %0, %6, %11;\n\taddc.cc.u32 %1, %7, %12;\n\taddc.cc.u32 %2, %8, %13;\n\taddc.cc.u32 %3, %9, %14;\n\t"
	    "addc.cc.u32 %4, %10, %15;\n\taddc.u32 %5, 0, 0;"
	    : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3]), "=r"(s[4]), "=r"(s[5])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]));
	asm("sub.cc.u32 %0, %6, %11;\n\tsubc.cc.u32 %1, %7, %12;\n\tsubc.cc.u32 %2, %8, %13;\n\tsubc.cc.u32 %3, %9, %14;\n\t"
	    "subc.cc.u32 %4, %10, %15;\n\tsubc.u32 %5, 0, 0;"
	    : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]));
	for (int k = 0; k < 8; k++)
		p[k] = 0;
	for (int k = 0; k < 4; k++)
		asm("mad.lo.cc.u32 %0, %5, %9, %0;\n\tmadc.lo.cc.u32 %1, %6, %9, %1;\n\tmadc.lo.cc.u32 %2, %7, %9, %2;\n\t"
		    "madc.lo.cc.u32 %3, %8, %9, %3;\n\taddc.u32 %4, %4, 0;\n\t"
		    "mad.hi.cc.u32 %1, %5, %9, %1;\n\tmadc.hi.cc.u32 %2, %6, %9, %2;\n\tmadc.hi.cc.u32 %3, %7, %9, %3;\n\t"
		    "madc.hi.u32 %4, %8, %9, %4;"
		    : "+r"(p[k]), "+r"(p[k + 1]), "+r"(p[k + 2]), "+r"(p[k + 3]), "+r"(p[k + 4])
		    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[k]));
	for (int k = 0; k < 6; k++) {
		out[k * n + i] = s[k];
		out[(6 + k) * n + i] = d[k];
	}
	for (int k = 0; k < 8; k++)
		out[(12 + k) * n + i] = p[k];
}
