/* Random kernels as PTX and as the machine code that ptxas makes of them, on the same launch: both leave the same
 * memory, bit for bit. Each is assembled for a target and level of optimisation that its seed draws, or with EVERY=1
 * for all. A line that ptxas has no code for on that target is left out of both, and so is one whose result PTX does
 * not specify. Of a kernel that differs, as few lines as still differ are written.
 *
 *   native_random FOLDER COUNT [SEED]       FOLDER: for files of ptxas and kernels that differ
 *   native_random FOLDER --write SM COUNT [SEED]    the kernels, as far as SM has them, for regloom-gpu verify
 *   native_random FOLDER --file PTX SEED SM LEVEL
 */
#include "analyzer/base/rng.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/ptx/ptx.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"
#include "test/prop/launch.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *const target[] = { "75", "86", "90a", "120a" };
static const unsigned level[] = { 0, 1, 3 };
enum { TARGETS = sizeof target / sizeof *target, LEVELS = sizeof level / sizeof *level, FAILURES_MAX = 5 };

/* What such a line writes to a variable of the kernel is not specified, or ptxas gets it wrong: the reasons are in
 * test/conform/differs.c, or here. */
static const char *const unspecified[] = {
	"rem.*",
	"bfe.*",
	"bfi.*",
	"fns.b32 *",
	"min.f64 *",
	"max.f64 *",
	"cvt*.f32.bf16 *",
	"cvt.f32.f32 *",
	"cvt.f64.f64 *",
	"cvt.rna*.tf32.f32 *",
	"cvt.r[mp].ftz*.f16.f32 *",
	"isspacep.*",
	"mapa.*",
	"getctarank.*",
	"v[a-z]*[24].*",
	"vadd.*",
	"vsub.*",
	"vabsdiff.*",
	"vmin.*",
	"vmax.*",
	"vset.*",
	"vshl.*",
	"vshr.*",
	"vmad.*",
	/* which NaN */
	"abs*.f*",
	"abs*.bf*",
	"neg*.f*",
	"neg*.bf*",
	"add*.f64 *",
	"sub*.f64 *",
	"mul*.f64 *",
	"div*.f64 *",
	"fma*.f64 *",
	"mad*.f64 *",
	/* a bound, no value */
	"div.full*",
	"*.approx*",
	/* which lanes are together, what an mbarrier object holds */
	"activemask.b32 *",
	"mbarrier.*",
	/* where carry and summand are known and come to nothing, the product is dropped */
	"madc.hi*.[us]64 *",
	/* an immediate of more than 16 bits is cut */
	"sh[lr].?16 %*, %*, [-0-9]*",
	/* of a half that was computed it is that number */
	"cvt.r?i.*.bf16 *",
	/* of a half that was computed not the lower byte, but its number as an integer */
	"st*.[usb]8 *",
	/* where the result moves to its register in another step, the lower half of that alone: F2I.S8 and PRMT
	 * 0x7610 */
	"cvt*.[su]8.f*",
	/* a width in a constant: its place is encoded as its bank */
	"szext.* %*, %*, %*",
	/* in a loop the predicate that is read and written is taken to be what it was before */
	"setp.*f16* %*, *, *, *",
	/* of minus a number, or its absolute value, the number is compared with minus the bounds: wrong of the lowest
	 * one, and of cnot.b32, minus whose result is not compared as a signed number */
	"cvt.sat.[su]*.[su]*",
	/* of a pair that is known, the lower half twice */
	"m[ai][nx].*f16x2 *",
};
/* ptxas drops its guard; or takes the predicate that it has without the guard to be what it was before the loop. */
static const char *const unguarded[] = { "testp.*", "setp.*f16*" };

struct line {
	const char *text;
	bool out, fixed; /* left out; not to be */
};
struct subject {
	const char *folder;
	uint64_t seed;
	struct gen_options o;
	const char *sm;
	unsigned level;
	struct line *line;
	unsigned n;
	struct arena *a;
	struct diag *d;
	char how[400]; /* in which they differ */
};
enum verdict { SAME, DIFFERS, NO_CODE, NO_PTX, REFUSED };

/* What a row REFUSED of semantics.def says whose mnemonic ptxas uses here, of an instruction nobody knows. */
static const char refused[] = "cannot be executed: it is not executed yet";

