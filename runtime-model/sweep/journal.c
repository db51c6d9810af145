/* The journal: appended to, never rewritten. A result is one line, written by one write() and synced, so that what was
 * finished stays finished whatever happens; a line that was torn is cut off by the next sweep. flock() keeps two sweeps
 * apart, from before the first of them writes anything. */
#include "runtime-model/sweep/sweep.h"
#include "analyzer/base/infile.h"
#include "analyzer/base/near.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] = "{\"journal\": \"regloom-sweep-1\"}\n";
enum { HEAD = sizeof head - 1 };

static int compare_ids(const void *id, const void *entry, void *points)
{
	const struct points *p = points;

	return strcmp(id, p->point[*(const uint32_t *)entry].id);
}

static int compare_points(const void *x, const void *y, void *points)
{
	return compare_ids(((struct points *)points)->point[*(const uint32_t *)x].id, y, points);
}

/* The point with this id; NULL: none of this sweep. */
static const uint32_t *find(const struct journal *j, const char *id)
{
	/* bsearch() gives its comparison no context. */
	uint32_t low = 0, high = j->nid;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int c = compare_ids(id, &j->by_id[mid], (void *)j->p);

		if (c == 0)
			return &j->by_id[mid];
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* Has it all that a row needs? */
static bool is_result(const json_t *o)
{
	static const char *const statuses[] = { "done", "stopped", "refused", "failed" }, *const checks[] = {
		"pass", "fail", "none", "partial"
	};
	const char *status = json_string_value(json_object_get(o, "status")),
		   *check = json_string_value(json_object_get(o, "check"));
	const json_t *reason = json_object_get(o, "reason"), *metrics = json_object_get(o, "metrics");

	return status && name_find(statuses, 4, status) < 4 && check && name_find(checks, 4, check) < 4 &&
	       (json_is_string(reason) || json_is_null(reason)) &&
	       (json_is_object(metrics) || (!metrics && (*status == 'r' || *status == 'f')));
}

/* The point that a line is a result of, NULL: of none; *failed: "failed". */
static const uint32_t *read_line(const struct journal *j, const char *line, size_t n, bool *failed)
{
	json_t *o = json_loadb(line, n, 0, NULL);
	const char *id = json_string_value(json_object_get(o, "id"));
	const uint32_t *point = id && is_result(o) ? find(j, id) : NULL;

	*failed = point && strcmp(json_string_value(json_object_get(o, "status")), "failed") == 0;
	json_decref(o);
	return point;
}

/* Takes over a line at byte `at` of the journal. */
static void take(struct journal *j, const uint32_t *point, uint64_t at, size_t n, bool failed)
{
	struct journal_entry *e = &j->entry[*point];

	if (failed && e->known && !e->failed)
		return; /* it succeeded before */
	*e = (struct journal_entry){ at, (uint32_t)n, true, failed };
}

static bool write_all(struct journal *j, const char *text, size_t n, struct diag *d)
{
	ssize_t w;

	do
		w = write(j->fd, text, n);
	while (w < 0 && errno == EINTR);
	if (w == (ssize_t)n && fsync(j->fd) == 0) {
		j->bytes += n;
		return true;
	}
	diag_error_plain(d, j->path, "cannot write: %s", w < 0 || w == (ssize_t)n ? strerror(errno) : strerror(ENOSPC));
	if (ftruncate(j->fd, (off_t)j->bytes) != 0)
		return false; /* the torn line is cut off when it is opened again */
	return false;
}

/* no result is as long */
enum { LINE_MOST = 1 << 20 };
/* n: of this line, at most LINE_MOST; bytes: before the next */
struct lines {
	FILE *f;
	char *line, *chunk;
	size_t n, at, have;
	uint64_t bytes;
};

/* The next line that has an end, however large the file. False: there is none. *length: without its end. */
static bool next_line(struct lines *l, uint64_t *length)
{
	*length = l->n = 0;
	for (;;) {
		char *from, *nl;
		size_t n, keep;

		if (l->at == l->have) {
			l->at = 0;
			l->have = fread(l->chunk, 1, LINE_MOST, l->f);
			if (!l->have)
				return false;
		}
		from = l->chunk + l->at;
		nl = memchr(from, '\n', l->have - l->at);
		n = nl ? (size_t)(nl - from) : l->have - l->at;
		keep = n < LINE_MOST - l->n ? n : LINE_MOST - l->n;
		memcpy(l->line + l->n, from, keep);
		l->n += keep;
		*length += n;
		l->at += n + (nl != NULL);
		if (nl) {
			l->bytes += *length + 1;
			return true;
		}
	}
}

static bool read_lines(struct journal *j, struct lines *l, struct diag *d)
{
	uint64_t length;
	struct stat st;

	if (fstat(j->fd, &st) != 0)
		return diag_error_plain(d, j->path, "cannot read: %s", strerror(errno));
	if (next_line(l, &length)) {
		if (l->bytes != HEAD || memcmp(l->line, head, HEAD - 1) != 0)
			return diag_error_plain(
				d, j->path, "is not the journal of a sweep; 'out' names another file, or move it away");
	} else if (l->n > HEAD || memcmp(l->line, head, l->n) != 0) {
		return diag_error_plain(d, j->path,
					"is not the journal of a sweep; 'out' names another file, or move it away");
	}
	for (j->bytes = l->bytes; next_line(l, &length); j->bytes = l->bytes) {
		bool failed;
		const uint32_t *point = length < LINE_MOST ? read_line(j, l->line, l->n, &failed) : NULL;

		if (point)
			take(j, point, j->bytes, l->n, failed);
	}
	if (ferror(l->f))
		return diag_error_plain(d, j->path, "cannot read: %s", strerror(errno));
	if (!j->look && j->bytes != (uint64_t)st.st_size && ftruncate(j->fd, (off_t)j->bytes) != 0)
		return diag_error_plain(d, j->path, "cannot write: %s", strerror(errno));
	return j->look || j->bytes || write_all(j, head, HEAD, d);
}

bool journal_load(struct journal *j, const struct points *p, struct arena *a, struct diag *d)
{
	bool other;
	struct lines l = { .f = infile_regular(j->path, &other) };
	struct arena scratch;
	bool ok;

	if (!l.f)
		return diag_error_plain(d, j->path, "cannot read: %s", strerror(errno));
	j->p = p;
	j->entry = new_array(a, struct journal_entry, p->n);
	j->by_id = new_array(a, uint32_t, p->n);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->point[i].first == i && !p->point[i].refused)
			j->by_id[j->nid++] = i;
	qsort_r(j->by_id, j->nid, sizeof *j->by_id, compare_points, (void *)p);
	arena_init(&scratch);
	l.line = new_array(&scratch, char, LINE_MOST);
	l.chunk = new_array(&scratch, char, LINE_MOST);
	ok = read_lines(j, &l, d);
	arena_free(&scratch);
	fclose(l.f);
	return ok;
}

