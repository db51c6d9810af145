/* Textures and surfaces of machine code in rows of PTX.
 *
 * A handle has 32 bits: in constant memory, a uniform register, or with .B before the other operands. Of a fetch's
 * coordinates the index of an array comes first, behind them stand the handle (.B) and the level. With .SCR two of
 * all these are in the first operand, or one of two, and the rest in the second; else the coordinates are in the
 * first. Derivatives alternate: by x, by y of the first coordinate, and so on; there, and for surfaces, the index of
 * an array comes last. What a fetch returns is a matter of the texture, so one row serves for all types. ptxas
 * fetches from a texture of one dimension with a second coordinate 0 (engine/texture.c lets it). */
#include "analyzer/sass/values_memory.h"

#include "analyzer/ir/texture.h"

#include <ctype.h>
#include <string.h>

enum { WORDS_MAX = 8, COORDINATES_MAX = 4, CHANNELS = 4 };

/* By the number that stands for the shape of a texture. */
static const struct shape {
	const char *name;
	unsigned coordinates; /* with the index of an array */
	bool array;
} shapes[] = {
	{ "1d", 1, false }, { "2d", 2, false }, { "3d", 3, false }, { "cube", 3, false },
	{ "a1d", 2, true }, { "a2d", 3, true }, { NULL, 0, false }, { "acube", 4, true },
};

/* ---- operands ---- */
/* The number with this place among the numbers of the instruction; from < 0: counted from the last. -1: there is
 * none. */
static int number(const struct one *o, int place)
{
	int found[4], n = 0;

	for (unsigned i = 0; i < o->s->nop && n < 4; i++)
		if (o->s->op[i].role == SROLE_NUM && o->s->op[i].kind == SASS_INT)
			found[n++] = (int)o->s->op[i].value;
	place = place < 0 ? n + place : place;
	return place >= 0 && place < n ? found[place] : -1;
}

static unsigned channel_mask(const struct one *o)
{
	for (unsigned i = 0; i < o->s->nop; i++)
		if (o->s->op[i].role == SROLE_NUM && o->s->op[i].kind == SASS_MASK)
			return (unsigned)o->s->op[i].value;
	return 0;
}

static const struct shape *shape_of(const struct one *o)
{
	const int n = number(o, -1);

	if (n >= 0 && n < (int)(sizeof shapes / sizeof *shapes) && shapes[n].name)
		return &shapes[n];
	one_refuse(o, "its shape is not known");
	return NULL;
}

/* Is the handle in a register, among the other operands? */
static bool has_register(const struct one *o)
{
	const bool yes = !one_role(o, SROLE_U) && number(o, 1) < 0;

	if (yes && sass_mod(o->s, "texb") == 0)
		one_refuse(o, "where its handle is is not known");
	return yes;
}

/* A handle of 32 bits as PTX's, of 64. */
static struct ref handle_from(const struct one *o, struct ref bits)
{
	one_put1(o, OP_CVT_U64_U32, one_wide(0), bits);
	return one_wide(0);
}

/* A handle that is not among the operands in registers: the place of a constant in words, or a uniform register. */
static struct ref bound_handle(const struct one *o)
{
	const struct sass_operand *u = one_role(o, SROLE_U);
	const struct sass_operand at = { .kind = SASS_CONST,
					 .bank = (uint8_t)number(o, 0),
					 .value = (uint64_t)number(o, 1) * 4 };

	return handle_from(o, one_bits32(o, u ? u : &at, 0));
}

/* The words of an operand behind those of *w. */
static void add_words(const struct one *o, enum sass_role r, unsigned n, struct ref w[WORDS_MAX], unsigned *at)
{
	for (unsigned i = 0; i < n && *at < WORDS_MAX; i++)
		w[(*at)++] = one_bits32(o, one_role(o, r), i);
}

/* Four channels: those that the mask names, packed, the first two to one operand and the rest to the other. */
static void channels(const struct one *o, struct ref dst[CHANNELS])
{
	const unsigned mask = channel_mask(o);

	for (unsigned c = 0, at = 0; c < CHANNELS; c++) {
		dst[c] = ref_none();
		if (mask >> c & 1) {
			dst[c] = one_result(o, at < 2 ? SROLE_D : SROLE_F, at % 2);
			at++;
		}
	}
}

