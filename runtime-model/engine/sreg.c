/* Special registers: which are the same for a whole launch, and what the others hold in a warp at a moment. Values that
 * the ISA leaves to the machine are in docs/SEMANTICS.md. */
#include "runtime-model/engine/core.h"

#include <string.h>

/* behind each of %reserved_smem_offset_0 and _1 */
enum { RESERVED_BYTES = 1024 };

static bool is_reserved_smem(enum sreg s) { return s >= SREG_RESERVED_SMEM_BEGIN && s <= SREG_RESERVED_SMEM_1; }

/* Where reserved shared memory begins, and how much a kernel has that names it: behind the kernel's own, but in machine
 * code from sm_90 on before it, where ptxas counts addresses from there, and 1,024 bytes. */
static uint32_t reserved_from(const struct kernel *k, uint32_t own_bytes)
{
	return k->native && k->native->sm >= 90 ? 0 : (own_bytes + 15) & ~15u;
}

static uint32_t reserved_bytes(const struct kernel *k) { return k->native ? RESERVED_BYTES : 2 * RESERVED_BYTES; }

uint32_t sreg_reserved_smem(const struct kernel *k, uint32_t own_bytes)
{
	if (k->native)
		return k->native->sm >= 90 ? RESERVED_BYTES : reserved_from(k, own_bytes) - own_bytes + RESERVED_BYTES;
	for (uint32_t i = 0; i < k->ninsn; i++)
		for (unsigned s = 0; s < k->insn[i].nsrc; s++) {
			struct ref r = insn_src(k, &k->insn[i])[s];

			if (r.kind == REF_SREG && is_reserved_smem((enum sreg)r.val))
				return reserved_from(k, own_bytes) - own_bytes + reserved_bytes(k);
		}
	return 0;
}

bool sreg_constant(const struct engine *e, enum sreg s, uint64_t *v)
{
	uint32_t own = e->k->res.shared_bytes + e->l.dynamic_shared, reserved = reserved_from(e->k, own);

	*v = 0;
	if (s >= SREG_NTID_X && s <= SREG_NTID_Z)
		*v = e->l.block[s - SREG_NTID_X];
	else if (s >= SREG_NCTAID_X && s <= SREG_NCTAID_Z)
		*v = e->l.grid[s - SREG_NCTAID_X];
	else if (s >= SREG_NCLUSTERID_X && s <= SREG_NCLUSTERID_Z)
		*v = e->l.grid[s - SREG_NCLUSTERID_X] / e->cluster[s - SREG_NCLUSTERID_X];
	else if (s >= SREG_CLUSTER_NCTAID_X && s <= SREG_CLUSTER_NCTAID_Z)
		*v = e->cluster[s - SREG_CLUSTER_NCTAID_X];
	else if (s == SREG_CLUSTER_NCTARANK)
		*v = e->cluster_ctas;
	else if (s == SREG_IS_EXPLICIT_CLUSTER)
		*v = e->l.cluster[0] || e->k->cluster[0];
	else if (e->l.cooperative && (s == SREG_ENVREG1 || s == SREG_ENVREG2))
		*v = s == SREG_ENVREG1 ? e->dev->grid_barrier >> 32 : (uint32_t)e->dev->grid_barrier;
	else if (s == SREG_NWARPID)
		*v = e->warps;
	else if (s == SREG_NSMID)
		*v = 16;
	else if (s == SREG_WARP_SZ)
		*v = WARP_LANES;
	else if (s == SREG_DYNAMIC_SMEM_SIZE)
		*v = e->l.dynamic_shared;
	else if (s == SREG_TOTAL_SMEM_SIZE)
		*v = own;
	else if (s == SREG_AGGR_SMEM_SIZE)
		*v = e->shared_bytes;
	else if (s == SREG_RESERVED_SMEM_BEGIN || s == SREG_RESERVED_SMEM_0)
		*v = reserved;
	else if (s == SREG_RESERVED_SMEM_1)
		*v = reserved + reserved_bytes(e->k) / 2;
	else if (s == SREG_RESERVED_SMEM_END)
		*v = reserved + reserved_bytes(e->k);
	else if (s == SREG_RESERVED_SMEM_CAP)
		*v = reserved_bytes(e->k);
	else
		return s == SREG_GRIDID || s == SREG_CURRENT_GRAPH_EXEC || s >= SREG_PM0 ||
		       (e->cluster_ctas == 1 &&
			(s == SREG_CLUSTER_CTARANK || (s >= SREG_CLUSTER_CTAID_X && s <= SREG_CLUSTER_CTAID_Z)));
	return true;
}

