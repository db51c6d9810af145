/* Constant bank 0 of machine code as NVIDIA's driver fills it, and the other banks. Where each word stands was read
 * off code that asks for one thing each (docs/NATIVE_LAUNCH.md). A word that is not listed nobody knows: who reads it
 * is told. */
#include "runtime-model/engine/lane.h"
#include "runtime-model/engine/native.h"

#include <math.h>
#include <string.h>

#define NONE 0xffffu
#define WORD 4u
#define BANK0_LEAST 0x400u  /* it holds all words of the tables below */
#define BANK_BYTES 0x10000u /* of a bank at most */
enum generation { SM_75, SM_80, SM_90, SM_100, GENERATIONS };

/* Where the first parameter stands, by target. */
static const uint16_t param_base[GENERATIONS] = { 0x160, 0x160, 0x210, 0x380 };

/* Special registers that are words of the bank: N of them, one behind the other. */
static const struct {
	enum sreg first;
	unsigned n;
	uint16_t at[GENERATIONS];
} special[] = {
	/*                                     sm_75   sm_80   sm_90   sm_100 */
	{ SREG_NTID_X, 3, { 0x000, 0x000, 0x000, 0x360 } },
	{ SREG_NCTAID_X, 3, { 0x00c, 0x00c, 0x00c, 0x370 } },
	{ SREG_DYNAMIC_SMEM_SIZE, 1, { 0x02c, 0x02c, 0x02c, 0x2ac } },
	{ SREG_GRIDID, 2, { 0x030, 0x030, 0x030, 0x140 } },
	{ SREG_ENVREG0, 5, { 0x088, 0x088, 0x040, 0x250 } },
	{ SREG_NSMID, 1, { 0x10c, 0x10c, 0x10c, 0x2d0 } },
	{ SREG_RESERVED_SMEM_END, 1, { NONE, 0x120, 0x068, 0x278 } },
	{ SREG_RESERVED_SMEM_1, 1, { NONE, 0x124, 0x06c, 0x27c } },
	{ SREG_IS_EXPLICIT_CLUSTER, 1, { NONE, NONE, 0x140, 0x36c } },
	{ SREG_CLUSTER_NCTAID_X, 3, { NONE, NONE, 0x144, 0x2a0 } },
	{ SREG_NCLUSTERID_X, 3, { NONE, NONE, 0x15c, 0x2c0 } },
	{ SREG_CLUSTER_NCTARANK, 1, { NONE, NONE, 0x188, 0x2cc } },
};

enum what {
	STACK,
	LOCAL_LOW,
	LOCAL_HIGH,
	SHARED_HIGH,
	SHARED_LOW,
	DESC_LOW,
	DESC_HIGH,
	CONST_LOW,
	CONST_HIGH,
	RESERVED_SMEM,
	PARAM_LOW,
	PARAM_HIGH,
	PER_CLUSTER_X,
	PER_CLUSTER_Y,
	PER_CLUSTER_Z,
	PARAMS_END,
	LAST_LOW,
	LAST_HIGH,
	WHATS
};
static const uint16_t at[WHATS][GENERATIONS] = {
	/*                    sm_75   sm_80   sm_90   sm_100 */
	[STACK] = { 0x028, 0x028, 0x028, 0x37c },       [LOCAL_LOW] = { 0x020, 0x020, 0x020, 0x2f8 },
	[LOCAL_HIGH] = { 0x024, 0x024, 0x024, 0x2fc },  [SHARED_HIGH] = { 0x01c, 0x01c, NONE, NONE },
	[SHARED_LOW] = { 0x018, 0x018, NONE, NONE },    [DESC_LOW] = { NONE, 0x118, 0x208, 0x358 },
	[DESC_HIGH] = { NONE, 0x11c, 0x20c, 0x35c },    [CONST_LOW] = { 0x050, 0x050, 0x0d0, 0x120 },
	[CONST_HIGH] = { 0x054, 0x054, 0x0d4, 0x124 },  [RESERVED_SMEM] = { NONE, 0x114, 0x114, 0x16c },
	[PARAM_LOW] = { 0x040, 0x040, 0x198, 0x348 },   [PARAM_HIGH] = { 0x044, 0x044, 0x19c, 0x34c },
	[PER_CLUSTER_X] = { NONE, NONE, 0x150, 0x2b0 }, [PER_CLUSTER_Y] = { NONE, NONE, 0x154, 0x2b4 },
	[PER_CLUSTER_Z] = { NONE, NONE, 0x158, 0x2b8 }, [PARAMS_END] = { 0x114, 0x12c, NONE, NONE },
	[LAST_LOW] = { NONE, NONE, 0x1a0, 0x350 },      [LAST_HIGH] = { NONE, NONE, 0x1a4, 0x354 },
};

