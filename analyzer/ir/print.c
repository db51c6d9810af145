/* The IR as text: PTX mnemonics with their attributes, %names in virtual form, R4 and P1 in machine form. */
#include "analyzer/ir/video.h"

#include "analyzer/ir/matrix.h"
#include "analyzer/ir/texture.h"

#include <string.h>

static const char *const space_text[SP_COUNT] = {
	[SP_NONE] = "",        [SP_GENERIC] = "",     [SP_GLOBAL] = ".global", [SP_SHARED] = ".shared",
	[SP_LOCAL] = ".local", [SP_CONST] = ".const", [SP_PARAM] = ".param",
};
static const char *const cop_text[] = {
	[COP_DEFAULT] = "", [COP_CA] = ".ca", [COP_CG] = ".cg", [COP_CS] = ".cs", [COP_CV] = ".cv",
	[COP_LU] = ".lu",   [COP_WB] = ".wb", [COP_WT] = ".wt", [COP_NC] = ".nc",
};
static const char *const bool_text[] = { [CB_NONE] = "", [CB_AND] = ".and", [CB_OR] = ".or", [CB_XOR] = ".xor" };

const char *const reg_file_prefix[FILE_COUNT] = {
	[FILE_GPR] = "R", [FILE_PRED] = "P", [FILE_UGPR] = "UR", [FILE_UPRED] = "UP", [FILE_CBAR] = "B",
};

static char *reg_text(struct arena *a, const struct kernel *k, uint32_t r)
{
	if (k->form == FORM_VIRTUAL)
		return k->vreg[r].name ? arena_printf(a, "%s", k->vreg[r].name) : arena_printf(a, "%%v%u", r);
	if (mreg_is_fixed(r))
		return arena_printf(a, "%s%s", reg_file_prefix[mreg_file(r)], mreg_is_pred(r) ? "T" : "Z");
	return arena_printf(a, "%s%u", reg_file_prefix[mreg_file(r)], r - mreg_first(mreg_file(r)));
}

static char *imm_text(struct arena *a, uint64_t v, char letter)
{
	switch (letter) {
	case 'F':
		return arena_printf(a, "0f%08X", (uint32_t)v);
	case 'G':
		return arena_printf(a, "0d%016llX", (unsigned long long)v);
	case 'D':
		return arena_printf(a, "%lld", (long long)v);
	case 'P':
		return arena_printf(a, "%u", (unsigned)(v & 1));
	case 'M':
		return arena_printf(a, "0x%llx", (unsigned long long)v);
	default:
		return arena_printf(a, "%d", (int32_t)v);
	}
}

char *ir_print_ref(struct arena *a, const struct kernel *k, struct ref r, char letter)
{
	const char *minus = letter == 'P' ? "!" : "-", *sign = r.neg ? minus : "", *bar = r.abs ? "|" : "";
	const char *t = "_";

	if (r.kind == REF_REG)
		t = reg_text(a, k, r.val);
	else if (r.kind == REF_IMM)
		t = imm_text(a, k->imm[r.val], letter);
	else if (r.kind == REF_CONST)
		t = arena_printf(a, "c[0x%x][0x%x]", const_bank(r), const_offset(r));
	else if (r.kind == REF_SREG)
		t = sreg_name[r.val];
	else if (r.kind == REF_SYM) {
		const struct symref *s = &k->symref[r.val];

		t = s->addend ? arena_printf(a, "%s%+lld", k->m->sym[s->sym].name, (long long)s->addend)
			      : k->m->sym[s->sym].name;
	} else if (r.kind == REF_BLOCK)
		t = k->block[r.val].label ? k->block[r.val].label : arena_printf(a, ".L%u", (unsigned)r.val);
	return arena_printf(a, "%s%s%s%s", sign, bar, t, bar);
}

