/* conform: runs the conformance suite.
 *   conform [--quick] [--all] [--missing] [--only TEXT] [--kernels FOLDER] [--print]
 *   conform --write FOLDER [--only TEXT]
 *   conform --native SM:LEVEL FOLDER [--quick] [--all] [--only TEXT] [--kernels FOLDER] [--print]
 * --only: rows whose text contains TEXT, and kernels. --missing: lists the rows that nothing covers. --all: such rows
 * fail the run. Neither goes with --only, which leaves out what covers rows. --print: the PTX of each text.
 * --write: runs nothing, and writes rows over registers as NAME.ptx, NAME.yaml and NAME.in, for regloom-gpu verify; not
 * what differs.c has.
 * --native: as machine code that ptxas makes for SM at -O LEVEL, kept in FOLDER; what it refuses is left out and
 * counted, and so is what rightly differs (differs.c), of which --all lists what nothing has met. Exit status 0: all is
 * right. */
#include "test/conform/matrix.h"
#include "test/conform/native.h"

#include "analyzer/ir/matrix.h"
#include "analyzer/ir/texture.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/engine/engine.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128 };

static struct {
	bool quick, all, missing, print;
	const char *only, *kernels, *write;
	unsigned passed, failed, refused, differ;
} run = { .kernels = "test/conform/kernels" };

/* ---- the text of a trial ---- */
const char *trial_part(const struct trial *t, unsigned n, size_t *len)
{
	const char *s = t->text, *end = t->text + t->len;

	while (s < end) {
		const char *dot = memchr(s, '.', (size_t)(end - s));

		*len = (size_t)((dot ? dot : end) - s);
		if (n-- == 0)
			return s;
		s += *len + 1;
	}
	return NULL;
}

bool trial_has(const struct trial *t, const char *part)
{
	const char *s;
	size_t len;

	for (unsigned n = 1; (s = trial_part(t, n, &len)); n++)
		if (len == strlen(part) && memcmp(s, part, len) == 0)
			return true;
	return false;
}

enum scalar_type trial_type(const struct trial *t, unsigned n)
{
	const char *s;
	size_t len;

	for (unsigned i = 1; (s = trial_part(t, i, &len)); i++) {
		enum scalar_type type = type_find(s, len);

		if (type != TY_COUNT && n-- == 0)
			return type;
	}
	return TY_COUNT;
}

/* ---- oracles ---- */
/* Characters of the pattern that matched the beginning of the text; 0: none. */
static size_t match(const char *pattern, const char *s, const char *end)
{
	size_t n = 0, most = 0;

	for (; *pattern && *pattern != '*'; pattern++, s++, n++)
		if (s >= end || *s != *pattern)
			return 0;
	if (!*pattern)
		return s == end || *s == '.' || *s == '|' ? n : 0;
	for (; s <= end; s++) {
		size_t m = pattern[1] ? match(pattern + 1, s, end) : 1;

		most = m > most ? m : most;
	}
	return most ? n + most : 0;
}

static bool write_file(const char *folder, const char *name, const char *ending, const void *data, size_t n)
{
	char path[PATH_MAX];
	FILE *f;
	bool ok;

	snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
	f = fopen(path, "we");
	ok = f && fwrite(data, 1, n, f) == n;
	if (!f || fclose(f) != 0 || !ok)
		printf("FAIL  %s cannot be written\n", path);
	return ok;
}

static const struct oracle *oracle_of(const struct op_info *row)
{
	static const struct oracle *const table[] = {
#define X(name) oracles_##name,
		ORACLE_TABLES(X)
#undef X
	};
	const struct oracle *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		for (const struct oracle *o = table[i]; o->base; o++) {
			size_t n = match(o->base, row->text, row->text + strcspn(row->text, "|"));

			if (n > most) {
				most = n;
				best = o;
			}
		}
	return best;
}

