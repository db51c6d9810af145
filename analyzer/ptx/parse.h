/* Inside the PTX reader: the parser's state and what its files offer each other. Nothing outside analyzer/ptx includes
 * this.
 *
 *   lex.c     text to tokens                     scope.c   names: scopes, register ranges, labels
 *   expr.c    constant expressions               module.c  directives at module level, ptx_parse()
 *   data.c    variables and initialisers         entry.c   .entry headers and parameters
 *   body.c    statements of a kernel             operand.c operands as written
 *   mnemonic.c  a mnemonic to a row              use.c     operands to the form that a row wants
 *   insn.c    the shapes of instructions         func.c    functions: headers, prototypes, bodies
 *   call.c    call, and .param variables         isa.c     what is supported, and what needs which version
 *   half.c    operands of f16 and bf16         texture.c textures and surfaces
 *   annotate.c  annotated PTX out
 *   suggest.c what a misspelt name may mean
 *
 * Convention: a function that returns bool has reported the error when it returns false, and its caller
 * resynchronises. */
#ifndef REGLOOM_PTX_PARSE_H
#define REGLOOM_PTX_PARSE_H

#include "analyzer/ir/texture.h"
#include "analyzer/ptx/lex.h"
#include "analyzer/ptx/ptx.h"

enum {
	SCOPE_MAX = 256, /* nesting of { } */
	EXPR_MAX = 128,  /* nesting of parentheses and unary operators */
	OPERAND_MAX = 8,
	ELEMENT_MAX = 8,
	FUNC_NUMBER = 1 << 30, /* p->kernel of function f is FUNC_NUMBER + f + 1 */
	PART_MAX = 16,         /* of a mnemonic */
	REG_MAX = 4 << 20,     /* registers of one range, and used in one kernel */
};
#define VAR_MAX_BYTES ((uint64_t)1 << 30)
#define INIT_MAX_BYTES ((uint64_t)64 << 20) /* of all initialised variables of a module */

/* ---- names ---- */
enum bind_kind {
	/* value: index in k->vreg, valid when `kernel` is the current kernel's number */
	B_REG,
	B_SYM,
	B_PARAM,
	B_LABEL, /* value: index in m->sym, k->param, k->block */
	B_KERNEL,
	B_FUNC,   /* value: index in m->func */
	B_CPARAM, /* value: index in p->cparam */
	B_TABLE,  /* .branchtargets, .calltargets, .callprototype; value: index in p->table */
	B_BROKEN, /* a name that is undeclared or declared wrongly, already reported */
};

struct binding {
	struct binding *outer;   /* the same name in an enclosing scope */
	struct binding *next;    /* in the same scope */
	uint32_t id, off, depth; /* name, place and depth of the declaration */
	uint8_t kind, type, vec; /* registers: enum scalar_type, elements (1, 2, 4) */
	uint32_t count;          /* of a range of registers; 0: a single name */
	uint32_t value, kernel;
	uint32_t ranges_seen; /* ranges of its scope that it was checked against */
};

/* a branch operand or, table, an element of k->target that waits for its label */
struct label_ref {
	struct label_ref *next;
	uint32_t id, off, opnd;
	bool table;
};

struct scope {
	struct binding *names;
	struct label_ref *refs;
	uint32_t nrange;
};

/* ---- constants and operands ---- */
struct konst {
	bool is_float, uns;
	uint8_t lit; /* T_F32: f32 holds the exact bits; else 0 */
	uint32_t off, f32;
	uint64_t i;
	double f;
};

enum operand_kind {
	O_SINK,
	O_REG,
	O_CONST,
	O_SREG,
	O_SYM,
	O_PARAM,
	O_CPARAM,
	O_FUNC,
	O_KERNEL,
	O_TABLE,
	O_VECTOR,
	O_ADDRESS
};

struct operand {
	uint8_t kind, type, n; /* O_REG: enum scalar_type; O_VECTOR: elements */
	uint8_t base;          /* O_ADDRESS: O_REG, O_CONST, O_SYM, O_PARAM or O_CPARAM */
	bool neg;              /* !p */
	bool plus;             /* O_REG + addend outside brackets */
	uint32_t off;
	uint32_t val; /* register, special register, symbol, parameter, function or table */
	int64_t addend;
	struct konst k;
	uint32_t index, scale; /* name[register]: its vreg + 1, bytes of an element; else 0 */
	bool index_signed, index_wide;
	struct operand *elem;   /* O_VECTOR */
	struct operand *second; /* q of p|q */
};

struct mnemonic {
	uint32_t off;
	struct {
		const char *s;
		uint32_t len;
	} part[PART_MAX]; /* part[0]: the base */
	unsigned nparts;
	char text[160]; /* as written, without blanks; cut if longer */
	char key[128];
	size_t key_len; /* what op_find() is asked */
	uint8_t type[4];
	unsigned ntypes;
	uint8_t space, vec, cop, cbool;
	bool space_given, sync, hint, to;
	uint32_t mods;
	enum op op;
};

