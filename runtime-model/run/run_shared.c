/* What a run says of what a register file adds to an SM, and of registers that warps share: for people and for
 * tools. */
#include "runtime-model/core/occupancy.h"
#include "runtime-model/core/storage.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/run/run_program.h"

#include <inttypes.h>
#include <string.h>

/* a kernel in its first launch */
struct shared {
	const struct kernel *k;   /* what ran: a variant, or the plain kernel */
	unsigned warps, sections; /* of an SM */
};

static struct shared shared_of(const struct run_config *c, const struct kernel *plain, const struct occupancy_cta *cta)
{
	struct shared s = { .k = rf_config_kernel(&c->rf, plain) };
	struct occupancy_query q =
		occupancy_query_of(c->params, &c->rf, s.k, cta->threads, s.k->res.shared_bytes + cta->dynamic_bytes);

	s.warps = occupancy_of(&q).warps;
	s.sections = c->rf.residency->sections ? c->rf.residency->sections(c->params, s.k, s.warps) : 0;
	return s;
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static uint64_t acquires(const struct stats *st) { return st->rf_acquires - st->rf_acquires_held; }

unsigned run_registers(const struct run *r, unsigned config)
{
	unsigned most = 0;

	for (unsigned i = 0; i < r->nkernel; i++) {
		const struct kernel *k =
			rf_config_kernel(&r->opt.config[config].rf, module_find_kernel(r->m, r->kernel[i]));

		if (k->res.regs > most)
			most = k->res.regs;
	}
	return most;
}

/* "renaming table 30240, free map 1024", in arena a. */
static const char *parts_text(const struct storage_part part[], unsigned n, struct arena *a)
{
	const char *text = "";

	for (unsigned i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%s %u", text, i ? ", " : "", part[i].what, part[i].bits);
	return text;
}

static void print_storage(FILE *out, const struct run *r, unsigned config)
{
	const struct run_config *c = &r->opt.config[config];
	struct storage_part part[STORAGE_ALL];
	const unsigned regs = run_registers(r, config), n = rf_config_storage_parts(&c->rf, c->params, regs, part),
		       bits = rf_config_storage(&c->rf, c->params, regs);
	struct arena a;

	if (!bits)
		return;
	arena_init(&a);
	fprintf(out, "\nstorage: %u bits (%.1f KB) more in an SM: %s\n", bits, bits / 8192., parts_text(part, n, &a));
	arena_free(&a);
}

const char *run_sections_text(const struct run_config *c, const struct kernel *plain, const struct occupancy_cta *cta,
			      struct arena *a)
{
	struct shared s;

	if (!c->rf.residency->sections)
		return NULL;
	s = shared_of(c, plain, cta);
	if (!s.k->base_regs)
		return "no extended set; it runs as under residency=static";
	return arena_printf(a,
			    "a base set of %" PRIu32 " registers, an extended set of %" PRIu32
			    "; up to %u warps of an SM share %u extended sets",
			    s.k->base_regs, s.k->res.regs - s.k->base_regs, s.warps, s.sections);
}

const char *run_acquires_text(const struct stats *st, struct arena *a)
{
	if (!acquires(st))
		return NULL;
	return arena_printf(a,
			    "%" PRIu64
			    " acquires: %.1f %% at the first try, %.2f tries and %.1f cycles of waiting each; "
			    "%.1f extended sets held by a busy SM",
			    acquires(st), 100 * ratio(st->rf_acquires_first, acquires(st)),
			    ratio(st->rf_acquire_tries, acquires(st)), ratio(st->rf_acquire_wait_cycles, acquires(st)),
			    ratio(st->rf_section_cycles, st->sm_cycles));
}

void run_print_shared(FILE *out, const struct run *r, unsigned config)
{
	const struct run_config *c = &r->opt.config[config];
	const char *text;
	struct arena a;

	arena_init(&a);
	print_storage(out, r, config);
	for (unsigned i = 0; i < r->nkernel; i++) {
		const struct occupancy_cta cta = run_first_cta(r->f, r->kernel[i]);

		text = run_sections_text(c, module_find_kernel(r->m, r->kernel[i]), &cta, &a);
		if (text)
			fprintf(out, "  %s: %s\n", r->kernel[i], text);
	}
	text = run_acquires_text(&r->timing[config].stats, &a);
	if (text)
		fprintf(out, "  %s\n", text);
	arena_free(&a);
}

/* Bits by structure. */
static json_t *json_storage(const struct rf_config *c, const struct params *p, unsigned regs)
{
	struct storage_part part[STORAGE_ALL];
	const unsigned n = rf_config_storage_parts(c, p, regs, part);
	json_t *o = json_object();

	for (unsigned i = 0; i < n; i++)
		json_object_set_new(o, part[i].what, json_integer(part[i].bits));
	return o;
}

json_t *run_json_shared(const struct run *r, unsigned config)
{
	const struct run_config *c = &r->opt.config[config];
	const struct residency_ops *ops = c->rf.residency;
	json_t *kernels = json_object(), *code = json_object();

	for (unsigned i = 0; ops->sections && i < r->nkernel; i++) {
		const struct occupancy_cta cta = run_first_cta(r->f, r->kernel[i]);
		const struct shared s = shared_of(c, module_find_kernel(r->m, r->kernel[i]), &cta);

		json_object_set_new(kernels, r->kernel[i],
				    json_pack("{s:i, s:i, s:i, s:i}", "base",
					      (int)(s.k->base_regs ? s.k->base_regs : s.k->res.regs), "extended",
					      (int)(s.k->base_regs ? s.k->res.regs - s.k->base_regs : 0), "warps",
					      (int)s.warps, "sections", (int)s.sections));
	}
	for (unsigned i = 0; i < r->nkernel; i++)
		json_object_set_new(code, r->kernel[i], json_integer((json_int_t)run_code_bytes(r, config, i)));
	return json_pack("{s:i, s:o, s:o, s:o}", "storage_bits",
			 (int)rf_config_storage(&c->rf, c->params, run_registers(r, config)), "storage",
			 json_storage(&c->rf, c->params, run_registers(r, config)), "code_bytes", code, "kernels",
			 kernels);
}