static bool is_plain(const struct one *o)
{
	static const char *const field[] = { "texaoffi", "tld4off", "texdc" };

	for (unsigned n = 0; n < sizeof field / sizeof *field; n++)
		if (sass_mod(o->s, field[n]) > 0) {
			one_refuse(o, "offsets and comparisons are not executed");
			return false;
		}
	return true;
}

/* The operands of a fetch in PTX's order: handle, sampler, coordinates and, if there is one, the level. Their number.
 */
static unsigned fetch_operands(const struct one *o, const struct shape *s, bool level, struct ref src[WORDS_MAX])
{
	const bool handle = has_register(o);
	const unsigned all = s->coordinates + handle + level;
	unsigned first = s->coordinates, at = 0, n = 0;
	struct ref word[WORDS_MAX];

	if (sass_mod(o->s, "texscr") > 0)
		first = all > 2 ? 2 : 1;
	add_words(o, SROLE_A, first, word, &at);
	if (all > first)
		add_words(o, SROLE_B, all - first, word, &at);
	src[n++] = handle ? handle_from(o, word[s->coordinates]) : bound_handle(o);
	src[n++] = one_imm(o, 0);
	for (unsigned c = 0; c < s->coordinates; c++)
		src[n++] = word[c];
	if (level)
		src[n++] = word[s->coordinates + handle];
	return n;
}

/* ---- fetches ---- */
/* How the coordinates of src change from lane to lane of each four, behind them: by x all, by y all. */
static unsigned between_lanes(const struct one *o, const struct shape *s, struct ref *src, unsigned n)
{
	const struct ref lane = one_word(WORDS_MAX - 2), other = lane;
	const unsigned dims = s->coordinates - s->array, coordinate = n - dims;

	for (unsigned way = 0; way < 2; way++) {
		one_put1(o, OP_MOV_B32, lane, (struct ref){ .kind = REF_SREG, .val = SREG_LANEID });
		one_put2(o, OP_AND_B32, lane, lane, one_imm(o, 1u << way));
		one_put2(o, OP_SETP_NE_B32, one_flag(way), lane, one_imm(o, 0));
	}
	for (unsigned way = 0; way < 2; way++)
		for (unsigned d = 0; d < dims; d++) {
			const struct ref from = src[coordinate + d], by = one_word(way * dims + d),
					 shuffle[] = { from, one_imm(o, 1u << way), one_imm(o, 31),
						       one_imm(o, UINT32_MAX) };

			one_row(o, OP_SHFL_BFLY, &other, 1, shuffle, sizeof shuffle / sizeof *shuffle);
			one_put3(o, OP_SELP_B32, by, other, from, one_flag(way));
			one_put3(o, OP_SELP_B32, other, from, other, one_flag(way));
			one_put2(o, OP_SUB_F32, by, other, by);
			src[n++] = by;
		}
	return n;
}

/* Without a level, coordinates that are integers are of level zero; floats are of the level that their changes between
 * lanes say where each four lanes execute (.NDV), else from sm_100 on of level zero too: ptxas makes tex.base of it. */
void sem_fetch(const struct one *o)
{
	const bool floats = strcmp(sass_mnemonic(o->s), "TEX") == 0;
	const char *lod = one_named(o, floats ? "texlod" : "tldlod"), *how = "";
	const struct shape *s = shape_of(o);
	const bool level = strcmp(lod, "LL") == 0;
	struct ref dst[CHANNELS], src[2 * WORDS_MAX];
	unsigned n;

	if (!s || !is_plain(o))
		return;
	if (level)
		how = "level.";
	else if (floats && strcmp(lod, "LZ") != 0 &&
		 (*lod || o->v->k->native->sm < 100 || sass_mod(o->s, "texndv") > 0))
		how = "grad.";
	if (*how == 'g' && (*lod || sass_mod(o->s, "texndv") != 1 || !one_steps(o))) {
		one_refuse(o, "levels by derivatives between lanes that may not be there are not executed");
		return;
	}
	n = fetch_operands(o, s, level, src);
	if (*how == 'g')
		n = between_lanes(o, s, src, n);
	channels(o, dst);
	one_row(o, one_op(o, "tex.%s%s.v4.u32.%s", how, s->name, floats ? "f32" : "s32"), dst, CHANNELS, src, n);
}