/* The row's mnemonic with the instruction's attributes put where PTX has them: before the type. */
static char *mnemonic(struct arena *a, const struct insn *i)
{
	size_t len;
	const char *m = op_mnemonic(i->op, &len), *type = m + len, *base = memchr(m, '.', len);
	static const char *const vec_text[] = { [2] = ".v2", [4] = ".v4", [8] = ".v8" };
	const char *vec = i->vec <= 8 && vec_text[i->vec] ? vec_text[i->vec] : "";
	/* wmma.load.a.sync.row.shape.global */
	const char *relaxed, *early;
	bool late = op_info[i->op].flags & (OPF_LOAD | OPF_STORE) && !op_info[i->op].mem_bytes;
	unsigned types = 0;

	while (type > m && types < 2) { /* trailing type tokens */
		const char *p = type - 1;

		while (p > m && *p != '.')
			p--;
		if (p <= m || type_find(p + 1, (size_t)(type - p - 1)) == TY_COUNT)
			break;
		type = p;
		types++;
	}
	if (!base)
		base = m + len;
	if (type < base)
		type = base;
	relaxed = i->mods & MOD_RELAXED ? ".relaxed" : "";
	early = late ? "" : space_text[i->space];
	return arena_printf(a, "%.*s%s%s%s%s%s%s%.*s%s%s%s%s%s%s%.*s", (int)(base - m), m,
			    i->mods & MOD_SYNC && !memmem(m, len, ".sync", 5) ? ".sync" : "",
			    i->mods & MOD_VOLATILE ? ".volatile" : relaxed, i->mods & MOD_ACQUIRE ? ".acquire" : "",
			    i->mods & MOD_RELEASE ? ".release" : "", i->mods & MOD_CTA ? ".cta" : early,
			    cop_text[i->cop], (int)(type - base), base, late ? space_text[i->space] : "",
			    i->mods & MOD_UNI ? ".uni" : "", i->mods & MOD_FTZ ? ".ftz" : "",
			    i->mods & MOD_SAT ? ".sat" : "", bool_text[i->cbool], vec, (int)(m + len - type), type);
}

static char *operand_list(struct arena *a, const struct kernel *k, const struct insn *i, unsigned first, unsigned n,
			  const char *sep)
{
	char *t = arena_printf(a, "%s", "");

	for (unsigned s = 0; s < n; s++)
		t = arena_printf(a, "%s%s%s", t, s ? sep : "",
				 ir_print_ref(a, k, k->opnd[i->opnd + first + s], insn_operand_letter(i, first + s)));
	return t;
}

/* call (%r1), f, (%r2, %rd3): addresses of array return values stand among the arguments, where they are passed. */
static char *call_text(struct arena *a, const struct kernel *k, const struct insn *i)
{
	const struct call *c = &k->call[i->offset];
	const char *name = c->proto ? ir_print_ref(a, k, insn_src(k, i)[0], 'D') : k->m->func[c->func]->name;
	unsigned first = i->ndst + (c->proto != NULL);

	return arena_printf(a, "call %s%s%s%s, (%s)", i->ndst ? "(" : "", operand_list(a, k, i, 0, i->ndst, ", "),
			    i->ndst ? "), " : "", name, operand_list(a, k, i, first, i->ndst + i->nsrc - first, ", "));
}

enum { TABLE_SHOWN = 16 };

/* {L1, L2} */
static char *table_text(struct arena *a, const struct kernel *k, const struct insn *i)
{
	struct ir_targets t = ir_targets(k, i);
	char *s = arena_printf(a, "{");

	for (uint32_t n = 0; n < t.n && n < TABLE_SHOWN; n++)
		s = arena_printf(a, "%s%s%s", s, n ? ", " : "",
				 ir_print_ref(a, k,
					      (struct ref){ .kind = REF_BLOCK, .val = ir_target(&t, n) & REF_VAL_MAX },
					      'L'));
	return arena_printf(a, t.n > TABLE_SHOWN ? "%s, ... %u in all}" : "%s}", s, t.n);
}

static char *address_text(struct arena *a, const struct kernel *k, const struct insn *i)
{
	struct ref base = insn_src(k, i)[0];

	if (base.kind == REF_IMM && k->imm[base.val] == 0 && i->offset)
		return arena_printf(a, "[0x%x]", (uint32_t)i->offset);
	if (!i->offset)
		return arena_printf(a, "[%s]", ir_print_ref(a, k, base, 'M'));
	return arena_printf(a, "[%s%s0x%x]", ir_print_ref(a, k, base, 'M'), i->offset < 0 ? "-" : "+",
			    i->offset < 0 ? 0u - (uint32_t)i->offset : (uint32_t)i->offset);
}