static const char *verb(const char *line)
{
	line += strspn(line, "\t ");
	if (*line == '@')
		line += strcspn(line, " ") + strspn(line + strcspn(line, " "), " ");
	return line;
}

/* Of a number and itself ptxas makes a move, which keeps a NaN that is not the one that PTX gives. */
static bool is_least_of_one(const char *v)
{
	const char *first = strstr(v, ", "), *second = first ? strstr(first + 2, ", ") : NULL;
	const size_t n = second ? (size_t)(second - first) : 0;

	return fnmatch("m[ai][nx].*f*", v, 0) == 0 && n && strncmp(first, second, n) == 0 && second[n] == ';';
}

/* barriers: lanes that go to the end, and do not leave, are not at the next one. */
static bool is_specified(const char *line, bool barriers)
{
	if (barriers && strcmp(verb(line), "bra STORE;") == 0)
		return false;
	for (size_t i = 0; verb(line)[-1] == ' ' && i < sizeof unguarded / sizeof *unguarded; i++)
		if (fnmatch(unguarded[i], verb(line), 0) == 0)
			return false;
	if (is_least_of_one(verb(line)))
		return false;
	for (size_t i = 0; i < sizeof unspecified / sizeof *unspecified; i++)
		if (fnmatch(unspecified[i], verb(line), 0) == 0)
			return false;
	return true;
}

/* Without it something that others use would have no value, or no place, or another value by the order of warps. */
static bool is_needed(const char *line)
{
	const char *v = verb(line), *to = v + strcspn(v, " ");

	return line[0] != '\t' || strchr("{}.", *v) || strncmp(v, "bar", 3) == 0 || fnmatch(" %[tqo]*", to, 0) == 0 ||
	       strstr(line, "inner") || strstr(line, "branchtargets");
}

/* The line of a label, whose name ends at a semicolon or the end; x->n: there is none. */
static unsigned place(const struct subject *x, const char *label)
{
	const size_t n = strcspn(label, ";");

	for (unsigned i = 0; i < x->n; i++)
		if (strncmp(x->line[i].text, label, n) == 0 && strcmp(x->line[i].text + n, ":") == 0)
			return i;
	return x->n;
}

/* Where a line branches to; NULL: it does not branch. */
static const char *target_of(const char *line)
{
	const char *v = verb(line);

	return strncmp(v, "bra ", 4) == 0 || strncmp(v, "bra.", 4) == 0 ? v + strcspn(v, " ") + 1 : NULL;
}

/* Is a predicate, named where p points, among what a line writes? */
static bool writes(const char *line, const char *p)
{
	const char *v = verb(line), *to = v + strcspn(v, " ");
	const size_t n = strcspn(p, " ");

	for (const char *end = to + strcspn(to, ","); to < end; to++)
		if (strncmp(to, p, n) == 0 && strchr(" |,", to[n]))
			return true;
	return false;
}

/* The first line that lanes reach again whichever way they went at the branch of line i: both sides are behind it. */
static unsigned sides_end(const struct subject *x, unsigned i)
{
	const unsigned other = place(x, target_of(x->line[i].text));
	const char *last = other < x->n ? x->line[other - 1].text : "";

	if (strcmp(verb(last), "ret;") == 0)
		return x->n; /* only one side goes on */
	return target_of(last) ? place(x, target_of(last)) : other;
}

/* Lanes that are in a loop by a branch on a predicate, which the loop writes: where another conditional branch or a
 * guarded line stands before that one, ptxas -O1 to -O3 takes the predicate to be in all rounds what it was in the
 * first one, so that guards and selections by it are lost. Lines of the loop that write it are left out. */
static void leave_out_entered(struct subject *x)
{
	for (unsigned i = 0; i < x->n; i++) {
		const char *p = strstr(x->line[i].text, "%p");
		unsigned end;

		if (!p || strncmp(x->line[i].text, "\t@", 2) != 0 || !target_of(x->line[i].text))
			continue;
		end = sides_end(x, i);
		for (unsigned m = i + 1; m < end; m++) {
			const char *to = target_of(x->line[m].text);
			unsigned head = to ? place(x, to) : x->n;

			for (unsigned k = head > i ? head : m; k < m; k++)
				if (!x->line[k].fixed && writes(x->line[k].text, p))
					x->line[k].out = true;
		}
	}
}

