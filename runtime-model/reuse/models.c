/* The models of Kim and Ro, HPCA 2018, section VII-A: what each has of the mechanism in wir.c. */
#include "runtime-model/reuse/storage.h"
#include "runtime-model/reuse/wir.h"

static unsigned no_queue(const struct params *p)
{
	(void)p;
	return 0;
}

#define MODEL(id, title, from, l, p, v, c, s, queue_, ...)                                                  \
	static const struct wir_model id##_model = {                                                        \
		.loads = l, .pending = p, .verify = v, .capped = c, .signatures = s                         \
	};                                                                                                  \
	static struct reuse *id##_create(const struct axis_ctx *cx) { return wir_create(cx, &id##_model); } \
	static unsigned id##_storage(const struct params *m, unsigned regs, struct storage_part out[])      \
	{                                                                                                   \
		return reuse_storage(m, s, v, regs, out);                                                   \
	}                                                                                                   \
	static const char *const id##_parameters[] = { "reuse_entries", "reuse_cycles", "reuse_field_bits", \
						       __VA_ARGS__, NULL };                                 \
	const struct reuse_ops id##_reuse = {                                                               \
		.name = title,                                                                              \
		.source = "Kim and Ro, HPCA 2018, section " from "; docs/WIR.md",                           \
		.parameters = id##_parameters,                                                              \
		.needs_record = WANT_SIG | WANT_H3,                                                         \
		.create = id##_create,                                                                      \
		.renames = true,                                                                            \
		.front_cycles = wir_front_cycles,                                                           \
		.back_cycles = wir_back_cycles,                                                             \
		.queue = queue_,                                                                            \
		.parts = wir_parts,                                                                         \
		.registers = wir_registers,                                                                 \
		.storage = id##_storage,                                                                    \
		.warp_start = wir_warp_start,                                                               \
		.warp_exit = wir_warp_exit,                                                                 \
		.issue = wir_issue,                                                                         \
		.physical = wir_physical,                                                                   \
		.sources_read = wir_sources_read,                                                           \
		.lookup = wir_lookup,                                                                       \
		.outcome = wir_outcome,                                                                     \
		.round = wir_round,                                                                         \
		.retire = wir_retire,                                                                       \
		.mapped = wir_mapped,                                                                       \
		.released = wir_released,                                                                   \
		.busy = wir_busy,                                                                           \
		.tick = wir_tick,                                                                           \
		.account = wir_account,                                                                     \
		.describe = wir_describe,                                                                   \
		.end = wir_end,                                                                             \
	}

/*    id       name        section                     L      P      V      c      VSB    queue       and what they read
 * of the machine */
MODEL(wir_r, "wir-r", "VII-A, R: V", false, false, false, false, true, no_queue, "vsb_entries");
MODEL(wir_rl, "wir-rl", "VII-A, RL: V, VI-A", true, false, false, false, true, no_queue, "vsb_entries",
      "reuse_barrier_bits");
MODEL(wir_rlp, "wir-rlp", "VII-A, RLP: V, VI-A, VI-B", true, true, false, false, true, wir_queue, "vsb_entries",
      "reuse_barrier_bits", "reuse_queue");
MODEL(wir_rlpv, "wir-rlpv", "VII-A, RLPV: V, VI", true, true, true, false, true, wir_queue, "vsb_entries",
      "reuse_barrier_bits", "reuse_queue", "verify_entries");
MODEL(wir_rpv, "wir-rpv", "VII-A, RPV: V, VI-B, VI-C", false, true, true, false, true, wir_queue, "vsb_entries",
      "reuse_queue", "verify_entries");
MODEL(wir_rlpvc, "wir-rlpvc", "VII-A, RLPVc: V, VI", true, true, true, true, true, wir_queue, "vsb_entries",
      "reuse_barrier_bits", "reuse_queue", "verify_entries");
MODEL(wir_novsb, "wir-novsb", "VII-A, NoVSB: V-B to V-E", false, false, false, false, false, no_queue, NULL);
