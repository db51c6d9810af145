/* The object format, once: every record is a list of fields that makes the C struct, its size in the file and the one
 * function that both writes and reads it, so that the two directions cannot disagree. docs/RLO.md says what each means.
 *
 * Each .regloom section is a 16-byte head (magic 4, version 2, bytes of one record 2, number of records 8) and the
 * records. Integers are little-endian, unaligned, without padding. `str` fields are offsets in .regloom.strings, 0:
 * none. */
#ifndef REGLOOM_ELF_FORMAT_H
#define REGLOOM_ELF_FORMAT_H

#include "analyzer/ir/ir.h"
#include "passes/orf.h"
#include "passes/pass.h"

enum {
	RLO_HEAD_BYTES = 16,
	RLO_CODE_VERSION = 1,  /* of the instruction encoding in .text.NAME, which has no head */
	RLO_OPERANDS = 10,     /* in an instruction: 8 vector elements, an address and one to spare; */
	RLO_OPERANDS_MAX = 32, /* further ones of matrix rows are in .regloom.operands.NAME */
	RLO_SET_WORDS = 5,     /* one bit for each machine register: R0..R254, RZ, P0..P6, PT */
	/* and for each of decoded machine code, with UR0..UR254, URZ, UP0..UP6, UPT, B0..B15 */
	RLO_NATIVE_WORDS = 9,
	RLO_KERNELS_MAX = 4096, /* of an object; ELF numbers at most 65,279 sections */
	RLO_VAR_EXTERNAL = 1,
	RLO_VAR_VISIBLE = 2,
	RLO_VAR_INIT = 4,
	RLO_ORF_PARTIAL = 1,
	RLO_ORF_READ_OPERANDS = 2,
	RLO_ORF_BRANCHES = 4,
	RLO_ORF_NEVER_FLUSH = 8,
	RLO_ORF_EXACT = 16,
	RLO_ORF_PAST_BARRIERS = 32,
	RLO_ORF_FLAGS = 63,
	RLO_REGMUTEX_RULES_OFF = 1,
	RLO_REGMUTEX_EVEN = 2,
	RLO_REGMUTEX_FLAGS = 3,
	RLO_REGMUTEX_REGS = 256,    /* of a variant: 255, rounded up to what registers are allocated by */
	RLO_SECTIONS_MAX = 65279,   /* that ELF numbers */
	RLO_GUARD_BIT = 31,         /* in rlo_point.last_read: the guard's */
	RLO_SPACE_BYTES = 16 << 20, /* most of shared, local or constant space */
};

#define RLO_NONE UINT32_MAX

/* Field lists: F(type, name), A(type, name, elements). */
/* clang-format off */
#define RLO_FIELDS_module(F, A) \
	F(uint32_t, ptx_version) F(uint32_t, sm) F(uint32_t, address_bits) F(uint32_t, target) F(uint32_t, source)
#define RLO_FIELDS_opcode(F, A) F(uint32_t, str)
#define RLO_FIELDS_sreg(F, A) F(uint32_t, str)
#define RLO_FIELDS_type(F, A) F(uint32_t, str)
#define RLO_FIELDS_file(F, A) F(uint32_t, str)
#define RLO_FIELDS_entry(F, A) F(uint32_t, symbol)
#define RLO_FIELDS_var(F, A) \
	F(uint32_t, symbol) F(uint8_t, space) F(uint8_t, flags) F(uint16_t, zero) F(uint32_t, align) \
	F(uint32_t, kernel) F(uint64_t, size) F(uint64_t, offset)
#define RLO_FIELDS_reloc(F, A) \
	F(uint32_t, var) F(uint32_t, target) F(uint64_t, offset) F(int64_t, addend) F(uint8_t, bytes) \
	F(uint8_t, generic) F(uint16_t, zero) F(uint32_t, zero2)
