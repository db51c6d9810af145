/* How the SMs were occupied, and what would gain a CTA. */
#include "runtime-model/explain/page.h"

void page_occupancy(struct page *p, const struct explain *x)
{
	const struct kernel_counts *k = p->c.kernel;

	for (uint32_t i = 0; i < k->nlaunch; i++) {
		const struct launch_counts *l = &k->launch[i];
		const struct occupancy *o = &l->occupancy;

		fprintf(p->f,
			"\n  occupancy: blocks of %u threads, %u registers a thread, %u bytes of shared memory a CTA\n",
			l->threads, k->k->res.regs, l->shared_bytes);
		fprintf(p->f, "    an SM holds %u CTAs, %u of %u warps (%.0f%%), limited by %s:", o->ctas, o->warps,
			o->warp_slots, page_share(o->warps, o->warp_slots), occupancy_limit_name(o->why));
		for (unsigned n = 0; n < LIMIT_COUNT; n++)
			if (o->by[n] != OCCUPANCY_ANY)
				fprintf(p->f, "%s %s %u", n ? "," : "", occupancy_limit_name((enum occupancy_limit)n),
					o->by[n]);
		fprintf(p->f,
			"\n    it held %.1f warps in the mean (%.0f%%); a launch has %.*f CTAs, the %u SM%s hold%s %u "
			"at once\n",
			page_ratio(l->warp_cycles, l->sm_cycles),
			100 * page_ratio(l->warp_cycles, l->sm_cycles) / o->warp_slots, l->ctas % l->launches != 0,
			page_ratio(l->ctas, l->launches), x->params->sms, x->params->sms == 1 ? "" : "s",
			x->params->sms == 1 ? "s" : "", o->ctas * x->params->sms);
		if (o->warps == o->warp_slots) {
			fprintf(p->f, "    every warp slot can be taken\n");
			continue;
		}
		fprintf(p->f, "    for one more CTA: %s\n", l->gain_text);
		if (l->best_block != l->threads)
			fprintf(p->f,
				"    blocks of %u threads with as much shared memory would hold %u warps (%u CTAs)\n",
				l->best_block, l->best.warps, l->best.ctas);
	}
}
