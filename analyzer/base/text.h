/* Text from files and arguments, as it may be shown: no byte of it moves a terminal's cursor or changes its colours. */
#ifndef REGLOOM_BASE_TEXT_H
#define REGLOOM_BASE_TEXT_H

#include "analyzer/base/arena.h"

/* Of the n bytes at s a copy in which control characters, and bytes that are not UTF-8, are written as "\x1b"; those in
 * `keep` stay. In arena a. */
char *text_shown(struct arena *a, const char *s, size_t n, const char *keep);
/* The same in place, a '?' for each such byte: columns stay. Tabs stay. */
void text_mask(char *s, size_t n);

#endif
