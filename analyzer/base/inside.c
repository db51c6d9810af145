#include "inside.h"

#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path without links, of what there is of it, and the rest as it is; the caller frees it. NULL: it cannot be
 * told. */
static char *resolve(const char *path)
{
	char *head = strdup(*path ? path : "."), *rest = strdup(""), *full = NULL;

	while (head && rest && !(full = realpath(head, NULL))) {
		char *slash = strrchr(head, '/'), *name = slash ? slash + 1 : head, *more;
		struct stat st;

		if (errno != ENOENT || strcmp(name, "..") == 0 || lstat(head, &st) == 0 || strcmp(head, ".") == 0)
			break; /* a link to nowhere, too: it would be made there */
		more = malloc(strlen(name) + strlen(rest) + 2);
		if (more)
			strcat(strcat(strcpy(more, "/"), name), rest);
		free(rest);
		rest = more;
		if (slash)
			slash[slash == head] = '\0';
		else
			strcpy(head, *head ? "." : "");
	}
	if (full && rest) {
		char *all = malloc(strlen(full) + strlen(rest) + 1);

		if (all)
			strcat(strcpy(all, strcmp(full, "/") == 0 && *rest ? "" : full), rest);
		free(full);
		full = all;
	}
	free(head);
	free(rest);
	return full;
}

/* What follows the folder in the path, from its slash on; NULL: it is not inside. */
static const char *below(const char *folder, const char *path)
{
	const size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

	return strncmp(folder, path, n) == 0 && path[n] == '/' ? path + n : NULL;
}

static bool look(const char *folder, const char *path, bool shown)
{
	char *root = resolve(folder), *full = resolve(path);
	const char *rest = root && full ? below(root, full) : NULL;
	const bool yes = rest && !(shown && (strcmp(root, "/") == 0 || strstr(rest, "/.")));

	free(root);
	free(full);
	return yes;
}

bool inside(const char *folder, const char *path) { return look(folder, path, false); }

/* The same of a text that is shown to others without being asked for: in no folder, and no file, whose name begins with
 * a dot, which is how private ones are called (.ssh, .env); and all of a machine is no folder. */
static bool inside_shown(const char *folder, const char *path) { return look(folder, path, true); }

/* ---- source files ---- */
bool source_dir_add(struct source_dirs *s, const char *dir)
{
	struct stat st;

	if (s->n == SOURCE_DIRS_MAX || stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	s->dir[s->n++] = dir;
	return true;
}

bool source_allowed(struct source_dirs *s, const char *input, const char *path)
{
	const char *slash = input ? strrchr(input, '/') : NULL;
	char *folder = slash ? strndup(input, (size_t)(slash + 1 - input)) : NULL;
	bool yes = inside_shown("", path) || (folder && inside_shown(folder, path));

	free(folder);
	for (unsigned i = 0; s && !yes && i < s->n; i++)
		yes = inside(s->dir[i], path);
	if (s && !yes && !*s->left_out && access(path, R_OK) == 0)
		snprintf(s->left_out, sizeof s->left_out, "%s", path);
	return yes;
}

void source_note(const struct source_dirs *s, const char *program)
{
	const char *slash = strrchr(s->left_out, '/');
	const int n = slash ? (int)(slash - s->left_out) + (slash == s->left_out) : 0;
	struct arena a;

	if (!*s->left_out)
		return;
	arena_init(&a);
	fprintf(stderr,
		"%s: note: lines of %s are not shown, which is neither in the folder of the input nor in the current "
		"one; --source-dir=%s shows them\n",
		program, text_shown(&a, s->left_out, strlen(s->left_out), ""),
		text_shown(&a, slash ? s->left_out : ".", slash ? (size_t)n : 1, ""));
	arena_free(&a);
}
