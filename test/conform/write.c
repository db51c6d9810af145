/* The PTX around one statement. */
#include "test/conform/conform.h"

#include <stdio.h>
#include <string.h>

static const char *type_of(char letter)
{
	switch (letter) {
	case 'P':
		return "pred";
	case 'B':
	case 'H':
		return "b16";
	case 'D':
		return "b64";
	case 'F':
		return "f32";
	case 'G':
		return "f64";
	default:
		return "b32";
	}
}

static const char *load_text(char letter)
{
	switch (letter) {
	case 'P':
		return "setp.ne.u64 s%u, x%u, 0;\n";
	case 'B':
	case 'H':
		return "cvt.u16.u64 s%u, x%u;\n";
	case 'D':
	case 'G':
		return "mov.b64 s%u, x%u;\n";
	case 'F':
		return "mov.b64 {s%u, hi}, x%u;\n";
	default:
		return "cvt.u32.u64 s%u, x%u;\n";
	}
}

static const char *store_text(char letter)
{
	switch (letter) {
	case 'P':
		return "selp.u64 y%u, 1, 0, d%u;\n";
	case 'B':
	case 'H':
		return "cvt.u64.u16 y%u, d%u;\n";
	case 'D':
	case 'G':
		return "mov.b64 y%u, d%u;\n";
	case 'F':
		return "mov.b64 y%u, {d%u, zero};\n";
	default:
		return "cvt.u64.u32 y%u, d%u;\n";
	}
}

char *write_module(struct arena *a, const struct op_info *row, const struct variant *v)
{
	const char *letter = strchr(row->sig, '_') + 1;
	char *t = arena_printf(a, "%s",
			       ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out, "
			       ".param .u64 in)\n{\n"
			       ".reg .b32 i, j, hi, zero;\n.reg .b64 x0, x1, x2, x3, y0, y1, from, to, step;\n");

	for (unsigned d = 0; d < row->ndst; d++)
		t = arena_printf(a, "%s.reg .%s d%u;\n", t, type_of(row->sig[d]), d);
	if (row->ndst == 1 && row->flags & OPF_SETP)
		t = arena_printf(a, "%s.reg .pred d1, s%u;\n", t, (unsigned)row->nsrc);
	for (unsigned s = 0; s < row->nsrc; s++)
		t = arena_printf(a, "%s.reg .%s s%u;\n", t, type_of(letter[s]), s);
	t = arena_printf(a, "%s%s", t,
			 "mov.u32 i, %tid.x;\nmov.u32 j, %ctaid.x;\nmad.lo.u32 i, j, 128, i;\nmov.u32 zero, 0;\n"
			 "ld.param.u64 from, [in];\nld.param.u64 to, [out];\n"
			 "mul.wide.u32 step, i, 32;\nadd.u64 from, from, step;\nmul.wide.u32 step, i, 16;\nadd.u64 to, "
			 "to, step;\n"
			 "ld.global.v2.b64 {x0, x1}, [from];\nld.global.v2.b64 {x2, x3}, [from+16];\n");
	for (unsigned s = 0; s < row->nsrc + (row->flags & OPF_SETP ? 1u : 0u) && s < 4; s++) {
		char line[64];

		snprintf(line, sizeof line, load_text(s < row->nsrc ? letter[s] : 'P'), s, s);
		t = arena_printf(a, "%s%s", t, line);
	}
	t = arena_printf(a, "%s%s\nmov.b64 y1, 0;\n", t, v->ptx);
	for (unsigned d = 0; d < row->ndst + (strstr(v->ptx, "d0|d1") && row->ndst == 1 ? 1u : 0u); d++) {
		char line[64];

		snprintf(line, sizeof line, store_text(d < row->ndst ? row->sig[d] : 'P'), d, d);
		t = arena_printf(a, "%s%s", t, line);
	}
	return arena_printf(a, "%s%s", t, "st.global.v2.b64 [to], {y0, y1};\nret;\n}\n");
}

bool write_plain(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	int at = snprintf(v->ptx, sizeof v->ptx, "%s d0%s", mnemonic, t->row->ndst > 1 ? "|d1" : "");

	for (unsigned s = 0; s < t->row->nsrc; s++)
		at += snprintf(v->ptx + at, sizeof v->ptx - (size_t)at, ", s%u", s);
	snprintf(v->ptx + at, sizeof v->ptx - (size_t)at, ";");
	return n == 0;
}
