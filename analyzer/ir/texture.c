/* Rows of textures and surfaces: their text, taken apart; and instructions as text. */
#include "texture.h"

#include <string.h>

static bool word_is(const char *s, size_t n, const char *word) { return strlen(word) == n && memcmp(s, word, n) == 0; }

static bool take_base(struct texture *x, const char *s, size_t n)
{
	static const struct {
		const char *base;
		enum texture_kind kind;
	} row[] = {
		{ "tex", TEXTURE_FETCH },    { "tld4", TEXTURE_GATHER },  { "txq", TEXTURE_QUERY },
		{ "istypep", TEXTURE_TEST }, { "suq", SURFACE_QUERY },    { "suld", SURFACE_LOAD },
		{ "sust", SURFACE_STORE },   { "sured", SURFACE_REDUCE },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (word_is(s, n, row[i].base))
			x->kind = row[i].kind;
	return x->kind != TEXTURE_NONE;
}

static void take_query(struct texture *x, const char *s, size_t n)
{
	static const char *const name[] = {
		[QUERY_WIDTH] = "width",
		[QUERY_HEIGHT] = "height",
		[QUERY_DEPTH] = "depth",
		[QUERY_ARRAY_SIZE] = "array_size",
		[QUERY_LEVELS] = "num_mipmap_levels",
		[QUERY_SAMPLES] = "num_samples",
		[QUERY_DATA_TYPE] = "channel_data_type",
		[QUERY_ORDER] = "channel_order",
		[QUERY_NORMALIZED] = "normalized_coords",
		[QUERY_FILTER] = "filter_mode",
		[QUERY_ADDRESS_0] = "addr_mode_0",
		[QUERY_ADDRESS_1] = "addr_mode_1",
		[QUERY_ADDRESS_2] = "addr_mode_2",
		[QUERY_FORCE_UNNORMALIZED] = "force_unnormalized_coords",
		[QUERY_LAYOUT] = "memory_layout",
	};

	for (unsigned q = 0; q < sizeof name / sizeof *name; q++)
		if (word_is(s, n, name[q]))
			x->query = q;
}

static void take_word(struct texture *x, const char *s, size_t n)
{
	static const char *const reduce[] = { "add", "min", "max", "and", "or" };
	static const char *const tested[] = {
		[REFERENCE_TEXTURE] = "texref", [REFERENCE_SAMPLER] = "samplerref", [REFERENCE_SURFACE] = "surfref"
	};

	if (n >= 2 && s[n - 1] == 'd' && s[n - 2] >= '1' && s[n - 2] <= '3') {
		x->dims = (uint8_t)(s[n - 2] - '0');
		x->array = s[0] == 'a';
	} else if (word_is(s, n, "cube") || word_is(s, n, "acube")) {
		x->dims = 3;
		x->cube = true;
		x->array = s[0] == 'a';
	} else if (word_is(s, n, "level")) {
		x->level = true;
	} else if (word_is(s, n, "grad")) {
		x->grad = true;
	} else if (n == 2 && s[0] == 'v') {
		x->elements = (uint8_t)(s[1] - '0');
	} else if (n == 1 && x->kind == TEXTURE_GATHER) {
		x->component = (uint8_t)(strchr("rgba", s[0]) - "rgba");
	} else if (n == 1) {
		x->formatted = s[0] == 'p';
	} else if (x->kind == TEXTURE_QUERY || x->kind == SURFACE_QUERY) {
		take_query(x, s, n);
	} else {
		for (unsigned r = 0; r < sizeof reduce / sizeof *reduce; r++)
			if (word_is(s, n, reduce[r]))
				x->reduce = r;
		for (unsigned r = REFERENCE_TEXTURE; r <= REFERENCE_SURFACE; r++)
			if (word_is(s, n, tested[r]))
				x->tested = r;
	}
}

bool texture_of(enum op op, struct texture *x)
{
	const char *s = op_info[op].text, *end;
	bool base = true, typed = false;
	size_t len;

	*x = (struct texture){ .elements = 1, .type = TY_B32 };
	if (s[0] != 't' && s[0] != 's' && s[0] != 'i')
		return false;
	op_mnemonic(op, &len);
	for (end = s + len; s < end; base = false) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		size_t n = (size_t)((dot ? dot : end) - s);
		enum scalar_type t = base ? TY_COUNT : type_find(s, n);

		if (base) {
			if (!take_base(x, s, n))
				return false;
		} else if (t == TY_COUNT) {
			take_word(x, s, n);
		} else if (typed) {
			x->floats = t == TY_F32;
		} else {
			x->type = t;
			typed = true;
		}
		s += n + 1;
	}
	x->coords = (uint8_t)(x->dims ? x->dims + x->array : 0);
	return true;
}

