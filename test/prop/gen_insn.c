/* Random instructions. Opcodes come from the table by signature: a row added there is drawn here unasked. What is
 * written is what the assembler accepts, and every address stays inside its place. */
#include "test/prop/gen_insn.h"

#include <string.h>

enum {
	COUNTERS = GEN_SHARED_BYTES / 16,
	NEVER_PLAIN = OPF_LOAD | OPF_STORE | OPF_ATOMIC | OPF_BRANCH | OPF_END | OPF_EXIT | OPF_BARRIER | OPF_FENCE |
		      OPF_SIDE | OPF_CROSS,
};

const uint32_t gen_awkward32[35] = {
	0,          1,          2,          3,          7,          8,          15,         16,         31,
	32,         33,         63,         64,         65,         255,        256,        0x7fff,     0x8000,
	0xffff,     0x10000,    0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000,
	0xff800000, 0x7fc00000, 0x00000001, 0x00800000, 0x4f000000, 0x4f800000, 0xcf000000, 0x42fe0000,
};
const uint64_t gen_awkward64[18] = {
	0,
	1,
	63,
	64,
	65,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffffffffffff,
	0x3ff0000000000000,
	0xbff0000000000000,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x43e0000000000000,
	0x43f0000000000000,
	0xc3e0000000000000,
};

/* ---- operands ---- */
static struct text numbered(const char *prefix, unsigned n)
{
	struct text t;

	snprintf(t.s, sizeof t.s, "%%%s%u", prefix, n);
	return t;
}

struct text gen_temp_w(struct gen *g) { return numbered("t", g->nt++); }
struct text gen_temp_d(struct gen *g) { return numbered("td", g->ntd++); }
struct text gen_temp_p(struct gen *g) { return numbered("q", g->nq++); }

/* The pool's register prefix and size for a letter of a signature. Bytes live in 16-bit registers, as in compilers'
 * PTX. */
const char *gen_pool_prefix(char letter)
{
	if (letter == 'W')
		return "r";
	if (letter == 'H' || letter == 'B')
		return "rs";
	if (letter == 'D')
		return "rd";
	if (letter == 'F')
		return "f";
	return letter == 'G' ? "fd" : "p";
}

unsigned gen_pool_size(const struct gen *g, char letter)
{
	if (letter == 'P')
		return g->o->vars < 12 ? 3 : 6;
	return letter == 'W' ? g->o->vars : (g->o->vars + 1) / 2;
}

struct text gen_var(struct gen *g, char letter)
{
	return numbered(gen_pool_prefix(letter), below(g, g->narrow && letter != 'P' ? 2 : gen_pool_size(g, letter)));
}

struct text gen_immediate(struct gen *g, char letter)
{
	bool odd = chance(g, 50);
	uint32_t w = odd ? PICK(&g->rng, gen_awkward32) : below(g, 4096) - 1024;
	uint64_t d = odd ? PICK(&g->rng, gen_awkward64) : below(g, 100000);
	double x = (double)below(g, 1000) / 8 - 40;
	union {
		float value;
		uint32_t bits;
	} single = { .value = (float)x };
	union {
		double value;
		uint64_t bits;
	} full = { .value = x };
	struct text t;

	if (letter == 'W')
		snprintf(t.s, sizeof t.s, "%d", (int)w);
	else if (letter == 'H')
		snprintf(t.s, sizeof t.s, "%d", (int16_t)w);
	else if (letter == 'D')
		snprintf(t.s, sizeof t.s, "0x%llx", (unsigned long long)d);
	else if (letter == 'F')
		snprintf(t.s, sizeof t.s, "0f%08X", odd ? w : single.bits);
	else
		snprintf(t.s, sizeof t.s, "0d%016llX", (unsigned long long)(odd ? d : full.bits));
	return t;
}

void gen_guard(struct gen *g)
{
	fputc('\t', g->f);
	if (chance(g, 15)) {
		const struct text p = gen_var(g, 'P');

		fprintf(g->f, "@%s%s ", chance(g, 50) ? "!" : "", p.s);
	}
}

/* ---- rows and their spellings ---- */
static bool starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

static bool has(const char *t, size_t n, const char *part)
{
	const char *at = strstr(t, part);

	return at && at + strlen(part) <= t + n;
}