#define RLO_FIELDS_line(F, A) F(uint32_t, file) F(uint32_t, line) F(uint32_t, col)
#define RLO_FIELDS_info(F, A) \
	F(uint32_t, code_version) F(uint32_t, insns) F(uint32_t, blocks) A(uint32_t, maxntid, 3) \
	A(uint32_t, reqntid, 3) F(uint32_t, minnctapersm) F(uint32_t, maxnreg) A(uint32_t, cluster, 3) \
	F(uint32_t, max_cluster) F(uint32_t, explicit_cluster) F(uint32_t, regs) F(uint32_t, preds) \
	F(uint32_t, shared_bytes) F(uint32_t, local_bytes) F(uint32_t, param_bytes) F(uint32_t, barriers) \
	F(uint32_t, spill_loads) F(uint32_t, spill_stores) F(uint32_t, spill_bytes) \
	F(uint32_t, virtual_regs) F(uint32_t, virtual_insns) F(uint32_t, max_live32) F(uint32_t, max_livep) \
	F(uint32_t, stack)
#define RLO_FIELDS_param(F, A) \
	F(uint32_t, name) F(uint32_t, offset) F(uint32_t, size) F(uint32_t, align) F(uint16_t, type) F(uint16_t, array)
#define RLO_FIELDS_insn(F, A) \
	F(uint16_t, op) F(uint8_t, ndst) F(uint8_t, nsrc) F(uint32_t, guard) F(int32_t, offset) \
	F(uint8_t, space) F(uint8_t, vec) F(uint8_t, cop) F(uint8_t, cbool) F(uint32_t, mods) F(uint32_t, more) \
	A(uint32_t, operand, RLO_OPERANDS)
#define RLO_FIELDS_more(F, A) F(uint32_t, operand)
#define RLO_FIELDS_sym(F, A) \
	F(uint32_t, name) F(uint8_t, info) F(uint8_t, other) F(uint16_t, shndx) F(uint64_t, value) \
	F(uint64_t, size)
#define RLO_FIELDS_imm(F, A) F(uint64_t, bits)
#define RLO_FIELDS_symref(F, A) F(uint32_t, var) F(uint32_t, zero) F(int64_t, addend)
#define RLO_FIELDS_lineno(F, A) F(uint32_t, line) F(uint32_t, where)
#define RLO_FIELDS_block(F, A) \
	F(uint32_t, first) F(uint32_t, insns) F(uint32_t, label) F(uint32_t, depth) F(uint32_t, idom) F(uint32_t, ipdom)
#define RLO_FIELDS_live(F, A) \
	A(uint64_t, in, RLO_SET_WORDS) A(uint64_t, out, RLO_SET_WORDS) A(uint64_t, entry_release, RLO_SET_WORDS)
#define RLO_FIELDS_point(F, A) F(uint16_t, live32) F(uint16_t, livep) F(uint32_t, last_read) F(uint16_t, releases)
#define RLO_FIELDS_release(F, A) F(uint16_t, reg)
#define RLO_FIELDS_wait(F, A) A(uint64_t, wait, RLO_SET_WORDS)
#define RLO_FIELDS_wfree(F, A) F(uint32_t, at) F(uint16_t, reg) F(uint16_t, entry)
#define RLO_FIELDS_jtable(F, A) F(uint32_t, first) F(uint32_t, targets)
#define RLO_FIELDS_target(F, A) F(uint64_t, key) F(uint32_t, block) F(uint32_t, zero)
#define RLO_FIELDS_proc(F, A) F(uint32_t, first) F(uint32_t, name)
#define RLO_FIELDS_affinity(F, A) F(uint16_t, a) F(uint16_t, b) F(uint64_t, weight)
#define RLO_FIELDS_corf(F, A) \
	F(uint64_t, greedy_kept) F(uint64_t, matching_kept) F(uint64_t, align_bound) F(uint8_t, pairs) \
	F(uint8_t, sides) F(uint8_t, limited) F(uint8_t, counted) F(uint64_t, sum)
#define RLO_FIELDS_pairs(F, A) F(uint64_t, word)
#define RLO_FIELDS_align(F, A) F(uint64_t, word)
#define RLO_FIELDS_orf(F, A) \
	F(uint8_t, entries) F(uint8_t, warps) F(uint8_t, cost_entries) F(uint8_t, writes) F(uint8_t, ranges) \
	F(uint8_t, weights) F(uint16_t, flags) A(uint64_t, greedy, 3) A(uint64_t, saved, 3) \
	A(uint64_t, bound, 3) F(uint64_t, sum)