/* ---- one variant ---- */
struct memory {
	uint64_t (*in)[4], (*out)[2];
	unsigned n;
};

static bool executes(const char *ptx, const struct memory *m, bool machine, enum op must, bool *refused)
{
	struct arena a;
	struct diag d;
	struct pass_ctx cx;
	struct source src = { "conform.ptx", ptx, strlen(ptx) };
	struct module *mod;
	struct device *dev = NULL;
	uint64_t param[2];
	bool ok = false, there = must == OP_COUNT || native_is_set();

	arena_init(&a);
	diag_init(&d, stdout);
	pass_ctx_init(&cx, &d);
	mod = native_is_set() ? native_module(ptx, &a, &d, refused) : ptx_parse(&src, &a, &d);
	if (mod) {
		struct kernel *k = mod->kernel[0];
		struct launch l = { .m = mod,
				    .k = k,
				    .grid = { m->n / THREADS, 1, 1 },
				    .block = { THREADS, 1, 1 },
				    .params = param,
				    .param_bytes = 16 };
		struct engine_options opt = { .controls = k->native != NULL };
		struct engine *e;

		for (uint32_t i = 0; i < k->ninsn; i++)
			there |= k->insn[i].op == must;
		if (!there)
			printf("      this text does not make the row %s\n", op_info[must].id);
		cx.opt.check = true;
		dev = device_new(&d);
		param[0] = device_alloc(dev, "out", m->n * sizeof *m->out);
		param[1] = device_alloc(dev, "in", m->n * sizeof *m->in);
		if (there && (!machine || native_is_set() || pass_compile(k, &cx)) &&
		    pass_need(k, FACT_CFG | FACT_PDOM | FACT_LIVE, &cx) && param[0] && param[1]) {
			memcpy(device_ptr(dev, param[1], m->n * sizeof *m->in), m->in, m->n * sizeof *m->in);
			e = engine_new(dev, &l, &opt, &d);
			ok = e && engine_run(e);
			engine_free(e);
			memcpy(m->out, device_ptr(dev, param[0], m->n * sizeof *m->out), m->n * sizeof *m->out);
		}
		device_free(dev);
	}
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return ok;
}

/* A comparison that combines with s(nsrc) and gives its complement: what becomes of the oracle's answer. */
struct combine {
	enum cmp_bool how;
	bool neg, complement;
};

static bool combined(enum cmp_bool how, bool p, bool q)
{
	switch (how) {
	case CB_AND:
		return p && q;
	case CB_OR:
		return p || q;
	case CB_XOR:
		return p != q;
	case CB_NONE:
		break;
	}
	return p;
}

static bool judge(struct trial *t, const struct oracle *o, const struct combine *c, const uint64_t got[2],
		  uint64_t pred)
{
	uint64_t p;
	bool q = pred ^ c->neg;

	if (!c->complement)
		return o->check(t, got);
	o->check(t, got);
	p = t->want[0];
	t->want[0] = combined(c->how, p, q);
	t->want[1] = combined(c->how, !p, q);
	return got[0] == t->want[0] && got[1] == t->want[1];
}

/* What run.write says, for a device. */
static bool write_trial(const struct variant *v, const struct memory *m, const char *ptx, struct arena *a)
{
	const char *name = arena_printf(a, "%05u_%.*s", run.passed, (int)strcspn(v->ptx, " "), v->ptx);
	const char *yaml =
		arena_printf(a,
			     "buffers:\n"
			     "  - {name: out, type: b64, count: %u}\n"
			     "  - {name: in, type: b64, count: %u, fill: file, file: '%s.in'}\n"
			     "launches:\n"
			     "  - {kernel: k, grid: [%u], block: [%d], args: [{buffer: out}, {buffer: in}]}\n",
			     m->n * 2, m->n * 4, name, m->n / THREADS, THREADS);

	if (native_may_differ(v->ptx) || strpbrk(name, "/'"))
		return true;
	run.passed++;
	return write_file(run.write, name, "ptx", ptx, strlen(ptx)) &&
	       write_file(run.write, name, "yaml", yaml, strlen(yaml)) &&
	       write_file(run.write, name, "in", m->in, m->n * sizeof *m->in);
}

