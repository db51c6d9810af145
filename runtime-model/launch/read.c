/* From what a launch file says (yaml.h) to what it means: names resolved, numbers parsed and checked against types and
 * limits. All errors of meaning are collected, each at the value that is wrong. */
#include "runtime-model/launch/launch.h"
#include "runtime-model/launch/reader.h"

#include "analyzer/base/infile.h"
#include "analyzer/base/near.h"
#include "analyzer/base/sha256.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX ((uint64_t)1 << 32) /* elements of a buffer */
#define ADDRESS_MAX (((uint64_t)1 << 47) - 1)
enum {
	ROUNDS_DEFAULT = 10000,
	SHARED_MAX = 1 << 24,
	STACK_MAX_BYTES = (1 << 24) - 65536,
	HEAP_MAX_BYTES = 1 << 30,
	CODE_MAX = 1 << 30
};

/* ---- values: each reports what is wrong at `at` and returns false ---- */
static bool read_number(struct reader *r, const char *text, struct loc at, struct number *out)
{
	return number_parse(out, text) || diag_error(r->d, at, "'%s' is not a number", text);
}

bool reader_uint(struct reader *r, const char *text, struct loc at, const char *what, uint64_t min, uint64_t max,
		 uint64_t *out)
{
	struct number n;

	if (!read_number(r, text, at, &n))
		return false;
	if (!n.is_int || (n.neg && n.mag) || n.mag < min || n.mag > max)
		return diag_error(r->d, at, "%s must be an integer from %llu to %llu, not %s", what,
				  (unsigned long long)min, (unsigned long long)max, text);
	*out = n.mag;
	return true;
}

static bool get_share(struct reader *r, const char *text, struct loc at, const char *what, double max, double *out)
{
	struct number n;

	if (!read_number(r, text, at, &n))
		return false;
	if (!(n.f >= 0 && n.f <= max))
		return diag_error(r->d, at, isfinite(max) ? "%s must lie between 0 and 1" : "%s must not be negative",
				  what);
	*out = n.f;
	return true;
}

static bool buffer_type(enum scalar_type t)
{
	return t == TY_F32 || t == TY_F64 ||
	       (t < TY_COUNT && type_info[t].kind != 'f' && type_info[t].bits >= 8 && type_info[t].bits <= 64);
}

static bool get_type(struct reader *r, const char *text, struct loc at, enum scalar_type *out)
{
	*out = type_find(text, strlen(text));
	return buffer_type(*out) ||
	       diag_error(r->d, at, "'%s' is no type here; use u8 to u64, s8 to s64, b8 to b64, f32 or f64", text);
}

bool reader_buffer(struct reader *r, const char *name, struct loc at, uint32_t *out)
{
	for (*out = 0; *out < r->f->nbuffer; ++*out)
		if (strcmp(r->f->buffer[*out].name, name) == 0)
			return true;
	return diag_error(r->d, at, "there is no buffer '%s'", name);
}

/* ---- buffers ---- */
static const char *const fill_name[FILL_COUNT] = { "zero", "constant", "ramp", "random", "file", "memory", "none" };

/* Which keys say something for which fills. */
enum {
	ON_CONSTANT = 1 << FILL_CONSTANT,
	ON_RAMP = 1 << FILL_RAMP,
	ON_RANDOM = 1 << FILL_RANDOM,
	ON_FILE = 1 << FILL_FILE
};
struct fill_key {
	const char *key;
	size_t raw;
	unsigned fills, required;
};
static const struct fill_key fill_keys[] = {
	{ "value", offsetof(struct raw_buffer, value), ON_CONSTANT, ON_CONSTANT },
	{ "start", offsetof(struct raw_buffer, start), ON_RAMP, 0 },
	{ "step", offsetof(struct raw_buffer, step), ON_RAMP, 0 },
	{ "modulo", offsetof(struct raw_buffer, modulo), ON_RAMP, 0 },
	{ "low", offsetof(struct raw_buffer, low), ON_RANDOM, 0 },
	{ "high", offsetof(struct raw_buffer, high), ON_RANDOM, 0 },
	{ "seed", offsetof(struct raw_buffer, seed), ON_RANDOM, ON_RANDOM },
	{ "file", offsetof(struct raw_buffer, file), ON_FILE, ON_FILE },
};