static enum generation generation_of(unsigned sm)
{
	if (sm < 80)
		return SM_75;
	if (sm < 90)
		return SM_80;
	return sm < 100 ? SM_90 : SM_100;
}

/* The float that ptxas multiplies a CTA's number by, and cuts, for its cluster's: never below the quotient, and for
 * numbers below 2^22 never so far above that it passes a whole one. */
static uint32_t per_cluster(uint32_t ctas)
{
	const float exact = 1.0f / (float)ctas, above = nextafterf(exact, 2);

	return bits_f32(ctas & (ctas - 1) ? above : exact);
}

/* Parameters stand from byte `base` of the bank on. */
static uint32_t value(const struct engine *e, enum what w, uint32_t base)
{
	switch (w) {
	case STACK: /* it grows down */
		return e->local_bytes;
	case LOCAL_LOW:
		return LOCAL_WINDOW;
	case CONST_LOW:
		return CONST_VARS_WINDOW;
	case SHARED_HIGH:
		return NATIVE_SHARED_HIGH;
	case PARAM_LOW: /* of the bank before sm_90, of the first parameter later */
		return CONST_WINDOW + (e->k->native->sm < 90 ? 0 : base);
	case PARAMS_END:
		return base + e->l.param_bytes - 1;
	case LAST_LOW:
		return CONST_WINDOW + base + e->l.param_bytes - 1;
	case PER_CLUSTER_X:
	case PER_CLUSTER_Y:
	case PER_CLUSTER_Z:
		return per_cluster(e->cluster[w - PER_CLUSTER_X]);
	case LOCAL_HIGH:
	case CONST_HIGH:
	case SHARED_LOW:
	case DESC_LOW:
	case DESC_HIGH:
	case RESERVED_SMEM:
	case PARAM_HIGH:
	case LAST_HIGH:
	case WHATS:
		break;
	}
	return 0;
}

static uint32_t special_value(const struct engine *e, unsigned row, unsigned n)
{
	const bool wide = special[row].first == SREG_GRIDID;
	uint64_t v = 0;

	sreg_constant(e, (enum sreg)(special[row].first + (wide ? 0 : n)), &v);
	return (uint32_t)(wide && n ? v >> 32 : v);
}

/* The handle of a texture or surface, in bank 0 (analyzer/sass/lift_data.c). */
static bool is_handle(const struct native_address *to)
{
	return to->what == NATIVE_UNKNOWN && !to->code && to->section && to->at < BANK_BYTES;
}

bool native_address_value(const struct engine *e, const struct native_address *to, uint64_t *v)
{
	const struct native *n = e->k->native;

	switch ((enum native_what)to->what) {
	case NATIVE_VARIABLE:
		*v = e->mod->addr[to->of] + (uint64_t)to->addend +
		     (e->k->m->sym[to->of].space == SP_CONST ? CONST_VARS_WINDOW : 0);
		return true;
	case NATIVE_CODE:
		return native_code_address(n, to->section, (uint64_t)to->addend, v);
	case NATIVE_RUNTIME:
		return native_runtime_address(to->name, v);
	case NATIVE_KERNEL:
		*v = kernel_address(to->name, strlen(to->name));
		return true;
	case NATIVE_UNKNOWN:
		break;
	}
	return false;
}

