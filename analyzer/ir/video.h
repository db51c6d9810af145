/* The control word of a video instruction: what its mnemonic and the selectors of its operands say. Its row is the base
 * mnemonic, and the word is the last source, a constant of 64 bits. */
#ifndef REGLOOM_VIDEO_H
#define REGLOOM_VIDEO_H

#include "analyzer/ir/ir.h"

enum video_op {
	VIDEO_ADD,
	VIDEO_SUB,
	VIDEO_ABSDIFF,
	VIDEO_MIN,
	VIDEO_MAX,
	VIDEO_AVRG,
	VIDEO_SET,
	VIDEO_SHL,
	VIDEO_SHR,
	VIDEO_MAD
};
enum video_second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };
enum video_cmp { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };
enum video_part { PART_ALL, PART_B0, PART_B1, PART_B2, PART_B3, PART_H0, PART_H1 };

struct video {
	enum video_op op;
	unsigned lanes;           /* 1: scalar; 2 or 4 numbers in a register */
	bool dsign, asign, bsign; /* types: .s32, else .u32 */
	bool sat;
	enum video_second second;  /* lanes > 1: SECOND_ADD accumulates, else the result is merged into c */
	enum video_cmp cmp;        /* of VIDEO_SET */
	bool wrap;                 /* of the shifts; else .clamp */
	bool po, aneg, bneg, cneg; /* of VIDEO_MAD */
	unsigned shift;            /* of VIDEO_MAD: 0, 7 or 15 */
	enum video_part a, b, d;   /* lanes == 1 */
	uint8_t asel[4], bsel[4];  /* lanes > 1: which of the lanes of b:a is lane i of the operand */
	uint8_t mask;              /* lanes > 1: lanes that are written */
	bool third;                /* c is an operand */
};

bool video_row(enum op op, enum video_op *v, unsigned *lanes); /* is it a video instruction? */
uint64_t video_pack(const struct video *v);
struct video video_unpack(enum op op, uint64_t control); /* of any bits */
/* The instruction as PTX, without its guard. */
char *video_print(struct arena *a, const struct kernel *k, const struct insn *i);

#endif
