/* Names of kernels as they are shown: of C++ without what it returns and takes, with the arguments of templates, by
 * which instances are told apart. The demangler is the C++ library's, which programs of nvcc have loaded; where there
 * is none, the names in a symbol are read here. */
#include "runtime-model/cuda/core/internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- the demangler ---- */
typedef char *demangle_function(const char *symbol, char *out, size_t *bytes, int *status);
static demangle_function *demangle;

static void find_demangler(void)
{
	void *library, *f = dlsym(RTLD_DEFAULT, "__cxa_demangle");

	if (!f && (library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL)))
		f = dlsym(library, "__cxa_demangle");
	memcpy(&demangle, &f, sizeof demangle); /* a pointer to data is none to a function, in C */
}

/* Where the parameters of a declaration begin, from its end; NULL: it has none. */
static const char *parameters(const char *s)
{
	const char *at = s + strlen(s);
	unsigned depth = 0;

	while (at > s) {
		at--;
		depth += *at == ')';
		if (*at == '(' && depth && !--depth)
			return at;
		if (!depth && *at == '>')
			return NULL;
	}
	return NULL;
}

/* "void ns::f<(int)3>(float*) [clone .x]" without all that is not "ns::f<(int)3>". */
static const char *bare(const char *declaration, struct arena *a)
{
	const char *clone = strstr(declaration, " [clone"),
		   *s = arena_strndup(a, declaration, clone ? (size_t)(clone - declaration) : strlen(declaration));
	const char *end = parameters(s), *start = s;
	unsigned depth = 0;

	end = end ? end : s + strlen(s);
	for (const char *at = s; at < end; at++) {
		depth += strchr("(<[{", *at) != NULL;
		depth -= depth && strchr(")>]}", *at);
		if (*at == ' ' && !depth)
			start = at + 1;
	}
	return start < end ? arena_strndup(a, start, (size_t)(end - start)) : s;
}

/* ---- without one ---- */
/* A length and that many characters of a mangled name; NULL: it is none. */
static const char *part(const char *s, const char **text, size_t *n)
{
	char *end;
	unsigned long len = *s >= '1' && *s <= '9' ? strtoul(s, &end, 10) : 0;

	if (!len || len > strlen(end))
		return NULL;
	*text = end;
	*n = len;
	return end + len;
}

static const char *read_names(const char *symbol, struct arena *a)
{
	const char *s = symbol, *text, *name = "";
	const bool nested = strncmp(s, "_ZN", 3) == 0;
	size_t n;

	s += nested ? 3 : 2;
	for (s += *s == 'L'; (s = part(s, &text, &n));) {
		const bool hidden = n > 10 && strncmp(text, "_GLOBAL__N", 10) == 0;

		name = arena_printf(a, "%s%s%.*s", name, *name ? "::" : "", hidden ? 21 : (int)n,
				    hidden ? "(anonymous namespace)" : text);
		if (!nested || *s == 'I')
			break;
	}
	if (!*name)
		return symbol;
	return s && *s == 'I' ? arena_printf(a, "%s<>", name) : name;
}

const char *kernel_name(const char *symbol, struct arena *a)
{
	static pthread_once_t found = PTHREAD_ONCE_INIT;
	const char *name = NULL;
	char *text = NULL;
	int status = -1;

	if (strncmp(symbol, "_Z", 2) != 0)
		return symbol;
	pthread_once(&found, find_demangler);
	if (demangle && (text = demangle(symbol, NULL, NULL, &status)) && status == 0)
		name = bare(text, a);
	free(text);
	return name ? name : read_names(symbol, a);
}

/* ---- in so many columns ---- */
const char *kernel_short_name(const char *name, unsigned room, struct arena *a)
{
	const char *last = name;
	unsigned depth = 0, n;

	if (strlen(name) <= room)
		return name;
	for (const char *at = name; *at; at++) {
		depth += strchr("(<[{", *at) != NULL;
		depth -= depth && strchr(")>]}", *at);
		if (!depth && at[0] == ':' && at[1] == ':')
			last = at + 2;
	}
	n = (unsigned)strlen(last);
	if (n <= room)
		return last;
	return arena_printf(a, "%.*s...%s", (int)(room * 5 / 8 - 3), last, last + n - (room - room * 5 / 8));
}
