/* The kernel IR: one form for PTX with virtual registers, for lowered machine code, and for decoded SASS.
 *
 * Everything is a flat array and a dense index. An instruction is 32 bytes; its operands (destinations first, then
 * sources) are a run in k->opnd. Blocks are contiguous index ranges of k->insn, in layout order; a branch names its
 * target block. The invariants that hold between passes are the ones that ir_verify() checks; docs/IR.md explains them.
 *
 * Registers live in one index space. FORM_VIRTUAL: 0 .. nreg-1 as the reader declared them, each with a class.
 * FORM_MACHINE: the fixed space below (R0..R254, RZ, P0..P6, PT); a 64-bit operand names the even register of a pair.
 * Decoded machine code (k->native) is in this form too; it also has uniform registers, their predicates and convergence
 * barriers (UR0..UR254, URZ, UP0..UP6, UPT, B0..B15), and names each register of a pair or a longer tuple as an operand
 * of its own. */
#ifndef REGLOOM_IR_H
#define REGLOOM_IR_H

#include "analyzer/base/arena.h"
#include "analyzer/base/bitset.h"
#include "analyzer/base/diag.h"
#include "analyzer/base/intern.h"
#include "analyzer/ir/control.h"
#include "analyzer/ir/ops.h"

enum {
	MREG_RZ = 255,
	MREG_P0 = 256,
	MREG_PT = 263,
	MREG_COUNT = 264, /* machine register space of what we compile */
	/* and of decoded machine code */
	MREG_UR0 = 264,
	MREG_URZ = 519,
	MREG_UP0 = 520,
	MREG_UPT = 527,
	MREG_B0 = 528,
	MREG_ALL = 544,
	PARAM_BASE = 0x20,       /* first parameter byte in constant bank 0; below it lie block and grid sizes */
	PARAM_MAX_BYTES = 32764, /* of kernel parameters (PTX ISA 8.1, .entry: from sm_70 on) */
	DYNAMIC_ALIGN = 16,      /* of extern shared arrays, at least */
	FRAME_ALIGN = 16,        /* of functions' frames in local memory */
};

/* The value of a function's address: a number, which no memory has. */
#define CODE_WINDOW 0x00010000u
static inline uint64_t code_address(uint32_t func) { return CODE_WINDOW + 16 * (uint64_t)func; }
/* The value of a kernel's address, by which another launches it: a number, which no memory has, made of its name, since
 * a kernel may be launched from another module. */
uint64_t kernel_address(const char *name, size_t n); /* of n characters */
/* What the host serves (host.def). OP_HOST_DEVICE has its number as the first source. */
enum host_function {
#define HOST(id, name, row, sizes) HOST_##id,
#include "analyzer/ir/host.def"
	HOST_COUNT
};
struct host_info {
	const char *name;
	enum op op;
	const char *sizes;
};
extern const struct host_info host_info[HOST_COUNT];
/* Registers of machine code that an argument is in: an even one is first where there are two. */
static inline unsigned host_words(char size)
{
	if (size == 'v')
		return 3;
	return size == '8' ? 2 : 1;
}
/* Of that name, with or without that of another default stream; HOST_COUNT: none. */
enum host_function host_function(const char *name);

/* Constant bank 0 below PARAM_BASE: where the stack starts in local memory, 4 bytes; as on Fermi, %ntid.xyz then
 * %nctaid.xyz, 4 bytes each. */
enum { CONST_STACK = 0x0, CONST_NTID = 0x8, CONST_NCTAID = 0x14 };

/* Generic addresses: a window of 16 MiB for each space, whose base cvta adds and cvta.to takes away; global addresses
 * are generic as they stand. CONST_WINDOW is bank 0 (parameters), CONST_VARS_WINDOW bank 3 (the module's .const
 * variables). */
#define SHARED_WINDOW 0x01000000u
#define LOCAL_WINDOW 0x02000000u
#define CONST_WINDOW 0x03000000u
#define CONST_VARS_WINDOW 0x04000000u
#define GLOBAL_START 0x10000000u
#define WINDOW_BYTES 0x01000000u

/* Machine code makes a generic address of one of shared memory by putting this above it, as the upper word: above all
 * global memory. */
#define NATIVE_SHARED_HIGH 0x8000u