static const char *raw_key(const struct raw_buffer *raw, const struct fill_key *k)
{
	return *(char *const *)(const void *)((const char *)raw + k->raw);
}

static bool check_fill_keys(struct reader *r, const struct raw_buffer *raw, unsigned i, enum fill fill)
{
	bool ok = true;

	for (size_t j = 0; j < sizeof fill_keys / sizeof *fill_keys; j++) {
		const struct fill_key *k = &fill_keys[j];
		bool given = raw_key(raw, k) != NULL;

		if (given && !(k->fills >> fill & 1))
			ok = diag_error(r->d, yaml_at(&r->marks, r->a, "buffers[%u].%s", i, k->key),
					"'%s' says nothing for fill: %s", k->key, fill_name[fill]);
		if (!given && (k->required >> fill & 1))
			ok = diag_error(r->d, yaml_at(&r->marks, r->a, "buffers[%u].fill", i), "fill: %s needs '%s'",
					fill_name[fill], k->key);
	}
	return ok;
}

/* A number of a fill; of an integer type, it must be one of `t`. */
static bool fill_number(struct reader *r, unsigned i, const char *key, const char *text, enum scalar_type t,
			struct number *out)
{
	struct loc at = yaml_at(&r->marks, r->a, "buffers[%u].%s", i, key);

	if (!text)
		return true;
	if (!read_number(r, text, at, out))
		return false;
	if (type_info[t].kind != 'f' && !out->is_int)
		return diag_error(r->d, at, "%s is not an integer, the elements of the buffer are", text);
	return true;
}

static bool above(const struct number *a, const struct number *b)
{
	if (a->neg != b->neg)
		return b->neg;
	return a->neg ? a->mag < b->mag : a->mag > b->mag;
}

static bool check_range(struct reader *r, unsigned i, const struct buffer_spec *b)
{
	struct number last = b->high;
	struct loc at = yaml_at(&r->marks, r->a, "buffers[%u].high", i);

	if (type_info[b->type].kind == 'f')
		return (b->low.f < b->high.f && isfinite(b->low.f) && isfinite(b->high.f)) ||
		       diag_error(r->d, at, "random values need finite low < high");
	if (last.mag == 0)
		last = (struct number){ .is_int = true, .neg = true, .mag = 1 };
	else
		last.mag += last.neg ? 1 : -1; /* high - 1 is the largest value */
	if (above(&b->low, &last))
		return diag_error(r->d, at, "random integers need low < high; high itself is never drawn");
	return (number_fits(&b->low, b->type) && number_fits(&last, b->type) && number_fits(&b->high, TY_B64)) ||
	       diag_error(r->d, at, "values from low to high - 1 must be of type %s", type_info[b->type].text);
}

/* Where it must be. */
static bool read_place(struct reader *r, const struct raw_buffer *raw, unsigned i, struct buffer_spec *b)
{
	if (b->fill == FILL_MEMORY && !r->raw->memory)
		return diag_error(r->d, yaml_at(&r->marks, r->a, "buffers[%u].fill", i),
				  "fill: memory needs the file, 'memory' beside 'buffers'");
	return !raw->address || reader_uint(r, raw->address, yaml_at(&r->marks, r->a, "buffers[%u].address", i),
					    "an address", GLOBAL_START, ADDRESS_MAX, &b->place);
}