bool journal_open(struct journal *j, const char *path, bool look, struct diag *d)
{
	struct stat mine, there;

	*j = (struct journal){ .path = path, .look = look };
	for (;;) {
		j->fd = open(path, look ? O_RDONLY | O_CLOEXEC | O_NONBLOCK : O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC,
			     0666);
		if (j->fd < 0)
			return diag_error_plain(d, path, "cannot %s: %s", look ? "read" : "write", strerror(errno));
		if (fstat(j->fd, &mine) == 0 && !S_ISREG(mine.st_mode)) {
			close(j->fd);
			return diag_error_plain(d, path, "is not a regular file");
		}
		if (look)
			return true;
		if (flock(j->fd, LOCK_EX | LOCK_NB) != 0) {
			int why = errno;

			close(j->fd);
			return diag_error_plain(
				d, path, why == EWOULDBLOCK ? "another sweep is at work on it" : "cannot be locked: %s",
				strerror(why));
		}
		if (stat(path, &there) == 0 && there.st_ino == mine.st_ino && there.st_dev == mine.st_dev)
			return true;
		close(j->fd); /* one that came to nothing has just been removed */
	}
}

void journal_close(struct journal *j)
{
	struct stat st;

	if (!j->look && fstat(j->fd, &st) == 0 && !st.st_size)
		unlink(j->path);
	close(j->fd);
}

bool journal_add(struct journal *j, const char *text, size_t n, unsigned *taken, struct diag *d)
{
	struct arena scratch;
	size_t len = 0;
	uint64_t at = j->bytes;
	char *out;
	bool ok;

	arena_init(&scratch);
	out = arena_alloc_raw(&scratch, n + 1, 1, 1);
	*taken = 0;
	for (const char *line = text, *nl; (nl = memchr(line, '\n', (size_t)(text + n - line))); line = nl + 1) {
		bool failed;
		const uint32_t *point = read_line(j, line, (size_t)(nl - line), &failed);

		/* not again what came before the sweep was killed */
		if (point && (!j->entry[*point].known || j->entry[*point].failed)) {
			memcpy(out + len, line, (size_t)(nl + 1 - line));
			len += (size_t)(nl + 1 - line);
		}
	}
	ok = !len || write_all(j, out, len, d);
	for (const char *line = out, *nl; ok && line < out + len; line = nl + 1) {
		bool failed;
		const uint32_t *point;

		nl = memchr(line, '\n', (size_t)(out + len - line));
		point = read_line(j, line, (size_t)(nl - line), &failed);
		take(j, point, at + (uint64_t)(line - out), (size_t)(nl - line), failed);
		++*taken;
	}
	arena_free(&scratch);
	return ok;
}

json_t *result_refused(const char *id, const char *status, const char *reason)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "id", id, "status", status, "check", "none", "reason", reason);
}

json_t *journal_result(const struct journal *j, unsigned point)
{
	const struct sweep_point *p = &j->p->point[point];
	const struct journal_entry *e = &j->entry[p->first];
	json_t *o = NULL;
	char *line;
	size_t n = 0;

	if (p->refused)
		return result_refused("", "refused", p->refused);
	if (!e->known)
		return NULL;
	line = malloc(e->bytes);
	while (line && n < e->bytes) {
		ssize_t r = pread(j->fd, line + n, e->bytes - n, (off_t)(e->at + n));

		if (r <= 0)
			break;
		n += (size_t)r;
	}
	if (line && n == e->bytes)
		o = json_loadb(line, n, 0, NULL);
	free(line);
	return o;
}