/* Shared memory of the CTAs of a cluster, by rank, a window for each. Counted from SHARED_WINDOW its addresses are
 * those of the shared space as well, so cvta makes no difference between the memory of the own CTA and that of
 * others. */
#define CLUSTER_WINDOW 0x08000000u
#define CLUSTER_BYTES 0x00800000u
#define CLUSTER_OFFSET (CLUSTER_WINDOW - SHARED_WINDOW)
#define CLUSTER_NOWHERE \
	(CLUSTER_OFFSET - 2 * WINDOW_BYTES) /* where mapa puts what is asked of a rank that no cluster has */
/* CTAs of a cluster */
enum { CLUSTER_MAX = 16 };
_Static_assert(CLUSTER_WINDOW + CLUSTER_MAX * CLUSTER_BYTES == GLOBAL_START, "all ranks have a window");

/* Generic addresses of shared memory in machine code: the rank of the CTA in its cluster stands in bits 31:24, the
 * offset below. */
#define NATIVE_SHARED_WINDOW ((uint64_t)NATIVE_SHARED_HIGH << 32)
enum { NATIVE_RANK_SHIFT = 24, NATIVE_RANK_MASK = 0xff };

/* 8- and 16-bit values occupy one 32-bit register */
enum reg_class { RC_PRED, RC_32, RC_64, RC_COUNT };

static inline unsigned reg_class_bits(enum reg_class rc)
{
	static const uint8_t bits[RC_COUNT] = { [RC_PRED] = 1, [RC_32] = 32, [RC_64] = 64 };

	return bits[rc];
}

enum ref_kind { REF_NONE, REF_REG, REF_IMM, REF_CONST, REF_SREG, REF_SYM, REF_BLOCK };

/* An operand. val: register index | k->imm index | bank << CONST_BITS | byte offset | enum sreg | k->symref index |
 * block index. REF_NONE as a destination or vector element is the PTX sink "_". */
struct ref {
	unsigned kind : 3, neg : 1, abs : 1, val : 27;
};
_Static_assert(sizeof(struct ref) == 4, "operands are packed");

/* constant banks of 1 MiB, 128 of them */
enum { CONST_BITS = 20, REF_VAL_MAX = (1 << 27) - 1 };

enum space { SP_NONE, SP_GENERIC, SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_CONST, SP_PARAM, SP_COUNT };

/* setp.lt.and: combine with a third, predicate source */
enum cmp_bool { CB_NONE, CB_AND, CB_OR, CB_XOR };
enum cache_op { COP_DEFAULT, COP_CA, COP_CG, COP_CS, COP_CV, COP_LU, COP_WB, COP_WT, COP_NC };

/* what the mnemonic may add to any row that allows it */
enum mod {
	MOD_FTZ = 1 << 0,
	MOD_SAT = 1 << 1,
	MOD_VOLATILE = 1 << 2,
	MOD_UNI = 1 << 3,
	MOD_RELAXED = 1 << 4,
	MOD_ACQUIRE = 1 << 5,
	MOD_RELEASE = 1 << 6,
	MOD_SYNC = 1 << 7, /* rows that read other lanes: those of the member mask meet here */
	/* mov.b32 of machine form: put in to carry a value over to another register (passes/regmutex_compact.c) */
	MOD_MOVED = 1 << 8,
	/* decoded machine code, guarded: nothing reads what its destinations held in lanes where the guard is false */
	MOD_KILLS = 1 << 9,
	MOD_KILLS_PREDS = 1 << 11, /* the same of its destinations that are predicates, though not of the others */
	MOD_CTA = 1 << 12,         /* fences: for the threads of the CTA alone */
	/* decoded machine code, not guarded: may leave its destinations as they were, or not branch */
	MOD_MAY = 1 << 10,
	/* decoded machine code: of the same operands lanes may make different results, or nobody knows what is made */
	MOD_VARIES = 1 << 12,
};

