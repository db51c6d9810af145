/* The demangler is the C++ library's, which programs of nvcc have loaded; where there is none, the names in a symbol
 * are read here. */
#include "analyzer/base/kernel_name.h"
#include "analyzer/base/mangled.h"

#include <dlfcn.h>
#include <pthread.h>
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

/* It takes twice as long for each type of a conversion operator inside another (mangled.c), and a file may hold any
 * symbol. */
static bool is_quick(const char *symbol)
{
	enum { SHORT = 64 };
	const size_t n = strnlen(symbol, MANGLED_LOOK);

	return n <= SHORT || (n < MANGLED_LOOK && !strstr(symbol, "cv"));
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
	if (demangle && is_quick(symbol) && (text = demangle(symbol, NULL, NULL, &status)) && status == 0)
		name = bare(text, a);
	free(text);
	return name ? name : read_names(symbol, a);
}

/* ---- in so many columns ---- */
static const char *without_namespaces(const char *name)
{
	const char *last = name;
	unsigned depth = 0;

	for (const char *at = name; *at; at++) {
		depth += strchr("(<[{", *at) != NULL;
		depth -= depth && strchr(")>]}", *at);
		if (!depth && at[0] == ':' && at[1] == ':')
			last = at + 2;
	}
	return last;
}

const char *kernel_short_name(const char *name, unsigned room, struct arena *a)
{
	const char *last;
	unsigned n;

	if (strlen(name) <= room)
		return name;
	last = without_namespaces(name);
	n = (unsigned)strlen(last);
	if (n <= room)
		return last;
	return arena_printf(a, "%.*s...%s", (int)(room * 5 / 8 - 3), last, last + n - (room - room * 5 / 8));
}

/* ---- as somebody calls it ---- */
/* Without template arguments. */
static const char *without_arguments(const char *name, struct arena *a)
{
	const char *angle = strchr(name, '<');

	return angle && angle > name ? arena_strndup(a, name, (size_t)(angle - name)) : name;
}

bool kernel_is_named(const char *symbol, const char *name)
{
	const char *whole, *own;
	struct arena a;
	bool is;

	if (strcmp(symbol, name) == 0)
		return true;
	if (strncmp(symbol, "_Z", 2) != 0)
		return false;
	arena_init(&a);
	whole = kernel_name(symbol, &a);
	own = without_namespaces(whole);
	is = strcmp(whole, name) == 0 || strcmp(own, name) == 0 || strcmp(without_arguments(whole, &a), name) == 0 ||
	     strcmp(without_arguments(own, &a), name) == 0;
	arena_free(&a);
	return is;
}