#define RLO_FIELDS_place(F, A) A(uint8_t, place, 3)
#define RLO_FIELDS_strand(F, A) F(uint32_t, id) F(uint8_t, begin)
#define RLO_FIELDS_rfc(F, A) F(uint32_t, last) F(uint16_t, shared)
#define RLO_FIELDS_regmutex(F, A) \
	F(uint32_t, regs) F(uint32_t, asked) F(uint32_t, base) F(uint32_t, extended) F(uint32_t, threads) \
	F(uint32_t, ctas) F(uint32_t, warps) F(uint32_t, chosen) F(uint32_t, demand) F(uint32_t, needs) \
	F(uint32_t, needs_at) F(uint32_t, acquires) F(uint32_t, releases) F(uint32_t, moves) \
	F(uint32_t, held) F(uint64_t, acquires_weighted) F(uint64_t, releases_weighted) \
	F(uint64_t, moves_weighted) F(uint64_t, held_weighted) F(uint64_t, all_weighted) F(uint8_t, limit) \
	F(uint8_t, reason) F(uint8_t, flags) F(uint8_t, needs_wait) F(uint32_t, machine) \
	F(uint32_t, registers) F(uint32_t, granule) F(uint32_t, shared_bytes) F(uint32_t, sm_threads) \
	F(uint32_t, sm_ctas) F(uint32_t, dynamic_bytes) F(uint64_t, plain_weighted) F(uint64_t, sum)
#define RLO_FIELDS_regsize(F, A) \
	F(uint32_t, extended) F(uint32_t, base) F(uint32_t, ctas) F(uint32_t, warps) F(uint32_t, sections) \
	F(uint32_t, paired_ctas) F(uint32_t, paired_warps) F(uint32_t, progress) F(uint32_t, why) \
	F(uint32_t, at) F(uint32_t, needs)
#define RLO_FIELDS_owf(F, A) F(uint8_t, rank)
#define RLO_FIELDS_shape(F, A) A(uint32_t, block, 3) F(uint64_t, sum)
#define RLO_FIELDS_scalar(F, A) F(uint8_t, flags)
#define RLO_FIELDS_lanes(F, A) F(uint8_t, kind) F(int32_t, stride)
#define RLO_FIELDS_spill(F, A) \
	F(uint32_t, insn) F(uint32_t, slot) F(uint32_t, name) F(uint8_t, store) F(uint8_t, rc) F(uint16_t, zero)
/* Of cubins (docs/ANNOTATED_CUBIN.md): places are a section of the file and a byte in it. */
#define RLO_AT(F) F(uint32_t, section) F(uint32_t, address)
#define RLO_FIELDS_cubin(F, A) F(uint32_t, writer) F(uint32_t, sm) F(uint64_t, strings)
#define RLO_FIELDS_code(F, A) F(uint32_t, section) F(uint32_t, name) F(uint64_t, size) A(uint8_t, sha256, 32)
#define RLO_FIELDS_native(F, A) \
	F(uint32_t, insns) F(uint32_t, blocks) F(uint32_t, unknown) F(uint32_t, regs) \
	F(uint32_t, max_live32) F(uint32_t, max_livep) F(uint32_t, max_liveu) F(uint32_t, max_liveup)
#define RLO_FIELDS_part(F, A) RLO_AT(F) F(uint32_t, first) F(uint32_t, insns)
#define RLO_FIELDS_nblock(F, A) \
	RLO_AT(F) F(uint32_t, first) F(uint32_t, insns) F(uint32_t, depth) F(uint32_t, idom) F(uint32_t, ipdom)
#define RLO_FIELDS_nlive(F, A) \
	A(uint64_t, in, RLO_NATIVE_WORDS) A(uint64_t, out, RLO_NATIVE_WORDS) \
	A(uint64_t, entry_release, RLO_NATIVE_WORDS)
#define RLO_FIELDS_npoint(F, A) \
	RLO_AT(F) F(uint16_t, live32) F(uint16_t, livep) F(uint16_t, liveu) F(uint16_t, liveup) \
	F(uint16_t, last_reads) F(uint16_t, releases) F(uint8_t, reads) F(uint8_t, writes)