/* Vectors of registers, the address in its place. */
static char *matrix_text(struct arena *a, const struct kernel *k, const struct insn *i, const struct matrix *x)
{
	char *t = arena_printf(a, "%s ", mnemonic(a, i));
	bool lone;

	for (unsigned g = 0, at = 0, n; (n = matrix_group(i->op, x, g, &lone)) != 0; g++, at += n) {
		char *list = lone && at == i->ndst && insn_has_address(i) ? address_text(a, k, i)
									  : operand_list(a, k, i, at, n, ", ");

		t = arena_printf(a, lone ? "%s%s%s" : "%s%s{%s}", t, g ? ", " : "", list);
	}
	return t;
}

char *ir_print_insn(struct arena *a, const struct kernel *k, const struct insn *i)
{
	const struct op_info *o = &op_info[i->op];
	char *guard = arena_printf(a, "%s", ""), *dst, *src;
	struct texture texture;
	struct matrix x;

	if (k->native)
		return k->native->print(a, k, (uint32_t)(i - k->insn));
	if (i->guard.kind == REF_REG)
		guard = arena_printf(a, "@%s%s ", i->guard.neg ? "!" : "", reg_text(a, k, i->guard.val));
	if (i->op == OP_CALL)
		return call_text(a, k, i);
	if (matrix_of(i->op, &x))
		return arena_printf(a, "%s%s", guard, matrix_text(a, k, i, &x));
	if (texture_of(i->op, &texture))
		return arena_printf(a, "%s%s", guard, texture_print(a, k, i, &texture));
	if (o->flags & OPF_TABLE)
		return arena_printf(a, "%s%s %s, %s", guard, mnemonic(a, i), operand_list(a, k, i, 0, i->nsrc, ", "),
				    table_text(a, k, i));
	if (o->mem_bytes) {
		char *addr = address_text(a, k, i);
		bool brace = i->vec > 1;

		dst = operand_list(a, k, i, 0, i->ndst, ", ");
		src = operand_list(a, k, i, i->ndst + 1u, i->nsrc - 1u, ", ");
		if (i->ndst && brace)
			dst = arena_printf(a, "{%s}", dst);
		if (i->nsrc > 1 && brace)
			src = arena_printf(a, "{%s}", src);
		return arena_printf(a, "%s%s %s%s%s%s%s", guard, mnemonic(a, i), dst, i->ndst ? ", " : "", addr,
				    i->nsrc > 1 ? ", " : "", src);
	}
	if (video_row(i->op, &(enum video_op){ 0 }, &(unsigned){ 0 }) && insn_src(k, i)[3].kind == REF_IMM)
		return arena_printf(a, "%s%s", guard, video_print(a, k, i));
	dst = operand_list(a, k, i, 0, i->ndst, "|");
	src = operand_list(a, k, i, i->ndst, i->nsrc, ", ");
	return arena_printf(a, "%s%s%s%s%s%s", guard, mnemonic(a, i), i->ndst + i->nsrc ? " " : "", dst,
			    i->ndst && i->nsrc ? ", " : "", src);
}

void ir_print_kernel(FILE *f, const struct kernel *k)
{
	struct arena a;

	arena_init(&a);
	fprintf(f, "kernel %s: %u instructions, %u blocks\n", k->name, k->ninsn, k->nblock);
	for (uint32_t b = 0; b < k->nblock; b++) {
		if (k->block[b].label)
			fprintf(f, "%s:\n", k->block[b].label);
		else
			fprintf(f, ".L%u:\n", b);
		for (uint32_t i = 0; i < k->block[b].n; i++) {
			fprintf(f, "  %5u  %s\n", k->block[b].first + i,
				ir_print_insn(&a, k, &k->insn[k->block[b].first + i]));
			arena_reset(&a);
		}
	}
	arena_free(&a);
}
