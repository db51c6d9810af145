/* The journal: appended to, never rewritten. A result is one line, written by one write() and synced, so that what was finished stays
 * finished whatever happens; a line that was torn is cut off by the next sweep. flock() keeps two sweeps apart. */
#include "runtime-model/sweep/sweep.h"
#include "runtime-model/sweep/process.h"

#include <errno.h>
#include <fcntl.h>
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

/* The point that a line is a result of, NULL: of none; *failed: "failed". */
static const uint32_t *read_line(const struct journal *j, const char *line, size_t n, bool *failed)
{
	json_t *o = json_loadb(line, n, 0, NULL);
	const char *id = json_string_value(json_object_get(o, "id")), *status = json_string_value(json_object_get(o, "status"));
	const uint32_t *point = id && status ? find(j, id) : NULL;

	*failed = status && strcmp(status, "failed") == 0;
	json_decref(o);
	return point;
}

/* Takes over a line at byte `at` of the journal. */
static void take(struct journal *j, const uint32_t *point, uint64_t at, size_t n, bool failed)
{
	struct journal_entry *e = &j->entry[*point];

	if (failed && e->known && !e->failed)
		return;                 /* it succeeded before */
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
		return false;           /* the torn line is cut off when it is opened again */
	return false;
}

static bool load(struct journal *j, struct arena *a, struct diag *d)
{
	size_t n = 0;
	char *text = process_slurp(j->path, &n, a), *end = text && n ? memrchr(text, '\n', n) : NULL;

	if (!text)
		return diag_error_plain(d, j->path, "cannot read: %s", strerror(errno));
	if (n && (n < HEAD ? memcmp(text, head, n) != 0 : memcmp(text, head, HEAD) != 0))
		return diag_error_plain(d, j->path, "is not the journal of a sweep; 'out' names another file, or move it away");
	j->bytes = end ? (uint64_t)(end + 1 - text) : 0;
	if (j->bytes != n && ftruncate(j->fd, (off_t)j->bytes) != 0)
		return diag_error_plain(d, j->path, "cannot write: %s", strerror(errno));
	if (!j->bytes)
		return write_all(j, head, HEAD, d);
	for (char *line = text + HEAD; line < text + j->bytes; ) {
		char *nl = memchr(line, '\n', (size_t)(text + j->bytes - line));
		bool failed;
		const uint32_t *point = read_line(j, line, (size_t)(nl - line), &failed);

		if (point)
			take(j, point, (uint64_t)(line - text), (size_t)(nl - line), failed);
		line = nl + 1;
	}
	return true;
}

bool journal_open(struct journal *j, const char *path, const struct points *p, struct arena *a, struct diag *d)
{
	struct arena scratch;
	struct stat st;
	bool ok;

	*j = (struct journal){ .path = path, .p = p, .a = a };
	j->entry = new_array(a, struct journal_entry, p->n);
	j->by_id = new_array(a, uint32_t, p->n);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->point[i].first == i && !p->point[i].refused)
			j->by_id[j->nid++] = i;
	qsort_r(j->by_id, j->nid, sizeof *j->by_id, compare_points, (void *)p);
	j->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (j->fd < 0)
		return diag_error_plain(d, path, "cannot write: %s", strerror(errno));
	if (fstat(j->fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		journal_close(j);
		return diag_error_plain(d, path, "is not a regular file");
	}
	if (flock(j->fd, LOCK_EX | LOCK_NB) != 0) {
		int why = errno;

		journal_close(j);
		return diag_error_plain(d, path, why == EWOULDBLOCK ? "another sweep is at work on it" : "cannot be locked: %s", strerror(why));
	}
	arena_init(&scratch);
	ok = load(j, &scratch, d);
	arena_free(&scratch);
	if (!ok)
		journal_close(j);
	return ok;
}

void journal_close(struct journal *j)
{
	if (j->fd > 0)
		close(j->fd);
	j->fd = -1;
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

		if (point && (!j->entry[*point].known || j->entry[*point].failed)) {     /* not again what came before the sweep was killed */
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
