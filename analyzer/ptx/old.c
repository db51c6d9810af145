/* What code of the first GPUs leaves unsaid. PTX 1.0 to 1.3 name no rounding of division, roots and functions, and
 * targets sm_1x have no subnormal floats. Such code is read as the driver compiles it for sm_20 and later: mad.f32 is
 * fused. With the target map_f64_to_f32, instructions on .f64 are those on .f32, and so are .f64 registers; variables,
 * parameters and addresses keep 8 bytes, of which the first four hold the float. */
#include "parse.h"

#include <string.h>

static bool rounded(const struct mnemonic *mn)
{
	static const char *const how[] = { "rn", "rz", "rm", "rp", "approx", "full" };

	for (unsigned i = 1; i < mn->nparts; i++)
		for (size_t h = 0; h < sizeof how / sizeof *how; h++)
			if (strlen(how[h]) == mn->part[i].len && memcmp(how[h], mn->part[i].s, mn->part[i].len) == 0)
				return true;
	return false;
}

static void add_part(struct mnemonic *mn, const char *part)
{
	size_t len = strlen(part);

	if (mn->key_len + len < sizeof mn->key) {
		memcpy(mn->key + mn->key_len, part, len + 1);
		mn->key_len += len;
	}
}

bool old_default(struct parser *p, struct mnemonic *mn)
{
	/* base; what f32 and f64 mean without a modifier; what newer versions ask for */
	static const struct {
		const char *base, *f32, *f64, *choice;
	} row[] = {
		{ "div", ".approx", ".rn", ".approx, .full, .rn, .rz, .rm or .rp" },
		{ "rcp", ".approx", ".rn", ".approx, .rn, .rz, .rm or .rp" },
		{ "sqrt", ".approx", ".rn", ".approx, .rn, .rz, .rm or .rp" },
		{ "rsqrt", ".approx", ".approx", ".approx" },
		{ "sin", ".approx", NULL, ".approx" },
		{ "cos", ".approx", NULL, ".approx" },
		{ "lg2", ".approx", NULL, ".approx" },
		{ "ex2", ".approx", NULL, ".approx" },
		{ "mad", ".rn", ".rn", ".rn, .rz, .rm or .rp" },
	};
	bool f32 = mn->ntypes == 1 && mn->type[0] == TY_F32, f64 = mn->ntypes == 1 && mn->type[0] == TY_F64, mad;
	unsigned last; /* version that still has the default */

	for (size_t r = 0; (f32 || f64) && r < sizeof row / sizeof *row; r++) {
		if (!mnemonic_is(mn, row[r].base) || rounded(mn))
			continue;
		mad = mnemonic_is(mn, "mad");
		last = p->m->sm && p->m->sm < 20 ? 99 : 31;
		if (!mad || f64)
			last = 13;
		if (f64 && !row[r].f64)
			return true;
		if (p->m->ptx_version > last)
			return parse_error(p, mn->off, "'%s' names no rounding; since PTX %u.%u it takes %s", mn->text,
					   (last + 1) / 10, (last + 1) % 10,
					   f64 && !mad && !mnemonic_is(mn, "rsqrt") ? ".rn, .rz, .rm or .rp"
										    : row[r].choice);
		add_part(mn, f32 ? row[r].f32 : row[r].f64);
		mn->mods |= f32 && !mad ? MOD_FTZ : 0;
		return true;
	}
	return true;
}

static void drop_part(struct mnemonic *mn, unsigned n)
{
	for (size_t at = 0; at + mn->part[n].len < mn->key_len; at++)
		if (mn->key[at] == '.' && memcmp(mn->key + at + 1, mn->part[n].s, mn->part[n].len) == 0) {
			size_t len = mn->part[n].len + 1;

			memmove(mn->key + at, mn->key + at + len, mn->key_len - at - len + 1);
			mn->key_len -= len;
			return;
		}
}

bool old_map_f64(struct parser *p, struct mnemonic *mn)
{
	bool mapped = false;

	if (!p->map_f64)
		return true;
	for (size_t at = 0; mn->key_len < sizeof mn->key && at + 4 <= mn->key_len; at++)
		if (memcmp(mn->key + at, ".f64", 4) == 0 && (at + 4 == mn->key_len || mn->key[at + 4] == '.'))
			memcpy(mn->key + at, ".f32", 4);
	for (unsigned t = 0; t < mn->ntypes; t++)
		if (mn->type[t] == TY_F64) {
			mn->type[t] = TY_F32;
			mapped = true;
		}
	if (mapped && mn->vec > 1)
		return parse_error(p, mn->off,
				   "a vector of .f64 under map_f64_to_f32 is not supported: its elements keep 8 bytes");
	if (!mapped || !mnemonic_is(mn, "cvt"))
		return true;
	if (mn->type[0] == TY_F32 && mn->type[1] == TY_F32) { /* no rounding where nothing narrows, */
		for (unsigned i = 1; i < mn->nparts; i++)
			if (mn->part[i].len == 2 && mn->part[i].s[0] == 'r')
				drop_part(mn, i);
	} else if (mn->type[0] == TY_F32 && !rounded(mn)) { /* and one where a float cannot hold the integer */
		add_part(mn, ".rn");
	}
	return true;
}

unsigned old_ftz(const struct parser *p, const struct mnemonic *mn)
{
	bool f32 = false;

	if (!p->m->sm || p->m->sm >= 20 || !(op_info[mn->op].flags & OPF_FTZ))
		return 0;
	for (unsigned t = 0; t < mn->ntypes; t++)
		f32 |= mn->type[t] == TY_F32;
	if (mnemonic_is(mn, "cvt") && p->m->ptx_version <= 14 && type_info[mn->type[0]].bits == 64)
		return 0; /* the ISA's exception for legacy code */
	return f32 ? MOD_FTZ : 0;
}
