/* Mnemonics. A mnemonic is a base and a run of dotted parts in any order. Parts that any instruction of a kind may
 * carry (state space, vector width, cache operator, .ftz, ...) become fields of the instruction; what is left, base,
 * semantic modifiers and types, names the row of ops.def. */
#include "parse.h"

#include "analyzer/base/near.h"

#include <stdio.h>
#include <string.h>

/* which attributes a base may have */
enum base_kind {
	BASE_MEM = 1 << 0,   /* ld ldu st atom red */
	BASE_SPACE = 1 << 1, /* cvta */
	BASE_UNI = 1 << 4,
	BASE_BOOL = 1 << 5, /* setp */
	BASE_LOADSTORE = 1 << 6,
	BASE_VECTOR = 1 << 7,
	BASE_SURFACE = 1 << 8, /* suld sust sured */
};

static unsigned base_kind(const struct mnemonic *mn)
{
	static const struct {
		const char *base;
		unsigned kind;
	} row[] = {
		{ "ld", BASE_MEM | BASE_LOADSTORE | BASE_VECTOR },
		{ "ldu", BASE_MEM | BASE_LOADSTORE | BASE_VECTOR },
		{ "st", BASE_MEM | BASE_LOADSTORE | BASE_VECTOR },
		{ "atom", BASE_MEM | BASE_VECTOR },
		{ "red", BASE_MEM | BASE_VECTOR },
		{ "cvta", BASE_SPACE },
		{ "wmma", BASE_SPACE },
		{ "ldmatrix", BASE_SPACE },
		{ "stmatrix", BASE_SPACE },
		{ "bra", BASE_UNI },
		{ "ret", BASE_UNI },
		{ "call", BASE_UNI },
		{ "brx", BASE_UNI },
		{ "setp", BASE_BOOL },
		{ "set", BASE_BOOL },
		{ "suld", BASE_SURFACE },
		{ "sust", BASE_SURFACE },
		{ "sured", BASE_SURFACE },
		{ "mov", BASE_VECTOR },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (mnemonic_is(mn, row[i].base))
			return row[i].kind;
	return 0;
}

enum field { FIELD_SPACE, FIELD_VEC, FIELD_COP, FIELD_MOD, FIELD_BOOL, FIELD_DROP };

static const struct attribute {
	const char *text;
	unsigned bases;
	enum field field;
	uint8_t value;
} attribute[] = {
	{ "global", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_GLOBAL },
	{ "shared", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_SHARED },
	{ "shared::cta", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_SHARED },
	{ "local", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_LOCAL },
	{ "const", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_CONST },
	{ "param", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_PARAM },
	{ "param::entry", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_PARAM },
	{ "shared::cluster", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_SHARED },
	{ "param::func", BASE_MEM | BASE_SPACE, FIELD_SPACE, SP_PARAM },
	{ "v2", BASE_VECTOR, FIELD_VEC, 2 },
	{ "v4", BASE_VECTOR, FIELD_VEC, 4 },
	{ "v8", BASE_VECTOR, FIELD_VEC, 8 },
	{ "ca", BASE_LOADSTORE | BASE_SURFACE, FIELD_COP, COP_CA },
	{ "cg", BASE_LOADSTORE | BASE_SURFACE, FIELD_COP, COP_CG },
	{ "cs", BASE_LOADSTORE | BASE_SURFACE, FIELD_COP, COP_CS },
	{ "cv", BASE_LOADSTORE | BASE_SURFACE, FIELD_COP, COP_CV },
	{ "lu", BASE_LOADSTORE, FIELD_COP, COP_LU },
	{ "wb", BASE_LOADSTORE | BASE_SURFACE, FIELD_COP, COP_WB },
	{ "wt", BASE_LOADSTORE | BASE_SURFACE, FIELD_COP, COP_WT },
	{ "nc", BASE_LOADSTORE, FIELD_COP, COP_NC },
	{ "volatile", BASE_LOADSTORE, FIELD_MOD, MOD_VOLATILE },
	{ "relaxed", BASE_MEM, FIELD_MOD, MOD_RELAXED },
	{ "acquire", BASE_MEM, FIELD_MOD, MOD_ACQUIRE },
	{ "release", BASE_MEM, FIELD_MOD, MOD_RELEASE },
	{ "acq_rel", BASE_MEM, FIELD_MOD, MOD_ACQUIRE | MOD_RELEASE },
	{ "weak", BASE_LOADSTORE, FIELD_DROP, 0 },
	{ "mmio", BASE_LOADSTORE, FIELD_MOD, MOD_VOLATILE },
	{ "cta", BASE_MEM, FIELD_DROP, 0 },
	{ "gpu", BASE_MEM, FIELD_DROP, 0 },
	{ "sys", BASE_MEM, FIELD_DROP, 0 },
	{ "cluster", BASE_MEM, FIELD_DROP, 0 },
	{ "trap", BASE_SURFACE, FIELD_DROP, 0 },
	{ "clamp", BASE_SURFACE, FIELD_DROP, 0 },
	{ "zero", BASE_SURFACE, FIELD_DROP, 0 },
	{ "uni", BASE_UNI, FIELD_MOD, MOD_UNI },
	{ "and", BASE_BOOL, FIELD_BOOL, CB_AND },
	{ "or", BASE_BOOL, FIELD_BOOL, CB_OR },
	{ "xor", BASE_BOOL, FIELD_BOOL, CB_XOR },
};

static const char *const level_hint[] = {
	"L1::evict_normal", "L1::evict_unchanged",
	"L1::evict_first",  "L1::evict_last",
	"L1::no_allocate",  "L2::evict_normal",
	"L2::evict_first",  "L2::evict_last",
	"L2::cache_hint",   "L2::64B",
	"L2::128B",         "L2::256B",
};

bool mnemonic_is(const struct mnemonic *mn, const char *base)
{
	return *base == *mn->part[0].s && strlen(base) == mn->part[0].len &&
	       memcmp(mn->part[0].s, base, mn->part[0].len) == 0;
}

static bool twice(struct parser *p, const struct mnemonic *mn, const char *what)
{
	return parse_error(p, mn->off, "'%s' gives the %s twice", mn->text, what);
}

/* Takes part i as a field of the instruction if it is one; *taken says so. */
static bool take_attribute(struct parser *p, struct mnemonic *mn, unsigned kind, unsigned i, bool *taken)
{
	const char *s = mn->part[i].s;
	uint32_t len = mn->part[i].len;

	*taken = true;
	if (kind & BASE_MEM && len > 4 && (memcmp(s, "L1::", 4) == 0 || memcmp(s, "L2::", 4) == 0)) {
		bool known = false;

		for (size_t h = 0; h < sizeof level_hint / sizeof *level_hint; h++)
			known |= strlen(level_hint[h]) == len && memcmp(level_hint[h], s, len) == 0;
		if (!known)
			return parse_error(p, mn->off, "'%s' has an unknown cache hint, '.%.*s'", mn->text, (int)len,
					   s);
		mn->hint |= len == 14 && memcmp(s + 4, "cache_hint", 10) == 0;
		return true;
	}
	for (size_t r = 0; r < sizeof attribute / sizeof *attribute; r++) {
		const struct attribute *at = &attribute[r];

		if (!(at->bases & kind) || strlen(at->text) != len || memcmp(at->text, s, len) != 0)
			continue;
		switch (at->field) {
		case FIELD_SPACE:
			if (mn->space_given)
				return twice(p, mn, "state space");
			mn->space = at->value;
			mn->space_given = true;
			return true;
		case FIELD_VEC:
			if (mn->vec > 1)
				return twice(p, mn, "vector width");
			mn->vec = at->value;
			return true;
		case FIELD_COP:
			if (mn->cop && (mn->cop == COP_NC) == (at->value == COP_NC))
				return twice(p, mn, "cache operator");
			if (mn->cop != COP_NC) /* ld.global.ca.nc: the read-only path decides */
				mn->cop = at->value;
			return true;
		case FIELD_BOOL:
			if (mn->cbool)
				return twice(p, mn, "Boolean operator");
			mn->cbool = at->value;
			return true;
		case FIELD_MOD:
			mn->mods |= at->value;
			return true;
		case FIELD_DROP:
			return true;
		}
	}
	*taken = false;
	return true;
}

static void add_key(struct mnemonic *mn, const char *s, size_t len)
{
	size_t dot = mn->key_len != 0;

	if (mn->key_len + dot + len >= sizeof mn->key) {
		mn->key_len = sizeof mn->key; /* no row is that long */
		return;
	}
	if (dot)
		mn->key[mn->key_len++] = '.';
	memcpy(mn->key + mn->key_len, s, len);
	mn->key_len += len;
	mn->key[mn->key_len] = 0;
}

bool mnemonic_parse(struct parser *p, struct mnemonic *mn)
{
	size_t text = 0;
	unsigned kind;

	*mn = (struct mnemonic){ .off = p->t.off, .vec = 1, .op = OP_COUNT };
	do {
		uint32_t skip = p->t.kind == T_DOT;
		size_t len = p->t.len;

		if (mn->nparts == PART_MAX)
			return parse_error(p, p->t.off, "an instruction has at most %d parts", PART_MAX);
		mn->part[mn->nparts].s = token_text(p) + skip;
		mn->part[mn->nparts++].len = p->t.len - skip;
		if (len > sizeof mn->text - 1 - text)
			len = sizeof mn->text - 1 - text;
		memcpy(mn->text + text, token_text(p), len);
		text += len;
		parse_advance(p);
	} while (p->t.kind == T_DOT);
	kind = base_kind(mn);
	if (mnemonic_is(mn, "ldu")) /* a load through the uniform cache: the same value */
		add_key(mn, "ld", 2);
	else
		add_key(mn, mn->part[0].s, mn->part[0].len);
	for (unsigned i = 1; i < mn->nparts; i++) {
		enum scalar_type type;
		bool taken;

		if (!take_attribute(p, mn, kind, i, &taken))
			return false;
		if (taken)
			continue;
		mn->sync |= mn->part[i].len == 4 && memcmp(mn->part[i].s, "sync", 4) == 0;
		mn->to |= mn->part[i].len == 2 && memcmp(mn->part[i].s, "to", 2) == 0;
		type = type_find(mn->part[i].s, mn->part[i].len);
		if (type != TY_COUNT && mn->ntypes < 4)
			mn->type[mn->ntypes++] = (uint8_t)type;
		add_key(mn, mn->part[i].s, mn->part[i].len);
	}
	if (kind & BASE_MEM && !mn->space_given)
		mn->space = SP_GENERIC;
	return true;
}

/* Looks the key up without its parts called a and b (either may be NULL). */
static enum op find_without(const char *key, size_t len, const char *a, const char *b)
{
	char text[128];
	size_t n = 0;

	for (const char *s = key, *end = key + len; s < end;) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		size_t part = (size_t)((dot ? dot : end) - s);

		if (!((a && part == strlen(a) && memcmp(s, a, part) == 0) ||
		      (b && part == strlen(b) && memcmp(s, b, part) == 0))) {
			if (n)
				text[n++] = '.';
			memcpy(text + n, s, part);
			n += part;
		}
		s += part + 1;
	}
	return op_find(text, n);
}

