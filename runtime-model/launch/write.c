/* A launch file out of what it means: of launches that are saved (docs/SAVED.md). */
#include "analyzer/base/sha256.h"
#include "analyzer/ir/texture.h"
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

static void put_sampler(FILE *o, const struct sampler *s)
{
	static const char *const mode[ADDRESS_COUNT] = { [ADDRESS_WRAP] = "wrap",
							 [ADDRESS_MIRROR] = "mirror",
							 [ADDRESS_CLAMP_OGL] = "clamp",
							 [ADDRESS_CLAMP] = "clamp",
							 [ADDRESS_BORDER] = "border" };

	fprintf(o, ", filter: %s, between: %s, normalized: %d, address: [%s, %s, %s], border: [",
		s->linear ? "linear" : "point", s->mip_linear ? "linear" : "point", s->normalized, mode[s->address[0]],
		mode[s->address[1]], mode[s->address[2]]);
	for (unsigned i = 0; i < 4; i++)
		fprintf(o, "%s0x%" PRIx32, i ? ", " : "", s->border[i]);
	fprintf(o, "], bias: %a, low: %a, high: %a", s->bias, s->low, s->high);
}

static void put_shape(FILE *o, const struct launch_file *f, const struct resource_spec *s)
{
	const struct resource *r = &s->r;

	fputs(", buffer: ", o);
	put_text(o, f->buffer[s->buffer].name);
	fprintf(o, ", offset: %" PRIu64 ", width: %" PRIu32, s->offset, r->size[0]);
	if (r->dims > 1)
		fprintf(o, ", height: %" PRIu32, r->size[1]);
	if (r->dims > 2)
		fprintf(o, ", depth: %" PRIu32, r->size[2]);
	if (r->array)
		fprintf(o, ", layers: %" PRIu32, r->layers);
	if (r->cube)
		fputs(", cube: 1", o);
	fprintf(o, ", channels: %u, format: %s, pitch: %" PRIu64 ", levels: %u", r->channels, type_info[r->type].text,
		r->pitch, r->levels);
}

static void put_resource(FILE *o, const struct launch_file *f, const struct resource_spec *s)
{
	const bool small = type_info[s->r.type].kind != 'f' && type_info[s->r.type].bits < 32;

	fputs("  - {name: ", o);
	put_text(o, s->r.name);
	fprintf(o, ", handle: 0x%" PRIx64, s->place);
	if (s->r.reference != REFERENCE_SAMPLER)
		put_shape(o, f, s);
	if (s->r.reference != REFERENCE_SURFACE)
		put_sampler(o, &s->r.sampler);
	if (s->r.reference == REFERENCE_TEXTURE && s->r.as_float && small)
		fputs(", read: normalized", o);
	fputs("}\n", o);
}

static void put_resources(FILE *o, const struct launch_file *f, enum reference kind, const char *list)
{
	bool any = false;

	for (unsigned i = 0; i < f->nresource; i++) {
		if (f->resource[i].r.reference != kind)
			continue;
		fprintf(o, "%s", any ? "" : list);
		any = true;
		put_resource(o, f, &f->resource[i]);
	}
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
	put_resources(o, f, REFERENCE_TEXTURE, "textures:\n");
	put_resources(o, f, REFERENCE_SURFACE, "surfaces:\n");
	put_resources(o, f, REFERENCE_SAMPLER, "samplers:\n");
	fputs("launches:\n", o);
	for (unsigned i = 0; i < f->nlaunch; i++)
		put_launch(o, f, &f->launch[i]);
}

bool launch_write(FILE *out, const struct launch_file *f, const char *head)
{
	char *text = NULL, sum[SHA256_HEX];
	size_t n = 0;
	FILE *o = open_memstream(&text, &n);
	bool ok = o != NULL;

	if (ok) {
		fputs(head, o);
		put_file(o, f);
		ok = fclose(o) == 0;
	}
	if (ok) {
		sha256_of(text, n, sum);
		fprintf(out, "sha256: %s\n", sum);
		ok = fwrite(text, 1, n, out) == n;
	}
	free(text);
	return ok;
}
