/* The launches of a launch file on a device and in our engine, side by side. Our memory lies at the addresses that the
 * device has given, so that parameter blocks are the same, and so is memory with addresses in it. */
#ifndef REGLOOM_WALK_H
#define REGLOOM_WALK_H

#include "runtime-model/hardware/hardware.h"
#include "runtime-model/core/stats.h"
#include "runtime-model/launch/launch.h"

struct l2;
struct mufu_table;

/* a kernel file, PTX or a cubin, and the launch file of it */
struct pair {
	const char *name, *kernel, *launch; /* name: the kernel file's, without its ending */
};

/* a buffer of the launch file, or a .global variable of the module that the device knows by name */
struct walk_piece {
	const char *name;
	enum scalar_type type; /* of a variable: bytes */
	uint64_t address, bytes;
	unsigned char *ours, *theirs; /* theirs: as walk_compare() read it */
};

/* Where two memories differ: the first element, and all of them. */
struct walk_difference {
	const struct walk_piece *piece; /* that of the first; NULL: they are the same */
	uint64_t element, mismatches, of;
	const char *theirs, *ours; /* of the first, in the walk's arena */
	/* of floats: units in the last place between the two, the most; UINT64_MAX: a number and what is none */
	uint64_t ulps;
	bool floats;
};

struct walk {
	struct hardware *h; /* NULL: only our side walks */
	struct hardware_code *code;
	struct source src;
	struct module *m;
	struct launch_file *f;
	struct device *dev;
	struct walk_piece *piece; /* buffers, in the launch file's order, then variables that the device knows */
	unsigned npiece;
	uint64_t *place; /* of all of them, and 0 of each variable that it does not know */
	unsigned nplace;
	struct launch_cursor at;
	struct launch l; /* the one that is next */
	struct launched launched;
	const struct mufu_table *mufu; /* as which the device approximates; NULL: nobody knows */
	/* after walk_engine(): why what its launch leaves may rightly be other; NULL: nothing may; and which pieces.
	   Without a device what may have been other stays so in the next launch */
	const char *excluded;
	bool *may_differ;
	struct arena *a;
	struct diag *d;
};

/* Reads both files and binds them. False with a diagnostic. */
bool walk_read(struct walk *w, const struct pair *p, const struct mufu_table *mufu, struct arena *a, struct diag *d);
/* What of the launch file no device is asked for; NULL: all is. */
const char *walk_unasked(const struct walk *w);
/* Loads the code on h and puts all memory where that has it. False with a diagnostic. */
bool walk_place(struct walk *w, struct hardware *h);
/* Without a device: memory lies where `place`, as another walk's, says. */
bool walk_place_at(struct walk *w, const uint64_t *place, unsigned nplace);
/* The next launch, in w->at and w->l. */
enum launch_step walk_next(struct walk *w);
/* That launch on the device, which gets our memory before it. */
bool walk_device(struct walk *w, double *ns);
bool walk_engine(struct walk *w); /* the same in our engine */
/* The same timed, as machine p's baseline, added to st. l2: as the launch before left it, or NULL; it sees what
 * walk_device() writes. */
bool walk_timed(struct walk *w, const struct params *p, struct l2 *l2, struct stats *st);
/* Again and again from the same memory: what all times but the first take. */
bool walk_timed_twice(struct walk *w, const struct params *p, struct l2 *l2, struct stats *st);
/* After both: x[0] of what must be the same, x[1] of what may differ. False with a diagnostic: it cannot be read. */
bool walk_compare(struct walk *w, struct walk_difference x[2]);
void walk_take(struct walk *w); /* our memory becomes what walk_compare() read */
/* The beginning of the SHA-256 of a piece, ours or theirs. */
enum { WALK_HASH = 17 };
void walk_hash(const struct walk *w, unsigned piece, bool theirs, char hex[WALK_HASH]);
struct sha256;
void walk_hash_of(const void *bytes, size_t n, char hex[WALK_HASH]); /* of anything else */
void walk_close(struct walk *w);                                     /* always; on the device memory and code go */

/* Of each kernel file in the folder, and in those below, with a launch file beside it, in arena a; names are relative
 * to the folder. False with a diagnostic: there is none. */
bool pairs_find(struct pair **list, unsigned *n, const char *folder, struct arena *a, struct diag *d);
struct pair pair_of(const char *kernel, const char *launch, struct arena *a);

/* What is said of a device in every JSON that this program writes; with the number of its format. */
json_t *device_json(const struct hardware *h);

#endif