void sem_gather(const struct one *o)
{
	const struct shape *s = shape_of(o);
	const char *component = one_named(o, "tld4c");
	struct ref dst[CHANNELS], src[WORDS_MAX];
	unsigned n;

	if (!s || !is_plain(o))
		return;
	n = fetch_operands(o, s, false, src);
	channels(o, dst);
	one_row(o, one_op(o, "tld4.%c.%s.v4.u32.f32", tolower((unsigned char)*component), s->name), dst, CHANNELS, src,
		n);
}

void sem_fetch_gradient(const struct one *o)
{
	const struct shape *s = shape_of(o);
	const bool handle = has_register(o);
	struct ref dst[CHANNELS], word[WORDS_MAX], by[WORDS_MAX], src[2 * WORDS_MAX];
	unsigned at = 0, nby = 0, n = 0, dims;

	if (!s || !is_plain(o))
		return;
	dims = s->coordinates - s->array;
	add_words(o, SROLE_A, s->coordinates + handle, word, &at);
	add_words(o, SROLE_B, 2 * dims, by, &nby);
	src[n++] = handle ? handle_from(o, word[0]) : bound_handle(o);
	src[n++] = one_imm(o, 0);
	if (s->array)
		src[n++] = word[handle + dims];
	for (unsigned d = 0; d < dims; d++)
		src[n++] = word[handle + d];
	for (unsigned way = 0; way < 2; way++)
		for (unsigned d = 0; d < dims; d++)
			src[n++] = by[2 * d + way];
	channels(o, dst);
	one_row(o, one_op(o, "tex.grad.%s.v4.u32.f32", s->name), dst, CHANNELS, src, n);
}

/* Width, height and depth of a level. */
void sem_query(const struct one *o)
{
	static const enum op ask[] = { OP_TXQ_LEVEL_WIDTH, OP_TXQ_LEVEL_HEIGHT, OP_TXQ_LEVEL_DEPTH };
	const bool handle = has_register(o);
	const struct sass_operand *a = one_role(o, SROLE_A);
	struct ref dst[CHANNELS], from;
	const struct ref level = one_word(0);

	if (number(o, handle || one_role(o, SROLE_U) ? 0 : 2) != 0 || channel_mask(o) >> 3) {
		one_refuse(o, "what it asks for is not known");
		return;
	}
	from = handle ? handle_from(o, one_bits32(o, a, 0)) : bound_handle(o);
	one_put1(o, OP_MOV_B32, level, one_bits32(o, a, handle));
	channels(o, dst);
	for (unsigned n = 0; n < sizeof ask / sizeof *ask; n++)
		one_put2(o, ask[n], dst[n], from, level);
}

/* ---- surfaces ---- */
/* The shape in PTX's words and its coordinates, the index of an array first; 0: refused. */
static unsigned surface_place(const struct one *o, const char **shape, struct ref src[WORDS_MAX])
{
	static const struct {
		const char *is, *shape;
		unsigned n;
		bool array;
	} known[] = { { "1D", "1d", 1, false },
		      { "2D", "2d", 2, false },
		      { "3D", "3d", 3, false },
		      { "1D_ARRAY", "a1d", 2, true },
		      { "2D_ARRAY", "a2d", 3, true } };
	const struct sass_operand *c = one_role(o, SROLE_C);
	const char *is = one_named(o, "surfdim");
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		const unsigned last = known[i].n - 1;

		if (strcmp(known[i].is, is) != 0)
			continue;
		*shape = known[i].shape;
		src[n++] = c ? handle_from(o, one_bits32(o, c, 0)) : bound_handle(o);
		if (known[i].array)
			src[n++] = one_bits32(o, one_role(o, SROLE_A), last);
		for (unsigned d = 0; d < known[i].n - known[i].array; d++)
			src[n++] = one_bits32(o, one_role(o, SROLE_A), d);
		return n;
	}
	one_refuse(o, "its shape is not known");
	return 0;
}

