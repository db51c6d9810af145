/* Kernel arguments: from a launch file's list to the kernel's parameter block, and the checks that need the kernel. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/launch/launch.h"

#include <string.h>

uint32_t launch_param_bytes(const struct kernel *k)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < k->nparam; i++)
		if (k->param[i].offset + k->param[i].size > bytes)
			bytes = k->param[i].offset + k->param[i].size;
	return bytes;
}

static const struct repeat_spec *repeat_of(const struct launch_file *f, unsigned launch)
{
	for (unsigned i = 0; i < f->nrepeat; i++)
		if (launch >= f->repeat[i].first && launch <= f->repeat[i].last)
			return &f->repeat[i];
	return NULL;
}

/* of one argument, for messages */
struct context {
	const struct launch_file *f;
	const struct kernel *k;
	unsigned i; /* which parameter */
	struct diag *d;
};

static bool bad_arg(const struct context *cx, struct loc at, const char *why)
{
	return diag_error(cx->d, at, "argument %u of %s (%s): %s", cx->i, cx->k->name, cx->k->param[cx->i].name, why);
}

static bool put_address(const struct context *cx, const struct arg_spec *a, uint32_t size, void *out)
{
	uint64_t v =
		a->resource ? cx->f->resource[a->resource - 1].handle : cx->f->buffer[a->buffer].address + a->offset;

	if (a->resource && size != 8 && size != 4)
		return bad_arg(cx, a->at, "the parameter is not of the size of a handle");
	if (a->resource) {
		memcpy(out, &v, size);
		return true;
	}
	if (size != cx->k->m->address_bits / 8)
		return bad_arg(cx, a->at, "the parameter is not of the size of an address");
	if (size < 8 && v >> 32)
		return bad_arg(cx, a->at, "the buffer lies above 4 GiB, the kernel has 32-bit addresses");
	memcpy(out, &v, size);
	return true;
}

/* Adds the number of the round to an integer. */
static bool count_up(struct number *n, uint32_t round)
{
	if (n->neg && n->mag > round) {
		n->mag -= round;
	} else {
		uint64_t up = n->neg ? round - n->mag : round;

		n->mag = n->neg ? 0 : n->mag;
		n->neg = false;
		if (n->mag > UINT64_MAX - up)
			return false;
		n->mag += up;
	}
	n->f = n->neg ? -(double)n->mag : (double)n->mag;
	return true;
}

static enum scalar_type bits_of(uint32_t bytes)
{
	switch (bytes) {
	case 1:
		return TY_B8;
	case 2:
		return TY_B16;
	case 4:
		return TY_B32;
	}
	return TY_B64;
}

static bool put_value(const struct context *cx, const struct arg_spec *a, uint32_t round, void *out)
{
	const struct param *p = &cx->k->param[cx->i];
	enum scalar_type own = p->type, t = a->type == TY_COUNT ? own : a->type, range = t;
	struct number n = a->value;
	bool is_float = type_info[t].kind == 'f';

	if (p->array)
		return bad_arg(cx, a->at, "the parameter is a struct or an array; give its 'fields'");
	if (a->type == TY_COUNT && type_info[own].kind == 'b')
		return diag_error(cx->d, a->at,
				  "argument %u of %s (%s): the parameter has %u bytes and no type; give the value one, "
				  "such as 'type: u%u'",
				  cx->i, cx->k->name, p->name, p->size, p->size * 8);
	if (t != TY_F32 && t != TY_F64 && is_float)
		return bad_arg(cx, a->at, "16-bit floats are given as bits, with type: b16");
	if (type_info[t].bits != p->size * 8)
		return diag_error(cx->d, a->at,
				  "argument %u of %s (%s): the parameter has %u bytes (.%s), the value %u (%s)", cx->i,
				  cx->k->name, p->name, p->size, type_info[own].text, type_info[t].bits / 8,
				  type_info[t].text);
	if (type_info[own].kind != 'b' && type_info[t].kind != 'b' && (type_info[own].kind == 'f') != is_float)
		return diag_error(cx->d, a->at, "argument %u of %s (%s): the parameter is .%s, the value %s", cx->i,
				  cx->k->name, p->name, type_info[own].text, type_info[t].text);
	if (round && !count_up(&n, round))
		return bad_arg(cx, a->at, "the count of rounds overflows it");
	if (a->type == TY_COUNT && !is_float) /* compilers declare signed parameters .u32: take either sign */
		range = bits_of(p->size);
	if (!number_fits(&n, range))
		return bad_arg(cx, a->at,
			       is_float || n.is_int ? "the value does not fit its type"
						    : "the value is not an integer");
	number_store(&n, t, out);
	return true;
}

