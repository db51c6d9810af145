/* The order in which warps share registers, in the views. */
#include "analyzer/emit/view.h"
#include "passes/owf.h"
#include "passes/pass.h"

/* Shares of a thread's registers for which the views say how long a warp goes without them: a quarter, a half, and the
 * 90 percent with which Jatala et al. measure. */
static const unsigned percent[] = { 25, 50, 90 };
enum { SHARES = sizeof percent / sizeof *percent };

static uint32_t shared(const struct kernel *k, unsigned i) { return k->owf->n * percent[i] / 100; }

void view_put_owf(FILE *f, const struct kernel *k)
{
	fprintf(f, "  %-14s work before one is touched, if warps share ", "shared order");
	for (unsigned i = 0; i < SHARES; i++)
		fprintf(f, "%s%u registers: %.1f%% (by number %.1f%%)", i ? ", " : "", shared(k, i),
			100 * owf_before(k, k->owf->rank, k->owf->n - shared(k, i)),
			100 * owf_before(k, owf_by_number, k->owf->n - shared(k, i)));
	fputc('\n', f);
}

json_t *view_owf_json(const struct kernel *k)
{
	json_t *rank = json_array(), *before = json_array();

	for (uint32_t r = 0; r < k->owf->n; r++)
		json_array_append_new(rank, json_integer(k->owf->rank[r]));
	for (unsigned i = 0; k->facts & FACT_FREQ && i < SHARES; i++)
		json_array_append_new(before,
				      json_pack("{s:I, s:f, s:f}", "shared", (json_int_t)shared(k, i), "work",
						owf_before(k, k->owf->rank, k->owf->n - shared(k, i)), "by_number",
						owf_before(k, owf_by_number, k->owf->n - shared(k, i))));
	return json_pack("{s:o, s:o}", "rank", rank, "before", before);
}

char *view_order(struct arena *a, const struct kernel *k)
{
	uint8_t at[256];
	char *text = arena_printf(a, "%s", "");

	for (uint32_t r = 0; r < k->owf->n; r++)
		at[k->owf->rank[r]] = (uint8_t)r;
	for (uint32_t rank = 0; rank < k->owf->n; rank++)
		text = arena_printf(a, "%s%s%s", text, rank ? " " : "", view_register(a, k, at[rank]));
	return text;
}
