/* Counts of what places say: nothing here knows how they were chosen. */
#include "orf_traffic.h"

#include "pass.h"

double orf_block_weight(const struct kernel *k, enum orf_weights weights, uint32_t b)
{
	if (weights == ORF_WEIGHTS_STATIC || !k->freq->executions[b])
		return 1;
	return (double)k->freq->executions[b];
}

static void count_insn(struct orf_traffic *t, const struct kernel *k, const struct orf *o, uint32_t i, double w)
{
	bool shared = insn_is_shared(&k->insn[i]);
	const uint8_t *place = o->place + o->at[i];
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned x = 0; x < r.nsrc; x++) {
		enum rf_level level = place_level(place[x]);
		bool fill = level != LEVEL_MRF && place_mrf(place[x]);

		t->read[fill ? LEVEL_MRF : level][shared] += w;
		t->write[level][shared] += fill ? w : 0;
		t->fills += fill ? w : 0;
		t->filled[level] += fill ? w : 0;
		t->operands_read[shared] += w;
	}
	for (unsigned x = r.nsrc; x < r.nsrc + (unsigned)r.ndst; x++) {
		enum rf_level level = place_level(place[x]);
		bool both = level != LEVEL_MRF && place_mrf(place[x]);

		t->write[level][shared] += w;
		t->write[LEVEL_MRF][shared] += both ? w : 0;
		t->both += both ? w : 0;
		t->operands_written[shared] += w;
	}
}

void orf_traffic_count(struct orf_traffic *t, const struct kernel *k, const struct orf *o, enum orf_weights weights)
{
	*t = (struct orf_traffic){ .fills = 0 };
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			count_insn(t, k, o, i, orf_block_weight(k, weights, b));
}

struct orf_spent orf_traffic_energy(const struct orf_traffic *t, const struct orf_options *o)
{
	struct rf_access mrf = orf_access_energy(LEVEL_MRF, 0, o->warps);
	struct orf_spent s = { .access = 0 };

	for (unsigned shared = 0; shared < 2; shared++) {
		for (enum rf_level l = 0; l < RF_LEVELS; l++) {
			struct rf_access a =
				orf_access_energy(l, o->cost_entries ? o->cost_entries : o->entries, o->warps);

			s.access += OPERAND_ACCESSES * (t->read[l][shared] * a.read + t->write[l][shared] * a.write);
			s.wire +=
				OPERAND_WORDS * (t->read[l][shared] + t->write[l][shared]) * orf_wire_energy(l, shared);
		}
		s.base_access += OPERAND_ACCESSES *
				 (t->operands_read[shared] * mrf.read + t->operands_written[shared] * mrf.write);
		s.base_wire += OPERAND_WORDS * (t->operands_read[shared] + t->operands_written[shared]) *
			       orf_wire_energy(LEVEL_MRF, shared);
	}
	return s;
}

static unsigned bits_for(unsigned n)
{
	unsigned b = 0;

	while (1u << b < n)
		b++;
	return b;
}

struct orf_encoding orf_encoding(const struct kernel *k, const struct orf *o, enum orf_organisation org)
{
	struct orf_encoding e = { .registers = k->res.regs, .entries = o->entries + orf_l0_entries(org) };

	e.names = e.registers + e.entries;
	e.name_bits_before = bits_for(e.registers);
	e.name_bits = bits_for(e.names);
	e.second_bits = bits_for(e.entries + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn_regs r;

		ir_insn_regs(k, &k->insn[i], &r);
		for (unsigned x = 0; x < r.nsrc + (unsigned)r.ndst; x++) {
			uint8_t p = o->place[o->at[i] + x];
			bool two = place_level(p) != LEVEL_MRF && place_mrf(p);

			e.second_sources += two && x < r.nsrc;
			e.second_results += two && x >= r.nsrc;
		}
	}
	return e;
}
