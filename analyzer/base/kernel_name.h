/* Names of kernels as they are shown: of C++ without what it returns and takes, with the arguments of templates, by
 * which instances are told apart. */
#ifndef REGLOOM_BASE_KERNEL_NAME_H
#define REGLOOM_BASE_KERNEL_NAME_H

#include "analyzer/base/arena.h"

#include <stdbool.h>

/* "ns::name<32, 8>"; of what is not C++ the symbol itself. In a, or the symbol. */
const char *kernel_name(const char *symbol, struct arena *a);
/* Without its namespaces, or its middle, where it is longer than room. */
const char *kernel_short_name(const char *name, unsigned room, struct arena *a);
/* Is the kernel what somebody calls so: its symbol, kernel_name() of it, or that without namespaces, template
 * arguments or both? */
bool kernel_is_named(const char *symbol, const char *name);

#endif
