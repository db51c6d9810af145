/* Reading and writing lose nothing. For random kernels: the annotated PTX parses to the same kernel as its input; the same
 * input gives the same object, byte for byte; the object reads back to the same kernel, and writes to the same bytes.
 * With enough seeds, every row of the opcode table occurs, so that p_compile has executed every one.
 * Usage: p_parse [SEEDS [FIRST]] */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "test/prop/gen.h"

#include <stdlib.h>
#include <string.h>

struct bytes { void *p; size_t n; };

static struct bytes print_kernel(const struct kernel *k, struct arena *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct bytes b;

	if (!f)
		abort();
	ir_print_kernel(f, k);
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
static const char *check(uint64_t seed, unsigned drawn[OP_COUNT], struct arena *a, struct diag *d, struct pass_ctx *cx)
{
	struct gen_options o;
	struct module *first, *again, *machine, *loaded;
	struct bytes virtual_text, machine_text, object, object2;
	struct kernel *twin;
	char *text, *annotated = NULL;
	size_t n, nannotated = 0;
	FILE *f;
	bool wrote;

	gen_options_random(&o, seed);
	text = gen_kernel(seed, &o, a);
	n = strlen(text);
	if (strcmp(text, gen_kernel(seed, &o, a)) != 0)
		return "the generator is not deterministic";
	first = parse(text, n, a, d);
	machine = parse(text, n, a, d);
	again = parse(text, n, a, d);
	if (!first || !machine || !again)
		return "the kernel does not parse";
	for (uint32_t i = 0; i < first->kernel[0]->ninsn; i++)
		drawn[first->kernel[0]->insn[i].op]++;
	virtual_text = print_kernel(first->kernel[0], a);
	if (!same(virtual_text, print_kernel(again->kernel[0], a)))
		return "the same text parses differently the second time";

	if (!compile(machine, cx) || !compile(again, cx))
		return "the kernel does not compile";
	machine_text = print_kernel(machine->kernel[0], a);
	if (!rlo_encode(machine, a, &object.p, &object.n, d) || !rlo_encode(again, a, &object2.p, &object2.n, d))
		return "the object cannot be written";
	if (!same(object, object2))
		return "the same input makes another object the second time";
	loaded = rlo_read_memory(object.p, object.n, "random.rlo", a, d);
	if (!loaded || loaded->nkernel != 1)
		return "the object does not load";
	if (!same(machine_text, print_kernel(loaded->kernel[0], a)))
		return "the object loads as another kernel";
	if (!rlo_encode(loaded, a, &object2.p, &object2.n, d) || !same(object, object2))
		return "the loaded object writes to other bytes";

	if (!pass_need(first->kernel[0], FACT_ALL, cx))
		return "the parsed kernel has no facts";
	twin = machine->kernel[0];
	f = open_memstream(&annotated, &nannotated);
	if (!f)
		abort();
	wrote = ptx_write_annotated(f, first, &twin);
	if (fclose(f) != 0)
		abort();
	text = arena_strndup(a, annotated, nannotated);
	free(annotated);
	if (!wrote || nannotated <= n)
		return "the annotated PTX is not written";
	again = parse(text, nannotated, a, d);
	if (!again)
		return "the annotated PTX does not parse";
	return same(virtual_text, print_kernel(again->kernel[0], a)) ? NULL : "the annotated PTX parses to another kernel";
}

/* Rows that a kernel of the generator cannot hold: 32-bit generic addresses, a trap. */
static bool out_of_reach(enum op op)
{
	return op == OP_CVTA_U32 || op == OP_CVTA_TO_U32 || op == OP_TRAP;
}

static unsigned missing_rows(const unsigned drawn[OP_COUNT])
{
	unsigned missing = 0;

	for (unsigned op = 0; op < OP_COUNT; op++)
		if (!drawn[op] && !out_of_reach(op)) {
			printf("p_parse: no kernel holds %s\n", op_info[op].id);
			missing++;
		}
	return missing;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 300, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	unsigned failed = 0, drawn[OP_COUNT] = { 0 };

	for (uint64_t s = first; s < first + seeds && failed < 5; s++) {
		struct arena a;
		struct diag d;
		struct pass_ctx cx;
		const char *wrong;

		arena_init(&a);
		diag_init(&d, NULL);
		pass_ctx_init(&cx, &d);
		wrong = check(s, drawn, &a, &d, &cx);
		if (wrong) {
			printf("p_parse: seed %llu: %s\n%s", (unsigned long long)s, wrong, d.last ? d.last : "");
			failed++;
		}
		pass_ctx_free(&cx);
		diag_free(&d);
		arena_free(&a);
	}
	if (!failed && seeds >= 300)
		failed = missing_rows(drawn);
	printf("p_parse: %llu kernels, %u failed\n", (unsigned long long)seeds, failed);
	return failed != 0;
}
