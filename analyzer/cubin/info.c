/* Functions of a cubin and what .nv.info says of them: records of a format, a number and 16 bits, which are the value
 * or the bytes that follow. .nv.info holds those that name a symbol, .nv.info.K those of the kernel whose code section
 * its sh_info names. */
#include "analyzer/cubin/read.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define ATTR(id, format, bytes, name, meaning) ATTR_##name = id,
enum attr_id {
#include "analyzer/cubin/attrs.def"
	ATTR_COUNT = 256
};

static const struct {
	const char *name, *meaning;
	uint8_t format, bytes;
} attr_info[ATTR_COUNT] = {
#define ATTR(id, format, bytes, name, meaning) [id] = { #name, meaning, format, bytes },
#include "analyzer/cubin/attrs.def"
};

/* A record that is read must be what its row says; one that is kept only may be anything. */
static bool shape_ok(struct cubin_reader *r, const struct cubin_section *s, uint64_t at, const struct cubin_attr *x)
{
	if (x->format != attr_info[x->id].format)
		return cubin_bad(r, s, at, "%s is of format %u instead of %u", x->name, x->format,
				 attr_info[x->id].format);
	if (x->format == 4 && attr_info[x->id].bytes && x->n != attr_info[x->id].bytes)
		return cubin_bad(r, s, at + 2, "%s has %u bytes instead of %u", x->name, x->n, attr_info[x->id].bytes);
	if (x->format == 4 && x->n % 4)
		return cubin_bad(r, s, at + 2, "%s has %u bytes, not a number of words", x->name, x->n);
	return true;
}

/* The record at AT, which moves behind it. */
static bool next_attr(struct cubin_reader *r, const struct cubin_section *s, uint64_t *at, struct cubin_attr *x)
{
	const uint8_t *p = s->bytes + *at;

	if (s->size - *at < 4)
		return cubin_bad(r, s, *at, "ends within an attribute");
	*x = (struct cubin_attr){ .format = p[0], .id = p[1], .value = cubin_u16(p + 2), .name = attr_info[p[1]].name };
	if (x->format < 1 || x->format > 4)
		return cubin_bad(r, s, *at, "attribute 0x%x has an unknown format, %u", x->id, x->format);
	if (x->format == 2)
		x->value &= 0xff;
	if (x->format == 4) {
		x->n = x->value;
		x->value = 0;
		x->bytes = p + 4;
		if (x->n > s->size - *at - 4)
			return cubin_bad(r, s, *at + 2, "attribute 0x%x of %u bytes goes over the end of the section",
					 x->id, x->n);
	}
	*at += 4 + x->n;
	return true;
}

/* ---- .nv.info: records that name a function ---- */
static bool file_attr(struct cubin_reader *r, const struct cubin_section *s, uint64_t at, const struct cubin_attr *x)
{
	struct cubin_func *f;
	uint32_t symbol, value;

	switch (x->id) {
	case ATTR_REGCOUNT:
	case ATTR_FRAME_SIZE:
	case ATTR_MIN_STACK_SIZE:
	case ATTR_MAX_STACK_SIZE:
		break;
	default:
		return true;
	}
	if (!shape_ok(r, s, at, x))
		return false;
	symbol = cubin_u32(x->bytes);
	value = cubin_u32(x->bytes + 4);
	if (symbol >= r->c->nsymbol)
		return cubin_bad(r, s, at + 4, "%s is of symbol %u of %u", x->name, symbol, r->c->nsymbol);
	if (!r->of_symbol[symbol])
		return true; /* of a function that is elsewhere */
	f = &r->c->func[r->of_symbol[symbol] - 1];
	if (x->id == ATTR_REGCOUNT && value > 255)
		return cubin_bad(r, s, at + 8, "%s has %u registers", f->name, value);
	f->stack_given |= x->id == ATTR_MIN_STACK_SIZE;
	switch (x->id) {
	case ATTR_REGCOUNT:
		f->regs = value;
		break;
	case ATTR_FRAME_SIZE:
		f->frame_bytes = value;
		break;
	case ATTR_MIN_STACK_SIZE:
		f->min_stack = value;
		break;
	default:
		f->max_stack = value;
	}

	return true;
}

