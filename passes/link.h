/* Inside the linker: link.c clones bodies, link_call.c makes calls of what was not inlined. */
#ifndef REGLOOM_LINK_H
#define REGLOOM_LINK_H

#include "passes/pass.h"

struct candidate {
	uint32_t func;
	uint64_t address;
};
struct listed {
	const struct proto *proto;
	const struct candidate *list;
	uint32_t n;
};

/* by function; the last one is the kernel's own code */
struct fn {
	bool recursive; /* its frame is on the stack */
	bool indirect;  /* may be called through a register */
	bool *inlined;  /* by call of its body */
	/* calls of it; cycle of the call graph, callees first; place in link.order + 1 */
	uint32_t sites, scc, order;
	uint64_t size;
	uint32_t depth; /* of bodies that are inlined into it */
	uint32_t frame; /* bytes of local memory, those of what is inlined into it included */
	/* where that starts; if it recurses: in the frame, where what it saves starts */
	uint32_t base;
	uint32_t *reg;              /* its registers in the kernel; NULL: it is not called */
	uint32_t first, entry, end; /* blocks: first, where direct calls go, behind the last */
};

/* one clone of a body */
struct body {
	const struct kernel *from;
	uint32_t *reg;     /* its registers in the kernel */
	uint32_t frame;    /* where its local variables start in the frame of fn */
	uint32_t fn, func; /* into which function it goes; which one it is */
};

/* k->opnd[place] or k->target[place] is block `block` of its body */
struct jump {
	uint32_t place, block;
	bool table;
};
/* an operand that is a local address, relative to the frame of fn */
struct fix {
	uint32_t opnd, fn, at;
};
/* a call that stays, by insn.offset; who calls */
struct site {
	const struct call *call;
	uint32_t fn;
};

struct link {
	struct kernel *k;
	struct diag *d;
	struct arena *a;
	unsigned limit;
	uint32_t nfunc;
	struct fn *fn;
	uint32_t *order, norder, nscc;
	struct listed *listed;
	uint32_t nlisted, listed_cap;
	/* of the kernel as it was */
	struct insn *own_insn;
	struct block *own_block;
	uint32_t own_nblock;
	struct jump_table *own_table;
	struct target *own_target;
	struct call *own_call;
	struct jump *jump;
	uint32_t njump, jump_cap;
	struct fix *fix;
	uint32_t nfix, fix_cap;
	struct site *site;
	uint32_t nsite, site_cap;
	uint32_t *called, ncalled; /* functions, in the order of their code */
	/* of calls through registers: arguments, results */
	uint32_t *abi[2][RC_COUNT], nabi[2][RC_COUNT], abi_cap[2][RC_COUNT];
	struct ref sp; /* the stack register */
	bool failed;
};

bool link_refuse(struct link *l, const struct insn *at, const char *text);
struct insn *link_append(struct link *l, enum op op, unsigned ndst, unsigned nsrc, const struct insn *like);
void link_move(struct link *l, struct ref d, struct ref s, enum reg_class rc, const struct insn *like);
const struct candidate *link_candidates(struct link *l, const struct call *c, uint32_t *n);

/* ---- link_call.c ---- */
void link_enter(struct link *l, uint32_t func); /* starts the code of a function that is called */
void link_give_back(struct link *l, const struct body *b, const struct insn *ret); /* before a ret of it */
bool link_calls(struct link *l); /* all code is there: frames, what is saved, calls and returns */

#endif