bool sreg_is_clock(enum sreg s)
{
	return s == SREG_CLOCK || s == SREG_CLOCK_HI || s == SREG_CLOCK64 || s == SREG_GLOBALTIMER ||
	       s == SREG_GLOBALTIMER_LO || s == SREG_GLOBALTIMER_HI;
}

static bool is_timer(enum sreg s)
{
	return s == SREG_GLOBALTIMER || s == SREG_GLOBALTIMER_LO || s == SREG_GLOBALTIMER_HI;
}

/* A warp that reads clocks again and again, and does little else, waits: behind the first reads each is an eighth of
 * the wait later than it would be, so that a wait of any length soon ends, and by no more than that too late. */
static uint64_t waited(struct warp *w, uint64_t now)
{
	enum { BETWEEN = 16, READS = 32, PARTS = 8 };

	if (w->insns - w->read_insns > BETWEEN) {
		w->reads_in_row = 0;
		w->first_read = now;
	}
	w->read_insns = w->insns;
	return w->reads_in_row++ < READS ? 0 : (now - w->first_read) / PARTS;
}

/* The engine knows no time: unless it is told, a clock counts the instructions that the warp has executed. A read of
 * which nothing is known, behind others, is a cycle behind the last one. */
static uint64_t clock_of(const struct engine *e, const struct cta *c, struct warp *w, enum sreg s)
{
	const struct engine_clock *k = e->opt.clock;
	uint64_t at;

	if (!k)
		return w->insns + (w->clock += waited(w, w->insns + w->clock));
	if (!k->at(k->ctx, c->index, w->index, w->clock_reads++, &at))
		at = w->clock + 1 + waited(w, w->clock + 1);
	w->clock = at;
	at += k->start;
	return is_timer(s) ? (uint64_t)((double)at * 1000 / k->mhz) : at;
}

/* 32-bit registers leave HI alone. */
void sreg_read(const struct engine *e, const struct cta *c, struct warp *w, enum sreg s, uint32_t t[WARP_LANES],
	       uint32_t hi[WARP_LANES])
{
	uint64_t same = sreg_is_clock(s) ? clock_of(e, c, w, s) : 0;

	if (s >= SREG_TID_X && s <= SREG_TID_Z) {
		memcpy(t, e->tid + (w->index * 3 + (unsigned)(s - SREG_TID_X)) * WARP_LANES, WARP_LANES * sizeof *t);
		return;
	}
	if (s == SREG_LANEID || (s >= SREG_LANEMASK_EQ && s <= SREG_LANEMASK_GE)) {
		for (uint32_t l = 0; l < WARP_LANES; l++) {
			uint32_t eq = 1u << l;

			if (s == SREG_LANEID)
				t[l] = l;
			else if (s == SREG_LANEMASK_EQ)
				t[l] = eq;
			else if (s == SREG_LANEMASK_LT)
				t[l] = eq - 1;
			else if (s == SREG_LANEMASK_LE)
				t[l] = eq | (eq - 1);
			else
				t[l] = s == SREG_LANEMASK_GE ? 0 - eq : 0 - eq - eq;
		}
		return;
	}
	if (s >= SREG_CTAID_X && s <= SREG_CTAID_Z)
		same = c->id[s - SREG_CTAID_X];
	else if (s >= SREG_CLUSTERID_X && s <= SREG_CLUSTERID_Z)
		same = c->cluster_id[s - SREG_CLUSTERID_X];
	else if (s >= SREG_CLUSTER_CTAID_X && s <= SREG_CLUSTER_CTAID_Z)
		same = c->in_cluster[s - SREG_CLUSTER_CTAID_X];
	else if (s == SREG_CLUSTER_CTARANK)
		same = c->index % e->cluster_ctas;
	else if (s == SREG_WARPID)
		same = w->index;
	else if (s == SREG_SMID)
		same = c->index % 16; /* as if CTAs were dealt to 16 SMs */
	else if (s == SREG_CLOCK_HI || s == SREG_GLOBALTIMER_HI)
		same >>= 32;
	for (unsigned l = 0; l < WARP_LANES; l++) {
		t[l] = (uint32_t)same;
		hi[l] = (uint32_t)(same >> 32);
	}
}