static void split(struct subject *x, char *text)
{
	unsigned cap = 0;
	bool body = false, first = false;

	x->n = 0;
	for (char *next; *text; text = next) {
		size_t n = strcspn(text, "\n");
		struct line l = { .text = text };

		next = text + n + (text[n] != 0);
		text[n] = 0;
		body = (body || first) && strncmp(text, "STORE:", 6) != 0;
		first = strstr(text, "st.local.v2.u64 [stack+112]") != NULL; /* the last line of the start */
		l.fixed = !body || is_needed(text);
		l.out = !l.fixed && !is_specified(text, x->o.barriers);
		arena_grow(x->a, x->line, x->n, cap);
		x->line[x->n++] = l;
	}
	leave_out_entered(x);
}

/* sm: the target that the text is for; NULL: as it was made. Lines that are left out are empty. */
static char *join(const struct subject *x, const char *sm)
{
	char *text = NULL, *copy;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		abort();
	for (unsigned i = 0; i < x->n; i++)
		if (sm && strncmp(x->line[i].text, ".target", 7) == 0)
			fprintf(f, ".target sm_%s\n", sm);
		else
			fprintf(f, "%s\n", x->line[i].out ? "" : x->line[i].text);
	if (fclose(f) != 0)
		abort();
	copy = arena_strndup(x->a, text, n);
	free(text);
	return copy;
}

static bool write_bytes(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(data, 1, n, f) == n;

	return f && fclose(f) == 0 && ok;
}

static bool write_text(const char *path, const char *text) { return write_bytes(path, text, strlen(text)); }

/* Those that ptxas names are left out; false: it names none. */
static bool leave_out(struct subject *x, FILE *said)
{
	char text[1000];
	bool any = false;

	while (fgets(text, sizeof text, said)) {
		const char *at = strstr(text, ", line ");
		unsigned long n = at && strstr(at, "error") ? strtoul(at + 7, NULL, 10) : 0;

		if (!n || n > x->n || x->line[n - 1].out || x->line[n - 1].fixed)
			continue;
		x->line[n - 1].out = any = true;
	}
	return any;
}

/* fixed: ptxas must take all lines that there are. NULL: it does not. */
static const char *assemble(struct subject *x, bool fixed)
{
	const char *ptx = arena_printf(x->a, "%s/kernel.ptx", x->folder),
		   *cubin = arena_printf(x->a, "%s/kernel.cubin", x->folder);
	/* a product and a sum without a rounding are one instruction to ptxas, unless it is told otherwise */
	const char *command = arena_printf(x->a, "%s -fmad=false -arch=sm_%s -O%u '%s' -o '%s' 2>&1",
					   getenv("PTXAS") ? getenv("PTXAS") : "ptxas", x->sm, x->level, ptx, cubin);
	bool again;

	do {
		FILE *said = write_text(ptx, join(x, x->sm)) ? popen(command, "re") : NULL;

		if (!said)
			abort();
		again = leave_out(x, said);
		if (pclose(said) == 0)
			return cubin;
	} while (again && !fixed);
	return NULL;
}

/* NULL with a diagnostic. */
static struct module *compiled(const char *text, struct arena *a, struct diag *d)
{
	struct source *src = new(a, struct source);
	struct module *m;
	struct pass_ctx cx;

	*src = (struct source){ "random.ptx", text, strlen(text) };
	m = ptx_parse(src, a, d);

	pass_ctx_init(&cx, d);
	if (m && !pass_compile(m->kernel[0], &cx))
		m = NULL;
	pass_ctx_free(&cx);
	return m;
}

static bool run(struct subject *x, const struct module *m, unsigned char **out)
{
	static const struct engine_options eo = { .max_insns = GEN_INSNS_MAX };

	return m && m->nkernel == 1 && gen_execute(m, NULL, x->seed, &x->o, &eo, x->a, out, NULL, x->d);
}

static enum verdict compare(struct subject *x, bool fixed)
{
	const char *path = assemble(x, fixed);
	struct source *code = new(x->a, struct source);
	unsigned char *want, *got;
	struct cubin *c;