/* A struct or array: fields in order, each aligned to its size, the whole rounded up to the strictest. */
static bool put_fields(const struct context *cx, const struct arg_spec *a, char *out)
{
	const struct param *p = &cx->k->param[cx->i];
	uint32_t at = 0, align = 1;

	for (unsigned j = 0; j < a->nfield; j++) {
		const struct arg_spec *e = &a->field[j];
		uint32_t size = 8;

		if (!e->resource)
			size = e->buffer >= 0 ? cx->k->m->address_bits / 8 : type_info[e->type].bits / 8;

		at = (at + size - 1) / size * size;
		align = size > align ? size : align;
		if (at + size > p->size)
			return bad_arg(cx, e->at, "this field lies beyond the end of the parameter");
		if (e->buffer < 0 && !e->resource)
			number_store(&e->value, e->type, out + at);
		else if (!put_address(cx, e, size, out + at))
			return false;
		at += size;
	}
	at = (at + align - 1) / align * align;
	return at == p->size ||
	       diag_error(cx->d, a->at, "argument %u of %s (%s): the fields take %u bytes, the parameter %u", cx->i,
			  cx->k->name, p->name, at, p->size);
}

bool launch_params(const struct launch_file *f, unsigned i, uint32_t round, const struct kernel *k, void *out,
		   struct diag *d)
{
	const struct launch_spec *l = &f->launch[i];
	const struct repeat_spec *rep = repeat_of(f, i);
	struct context cx = { .f = f, .k = k, .d = d };
	bool ok = true;

	if (l->narg != k->nparam)
		return diag_error(d, l->at, "kernel %s takes %u arguments, %u are given", k->name, k->nparam, l->narg);
	memset(out, 0, launch_param_bytes(k));
	for (cx.i = 0; cx.i < k->nparam; cx.i++) {
		const struct arg_spec *a = &l->arg[cx.i];
		char *at = (char *)out + k->param[cx.i].offset;

		if (a->nfield)
			ok &= put_fields(&cx, a, at);
		else if (a->buffer >= 0 || a->resource)
			ok &= put_address(&cx, a, k->param[cx.i].size, at);
		else
			ok &= put_value(&cx, a, rep && rep->counter_arg == (int32_t)cx.i ? round : 0, at);
	}
	return ok;
}

static bool clusters_hold(const struct launch_spec *l, const struct kernel *k, struct arena *a, struct diag *d)
{
	struct launch x = { .k = k, .dynamic_shared = l->shared_bytes };
	const char *wrong;

	memcpy(x.grid, l->grid, sizeof x.grid);
	memcpy(x.cluster, l->cluster, sizeof x.cluster);
	wrong = launch_cluster_wrong(&x, a);
	return !wrong || diag_error(d, l->at, "kernel %s: %s", k->name, wrong);
}

static bool bounds_hold(const struct launch_spec *l, const struct kernel *k, struct diag *d)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2], most = 1;

	for (int j = 0; j < 3; j++) {
		most *= k->maxntid[j] ? k->maxntid[j] : 1;
		if (k->reqntid[0] && l->block[j] != (k->reqntid[j] ? k->reqntid[j] : 1))
			return diag_error(d, l->at, "kernel %s requires blocks of %u x %u x %u threads (.reqntid)",
					  k->name, k->reqntid[0], k->reqntid[1] ? k->reqntid[1] : 1,
					  k->reqntid[2] ? k->reqntid[2] : 1);
	}
	return !k->maxntid[0] || threads <= most ||
	       diag_error(d, l->at, "kernel %s allows blocks of %llu threads (.maxntid), not %llu", k->name,
			  (unsigned long long)most, (unsigned long long)threads);
}

