/* Tables in reports for people: cells of text, the first column on the left, the others on the right. And the text of a
 * cell for spreadsheets. */
#ifndef REGLOOM_TEXT_TABLE_H
#define REGLOOM_TEXT_TABLE_H

#include "analyzer/base/arena.h"

#include <stdio.h>

struct text_table {
	unsigned rows, columns;
	const char **cell;
	struct arena *a;
};

struct text_table text_table_new(unsigned rows, unsigned columns, struct arena *a); /* empty cells; memory in a */
void text_table_set(struct text_table *t, unsigned row, unsigned column, const char *text); /* NULL: empty */
void text_table_print(FILE *out, const struct text_table *t);
void csv_text(FILE *f, const char *text); /* in quotes where CSV wants them (RFC 4180) */

#endif
