#include "runtime-model/run/launch_facts.h"
#include "runtime-model/launch/launch.h"

#include <string.h>

bool launch_facts_integer(const struct param *p)
{
	return p->name && !p->array && p->size <= 8 && type_info[p->type].kind != 'f' && type_info[p->type].kind != 'x';
}

static bool is_integer(const struct param *p, const struct arg_spec *v)
{
	return launch_facts_integer(p) && !v->nfield && !v->resource && v->buffer < 0 &&
	       (v->type == TY_COUNT || type_info[v->type].kind != 'f');
}

/* Values of launch i as k would find them, then those given. */
static void take_params(struct launch_facts *x, const struct launch_file *f, unsigned i, const struct kernel *k,
			const struct launch_facts *given, struct arena *a, struct diag *d)
{
	struct launch_param *out = new_array(a, struct launch_param, (size_t)k->nparam + given->nparam + 1);
	uint8_t *bytes = arena_alloc(a, launch_param_bytes(k) + 1, 8);

	launch_params(f, i, 0, k, bytes, d); /* it is bound, so they fit */
	for (uint32_t p = 0; p < k->nparam; p++) {
		struct launch_param *v = &out[x->nparam];

		if (!is_integer(&k->param[p], &f->launch[i].arg[p]))
			continue;
		*v = (struct launch_param){ .name = k->param[p].name };
		for (uint32_t b = 0; b < k->param[p].size; b++)
			v->value |= (uint64_t)bytes[k->param[p].offset + b] << 8 * b;
		x->nparam++;
	}
	for (uint32_t p = 0; p < given->nparam; p++)
		out[x->nparam++] = given->param[p];
	x->param = out;
}

/* The first launch counts; of a later one with blocks of another size a note tells. */
static void note_blocks(const struct launch_file *f, unsigned first, struct diag *d)
{
	const struct launch_spec *x = &f->launch[first];

	for (unsigned i = first + 1; d->out && i < f->nlaunch; i++) {
		const struct launch_spec *y = &f->launch[i];

		if (strcmp(x->kernel, y->kernel) != 0 || memcmp(x->block, y->block, sizeof x->block) == 0)
			continue;
		fprintf(d->out,
			"%s: note: kernel %s is launched with blocks of %u,%u,%u, later of %u,%u,%u; it is annotated "
			"for the first\n",
			f->path, x->kernel, x->block[0], x->block[1], x->block[2], y->block[0], y->block[1],
			y->block[2]);
		return;
	}
}

static bool seen(const struct launch_file *f, unsigned i)
{
	for (unsigned n = 0; n < i; n++)
		if (strcmp(f->launch[n].kernel, f->launch[i].kernel) == 0)
			return true;
	return false;
}

const struct launch_facts *launch_facts_from(const struct launch_file *f, const struct module *m, bool part,
					     const struct launch_facts *given, struct arena *a, struct diag *d)
{
	const struct launch_facts *all = given;

	if (!part && !launch_bind(f, m, d))
		return NULL;
	for (unsigned i = 0; i < f->nlaunch; i++) {
		const struct launch_spec *l = &f->launch[i];
		const struct kernel *k = module_find_kernel(m, l->kernel);
		struct launch_facts *x;

		if (!k)
			continue;
		if (part && !launch_bind_one(f, i, k, d))
			return NULL;
		if (seen(f, i))
			continue;
		x = new(a, struct launch_facts);
		*x = (struct launch_facts){ .dynamic_bytes = l->shared_bytes, .kernel = k->name, .next = all };
		memcpy(x->block, given->block[0] ? given->block : l->block, sizeof x->block);
		memcpy(x->grid, given->grid[0] ? given->grid : l->grid, sizeof x->grid);
		take_params(x, f, i, k, given, a, d);
		if (!given->block[0] && !k->reqntid[0])
			note_blocks(f, i, d);
		all = x;
	}
	return all;
}

const struct launch_facts *launch_facts_read(const char *path, const struct module *m, bool part,
					     const struct launch_facts *given, struct arena *a, struct diag *d)
{
	struct launch_file *f = launch_read(path, a, d);

	return f && launch_name_kernels(f, m, d) ? launch_facts_from(f, m, part, given, a, d) : NULL;
}