static bool check_variant(struct trial *t, const struct oracle *o, const struct variant *v, const struct combine *c,
			  enum op must, unsigned n, bool machine)
{
	struct arena a;
	struct memory m = { calloc(n, sizeof *m.in), calloc(n, sizeof *m.out), n };
	char *ptx;
	bool ok, refused = false, differs = false;

	arena_init(&a);
	ptx = write_module(&a, t->row, v);
	if (run.print)
		printf("%s\n", ptx);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned s = 0; s < t->row->nsrc; s++)
			m.in[i][s] =
				v->fixed >> s & 1 ? v->src[s] : value_draw(t->row, t->text, t->len, s, i, n, m.in[i]);
		if (c->complement)
			m.in[i][t->row->nsrc] = i / 3 & 1;
	}
	t->v = v;
	if (run.write) {
		ok = machine || write_trial(v, &m, ptx, &a);
		run.failed += !ok;
		free(m.in);
		free(m.out);
		arena_free(&a);
		return ok;
	}
	ok = executes(ptx, &m, machine, must, &refused);
	for (unsigned i = 0; ok && i < n; i++) {
		memcpy(t->src, m.in[i], sizeof t->src);
		t->want[0] = t->want[1] = 0;
		ok = judge(t, o, c, m.out[i], t->src[t->row->nsrc & 3]);
		if (!ok && native_is_set() && native_differs(t, m.out[i]))
			ok = differs = true;
		if (!ok)
			printf("      %s: sources %llx %llx %llx %llx give %llx %llx, not %llx %llx\n", v->ptx,
			       (unsigned long long)t->src[0], (unsigned long long)t->src[1],
			       (unsigned long long)t->src[2], (unsigned long long)t->src[3],
			       (unsigned long long)m.out[i][0], (unsigned long long)m.out[i][1],
			       (unsigned long long)t->want[0], (unsigned long long)t->want[1]);
	}
	if (refused) {
		run.refused++;
		ok = true;
	} else if (ok && differs) {
		run.differ++;
	} else if (ok) {
		run.passed++;
	} else {
		run.failed++;
		printf("FAIL  %s%s\n", v->ptx, machine ? " (compiled)" : "");
	}
	free(m.in);
	free(m.out);
	arena_free(&a);
	return ok;
}

/* ---- rows ---- */
/* Inserts the modifiers before the first type. */
static void mnemonic(const struct trial *t, char *out, size_t size)
{
	size_t n = strcspn(t->text, ".");

	while (n < t->len) {
		size_t next = n + 1 + strcspn(t->text + n + 1, ".|");

		if (type_find(t->text + n + 1, next - n - 1) != TY_COUNT)
			break;
		n = next;
	}
	n = n < t->len ? n : t->len;
	snprintf(out, size, "%.*s%s%s%.*s", (int)n, t->text, t->mods & MOD_FTZ ? ".ftz" : "",
		 t->mods & MOD_SAT ? ".sat" : "", (int)(t->len - n), t->text + n);
}

