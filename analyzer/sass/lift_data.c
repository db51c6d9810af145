/* Data of a cubin: its variables, and the addresses that the loader puts into constant bank 4 and into code. */
#include "analyzer/ir/texture.h"
#include "analyzer/sass/lift_code.h"

#include <stdlib.h>
#include <string.h>

/* relocs.def; st_type of a symbol */
enum {
	DATA_32 = 1,
	DATA_64,
	GENERIC_64 = 4,
	IMM_LOW_32 = 56,
	IMM_HIGH_32,
	CALL_ABS = 58,
	KERNEL_LOW_32 = 62,
	KERNEL_HIGH_32,
	CALL_ABS_SPLIT = 75,
	FUNC_64 = 102,
	FUNC_LOW_32 = 112,
	FUNC_HIGH_32
};
enum { TYPE_OBJECT = 1, TYPE_FUNC, TYPE_SECTION };

static bool named(const struct cubin *c, uint32_t shndx, const char *name)
{
	return shndx < c->nsection && c->section[shndx].name && strcmp(c->section[shndx].name, name) == 0;
}

static bool is_global(const struct cubin *c, uint32_t shndx)
{
	return named(c, shndx, ".nv.global") || named(c, shndx, ".nv.global.init");
}

static struct symbol *add(struct lift *l, const char *name, enum space space, uint64_t offset, uint64_t size)
{
	struct module *m = l->m;

	arena_grow(l->a, m->sym, m->nsym, m->sym_cap);
	m->sym[m->nsym] = (struct symbol){
		.name = name,
		.space = (uint8_t)space,
		.visible = true,
		.align = 16,
		.size = size,
		.offset = offset,
		.kernel = UINT32_MAX,
	};
	return &m->sym[m->nsym++];
}

static const uint8_t *bytes_at(const struct cubin_section *s, uint64_t at, uint64_t n)
{
	return s->bytes && at <= s->size && n <= s->size - at ? s->bytes + at : NULL;
}

/* The symbol of global memory that holds a byte of its section; UINT32_MAX. */
static uint32_t holder(const struct lift *l, uint32_t shndx, uint64_t at)
{
	const struct cubin *c = l->c;

	for (uint32_t y = 0; y < c->nsymbol; y++)
		if (l->variable[y] != NOWHERE && c->symbol[y].shndx == shndx && at >= c->symbol[y].value &&
		    at - c->symbol[y].value < c->symbol[y].size)
			return y;
	return NOWHERE;
}

/* The device's runtime is linked into the module: its functions are defined, and not executed. */
static bool served(const char *name)
{
	const enum host_function f = host_function(name);

	return f != HOST_COUNT && (host_info[f].op == OP_HOST_PARAMETERS || host_info[f].op == OP_HOST_DEVICE);
}

/* What a relocation names. */
static struct native_address resolve(const struct lift *l, const struct cubin_reloc *r)
{
	const struct cubin_symbol *y = &l->c->symbol[r->symbol];
	struct native_address to = { .what = NATIVE_UNKNOWN, .name = y->name, .addend = r->addend };
	uint32_t var = l->variable[r->symbol];

	if (var == NOWHERE && y->shndx && is_global(l->c, y->shndx)) {
		const uint32_t in = holder(l, y->shndx, y->value + (uint64_t)r->addend);

		if (in != NOWHERE) {
			var = l->variable[in];
			to.addend = (int64_t)(y->value + (uint64_t)r->addend - l->c->symbol[in].value);
		}
	}
	if (var != NOWHERE) {
		to.what = NATIVE_VARIABLE;
		to.of = var;
	} else if (y->type == TYPE_FUNC && (!y->shndx || served(y->name))) {
		to.what = NATIVE_RUNTIME;
	} else if (y->shndx && y->shndx < l->c->nsection && l->c->section[y->shndx].flags & 4) {
		to.what = NATIVE_CODE;
		to.section = l->c->section[y->shndx].name;
		to.addend += (int64_t)y->value;
	}
	return to;
}

static void add_variables(struct lift *l)
{
	const struct cubin *c = l->c;

	l->variable = arena_alloc_array(l->a, (size_t)c->nsymbol + 1, sizeof *l->variable, _Alignof(uint32_t));
	memset(l->variable, 0xff, ((size_t)c->nsymbol + 1) * sizeof *l->variable);
	for (uint32_t s = 1; s < c->nsection; s++)
		if (named(c, s, ".nv.constant3"))
			add(l, "constant variables", SP_CONST, 0, c->section[s].size)->init = c->section[s].bytes;
	for (uint32_t y = 0; y < c->nsymbol; y++) {
		const struct cubin_symbol *x = &c->symbol[y];

		if (x->type != TYPE_OBJECT || !x->size || x->shndx >= c->nsection)
			continue;
		if (is_global(c, x->shndx)) {
			l->variable[y] = l->m->nsym;
			add(l, x->name, SP_GLOBAL, 0, x->size)->init =
				bytes_at(&c->section[x->shndx], x->value, x->size);
		} else if (named(c, x->shndx, ".nv.constant3")) {
			l->variable[y] = l->m->nsym;
			add(l, x->name, SP_CONST, x->value, x->size);
		}
	}
}