#define RLO_FIELDS_lastread(F, A) F(uint16_t, reg)
#define RLO_FIELDS_operand(F, A) F(uint8_t, reg)
#define RLO_FIELDS_nwait(F, A) A(uint64_t, wait, RLO_NATIVE_WORDS)
#define RLO_FIELDS_mutex(F, A) F(uint32_t, points) F(uint32_t, held) F(uint64_t, sum)
#define RLO_FIELDS_acquire(F, A) RLO_AT(F) F(uint32_t, from_section) F(uint32_t, from_address) F(uint32_t, acquire)
#define RLO_FIELDS_held(F, A) F(uint8_t, held)
#define RLO_FIELDS_nfree(F, A) RLO_AT(F) F(uint16_t, reg) F(uint16_t, entry)
/* clang-format on */

/* R(type, magic, version, section, kernel): the section's name, for a kernel's sections up to the kernel's name. */
/* clang-format off */
#define RLO_RECORDS(R) \
	R(module,  "RLmd", 1, ".regloom.module", false) \
	R(opcode,  "RLop", 1, ".regloom.opcodes", false) \
	R(sreg,    "RLsr", 1, ".regloom.sregs", false) \
	R(type,    "RLty", 1, ".regloom.types", false) \
	R(entry,   "RLke", 1, ".regloom.kernels", false) \
	R(var,     "RLva", 1, ".regloom.vars", false) \
	R(reloc,   "RLre", 1, ".regloom.reloc", false) \
	R(file,    "RLfi", 1, ".regloom.files", false) \
	R(line,    "RLli", 1, ".regloom.lines", false) \
	R(info,    "RLin", 3, ".regloom.info.", true) \
	R(param,   "RLpa", 1, ".regloom.params.", true) \
	R(imm,     "RLim", 1, ".regloom.imm.", true) \
	R(symref,  "RLsy", 1, ".regloom.symref.", true) \
	R(more,    "RLmo", 1, ".regloom.operands.", true) \
	R(lineno,  "RLln", 1, ".regloom.lineno.", true) \
	R(block,   "RLbl", 1, ".regloom.blocks.", true) \
	R(live,    "RLlv", 1, ".regloom.live.", true) \
	R(point,   "RLpt", 2, ".regloom.points.", true) \
	R(release, "RLrl", 1, ".regloom.release.", true) \
	R(wait,    "RLww", 1, ".regloom.wait.", true) \
	R(wfree,   "RLwf", 1, ".regloom.wrelease.", true) \
	R(spill,   "RLsp", 1, ".regloom.spill.", true) \
	R(affinity, "RLaf", 1, ".regloom.affinity.", true) \
	R(corf,    "RLco", 2, ".regloom.corf.", true) \
	R(pairs,   "RLpw", 1, ".regloom.pairs.", true) \
	R(align,   "RLaw", 1, ".regloom.align.", true) \
	R(orf,     "RLor", 1, ".regloom.orf.", true) \
	R(place,   "RLpl", 1, ".regloom.places.", true) \
	R(strand,  "RLst", 2, ".regloom.strand.", true) \
	R(rfc,     "RLrc", 1, ".regloom.rfc.", true) \
	R(regmutex, "RLrm", 1, ".regloom.regmutex.", true) \
	R(regsize, "RLrs", 2, ".regloom.regsizes.", true) \
	R(owf,     "RLow", 1, ".regloom.owf.", true) \
	R(shape,   "RLsh", 2, ".regloom.shape.", true) \
	R(scalar,  "RLsc", 1, ".regloom.scalar.", true) \
	R(lanes,   "RLla", 1, ".regloom.lanes.", true) \
	R(jtable,  "RLjt", 1, ".regloom.tables.", true) \
	R(target,  "RLjb", 1, ".regloom.targets.", true) \
	R(proc,    "RLfn", 1, ".regloom.functions.", true) \
	R(cubin,   "RLcu", 1, ".regloom.cubin", false) \
	R(code,    "RLcs", 1, ".regloom.code", false) \
	R(native,  "RLnk", 1, ".regloom.kernel.", true) \
	R(part,    "RLnr", 1, ".regloom.parts.", true) \
	R(nblock,  "RLnb", 1, ".regloom.blocks.", true) \
	R(nlive,   "RLnl", 1, ".regloom.live.", true) \
	R(npoint,  "RLnp", 1, ".regloom.points.", true) \
	R(lastread, "RLlr", 1, ".regloom.lastread.", true) \
	R(operand, "RLrg", 1, ".regloom.registers.", true) \
	R(nwait,   "RLnw", 1, ".regloom.wait.", true) \
	R(nfree,   "RLnf", 1, ".regloom.wrelease.", true) \
	R(mutex,   "RLmx", 1, ".regloom.mutex.", true) \
	R(acquire, "RLaq", 1, ".regloom.acquire.", true) \
	R(held,    "RLhd", 1, ".regloom.held.", true)