/* One of the spellings that a row's text lists; sync: only those with .sync, where there are any. */
const char *gen_spelling(struct gen *g, enum op op, bool sync, size_t *len)
{
	const char *t = op_info[op].text, *best = NULL;
	unsigned seen = 0;

	for (;;) {
		size_t n = strcspn(t, "|");

		if ((!sync || !strchr(op_info[op].text, '|') || has(t, n, ".sync")) && below(g, ++seen) == 0) {
			best = t;
			*len = n;
		}
		if (!t[n])
			return best;
		t += n + 1;
	}
}

/* Writes mnemonic t with MODS (".ftz.sat", or "") before its types. */
static void put_mnemonic(struct gen *g, const char *t, size_t len, const char *mods)
{
	/* min.3.f32: operands tell */
	size_t base = strcspn(t, "."), at = base, three = strncmp(t + base, ".3.", 3) == 0 ? 2 : 0;

	while (at < len) {
		size_t n = strcspn(t + at + 1, ".|");

		if (n > len - at - 1)
			n = len - at - 1;
		if (type_find(t + at + 1, n) != TY_COUNT)
			break;
		at += 1 + n;
	}
	fprintf(g->f, "%.*s%.*s%s%.*s ", (int)base, t, (int)(at - base - three), t + base + three, mods,
		(int)(len - at), t + at);
}

/* Packs of bytes and 4-bit floats, which want registers of 8 bits. */
static bool left_out(const struct op_info *i)
{
	return strstr(i->sig, "_BB") != NULL || strstr(i->text, "e2m1x2") != NULL;
}

void gen_collect(struct gen *g, struct arena *a)
{
	struct rows *const all[] = { &g->plain, &g->load, &g->store, &g->atomic, &g->commuting };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		all[i]->op = new_array(a, uint16_t, OP_COUNT);
	for (unsigned op = 0; op < OP_COUNT; op++) {
		const struct op_info *i = &op_info[op];
		bool floats = strpbrk(i->sig, "FG") != NULL;
		struct rows *r = NULL;

		/* matrices too: they want all lanes, and addresses of their own */
		if (i->flags & (OPF_CROSS | OPF_INTERNAL))
			continue;
		if (i->flags & (OPF_LOAD | OPF_STORE) &&
		    (!i->mem_bytes || (i->flags & OPF_ATOMIC && !i->expr[0]) || strstr(i->text, "noftz"))) {
			/* mbarrier objects, copies, textures: they need memory of their own; sums of f16 depend on
			 * order */
			continue;
		} else if (i->flags & OPF_ATOMIC) {
			r = &g->atomic;
			if (!floats && starts(i->text, "red.") && !starts(i->text, "red.inc") &&
			    !starts(i->text, "red.dec"))
				g->commuting.op[g->commuting.n++] = (uint16_t)op;
		} else if (i->flags & OPF_LOAD) {
			r = &g->load;
		} else if (i->flags & OPF_STORE) {
			r = &g->store;
		} else if (!(i->flags & NEVER_PLAIN) && !left_out(i) && i->ndst && i->nsrc &&
			   !starts(i->text, "cvta")) {
			r = &g->plain;
		}
		if (r && (g->o->floats || !floats))
			r->op[r->n++] = (uint16_t)op;
	}
}

static enum op any_row(struct gen *g, const struct rows *r) { return r->op[below(g, r->n)]; }

/* Half of the rows are comparisons and conversions; this evens them out. A burst is mostly of integers, which feed each
 * other. */
static enum op plain_row(struct gen *g)
{
	enum op op = any_row(g, &g->plain);
	bool integers = g->narrow && chance(g, 70);

	if (integers)
		while (!starts(op_info[op].sig, "W_W") && !starts(op_info[op].sig, "D_D"))
			op = any_row(g, &g->plain);
	else if ((starts(op_info[op].text, "cvt") || starts(op_info[op].text, "setp")) && chance(g, 60))
		op = any_row(g, &g->plain);
	return op;
}

/* ---- computation ---- */
static const char *video_part(struct gen *g, unsigned lanes)
{
	static const char *const part[] = { "", ".b0", ".b2", ".b3", ".h0", ".h1" };
	static const char *const pairs[] = { "", ".h10", ".h23", ".h00" };
	static const char *const quads[] = { "", ".b7531", ".b0123", ".b6666" };

	if (lanes == 1)
		return part[below(g, 6)];
	return lanes == 2 ? pairs[below(g, 4)] : quads[below(g, 4)];
}

