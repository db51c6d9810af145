/* How fast a large cubin is read.
 *
 * sass grow IN OUT MIB: IN with copies of its kernels, until its code has MIB MiB: sections of code and attributes,
 * symbols, register counts. sass time CUBIN [RUNS]: seconds and MiB/s of code for reading the container, decoding every
 * instruction, decoding and printing, lifting into the IR, liveness; the best of RUNS. */
#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/lift.h"
#include "analyzer/sass/sass.h"
#include "passes/pass.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- growing ---- */
struct bytes {
	uint8_t *p;
	size_t n, cap;
};

static size_t append(struct bytes *b, const void *p, size_t n)
{
	size_t at = b->n;

	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			abort();
	}
	if (n)
		memcpy(b->p + at, p, n);
	b->n += n;
	return at;
}

static size_t append_text(struct bytes *b, const char *s) { return append(b, s, strlen(s) + 1); }

struct growth {
	const uint8_t *file;
	Elf64_Ehdr head;
	struct bytes sec, shstr, str, sym, info;
	const char *names;
};

static Elf64_Shdr *section(const struct growth *g, size_t i)
{
	return (Elf64_Shdr *)(void *)(g->sec.p + i * sizeof(Elf64_Shdr));
}
static size_t sections(const struct growth *g) { return g->sec.n / sizeof(Elf64_Shdr); }

/* A copy of section X under another name; its data stays where it is in the file. */
static size_t copy_section(struct growth *g, size_t x, const char *name, uint32_t info)
{
	Elf64_Shdr s = *section(g, x);

	s.sh_name = (Elf64_Word)append_text(&g->shstr, name);
	s.sh_info = info;
	append(&g->sec, &s, sizeof s);
	return sections(g) - 1;
}

static void copy_kernel(struct growth *g, size_t text, size_t info, uint32_t symbol, unsigned copy)
{
	const char *kernel = g->names + section(g, text)->sh_name + strlen(".text.");
	Elf64_Sym s;
	char name[500];
	uint32_t index = (uint32_t)(g->sym.n / sizeof s);
	uint8_t record[12] = { 4, 0x2f, 8, 0 };
	size_t to;

	memcpy(&s, g->sym.p + symbol * sizeof s, sizeof s);
	snprintf(name, sizeof name, ".text.%s_%u", kernel, copy);
	to = copy_section(g, text, name, (section(g, text)->sh_info & 0xff000000) | index);
	s.st_name = (Elf64_Word)append_text(&g->str, name + strlen(".text."));
	s.st_shndx = (Elf64_Half)to;
	append(&g->sym, &s, sizeof s);
	snprintf(name, sizeof name, ".nv.info.%s_%u", kernel, copy);
	copy_section(g, info, name, (uint32_t)to);
	for (size_t at = 0; at + 12 <= g->info.n; at += 4) {
		uint32_t of;

		memcpy(&of, g->info.p + at + 4, 4);
		if (memcmp(g->info.p + at, record, 4) == 0 && of == symbol) {
			memcpy(record + 4, &index, 4);
			memcpy(record + 8, g->info.p + at + 8, 4);
			append(&g->info, record, sizeof record);
			break;
		}
	}
}

static size_t find_section(const struct growth *g, const char *prefix, const char *rest)
{
	for (size_t x = 0; x < g->head.e_shnum; x++) {
		const char *n = g->names + section(g, x)->sh_name;

		if (strncmp(n, prefix, strlen(prefix)) == 0 && strcmp(n + strlen(prefix), rest) == 0)
			return x;
	}
	fprintf(stderr, "sass: no %s%s\n", prefix, rest);
	exit(1);
}

static uint32_t entry_symbol(const struct growth *g, size_t text)
{
	const char *kernel = g->names + section(g, text)->sh_name + strlen(".text.");

	for (uint32_t i = 0; i < g->sym.n / sizeof(Elf64_Sym); i++) {
		Elf64_Sym s;

		memcpy(&s, g->sym.p + i * sizeof s, sizeof s);
		if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && (s.st_other & 0x10) &&
		    strcmp((char *)g->str.p + s.st_name, kernel) == 0)
			return i;
	}
	return 0;
}

static void moved(struct growth *g, struct bytes *out, size_t x, const struct bytes *data)
{
	section(g, x)->sh_offset = append(out, data->p, data->n);
	section(g, x)->sh_size = data->n;
}