/* clang-format on */

/* a place in a section, and the direction */
struct io {
	uint8_t *p;
	bool put;
};

static inline uint64_t io_int(struct io *io, uint64_t v, unsigned bytes)
{
	uint64_t x = 0;

	if (io->put) {
		for (unsigned b = 0; b < bytes; b++)
			*io->p++ = (uint8_t)(v >> 8 * b);
		return v;
	}
	for (unsigned b = 0; b < bytes; b++)
		x |= (uint64_t)*io->p++ << 8 * b;
	return x;
}

#define RLO_FIELD(type, name) type name;
#define RLO_ARRAY(type, name, n) type name[n];
#define RLO_FIELD_BYTES(type, name) +sizeof(type)
#define RLO_ARRAY_BYTES(type, name, n) +sizeof(type) * (n)
#define RLO_FIELD_IO(type, name) r->name = (type)io_int(io, (uint64_t)r->name, sizeof(type));
#define RLO_ARRAY_IO(type, name, n)        \
	for (unsigned e = 0; e < (n); e++) \
		r->name[e] = (type)io_int(io, (uint64_t)r->name[e], sizeof(type));
#define RLO_RECORD(t)                                                                \
	struct rlo_##t {                                                             \
		RLO_FIELDS_##t(RLO_FIELD, RLO_ARRAY)                                 \
	};                                                                           \
	enum { RLO_BYTES_##t = 0 RLO_FIELDS_##t(RLO_FIELD_BYTES, RLO_ARRAY_BYTES) }; \
	static inline void rlo_io_##t(struct io *io, struct rlo_##t *r) { RLO_FIELDS_##t(RLO_FIELD_IO, RLO_ARRAY_IO) }
#define RLO_RECORD_ROW(t, magic, version, section, kernel) RLO_RECORD(t)

RLO_RECORDS(RLO_RECORD_ROW)
RLO_RECORD(insn)
RLO_RECORD(sym) /* Elf64_Sym */
#undef RLO_RECORD_ROW
#undef RLO_RECORD

_Static_assert(RLO_BYTES_insn == 64, "docs/RLO.md: an instruction is 64 bytes");
_Static_assert(RLO_SET_WORDS * 64 >= MREG_COUNT && (RLO_SET_WORDS - 1) * 64 < MREG_COUNT, "register sets fit");
_Static_assert(RLO_NATIVE_WORDS * 64 >= MREG_ALL && (RLO_NATIVE_WORDS - 1) * 64 < MREG_ALL &&
		       (int)RLO_NATIVE_WORDS == (int)WLIVE_WORDS,
	       "all of them");

enum rlo_record {
#define R(t, magic, version, section, kernel) RLO_R_##t,
	RLO_RECORDS(R)
#undef R
		RLO_R_COUNT
};

struct rlo_table {
	const char *magic, *section;
	uint16_t version, bytes;
	bool kernel;
};
extern const struct rlo_table rlo_table[RLO_R_COUNT];

/* Numbers that stand in the file as the IR has them: a change of these enums is a new RLO_CODE_VERSION. */
_Static_assert(REF_NONE == 0 && REF_REG == 1 && REF_IMM == 2 && REF_CONST == 3 && REF_SREG == 4 && REF_SYM == 5 &&
		       REF_BLOCK == 6,
	       "operand kinds");
_Static_assert(SP_GENERIC == 1 && SP_GLOBAL == 2 && SP_SHARED == 3 && SP_LOCAL == 4 && SP_CONST == 5 && SP_PARAM == 6,
	       "spaces");
_Static_assert(COP_CA == 1 && COP_CG == 2 && COP_CS == 3 && COP_CV == 4 && COP_LU == 5 && COP_WB == 6 && COP_WT == 7 &&
		       COP_NC == 8,
	       "cache operators");
_Static_assert(CB_AND == 1 && CB_OR == 2 && CB_XOR == 3, "predicate combinations");
_Static_assert(MOD_FTZ == 1 && MOD_SAT == 2 && MOD_VOLATILE == 4 && MOD_UNI == 8 && MOD_RELAXED == 16 &&
		       MOD_ACQUIRE == 32 && MOD_RELEASE == 64,
	       "modifiers");
_Static_assert(RC_PRED == 0 && RC_32 == 1 && RC_64 == 2, "register classes");
_Static_assert(MREG_RZ == 255 && MREG_P0 == 256 && MREG_PT == 263 && PARAM_BASE == 0x20,
	       "machine registers, parameters");

static inline uint32_t rlo_pack_ref(struct ref r)
{
	return (uint32_t)r.kind | (uint32_t)r.neg << 3 | (uint32_t)r.abs << 4 | (uint32_t)r.val << 5;
}

static inline struct ref rlo_unpack_ref(uint32_t w)
{
	return (struct ref){ .kind = w & 7, .neg = w >> 3 & 1, .abs = w >> 4 & 1, .val = w >> 5 };
}

/* A growing run of bytes in an arena. */
struct buf {
	struct arena *a;
	uint8_t *p;
	size_t n, cap;
};
uint8_t *buf_room(struct buf *b, size_t bytes); /* appends so many zero bytes and returns where they are */

/* A string table under construction: offset 0 is no string. */
struct strtab {
	struct intern t;
	uint32_t *off;
	uint32_t cap;
	struct buf bytes;
};
void strtab_init(struct strtab *s, struct arena *a);
uint32_t strtab_add(struct strtab *s, const char *text);

/* One table under construction: its head is filled in by rlo_table_end(). */
struct buf rlo_table_begin(enum rlo_record t, struct arena *a);
void rlo_table_end(struct buf *b, enum rlo_record t);
#define RLO_PUT(b, t, ...)                                              \
	do {                                                            \
		struct rlo_##t record_ = { __VA_ARGS__ };               \
		struct io io_ = { buf_room((b), RLO_BYTES_##t), true }; \
		rlo_io_##t(&io_, &record_);                             \
	} while (0)

/* What is stored of k against what was made of its code. False with a diagnostic that says "`what` not that of the
 * code". */
struct reader;
bool rlo_same(struct reader *r, const struct kernel *k, enum rlo_record id, const struct buf *made, const char *what);

/* The liveness annotation of k: FACT_CFG and FACT_LIVE valid. The reader makes it again and compares. */
struct rlo_liveness {
	struct buf live, point, release;
};
void rlo_encode_liveness(const struct kernel *k, struct arena *a, struct rlo_liveness *out);

/* The release annotation: what waiting lanes of a warp may read, and where a warp may give registers back. */
struct rlo_releases {
	struct buf wait, wfree;
};
void rlo_encode_release(const struct kernel *k, struct arena *a, struct rlo_releases *out);
/* CORF's hints and the graph that they come from: FACT_CORF valid. */
struct rlo_hints {
	struct buf affinity, corf, pairs, align;
};
void rlo_encode_hints(const struct kernel *k, struct arena *a, struct rlo_hints *out);
/* Places of operands in the levels that the compiler controls: FACT_ORF valid. */
struct rlo_places {
	struct buf orf, places;
};
void rlo_encode_places(const struct kernel *k, struct arena *a, struct rlo_places *out);
/* Strands and hints for caches: FACT_STRAND and FACT_RFC valid. */
struct rlo_strand_tables {
	struct buf strand, rfc;
};
void rlo_encode_strands(const struct kernel *k, struct arena *a, struct rlo_strand_tables *out);

/* Uniform values: FACT_UNIFORM valid. The reader makes them again, for CTAs of `block` threads. */
struct rlo_uniform_tables {
	struct buf shape, scalar, lanes;
};
void rlo_encode_uniform(const struct kernel *k, struct arena *a, struct rlo_uniform_tables *out);

/* The order in which registers are shared: FACT_OWF valid. */
struct buf rlo_encode_owf(const struct kernel *k, struct arena *a);

/* ---- one object being read: read.c has the container, read_module.c and read_kernel.c what is in it ---- */
struct rlo_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t entsize, size;
	const uint8_t *p;
};

/* head: bytes before p */
struct table {
	const char *section;
	const uint8_t *p;
	uint32_t n;
	uint16_t bytes, head;
};

struct reader {
	const char *name;      /* of the object, for diagnostics */
	uint32_t section_type; /* of those that hold tables */
	struct arena *a;
	struct diag *d;
	struct module *m;
	struct rlo_section *sec;
	uint32_t nsec;       /* by ELF index; [0] is empty */
	struct intern names; /* section names; at[id]: index into sec */
	uint32_t *at, at_cap;
	struct table symbols;
	struct table strings, symnames; /* NUL at the end */
	uint32_t *op, nop;              /* enum op of each opcode number of the object, and so on */
	uint32_t *sreg, nsreg, *type, ntype;
	uint64_t const_bytes; /* of bank 3 */
};

const struct rlo_section *rlo_section(const struct reader *r, const char *name);
/* Finds table t (of kernel `kernel`, or "") and checks its head against its section. An absent optional table has no
 * records. False with a diagnostic. */
bool rlo_open(struct reader *r, enum rlo_record t, const char *kernel, bool optional, struct table *out);
/* Reports what is wrong with one record. Returns false. */
bool rlo_bad(struct reader *r, const struct table *t, uint32_t record, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The string at OFF of a string section, copied to the arena. `word`: printable without blanks, not empty; otherwise an
 * offset of 0 gives NULL. False if it is out of range or not such a word; the caller reports. */
bool rlo_string(struct reader *r, const struct table *strings, uint32_t off, bool word, const char **out);
bool rlo_read_module(struct reader *r); /* everything but the kernels; their names are known after it */
/* FACT_CFG valid; makes FACT_AFFINITY and FACT_CORF so */
bool rlo_read_hints(struct reader *r, struct kernel *k);
/* What an object says of its places, by organisation, but not the places: strands depend on the options. */
bool rlo_read_orf(struct reader *r, const struct kernel *k, struct orf orf[ORG_COUNT]);
/* The places, FACT_STRAND valid; makes FACT_ORF so. */
bool rlo_read_places(struct reader *r, struct kernel *k, const struct orf orf[ORG_COUNT]);
bool rlo_read_owf(struct reader *r, struct kernel *k); /* makes FACT_OWF valid */
/* threads of a CTA that uniform values are for */
bool rlo_read_shape(struct reader *r, const struct kernel *k, uint32_t block[3]);
/* The facts that follow from the code, made again to be compared; false: a pass failed, or the shape is damaged. */
bool rlo_need_facts(struct reader *r, struct kernel *k, const struct orf_options *options);
bool rlo_read_kernel(struct reader *r, struct kernel *k, const struct rlo_section *text);
/* What was decided of sharing registers between warps, for k->regmutex; machine: string of its name. The reader leaves
 * it NULL if nothing was. */
struct rlo_regmutex_tables {
	struct buf decision, sizes;
};
void rlo_encode_regmutex(const struct kernel *k, uint32_t machine, struct arena *a, struct rlo_regmutex_tables *out);
bool rlo_read_regmutex(struct reader *r, struct kernel *k); /* the code of k has been read */
/* a variant against its kernel */
bool rlo_check_variant(struct reader *r, const struct kernel *v, const struct kernel *k);
/* What the sections of a kernel's variant have for its name: no name in PTX has a dot. */
#define RLO_VARIANT ".regmutex"

/* Reads record `index` of a table. */
#define RLO_GET(table_, index, t, out)                                                                          \
	do {                                                                                                    \
		struct io io_ = { (uint8_t *)(uintptr_t)((table_)->p + (size_t)(index)*RLO_BYTES_##t), false }; \
		*(out) = (struct rlo_##t){ 0 };                                                                 \
		rlo_io_##t(&io_, (out));                                                                        \
	} while (0)

static inline bool rlo_power_of_two(uint64_t n) { return n && !(n & (n - 1)); }

#endif