struct insn {
	uint16_t op; /* enum op */
	uint8_t ndst, nsrc;
	uint32_t opnd;      /* first operand in k->opnd */
	struct ref guard;   /* REF_NONE: always; else a predicate register, neg: @! */
	int32_t offset;     /* memory: bytes added to the address operand (the first source) */
	uint8_t space;      /* memory: enum space */
	uint8_t vec;        /* memory: elements, 1, 2, 4 or 8; else 1 */
	uint8_t cop, cbool; /* enum cache_op, enum cmp_bool */
	uint32_t mods;      /* enum mod */
	/* byte offset in k->m->src of the instruction's text; of a loaded object (m->src NULL): index into k->m->line
	 * of that place in the PTX file; 0: not known */
	uint32_t where;
	uint32_t line; /* index into k->m->line: the .loc in force; 0: none */
};
_Static_assert(sizeof(struct insn) == 32, "instructions are packed");

struct block {
	uint32_t first, n; /* k->insn[first .. first + n) */
	const char *label; /* source name, or NULL */
};

/* a declared virtual register */
struct vreg {
	const char *name;
	uint8_t rc, bits; /* enum reg_class; declared width 1, 8, 16, 32, 64 */
};

/* file: index into m->file */
struct srcline {
	uint32_t file, line, col;
};

/* address of sym + addend stored at offset */
struct symreloc {
	uint64_t offset;
	uint32_t sym;
	int64_t addend;
	uint8_t bytes;
	bool generic;
};

/* a variable */
struct symbol {
	const char *name;
	uint8_t space;          /* SP_GLOBAL, SP_CONST, SP_SHARED or SP_LOCAL */
	uint8_t reference;      /* enum reference (texture.h), of a module read from text */
	bool external, visible; /* external: no storage here (extern shared: sized at launch) */
	uint32_t align;
	uint64_t size;       /* bytes */
	const uint8_t *init; /* `size` bytes, or NULL: zeros */
	struct symreloc *reloc;
	uint32_t nreloc, relocap;
	uint32_t kernel; /* owner of a kernel-scope variable, else UINT32_MAX */
	/* owner + 1 of a function's .local variable, else 0; its offset is in that function's frame */
	uint32_t func;
	/* byte offset inside its space: shared and local within the kernel's frame, const within bank 3; set by
	 * ir_layout(). Global: assigned when a module is loaded. A shared variable of the module: kernel.shared */
	uint64_t offset;
};

/* Where a shared variable of the module lies in a kernel that may name it. */
struct shared_place {
	uint32_t sym, offset;
};
struct symref {
	uint32_t sym;
	int64_t addend;
};

struct param {
	const char *name;
	uint32_t offset, size, align; /* bytes; offset from PARAM_BASE in constant bank 0 */
	uint8_t type;                 /* enum scalar_type of a scalar or of the array's element */
	bool array;
};

/* A parameter of a function, return values first. One that is an array or a vector is passed by the address, in local
 * memory, of the caller's copy of it: a 32-bit register. */
struct formal {
	uint32_t size, align; /* bytes; size 0: an array of open length */
	/* enum scalar_type; enum reg_class of the register that it arrives or leaves in */
	uint8_t type, rc;
	bool array, reg; /* reg: declared .reg, not .param */
	uint32_t vreg;   /* that register, in the function's own body */
};

/* What a call through a register may call: functions with such parameters; only those in `list`, if there is one. */
struct proto {
	struct formal *formal;
	uint32_t nret, narg;
	uint32_t *list, nlist; /* indices in m->func */
	bool listed;
};

/* What OP_CALL calls; insn.offset is its index in k->call. Destinations: the scalar return values. Sources: the
 * function's address if there is a proto, addresses for the array return values, then the arguments. All are
 * registers. */
/* func: index in m->func, if there is no proto */
struct call {
	uint32_t func;
	const struct proto *proto;
};

/* Targets of a computed branch or call: k->target[first .. first + n). brx takes the element of its index, a call the
 * one whose key is the address. */
struct jump_table {
	uint32_t first, n;
};
struct target {
	uint64_t key;
	uint32_t block;
};

/* A function that is called, not inlined: the blocks from `first` to the next one's. k->proc[0] is the kernel's own
 * code. */
struct proc {
	uint32_t first;
	const char *name;
};

enum form { FORM_VIRTUAL, FORM_MACHINE };

/* Machine code that a kernel was decoded from (analyzer/sass/lift.c). word[i]: the 128 bits of instruction i, the low
 * half first. Its instructions are runs of words in sections of a cubin, the kernel's own first, then those of
 * functions that it calls. */
