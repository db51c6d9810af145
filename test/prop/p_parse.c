/* Reading and writing lose nothing. For random kernels: the annotated PTX parses to the same kernel as its input; the
 * same input gives the same object, byte for byte; the object reads back to the same kernel, and writes to the same
 * bytes. The same holds for the kernels of the conformance suite, which have the rows that random kernels cannot use:
 * barriers, asynchronous copies, calls. With enough seeds every row occurs, but the matrices that conform makes of each
 * row's text. Usage: p_parse [SEEDS [FIRST]], in the repository's root */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "test/prop/gen.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	void *p;
	size_t n;
};

static struct bytes print_kernels(const struct module *m, struct arena *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct bytes b;

	if (!f)
		abort();
	for (uint32_t k = 0; k < m->nkernel; k++)
		ir_print_kernel(f, m->kernel[k]);
	if (fclose(f) != 0)
		abort();
	b = (struct bytes){ arena_strndup(a, text, n), n };
	free(text);
	return b;
}

static bool same(struct bytes x, struct bytes y) { return x.n == y.n && memcmp(x.p, y.p, x.n) == 0; }

static struct module *parse(const char *text, size_t len, struct arena *a, struct diag *d)
{
	struct source *src = new(a, struct source);

	*src = (struct source){ "random.ptx", text, len };
	return ptx_parse(src, a, d);
}

static bool compile(struct module *m, struct pass_ctx *cx)
{
	for (uint32_t i = 0; i < m->nkernel; i++)
		if (!pass_compile(m->kernel[i], cx) || !pass_need(m->kernel[i], FACT_ALL, cx))
			return false;
	return true;
}

/* What does not hold, or NULL. */
static const char *check(const char *text, unsigned drawn[OP_COUNT], struct arena *a, struct diag *d,
			 struct pass_ctx *cx)
{
	struct module *first, *again, *machine, *loaded;
	struct bytes virtual_text, machine_text, object, object2;
	char *annotated = NULL;
	size_t n = strlen(text), nannotated = 0;
	FILE *f;
	bool wrote;

	first = parse(text, n, a, d);
	machine = parse(text, n, a, d);
	again = parse(text, n, a, d);
	if (!first || !machine || !again)
		return "the kernel does not parse";
	for (uint32_t k = 0; k < first->nkernel; k++)
		for (uint32_t i = 0; i < first->kernel[k]->ninsn; i++)
			drawn[first->kernel[k]->insn[i].op]++;
	virtual_text = print_kernels(first, a);
	if (!same(virtual_text, print_kernels(again, a)))
		return "the same text parses differently the second time";

	if (!compile(machine, cx) || !compile(again, cx))
		return "the kernel does not compile";
	machine_text = print_kernels(machine, a);
	if (!rlo_encode(machine, a, &object.p, &object.n, d) || !rlo_encode(again, a, &object2.p, &object2.n, d))
		return "the object cannot be written";
	if (!same(object, object2))
		return "the same input makes another object the second time";
	loaded = rlo_read_memory(object.p, object.n, "random.rlo", a, d);
	if (!loaded || loaded->nkernel != machine->nkernel)
		return "the object does not load";
	if (!same(machine_text, print_kernels(loaded, a)))
		return "the object loads as another kernel";
	if (!rlo_encode(loaded, a, &object2.p, &object2.n, d) || !same(object, object2))
		return "the loaded object writes to other bytes";

	for (uint32_t k = 0; k < machine->nkernel; k++)
		for (uint32_t i = 0; i < machine->kernel[k]->ninsn; i++)
			drawn[machine->kernel[k]->insn[i].op]++;
	for (uint32_t k = 0; k < first->nkernel; k++)
		if (!pass_need(first->kernel[k], FACT_ALL, cx))
			return "the parsed kernel has no facts";
	f = open_memstream(&annotated, &nannotated);
	if (!f)
		abort();
	wrote = ptx_write_annotated(f, first, machine->kernel);
	if (fclose(f) != 0)
		abort();
	text = arena_strndup(a, annotated, nannotated);
	free(annotated);
	if (!wrote || nannotated <= n)
		return "the annotated PTX is not written";
	again = parse(text, nannotated, a, d);
	if (!again)
		return "the annotated PTX does not parse";
	return same(virtual_text, print_kernels(again, a)) ? NULL : "the annotated PTX parses to another kernel";
}

static const char *check_seed(uint64_t seed, unsigned drawn[OP_COUNT], struct arena *a, struct diag *d,
			      struct pass_ctx *cx)
{
	struct gen_options o;
	const char *text;

	gen_options_random(&o, seed);
	text = gen_kernel(seed, &o, a);
	return strcmp(text, gen_kernel(seed, &o, a)) == 0 ? check(text, drawn, a, d, cx)
							  : "the generator is not deterministic";
}

static const char *check_file(const char *name, unsigned drawn[OP_COUNT], struct arena *a, struct diag *d,
			      struct pass_ctx *cx)
{
	struct source src;

	return source_read(&src, name, a, d) ? check(src.text, drawn, a, d, cx) : "the file cannot be read";
}

/* Seed s, or the file if there is one. */
static unsigned run(uint64_t s, const char *file, unsigned drawn[OP_COUNT])
{
	struct arena a;
	struct diag d;
	struct pass_ctx cx;
	const char *wrong;

	arena_init(&a);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	wrong = file ? check_file(file, drawn, &a, &d, &cx) : check_seed(s, drawn, &a, &d, &cx);
	if (wrong && file)
		printf("p_parse: %s: %s\n%s", file, wrong, d.last ? d.last : "");
	else if (wrong)
		printf("p_parse: seed %llu: %s\n%s", (unsigned long long)s, wrong, d.last ? d.last : "");
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return wrong != NULL;
}

static unsigned missing_rows(const unsigned drawn[OP_COUNT])
{
	unsigned missing = 0;

	for (unsigned op = 0; op < OP_COUNT; op++)
		if (!drawn[op] && !(op_info[op].flags & OPF_INTERNAL) && op_info[op].fu != FU_TENSOR &&
		    !strstr(op_info[op].text, "matrix") && strncmp(op_info[op].text, "wmma", 4) != 0) {
			printf("p_parse: no kernel holds %s\n", op_info[op].id);
			missing++;
		}
	return missing;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 300, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	unsigned failed = 0, drawn[OP_COUNT] = { 0 };
	glob_t files;

	for (uint64_t s = first; s < first + seeds && failed < 5; s++)
		failed += run(s, NULL, drawn);
	if (glob("test/conform/kernels/*.ptx", 0, NULL, &files) != 0)
		return 2;
	for (size_t i = 0; i < files.gl_pathc; i++)
		failed += run(0, files.gl_pathv[i], drawn);
	if (!failed && seeds >= 300)
		failed = missing_rows(drawn);
	printf("p_parse: %llu kernels and %zu files, %u failed\n", (unsigned long long)seeds, files.gl_pathc, failed);
	globfree(&files);
	return failed != 0;
}