static bool name_kernel(struct launch_spec *l, const struct module *m, struct diag *d)
{
	const char *found = NULL;
	struct arena a;
	bool ok = true;

	if (module_find_kernel(m, l->kernel))
		return true;
	arena_init(&a);
	for (uint32_t i = 0; i < m->nkernel && ok; i++) {
		const char *name = m->kernel[i]->name;

		if (!kernel_is_named(name, l->kernel))
			continue;
		if (found)
			ok = diag_error(d, l->at, "'%s' is %s and %s: name one", l->kernel, kernel_name(found, &a),
					kernel_name(name, &a));
		found = name;
	}
	arena_free(&a);
	if (ok && found)
		l->kernel = found;
	return ok;
}

bool launch_name_kernels(struct launch_file *f, const struct module *m, struct diag *d)
{
	bool ok = true;

	for (unsigned i = 0; i < f->nlaunch && !diag_full(d); i++)
		ok &= name_kernel(&f->launch[i], m, d);
	return ok;
}

static bool unknown_kernel(const struct launch_spec *l, const struct module *m, struct diag *d)
{
	struct arena a;
	const char *names = "";

	arena_init(&a);
	for (uint32_t i = 0; i < m->nkernel && i < 10; i++)
		names = arena_printf(&a, "%s%s %s", names, i ? "," : "", kernel_name(m->kernel[i]->name, &a));
	diag_error(d, l->at, "the module has no kernel '%s'; it has%s%s", l->kernel, m->nkernel ? names : " none",
		   m->nkernel > 10 ? ", ..." : "");
	arena_free(&a);
	return false;
}

bool launch_bind_one(const struct launch_file *f, unsigned i, const struct kernel *k, struct diag *d)
{
	struct arena scratch;
	bool ok;

	arena_init(&scratch);
	ok = bounds_hold(&f->launch[i], k, d) && clusters_hold(&f->launch[i], k, &scratch, d) &&
	     launch_params(f, i, 0, k, arena_alloc(&scratch, launch_param_bytes(k) + 1, 8), d);
	arena_free(&scratch);
	return ok;
}

bool launch_bind(const struct launch_file *f, const struct module *m, struct diag *d)
{
	bool ok = true;

	for (unsigned i = 0; i < f->nlaunch && !diag_full(d); i++) {
		const struct kernel *k = module_find_kernel(m, f->launch[i].kernel);

		if (!k)
			ok = unknown_kernel(&f->launch[i], m, d);
		else
			ok &= launch_bind_one(f, i, k, d);
	}
	return ok;
}

/* The first element of a repeat's flag: was it set? */
static bool flag_test(const struct launch_file *f, struct device *dev, const struct repeat_spec *p)
{
	const struct buffer_spec *b = &f->buffer[p->flag];
	unsigned bytes = type_info[b->type].bits / 8;
	static const char zero[8];

	return memcmp(device_ptr(dev, b->address, bytes), zero, bytes) != 0;
}

static void flag_clear(const struct launch_file *f, struct device *dev, const struct repeat_spec *p)
{
	const struct buffer_spec *b = &f->buffer[p->flag];
	unsigned bytes = type_info[b->type].bits / 8;

	memset(device_ptr(dev, b->address, bytes), 0, bytes);
}

enum launch_step launch_advance(const struct launch_file *f, struct device *dev, struct launch_cursor *c,
				struct diag *d)
{
	const struct repeat_spec *p = c->started ? repeat_of(f, c->launch) : NULL;
	unsigned next = c->started ? c->launch + 1 : 0;
	uint32_t round = p ? c->round : 0;

	if (p && c->launch == p->last) {
		bool again = round + 1 < p->max_rounds;

		if (p->flag >= 0) {
			bool set = flag_test(f, dev, p);

			if (set && !again) {
				diag_error(d, p->at, "buffer %s is still not 0 after %u rounds",
					   f->buffer[p->flag].name, p->max_rounds);
				return LAUNCH_FAILED;
			}
			again = set;
		}
		next = again ? p->first : next;
		round = again ? round + 1 : 0;
	}
	*c = (struct launch_cursor){ .launch = next, .round = round, .started = true };
	if (next >= f->nlaunch)
		return LAUNCH_DONE;
	p = repeat_of(f, next);
	if (p && next == p->first && p->flag >= 0)
		flag_clear(f, dev, p);
	return LAUNCH_RUN;
}
