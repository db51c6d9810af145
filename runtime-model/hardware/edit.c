/* The kernels that measure: machine code for each target, inside this program, and elements of it changed. */
#include "runtime-model/hardware/edit.h"

#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/table.h"

#include <string.h>
#include <zstd.h>

enum { SR_CLOCKLO = 80, WORD = 16, SLOTS = 3 };

/* ---- the images: kernels.S ---- */
#define TARGETS(T) T(80) T(86) T(89) T(90) T(100) T(120)
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

static void copy(struct image *out, const struct image *in, struct arena *a)
{
	*out = *in;
	out->bytes = arena_alloc(a, in->n, 16);
	memcpy(out->bytes, in->bytes, in->n);
}

bool kernels_edit(struct image *out, const struct image *in, const char *kernel, const char *elements, enum edit how,
		  struct arena *a, struct diag *d)
{
	unsigned reg[SLOTS] = { 0 };
	struct region r;

	*out = *in;
	if (how == EDIT_NONE)
		return true;
	copy(out, in, a);
	if (!find(&r, out, kernel, a, d))
		return false;
	if (how != EDIT_QUICK && !held(&r, out, elements, reg))
		return diag_error_plain(d, in->name, "kernel %s has no three registers of one bank to read", kernel);
	for (uint32_t i = r.at[0]; i < r.at[2]; i++) {
		struct sass_insn s;
		struct sass_word w;
		unsigned n = 0;

		if (!sass_decode(in->sm, word_at(r.code, i), &s) || !is_element(&s, elements))
			continue;
		s.control.stall = 1;
		for (unsigned k = 0; how != EDIT_QUICK && k < s.nop; k++)
			if (s.op[k].kind == SASS_GPR && !s.op[k].write)
				s.op[k].reg = (uint16_t)reg[n++ % SLOTS];
		if (how != EDIT_QUICK)
			s.control.reuse = how == EDIT_REUSE ? 3 : 0;
		w = sass_encode(in->sm, &s);
		memcpy(r.code + (size_t)i * WORD, &w, sizeof w);
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

	copy(out, in, a);
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
