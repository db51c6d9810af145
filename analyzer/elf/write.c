/* Writing the annotated object (docs/RLO.md): sections are made in memory, libelf lays them out in an anonymous file,
 * and its bytes go to the output. The same module gives the same bytes. */
#include "analyzer/elf/rlo.h"

#include "analyzer/base/outfile.h"
#include "analyzer/elf/format.h"
#include "passes/pass.h"
#include "passes/regmutex.h"

#include <assert.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* symbols, their names, names of sections */
enum { CONTAINER_SECTIONS = 3 };

struct out_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, align, entsize, size;
	void *data;
};

struct writer {
	const struct module *m;
	struct arena *a;
	struct out_section *sec;
	uint32_t nsec, sec_cap; /* sec[0] is ELF section 1 */
	struct strtab strings, symnames;
	Elf64_Sym *sym;
	uint32_t nsym;
	uint32_t *var_symbol, *kernel_symbol, *variant_symbol;
	uint32_t locals;
	struct buf opcode, sreg, type, file, line;       /* module tables */
	uint32_t *op_number, *sreg_number, *type_number; /* their index + 1, 0: not in the table yet */
	uint32_t nop, nsreg, ntype;
	uint32_t *at; /* sorted, distinct text positions of all instructions */
	uint32_t nat;
	uint32_t first_where; /* index of the first of them in the line table */
};

/* ---- strings ---- */
void strtab_init(struct strtab *s, struct arena *a)
{
	*s = (struct strtab){ .bytes = { .a = a } };
	intern_init(&s->t, a);
	buf_room(&s->bytes, 1);
}

uint32_t strtab_add(struct strtab *s, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	uint32_t id;

	if (!len)
		return 0;
	id = intern_id(&s->t, text, len);
	while (s->cap <= id)
		arena_grow(s->bytes.a, s->off, s->cap, s->cap);
	if (!s->off[id]) {
		s->off[id] = (uint32_t)s->bytes.n;
		memcpy(buf_room(&s->bytes, len + 1), text, len);
	}
	return s->off[id];
}

/* ---- sections ---- */
static uint32_t add_section(struct writer *w, const char *name, uint32_t type, uint64_t flags, uint64_t align,
			    void *data, uint64_t size)
{
	arena_grow(w->a, w->sec, w->nsec, w->sec_cap);
	w->sec[w->nsec++] = (struct out_section){
		.name = name, .type = type, .flags = flags, .align = align, .data = data, .size = size
	};
	return w->nsec;
}

static void add_table(struct writer *w, enum rlo_record t, const char *kernel, struct buf *b, bool optional)
{
	if (optional && b->n == RLO_HEAD_BYTES)
		return;
	rlo_table_end(b, t);
	add_section(w, arena_printf(w->a, "%s%s", rlo_table[t].section, kernel), SHT_PROGBITS, 0, 8, b->p, b->n);
}

/* ---- text positions ---- */
static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Positions in the PTX text become lines of the line table, after those of .loc, in the order of the text. */
static void collect_positions(struct writer *w)
{
	const struct module *m = w->m;
	uint32_t n = 0;

	for (uint32_t k = 0; k < m->nkernel; k++)
		n += m->kernel[k]->ninsn + (m->kernel[k]->variant ? m->kernel[k]->variant->ninsn : 0);
	w->at = new_array(w->a, uint32_t, n + 1);
	n = 0;
	for (uint32_t k = 0; k < m->nkernel; k++)
		for (const struct kernel *x = m->kernel[k]; x; x = x->variant)
			for (uint32_t i = 0; i < x->ninsn; i++)
				w->at[n++] = x->insn[i].where;
	qsort(w->at, n, sizeof *w->at, by_value);
	for (uint32_t i = 0; i < n; i++)
		if (w->at[i] && (!i || w->at[i] != w->at[i - 1]))
			w->at[w->nat++] = w->at[i];
}