	if (!path)
		return NO_CODE;
	if (!run(x, compiled(join(x, NULL), x->a, x->d), &want))
		return NO_PTX;
	c = source_read(code, path, x->a, x->d) ? cubin_read(code, x->a, x->d) : NULL;
	if (!run(x, c ? sass_lift(c, x->a, x->d) : NULL, &got)) {
		snprintf(x->how, sizeof x->how, "machine code: %s", x->d->last ? x->d->last : "nothing was executed");
		return strstr(x->how, refused) ? REFUSED : DIFFERS;
	}
	for (size_t i = 0; i < gen_out_bytes(&x->o); i++)
		if (want[i] != got[i]) {
			const size_t at = i & ~(size_t)3, own = at - GEN_SHARED_BYTES;
			uint32_t is, should;

			memcpy(&is, got + at, sizeof is);
			memcpy(&should, want + at, sizeof should);
			if (at < GEN_SHARED_BYTES)
				snprintf(x->how, sizeof x->how, "byte %zu of the counters: 0x%08x, not 0x%08x", at, is,
					 should);
			else
				snprintf(x->how, sizeof x->how, "byte %zu of thread %zu: 0x%08x, not 0x%08x",
					 own % GEN_SLOT_BYTES, own / GEN_SLOT_BYTES, is, should);
			return DIFFERS;
		}
	return SAME;
}

/* Does it still differ without n lines from i on? */
static bool without(struct subject *x, unsigned i, unsigned n)
{
	struct line *kept = new_array(x->a, struct line, x->n);
	struct arena *whole = x->a, scratch;
	struct diag *said = x->d, quiet;
	char how[sizeof x->how];
	enum verdict v;
	bool any = false;

	memcpy(kept, x->line, x->n * sizeof *kept);
	memcpy(how, x->how, sizeof how);
	for (unsigned k = i; k < i + n && k < x->n; k++)
		if (!x->line[k].fixed && !x->line[k].out)
			any = x->line[k].out = true;
	if (!any)
		return false;
	arena_init(&scratch);
	diag_init(&quiet, NULL);
	x->a = &scratch;
	x->d = &quiet;
	v = compare(x, true);
	x->a = whole;
	x->d = said;
	diag_free(&quiet);
	arena_free(&scratch);
	if (v == DIFFERS)
		return true;
	memcpy(x->line, kept, x->n * sizeof *kept);
	memcpy(x->how, how, sizeof how);
	return false;
}

static void minimize(struct subject *x)
{
	for (unsigned n = x->n / 2; n; n /= 2)
		for (unsigned i = 0; i < x->n; i += n)
			without(x, i, n);
}

struct tally {
	unsigned compared, same, no_code, refused, failed;
	unsigned left_out, lines;
};

static void one(struct subject *x, struct tally *n)
{
	enum verdict v = compare(x, false);
	const char *path;

	n->compared++;
	n->same += v == SAME;
	n->no_code += v == NO_CODE;
	n->refused += v == REFUSED;
	for (unsigned i = 0; i < x->n; i++) {
		n->left_out += x->line[i].out;
		n->lines++;
	}
	if (v == SAME || v == NO_CODE || v == REFUSED)
		return;
	n->failed++;
	if (v == NO_PTX) {
		printf("FAIL  seed %llu, sm_%s -O%u: PTX: %s", (unsigned long long)x->seed, x->sm, x->level,
		       x->d->last ? x->d->last : "\n");
		return;
	}
	printf("FAIL  seed %llu, sm_%s -O%u: %s\n", (unsigned long long)x->seed, x->sm, x->level, x->how);
	minimize(x);
	path = arena_printf(x->a, "%s/%llu.sm_%s.O%u.ptx", x->folder, (unsigned long long)x->seed, x->sm, x->level);
	printf("      %s: %s\n", path, x->how);
	if (!write_text(path, join(x, NULL)))
		abort();
	for (unsigned i = 0; i < x->n; i++)
		if (!x->line[i].fixed && !x->line[i].out)
			printf("      %s\n", x->line[i].text + 1);
}

static void begin(struct subject *x, char *ptx)
{
	gen_options_random(&x->o, x->seed);
	if (x->o.barriers) /* all threads are there */
		x->o.n = x->o.grid * x->o.block;
	split(x, ptx ? ptx : gen_kernel(x->seed, &x->o, x->a));
}

