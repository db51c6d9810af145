/* Sweeps: one file names kernels, launches, machines, register files and values of parameters; each combination is a
 * point, and a point is timed once, whatever happens meanwhile. docs/SWEEP.md is the reference.
 *
 *   out: results
 *   kernels:
 *     - {object: sgemm.rlo, launch: sgemm.yaml}
 *   rf: [baseline, corf++]
 *   set: {rf_banks: [4, 8, 16], collectors_sp: {from: 2, to: 6, step: 2}}
 *
 * sweep_read() reads the file, points_make() makes its points, front_run() has those timed that OUT.journal has no
 * result of, by an engine that starts one process for each unit of points (work.h is what such a process does), and
 * rows_write() writes what all of them gave. */
#ifndef REGLOOM_SWEEP_H
#define REGLOOM_SWEEP_H

#include "analyzer/base/sha256.h"
#include "runtime-model/run/compare.h"
#include "runtime-model/sweep/node.h"

enum {
	SWEEP_POINTS_MAX = 100000,
	SWEEP_LIST_MAX = 4096, /* entries of any list, values of a range */
	SWEEP_SETS_MAX = 32,
	SWEEP_RETRY_MAX = 100,
	SWEEP_TOGETHER = 8, /* points of a unit, unless the file says */
};

/* hash: of the file and those it names */
struct sweep_launch {
	const char *name, *path;
	struct loc at;
	char hash[SHA256_HEX];
};
struct sweep_kernel {
	const char *name, *object, *source; /* one of the two, paths as the commands take them */
	const char **annotate;
	unsigned nannotate; /* options of ptx-annotate for a source */
	struct sweep_launch *launch;
	unsigned nlaunch;
	struct loc at;
	char hash[SHA256_HEX]; /* of the object */
};
struct sweep_set {
	const char *name;
	const char **value;
	unsigned n;
	struct loc at;
};
struct sweep_text {
	const char *text;
	struct loc at;
};

/* KEY_SET + i: of set[i] */
enum sweep_key { KEY_KERNEL, KEY_LAUNCH, KEY_MACHINE, KEY_RF, KEY_SET };
/* in: a bit set of that key's values, by number; points_make() finds it. */
struct sweep_match {
	unsigned key;
	const char **value;
	unsigned n;
	uint64_t *in;
};
/* points that match all of it */
struct sweep_exclude {
	struct sweep_match *match;
	unsigned n;
};

struct sweep_options {
	uint64_t max_insns, max_cycles, sample;
	bool checked;
};

struct sweep {
	const char *path, *folder;            /* of the file; "" or with a '/' behind it */
	const char *out;                      /* what comes before .csv, .jsonl, .journal and .d/ */
	struct loc out_at, host_at, slurm_at; /* where the file says it; without src: it does not */
	/* The folder for objects made of sources, an absolute path: the caller's to set; NULL: they are made in memory,
	 * and go at once. */
	const char *objects;
	volatile const int *stop; /* not 0: points_make() is to give up; the caller's to set */
	struct sweep_kernel *kernel;
	unsigned nkernel;
	struct sweep_text *machine, *rf;
	unsigned nmachine, nrf;
	struct sweep_set *set;
	unsigned nset;
	struct sweep_exclude *exclude;
	unsigned nexclude;
	struct metric_choice metrics;
	bool units; /* the header of the CSV has those of the metrics */
	struct sweep_options options;
	/* tries after the first; seconds for a point, 0: any; points of a unit */
	unsigned retry, timeout, together;
	const char **host;
	unsigned nhost; /* of GNU parallel */
	const char **slurm;
	unsigned nslurm; /* arguments of sbatch */
};

/* Reads a sweep file and what its values mean, but opens no file that it names. False with diagnostics. In arena a. */
bool sweep_read(struct sweep *w, const char *path, struct arena *a, struct diag *d);
/* the same of a text */
bool sweep_read_source(struct sweep *w, const struct source *s, struct arena *a, struct diag *d);
/* A sweep file may come from somebody else. False with a diagnostic if it names what is the caller's to choose: a place
 * for its results outside of its folder, machines to log in to, or arguments of sbatch, which can run commands. The
 * caller clears the place of what it does not take from it. */
