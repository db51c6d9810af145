/* The kernels that measure: machine code for each target, inside this program, and elements of it changed. */
#include "runtime-model/hardware/edit.h"

#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/table.h"

#include <string.h>
#include <zstd.h>

enum { SR_CLOCKLO = 80, WORD = 16, SLOTS = 3 };

/* ---- the images: kernels.S ---- */
#define TARGETS(T) T(75) T(80) T(86) T(89) T(90) T(100) T(120)
#define TARGET(sm) extern const unsigned char kernels_sm_##sm[], kernels_sm_##sm##_end[];
TARGETS(TARGET)
#undef TARGET

static const struct {
	unsigned sm;
	const unsigned char *from, *to;
} images[] = {
#define TARGET(sm) { sm, kernels_sm_##sm, kernels_sm_##sm##_end },
	TARGETS(TARGET)
#undef TARGET
};

bool kernels_image(struct image *out, unsigned sm, struct arena *a, struct diag *d)
{
	const unsigned n = sizeof images / sizeof *images;
	unsigned i = n;

	for (unsigned k = 0; k < n; k++) /* a device takes code of its generation, and no later code */
		if (images[k].sm / 10 == sm / 10 && images[k].sm <= sm)
			i = k;
	if (i == n)
		return diag_error_plain(d, NULL, "there is no machine code that measures compute capability %u.%u",
					sm / 10, sm % 10);
	out->sm = images[i].sm;
	out->name = arena_printf(a, "kernels.sm_%u", out->sm);
	out->n = ZSTD_getFrameContentSize(images[i].from, (size_t)(images[i].to - images[i].from));
	out->bytes = arena_alloc(a, out->n, 16);
	if (ZSTD_decompress(out->bytes, out->n, images[i].from, (size_t)(images[i].to - images[i].from)) != out->n)
		return diag_error_plain(d, out->name, "is damaged");
	return true;
}

/* ---- elements ---- */
/* The code of a kernel between its three reads of the clock. */
struct region {
	unsigned char *code; /* the kernel's first instruction, in the image */
	uint32_t at[3];      /* instructions that read the clock */
};

static struct sass_word word_at(const unsigned char *code, uint32_t i)
{
	struct sass_word w;

	memcpy(&w, code + (size_t)i * WORD, sizeof w);
	return w;
}

static void put(const struct region *r, uint32_t i, const struct image *in, const struct sass_insn *s)
{
	const struct sass_word w = sass_encode(in->sm, s);

	memcpy(r->code + (size_t)i * WORD, &w, sizeof w);
}

static bool reads_clock(const struct sass_insn *s)
{
	for (unsigned i = 0; i < s->nop; i++)
		if (s->op[i].kind == SASS_SREG && s->op[i].value == SR_CLOCKLO)
			return true;
	return false;
}

/* The first instruction of a kernel, in the image, and how many there are. NULL with a diagnostic. */
static unsigned char *code_of(const struct image *in, const char *kernel, uint32_t *n, struct arena *a, struct diag *d)
{
	const struct source src = { .name = in->name, .text = in->bytes, .len = in->n };
	const struct cubin *c = cubin_read(&src, a, d);
	const struct cubin_func *f = NULL;

	for (uint32_t i = 0; c && i < c->nfunc; i++)
		if (strcmp(c->func[i].name, kernel) == 0)
			f = &c->func[i];
	if (!f) {
		diag_error_plain(d, in->name, "has no kernel %s", kernel);
		return NULL;
	}
	*n = (uint32_t)(f->size / WORD);
	return (unsigned char *)in->bytes + c->section[f->shndx].offset + f->offset;
}

static bool find(struct region *r, const struct image *in, const char *kernel, struct arena *a, struct diag *d)
{
	uint32_t all;
	unsigned n = 0;

	r->code = code_of(in, kernel, &all, a, d);
	if (!r->code)
		return false;
	for (uint32_t i = 0; i < all && n < 3; i++) {
		struct sass_insn s;

		if (sass_decode(in->sm, word_at(r->code, i), &s) && reads_clock(&s))
			r->at[n++] = i;
	}
	return n == 3 || diag_error_plain(d, in->name, "kernel %s does not read the clock three times", kernel);
}