static bool read_buffer(struct reader *r, unsigned i)
{
	const struct raw_buffer *raw = &r->raw->buffer[i];
	struct buffer_spec *b = &r->f->buffer[i];
	static const struct number one = { .is_int = true, .mag = 1, .f = 1 }, zero = { .is_int = true };
	uint32_t same;

	*b = (struct buffer_spec){ .name = raw->name,
				   .file = raw->file,
				   .variable = raw->variable,
				   .start = zero,
				   .step = one,
				   .modulo = zero,
				   .low = zero,
				   .high = one,
				   .at = yaml_at(&r->marks, r->a, "buffers[%u].name", i) };
	for (same = 0; same < i && strcmp(r->f->buffer[same].name, raw->name) != 0; same++)
		;
	if (same < i)
		return diag_error(r->d, b->at, "there are two buffers '%s'", raw->name);
	if (!get_type(r, raw->type, yaml_at(&r->marks, r->a, "buffers[%u].type", i), &b->type) ||
	    !reader_uint(r, raw->count, yaml_at(&r->marks, r->a, "buffers[%u].count", i), "the count of elements", 1,
			 COUNT_MAX, &b->count))
		return false;
	if (raw->fill) {
		b->fill = names_find(NAMES(fill_name), raw->fill);
		if (b->fill == FILL_COUNT)
			return diag_error(r->d, yaml_at(&r->marks, r->a, "buffers[%u].fill", i),
					  "'%s' is no fill; use zero, constant, ramp, random, file, memory or none",
					  raw->fill);
	}
	if (!check_fill_keys(r, raw, i, b->fill) || !read_place(r, raw, i, b))
		return false;
	if (!fill_number(r, i, "start", raw->start, b->type, &b->start) ||
	    !fill_number(r, i, "value", raw->value, b->type, &b->start) ||
	    !fill_number(r, i, "step", raw->step, b->type, &b->step) ||
	    !fill_number(r, i, "modulo", raw->modulo, b->type, &b->modulo) ||
	    !fill_number(r, i, "low", raw->low, b->type, &b->low) ||
	    !fill_number(r, i, "high", raw->high, b->type, &b->high))
		return false;
	if (raw->seed && !reader_uint(r, raw->seed, yaml_at(&r->marks, r->a, "buffers[%u].seed", i), "the seed", 0,
				      UINT64_MAX, &b->seed))
		return false;
	if (b->fill == FILL_RANDOM && !check_range(r, i, b))
		return false;
	if (!number_fits(&b->start, b->type))
		return diag_error(r->d, yaml_at(&r->marks, r->a, "buffers[%u].%s", i, raw->value ? "value" : "start"),
				  "%s is not a value of type %s", raw->value ? raw->value : raw->start,
				  type_info[b->type].text);
	return true;
}

/* ---- launches ---- */
struct limit {
	uint32_t max[3];
	const char *what;
};
static const struct limit grid_limit = { { INT32_MAX, 65535, 65535 }, "grid" },
			  block_limit = { { 1024, 1024, 64 }, "block" };
static const struct limit cluster_limit = { { CLUSTER_MAX, CLUSTER_MAX, CLUSTER_MAX }, "cluster" };
enum { BLOCK_THREADS_MAX = 1024 };

static bool read_dims(struct reader *r, unsigned i, char *const *text, uint32_t n, const struct limit *lim,
		      uint32_t out[3])
{
	static const char *const dimension[] = { "the first dimension", "the second dimension", "the third dimension" };
	bool ok = true;

	for (uint32_t j = 0; j < 3; j++) {
		uint64_t v = 1;

		if (j < n)
			ok &= reader_uint(r, text[j], yaml_at(&r->marks, r->a, "launches[%u].%s[%u]", i, lim->what, j),
					  dimension[j], 1, lim->max[j], &v);
		out[j] = (uint32_t)v;
	}
	return ok;
}

/* An argument, or a field of one, which must name its type. */
static bool read_value(struct reader *r, const struct raw_field *raw, const char *path, bool need_type,
		       struct arg_spec *out)
{
	uint32_t b;

	out->buffer = -1;
	out->type = TY_COUNT;
	if (raw->texture || raw->surface || raw->sampler)
		return resource_argument(r, raw, path, out);
	if (!raw->buffer == !raw->value)
		return diag_error(r->d, out->at, "give one of 'buffer' and 'value'");
	if (raw->buffer) {
		uint64_t bytes;

		if (raw->type)
			return diag_error(r->d, yaml_at(&r->marks, r->a, "%s.type", path),
					  "an address takes no 'type'");
		if (!reader_buffer(r, raw->buffer, yaml_at(&r->marks, r->a, "%s.buffer", path), &b))
			return false;
		out->buffer = (int32_t)b;
		bytes = r->f->buffer[b].count * (type_info[r->f->buffer[b].type].bits / 8);
		return !raw->offset || reader_uint(r, raw->offset, yaml_at(&r->marks, r->a, "%s.offset", path),
						   "the offset in bytes", 0, bytes, &out->offset);
	}
	if (raw->offset)
		return diag_error(r->d, yaml_at(&r->marks, r->a, "%s.offset", path),
				  "only an address takes an 'offset'");
	if (!read_number(r, raw->value, yaml_at(&r->marks, r->a, "%s.value", path), &out->value))
		return false;
	if (!raw->type)
		return !need_type || diag_error(r->d, out->at, "a field needs a 'type'");
	if (!get_type(r, raw->type, yaml_at(&r->marks, r->a, "%s.type", path), &out->type))
		return false;
	return number_fits(&out->value, out->type) || diag_error(r->d, yaml_at(&r->marks, r->a, "%s.value", path),
								 "%s is not a value of type %s", raw->value, raw->type);
}