/* Types, modifiers and selectors of a video instruction are not in its row's text. */
static void put_video(struct gen *g, const char *base)
{
	static const char *const type[] = { ".u32", ".s32" };

	static const char *const cmp[] = { ".eq", ".ne", ".lt", ".ge" }, *const second[] = { "", ".add", ".min",
											     ".max" };
	char last = base[strlen(base) - 1];
	unsigned lanes;
	if (last == '2')
		lanes = 2;
	else
		lanes = last == '4' ? 4 : 1;
	bool set = starts(base, "vset"), shift = starts(base, "vsh"), mad = strcmp(base, "vmad") == 0,
	     sat = !set && chance(g, 30);
	const char *how;
	if (lanes > 1)
		how = sat || chance(g, 50) ? "" : ".add";
	else
		how = mad ? "" : second[below(g, 4)];
	struct text d = gen_var(g, 'W'), a = gen_var(g, 'W'), b = gen_var(g, 'W'), c = gen_var(g, 'W');

	const char *of_a = video_part(g, lanes), *of_d = "", *step = "", *types[3];

	if (lanes > 1 && chance(g, 30))
		of_d = lanes == 2 ? ".h1" : ".b20";
	if (set)
		step = cmp[below(g, 4)];
	else if (shift)
		step = chance(g, 50) ? ".wrap" : ".clamp";
	else if (mad && chance(g, 30))
		step = ".shr7";
	types[2] = shift ? ".u32" : type[below(g, 2)];
	types[1] = type[below(g, 2)];
	types[0] = set ? "" : type[below(g, 2)];
	fprintf(g->f, "%s%s%s%s%s%s%s %s%s, %s%s, ", base, types[0], types[1], types[2], sat ? ".sat" : "", step, how,
		d.s, of_d, a.s, of_a);
	fprintf(g->f, "%s%s%s%s;\n", b.s, video_part(g, lanes), lanes > 1 || mad || *how ? ", " : "",
		lanes > 1 || mad || *how ? c.s : "");
}

void gen_compute(struct gen *g)
{
	enum op op = plain_row(g);
	const struct op_info *i = &op_info[op];
	size_t len = 0;
	const char *t = gen_spelling(g, op, false, &len), *src = strchr(i->sig, '_') + 1;
	bool pack = starts(t, "mov.pack"), unpack = starts(t, "mov.unpack"), both = starts(i->sig, "PP"),
	     setp = i->flags & OPF_SETP || both;
	/* f16 and bf16 have no constants */
	bool cvt = starts(t, "cvt."), half = has(t, len, "f16"), constant = half;
	bool carry = has(t, len, ".cc.") || starts(t, "addc") || starts(t, "subc") || starts(t, "madc");
	const char *combine;
	if (setp && chance(g, 25)) {
		if (below(g, 3) == 0)
			combine = ".and";
		else
			combine = chance(g, 50) ? ".or" : ".xor";
	} else
		combine = "";
	const char *sat;
	char mods[24];

	if (carry && strchr(src, 'P')) { /* the carry that comes in is defined on every path */
		const struct text b = gen_var(g, 'W'), a = gen_var(g, 'W');

		fprintf(g->f, "\tadd.cc.u32 %s, %s, %s;\n", gen_var(g, 'W').s, a.s, b.s);
	}
	gen_guard(g);
	if (strcmp(i->sig, "W_WWWD") == 0 && t[0] == 'v') {
		put_video(g, i->text);
		return;
	}
	sat = i->flags & OPF_SAT && chance(g, 15) ? ".sat" : "";
	snprintf(mods, sizeof mods, "%s%s%s", combine, i->flags & OPF_FTZ && chance(g, 20) ? ".ftz" : "", sat);
	if (pack || unpack)
		fprintf(g->f, "mov%.*s ", (int)(len - (size_t)(strrchr(i->text, '.') - i->text)),
			strrchr(i->text, '.'));
	else
		put_mnemonic(g, t, len, mods);
	/* two destinations, which must differ */
	if (unpack || both || (setp && !half && chance(g, 25))) {
		struct text a = gen_var(g, i->sig[0]), b;

		do
			b = gen_var(g, i->sig[0]);
		while (strcmp(a.s, b.s) == 0);
		if (unpack)
			fprintf(g->f, "{%s, %s}", chance(g, 10) ? "_" : a.s, b.s);
		else
			fprintf(g->f, "%s|%s", a.s, b.s);
	} else {
		fputs(gen_var(g, i->sig[0]).s, g->f);
	}
	/* the reader adds their last one */
	for (unsigned k = 0; k < i->nsrc - (unsigned)(starts(t, "mapa") || starts(t, "getctarank")); k++) {
		bool may = src[k] != 'P' && src[k] != 'B' && !pack && !unpack && !cvt && !constant &&
			   (k > 0 ? !(k == 2 && starts(t, "slct")) : starts(t, "mov."));
		bool field = (k >= 1 && starts(t, "bfe")) || (k >= 2 && starts(t, "bfi")),
		     table = k == 3 && starts(t, "lop3");
		struct text x = gen_var(g, src[k]);

		if (carry && src[k] == 'P') /* it has no name */
			continue;
		if (table || (may && chance(g, g->narrow ? 50 : 30))) {
			constant = true;
			if (table || field) /* the assembler takes a byte there */
				snprintf(x.s, sizeof x.s, "%u", below(g, 256));
			else
				x = gen_immediate(g, src[k]);
		}
		fprintf(g->f, "%s%s%s", pack && k == 0 ? ", {" : ", ", x.s, pack && k + 1 == i->nsrc ? "}" : "");
	}
	if (*combine) {
		const struct text p = gen_var(g, 'P');

		fprintf(g->f, ", %s%s", chance(g, 30) ? "!" : "", p.s);
	}
	fputs(";\n", g->f);
}