bool mnemonic_part_is(const struct mnemonic *mn, unsigned part, const char *text)
{
	return *text == *mn->part[part].s && strlen(text) == mn->part[part].len &&
	       memcmp(text, mn->part[part].s, mn->part[part].len) == 0;
}

bool mnemonic_has(const struct mnemonic *mn, const char *part)
{
	for (unsigned i = 1; i < mn->nparts; i++)
		if (mnemonic_part_is(mn, i, part))
			return true;
	return false;
}

/* The part without which mn has a row, if it is nearly one of the parts that any instruction of its kind may carry. */
static const char *misspelt_attribute(struct parser *p, const struct mnemonic *mn, unsigned *part)
{
	const char *word[sizeof attribute / sizeof *attribute + 2];
	unsigned kind = base_kind(mn), n = 0;

	word[n++] = "ftz";
	word[n++] = "sat";
	for (size_t r = 0; r < sizeof attribute / sizeof *attribute; r++)
		if (attribute[r].bases & kind)
			word[n++] = attribute[r].text;
	for (*part = 1; *part < mn->nparts; ++*part) {
		const char *near = suggest_word(p, mn->part[*part].s, mn->part[*part].len, word, n);
		char skip[NEAR_MAX + 1];

		if (!*near)
			continue;
		snprintf(skip, sizeof skip, "%.*s", (int)mn->part[*part].len, mn->part[*part].s);
		if (find_without(mn->key, mn->key_len, skip, NULL) != OP_COUNT)
			return near;
	}
	return NULL;
}

