/* A launch file out of what it means: of launches that are saved (docs/SAVED.md). */
#include "analyzer/base/sha256.h"
#include "runtime-model/launch/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As YAML reads it back, whatever is in it. */
static void put_text(FILE *o, const char *s)
{
	fputc('"', o);
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			fprintf(o, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			fprintf(o, "\\x%02x", (unsigned)*s);
		else
			fputc(*s, o);
	fputc('"', o);
}

static void put_key(FILE *o, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(o, "%s: ", key);
	put_text(o, text);
	fputc('\n', o);
}

static void put_buffer(FILE *o, const struct buffer_spec *b)
{
	fputs("  - {name: ", o);
	put_text(o, b->name);
	fprintf(o, ", type: %s, count: %" PRIu64, type_info[b->type].text, b->count);
	if (b->place)
		fprintf(o, ", address: 0x%" PRIx64, b->place);
	if (b->variable) {
		fputs(", variable: ", o);
		put_text(o, b->variable);
	}
	fprintf(o, "%s}\n", b->fill == FILL_MEMORY ? ", fill: memory" : "");
}

static void put_dims(FILE *o, const char *key, const uint32_t n[3])
{
	fprintf(o, "    %s: [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]\n", key, n[0], n[1], n[2]);
}

static void put_value(FILE *o, const struct launch_file *f, const struct arg_spec *a)
{
	if (a->buffer < 0) {
		fprintf(o, "{value: 0x%" PRIx64 ", type: %s}", a->value.mag, type_info[a->type].text);
		return;
	}
	fputs("{buffer: ", o);
	put_text(o, f->buffer[a->buffer].name);
	if (a->offset)
		fprintf(o, ", offset: %" PRIu64, a->offset);
	fputc('}', o);
}

static void put_argument(FILE *o, const struct launch_file *f, const struct arg_spec *a)
{
	fputs("      - ", o);
	if (!a->nfield) {
		put_value(o, f, a);
	} else {
		fputs("{fields: [", o);
		for (unsigned i = 0; i < a->nfield; i++) {
			fputs(i ? ", " : "", o);
			put_value(o, f, &a->field[i]);
		}
		fputs("]}", o);
	}
	fputc('\n', o);
}

static void put_launch(FILE *o, const struct launch_file *f, const struct launch_spec *l)
{
	fputs("  - kernel: ", o);
	put_text(o, l->kernel);
	fputc('\n', o);
	put_dims(o, "grid", l->grid);
	put_dims(o, "block", l->block);
	if (l->cluster[0])
		put_dims(o, "cluster", l->cluster);
	fprintf(o, "    shared_bytes: %" PRIu32 "\n", l->shared_bytes);
	if (l->stack_bytes)
		fprintf(o, "    stack_bytes: %" PRIu32 "\n", l->stack_bytes);
	if (l->cooperative)
		fputs("    cooperative: 1\n", o);
	if (l->code_before)
		fprintf(o, "    code_before: %" PRIu32 "\n", l->code_before);
	fputs(l->narg ? "    args:\n" : "    args: []\n", o);
	for (unsigned i = 0; i < l->narg; i++)
		put_argument(o, f, &l->arg[i]);
}

static void put_file(FILE *o, const struct launch_file *f)
{
	put_key(o, "object_sha256", f->object_sha256);
	put_key(o, "memory", f->memory);
	put_key(o, "l2", f->l2);
	if (f->grid_barrier)
		fprintf(o, "grid_barrier: 0x%" PRIx64 "\n", f->grid_barrier);
	if (f->heap_bytes)
		fprintf(o, "heap_bytes: %" PRIu64 "\n", f->heap_bytes);
	if (f->nbuffer)
		fputs("buffers:\n", o);
	for (unsigned i = 0; i < f->nbuffer; i++)
		put_buffer(o, &f->buffer[i]);
	fputs("launches:\n", o);
	for (unsigned i = 0; i < f->nlaunch; i++)
		put_launch(o, f, &f->launch[i]);
}

bool launch_write(FILE *out, const struct launch_file *f, const char *head)
{
	char *text = NULL, sum[SHA256_HEX];
	size_t n = 0;
	FILE *o = open_memstream(&text, &n);
	struct sha256 s;
	bool ok = o != NULL;

	if (ok) {
		fputs(head, o);
		put_file(o, f);
		ok = fclose(o) == 0;
	}
	if (ok) {
		sha256_begin(&s);
		sha256_add(&s, text, n);
		sha256_end(&s, sum);
		fprintf(out, "sha256: %s\n", sum);
		ok = fwrite(text, 1, n, out) == n;
	}
	free(text);
	return ok;
}