/* ---- memory ---- */
/* A random multiple of 16 up to MAX (a mask) as a new 64-bit temporary added to BASE, in one of the usual idioms. */
static struct text indexed(struct gen *g, const char *base, unsigned mask)
{
	struct text t = gen_temp_w(g), d = gen_temp_d(g), sum = gen_temp_d(g), x = gen_var(g, 'W');

	if (chance(g, 50)) {
		fprintf(g->f, "\tand.b32 %s, %s, %u;\n", t.s, x.s, mask);
		if (chance(g, 50))
			fprintf(g->f, "\tcvt.u64.u32 %s, %s;\n\tadd.s64 %s, %s, %s;\n", d.s, t.s, sum.s, base, d.s);
		else
			fprintf(g->f, "\tmul.wide.u32 %s, %s, 1;\n\tadd.s64 %s, %s, %s;\n", d.s, t.s, sum.s, d.s, base);
		return sum;
	}
	fprintf(g->f, "\tand.b32 %s, %s, %u;\n", t.s, x.s, mask / 16);
	switch (below(g, 3)) {
	case 0:
		fprintf(g->f, "\tmul.wide.u32 %s, %s, 16;\n\tadd.s64 %s, %s, %s;\n", d.s, t.s, sum.s, base, d.s);
		break;
	case 1:
		fprintf(g->f, "\tmad.wide.s32 %s, %s, 16, %s;\n", sum.s, t.s, base);
		break;
	default:
		fprintf(g->f, "\tcvt.u64.u32 %s, %s;\n\tshl.b64 %s, %s, 4;\n\tadd.s64 %s, %s, %s;\n", d.s, t.s, d.s,
			d.s, sum.s, base, d.s);
		break;
	}
	return sum;
}

static struct place in_place(struct gen *g)
{
	struct place p = { chance(g, 80) ? ".global" : "", { "%in" }, REACH };

	if (!chance(g, 20))
		p.base = indexed(g, "%in", 4080);
	return p;
}

struct place gen_own_place(struct gen *g)
{
	struct place p = { chance(g, 80) ? ".global" : "", { "%own" }, REACH };

	if (!chance(g, 50))
		p.base = indexed(g, "%own", 112);
	return p;
}

static struct place local_place(struct gen *g)
{
	struct place p = { ".local", { "stack" }, REACH };
	struct text d;

	if (chance(g, 30))
		return p;
	d = gen_temp_d(g);
	fprintf(g->f, "\tmov.u64 %s, stack;\n", d.s);
	if (chance(g, 30)) {
		p.base = gen_temp_d(g);
		fprintf(g->f, "\tcvta.local.u64 %s, %s;\n", p.base.s, d.s);
		p.space = "";
		d = p.base;
	}
	p.base = chance(g, 60) ? indexed(g, d.s, 48) : d;
	return p;
}

/* The shared slot of thread THREAD, a 32-bit register. */
struct place gen_slot_place(struct gen *g, const char *thread)
{
	struct place p = { ".shared", { "" }, SHARED_SLOT };