/* ---- .nv.info.K ---- */
static void three(uint32_t to[3], const struct cubin_attr *x)
{
	for (unsigned i = 0; i < 3; i++)
		to[i] = cubin_u32(x->bytes + 4 * i);
}

static bool read_exits(struct cubin_reader *r, struct cubin_func *f, const struct cubin_section *s, uint64_t at,
		       const struct cubin_attr *x)
{
	uint32_t *to = new_array(r->a, uint32_t, f->nexit + x->n / 4 + 1);

	if (f->nexit)
		memcpy(to, f->exit, f->nexit * sizeof *to);
	f->exit = to;
	for (uint32_t i = 0; i < x->n; i += 4) {
		uint32_t pc = cubin_u32(x->bytes + i);

		if (pc >= r->c->section[f->shndx].size)
			return cubin_bad(r, s, at + 4 + i, "EXIT at 0x%x is outside the code of %s", pc, f->name);
		f->exit[f->nexit++] = pc;
	}
	return true;
}

static bool read_ranges(struct cubin_reader *r, struct cubin_func *f, const struct cubin_section *s, uint64_t at,
			const struct cubin_attr *x, uint32_t *cap, uint32_t *tcap)
{
	struct cubin *c = r->c;
	uint64_t code = c->section[f->shndx].size;

	for (uint32_t i = 0; i < x->n;) {
		uint32_t n = x->n - i < 12 ? 0 : cubin_u32(x->bytes + i + 8);

		if (x->n - i < 12 || n > (x->n - i - 12) / 4)
			return cubin_bad(r, s, at + 4 + i, "the targets of an indirect branch of %s end too early",
					 f->name);
		if (cubin_u32(x->bytes + i) >= code)
			return cubin_bad(r, s, at + 4 + i, "an indirect branch at 0x%x is outside the code of %s",
					 cubin_u32(x->bytes + i), f->name);
		arena_grow(r->a, f->range, f->nrange, *cap);
		f->range[f->nrange++] = (struct cubin_range){ cubin_u32(x->bytes + i), c->ntarget, n };
		for (i += 12; n--; i += 4) {
			uint32_t pc = cubin_u32(x->bytes + i);

			if (pc >= code)
				return cubin_bad(r, s, at + 4 + i,
						 "a target of an indirect branch, 0x%x, is outside the code of %s", pc,
						 f->name);
			arena_grow(r->a, c->target, c->ntarget, *tcap);
			c->target[c->ntarget++] = pc;
		}
	}
	return true;
}

