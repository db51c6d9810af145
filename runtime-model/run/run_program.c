/* What a run executes: which kernels, plain or as variants, and whether the variants have left the memory that the
 * plain ones do. */
#include "runtime-model/run/run_program.h"
#include "runtime-model/core/axis.h"

#include "analyzer/base/kernel_name.h"
#include "analyzer/elf/rlo.h"

#include <inttypes.h>
#include <string.h>

void run_name_kernels(struct run *r, struct arena *a)
{
	r->kernel = new_array(a, const char *, r->f->nlaunch);
	for (unsigned i = 0; i < r->f->nlaunch; i++) {
		const char *name = r->f->launch[i].kernel;
		unsigned k = 0;

		while (k < r->nkernel && strcmp(r->kernel[k], name) != 0)
			k++;
		if (k == r->nkernel)
			r->kernel[r->nkernel++] = name;
		r->launch[i].kernel = k;
	}
	for (unsigned i = 0; i < r->ntimed; i++)
		r->timing[i].kernel = new_array(a, struct stats, r->nkernel);
	r->usage = r->opt.usage ? new_array(a, struct usage, r->nkernel) : NULL;
	r->similar = r->opt.similar ? new_array(a, struct similar_kernel, r->nkernel) : NULL;
	r->profile = r->opt.profile ? new_array(a, uint64_t *, r->nkernel) : NULL;
	for (unsigned k = 0; r->profile && k < r->nkernel; k++) {
		const struct kernel *x = module_find_kernel(r->m, r->kernel[k]);

		/* none: launch_bind() says so */
		r->profile[k] = new_array(a, uint64_t, (x ? x->ninsn : 0) + (size_t)1);
	}
	for (unsigned k = 0; r->similar && k < r->nkernel; k++) {
		const struct kernel *x = module_find_kernel(r->m, r->kernel[k]);

		if (x)
			r->similar[k] = similar_kernel_new(x, a);
	}
}

bool run_choose_programs(struct run *r, bool used[PROGRAMS], struct diag *d)
{
	bool any = false, considered = true;

	for (unsigned n = 0; n < r->nkernel; n++) {
		const struct kernel *k = module_find_kernel(r->m, r->kernel[n]);

		any |= k->variant != NULL;
		considered &= k->regmutex != NULL;
	}
	if (considered)
		r->opt.have_anno |= ANNO_REGMUTEX;
	if (r->opt.variant && !considered)
		return diag_error_plain(d, r->m->src_name,
					"has no variants of kernels: it was made with --regmutex=off");
	if (r->opt.variant && r->opt.profile)
		return diag_error_plain(d, r->m->src_name, "a profile is of the plain kernels, not of their variants");
	for (unsigned i = 0; i < r->ntimed; i++) {
		r->timing[i].program = any && r->opt.config[i].rf.residency->variant ? PROGRAM_VARIANT : PROGRAM_PLAIN;
		used[r->timing[i].program] = true;
	}
	if (!r->opt.nconfig)
		used[any && r->opt.variant ? PROGRAM_VARIANT : PROGRAM_PLAIN] = true;
	return true;
}

static uint64_t first_difference(const char *p, const char *q, uint64_t bytes)
{
	uint64_t at = 0;

	while (at < bytes && p[at] == q[at])
		at++;
	return at;
}

struct memory_difference memory_compare(const struct launch_file *f, const struct module *m, struct device *x,
					struct device *y)
{
	for (unsigned i = 0; i < f->nbuffer; i++) {
		const struct buffer_spec *b = &f->buffer[i];
		unsigned each = type_info[b->type].bits / 8u;
		uint64_t bytes = b->count * each;
		const char *p = device_ptr(x, b->address, bytes), *q = device_ptr(y, b->address, bytes);

		if (memcmp(p, q, bytes) != 0) {
			uint64_t at = first_difference(p, q, bytes);

			return (struct memory_difference){ LEFT_BUFFER, b->name, at / each, b->address + at };
		}
	}
	for (uint32_t s = 0; s < m->nsym; s++) {
		uint64_t address = device_variable(x, m, s), bytes = m->sym[s].size;
		const char *p = address ? device_ptr(x, address, bytes) : NULL,
			   *q = p ? device_ptr(y, device_variable(y, m, s), bytes) : NULL;

		if (q && memcmp(p, q, bytes) != 0) {
			uint64_t at = first_difference(p, q, bytes);

			return (struct memory_difference){ LEFT_VARIABLE, m->sym[s].name, at, address + at };
		}
	}
	return (struct memory_difference){ device_printed(x) == device_printed(y) ? LEFT_SAME : LEFT_PRINTED, NULL, 0,
					   0 };
}

