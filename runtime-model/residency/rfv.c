/* Register file virtualization: a register takes an entry of the register file from its first write to where the
 * compiler says that no lane of its warp reads it again, instead of from the CTA's launch to its end (Jeon, Ravi, Kim,
 * Annavaram: GPU Register File Virtualization, MICRO-48, 2015, as CORF takes it over in sections 4.3 and 7: on the
 * renaming table that packing has).
 *
 * When an instruction issues, what k->release gives for it is released, and before that, if it is the first of its
 * block, what is given on entry to the block; not for moves, which the instruction is still to follow. The renaming
 * table waits with it for reads and writes that are outstanding. A register that is released on entry and written by
 * that very instruction is left alone: the write takes its place.
 *
 * A CTA starts as under static allocation: entries without registers are switched off, not given to more CTAs (CORF
 * section 7, the first of its three uses); residency=rfv-shared is the other. The releases come to the hardware in
 * metadata instructions (release_words()), which are fetched and issued as CORF's are, each time: Jeon et al. have a
 * cache of release flags that spares some of it. With release_metadata=0 they cost nothing, as in CORF. */
#include "runtime-model/residency/rfv.h"

#include "analyzer/elf/rlo.h"
#include "passes/pass.h"

extern const struct residency_ops static_residency;

struct residency {
	struct rfv rfv;
};

bool rfv_init(struct rfv *x, const struct axis_ctx *cx, const char *name)
{
	const struct kernel *k = cx->kernel;
	uint32_t *starts = new_array(cx->arena, uint32_t, (size_t)k->ninsn + 1);

	if (!(k->facts & FACT_RELEASE))
		return diag_error_plain(cx->diag, k->name, "has no release points, which residency=%s needs", name);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (k->block[b].n)
			starts[k->block[b].first] = b + 1;
	*x = (struct rfv){ .release = k->release, .starts = starts, .rename = cx->axes->rename };
	return true;
}

static struct residency *rfv_create(const struct axis_ctx *cx)
{
	struct residency *r = new(cx->arena, struct residency);

	return rfv_init(&r->rfv, cx, "rfv") ? r : NULL;
}

static unsigned rfv_max_ctas(const struct params *p, const struct kernel *k, unsigned warps_per_cta)
{
	return static_residency.max_ctas(p, k, warps_per_cta);
}

unsigned rfv_metadata(const struct kernel *k, uint32_t b)
{
	const struct release_words w = release_words_of(k, b);

	return w.flags + w.numbers;
}

static bool writes(const struct uop *u, unsigned reg)
{
	for (unsigned d = 0; d < u->ndst; d++)
		if (u->dst[d] == reg)
			return true;
	return false;
}

void rfv_release(const struct rfv *x, const struct uop *u)
{
	const struct release *l = x->release;
	uint32_t b = x->starts[u->insn];

	if (u->move || u->apart) /* apart: other lanes may be where they read it */
		return;
	for (uint32_t e = b ? l->entry_at[b - 1] : 0; b && e < l->entry_at[b]; e++)
		if (!writes(u, l->entry_reg[e]))
			rename_release(x->rename, u->warp, l->entry_reg[e]);
	for (uint32_t e = l->at[u->insn]; e < l->at[u->insn + 1]; e++)
		rename_release(x->rename, u->warp, l->reg[e]);
}

static void rfv_issue(struct residency *r, const struct uop *u) { rfv_release(&r->rfv, u); }

static const char *const parameters[] = { "rename_ports", "rename_cycles", "release_metadata", NULL };

const struct residency_ops rfv_residency = {
	.name = "rfv",
	.source = "Jeon et al., MICRO 2015, as in CORF section 4.3; docs/RFV.md#renaming-and-release",
	.needs_anno = ANNO_RELEASE,
	.create = rfv_create,
	.max_ctas = rfv_max_ctas,
	.issue = rfv_issue,
	.renames = true,
	.subcores = true,
	.metadata = rfv_metadata,
	.parameters = parameters,
};