/* A .param variable of a body, or a parameter of a function. A scalar is a register; an array is memory of the frame
 * (its symbol) or, as a parameter, the caller's, whose address is in a register. */
enum cparam_kind { CP_SCALAR, CP_FRAME, CP_CALLERS };
struct cparam {
	uint8_t kind, type; /* enum scalar_type */
	bool formal, ret;
	uint32_t size, align, off; /* bytes; where it is declared */
	uint32_t value;            /* register, or symbol */
	/* symbol + 1 of a copy in the frame, made because its address is taken; 0: none */
	uint32_t copy;
	const char *name;
};

/* A table that a computed branch or call names: labels, each { id, off }; or what may be called. */
struct label_list {
	uint32_t (*id)[2], n;
	struct proto *proto;
};

struct file_number {
	uint32_t number, file;
};

struct parser {
	const struct source *src;
	struct module *m;
	struct diag *d;
	struct arena a; /* lives as long as the parse */
	struct lexer lx;
	struct token t; /* the current token */

	struct binding **single, **range; /* innermost declaration by name id */
	uint32_t name_cap;
	struct scope scope[SCOPE_MAX];
	uint32_t depth; /* scope[depth] is the current one; 0: module */

	const char *only; /* bodies of kernels that are not named so are passed over; NULL: read all */
	kernel_named *named;
	bool *elsewhere;
	uint32_t nelsewhere; /* by function: a body that was passed over takes its address */
	struct kernel *k;
	uint32_t kernel;              /* its number, from 1; registers of module scope are made anew in each kernel */
	uint32_t carry, carry_kernel; /* register of CC.CF, of kernel number carry_kernel */
	bool selectors;               /* video.c: what stands behind a register's dot goes here, if it is on */
	struct {
		uint32_t off, len;
	} selector;
	bool closed;          /* the last block has ended */
	bool many_targets;    /* said already that tables of branches are too large */
	uint32_t line, where; /* of the statement being read */
	struct {
		uint32_t kernel, symref;
	} * symref_of; /* by symbol: its symref with addend 0 in that kernel */
	uint32_t symref_cap;

	struct diag *outer;  /* of the file, while a function's errors are kept apart; else NULL */
	struct kernel *func; /* k, if that is a function's body */
	struct cparam *cparam;
	uint32_t ncparam, cparam_cap; /* of the body */
	struct label_list *table;
	uint32_t ntable, table_cap; /* of the body */
	struct call_list *call;     /* call.c: operands of the call at hand */

	bool have_version, have_target, map_f64;
	uint64_t init_bytes;
	unsigned expr_depth, suggestions;
	uint32_t open; /* braces that the current statement has opened, for parse_skip_statement() */
	bool *sym_used;
	uint32_t sym_used_cap; /* by symbol */
	uint32_t *sym_elem;    /* by symbol: bytes of an element */
	uint32_t *sym_off;     /* by symbol: where it is declared */
	struct file_number *file;
	uint32_t nfile, file_cap;
	uint32_t *file_of_name;
	uint32_t file_of_name_cap; /* by name id: index in m->file + 1 */

	struct operand op[OPERAND_MAX], second[OPERAND_MAX], elem[OPERAND_MAX][ELEMENT_MAX];
	unsigned nop;
};

static inline struct loc parse_loc(const struct parser *p, uint32_t off) { return (struct loc){ p->src, off }; }
#define parse_error(p, off, ...) diag_error((p)->d, parse_loc((p), (off)), __VA_ARGS__)

/* ---- tokens: module.c ---- */
void parse_advance(struct parser *p);
bool parse_accept(struct parser *p, int kind);
bool parse_expect(struct parser *p, int kind, const char *what); /* "expected WHAT" */
bool token_is(const struct parser *p, const char *text);         /* the current token's text */
static inline const char *token_text(const struct parser *p) { return p->src->text + p->t.off; }
void parse_skip_block(struct parser *p);     /* past the '}' that belongs to the '{' at the current token */
void parse_skip_statement(struct parser *p); /* past the next ';', or up to the '}' that closes this scope */
bool parse_u32(struct parser *p, uint32_t *v, const char *what); /* a constant expression in [0, 2^32) */

/* ---- scope.c ---- */
uint32_t scope_id(struct parser *p, const struct token *t); /* of an identifier */
static inline const char *scope_name(const struct parser *p, uint32_t id) { return p->m->names.text[id]; }
bool scope_push(struct parser *p);
void scope_pop(struct parser *p); /* resolves or hands on its label references */
/* NULL, reported, if the scope has the name. COUNT > 0: a range of registers. */
struct binding *scope_declare(struct parser *p, uint32_t id, enum bind_kind kind, uint32_t off, uint32_t count);
struct binding *scope_find(struct parser *p, uint32_t id); /* innermost, or NULL */
/* A declaration was wrong: the names that it goes on to declare are known, as broken ones, so that their uses are no
 * errors of their own. Reads up to what ends the list of names. Returns false. */