static void put_lines(struct writer *w)
{
	const struct module *m = w->m;
	uint32_t nfile = m->nfile, ptx = 0, line = 1;
	size_t bol = 0;

	w->file = rlo_table_begin(RLO_R_file, w->a);
	w->line = rlo_table_begin(RLO_R_line, w->a);
	for (uint32_t f = 0; f < nfile; f++)
		RLO_PUT(&w->file, file, .str = strtab_add(&w->strings, m->file[f]));
	for (uint32_t l = 0; l < m->nline; l++)
		RLO_PUT(&w->line, line, .file = m->line[l].file, .line = m->line[l].line, .col = m->line[l].col);
	if (!m->src)
		return;
	collect_positions(w);
	w->first_where = m->nline;
	for (ptx = 0; ptx < nfile && strcmp(m->file[ptx], m->src_name) != 0;)
		ptx++;
	if (ptx == nfile)
		RLO_PUT(&w->file, file, .str = strtab_add(&w->strings, m->src_name));
	for (uint32_t i = 0, off = 0; i < w->nat; i++) {
		for (; off < w->at[i] && off < m->src->len; off++)
			if (m->src->text[off] == '\n') {
				line++;
				bol = off + 1;
			}
		RLO_PUT(&w->line, line, .file = ptx, .line = line, .col = (uint32_t)(off - bol) + 1);
	}
}

static uint32_t where_line(const struct writer *w, uint32_t where)
{
	uint32_t lo = 0, hi = w->nat;

	if (!w->m->src || !where)
		return where;
	while (hi - lo > 1) {
		uint32_t mid = (lo + hi) / 2;

		if (w->at[mid] <= where)
			lo = mid;
		else
			hi = mid;
	}
	return w->first_where + lo;
}

/* ---- variables and symbols ---- */
static void put_symbol(struct writer *w, uint32_t at, const char *name, unsigned bind, unsigned type, uint32_t sec,
		       uint64_t value, uint64_t size)
{
	w->sym[at] = (Elf64_Sym){
		.st_name = strtab_add(&w->symnames, name),
		.st_info = (unsigned char)ELF64_ST_INFO(bind, type),
		.st_shndx = (Elf64_Half)sec,
		.st_value = value,
		.st_size = size,
	};
}

struct image {
	const char *section;
	enum space space;
	bool init;
	uint64_t flags;
	uint32_t index;
	uint64_t size, align;
	uint8_t *bytes;
};

/* Which section a variable's storage is in; const variables with and without initialiser share bank 3. */
static struct image *image_of(struct image im[], unsigned n, const struct symbol *s, bool const_init)
{
	for (unsigned i = 0; i < n; i++)
		if (im[i].space == s->space &&
		    im[i].init == (s->space == SP_CONST ? const_init : s->init != NULL && s->space == SP_GLOBAL))
			return &im[i];
	return NULL;
}