struct kernel;
/* at: byte offset of instruction `first` in the section */
struct native_part {
	const char *section;
	uint64_t at;
	uint32_t first, n;
	uint32_t number; /* of the section in the file */
};
/* Where byte 0 of a section of code lies, the same for all kernels of a file: variables hold addresses of code. */
static inline uint64_t native_window(uint32_t section) { return ((uint64_t)section + 1) << 32; }
/* "branches into another function" */
struct native_note {
	uint32_t insn;
	const char *what;
};
struct native_reach {
	uint32_t insn;
	uint64_t set[(MREG_ALL + 63) / 64];
};
/* An address that the loader puts somewhere: of a variable of the module, of code (a byte of a section), or of a
 * function that the host serves (host.def), or what a launch of a kernel names it by. */
enum native_what { NATIVE_VARIABLE, NATIVE_CODE, NATIVE_RUNTIME, NATIVE_KERNEL, NATIVE_UNKNOWN };
struct native_address {
	uint64_t at;     /* in constant bank 4: byte offset; in code: instruction */
	uint8_t what;    /* enum native_what */
	uint8_t bytes;   /* 8, or 4 */
	bool high, code; /* the upper word; the lower 32 bits of bits 63:32 of an instruction */
	bool call;       /* with code: where CALL.ABS goes */
	uint32_t of;     /* index into m->sym */
	const char *name, *section;
	int64_t addend; /* of code: the byte in its section */
};
struct native {
	unsigned sm;
	const uint64_t (*word)[2];
	const struct control_code *control; /* by instruction, what its word says */
	const uint8_t *unit;                /* by instruction: enum sass_unit (latency.h) */
	const uint8_t *access;              /* by instruction: bytes of memory for each lane; 0: none, or not known */
	struct native_part *part;
	uint32_t npart;
	uint64_t named[(MREG_ALL + 63) / 64]; /* registers that some known instruction names, fixed ones left out */
	/* Registers that may have been written before an instruction that may read everything, by instruction; of one
	 * that is not here: all. */
	const struct native_reach *reach;
	uint32_t nreach;
	uint32_t unknown; /* instructions that the decoder does not know */
	/* those that it may have wrong: their row rests on what others noted, on a rule or on a guess, or no field
	 * claims some of their bits; each has a note */
	uint32_t unsure;
	/* what could not be followed, and is taken for the worst: by instruction */
	const struct native_note *note;
	uint32_t nnote;
	uint32_t param_base; /* of the first parameter, in constant bank 0; 0: not known */
	/* why a thread may need more local memory than res.local_bytes; NULL: that is all of it */
	const char *unbounded;
	/* "it may call functions of other files": what is live there is not known; NULL: it may not */
	const char *elsewhere;
	/* constant bank 2, the compiler's, from byte 0; none if a relocation changes it */
	const uint8_t *constant2;
	uint64_t nconstant2;
	/* constant bank 4, and the addresses in it and in code */
	uint32_t nconstant4;
	const struct native_address *address;
	uint32_t naddress;
	/* instructions that a relocation changes, in their order: an immediate in them is not its number */
	uint32_t *relocated;
	uint32_t nrelocated;
	/* Text of instruction i, and of register r: the IR prints machine code without knowing it. */
	char *(*print)(struct arena *a, const struct kernel *k, uint32_t i);
	/* What integer instructions compute, as a kernel in virtual form for whoever evaluates it:
	 * analyzer/sass/values.h. NULL: not known. Wants FACT_CFG and FACT_DOM of k. */
	struct kernel *(*values)(const struct kernel *k, struct arena *a);
};

/* machine form; slot: local byte offset */
struct spill {
	uint32_t insn;
	bool store;
	uint8_t rc;
	uint32_t slot;
	const char *name;
};

/* of a kernel in machine form */
struct resources {
	uint32_t regs, preds; /* architected registers and predicates used: highest index + 1 */
	/* local: with the frames of functions that are called */
	uint32_t shared_bytes, local_bytes, param_bytes, barriers;
	uint32_t spill_loads, spill_stores, spill_bytes;
	uint32_t virtual_regs, virtual_insns; /* before lowering */
	/* functions recurse: a stack lies above local_bytes, its size is the launch's */
	bool stack;
};

