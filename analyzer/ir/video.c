/* Control words of video instructions, and their text. */
#include "analyzer/ir/video.h"

static const struct {
	enum op op;
	enum video_op v;
	unsigned lanes;
} row[] = {
	{ OP_VADD, VIDEO_ADD, 1 },          { OP_VSUB, VIDEO_SUB, 1 },          { OP_VABSDIFF, VIDEO_ABSDIFF, 1 },
	{ OP_VMIN, VIDEO_MIN, 1 },          { OP_VMAX, VIDEO_MAX, 1 },          { OP_VSHL, VIDEO_SHL, 1 },
	{ OP_VSHR, VIDEO_SHR, 1 },          { OP_VMAD, VIDEO_MAD, 1 },          { OP_VSET, VIDEO_SET, 1 },
	{ OP_VADD2, VIDEO_ADD, 2 },         { OP_VSUB2, VIDEO_SUB, 2 },         { OP_VAVRG2, VIDEO_AVRG, 2 },
	{ OP_VABSDIFF2, VIDEO_ABSDIFF, 2 }, { OP_VMIN2, VIDEO_MIN, 2 },         { OP_VMAX2, VIDEO_MAX, 2 },
	{ OP_VSET2, VIDEO_SET, 2 },         { OP_VADD4, VIDEO_ADD, 4 },         { OP_VSUB4, VIDEO_SUB, 4 },
	{ OP_VAVRG4, VIDEO_AVRG, 4 },       { OP_VABSDIFF4, VIDEO_ABSDIFF, 4 }, { OP_VMIN4, VIDEO_MIN, 4 },
	{ OP_VMAX4, VIDEO_MAX, 4 },         { OP_VSET4, VIDEO_SET, 4 },
};

bool video_row(enum op op, enum video_op *v, unsigned *lanes)
{
	for (size_t r = 0; r < sizeof row / sizeof *row; r++)
		if (row[r].op == op) {
			*v = row[r].v;
			*lanes = row[r].lanes;
			return true;
		}
	return false;
}

/* Fields from bit 0 up, in one order for both directions. */
struct bits {
	uint64_t word;
	unsigned at;
	bool put;
};

static unsigned field(struct bits *f, unsigned width, unsigned v)
{
	unsigned low = (1u << width) - 1;

	if (f->put)
		f->word |= (uint64_t)(v & low) << f->at;
	else
		v = (unsigned)(f->word >> f->at) & low;
	f->at += width;
	return v;
}

static void fields(struct bits *f, struct video *v)
{
	static const unsigned shift[4] = { 0, 7, 15, 0 };

	v->dsign = field(f, 1, v->dsign);
	v->asign = field(f, 1, v->asign);
	v->bsign = field(f, 1, v->bsign);
	v->sat = field(f, 1, v->sat);
	v->second = (enum video_second)field(f, 2, v->second);
	v->cmp = (enum video_cmp)(field(f, 3, v->cmp) % 6);
	v->wrap = field(f, 1, v->wrap);
	v->po = field(f, 1, v->po);
	v->aneg = field(f, 1, v->aneg);
	v->bneg = field(f, 1, v->bneg);
	v->cneg = field(f, 1, v->cneg);
	v->shift = shift[field(f, 2, v->shift / 7)];
	v->a = (enum video_part)(field(f, 3, v->a) % 7);
	v->b = (enum video_part)(field(f, 3, v->b) % 7);
	v->d = (enum video_part)(field(f, 3, v->d) % 7);
	for (unsigned i = 0; i < 4; i++)
		v->asel[i] = (uint8_t)(field(f, 3, v->asel[i]) % (2 * v->lanes));
	for (unsigned i = 0; i < 4; i++)
		v->bsel[i] = (uint8_t)(field(f, 3, v->bsel[i]) % (2 * v->lanes));
	v->mask = (uint8_t)(field(f, 4, v->mask) & ((1u << v->lanes) - 1));
	v->third = field(f, 1, v->third);
}

uint64_t video_pack(const struct video *v)
{
	struct bits f = { .put = true };
	struct video copy = *v;

	fields(&f, &copy);
	return f.word;
}

struct video video_unpack(enum op op, uint64_t control)
{
	struct bits f = { .word = control };
	struct video v = { .lanes = 1 };

	video_row(op, &v.op, &v.lanes);
	fields(&f, &v);
	return v;
}

/* ---- text ---- */
static const char *const part_text[] = { "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1" };

static const char *lanes_text(struct arena *a, const struct video *v, const uint8_t sel[4], unsigned first)
{
	char *t = arena_printf(a, ".%c", v->lanes == 2 ? 'h' : 'b');
	bool plain = true;

	for (unsigned i = v->lanes; i-- > 0;) {
		plain &= sel[i] == first + i;
		t = arena_printf(a, "%s%u", t, sel[i]);
	}
	return plain ? "" : t;
}

static const char *mask_text(struct arena *a, const struct video *v)
{
	char *t = arena_printf(a, ".%c", v->lanes == 2 ? 'h' : 'b');

	if (v->mask == (1u << v->lanes) - 1)
		return "";
	for (unsigned i = v->lanes; i-- > 0;)
		if (v->mask >> i & 1)
			t = arena_printf(a, "%s%u", t, i);
	return t;
}

char *video_print(struct arena *a, const struct kernel *k, const struct insn *i)
{
	static const char *const second[] = { "", ".add", ".min", ".max" }, *const cmp[] = { ".eq", ".ne", ".lt",
											     ".le", ".gt", ".ge" };
	const struct ref *s = insn_src(k, i);
	struct video v = video_unpack(i->op, k->imm[s[3].val]);
	const char *d = v.lanes > 1 ? mask_text(a, &v) : part_text[v.d];
	const char *as = v.lanes > 1 ? lanes_text(a, &v, v.asel, 0) : part_text[v.a];
	const char *bs = v.lanes > 1 ? lanes_text(a, &v, v.bsel, v.lanes) : part_text[v.b];
	const char *type = v.dsign ? ".s32" : ".u32", *shift = v.shift == 7 ? ".shr7" : ".shr15", *how = "";
	bool mad = v.op == VIDEO_MAD;

	if (v.op == VIDEO_SHL || v.op == VIDEO_SHR)
		how = v.wrap ? ".wrap" : ".clamp";
	else if (v.op == VIDEO_SET)
		how = cmp[v.cmp];
	return arena_printf(a, "%s%s.%s.%s%s%s%s%s%s%s %s%s, %s%s%s, %s%s%s%s%s%s", op_info[i->op].text,
			    v.op == VIDEO_SET ? "" : type, v.asign ? "s32" : "u32", v.bsign ? "s32" : "u32",
			    mad && v.po ? ".po" : "", v.sat ? ".sat" : "", how, mad && v.shift ? shift : "",
			    second[v.second], "", ir_print_ref(a, k, insn_dst(k, i)[0], 'W'), d,
			    mad && v.aneg ? "-" : "", ir_print_ref(a, k, s[0], 'W'), as, mad && v.bneg ? "-" : "",
			    ir_print_ref(a, k, s[1], 'W'), bs, v.third ? ", " : "", mad && v.cneg ? "-" : "",
			    v.third ? ir_print_ref(a, k, s[2], 'W') : "");
}
