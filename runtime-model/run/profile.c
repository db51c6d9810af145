/* The profile of a run: what ptx-annotate --profile takes block weights from (docs/profile.schema.json). */
#include "runtime-model/run/run.h"

#include <inttypes.h>

enum { PROFILE_VERSION = 1 };

static json_t *kernel_json(const struct kernel *k, const uint64_t *by_insn, struct arena *a)
{
	json_t *list = json_array();

	/* all of a block is executed as often as its first instruction */
	for (uint32_t b = 0; b < k->nblock; b++)
		json_array_append_new(list, json_integer(k->block[b].n ? (json_int_t)by_insn[k->block[b].first] : 0));
	return json_pack("{s:s, s:s, s:o}", "name", k->name, "code", arena_printf(a, "%016" PRIx64, ir_hash_code(k)),
			 "executions", list);
}

bool run_write_profile(const struct run *r, const char *path, struct arena *a, struct diag *d)
{
	json_t *kernels = json_array(), *o;

	for (unsigned n = 0; n < r->nkernel; n++)
		json_array_append_new(kernels, kernel_json(module_find_kernel(r->m, r->kernel[n]), r->profile[n], a));
	o = json_pack("{s:s, s:i, s:s?, s:o}", "format", "regloom-profile", "version", PROFILE_VERSION, "object",
		      r->m->src_name, "kernels", kernels);
	if (o && run_stop_why(r))
		json_object_set_new(o, "partial", run_json_stop(r));
	return run_write_json(o, path, a, d);
}