bool sweep_harmless(const struct sweep *w, struct arena *a, struct diag *d);
/* The first message that a diag with no output has collected, without the names before it, in arena a. */
const char *sweep_reason(const struct diag *quiet, struct arena *a);

/* ---- points.c ---- */
struct sweep_point {
	uint32_t kernel, launch, machine, rf;
	const uint16_t *value; /* of each set */
	char id[SHA256_HEX];
	/* the first point with this id: the same configuration, written in another way */
	uint32_t first;
	const char *refused; /* why the parts do not go together; NULL: they do */
	bool variant;        /* it runs the variants of kernels, */
	unsigned window;     /* by so many CTAs in flight: what differs in these is not executed together */
};
struct points {
	struct sweep_point *point;
	unsigned n, excluded;
};

/* Reads objects and launch files, makes those of sources (in w->objects), and all points. False with diagnostics, or
 * without if it was stopped. */
bool points_make(struct points *p, struct sweep *w, struct arena *a, struct diag *d);
/* "machine=gtx480,baseline,rf_banks=4": as config_list_add() takes it. */
const char *point_config(const struct sweep *w, const struct sweep_point *p, struct arena *a);
/* What a point is called by: contents of object and launch, configuration, options, and this program. */
void point_id(const char *object, const char *launch, const struct sweep_options *o, const struct run_config *c,
	      char id[SHA256_HEX]);
/* False with a diagnostic at `at`. */
bool point_hash_object(const char *path, struct loc at, char hash[SHA256_HEX], struct diag *d);
bool point_hash_launch(const struct launch_file *f, struct loc at, char hash[SHA256_HEX], struct arena *a,
		       struct diag *d);

/* ---- journal.c ---- */
/* What is known of the points: OUT.journal, lines of JSON, one a result, the last one of a point counts. */
struct journal {
	const char *path;
	int fd;
	uint64_t bytes;
	const struct points *p;
	bool look;       /* opened to be read only */
	uint32_t *by_id; /* points in the order of their ids, the first of each */
	uint32_t nid;
	struct journal_entry {
		uint64_t at;
		uint32_t bytes;
		bool known, failed;
	} * entry; /* by point */
	struct arena *a;
};
/* Opens it, made if it is not there, and locks it: who has the lock may write what is called OUT. look: only to read
 * what it has by now, without the lock. False with a diagnostic, if another sweep has it too. */
bool journal_open(struct journal *j, const char *path, bool look, struct diag *d);
/* Reads what it knows of these points, and cuts off what was torn. False with a diagnostic. */
bool journal_load(struct journal *j, const struct points *p, struct arena *a, struct diag *d);
void journal_close(struct journal *j); /* and removes it if it has come to nothing */
/* Appends the lines of results in text, whole or not at all, without those of points that are not of this sweep, or
 * have one. *taken: results. */
bool journal_add(struct journal *j, const char *text, size_t n, unsigned *taken, struct diag *d);
/* Has the point a result that lasts? A failure does not. */
static inline bool journal_done(const struct journal *j, unsigned point)
{
	const struct journal_entry *e = &j->entry[j->p->point[point].first];

	return j->p->point[point].refused || (e->known && !e->failed);
}
/* A new reference; NULL: there is none, or it cannot be read. */
json_t *journal_result(const struct journal *j, unsigned point);
json_t *result_refused(const char *id, const char *status, const char *reason); /* "refused", "failed" */

/* ---- rows.c ---- */
/* wrong: an expectation failed, of those done; unknown: rows without an energy that was asked for, and why the first of
 * them is */
struct row_counts {
	unsigned done, stopped, refused, failed, wrong, unknown;
	const char *missing;
};
/* OUT.csv and OUT.jsonl, in the order of the points, both or neither. */
bool rows_write(const struct sweep *w, const struct points *p, const struct journal *j, struct row_counts *n,
		struct arena *a, struct diag *d);

/* What json_dumps() gave, which counts what it has (base/ram.h). */
static inline void sweep_free_text(char *text)
{
	json_free_t give_back;

	json_get_alloc_funcs(NULL, &give_back);
	give_back(text);
}

#endif
