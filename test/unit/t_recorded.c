/* Every counter of the kernel test/golden/views/mixed.ptx, under each configuration that test/golden/counters/mixed.txt
 * names: a line that begins with + is what stands besides in the one above it without; below it are the counters that
 * differ from that one's, which has all of its own. BLESS=1 writes the counters anew: review what changed. */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/run/run.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "test/golden/counters/"
enum { WIDTH = 120 };

struct bench {
	struct arena a;
	struct diag d;
	struct module *m;
	struct launch_file *f;
	struct config_list list;
	unsigned base[SIM_JOBS_MAX]; /* of each configuration, what it is compared with, or itself */
	const char *line[SIM_JOBS_MAX];
};

static char *file_text(const char *path, struct bench *b)
{
	struct source s = { 0 };

	ck_assert_msg(source_read(&s, path, &b->a, &b->d), "%s", b->d.last);
	return arena_strndup(&b->a, s.text, s.len);
}

static void read_kernel(struct bench *b)
{
	struct source *s = new(&b->a, struct source);
	struct pass_ctx cx;

	ck_assert_msg(source_read(s, "test/golden/views/mixed.ptx", &b->a, &b->d), "%s", b->d.last);
	b->m = ptx_parse(s, &b->a, &b->d);
	ck_assert_msg(b->m, "%s", b->d.last);
	pass_ctx_init(&cx, &b->d);
	cx.opt.regmutex.size = 8;
	for (uint32_t i = 0; i < b->m->nkernel; i++)
		ck_assert_msg(pass_compile(b->m->kernel[i], &cx), "%s", b->d.last);
	pass_ctx_free(&cx);
	b->f = launch_read(FOLDER "mixed.yaml", &b->a, &b->d);
	ck_assert_msg(b->f, "%s", b->d.last);
}

/* The configurations that the text names. */
static void read_configurations(struct bench *b, char *text)
{
	struct config_list *l = &b->list;
	unsigned base = 0;

	for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
		if (*at == ' ')
			continue;
		if (*at != '+')
			base = l->n;
		b->base[l->n] = base;
		b->line[l->n] = at;
		if (*at == '+')
			at = arena_printf(&b->a, "%s,%s", at + 2, b->line[base]);
		ck_assert_msg(config_list_add(l, at, &b->a, &b->d), "%s", b->d.last);
	}
}

static void print_counters(FILE *f, const struct bench *b, const struct run *r, unsigned c)
{
	const struct stats *of = &r->timing[c].stats, *beside = &r->timing[b->base[c]].stats;
	const struct params *p = b->list.config[c].params;
	int column = WIDTH;

	for (unsigned i = 0; i < stats_count(); i++) {
		const struct metric m = stats_metric(i, of, p);
		char item[80];
		int n;

		if (!m.integer || m.count == (of == beside ? 0 : stats_metric(i, beside, p).count))
			continue;
		n = snprintf(item, sizeof item, "%s %" PRIu64, m.name, m.count);
		column += n + 2;
		if (column > WIDTH) {
			fputs("\n", f);
			column = n + 2;
		}
		fprintf(f, "  %s", item);
	}
	fputs("\n", f);
}

static char *recorded(struct bench *b, const struct run *r)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (unsigned c = 0; c < b->list.n; c++) {
		ck_assert_msg(!r->timing[c].failed, "%s", b->line[c]);
		fputs(b->line[c], f);
		print_counters(f, b, r, c);
	}
	fclose(f);
	return text;
}

START_TEST(all_that_a_kernel_counts)
{
	struct run_options o = { .have_anno = ANNO_ALL };
	struct bench *b = calloc(1, sizeof *b);
	char *want, *got;
	struct run r;

	arena_init(&b->a);
	diag_init(&b->d, NULL);
	read_kernel(b);
	want = file_text(FOLDER "mixed.txt", b);
	read_configurations(b, arena_printf(&b->a, "%s", want));
	o.config = b->list.config;
	o.nconfig = b->list.n;
	ck_assert_msg(run_launches(&r, b->m, b->f, &o, &b->a, &b->d), "%s", b->d.last);
	ck_assert(!r.differs && !r.variant.where);
	got = recorded(b, &r);
	if (getenv("BLESS")) {
		FILE *f = fopen(FOLDER "mixed.txt", "w");

		ck_assert(f && fputs(got, f) >= 0 && fclose(f) == 0);
	} else {
		size_t same = 0, line = 0;

		for (; want[same] && want[same] == got[same]; same++)
			if (want[same] == '\n')
				line = same + 1;
		ck_assert_msg(want[same] == got[same], FOLDER "mixed.txt has\n%.*s\nbut counted is\n%.*s",
			      (int)strcspn(want + line, "\n"), want + line, (int)strcspn(got + line, "\n"), got + line);
	}
	free(got);
	run_free(&r);
	diag_free(&b->d);
	arena_free(&b->a);
	free(b);
}
END_TEST

Suite *suite_recorded(void);
Suite *suite_recorded(void)
{
	Suite *s = suite_create("recorded");
	TCase *c = tcase_create("recorded");

	tcase_add_test(c, all_that_a_kernel_counts);
	suite_add_tcase(s, c);
	return s;
}
