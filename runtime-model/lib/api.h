/* What the two halves of the public interface share: diagnostics into a string of the caller, and numbers with a point,
 * whatever locale it has set. */
#ifndef REGLOOM_API_H
#define REGLOOM_API_H

#include "analyzer/base/diag.h"
#include "passes/occupancy.h"

#include <locale.h>

struct api_log {
	struct diag d;
	char *text;
	size_t n;
	locale_t plain, theirs;
};

/* false: no memory. Until it is closed the calling thread has C's locale */
bool api_log_open(struct api_log *l);
/* Closes the log. With `keep` and error not NULL, *error becomes what was logged, in malloc's memory. */
void api_log_close(struct api_log *l, bool keep, char **error);
/* What occupancy reads of machine NAME, NULL: the default one, with n parameters changed. False: *error is set. In
 * runtime-model/lib/run.c, where machines are known. */
bool api_limits(const char *name, const char *const *set, size_t n, struct sm_limits *out, char **error);
/* Sets *error, if error is not NULL, to "error: ..." and returns false. */
bool api_refuse(char **error, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