static void put_variables(struct writer *w)
{
	const struct module *m = w->m;
	struct image im[] = {
		{ ".data", SP_GLOBAL, true, SHF_ALLOC | SHF_WRITE, 0, 0, 1, NULL },
		{ ".bss", SP_GLOBAL, false, SHF_ALLOC | SHF_WRITE, 0, 0, 1, NULL },
		{ ".const", SP_CONST, true, SHF_ALLOC, 0, 0, 1, NULL },
		{ ".const", SP_CONST, false, SHF_ALLOC, 0, 0, 1, NULL },
		{ ".shared", SP_SHARED, false, SHF_ALLOC | SHF_WRITE, 0, 0, 1, NULL },
		{ ".local", SP_LOCAL, false, SHF_ALLOC | SHF_WRITE, 0, 0, 1, NULL },
	};
	enum { IMAGES = sizeof im / sizeof *im };
	struct buf vars = rlo_table_begin(RLO_R_var, w->a), relocs = rlo_table_begin(RLO_R_reloc, w->a);
	uint64_t *value = new_array(w->a, uint64_t, m->nsym + 1);
	bool const_init = false;
	uint32_t local = 2, global = 0, variants = 0; /* after the null symbol and the file's */

	for (uint32_t s = 0; s < m->nsym; s++) {
		const_init |= m->sym[s].space == SP_CONST && m->sym[s].init;
		global += m->sym[s].visible || m->sym[s].external ? 0 : 1;
	}
	for (uint32_t k = 0; k < m->nkernel; k++)
		variants += m->kernel[k]->variant != NULL;
	w->locals = local + global + variants;
	global = w->locals;
	w->nsym = 2 + m->nsym + m->nkernel + variants;
	w->sym = new_array(w->a, Elf64_Sym, w->nsym);
	w->var_symbol = new_array(w->a, uint32_t, m->nsym + 1);
	w->kernel_symbol = new_array(w->a, uint32_t, m->nkernel + 1);
	w->variant_symbol = new_array(w->a, uint32_t, m->nkernel + 1);
	put_symbol(w, 1, m->src_name, STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
	for (uint32_t s = 0; s < m->nsym; s++) {
		const struct symbol *v = &m->sym[s];
		struct image *x = image_of(im, IMAGES, v, const_init);
		uint64_t align = v->align ? v->align : 1;

		if (v->external)
			continue;
		value[s] = v->space == SP_GLOBAL ? (x->size + align - 1) / align * align : v->offset;
		if (value[s] + v->size > x->size)
			x->size = value[s] + v->size;
		if (align > x->align)
			x->align = align;
	}
	for (unsigned x = 0; x < IMAGES; x++) {
		if (!im[x].size && im[x].align == 1)
			continue;
		if (im[x].init)
			im[x].bytes = arena_alloc(w->a, im[x].size + 1, 8);
		im[x].index = add_section(w, im[x].section, im[x].init ? SHT_PROGBITS : SHT_NOBITS, im[x].flags,
					  im[x].align, im[x].bytes, im[x].size);
	}
	for (uint32_t s = 0; s < m->nsym; s++) {
		const struct symbol *v = &m->sym[s];
		struct image *x = image_of(im, IMAGES, v, const_init);
		bool is_global = v->visible || v->external;
		uint8_t flags;

		if (!v->external && !x->index) /* zero bytes, and nothing else in its space */
			x->index = add_section(w, x->section, SHT_NOBITS, x->flags, 1, NULL, 0);
		w->var_symbol[s] = is_global ? global++ : local++;
		put_symbol(w, w->var_symbol[s], v->name, is_global ? STB_GLOBAL : STB_LOCAL, STT_OBJECT,
			   v->external ? SHN_UNDEF : x->index, value[s], v->size);
		if (v->init && x->bytes)
			memcpy(x->bytes + value[s], v->init, v->size);
		flags = v->external ? RLO_VAR_EXTERNAL : 0;
		flags |= v->visible ? RLO_VAR_VISIBLE : 0;
		flags |= v->init ? RLO_VAR_INIT : 0;
		RLO_PUT(&vars, var, .symbol = w->var_symbol[s], .space = v->space, .flags = flags,
			.align = v->align ? v->align : 1, .kernel = v->kernel, .size = v->size, .offset = v->offset);
		for (uint32_t r = 0; r < v->nreloc; r++)
			RLO_PUT(&relocs, reloc, .var = s, .target = v->reloc[r].sym, .offset = v->reloc[r].offset,
				.addend = v->reloc[r].addend, .bytes = v->reloc[r].bytes,
				.generic = v->reloc[r].generic);
	}
	for (uint32_t k = 0; k < m->nkernel; k++)
		w->kernel_symbol[k] = global++;
	for (uint32_t k = 0; k < m->nkernel; k++)
		if (m->kernel[k]->variant)
			w->variant_symbol[k] = local++;
	add_table(w, RLO_R_var, "", &vars, true);
	add_table(w, RLO_R_reloc, "", &relocs, true);
}

/* ---- kernels ---- */
/* The number of a name in a module table: given when it is first used. */
static uint32_t number(struct writer *w, uint32_t *map, uint32_t *n, uint32_t key, struct buf *table, const char *text,
		       size_t len)
{
	if (!map[key]) {
		struct rlo_opcode r = { strtab_add(&w->strings, arena_strndup(w->a, text, len)) };
		struct io io = { buf_room(table, RLO_BYTES_opcode), true };

		rlo_io_opcode(&io, &r);
		map[key] = ++*n;
	}
	return map[key] - 1;
}

struct code {
	uint32_t *imm, nimm, *symref, nsymref, nmore;
	struct buf text, imms, symrefs, more;
};

static uint32_t put_operand(struct writer *w, const struct kernel *k, struct code *c, struct ref r)
{
	if (r.kind == REF_IMM) {
		if (!c->imm[r.val]) {
			RLO_PUT(&c->imms, imm, .bits = k->imm[r.val]);
			c->imm[r.val] = ++c->nimm;
		}
		r.val = (c->imm[r.val] - 1) & REF_VAL_MAX;
	} else if (r.kind == REF_SYM) {
		if (!c->symref[r.val]) {
			RLO_PUT(&c->symrefs, symref, .var = k->symref[r.val].sym, .addend = k->symref[r.val].addend);
			c->symref[r.val] = ++c->nsymref;
		}
		r.val = (c->symref[r.val] - 1) & REF_VAL_MAX;
	} else if (r.kind == REF_SREG) {
		const char *name = sreg_name[r.val];

		r.val = number(w, w->sreg_number, &w->nsreg, r.val, &w->sreg, name, strlen(name)) & REF_VAL_MAX;
	}
	return rlo_pack_ref(r);
}

static void put_code(struct writer *w, const struct kernel *k, struct code *c)
{
	for (uint32_t n = 0; n < k->ninsn; n++) {
		const struct insn *i = &k->insn[n];
		size_t len;
		const char *text = op_mnemonic(i->op, &len);
		struct rlo_insn r = {
			.op = (uint16_t)number(w, w->op_number, &w->nop, i->op, &w->opcode, text, len),
			.ndst = i->ndst,
			.nsrc = i->nsrc,
			.guard = rlo_pack_ref(i->guard),
			.offset = i->offset,
			.space = i->space,
			.vec = i->vec,
			.cop = i->cop,
			.cbool = i->cbool,
			.mods = i->mods,
		};
		struct io io = { buf_room(&c->text, RLO_BYTES_insn), true };

		assert(i->ndst + (unsigned)i->nsrc <= RLO_OPERANDS_MAX);
		if (i->ndst + (unsigned)i->nsrc > RLO_OPERANDS)
			r.more = c->nmore;
		for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++) {
			uint32_t word = put_operand(w, k, c, k->opnd[i->opnd + s]);

			if (s < RLO_OPERANDS)
				r.operand[s] = word;
			else {
				RLO_PUT(&c->more, more, .operand = word);
				c->nmore++;
			}
		}
		rlo_io_insn(&io, &r);
	}
}