static bool read_arg(struct reader *r, const struct raw_arg *raw, const char *path, struct arg_spec *out)
{
	struct raw_field plain = { raw->buffer,  raw->offset,  raw->value,  raw->type,
				   raw->texture, raw->surface, raw->sampler };
	bool ok = true;

	out->at = yaml_at(&r->marks, r->a, "%s", path);
	if (!raw->nfield)
		return read_value(r, &plain, path, false, out);
	out->buffer = -1;
	out->type = TY_COUNT;
	if (raw->buffer || raw->offset || raw->value || raw->type || raw->texture || raw->surface || raw->sampler)
		return diag_error(r->d, out->at, "'fields' stands alone");
	out->field = new_array(r->a, struct arg_spec, raw->nfield);
	out->nfield = raw->nfield;
	for (uint32_t i = 0; i < raw->nfield; i++) {
		const char *sub = arena_printf(r->a, "%s.fields[%u]", path, i);

		out->field[i].at = yaml_at(&r->marks, r->a, "%s", sub);
		ok &= read_value(r, &raw->field[i], sub, true, &out->field[i]);
	}
	return ok;
}

static bool read_launch(struct reader *r, unsigned i)
{
	const struct raw_launch *raw = &r->raw->launch[i];
	struct launch_spec *l = &r->f->launch[i];
	uint64_t shared = 0, stack = 0, cooperative = 0, before = 0;
	bool ok;

	*l = (struct launch_spec){ .kernel = raw->kernel,
				   .arg = new_array(r->a, struct arg_spec, raw->narg),
				   .narg = raw->narg,
				   .at = yaml_at(&r->marks, r->a, "launches[%u].kernel", i) };
	ok = read_dims(r, i, raw->grid, raw->ngrid, &grid_limit, l->grid);
	if (read_dims(r, i, raw->block, raw->nblock, &block_limit, l->block)) {
		if ((uint64_t)l->block[0] * l->block[1] * l->block[2] > BLOCK_THREADS_MAX)
			ok = diag_error(r->d, yaml_at(&r->marks, r->a, "launches[%u].block", i),
					"a block of %u x %u x %u threads; at most %d in all", l->block[0], l->block[1],
					l->block[2], BLOCK_THREADS_MAX);
	} else {
		ok = false;
	}
	if (raw->ncluster)
		ok &= read_dims(r, i, raw->cluster, raw->ncluster, &cluster_limit, l->cluster);
	if (raw->shared_bytes)
		ok &= reader_uint(r, raw->shared_bytes, yaml_at(&r->marks, r->a, "launches[%u].shared_bytes", i),
				  "dynamic shared memory", 0, SHARED_MAX, &shared);
	l->shared_bytes = (uint32_t)shared;
	if (raw->stack_bytes)
		ok &= reader_uint(r, raw->stack_bytes, yaml_at(&r->marks, r->a, "launches[%u].stack_bytes", i),
				  "the stack of a thread", 1, STACK_MAX_BYTES, &stack);
	l->stack_bytes = (uint32_t)stack;
	if (raw->cooperative)
		ok &= reader_uint(r, raw->cooperative, yaml_at(&r->marks, r->a, "launches[%u].cooperative", i),
				  "'cooperative'", 0, 1, &cooperative);
	l->cooperative = cooperative;
	if (raw->code_before)
		ok &= reader_uint(r, raw->code_before, yaml_at(&r->marks, r->a, "launches[%u].code_before", i),
				  "the code before it", 0, CODE_MAX, &before);
	l->code_before = (uint32_t)before;
	for (uint32_t j = 0; j < raw->narg; j++)
		ok &= read_arg(r, &raw->arg[j], arena_printf(r->a, "launches[%u].args[%u]", i, j), &l->arg[j]);
	return ok;
}