static void bind_addresses(struct engine *e)
{
	const struct native *n = e->k->native;

	e->bank4 = new_array(&e->a, unsigned char, n->nconstant4 + 8u);
	e->bank4_known = new_array(&e->a, unsigned char, n->nconstant4 + 8u);
	for (uint32_t a = 0; a < n->naddress; a++) {
		const struct native_address *to = &n->address[a];
		uint64_t v;

		if (to->code || is_handle(to) || to->at > n->nconstant4 || to->bytes > n->nconstant4 - to->at ||
		    !native_address_value(e, to, &v))
			continue;
		memcpy(e->bank4 + to->at, &v, to->bytes);
		memset(e->bank4_known + to->at, 1, to->bytes);
	}
}

/* Handles of textures and surfaces that are bound by name, behind the parameters. */
static void bind_handles(struct engine *e)
{
	const struct native *n = e->k->native;
	uint64_t v;

	for (uint32_t a = 0; a < n->naddress; a++) {
		const struct native_address *to = &n->address[a];

		v = is_handle(to) ? resource_named(e->dev, to->name) : 0;
		if (!v)
			continue;
		memcpy(e->bank0 + to->at, &v, to->bytes);
		memset(e->bank0_known + to->at, 1, to->bytes);
	}
}

static void put_word(struct engine *e, uint32_t offset, uint32_t v)
{
	if (offset == NONE)
		return;
	memcpy(e->bank0 + offset, &v, WORD);
	memset(e->bank0_known + offset, 1, WORD);
}

void native_bind(struct engine *e)
{
	const struct native *n = e->k->native;
	const enum generation t = generation_of(n->sm);
	const uint32_t base = n->param_base ? n->param_base : param_base[t];

	e->bank0_bytes = base + e->l.param_bytes;
	if (e->bank0_bytes < BANK0_LEAST)
		e->bank0_bytes = BANK0_LEAST;
	for (uint32_t a = 0; a < n->naddress; a++)
		if (is_handle(&n->address[a]) && n->address[a].at + n->address[a].bytes > e->bank0_bytes)
			e->bank0_bytes = (uint32_t)n->address[a].at + n->address[a].bytes;
	e->bank0 = new_array(&e->a, unsigned char, e->bank0_bytes + 8u);
	e->bank0_known = new_array(&e->a, unsigned char, e->bank0_bytes + 8u);
	for (unsigned w = 0; w < WHATS; w++)
		put_word(e, at[w][t], value(e, (enum what)w, base));
	for (unsigned row = 0; row < sizeof special / sizeof *special; row++)
		for (unsigned x = 0; x < special[row].n && special[row].at[t] != NONE; x++)
			put_word(e, special[row].at[t] + x * WORD, special_value(e, row, x));
	if (e->l.param_bytes) {
		memcpy(e->bank0 + base, e->l.params, e->l.param_bytes);
		memset(e->bank0_known + base, 1, e->l.param_bytes);
	}
	bind_addresses(e);
	bind_handles(e);
}

bool native_constant(struct decoder *dc, unsigned bank, uint32_t offset, unsigned bytes, uint64_t *value_)
{
	const struct engine *e = dc->e;
	const struct native *n = e->k->native;
	const unsigned char *from = NULL, *known = NULL;
	uint64_t size = 0;

	*value_ = 0;
	if (bank == 0) {
		from = e->bank0;
		size = e->bank0_bytes;
		known = e->bank0_known;
	} else if (bank == 2) {
		from = n->constant2;
		size = n->nconstant2;
	} else if (bank == 3) {
		from = e->mod->bank3;
		size = e->mod->bank3_bytes;
	} else if (bank == 4) {
		from = e->bank4;
		size = n->nconstant4;
		known = e->bank4_known;
	}
	if (!from || offset > size || bytes > size - offset || (known && memchr(known + offset, 0, bytes)))
		return fault_in(dc->e, FAULT_ILLEGAL, NULL, NULL, dc->at, WARP_LANES,
				"reads c[0x%x][0x%x], of which nobody knows what stands there", bank, offset);
	memcpy(value_, from + offset, bytes);
	return true;
}