static struct buf info(const struct writer *w, const struct kernel *k)
{
	struct buf b = rlo_table_begin(RLO_R_info, w->a);
	const struct resources *s = &k->res;

	RLO_PUT(&b, info, .code_version = RLO_CODE_VERSION, .insns = k->ninsn, .blocks = k->nblock,
		.maxntid = { k->maxntid[0], k->maxntid[1], k->maxntid[2] },
		.reqntid = { k->reqntid[0], k->reqntid[1], k->reqntid[2] }, .minnctapersm = k->minnctapersm,
		.maxnreg = k->maxnreg, .cluster = { k->cluster[0], k->cluster[1], k->cluster[2] },
		.max_cluster = k->max_cluster, .explicit_cluster = k->explicit_cluster, .regs = s->regs,
		.preds = s->preds, .shared_bytes = s->shared_bytes, .local_bytes = s->local_bytes,
		.param_bytes = s->param_bytes, .barriers = s->barriers, .spill_loads = s->spill_loads,
		.spill_stores = s->spill_stores, .spill_bytes = s->spill_bytes, .virtual_regs = s->virtual_regs,
		.virtual_insns = s->virtual_insns, .max_live32 = k->live->max_live32, .max_livep = k->live->max_livep,
		.stack = s->stack);
	return b;
}