static bool check_text(struct trial *t, const struct oracle *o, enum op must, bool first)
{
	static const char *const bool_text[] = { "", ".and", ".or", ".xor" };
	unsigned n;
	if (run.quick)
		n = 256;
	else
		n = first && !t->mods ? 2048 : 768;
	bool (*write)(const struct trial *, const char *, unsigned, struct variant *) =
		o->write ? o->write : write_plain,
										   ok = true;
	struct variant v = { .fixed = 0 };
	char text[160];

	if (!run.quick && first && !t->mods && strcmp(strchr(t->row->sig, '_'), "_H") == 0)
		n = 1 << 16; /* all there are */
	mnemonic(t, text, sizeof text);
	for (unsigned i = 0; ok && write(t, text, i, &v); i++) {
		static const struct combine none = { CB_NONE, false, false };

		ok = check_variant(t, o, &v, &none, must, n, false) &&
		     (i || !first || native_is_set() || check_variant(t, o, &v, &none, must, 256, true));
		memset(&v, 0, sizeof v);
	}
	for (unsigned i = 0; ok && i < 7 && t->row->flags & OPF_SETP && t->row->ndst == 1 && !o->write; i++) {
		struct combine c = { (enum cmp_bool)((i + 1) / 2), i & 1 ? false : i != 0, true };
		size_t type = strlen(text);

		while (type && text[type - 1] != '.')
			type--;
		if (c.how)
			snprintf(v.ptx, sizeof v.ptx, "%.*s%s.%s d0|d1, s0, s1, %ss2;", (int)(type - 1), text,
				 bool_text[c.how], text + type, c.neg ? "!" : "");
		else
			snprintf(v.ptx, sizeof v.ptx, "%s d0|d1, s0, s1;", text);
		ok = check_variant(t, o, &v, &c, must, 256, false);
	}
	return ok;
}

/* All alternatives with all modifiers. Goes on after a failure, with the next text. */
static void check_row(const struct op_info *row, enum op must, const struct oracle *o)
{
	for (const char *s = row->text; *s; s += strcspn(s, "|"), s += *s == '|')
		for (unsigned mods = 0; mods < 4; mods++) {
			struct trial t = { .row = row,
					   .text = s,
					   .len = strcspn(s, "|"),
					   .mods = (mods & 1 ? MOD_FTZ : 0u) | (mods & 2 ? MOD_SAT : 0u) };

			if ((mods & 1 && !(row->flags & OPF_FTZ)) || (mods & 2 && !(row->flags & OPF_SAT)))
				continue;
			check_text(&t, o, must, s == row->text);
		}
}

static bool wanted(const char *text) { return !run.only || strstr(text, run.only); }

/* Rows over registers alone. */
static bool is_plain(const struct op_info *row)
{
	struct matrix x;
	struct texture t;

	return !(row->flags & OPF_INTERNAL) && !row->mem_bytes && row->ndst &&
	       !matrix_of((enum op)(row - op_info), &x) && !texture_of((enum op)(row - op_info), &t) &&
	       strspn(row->sig, "PBHWDFG_") == strlen(row->sig);
}

static void check_forms(void)
{
	for (const struct text_form *f = forms; f->text; f++) {
		const char *low = strchr(f->sig, '_');
		struct op_info row = { .id = f->text,
				       .text = f->text,
				       .sig = f->sig,
				       .expr = "",
				       .flags = f->flags,
				       .ndst = (uint8_t)(low - f->sig),
				       .nsrc = (uint8_t)(strlen(low) - 1) };
		const struct oracle *o = oracle_of(&row);

		if (!wanted(f->text))
			continue;
		if (o)
			check_row(&row, OP_COUNT, o);
		else {
			run.failed++;
			printf("FAIL  %s has no oracle\n", f->text);
		}
	}
}