/* ---- repeats ---- */
static bool check_counter(struct reader *r, const struct repeat_spec *p, struct loc at)
{
	for (unsigned i = p->first; i <= p->last; i++) {
		const struct launch_spec *l = &r->f->launch[i];

		if ((uint32_t)p->counter_arg >= l->narg)
			return diag_error(r->d, at, "launch %u has only %u arguments (the first is 0)", i, l->narg);
		if (l->arg[p->counter_arg].buffer >= 0 || l->arg[p->counter_arg].resource ||
		    l->arg[p->counter_arg].nfield || !l->arg[p->counter_arg].value.is_int)
			return diag_error(r->d, at,
					  "argument %d of launch %u is not an integer, so it cannot count rounds",
					  p->counter_arg, i);
	}
	return true;
}

static bool read_repeat(struct reader *r, unsigned i)
{
	const struct raw_repeat *raw = &r->raw->repeat[i];
	struct repeat_spec *p = &r->f->repeat[i];
	uint64_t first, last, rounds = ROUNDS_DEFAULT, counter;
	const char *limit = raw->rounds ? raw->rounds : raw->max_rounds,
		   *limit_key = raw->rounds ? "rounds" : "max_rounds";
	uint32_t flag = 0;

	*p = (struct repeat_spec){ .flag = -1, .counter_arg = -1, .at = yaml_at(&r->marks, r->a, "repeats[%u]", i) };
	if (!raw->flag == !raw->rounds)
		return diag_error(r->d, p->at,
				  "give one of 'while' (repeat while a buffer's first element is not 0) and 'rounds'");
	if (raw->rounds && raw->max_rounds)
		return diag_error(r->d, yaml_at(&r->marks, r->a, "repeats[%u].max_rounds", i),
				  "'max_rounds' belongs to 'while'");
	if (!reader_uint(r, raw->first, yaml_at(&r->marks, r->a, "repeats[%u].first", i), "the first launch",
			 i ? r->f->repeat[i - 1].last + 1 : 0, r->f->nlaunch - 1, &first))
		return false;
	last = first;
	if ((raw->last && !reader_uint(r, raw->last, yaml_at(&r->marks, r->a, "repeats[%u].last", i), "the last launch",
				       first, r->f->nlaunch - 1, &last)) ||
	    (raw->flag && !reader_buffer(r, raw->flag, yaml_at(&r->marks, r->a, "repeats[%u].while", i), &flag)) ||
	    (limit && !reader_uint(r, limit, yaml_at(&r->marks, r->a, "repeats[%u].%s", i, limit_key),
				   "the number of rounds", 1, INT32_MAX, &rounds)))
		return false;
	p->first = (unsigned)first;
	p->last = (unsigned)last;
	p->flag = raw->flag ? (int32_t)flag : -1;
	p->max_rounds = (uint32_t)rounds;
	if (!raw->counter_arg)
		return true;
	if (!reader_uint(r, raw->counter_arg, yaml_at(&r->marks, r->a, "repeats[%u].counter_arg", i),
			 "the argument's number", 0, INT32_MAX, &counter))
		return false;
	p->counter_arg = (int32_t)counter;
	return check_counter(r, p, yaml_at(&r->marks, r->a, "repeats[%u].counter_arg", i));
}

/* ---- expectations ---- */
static bool read_expect(struct reader *r, unsigned i)
{
	const struct raw_expect *raw = &r->raw->expect[i];
	struct expect_spec *e = &r->f->expect[i];
	const struct buffer_spec *b, *o;

	*e = (struct expect_spec){ .file = raw->file, .at = yaml_at(&r->marks, r->a, "expect[%u]", i) };
	if (!raw->file == !raw->other)
		return diag_error(r->d, e->at, "give one of 'file' and 'other' (a buffer) to compare with");
	if (!reader_buffer(r, raw->buffer, yaml_at(&r->marks, r->a, "expect[%u].buffer", i), &e->buffer) ||
	    (raw->other && !reader_buffer(r, raw->other, yaml_at(&r->marks, r->a, "expect[%u].other", i), &e->other)))
		return false;
	b = &r->f->buffer[e->buffer];
	o = &r->f->buffer[e->other];
	if (raw->other && (o->type != b->type || o->count != b->count || o == b))
		return diag_error(r->d, yaml_at(&r->marks, r->a, "expect[%u].other", i),
				  o == b ? "%s is the same buffer as %s" : "%s and %s differ in type or count", o->name,
				  b->name);
	if ((raw->abs || raw->rel) && type_info[b->type].kind != 'f')
		return diag_error(r->d, yaml_at(&r->marks, r->a, "expect[%u].%s", i, raw->abs ? "abs" : "rel"),
				  "integers are compared exactly; a tolerance has no meaning for %s",
				  type_info[b->type].text);
	return (!raw->abs || get_share(r, raw->abs, yaml_at(&r->marks, r->a, "expect[%u].abs", i), "a tolerance",
				       INFINITY, &e->abs)) &&
	       (!raw->rel || get_share(r, raw->rel, yaml_at(&r->marks, r->a, "expect[%u].rel", i), "a tolerance",
				       INFINITY, &e->rel)) &&
	       (!raw->allow_mismatch ||
		get_share(r, raw->allow_mismatch, yaml_at(&r->marks, r->a, "expect[%u].allow_mismatch", i),
			  "the share of mismatches", 1, &e->allow_mismatch));
}