/* A kernel in machine form may have a variant that shares registers between warps (RegMutex, ISCA 2018): the same
 * computation, in which a warp holds R(base_regs) and above only between a regmutex.acquire and a regmutex.release. A
 * variant has the name, parameters and memory of the plain kernel, instructions and facts of its own, and is in no list
 * of the module. */
struct kernel {
	struct module *m;
	struct arena *a;
	const char *name;
	struct loc at;
	enum form form;

	struct insn *insn;
	uint32_t ninsn, insn_cap;
	struct ref *opnd;
	uint32_t nopnd, opnd_cap;
	struct block *block;
	uint32_t nblock, block_cap;
	struct vreg *vreg;
	uint32_t nvreg, vreg_cap; /* FORM_VIRTUAL only */
	uint64_t *imm;
	uint32_t nimm, imm_cap;
	struct symref *symref;
	uint32_t nsymref, symref_cap;
	struct shared_place *shared; /* ir_layout() */
	uint32_t nshared;
	struct param *param;
	uint32_t nparam, param_cap;
	struct spill *spill;
	uint32_t nspill, spill_cap;
	struct jump_table *table;
	uint32_t ntable, table_cap;
	struct target *target;
	uint32_t ntarget, target_cap;
	struct proc *proc;
	uint32_t nproc, proc_cap; /* none: nothing is called */
	uint32_t *imm_slot;
	uint32_t nimm_slot; /* hash of imm, for ir_imm() */

	uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0: not given */
	uint32_t cluster[3], max_cluster;                       /* .reqnctapercluster, .maxclusterrank; 0: not given */
	bool explicit_cluster;                                  /* .explicitcluster */
	struct resources res;

	/* A function (an element of m->func) and the calls of any body; FORM_VIRTUAL only, passes/link.c resolves
	 * them. */
	struct formal *formal;
	uint32_t nret, narg;
	struct call *call;
	uint32_t ncall, call_cap;
	uint32_t alias; /* index + 1 of the function that this is another name of; 0: none */
	bool is_func, declared, address_taken, noreturn;
	/* a body with errors: their text and number, for whoever uses it; else NULL */
	const char *broken;
	unsigned nbroken;

	const struct native *native; /* decoded machine code; NULL: ours */

	struct kernel *variant; /* of a plain kernel; NULL: none */
	struct kernel *plain;   /* of a variant; else NULL */
	uint32_t base_regs;     /* of a variant: R0 .. R(base_regs - 1) are the warp's own; else 0 */
	/* passes/regmutex.h, of a plain kernel: what was decided of a variant, and why; NULL: nothing was */
	struct regmutex *regmutex;

	unsigned facts; /* FACT_*: which of the analyses below are valid */
	struct cfg *cfg;
	struct domtree *dom, *pdom, *meet; /* meet: where lanes meet that parted; pdom, but for decoded machine code */
	struct liveness *live;
	struct warp_liveness *wlive;
	struct dliveness *dlive;
	struct release *release;
	struct wgraph *affinity; /* passes/graph/graph.h */
	struct corf_hints *corf; /* passes/corf.h */
	struct strands *strand;  /* passes/strand.h */
	struct rfc_hints *rfc;   /* passes/rfc.h */
	struct orf *orf[3];      /* passes/orf.h, by organisation */
	struct owf *owf;         /* passes/owf.h */
	struct uniform *uniform; /* passes/uniform.h */
	struct freq *freq;
	const struct control_code *control; /* by instruction (passes/control.c); NULL: none */
};

struct module {
	struct arena *a;
	struct intern names;
	const struct source *src; /* the text it was read from; NULL for an object */
	const char *src_name;
	/* The file it was read from; src_name is what an object says of itself. NULL: from none. */
	const char *path;
	/* base/inside.h: where lines of source may come from besides; NULL: from nowhere. The caller's to set. */
	struct source_dirs *sources;
	unsigned ptx_version; /* 10 * major + minor */
	unsigned sm;          /* 75 for sm_75 */
	char target[16];      /* "sm_90a" */
	/* of a file that holds other code as well, what and how it is asked for: "machine code for sm_75, sm_80
	 * (--code=sass)"; or NULL */
	const char *also;
	unsigned address_bits; /* 32 or 64 */
	struct symbol *sym;
	uint32_t nsym, sym_cap;
	struct kernel **kernel;
	uint32_t nkernel, kernel_cap;
	struct kernel **func;
	uint32_t nfunc, func_cap; /* functions; one without blocks is only declared */
	const char **file;
	uint32_t nfile, file_cap; /* .file names by our index */
	struct srcline *line;
	uint32_t nline, line_cap; /* entry 0 is "no line" */
	/* of machine code, by line: "distance, inlined at k.cu:16", NULL: not inlined; NULL: nothing is */
	const char **inlined;
};