static bool unknown(struct parser *p, const struct mnemonic *mn)
{
	const char *kind = isa_knows(mn) ? "unsupported or misspelt" : "unknown";
	enum op best[1];
	size_t len = 0;
	unsigned part;
	const char *attr;

	attr = mn->key_len < sizeof mn->key ? misspelt_attribute(p, mn, &part) : NULL;
	if (attr)
		return parse_error(p, mn->off, "'%s' has no modifier '.%.*s'%s", mn->text, (int)mn->part[part].len,
				   mn->part[part].s, attr);
	if (mn->key_len < sizeof mn->key && op_suggest(mn->key, mn->key_len, best, 1)) {
		const char *near = op_mnemonic(best[0], &len);

		return parse_error(p, mn->off, "%s instruction '%s'; did you mean '%.*s'?", kind, mn->text, (int)len,
				   near);
	}
	return parse_error(p, mn->off, "%s instruction '%s'%s", kind, mn->text,
			   isa_knows(mn) ? "" : suggest_base(p, mn));
}

bool mnemonic_find(struct parser *p, struct mnemonic *mn)
{
	bool ftz = mnemonic_has(mn, "ftz"), sat = mnemonic_has(mn, "sat");

	if (!old_default(p, mn) || !old_map_f64(p, mn))
		return false;
	if (mn->key_len < sizeof mn->key)
		mn->op = op_find(mn->key, mn->key_len);
	if (mn->op != OP_COUNT && op_info[mn->op].flags & OPF_INTERNAL)
		return unknown(p, mn);
	if (mn->op != OP_COUNT) { /* add.sat.s32 is a row of its own */
		mn->mods |= old_ftz(p, mn);
		return true;
	}
	if ((ftz || sat) && mn->key_len < sizeof mn->key) {
		mn->op = find_without(mn->key, mn->key_len, ftz ? "ftz" : NULL, sat ? "sat" : NULL);
		if (mn->op != OP_COUNT) {
			unsigned flags = op_info[mn->op].flags;

			if (ftz && !(flags & OPF_FTZ))
				return parse_error(p, mn->off, "'%s' takes no .ftz", mn->text);
			if (sat && !(flags & OPF_SAT))
				return parse_error(p, mn->off, "'%s' takes no .sat", mn->text);
			mn->mods |= old_ftz(p, mn);
			mn->mods |= ftz ? MOD_FTZ : 0u;
			mn->mods |= sat ? MOD_SAT : 0u;
			return true;
		}
	}
	return unknown(p, mn);
}
