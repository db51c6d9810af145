/* Names of functions as C++ compilers mangle them (Itanium C++ ABI, section 5.1). */
#ifndef REGLOOM_BASE_MANGLED_H
#define REGLOOM_BASE_MANGLED_H

#include <stddef.h>

/* bytes of a symbol that are looked at */
enum { MANGLED_LOOK = 1 << 12 };

/* The function's own name: without namespaces, classes, template and other arguments; an operator's with its class,
 * "Sky::operator()"; "lambda" of the function that a lambda is. A symbol that is not mangled, or not as read here, is
 * its own name. Cut off at room - 1 bytes; returns its bytes. */
size_t mangled_name(const char *symbol, char *out, size_t room);

#endif