/* The elements of an access in PTX's words, and the registers; 0: refused. */
static unsigned surface_data(const struct one *o, const char **data)
{
	static const struct {
		const char *field, *is, *data;
		unsigned n;
	} known[] = { { "size", "U8", "b8", 1 },         { "size", "U16", "b16", 1 },    { "size", "", "b32", 1 },
		      { "size", "64", "v2.b32", 2 },     { "size", "128", "v4.b32", 4 }, { "surfmask", "R", "b32", 1 },
		      { "surfmask", "RG", "v2.b32", 2 }, { "surfmask", "", "v4.b32", 4 } };
	const bool bytes = sass_mod(o->s, "surfba") > 0;

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (sass_mod(o->s, known[i].field) >= 0 &&
		    bytes == (*known[i].field == 's' && known[i].field[1] == 'i') &&
		    strcmp(known[i].is, one_named(o, known[i].field)) == 0) {
			*data = known[i].data;
			return known[i].n;
		}
	one_refuse(o, "its elements are not known");
	return 0;
}

/* What happens to coordinates outside. */
static void set_outside(const struct one *o, struct insn *x)
{
	const char *clamp = one_named(o, "surfclamp");

	if (!x)
		return;
	if (strcmp(clamp, "IGN") == 0)
		x->offset = OUTSIDE_ZERO;
	else
		x->offset = strcmp(clamp, "TRAP") == 0 ? OUTSIDE_TRAP : OUTSIDE_CLAMP;
}

void sem_surface_load(const struct one *o)
{
	struct ref src[WORDS_MAX], dst[CHANNELS];
	const char *shape = "", *data = "";
	const unsigned nsrc = surface_place(o, &shape, src), ndst = surface_data(o, &data);

	if (!nsrc || !ndst)
		return;
	for (unsigned n = 0; n < ndst; n++)
		dst[n] = one_result(o, SROLE_D, n);
	set_outside(o, one_row(o, one_op(o, "suld.b.%s.%s", shape, data), dst, ndst, src, nsrc));
}

void sem_surface_store(const struct one *o)
{
	struct ref src[WORDS_MAX];
	const char *shape = "", *data = "";
	unsigned n = surface_place(o, &shape, src);
	const unsigned words = surface_data(o, &data);

	if (!n || !words)
		return;
	add_words(o, SROLE_B, words, src, &n);
	set_outside(o, one_row(o, one_op(o, "sust.%c.%s.%s", sass_mod(o->s, "surfba") > 0 ? 'b' : 'p', shape, data),
			       NULL, 0, src, n));
}

void sem_surface_reduce(const struct one *o)
{
	static const struct {
		const char *is, *type;
		bool wide;
	} known[] = { { "", "u32", false },
		      { "S32", "s32", false },
		      { "64", "u64", true },
		      { "S64", "s64", true },
		      { "TEXEL", "b32", false } };
	struct ref src[WORDS_MAX];
	const char *shape = "", *op = one_named(o, "redop"), *type = NULL;
	char name[8] = "";
	unsigned n = surface_place(o, &shape, src);

	for (unsigned i = 0; n && i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].is, one_named(o, "suredtype")) == 0) {
			type = known[i].type;
			src[n] = known[i].wide ? one_pair(o, SROLE_B, 1) : one_source(o, SROLE_B);
		}
	/* where the sign of texels does not matter ptxas says it without .TEXEL */
	if (type && *one_named(o, "suredtype") == 0 && sass_mod(o->s, "surfba") <= 0)
		type = "b32";
	if (!type || (strcmp(type, "b32") == 0) != (sass_mod(o->s, "surfba") <= 0)) {
		one_refuse(o, "its type is not known");
		return;
	}
	for (unsigned i = 0; op[i] && i + 1 < sizeof name; i++)
		name[i] = (char)tolower((unsigned char)op[i]);
	if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0)
		type = "b32";
	set_outside(o,
		    one_row(o,
			    one_op(o, "sured.%c.%s.%s.%s", sass_mod(o->s, "surfba") > 0 ? 'b' : 'p', name, shape, type),
			    NULL, 0, src, n + 1));
}