const char *memory_difference_text(const struct memory_difference *d, struct arena *a)
{
	if (d->where == LEFT_PRINTED)
		return "what they print";
	return arena_printf(a,
			    d->where == LEFT_BUFFER ? "buffer %s from element %" PRIu64 " on"
						    : "variable %s from byte %" PRIu64 " on",
			    d->name, d->element);
}

bool run_judge_variant(struct run *r, const struct launch_file *f, struct arena *a, struct diag *d)
{
	struct expect_result *expect = new_array(a, struct expect_result, f->nexpect);

	r->variant = memory_compare(f, r->m, r->device[PROGRAM_PLAIN], r->device[PROGRAM_VARIANT]);
	if (r->variant.where == LEFT_SAME)
		return true;
	r->variant_check = launch_check(f, r->device[PROGRAM_VARIANT], expect, a, d);
	if (r->variant_check != CHECK_PASS && r->check != CHECK_PARTIAL)
		r->check = CHECK_FAIL;
	return r->variant_check != CHECK_ERROR;
}

static const char *join(const struct run *r, bool variants, bool symbols, struct arena *a)
{
	const char *names = "";

	for (unsigned i = 0; i < r->nkernel; i++)
		if (!variants || module_find_kernel(r->m, r->kernel[i])->variant)
			names = arena_printf(a, "%s%s%s", names, *names ? "," : "",
					     symbols ? r->kernel[i] : kernel_name(r->kernel[i], a));
	return names;
}

const char *run_kernels(const struct run *r, struct arena *a) { return join(r, false, true, a); }
const char *run_kernel_names(const struct run *r, struct arena *a) { return join(r, false, false, a); }
const char *run_variants(const struct run *r, struct arena *a) { return join(r, true, false, a); }

struct occupancy_cta run_first_cta(const struct launch_file *f, const char *kernel)
{
	const struct launch_spec *l = f->launch;

	while (strcmp(l->kernel, kernel) != 0)
		l++;
	return (struct occupancy_cta){ l->block[0] * l->block[1] * l->block[2], l->shared_bytes };
}

const char *run_remark_of(const struct run_config *c, const struct kernel *plain, const struct occupancy_cta *cta,
			  bool levels, struct arena *a)
{
	if (levels)
		return c->rf.hierarchy->remark ? c->rf.hierarchy->remark(c->params, plain, a) : NULL;
	return c->rf.residency->remark ? c->rf.residency->remark(c->params, plain, cta, a) : NULL;
}

/* Of each kernel that ran, what the levels of the register file say, or its residency. */
static const char *remark(const struct run *r, const struct run_config *c, bool levels, struct arena *a)
{
	const char *text = NULL;
	unsigned more = 0;

	for (unsigned n = 0; n < r->nkernel; n++) {
		const struct kernel *k = module_find_kernel(r->m, r->kernel[n]);
		const struct occupancy_cta cta = run_first_cta(r->f, k->name);
		const char *of = run_remark_of(c, k, &cta, levels, a);

		more += text && of;
		text = text ? text : of;
	}
	if (!more)
		return text;
	return arena_printf(a, "%s; so with %u kernel%s more", text, more, more > 1 ? "s" : "");
}

const char *run_remark(const struct run *r, unsigned config, struct arena *a)
{
	const struct run_config *c = &r->opt.config[config];
	const char *levels = remark(r, c, true, a), *registers = remark(r, c, false, a);

	if (levels && registers)
		return arena_printf(a, "%s; %s", levels, registers);
	return levels ? levels : registers;
}