bool scope_give_up(struct parser *p);
struct binding *scope_find_module(struct parser *p, uint32_t id); /* at module level, or NULL */
/* k->opnd[opnd], k->target[opnd] = label */
void scope_refer(struct parser *p, uint32_t id, uint32_t off, uint32_t opnd, bool table);
/* its vreg, made at first use */
bool scope_register(struct parser *p, struct binding *b, uint32_t off, uint32_t *r);

/* ---- suggest.c: "; did you mean ...?", or "" ---- */
enum { KINDS_OPERAND = 1 << B_REG | 1 << B_SYM | 1 << B_PARAM | 1 << B_CPARAM | 1 << B_FUNC | 1 << B_TABLE };
/* among the declared names of some enum bind_kind */
const char *suggest_name(struct parser *p, uint32_t id, unsigned kinds);
/* Among n > 0 directives, or modifiers without their dot. */
const char *suggest_word(struct parser *p, const char *text, size_t len, const char *const words[], unsigned n);
const char *suggest_base(struct parser *p, const struct mnemonic *mn);
const char *suggest_type(struct parser *p);      /* for the type at the current token */
const char *suggest_directive(struct parser *p); /* for the directive there */

/* ---- expr.c ---- */
bool expr_parse(struct parser *p, struct konst *k);
bool expr_parse_int(struct parser *p, struct konst *k); /* a floating-point value is an error */
/* The bits of a constant in type kind 'f' (32 or 64 bits) or as an integer; false, unreported, if it has the wrong
 * kind. */
bool konst_float_bits(const struct konst *k, unsigned bits, uint64_t *v);

/* ---- data.c, entry.c, body.c ---- */
struct linkage {
	bool external, visible, weak, common;
};
bool data_parse(struct parser *p, struct linkage l); /* at ".global" and so on */
/* .align N .v4 .f32, any order */
bool data_type(struct parser *p, enum scalar_type *type, unsigned *vec, uint32_t *align);
bool entry_parse(struct parser *p, struct linkage l); /* at ".entry" */
bool entry_parse_reg(struct parser *p);               /* at ".reg" */
void body_parse(struct parser *p);                    /* behind "{", to behind "}" */
void module_directive(struct parser *p, bool *known); /* reads .file .loc .section .pragma, at any level */

/* a .global variable of the module */
bool data_reference(struct parser *p, uint32_t id, bool external, uint32_t off, uint32_t *sym);
bool texture_declare(struct parser *p, struct linkage l, enum reference kind); /* texture.c; behind the type */

/* a symbol of the body's frame */
uint32_t data_local(struct parser *p, const char *name, uint64_t size, uint32_t align, uint32_t off);

/* ---- func.c, call.c ---- */
bool func_parse(struct parser *p, struct linkage l);     /* at ".func" */
bool func_prototype(struct parser *p, struct proto *to); /* behind ".callprototype" */
bool func_alias(struct parser *p);                       /* at ".alias" */
bool func_report_broken(struct parser *p);               /* errors in functions that kernels may call */
bool call_table(struct parser *p, uint32_t id, uint32_t off, bool *taken); /* behind "id:", if a table follows */
bool call_param(struct parser *p);                                         /* at ".param" in a body */
uint32_t call_add_param(struct parser *p, const struct cparam *c);

/* ---- operand.c, mnemonic.c, insn.c ---- */
/* SECOND: where q of p|q goes; NULL: no such pair stands here. */
bool operand_parse(struct parser *p, struct operand *o, struct operand *elem, struct operand *second);
bool mnemonic_parse(struct parser *p, struct mnemonic *mn); /* at the base: attributes and the row's key */
bool mnemonic_find(struct parser *p, struct mnemonic *mn);  /* the row; reports an unknown instruction */
bool mnemonic_is(const struct mnemonic *mn, const char *base);
bool mnemonic_part_is(const struct mnemonic *mn, unsigned part, const char *text);
bool mnemonic_has(const struct mnemonic *mn, const char *part); /* behind the base */
/* old.c: completes the key of a float instruction without rounding; reports it where the version asks for one */
bool old_default(struct parser *p, struct mnemonic *mn);
bool old_map_f64(struct parser *p, struct mnemonic *mn);             /* f64 to f32 where the target says so */
unsigned old_ftz(const struct parser *p, const struct mnemonic *mn); /* MOD_FTZ where the target implies it */
bool insn_parse(struct parser *p, struct ref guard);                 /* at the base; consumes the ';' */

/* ---- isa.c ---- */
bool isa_knows(const struct mnemonic *mn); /* is its base an instruction of PTX? */
/* the i-th base, in the order of isa.def; NULL behind the last */
const char *isa_base(unsigned i);
unsigned isa_target_version(const char *sm, size_t len); /* first PTX version with target "90a"; 0: there is none */
/* it is supported, and the module's version and target suffice; reports */
bool isa_check(struct parser *p, const struct mnemonic *mn);

#endif