	if (chance(g, 50)) {
		struct text base = gen_temp_w(g), t = gen_temp_w(g);

		p.base = gen_temp_w(g);
		fprintf(g->f, "\tmov.u32 %s, exchange;\n\tshl.b32 %s, %s, 4;\n\tadd.s32 %s, %s, %s;\n", base.s, t.s,
			thread, p.base.s, base.s, t.s);
	} else {
		struct text base = gen_temp_d(g), d = gen_temp_d(g);

		p.base = gen_temp_d(g);
		fprintf(g->f, "\tmov.u64 %s, exchange;\n\tmul.wide.u32 %s, %s, 16;\n\tadd.s64 %s, %s, %s;\n", base.s,
			d.s, thread, p.base.s, base.s, d.s);
		if (chance(g, 30)) {
			d = gen_temp_d(g);
			fprintf(g->f, "\tcvta.shared.u64 %s, %s;\n", d.s, p.base.s);
			p.base = d;
			p.space = "";
		}
	}
	return p;
}

static struct place table_place(struct gen *g)
{
	bool constant = chance(g, 50);
	const char *name = constant ? "table_c" : "table_g";
	struct place p = { constant ? ".const" : ".global", { "" }, 16 };
	struct text d = gen_temp_d(g);

	if (chance(g, 30)) {
		strcpy(p.base.s, name);
		p.reach = 64;
	} else if (!constant && chance(g, 30)) {
		fprintf(g->f, "\tld.global.u64 %s, [pointers%s];\n", d.s, chance(g, 50) ? "+8" : "");
		p.base = indexed(g, d.s, 48);
		p.space = "";
	} else {
		fprintf(g->f, "\tmov.u64 %s, %s;\n", d.s, name);
		p.base = indexed(g, d.s, 48);
	}
	return p;
}

static struct place writable_place(struct gen *g)
{
	struct text t;

	switch (below(g, 5)) {
	case 0:
		t = gen_temp_w(g);
		fprintf(g->f, "\tmov.u32 %s, %%tid.x;\n", t.s);
		return gen_slot_place(g, t.s);
	case 1:
		return local_place(g);
	default:
		return gen_own_place(g);
	}
}

static void put_address(struct gen *g, const struct place *p, unsigned bytes)
{
	unsigned off = bytes * below(g, p->reach / bytes);

	if (off)
		fprintf(g->f, "[%s+%u]", p->base.s, off);
	else
		fprintf(g->f, "[%s]", p->base.s);
}

/* The data operand of a load or store: a register, or a vector of different ones. A byte may use a wider register. */
static void put_data(struct gen *g, char letter, unsigned vec, bool load)
{
	unsigned n, first;

	if (letter == 'B' && chance(g, 30))
		letter = 'W';
	n = gen_pool_size(g, letter);
	first = below(g, n);
	if (vec == 1) {
		fputs(numbered(gen_pool_prefix(letter), first).s, g->f);
		return;
	}
	fputc('{', g->f);
	for (unsigned i = 0; i < vec; i++)
		fprintf(g->f, "%s%s", i ? ", " : "",
			load && i && chance(g, 5) ? "_" : numbered(gen_pool_prefix(letter), (first + i) % n).s);
	fputc('}', g->f);
}

void gen_access(struct gen *g, const struct place *p, bool store)
{
	enum op op = any_row(g, store ? &g->store : &g->load);
	size_t len = 0;
	const char *t = gen_spelling(g, op, false, &len), *const cop_load[] = { ".ca", ".cg", ".cs", ".cv" },
		   *const cop_store[] = { ".wb", ".cg", ".cs", ".wt" };
	char letter = store ? op_info[op].sig[3] : op_info[op].sig[0];
	bool global = strcmp(p->space, ".global") == 0,
	     read_only = global && !store && (starts(p->base.s, "%in") && !p->base.s[3]);
	unsigned bytes = op_info[op].mem_bytes, vec = 1;

	if (!chance(g, 70))
		vec = chance(g, 50) ? 2 : 4;

	while (vec * bytes > 16 || vec > gen_pool_size(g, letter))
		vec /= 2;
	gen_guard(g);
	fprintf(g->f, "%.2s", t);
	if (strcmp(p->space, ".const") != 0 && strcmp(p->space, ".local") != 0 && chance(g, 5))
		fprintf(g->f, ".volatile%s", p->space);
	else if (read_only && chance(g, 30))
		fprintf(g->f, "%s.nc", p->space);
	else {
		fputs(p->space, g->f);
		if (global && chance(g, 20))
			fputs(store ? cop_store[below(g, 4)] : cop_load[below(g, 4)], g->f);
	}
	if (vec > 1)
		fprintf(g->f, ".v%u", vec);
	fprintf(g->f, "%.*s ", (int)(len - 2), t + 2);
	if (!store) {
		put_data(g, letter, vec, true);
		fputs(", ", g->f);
	}
	put_address(g, p, vec * bytes);
	if (store) {
		fputs(", ", g->f);
		put_data(g, letter, vec, false);
	}
	fputs(";\n", g->f);
}

