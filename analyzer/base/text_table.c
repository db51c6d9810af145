/* Columns are as wide as their widest cell; a row ends with its last cell that has text. */
#include "analyzer/base/text_table.h"

#include <string.h>

struct text_table text_table_new(unsigned rows, unsigned columns, struct arena *a)
{
	return (struct text_table){ rows, columns, new_array(a, const char *, (size_t)rows *columns), a };
}

void text_table_set(struct text_table *t, unsigned row, unsigned column, const char *text)
{
	t->cell[(size_t)row * t->columns + column] = text;
}

void text_table_print(FILE *out, const struct text_table *t)
{
	int *wide = new_array(t->a, int, t->columns);

	for (unsigned i = 0; i < t->rows * t->columns; i++)
		if (t->cell[i] && (int)strlen(t->cell[i]) > wide[i % t->columns])
			wide[i % t->columns] = (int)strlen(t->cell[i]);
	for (unsigned r = 0; r < t->rows; r++) {
		const char **c = t->cell + (size_t)r * t->columns;
		unsigned n = t->columns;

		while (n > 1 && !c[n - 1])
			n--;
		fprintf(out, "  %-*s", n > 1 ? wide[0] : 0, c[0] ? c[0] : "");
		for (unsigned i = 1; i < n; i++)
			fprintf(out, "  %*s", wide[i], c[i] ? c[i] : "");
		fputc('\n', out);
	}
}

void csv_text(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++)
		fprintf(f, "%s%c", *text == '"' ? "\"" : "", *text);
	fputc('"', f);
}