/* ---- access ---- */
static inline struct ref *insn_dst(const struct kernel *k, const struct insn *i) { return k->opnd + i->opnd; }
static inline struct ref *insn_src(const struct kernel *k, const struct insn *i) { return k->opnd + i->opnd + i->ndst; }
static inline struct ref ref_reg(uint32_t r) { return (struct ref){ .kind = REF_REG, .val = r }; }
static inline struct ref ref_none(void) { return (struct ref){ .kind = REF_NONE }; }
static inline struct ref ref_const(uint32_t bank, uint32_t off)
{
	return (struct ref){ .kind = REF_CONST, .val = bank << CONST_BITS | off };
}
static inline uint32_t const_bank(struct ref r) { return r.val >> CONST_BITS; }
static inline uint32_t const_offset(struct ref r) { return r.val & ((1u << CONST_BITS) - 1); }
static inline uint32_t ir_nreg(const struct kernel *k)
{
	if (k->form != FORM_MACHINE)
		return k->nvreg;
	return k->native ? MREG_ALL : MREG_COUNT;
}
/* Register files, each with its space of numbers in MREG_ALL. */
enum reg_file { FILE_GPR, FILE_PRED, FILE_UGPR, FILE_UPRED, FILE_CBAR, FILE_COUNT };
extern const char *const reg_file_prefix[FILE_COUNT]; /* "R", "P", "UR", "UP", "B" */
static inline enum reg_file mreg_file(uint32_t r)
{
	if (r <= MREG_RZ)
		return FILE_GPR;
	if (r <= MREG_PT)
		return FILE_PRED;
	if (r <= MREG_URZ)
		return FILE_UGPR;
	return r <= MREG_UPT ? FILE_UPRED : FILE_CBAR;
}
static inline uint32_t mreg_first(enum reg_file f)
{
	static const uint16_t first[FILE_COUNT] = { [FILE_GPR] = 0,
						    [FILE_PRED] = MREG_P0,
						    [FILE_UGPR] = MREG_UR0,
						    [FILE_UPRED] = MREG_UP0,
						    [FILE_CBAR] = MREG_B0 };

	return first[f];
}
static inline bool mreg_is_general(uint32_t r) { return r <= MREG_RZ; }
static inline bool mreg_is_pred(uint32_t r) { return mreg_file(r) == FILE_PRED || mreg_file(r) == FILE_UPRED; }
/* RZ and PT: read as zero and true, never written, never counted. URZ and UPT likewise. */
static inline bool mreg_is_fixed(uint32_t r) { return r == MREG_RZ || r == MREG_PT || r == MREG_URZ || r == MREG_UPT; }

/* Letter of the signature for operand `slot` (destinations first): one of PBHWDFGMLK, see ops.h. Vector elements and
 * the optional operands of setp are accounted for. */
char insn_operand_letter(const struct insn *i, unsigned slot);
/* The blocks that a branch or call, direct or by table, may go to. */
struct ir_targets {
	const struct target *table;
	uint32_t n;
	struct target one;
};
struct ir_targets ir_targets(const struct kernel *k, const struct insn *i);
static inline uint32_t ir_target(const struct ir_targets *t, uint32_t n)
{
	return t->table ? t->table[n].block : t->one.block;
}
uint32_t ir_proc_of(const struct kernel *k, uint32_t block); /* the function that a block is in */
uint32_t ir_block_of(const struct kernel *k, uint32_t insn); /* the block that an instruction is in; logarithmic */
/* The instruction that ends block b if its row has one of the flags, else NULL. */
const struct insn *ir_block_end(const struct kernel *k, uint32_t b, uint32_t flags);
/* Register class of operand `slot`. A global or generic address (M) is as wide as m->address_bits, any other 32
 * bits. */
enum reg_class insn_operand_class(const struct kernel *k, const struct insn *i, unsigned slot);