/* Is it one of these mnemonics, separated by blanks? */
static bool is_element(const struct sass_insn *s, const char *elements)
{
	const char *name = sass_mnemonic(s);
	const size_t n = strlen(name);

	for (const char *at = elements; (at = strstr(at, name)); at += n)
		if ((at == elements || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

bool kernels_count(const struct image *in, const char *kernel, const char *elements, unsigned n[2], struct arena *a,
		   struct diag *d)
{
	struct region r;

	if (!find(&r, in, kernel, a, d))
		return false;
	for (unsigned part = 0; part < 2; part++) {
		n[part] = 0;
		for (uint32_t i = r.at[part]; i < r.at[part + 1]; i++) {
			struct sass_insn s;

			n[part] += sass_decode(in->sm, word_at(r.code, i), &s) && is_element(&s, elements);
		}
	}
	return true;
}

/* Registers of one bank that the elements read and do not write. */
static bool held(const struct region *r, const struct image *in, const char *elements, unsigned out[SLOTS])
{
	bool read[256] = { false }, written[256] = { false };
	unsigned n = 0;

	for (uint32_t i = r->at[0]; i < r->at[2]; i++) {
		struct sass_insn s;

		if (!sass_decode(in->sm, word_at(r->code, i), &s) || !is_element(&s, elements))
			continue;
		for (unsigned k = 0; k < s.nop; k++)
			if (s.op[k].kind == SASS_GPR && s.op[k].reg < SASS_ZERO)
				(s.op[k].write ? written : read)[s.op[k].reg] = true;
	}
	for (unsigned bank = 0; bank < 2 && n < SLOTS; bank++) {
		n = 0;
		for (unsigned x = bank; x < SASS_ZERO && n < SLOTS; x += 2)
			if (read[x] && !written[x])
				out[n++] = x;
	}
	return n == SLOTS;
}

struct image kernels_copy(const struct image *in, struct arena *a)
{
	struct image out = *in;

	out.bytes = arena_alloc(a, in->n, 16);
	memcpy(out.bytes, in->bytes, in->n);
	return out;
}

static void hurry(struct sass_insn *s, unsigned stall)
{
	s->control.stall = (uint8_t)stall;
	s->control.yield = 1; /* no */
}

/* ---- results that meet ---- */
static bool is_fma(const struct sass_insn *s) { return strcmp(sass_mnemonic(s), "FFMA") == 0; }

static struct sass_operand *result_of(struct sass_insn *s)
{
	for (unsigned k = 0; k < s->nop; k++)
		if (s->op[k].kind == SASS_GPR && s->op[k].write && s->op[k].reg < SASS_ZERO)
			return &s->op[k];
	return NULL;
}

/* The elements of one chain, loads and the others each in their order. */
struct pair_of_lists {
	uint32_t *place; /* where an element stands */
	struct sass_insn *load, *fma;
	uint32_t nload, nfma;
};

static void gather(struct pair_of_lists *x, const struct region *r, unsigned part, const struct image *in,
		   const char *elements, struct arena *a)
{
	const uint32_t most = r->at[part + 1] - r->at[part];

	*x = (struct pair_of_lists){ .place = new_array(a, uint32_t, most),
				     .load = new_array(a, struct sass_insn, most),
				     .fma = new_array(a, struct sass_insn, most) };
	for (uint32_t i = r->at[part]; i < r->at[part + 1]; i++) {
		struct sass_insn s;

		if (!sass_decode(in->sm, word_at(r->code, i), &s) || !(is_element(&s, elements) || is_fma(&s)))
			continue;
		x->place[x->nload + x->nfma] = i;
		if (is_fma(&s))
			x->fma[x->nfma++] = s;
		else
			x->load[x->nload++] = s;
	}
}

/* Registers of that bank that they write. */
static unsigned written(const struct pair_of_lists *x, unsigned bank, uint16_t out[SASS_ZERO])
{
	unsigned n = 0;

	for (uint32_t i = 0; i < x->nfma; i++) {
		const struct sass_operand *to = result_of(&x->fma[i]);
		bool has = !to || to->reg % 2 != bank;

		for (unsigned k = 0; k < n && !has; k++)
			has = out[k] == to->reg;
		if (!has)
			out[n++] = to->reg;
	}
	return n;
}

static bool meet(const struct region *r, unsigned part, const struct image *in, const char *elements, enum edit how,
		 struct arena *a)
{
	struct pair_of_lists x;
	uint16_t to[SASS_ZERO];
	unsigned n, at = 0, fma = 0;

	gather(&x, r, part, in, elements, a);
	if (!x.nload || x.nfma % x.nload)
		return false;
	n = written(&x, (result_of(&x.load[0])->reg + (how == EDIT_APART)) % 2, to);
	for (uint32_t i = 0; n && i < x.nload; i++) {
		put(r, x.place[at++], in, &x.load[i]);
		for (uint32_t k = 0; k < x.nfma / x.nload; k++) {
			struct sass_insn *s = &x.fma[fma];

			hurry(s, 1);
			result_of(s)->reg = to[fma++ % n];
			put(r, x.place[at++], in, s);
		}
	}
	return n;
}

/* ---- padding ---- */
static bool is_pad(const struct image *in, const struct region *r, uint32_t i)
{
	struct sass_insn s;

	return i < r->at[2] && sass_decode(in->sm, word_at(r->code, i), &s) && strcmp(sass_mnemonic(&s), "NOP") == 0;
}

/* On compute capability 12.0 ptxas keeps double precision apart by NOPs that stall, beside the barriers which say when
 * a result is there: those alone are left. A barrier shows two cycles behind the instruction that raises it. */
static void unpad(const struct region *r, const struct image *in)
{
	enum { RAISES = 2 };

	for (uint32_t i = r->at[0]; i < r->at[2]; i++) {
		struct sass_insn s;

		if ((!is_pad(in, r, i) && !is_pad(in, r, i + 1)) || !sass_decode(in->sm, word_at(r->code, i), &s))
			continue;
		hurry(&s, is_pad(in, r, i) ? 1 : RAISES);
		put(r, i, in, &s);
	}
}

bool kernels_edit(const struct image *in, const char *kernel, const char *elements, enum edit how, struct arena *a,
		  struct diag *d)
{
	unsigned reg[SLOTS] = { 0 };
	struct region r;

	if (how == EDIT_NONE)
		return true;
	if (!find(&r, in, kernel, a, d))
		return false;
	unpad(&r, in);
	if (how == EDIT_PADS)
		return true;
	if (how == EDIT_APART || how == EDIT_COLLIDE)
		return (meet(&r, 0, in, elements, how, a) && meet(&r, 1, in, elements, how, a)) ||
		       diag_error_plain(d, in->name, "kernel %s has no results of one bank", kernel);
	if (how != EDIT_QUICK && !held(&r, in, elements, reg))
		return diag_error_plain(d, in->name, "kernel %s has no three registers of one bank to read", kernel);
	for (uint32_t i = r.at[0]; i < r.at[2]; i++) {
		struct sass_insn s;
		unsigned n = 0;

		if (!sass_decode(in->sm, word_at(r.code, i), &s) || !is_element(&s, elements))
			continue;
		hurry(&s, 1);
		for (unsigned k = 0; how != EDIT_QUICK && k < s.nop; k++)
			if (s.op[k].kind == SASS_GPR && !s.op[k].write)
				s.op[k].reg = (uint16_t)reg[n++ % SLOTS];
		if (how != EDIT_QUICK)
			s.control.reuse = how == EDIT_REUSE ? 3 : 0;
		put(&r, i, in, &s);
	}
	return true;
}

/* Gives a field the value that prints `name`. False: it has none. */
static bool set_field(struct sass_insn *s, const char *id, const char *name)
{
	enum { VALUES = 64 };
	unsigned k = 0;

	while (k < s->nmod && strcmp(sass_table()->mod[s->mod[k].field & ~SASS_FIELD_ABSENT].id, id) != 0)
		k++;
	for (uint16_t v = 0; k < s->nmod && v < VALUES; v++) {
		const char *text;
		size_t n;

		s->mod[k].value = v;
		text = sass_mod_name(s, id, &n);
		if (text && n == strlen(name) && memcmp(text, name, n) == 0)
			return true;
	}
	return false;
}

bool kernels_function(struct image *out, const struct image *in, const char *kernel, const char *function,
		      const char *type, struct arena *a, struct diag *d)
{
	unsigned char *code;
	uint32_t n;

	*out = kernels_copy(in, a);
	code = code_of(out, kernel, &n, a, d);
	for (uint32_t i = 0; code && i < n; i++) {
		struct sass_insn s;
		struct sass_word w;

		if (!sass_decode(in->sm, word_at(code, i), &s) || strcmp(sass_mnemonic(&s), "MUFU") != 0)
			continue;
		if (!set_field(&s, "mufu", function) || !set_field(&s, "mufutype", type))
			return false;
		w = sass_encode(in->sm, &s);
		memcpy(code + (size_t)i * WORD, &w, sizeof w);
	}
	return code;
}