/* ---- kernels ---- */
static int is_kernel(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

static void check_kernels(bool covered[OP_COUNT])
{
	struct dirent **name;
	int n = scandir(run.kernels, &name, is_kernel, alphasort);

	if (n < 0) {
		run.failed++;
		printf("FAIL  there are no kernels in %s\n", run.kernels);
		return;
	}
	for (int i = 0; i < n; i++) {
		char *base = name[i]->d_name;

		base[strlen(base) - 5] = 0;
		if (wanted(base)) {
			bool ok = kernel_run(run.kernels, base, covered);

			if (!ok && native_is_set() && strcmp(base, "texture_grad") == 0) {
				/* ptxas takes integer coordinates beside gradients as floats, bit for bit */
				run.differ++;
			} else {
				run.passed += ok;
				run.failed += !ok;
				if (!ok)
					printf("FAIL  kernel %s\n", base);
			}
		}
		free(name[i]);
	}
	free(name);
}

/* ---- matrices ---- */
static void check_matrices(bool covered[OP_COUNT])
{
	struct matrix x;

	for (unsigned op = 0; op < OP_COUNT; op++) {
		bool ok, differs = false;

		if (!matrix_of((enum op)op, &x) || !wanted(op_info[op].text))
			continue;
		ok = matrix_check((enum op)op, run.quick, covered, &differs);
		if (!ok && native_is_set() && native_refused()) {
			run.refused++;
			continue;
		}
		run.passed += ok && !differs;
		run.differ += ok && differs;
		run.failed += !ok;
		if (!ok)
			printf("FAIL  %s\n", op_info[op].text);
	}
}

static int wrong_usage(void)
{
	fprintf(stderr, "usage: conform [--quick] [--all] [--missing] [--print] [--kernels FOLDER]\n"
			"       conform [--quick] [--print] [--kernels FOLDER] --only TEXT\n"
			"       conform --write FOLDER [--only TEXT]\n"
			"       conform --native SM:LEVEL FOLDER [--quick] [--all] [--print] [--kernels FOLDER] "
			"[--only TEXT]\n");
	return 2;
}

int main(int argc, char **argv)
{
	static bool covered[OP_COUNT];
	unsigned n = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick"))
			run.quick = true;
		else if (!strcmp(argv[i], "--all"))
			run.all = true;
		else if (!strcmp(argv[i], "--missing"))
			run.missing = true;
		else if (!strcmp(argv[i], "--write") && i + 1 < argc)
			run.write = argv[++i];
		else if (!strcmp(argv[i], "--print"))
			run.print = true;
		else if (!strcmp(argv[i], "--only") && i + 1 < argc)
			run.only = argv[++i];
		else if (!strcmp(argv[i], "--native") && i + 2 < argc && native_set(argv[i + 1], argv[i + 2]))
			i += 2;
		else if (!strcmp(argv[i], "--kernels") && i + 1 < argc)
			run.kernels = argv[++i];
		else {
			return wrong_usage();
		}
	}
	run.quick |= run.write != NULL;
	if ((run.write && (run.all || run.missing || native_is_set())) || (run.only && run.all) ||
	    ((run.only || native_is_set()) && run.missing))
		return wrong_usage();
	if (!run.write) {
		check_kernels(covered);
		check_matrices(covered);
	}
	for (unsigned op = 0; op < OP_COUNT; op++) {
		const struct op_info *row = &op_info[op];
		const struct oracle *o = is_plain(row) ? oracle_of(row) : NULL;

		if (o && wanted(row->text))
			check_row(row, (enum op)op, o);
		/* not in PTX: test/unit/t_variant.c, t_lanes.c, test/sass */
		covered[op] |= o != NULL || row->flags & OPF_INTERNAL;
	}
	check_forms();
	for (unsigned op = 0; op < OP_COUNT; op++) {
		n += covered[op];
		if (!covered[op] && run.missing)
			printf("missing: %s\n", op_info[op].text);
	}
	if (run.all && native_is_set())
		native_unmet();
	if (run.all && !native_is_set() && n < OP_COUNT) {
		run.failed++;
		printf("FAIL  rows that nothing covers (--missing lists them)\n");
	}
	if (!run.passed && !run.failed) {
		run.failed++;
		printf("FAIL  nothing has run\n");
	}
	if (run.write)
		printf("%u written to %s\n", run.passed, run.write);
	else if (native_is_set())
		printf("ptxas has no code for %u, rightly differs in %u\n", run.refused, run.differ);
	else
		printf("rows covered: %u of %u\n", n, (unsigned)OP_COUNT);
	if (!run.write)
		printf("%u passed, %u failed\n", run.passed, run.failed);
	return run.failed != 0;
}