unsigned texture_written(const struct texture *x) { return x->coords == 3 ? 4 : x->coords; }

/* ---- text ---- */
static char *list(struct arena *a, const struct kernel *k, const struct insn *i, unsigned first, unsigned n)
{
	char *t = arena_printf(a, n > 1 ? "{" : "%s", "");

	for (unsigned s = first; s < first + n; s++)
		t = arena_printf(a, "%s%s%s", t, s > first ? ", " : "",
				 ir_print_ref(a, k, k->opnd[i->opnd + s], insn_operand_letter(i, s)));
	return n > 1 ? arena_printf(a, "%s}", t) : t;
}

/* The row's mnemonic with the cache operator before the type and what happens outside behind it. */
static const char *surface_mnemonic(struct arena *a, const struct insn *i, const char *m, size_t *len)
{
	static const char *const outside[] = {
		[OUTSIDE_TRAP] = "trap", [OUTSIDE_CLAMP] = "clamp", [OUTSIDE_ZERO] = "zero"
	};
	static const char *const cop[] = { [COP_CA] = "ca.", [COP_CG] = "cg.", [COP_CS] = "cs.",
					   [COP_CV] = "cv.", [COP_WB] = "wb.", [COP_WT] = "wt." };
	size_t type = *len;
	char *t;

	while (m[type - 1] != '.')
		type--;
	t = arena_printf(a, "%.*s%s%.*s.%s", (int)type, m,
			 i->cop < sizeof cop / sizeof *cop && cop[i->cop] ? cop[i->cop] : "", (int)(*len - type),
			 m + type, i->offset >= 0 && i->offset <= OUTSIDE_ZERO ? outside[i->offset] : "trap");
	*len = strlen(t);
	return t;
}

char *texture_print(struct arena *a, const struct kernel *k, const struct insn *i, const struct texture *x)
{
	bool sampler = texture_has_sampler(x) && !(insn_src(k, i)[1].kind == REF_IMM && !k->imm[insn_src(k, i)[1].val]);
	unsigned at = i->ndst + 1u + texture_has_sampler(x), rest = i->ndst + i->nsrc - at - x->coords;
	char *place = list(a, k, i, i->ndst, 1),
	     *data = i->ndst ? arena_printf(a, "%s, ", list(a, k, i, 0, i->ndst)) : arena_printf(a, "%s", "");
	const char *m;
	size_t len;

	m = op_mnemonic(i->op, &len);
	if (x->kind >= SURFACE_LOAD)
		m = surface_mnemonic(a, i, m, &len);
	if (sampler)
		place = arena_printf(a, "%s, %s", place, list(a, k, i, i->ndst + 1u, 1));
	if (x->coords)
		place = arena_printf(a, x->coords > 1 ? "%s, %s" : "%s, {%s}", place, list(a, k, i, at, x->coords));
	place = arena_printf(a, "%.*s %s[%s]", (int)len, m, data, place);
	if (x->kind == TEXTURE_TEST)
		return arena_printf(a, "%.*s %s%s", (int)len, m, data, list(a, k, i, i->ndst, 1));
	if (!rest)
		return place;
	if (x->grad)
		return arena_printf(a, rest > 2 ? "%s, %s, %s" : "%s, {%s}, {%s}", place,
				    list(a, k, i, at + x->coords, rest / 2),
				    list(a, k, i, at + x->coords + rest / 2, rest / 2));
	return arena_printf(a, "%s, %s", place, list(a, k, i, at + x->coords, rest));
}
