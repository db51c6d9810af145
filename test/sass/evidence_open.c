/* What decoding leaves open though every bit has a field: fields that are set and whose meaning is not known (OPEN and
 * FILL of mods.def), and rows of insns.def whose operands rest on what others noted or on a guess. Counted by
 * instruction, in one line for each row and field. */
#include "analyzer/sass/table.h"
#include "test/sass/evidence.h"

#include <stdlib.h>
#include <string.h>

static const char *const sure_name[] = { "met in listings", "met in own code", "noted by others",
					 "deduced from the forms", "guessed" };

static void count(struct evidence *e, const struct sass_row *row, const char *id)
{
	uint32_t i = 0;

	while (i < e->nopen && !(e->open[i].base == row->base && e->open[i].form == row->form &&
				 strcmp(e->open[i].what, id) == 0 && strcmp(e->open[i].mnemonic, row->mnemonic) == 0))
		i++;
	if (i == e->nopen) {
		e->open = realloc(e->open, (e->nopen + 1) * sizeof *e->open);
		if (!e->open)
			abort();
		e->open[e->nopen++] = (struct open){ row->mnemonic, id, row->base, row->form, e->c->sm, e->c->sm, 0 };
	}
	e->open[i].n++;
	e->open[i].lo = e->c->sm < e->open[i].lo ? e->c->sm : e->open[i].lo;
	e->open[i].hi = e->c->sm > e->open[i].hi ? e->c->sm : e->open[i].hi;
}

void note_open(struct evidence *e, const struct sass_insn *i)
{
	unsigned at = 0;
	const char *id;

	e->nvague += sass_open(i, &at) != NULL;
	for (; (id = sass_open(i, &at)); at++)
		count(e, i->row, id);
	if (sass_sure(i) < SURE_NOTED)
		return;
	e->nunsure++;
	count(e, i->row, sure_name[sass_sure(i)]);
}

static int by_row(const void *a, const void *b)
{
	const struct open *x = a, *y = b;
	const int name = strcmp(x->mnemonic, y->mnemonic);

	if (name)
		return name;
	if (x->base != y->base)
		return (int)x->base - (int)y->base;
	return x->form != y->form ? (int)x->form - (int)y->form : strcmp(x->what, y->what);
}

void print_open(struct evidence *e)
{
	if (e->nopen)
		qsort(e->open, e->nopen, sizeof *e->open, by_row);
	for (uint32_t i = 0; i < e->nopen; i++) {
		const struct open *o = &e->open[i];
		char sm[32];

		snprintf(sm, sizeof sm, o->lo == o->hi ? "sm_%u" : "sm_%u to sm_%u", o->lo, o->hi);
		printf("open %-10s %03x form %u %-24s %8llu  %s\n", o->mnemonic, o->base, o->form, o->what,
		       (unsigned long long)o->n, sm);
	}
}