static void put_kernel(struct writer *w, const struct kernel *k, uint32_t symbol)
{
	const char *name = k->plain ? arena_printf(w->a, "%s" RLO_VARIANT, k->name) : k->name;
	struct code c = {
		.imm = new_array(w->a, uint32_t, k->nimm + 1),
		.symref = new_array(w->a, uint32_t, k->nsymref + 1),
		.text = { .a = w->a },
		.imms = rlo_table_begin(RLO_R_imm, w->a),
		.symrefs = rlo_table_begin(RLO_R_symref, w->a),
		.more = rlo_table_begin(RLO_R_more, w->a),
	};
	struct buf facts = info(w, k), params = rlo_table_begin(RLO_R_param, w->a),
		   lineno = rlo_table_begin(RLO_R_lineno, w->a);
	struct buf blocks = rlo_table_begin(RLO_R_block, w->a), spills = rlo_table_begin(RLO_R_spill, w->a);
	struct buf tables = rlo_table_begin(RLO_R_jtable, w->a), targets = rlo_table_begin(RLO_R_target, w->a);
	struct buf procs = rlo_table_begin(RLO_R_proc, w->a);
	struct rlo_liveness live;
	struct rlo_releases releases;
	struct rlo_strand_tables strands;
	struct rlo_uniform_tables uniform;
	struct rlo_hints hints;
	struct rlo_places places;
	struct rlo_regmutex_tables regmutex;
	struct buf order = rlo_encode_owf(k, w->a);
	uint32_t text;

	put_code(w, k, &c);
	text = add_section(w, arena_printf(w->a, ".text.%s", name), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 64,
			   c.text.p, c.text.n);
	put_symbol(w, symbol, name, k->plain ? STB_LOCAL : STB_GLOBAL, STT_FUNC, text, 0, c.text.n);
	for (uint32_t p = 0; p < k->nparam; p++) {
		const struct param *x = &k->param[p];
		const char *type = type_info[x->type].text;

		RLO_PUT(&params, param, .name = strtab_add(&w->strings, x->name), .offset = x->offset, .size = x->size,
			.align = x->align,
			.type = (uint16_t)number(w, w->type_number, &w->ntype, x->type, &w->type, type, strlen(type)),
			.array = x->array);
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		RLO_PUT(&lineno, lineno, .line = k->insn[i].line, .where = where_line(w, k->insn[i].where));
	for (uint32_t b = 0; b < k->nblock; b++)
		RLO_PUT(&blocks, block, .first = k->block[b].first, .insns = k->block[b].n,
			.label = strtab_add(&w->strings, k->block[b].label), .depth = k->cfg->depth[b],
			.idom = k->dom->idom[b], .ipdom = k->pdom->idom[b]);
	for (uint32_t s = 0; s < k->nspill; s++)
		RLO_PUT(&spills, spill, .insn = k->spill[s].insn, .slot = k->spill[s].slot,
			.name = strtab_add(&w->strings, k->spill[s].name), .store = k->spill[s].store,
			.rc = k->spill[s].rc);
	for (uint32_t t = 0; t < k->ntable; t++)
		RLO_PUT(&tables, jtable, .first = k->table[t].first, .targets = k->table[t].n);
	for (uint32_t t = 0; t < k->ntarget; t++)
		RLO_PUT(&targets, target, .key = k->target[t].key, .block = k->target[t].block);
	for (uint32_t p = 0; p < k->nproc; p++)
		RLO_PUT(&procs, proc, .first = k->proc[p].first, .name = strtab_add(&w->strings, k->proc[p].name));
	rlo_encode_liveness(k, w->a, &live);
	rlo_encode_release(k, w->a, &releases);
	rlo_encode_strands(k, w->a, &strands);
	rlo_encode_uniform(k, w->a, &uniform);
	rlo_encode_hints(k, w->a, &hints);
	rlo_encode_places(k, w->a, &places);
	rlo_encode_regmutex(k, k->regmutex ? strtab_add(&w->strings, k->regmutex->sm.machine) : 0, w->a, &regmutex);
	add_table(w, RLO_R_info, name, &facts, false);
	add_table(w, RLO_R_param, name, &params, true);
	add_table(w, RLO_R_imm, name, &c.imms, true);
	add_table(w, RLO_R_symref, name, &c.symrefs, true);
	add_table(w, RLO_R_more, name, &c.more, true);
	add_table(w, RLO_R_lineno, name, &lineno, false);
	add_table(w, RLO_R_block, name, &blocks, false);
	add_table(w, RLO_R_live, name, &live.live, false);
	add_table(w, RLO_R_point, name, &live.point, false);
	add_table(w, RLO_R_release, name, &live.release, true);
	add_table(w, RLO_R_wait, name, &releases.wait, false);
	add_table(w, RLO_R_wfree, name, &releases.wfree, true);
	add_table(w, RLO_R_strand, name, &strands.strand, false);
	add_table(w, RLO_R_rfc, name, &strands.rfc, false);
	add_table(w, RLO_R_affinity, name, &hints.affinity, true);
	add_table(w, RLO_R_corf, name, &hints.corf, false);
	add_table(w, RLO_R_pairs, name, &hints.pairs, true);
	add_table(w, RLO_R_align, name, &hints.align, true);
	add_table(w, RLO_R_orf, name, &places.orf, false);
	add_table(w, RLO_R_place, name, &places.places, true);
	add_table(w, RLO_R_owf, name, &order, true);
	add_table(w, RLO_R_shape, name, &uniform.shape, false);
	add_table(w, RLO_R_scalar, name, &uniform.scalar, false);
	add_table(w, RLO_R_lanes, name, &uniform.lanes, true);
	add_table(w, RLO_R_spill, name, &spills, true);
	add_table(w, RLO_R_jtable, name, &tables, true);
	add_table(w, RLO_R_target, name, &targets, true);
	add_table(w, RLO_R_proc, name, &procs, true);
	add_table(w, RLO_R_regmutex, name, &regmutex.decision, true);
	add_table(w, RLO_R_regsize, name, &regmutex.sizes, true);
}

static void put_module(struct writer *w)
{
	const struct module *m = w->m;
	struct buf head = rlo_table_begin(RLO_R_module, w->a), entries = rlo_table_begin(RLO_R_entry, w->a);

	w->opcode = rlo_table_begin(RLO_R_opcode, w->a);
	w->sreg = rlo_table_begin(RLO_R_sreg, w->a);
	w->type = rlo_table_begin(RLO_R_type, w->a);
	w->op_number = new_array(w->a, uint32_t, OP_COUNT);
	w->sreg_number = new_array(w->a, uint32_t, SREG_COUNT);
	w->type_number = new_array(w->a, uint32_t, TY_COUNT);
	RLO_PUT(&head, module, .ptx_version = m->ptx_version, .sm = m->sm, .address_bits = m->address_bits,
		.target = strtab_add(&w->strings, m->target), .source = strtab_add(&w->strings, m->src_name));
	add_table(w, RLO_R_module, "", &head, false);
	put_lines(w);
	put_variables(w);
	for (uint32_t k = 0; k < m->nkernel; k++) {
		put_kernel(w, m->kernel[k], w->kernel_symbol[k]);
		if (m->kernel[k]->variant)
			put_kernel(w, m->kernel[k]->variant, w->variant_symbol[k]);
		RLO_PUT(&entries, entry, .symbol = w->kernel_symbol[k]);
	}
	add_table(w, RLO_R_entry, "", &entries, false);
	add_table(w, RLO_R_opcode, "", &w->opcode, true);
	add_table(w, RLO_R_sreg, "", &w->sreg, true);
	add_table(w, RLO_R_type, "", &w->type, true);
	add_table(w, RLO_R_file, "", &w->file, true);
	add_table(w, RLO_R_line, "", &w->line, true);
	add_section(w, ".regloom.strings", SHT_STRTAB, 0, 1, w->strings.bytes.p, w->strings.bytes.n);
}

/* ---- the container ---- */
static bool elf_failed(struct diag *d, const char *what)
{
	return diag_error_plain(d, "object", "cannot make the object: %s: %s", what, elf_errmsg(-1));
}

static bool add_scn(Elf *e, const struct out_section *s, uint32_t name, struct diag *d)
{
	Elf_Scn *scn = elf_newscn(e);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh;

	if (!data || !gelf_getshdr(scn, &sh))
		return elf_failed(d, s->name);
	*data = (Elf_Data){
		.d_buf = s->data,
		.d_type = s->type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE,
		.d_version = EV_CURRENT,
		.d_size = s->size,
		.d_align = s->align,
	};
	sh.sh_name = name;
	sh.sh_type = s->type;
	sh.sh_flags = s->flags;
	sh.sh_link = s->link;
	sh.sh_info = s->info;
	sh.sh_entsize = s->entsize;
	return gelf_update_shdr(scn, &sh) ? true : elf_failed(d, s->name);
}

static bool lay_out(struct writer *w, Elf *e, struct diag *d)
{
	struct strtab names;
	uint32_t symtab, strtab, shstrtab;
	Elf64_Ehdr *eh;

	symtab = add_section(w, ".symtab", SHT_SYMTAB, 0, 8, w->sym, w->nsym * sizeof *w->sym);
	w->sec[symtab - 1].entsize = sizeof *w->sym;
	w->sec[symtab - 1].link = symtab + 1;
	w->sec[symtab - 1].info = w->locals;
	strtab = add_section(w, ".strtab", SHT_STRTAB, 0, 1, w->symnames.bytes.p, w->symnames.bytes.n);
	shstrtab = add_section(w, ".shstrtab", SHT_STRTAB, 0, 1, NULL, 0);
	assert(strtab == symtab + 1);
	strtab_init(&names, w->a);
	for (uint32_t s = 0; s < w->nsec; s++)
		strtab_add(&names, w->sec[s].name);
	w->sec[shstrtab - 1].data = names.bytes.p;
	w->sec[shstrtab - 1].size = names.bytes.n;
	eh = elf64_newehdr(e);
	if (!eh)
		return elf_failed(d, "header");
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_type = ET_REL;
	eh->e_machine = EM_NONE;
	eh->e_version = EV_CURRENT;
	eh->e_shstrndx = (Elf64_Half)shstrtab;
	for (uint32_t s = 0; s < w->nsec; s++)
		if (!add_scn(e, &w->sec[s], strtab_add(&names, w->sec[s].name), d))
			return false;
	return elf_update(e, ELF_C_WRITE) >= 0 ? true : elf_failed(d, "layout");
}

static bool read_back(int fd, struct arena *a, void **bytes, size_t *n, struct diag *d)
{
	off_t size = lseek(fd, 0, SEEK_END);
	size_t done = 0;

	if (size < 0)
		return diag_error_plain(d, "object", "cannot make the object: %s", strerror(errno));
	*bytes = arena_alloc(a, (size_t)size + 1, 16);
	*n = (size_t)size;
	while (done < *n) {
		ssize_t got = pread(fd, (uint8_t *)*bytes + done, *n - done, (off_t)done);

		if (got <= 0)
			return diag_error_plain(d, "object", "cannot make the object: %s",
						got ? strerror(errno) : "file cut short");
		done += (size_t)got;
	}
	return true;
}

bool rlo_encode(const struct module *m, struct arena *a, void **bytes, size_t *n, struct diag *d)
{
	struct arena scratch;
	struct writer w = { .m = m, .a = &scratch };
	FILE *f = NULL;
	int fd;
	Elf *e;
	bool ok;

	if (!m->nkernel)
		return diag_error_plain(d, m->src_name, "has no kernels");
	if (m->nkernel > RLO_KERNELS_MAX)
		return diag_error_plain(d, m->src_name, "has %u kernels; an object holds at most %d", m->nkernel,
					RLO_KERNELS_MAX);
	fd = memfd_create("regloom", MFD_CLOEXEC);
	if (fd < 0) { /* a system without memory files */
		f = tmpfile();
		if (!f)
			return diag_error_plain(d, "object", "cannot make a temporary file: %s", strerror(errno));
		fd = fileno(f);
	}
	for (uint32_t k = 0; k < m->nkernel; k++)
		for (const struct kernel *x = m->kernel[k]; x; x = x->variant)
			assert(x->form == FORM_MACHINE && (x->facts & FACT_OBJECT) == FACT_OBJECT);
	arena_init(&scratch);
	strtab_init(&w.strings, &scratch);
	strtab_init(&w.symnames, &scratch);
	put_module(&w);
	elf_version(EV_CURRENT);
	e = elf_begin(fd, ELF_C_WRITE, NULL);
	ok = w.nsec + CONTAINER_SECTIONS <= RLO_SECTIONS_MAX ||
	     diag_error_plain(d, m->src_name, "takes %u sections; ELF numbers %d", w.nsec, RLO_SECTIONS_MAX);
	ok = ok && (e ? lay_out(&w, e, d) : elf_failed(d, "begin"));
	if (e)
		elf_end(e);
	ok = ok && read_back(fd, a, bytes, n, d);
	if (f)
		fclose(f);
	else
		close(fd);
	arena_free(&scratch);
	return ok;
}

bool rlo_write(const struct module *m, const char *path, struct diag *d)
{
	struct arena a;
	struct outfile o;
	void *bytes;
	size_t n;
	bool ok;

	arena_init(&a);
	ok = rlo_encode(m, &a, &bytes, &n, d) && outfile_open(&o, path, &a, d);
	if (ok) {
		fwrite(bytes, 1, n, o.f); /* a short write is found by the commit */
		ok = outfile_commit(&o);
	}
	arena_free(&a);
	return ok;
}