static void put_atomic(struct gen *g, enum op op, const char *space, const char *address, const char *dst)
{
	const struct op_info *i = &op_info[op];
	size_t len = 0;
	const char *t = gen_spelling(g, op, false, &len), *src = strchr(i->sig, '_') + 2;
	size_t base = strcspn(t, ".");

	if (starts(t, "atom.exch") || starts(t, "atom.cas")) /* the assembler wants .b32 and .b64 there */
		t = op_mnemonic(op, &len);
	gen_guard(g);
	fprintf(g->f, "%.*s%s%.*s ", (int)base, t, space, (int)(len - base), t + base);
	if (i->ndst)
		fprintf(g->f, "%s, ", dst);
	fprintf(g->f, "[%s]", address);
	for (; *src; src++)
		fprintf(g->f, ", %s",
			chance(g, 20) && *src != 'F' && *src != 'G' ? gen_immediate(g, *src).s : gen_var(g, *src).s);
	fputs(";\n", g->f);
}

/* An atomic on memory of this thread alone: the old value is the same in every order of warps. */
static void own_atomic(struct gen *g)
{
	enum op op = any_row(g, &g->atomic);
	struct place p = gen_own_place(g);
	char address[80];

	if (chance(g, 30)) {
		struct text t = gen_temp_w(g);

		fprintf(g->f, "\tmov.u32 %s, %%tid.x;\n", t.s);
		p = gen_slot_place(g, t.s);
	}
	snprintf(address, sizeof address, "%s%s", p.base.s, chance(g, 50) ? "+8" : "");
	put_atomic(g, op, p.space, address, op_info[op].ndst ? gen_var(g, op_info[op].sig[0]).s : "");
}

/* An atomic on a counter of all threads. Each counter belongs to one operation, which commutes with itself; the old
 * value depends on the order and goes nowhere. */
static void common_atomic(struct gen *g)
{
	unsigned n = below(g, COUNTERS);
	enum op op = g->commuting.op[n % g->commuting.n];
	char address[80];

	snprintf(address, sizeof address, "%%out+%u", n * 16);
	put_atomic(g, op, chance(g, 80) ? ".global" : "", address, "");
}

void gen_memory(struct gen *g)
{
	struct place p;

	switch (below(g, 8)) {
	case 0:
	case 1:
		p = in_place(g);
		gen_access(g, &p, false);
		break;
	case 2:
		p = table_place(g);
		gen_access(g, &p, false);
		break;
	case 3:
		own_atomic(g);
		break;
	case 4:
		common_atomic(g);
		break;
	default:
		p = writable_place(g);
		gen_access(g, &p, chance(g, 50));
		if (chance(g, 5)) {
			if (chance(g, 50))
				fputs("\tmembar.gl;\n", g->f);
			else
				fputs(chance(g, 50) ? "\tfence.acq_rel.gpu;\n" : "\tnanosleep.u32 20;\n", g->f);
		}
		break;
	}
}

void gen_burst(struct gen *g)
{
	static const char letter[] = "WDHFG", *const move[] = { "mov.u32", "mov.b64", "mov.b16", "mov.f32", "mov.f64" };
	unsigned n = 3 + below(g, 6), mine = below(g, 2);
	struct place p;

	g->narrow = true;
	if (chance(g, 50)) { /* constants, and computation with them */
		for (unsigned i = 0; i < 2; i++) {
			struct text x;
			unsigned c;

			if (chance(g, 70))
				c = below(g, 2);
			else
				c = below(g, g->o->floats ? 5 : 3);
			x = gen_immediate(g, letter[c]);
			fprintf(g->f, "\t%s %s, %s;\n", move[c], gen_var(g, letter[c]).s, x.s);
		}
		while (n--)
			gen_compute(g);
	} else { /* loads and stores of all widths that overlap */
		p = mine ? gen_own_place(g) : local_place(g);
		p.reach = 16;
		while (n--) {
			struct place other = p;

			if (chance(g, 25)) {
				other = mine ? gen_own_place(g) : local_place(g);
				other.reach = 16;
			}
			gen_access(g, &other, chance(g, 50));
		}
	}
	g->narrow = false;
}