static int grow(const char *in, const char *to, double mib)
{
	struct arena a;
	struct diag d;
	struct source s;
	struct growth g = { .file = NULL };
	struct bytes out = { NULL, 0, 0 };
	size_t code = 0, x, nsec, sym, str, info;
	FILE *f;

	arena_init(&a);
	diag_init(&d, stderr);
	if (!source_read(&s, in, &a, &d))
		return 1;
	g.file = (const uint8_t *)s.text;
	memcpy(&g.head, g.file, sizeof g.head);
	append(&g.sec, g.file + g.head.e_shoff, g.head.e_shnum * sizeof(Elf64_Shdr));
	nsec = g.head.e_shnum;
	x = g.head.e_shstrndx;
	append(&g.shstr, g.file + section(&g, x)->sh_offset, section(&g, x)->sh_size);
	g.names = (const char *)g.file + section(&g, x)->sh_offset;
	sym = find_section(&g, ".symtab", "");
	str = section(&g, sym)->sh_link;
	info = find_section(&g, ".nv.info", "");
	append(&g.sym, g.file + section(&g, sym)->sh_offset, section(&g, sym)->sh_size);
	append(&g.str, g.file + section(&g, str)->sh_offset, section(&g, str)->sh_size);
	append(&g.info, g.file + section(&g, info)->sh_offset, section(&g, info)->sh_size);
	for (unsigned copy = 1; (double)code < mib * 1048576 && sections(&g) < 60000; copy++)
		for (x = 0; x < nsec && (double)code < mib * 1048576; x++) {
			const char *name = g.names + section(&g, x)->sh_name;

			if (strncmp(name, ".text.", 6) != 0 || !entry_symbol(&g, x))
				continue;
			copy_kernel(&g, x, find_section(&g, ".nv.info.", name + 6), entry_symbol(&g, x), copy);
			code += section(&g, x)->sh_size;
		}
	/* Copies of code share bytes in such a file; give each its own, as a compiler would. */
	append(&out, g.file, s.len);
	for (x = nsec; x < sections(&g); x++) {
		while (out.n % 128)
			append(&out, "", 1);
		section(&g, x)->sh_offset = append(&out, g.file + section(&g, x)->sh_offset, section(&g, x)->sh_size);
	}
	while (out.n % 8)
		append(&out, "", 1);
	moved(&g, &out, sym, &g.sym);
	moved(&g, &out, str, &g.str);
	moved(&g, &out, g.head.e_shstrndx, &g.shstr);
	while (out.n % 8)
		append(&out, "", 1);
	moved(&g, &out, info, &g.info);
	while (out.n % 8)
		append(&out, "", 1);
	g.head.e_shnum = (Elf64_Half)sections(&g);
	g.head.e_shoff = append(&out, g.sec.p, g.sec.n);
	memcpy(out.p, &g.head, sizeof g.head);
	f = fopen(to, "wb");
	if (!f || fwrite(out.p, 1, out.n, f) != out.n || fclose(f) != 0)
		return 1;
	return 0;
}

/* ---- timing ---- */
struct times {
	double container, decode, print, lift, live;
	uint64_t code, insns, kernels;
};

static bool once(const char *path, struct times *t)
{
	struct arena a, text;
	struct diag d;
	struct source s;
	struct cubin *c;
	struct module *m;
	struct pass_ctx cx;
	struct sass_insn i;
	double start;
	bool ok;

	arena_init(&a);
	arena_init(&text);
	diag_init(&d, stderr);
	if (!source_read(&s, path, &a, &d))
		return false;
	start = now();
	c = cubin_read(&s, &a, &d);
	t->container = now() - start;
	if (!c)
		return false;
	for (int print = 0; print < 2; print++) {
		start = now();
		t->code = 0;
		for (uint32_t x = 0; x < c->nsection; x++) {
			const struct cubin_section *n = &c->section[x];

			if (strncmp(n->name, ".text.", 6) != 0)
				continue;
			t->code += n->size;
			for (uint64_t pc = 0; pc + 16 <= n->size; pc += 16) {
				struct sass_word w;

				memcpy(&w.lo, n->bytes + pc, 8);
				memcpy(&w.hi, n->bytes + pc + 8, 8);
				if (sass_decode(c->sm, w, &i) && print)
					sass_print(&text, c->sm, &i, &(struct sass_print){ .pc = pc });
			}
			arena_reset(&text);
		}
		*(print ? &t->print : &t->decode) = now() - start;
	}
	start = now();
	m = sass_lift(c, &a, &d);
	t->lift = now() - start;
	if (!m)
		return false;
	start = now();
	t->insns = 0;
	t->kernels = m->nkernel;
	ok = true;
	pass_ctx_init(&cx, &d);
	for (uint32_t k = 0; k < m->nkernel && ok; k++) {
		t->insns += m->kernel[k]->ninsn;
		ok = pass_need(m->kernel[k], FACT_CFG | FACT_LIVE, &cx);
	}
	t->live = now() - start;
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&text);
	arena_free(&a);
	return ok;
}

static void least(double *best, double t) { *best = *best > 0 && *best < t ? *best : t; }

static void line(const char *what, double seconds, const struct times *t)
{
	printf("%-34s %7.3f s %9.1f MiB/s %8.1f million instructions/s\n", what, seconds,
	       (double)t->code / 1048576 / seconds, 1e-6 * (double)t->code / 16 / seconds);
}

int main(int argc, char **argv)
{
	struct times best = { .code = 0 }, t;

	if (argc == 5 && strcmp(argv[1], "grow") == 0)
		return grow(argv[2], argv[3], atof(argv[4]));
	if (argc < 3 || strcmp(argv[1], "time") != 0)
		return 2;
	for (int r = 0; r < (argc > 3 ? atoi(argv[3]) : 3); r++) {
		if (!once(argv[2], &t))
			return 1;
		best.code = t.code, best.insns = t.insns, best.kernels = t.kernels;
		least(&best.container, t.container);
		least(&best.decode, t.decode);
		least(&best.print, t.print);
		least(&best.lift, t.lift);
		least(&best.live, t.live);
	}
	printf("%llu kernels, %.2f MiB of code, %llu instructions in the IR\n", (unsigned long long)best.kernels,
	       (double)best.code / 1048576, (unsigned long long)best.insns);
	line("container", best.container, &best);
	line("decoding", best.decode, &best);
	line("decoding and printing", best.print, &best);
	line("lifting (with decoding)", best.lift, &best);
	line("liveness", best.live, &best);
	line("container, lifting and liveness", best.container + best.lift + best.live, &best);
	return 0;
}