/* Leaves out the first line that our reader does not take for x->sm; false: it takes all. */
static bool leave_out_first(struct subject *x)
{
	struct source src = { "random.ptx", join(x, x->sm), 0 };
	unsigned long n = 0;
	struct arena a;
	struct diag d;
	bool ok;

	arena_init(&a);
	diag_init(&d, NULL);
	src.len = strlen(src.text);
	ok = ptx_parse(&src, &a, &d) != NULL;
	if (!ok)
		n = strtoul(strchr(d.last, ':') + 1, NULL, 10);
	if (!ok && (!n || n > x->n || x->line[n - 1].out || x->line[n - 1].fixed))
		abort();
	if (!ok)
		x->line[n - 1].out = true;
	diag_free(&d);
	arena_free(&a);
	return !ok;
}

/* What PTX specifies of the kernel of that seed and sm has, as its launch file has it. */
static void write_pair(const char *folder, const char *sm, uint64_t seed)
{
	struct subject x = { .folder = folder, .seed = seed, .sm = sm };
	unsigned char in[GEN_IN_BYTES];
	struct arena a;
	const char *name;

	arena_init(&a);
	x.a = &a;
	begin(&x, NULL);
	while (leave_out_first(&x))
		;
	gen_fill(seed, in);
	name = arena_printf(&a, "random%llu", (unsigned long long)seed);
	if (!write_text(arena_printf(&a, "%s/%s.ptx", folder, name), join(&x, sm)) ||
	    !write_bytes(arena_printf(&a, "%s/%s.in", folder, name), in, sizeof in) ||
	    !write_text(arena_printf(&a, "%s/%s.yaml", folder, name),
			arena_printf(&a,
				     "buffers:\n  - {name: out, type: b32, count: %zu}\n"
				     "  - {name: in, type: b8, count: %d, fill: file, file: %s.in}\n"
				     "launches:\n  - {kernel: gen, grid: [%u], block: [%u], "
				     "args: [{buffer: out}, {buffer: in}, {value: %u, type: u32}]}\n",
				     gen_out_bytes(&x.o) / 4, GEN_IN_BYTES, name, x.o.grid, x.o.block, x.o.n)))
		abort();
	arena_free(&a);
}

/* ptx: or NULL, the kernel of the seed */
static void assembled(const char *folder, uint64_t seed, char *ptx, const char *sm, unsigned how, struct tally *n)
{
	struct subject x = { .folder = folder, .seed = seed, .sm = sm, .level = how };
	struct arena a;
	struct diag d;

	arena_init(&a);
	diag_init(&d, NULL);
	x.a = &a;
	x.d = &d;
	begin(&x, ptx);
	one(&x, n);
	diag_free(&d);
	arena_free(&a);
}

int main(int argc, char **argv)
{
	const bool every = getenv("EVERY") && strcmp(getenv("EVERY"), "1") == 0;
	struct tally n = { .compared = 0 };
	uint64_t count, first;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 7 && strcmp(argv[2], "--file") == 0) {
		struct source s;
		struct arena a;
		struct diag d;

		arena_init(&a);
		diag_init(&d, stderr);
		if (source_read(&s, argv[3], &a, &d))
			assembled(argv[1], strtoull(argv[4], NULL, 0), arena_strndup(&a, s.text, s.len), argv[5],
				  (unsigned)strtoul(argv[6], NULL, 0), &n);
		diag_free(&d);
		arena_free(&a);
		return n.same != 1;
	}
	if (argc > 4 && argc < 7 && strcmp(argv[2], "--write") == 0) {
		first = argc > 5 ? strtoull(argv[5], NULL, 0) : 1;
		for (uint64_t i = 0; i < strtoull(argv[4], NULL, 0); i++)
			write_pair(argv[1], argv[3], first + i);
		return 0;
	}
	if (argc < 3 || argc > 4)
		return 2;
	count = strtoull(argv[2], NULL, 0);
	first = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	for (uint64_t seed = first; seed < first + count && n.failed < FAILURES_MAX; seed++)
		for (unsigned t = 0; t < TARGETS * LEVELS; t++)
			if (every || t == mix64(seed) % (TARGETS * LEVELS))
				assembled(argv[1], seed, NULL, target[t % TARGETS], level[t / TARGETS], &n);
	printf("%u kernels assembled, %u the same, %u without code, %u refused; %u of %u lines left out\n", n.compared,
	       n.same, n.no_code, n.refused, n.left_out, n.lines);
	/* a test of nothing passes too */
	return n.failed || n.no_code > n.compared / 4 || n.refused > 1 + n.compared / 50;
}