static int by_offset(const void *x, const void *y)
{
	const struct cubin_param *a = x, *b = y;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

struct caps {
	uint32_t attr, param, range, target;
};

static bool func_attr(struct cubin_reader *r, struct cubin_func *f, const struct cubin_section *s, uint64_t at,
		      const struct cubin_attr *x, struct caps *cap)
{
	struct cubin_param p;

	switch (x->id) {
	case ATTR_MAX_THREADS:
	case ATTR_REQNTID:
	case ATTR_CTA_PER_CLUSTER:
	case ATTR_PARAM_CBANK:
	case ATTR_CBANK_PARAM_SIZE:
	case ATTR_KPARAM_INFO:
	case ATTR_KPARAM_INFO_V2:
	case ATTR_CUDA_API_VERSION:
	case ATTR_MAXREG_COUNT:
	case ATTR_NUM_BARRIERS:
	case ATTR_EXIT_INSTR_OFFSETS:
	case ATTR_INDIRECT_BRANCH_TARGETS:
		if (!shape_ok(r, s, at, x))
			return false;
		break;
	default:
		return true;
	}
	switch (x->id) {
	case ATTR_MAX_THREADS:
		three(f->maxntid, x);
		break;
	case ATTR_REQNTID:
		three(f->reqntid, x);
		break;
	case ATTR_CTA_PER_CLUSTER:
		three(f->cluster, x);
		break;
	case ATTR_PARAM_CBANK:
		f->param_base = cubin_u16(x->bytes + 4);
		f->param_bytes = cubin_u16(x->bytes + 6);
		break;
	case ATTR_CBANK_PARAM_SIZE:
		f->param_bytes = x->value;
		break;
	case ATTR_KPARAM_INFO:
	case ATTR_KPARAM_INFO_V2:
		p = (struct cubin_param){ cubin_u16(x->bytes + 4), cubin_u16(x->bytes + 6),
					  x->id == ATTR_KPARAM_INFO ? cubin_u32(x->bytes + 8) >> 18
								    : cubin_u16(x->bytes + 8) };
		arena_grow(r->a, f->param, f->nparam, cap->param);
		f->param[f->nparam++] = p;
		break;
	case ATTR_CUDA_API_VERSION: /* for files without a note */
		if (!r->c->toolkit)
			r->c->toolkit = cubin_u32(x->bytes);
		break;
	case ATTR_MAXREG_COUNT:
		f->maxreg = x->value == 0xff ? 0 : x->value;
		break;
	case ATTR_NUM_BARRIERS:
		f->barriers = x->value;
		break;
	case ATTR_EXIT_INSTR_OFFSETS:
		return read_exits(r, f, s, at, x);
	case ATTR_INDIRECT_BRANCH_TARGETS:
		return read_ranges(r, f, s, at, x, &cap->range, &cap->target);
	}
	return true;
}

static bool read_info(struct cubin_reader *r, const struct cubin_section *s, uint32_t *file_cap, uint32_t *target_cap)
{
	struct cubin *c = r->c;
	struct cubin_func *f = NULL;
	struct caps cap = { .target = *target_cap };
	bool of_file = !s->info;
	struct cubin_attr x;

	if (!cubin_spend(r, s))
		return false;
	if (!of_file && s->info >= c->nsection)
		return cubin_bad(r, s, 0, "is of section %u, which there is not", s->info);
	if (!of_file && r->owner[s->info])
		f = &c->func[r->owner[s->info] - 1];
	if (f && f->nattr)
		return cubin_bad(r, s, 0, "is the second section of attributes of %s", f->name);
	for (uint64_t at = 0; at < s->size;) {
		uint64_t from = at;

		if (!next_attr(r, s, &at, &x) || (of_file && !file_attr(r, s, from, &x)) ||
		    (f && !func_attr(r, f, s, from, &x, &cap)))
			return false;
		if (of_file) {
			arena_grow(r->a, c->attr, c->nattr, *file_cap);
			c->attr[c->nattr++] = x;
		} else if (f) {
			arena_grow(r->a, f->attr, f->nattr, cap.attr);
			f->attr[f->nattr++] = x;
		}
	}
	*target_cap = cap.target;
	if (f && f->nparam)
		qsort(f->param, f->nparam, sizeof *f->param, by_offset);
	return true;
}

/* ---- functions ---- */
static bool is_code(const struct cubin_section *s)
{
	return s->type == SHT_PROGBITS && strncmp(s->name, ".text.", 6) == 0;
}

static int kernels_first(const void *x, const void *y)
{
	const struct cubin_func *a = x, *b = y;

	if (a->entry != b->entry)
		return a->entry ? -1 : 1;
	if (a->shndx != b->shndx)
		return a->shndx < b->shndx ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static bool read_func(struct cubin_reader *r, uint32_t symbol)
{
	struct cubin *c = r->c;
	const struct cubin_symbol *y = &c->symbol[symbol];
	const struct cubin_section *s = &c->section[y->shndx];
	bool own = (s->info & 0xffffff) == symbol || strcmp(s->name + 6, y->name) == 0;

	if (y->value > s->size || y->size > s->size - y->value)
		return cubin_bad(r, s, y->value, "%s, of 0x%llx bytes, goes over the end of its section", y->name,
				 (unsigned long long)y->size);
	if (c->sm >= 70 && (y->value % CUBIN_INSN_BYTES || y->size % CUBIN_INSN_BYTES))
		return cubin_bad(r, s, y->value, "%s is not of whole instructions of 16 bytes", y->name);
	c->func[c->nfunc++] = (struct cubin_func){
		.name = y->name,
		.symbol = symbol,
		.shndx = y->shndx,
		.offset = y->value,
		.size = y->size,
		.entry = (y->other & CSTO_ENTRY) != 0,
		.owner = own,
	};
	return true;
}

/* What sections say: registers and barriers in the header of the code, shared memory by its size. */
static void read_headers(struct cubin_reader *r)
{
	struct cubin *c = r->c;

	for (uint32_t f = 0; f < c->nfunc; f++) {
		struct cubin_func *x = &c->func[f];
		const struct cubin_section *s = &c->section[x->shndx];

		if (!x->owner)
			continue;
		if (c->sm < 90)
			x->regs = s->info >> 24;
		x->barriers = s->flags >> 20 & 0x7f;
	}
	for (uint32_t s = 1; s < c->nsection; s++) {
		const struct cubin_section *x = &c->section[s];

		/* Of assembled files it has bytes, zeros. */
		if (strncmp(x->name, ".nv.shared.", 11) == 0 && x->size <= UINT32_MAX && x->info &&
		    x->info < c->nsection && r->owner[x->info]) {
			struct cubin_func *f = &c->func[r->owner[x->info] - 1];

			f->shared_bytes = (uint32_t)x->size;
			f->shared_reserved = 0;
			if (c->sm >= 90 && !c->relocatable)
				f->shared_reserved = x->size < 1024 ? (uint32_t)x->size : 1024;
		}
	}
}

bool cubin_read_functions(struct cubin_reader *r)
{
	struct cubin *c = r->c;
	uint32_t n = 0, file_cap = 0, target_cap = 0;

	for (uint32_t i = 0; i < c->nsymbol; i++)
		n += c->symbol[i].type == STT_FUNC;
	c->func = new_array(r->a, struct cubin_func, n + 1);
	r->owner = new_array(r->a, uint32_t, c->nsection + 1);
	r->of_symbol = new_array(r->a, uint32_t, c->nsymbol + 1);
	for (uint32_t i = 0; i < c->nsymbol; i++)
		if (c->symbol[i].type == STT_FUNC && c->symbol[i].shndx && c->symbol[i].shndx < c->nsection &&
		    is_code(&c->section[c->symbol[i].shndx]) && !read_func(r, i))
			return false;
	qsort(c->func, c->nfunc, sizeof *c->func, kernels_first);
	for (uint32_t f = 0; f < c->nfunc; f++) {
		struct cubin_func *x = &c->func[f];

		r->of_symbol[x->symbol] = f + 1;
		if (x->owner && r->owner[x->shndx])
			return cubin_bad(r, &c->section[x->shndx], 0, "is the code of two functions, %s and %s",
					 c->func[r->owner[x->shndx] - 1].name, x->name);
		if (x->owner)
			r->owner[x->shndx] = f + 1;
		else if (x->entry)
			return cubin_bad(r, &c->section[x->shndx], x->offset,
					 "holds kernel %s, which has no section of its own", x->name);
	}
	read_headers(r);
	for (uint32_t s = 1; s < c->nsection; s++)
		if (c->section[s].type == CSHT_INFO && !read_info(r, &c->section[s], &file_cap, &target_cap))
			return false;
	return true;
}