/* Whether the first source is an address: of a memory row, or of a matrix (letter A). */
static inline bool insn_has_address(const struct insn *i)
{
	char letter = i->nsrc ? insn_operand_letter(i, i->ndst) : 0;

	return letter == 'M' || letter == 'A';
}

/* Calls visit for every register that i reads or writes, one call for each 32-bit register of a pair in machine form;
 * guard included as a read, fixed registers left out. A guarded write does not kill: see insn_kills(). */
struct reg_use {
	uint32_t reg;
	uint8_t slot;
	bool write;
};
/* enough for any row: of an unknown one all registers twice */
enum { REG_USE_MAX = 2 * MREG_ALL, CALL_OPERANDS_MAX = 64 };
unsigned insn_reg_uses(const struct kernel *k, const struct insn *i, struct reg_use use[REG_USE_MAX]);
/* Whether no lane keeps what the destinations held. Of a branch: whether it is always taken. */
static inline bool insn_kills(const struct insn *i)
{
	return i->guard.kind == REF_NONE ? !(i->mods & MOD_MAY) : (i->mods & MOD_KILLS) != 0;
}

/* The same of one destination, in machine form. */
static inline bool insn_kills_reg(const struct insn *i, uint32_t r)
{
	return insn_kills(i) || (i->mods & MOD_KILLS_PREDS && mreg_is_pred(r));
}

/* Decoded machine code, SASS_PRED and SASS_UNIFORM: what holds if the n-th predicate result, 0 or 1, is `value`; and,
 * in insn.cop, what must hold for the registers that are read to matter. Predicates have the values that they have
 * before the instruction. */
/* it is not known; it cannot be; from here on a literal: 2 * predicate + negated, UP0 behind P6 */
enum { IMPLIES_NOTHING, IMPLIES_NEVER, IMPLIES_LITERAL };
static inline unsigned insn_implies(const struct insn *i, unsigned n, bool value)
{
	return n < 2 && (i->op == OP_SASS_PRED || i->op == OP_SASS_UNIFORM)
		       ? (uint32_t)i->offset >> 8 * (2 * n + !value) & 255
		       : IMPLIES_NOTHING;
}
static inline unsigned insn_matters(const struct insn *i)
{
	return i->op == OP_SASS_PRED || i->op == OP_SASS_UNIFORM ? i->cop : IMPLIES_NOTHING;
}

/* The 32-bit general registers of an instruction in machine form, each once, in the order of its operands: what the
 * register file delivers and gets. Predicates and RZ are none. slot: the operand, 0 to 2, that a source register is
 * named in; NO_SLOT if it is in two of them, or behind the third. src_at, dst_at: its place in the values of a record,
 * which are those of all registers read, then of all written, of one that is named twice each time. */
/* enough for any row that is executed: 16 pairs */
enum { EXEC_SRC_MAX = 32, EXEC_DST_MAX = 16 };
/* and for decoded machine code: of an unknown instruction all registers */
enum { INSN_SRC_MAX = 255, INSN_DST_MAX = 255, NO_SLOT = 3 };
struct insn_regs {
	uint8_t nsrc, ndst;
	uint8_t src[INSN_SRC_MAX], slot[INSN_SRC_MAX], src_at[INSN_SRC_MAX];
	uint8_t dst[INSN_DST_MAX], dst_at[INSN_DST_MAX];
};
void ir_insn_regs(const struct kernel *k, const struct insn *i, struct insn_regs *out);
/* The same of what i names: a call of machine code into what is not known may read and write everything. */
void ir_named_regs(const struct kernel *k, const struct insn *i, struct insn_regs *out);

/* Executed by a unit that the lanes of a cluster share (memory, textures, special functions; lane exchanges go the way
 * of shared memory), not by the private datapath of each lane, which does all other arithmetic. A matter of the opcode
 * alone, whatever pipeline a machine times it in (Gebhart et al., TOCS 2012, section 4.4). */
static inline bool insn_is_shared(const struct insn *i)
{
	uint8_t fu = op_info[i->op].fu;

	return fu == FU_MEM || fu == FU_SFU || fu == FU_SHFL;
}
/* A long-latency operation: it may wait for memory beyond the SM, or a texture, to write a register. */
bool insn_is_long(const struct insn *i);