/* The address of code in a variable: a number, which no loader has to know. */
static void put_code(struct lift *l, struct symbol *in, const uint8_t *file, uint64_t offset, unsigned bytes,
		     uint64_t v)
{
	if (!in->init || offset > in->size || bytes > in->size - offset)
		return;
	if (in->init == file)
		in->init = memcpy(arena_alloc(l->a, in->size, 8), file, in->size);
	memcpy((uint8_t *)(uintptr_t)in->init + offset, &v, bytes);
}

/* Addresses of variables and of code in variables. */
static void relocate_variables(struct lift *l)
{
	const struct cubin *c = l->c;

	for (uint32_t n = 0; n < c->nreloc; n++) {
		const struct cubin_reloc *r = &c->reloc[n];
		const bool constant = named(c, r->shndx, ".nv.constant3");
		const struct native_address to = resolve(l, r);
		uint32_t y = NOWHERE;
		struct symbol *in;
		uint64_t offset;

		if ((!constant && !is_global(c, r->shndx)) ||
		    (r->type != DATA_32 && r->type != DATA_64 && r->type != GENERIC_64 && r->type != FUNC_64))
			continue;
		if (!constant)
			y = holder(l, r->shndx, r->offset);
		if (!constant && y == NOWHERE)
			continue;
		in = constant ? &l->m->sym[0] : &l->m->sym[l->variable[y]];
		offset = r->offset - (constant ? 0 : c->symbol[y].value);
		if (to.what == NATIVE_CODE)
			put_code(l, in, bytes_at(&c->section[r->shndx], r->offset - offset, in->size), offset,
				 r->type == DATA_32 ? 4 : 8,
				 native_window(c->symbol[r->symbol].shndx) + (uint64_t)to.addend);
		if (to.what != NATIVE_VARIABLE || r->type == FUNC_64)
			continue;
		arena_grow(l->a, in->reloc, in->nreloc, in->relocap);
		in->reloc[in->nreloc++] = (struct symreloc){
			.offset = offset,
			.sym = to.of,
			.addend = to.addend,
			.bytes = r->type == DATA_32 ? 4 : 8,
			.generic = r->type == GENERIC_64,
		};
	}
}

void lift_variables(struct lift *l)
{
	add_variables(l);
	relocate_variables(l);
}

static void add_address(struct lift_kernel *x, struct native_address to)
{
	struct native_address *all = (struct native_address *)(uintptr_t)x->native->address;

	arena_grow(x->l->a, all, x->native->naddress, x->address_cap);
	all[x->native->naddress++] = to;
	x->native->address = all;
}

static void add_of_code(struct lift_kernel *x, const struct cubin_reloc *r)
{
	struct native_address to = resolve(x->l, r);
	const uint32_t i = lift_insn_at(x, r->shndx, r->offset & ~(uint64_t)(WORD_BYTES - 1));

	if (i == NOWHERE)
		return;
	to.at = i;
	to.code = true;
	to.bytes = 4;
	to.high = r->type == IMM_HIGH_32 || r->type == FUNC_HIGH_32 || r->type == KERNEL_HIGH_32;
	to.call = r->type == CALL_ABS || r->type == CALL_ABS_SPLIT;
	if (r->type == KERNEL_LOW_32 || r->type == KERNEL_HIGH_32)
		to.what = NATIVE_KERNEL;
	else if (!to.call && r->type != IMM_LOW_32 && r->type != IMM_HIGH_32 && r->type != FUNC_LOW_32 &&
		 r->type != FUNC_HIGH_32)
		to.what = NATIVE_UNKNOWN;
	add_address(x, to);
}

/* Handles behind the parameters, of textures and surfaces that are named: of these what has the name is not here, and
 * the section is the bank's. */
static void add_handle(struct lift_kernel *x, const struct cubin_reloc *r)
{
	struct native_address to = resolve(x->l, r);

	if (to.what != NATIVE_UNKNOWN || !to.name || !*to.name || x->l->c->symbol[r->symbol].shndx)
		return;
	to.section = x->l->c->section[r->shndx].name;
	to.at = r->offset;
	to.bytes = 4;
	add_address(x, to);
}

void lift_addresses(struct lift_kernel *x)
{
	const struct cubin *c = x->l->c;
	const char *bank0 = arena_printf(x->l->a, ".nv.constant0.%s", x->k->name);

	for (uint32_t s = 1; s < c->nsection; s++)
		if (named(c, s, ".nv.constant4"))
			x->native->nconstant4 = (uint32_t)c->section[s].size;
	for (uint32_t n = 0; n < c->nreloc; n++) {
		const struct cubin_reloc *r = &c->reloc[n];

		if (named(c, r->shndx, ".nv.constant4")) {
			struct native_address to = resolve(x->l, r);

			to.at = r->offset;
			to.bytes = r->type == DATA_32 ? 4 : 8;
			if (r->type != DATA_32 && r->type != DATA_64 && r->type != FUNC_64)
				to.what = NATIVE_UNKNOWN;
			add_address(x, to);
		} else if (named(c, r->shndx, bank0)) {
			add_handle(x, r);
		} else if (r->shndx < c->nsection && c->section[r->shndx].flags & 4) {
			add_of_code(x, r);
		}
	}
}
