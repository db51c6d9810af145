/* A register-file cache under written-out records, in checked mode. The values of registers are made up as the records
 * are written: an instruction writes a new one into each lane that executes it. */
#ifndef REGLOOM_CACHE_BENCH_H
#define REGLOOM_CACHE_BENCH_H

#include "stream.h"

#include "passes/rfc.h"
#include "runtime-model/core/checked.h"

enum { INSNS = 32, REGS = 16 };
#define HALF 0x0000ffffu
#define OTHER 0xffff0000u

struct bench {
	struct stream s;
	struct checked_sums sums;
	struct rfc_hints hints;
	uint32_t last[INSNS], value[REGS][WARP_LANES], next;
	uint16_t shared[INSNS];
};

static struct bench b;

/* A cache of so many entries, without hints. */
static inline void setup(const char *hierarchy, unsigned entries)
{
	memset(&b, 0, sizeof b);
	stream_init(&b.s);
	ck_assert_msg(rf_config_parse(&b.s.rf, arena_printf(&b.s.a, "baseline,issue=two-level,hierarchy=%s", hierarchy),
				      &b.s.p, &b.s.d),
		      "%s", b.s.d.last);
	b.s.p.rf_l1_entries = entries;
	b.s.checked = &b.sums;
	b.hints = (struct rfc_hints){ b.last, b.shared };
	b.s.k->rfc = &b.hints;
}

/* Appends the record of instruction n, executed by these lanes. */
static inline struct stream_record *again(uint32_t n, uint32_t lanes)
{
	struct stream_record *r = stream_record(&b.s, 0, n);
	struct reg_use use[REG_USE_MAX];
	unsigned uses = insn_reg_uses(b.s.k, &b.s.k->insn[n], use), at = 0;
	uint32_t *v = new_array(&b.s.a, uint32_t, REG_USE_MAX * WARP_LANES);

	ck_assert_uint_lt(n, INSNS);
	for (unsigned write = 0; write < 2; write++)
		for (unsigned i = 0; i < uses; i++) {
			if (use[i].write != write || mreg_is_pred(use[i].reg))
				continue;
			for (unsigned l = 0; write && l < WARP_LANES; l++)
				if (lanes >> l & 1)
					b.value[use[i].reg][l] = ++b.next * 0x10001;
			memcpy(v + at++ * WARP_LANES, b.value[use[i].reg], sizeof b.value[0]);
		}
	r->active = lanes;
	r->values = v;
	return r;
}

/* R[d] = R[a] + R[b], an instruction that follows the others. */
static inline uint32_t add_in(int d, int a, int c, uint32_t lanes)
{
	uint32_t n = stream_insn(&b.s, OP_ADD_S32, d, a, c, -1);

	again(n, lanes);
	return n;
}

static inline uint32_t add(int d, int a, int c) { return add_in(d, a, c, UINT32_MAX); }
static inline uint32_t load_in(int d, int a, uint32_t lanes)
{
	uint32_t n = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, d, a, -1);

	stream_line(again(n, lanes), n, 15);
	return n;
}

/* The counters that follow from all that was delivered and written, and each operand right. */
static inline void run(void)
{
	ck_assert_msg(stream_run(&b.s), "%s", b.s.d.last);
	ck_assert_uint_eq(b.s.st.operand_reads,
			  b.s.st.rf_operand_reads + b.s.st.rf_l0_reads + b.s.st.rf_l1_reads - b.s.st.rf_split_reads);
	ck_assert_uint_eq(b.s.st.operand_writes,
			  b.s.st.rf_operand_writes + b.s.st.rf_l0_writes + b.s.st.rf_l1_writes - b.s.st.rf_fills);
	ck_assert_uint_eq(b.s.st.rf_writes, b.s.st.rf_operand_writes + b.s.st.rf_l1_evictions + b.s.st.rf_l0_flushes);
	stream_free(&b.s);
}

#define EQ(counter, n) ck_assert_uint_eq(b.s.st.counter, n)

#endif