/* ---- building: analyzer/ir/build.c ---- */
struct module *module_new(struct arena *a);
struct kernel *kernel_new(struct module *m, const char *name);
struct kernel *func_new(struct module *m, const char *name);
/* A copy of k in arena a, in no list of the module: what is changed in one is not in the other. It has no facts, and is
 * no variant, though k may be one. Parameters, names and what a call calls are shared; they are never changed. */
struct kernel *ir_clone(const struct kernel *k, struct arena *a);
struct ref ir_imm(struct kernel *k, uint64_t bits); /* interned in k->imm */
struct ref ir_symref(struct kernel *k, uint32_t sym, int64_t addend);
uint32_t ir_vreg(struct kernel *k, const char *name, enum reg_class rc, unsigned bits);
uint32_t ir_block(struct kernel *k, const char *label); /* starts a new, last block */
/* Joins each block that no branch names to the one before it, if control falls into it, else drops it: a label that
 * only debug information names does not cut a block. Block numbers change; branches are renumbered. */
void ir_join_blocks(struct kernel *k);
/* Appends an instruction to the last block, with operand space for ndst + nsrc REF_NONEs. The pointer is good until
 * the next call that appends. Copy-and-change: fill the fields after. */
struct insn *ir_append(struct kernel *k, enum op op, unsigned ndst, unsigned nsrc);
/* Gives an existing instruction a new operand run (its old run is left unused). */
struct ref *ir_set_operands(struct kernel *k, struct insn *i, unsigned ndst, unsigned nsrc);
uint32_t module_file(struct module *m, const char *name); /* index; added if new */
uint32_t module_line(struct module *m, uint32_t file, uint32_t line, uint32_t col);
const struct kernel *module_find_kernel(const struct module *m, const char *name);
/* Offsets of shared, local and const variables; fills k->res.shared_bytes and local_bytes. False with a diagnostic if a
 * space overflows. */
bool ir_layout(struct module *m, struct diag *d);
/* Where a variable of shared or local memory lies in k's: an extern shared array behind the static ones that k may
 * name, so in another place in each kernel. */
uint64_t ir_frame_offset(const struct kernel *k, const struct symbol *s);

/* Rewriting: a pass that inserts or removes instructions copies the kernel block by block.
 *   struct rewrite rw; rewrite_begin(&rw, k);
 *   for each block b: rewrite_block(&rw);
 *     for each insn: rewrite_keep(&rw, insn) and/or fill ir_append-like rewrite_new()
 *   rewrite_end(&rw);   -- k->insn and block ranges replaced; block numbers unchanged */
struct rewrite {
	struct kernel *k;
	struct insn *old;
	uint32_t nold;
	uint32_t b;
};
void rewrite_begin(struct rewrite *rw, struct kernel *k);
void rewrite_block(struct rewrite *rw);                      /* the next block starts here */
void rewrite_keep(struct rewrite *rw, const struct insn *i); /* i in rw->old */
struct insn *rewrite_new(struct rewrite *rw, enum op op, unsigned ndst, unsigned nsrc, const struct insn *like);
void rewrite_end(struct rewrite *rw);

/* ---- printing and checking ---- */
/* One instruction as PTX-like text: guard, mnemonic with its attributes, operands (%name or R4, c[0x0][0x20], imm). */
char *ir_print_insn(struct arena *a, const struct kernel *k, const struct insn *i);
char *ir_print_ref(struct arena *a, const struct kernel *k, struct ref r, char letter);
void ir_print_kernel(FILE *f, const struct kernel *k);
/* Where i stands in the PTX text, "saxpy.ptx:12:9", also of a loaded object; "" if that is not known. */
char *ir_where(struct arena *a, const struct kernel *k, const struct insn *i);
/* Its "file:line" in the source that the text came from, where the text says so (.loc), else ir_where(). */
char *ir_source(struct arena *a, const struct kernel *k, const struct insn *i);
/* Of the code: opcodes, operands, control flow; not of names, lines and what analyses found. The same in an object. */
uint64_t ir_hash_code(const struct kernel *k);
uint64_t ir_hash_number(uint64_t h, uint64_t v); /* H (first HASH_START) with the bytes of v, lowest first */
/* Every invariant of docs/IR.md. False, with our text in d, if one is broken: a bug of a pass, or a damaged object. */
bool ir_verify(const struct kernel *k, struct diag *d);

#endif