/* ---- what a saved launch says of itself ---- */
/* The sum of all of the text behind its line is that. */
static bool check_sum(struct reader *r)
{
	const struct loc at = yaml_at(&r->marks, r->a, "sha256");
	const char *end = at.src->text + at.src->len, *line = memchr(at.src->text + at.off, '\n', at.src->len - at.off);
	char sum[SHA256_HEX];

	sha256_of(line ? line + 1 : end, line ? (size_t)(end - line - 1) : 0, sum);
	return strcmp(sum, r->raw->sha256) == 0 ||
	       diag_error(r->d, at,
			  "what follows is not what was saved: it has another SHA-256. It is damaged, or was edited: "
			  "whoever has edited it removes this line");
}

static void read_saved(struct reader *r)
{
	struct launch_file *f = r->f;

	f->object_sha256 = r->raw->object_sha256;
	f->object_at = yaml_at(&r->marks, r->a, "object_sha256");
	f->memory = r->raw->memory;
	f->memory_at = yaml_at(&r->marks, r->a, "memory");
	f->l2 = r->raw->l2;
	f->l2_at = yaml_at(&r->marks, r->a, "l2");
	if (r->raw->grid_barrier)
		reader_uint(r, r->raw->grid_barrier, yaml_at(&r->marks, r->a, "grid_barrier"), "an address",
			    GLOBAL_START, ADDRESS_MAX, &f->grid_barrier);
}

struct launch_file *launch_read_source(const struct source *s, struct arena *a, struct diag *d)
{
	struct reader r = { .a = a, .d = d, .f = new(a, struct launch_file) };
	struct launch_file *f = r.f;
	unsigned before = d->errors;

	r.raw = yaml_read(s, &r.marks, a, d);
	if (!r.raw || (r.raw->sha256 && !check_sum(&r)))
		return NULL;
	f->path = s->name;
	f->buffer = new_array(a, struct buffer_spec, r.raw->nbuffer);
	f->launch = new_array(a, struct launch_spec, r.raw->nlaunch);
	f->repeat = new_array(a, struct repeat_spec, r.raw->nrepeat);
	f->expect = new_array(a, struct expect_spec, r.raw->nexpect);
	f->nbuffer = r.raw->nbuffer;
	f->nlaunch = r.raw->nlaunch;
	if (r.raw->heap_bytes)
		reader_uint(&r, r.raw->heap_bytes, yaml_at(&r.marks, a, "heap_bytes"), "the heap", 1, HEAP_MAX_BYTES,
			    &f->heap_bytes);
	read_saved(&r);
	/* A part is read only when what it refers to is sound: an error does not cause others. */
	for (unsigned i = 0; i < r.raw->nbuffer && !diag_full(d); i++)
		read_buffer(&r, i);
	if (d->errors == before)
		resource_read(&r);
	for (unsigned i = 0; i < r.raw->nlaunch && d->errors == before; i++)
		read_launch(&r, i);
	for (; f->nrepeat < r.raw->nrepeat && d->errors == before; f->nrepeat++)
		read_repeat(&r, f->nrepeat);
	for (; f->nexpect < r.raw->nexpect && d->errors == before; f->nexpect++)
		read_expect(&r, f->nexpect);
	return d->errors == before ? f : NULL;
}

struct launch_file *launch_read(const char *path, struct arena *a, struct diag *d)
{
	struct source *s = new(a, struct source);

	return infile_source(s, INFILE_LAUNCH, path, a, d) ? launch_read_source(s, a, d) : NULL;
}
