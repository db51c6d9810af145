/* Linking: images become one PTX text (../core/link.c), which stands for the machine code that CUDA would give. */
#include "runtime-model/cuda/driver/driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum input { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NVVM };
struct link {
	struct link *next;
	char **image, **name;
	unsigned n;
	unsigned noption;
	int *option;
	void **value; /* the caller's, which last as long */
	char *text;
};
typedef struct link *CUlinkState;
static struct link *links;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_link(CUlinkState l)
{
	const struct link *x;

	pthread_mutex_lock(&lock);
	for (x = links; x && x != l; x = x->next)
		;
	pthread_mutex_unlock(&lock);
	return x != NULL;
}

API(cuLinkCreate_v2, unsigned n, int *option, void **value, CUlinkState *out)
{
	struct link *l;

	READY();
	if (!out || (n && (!option || !value)))
		return CU_INVALID_VALUE;
	l = calloc(1, sizeof *l);
	if (!l)
		return CU_OUT_OF_MEMORY;
	l->noption = n;
	l->option = option;
	l->value = value;
	pthread_mutex_lock(&lock);
	l->next = links;
	links = l;
	pthread_mutex_unlock(&lock);
	*out = l;
	return CU_OK;
}
ALIAS(cuLinkCreate, cuLinkCreate_v2);

/* Takes `bytes`, which ends in a zero. */
static CUresult add(CUlinkState l, int kind, char *bytes, const char *name)
{
	char **image, **names, *copy = strdup(name ? name : "input of a link");
	CUresult s = CU_OUT_OF_MEMORY;

	if (kind == INPUT_OBJECT || kind == INPUT_LIBRARY || kind == INPUT_NVVM) {
		cu_missing(kind == INPUT_NVVM ? "linking NVVM" : "linking objects and libraries of the host");
		s = CU_NOT_SUPPORTED;
	} else if (copy) {
		image = realloc(l->image, (l->n + 1) * sizeof *image);
		l->image = image ? image : l->image;
		names = image ? realloc(l->name, (l->n + 1) * sizeof *names) : NULL;
		l->name = names ? names : l->name;
		if (names) {
			image[l->n] = bytes;
			names[l->n++] = copy;
			return CU_OK;
		}
	}
	free(bytes);
	free(copy);
	return s;
}

static CUresult ready_to_add(CUlinkState l, int kind)
{
	READY();
	if (!is_link(l))
		return CU_INVALID_HANDLE;
	return kind < INPUT_CUBIN || kind > INPUT_NVVM || l->text ? CU_INVALID_VALUE : CU_OK;
}

API(cuLinkAddData_v2, CUlinkState l, int kind, void *data, size_t n, const char *name, unsigned noption, int *option,
    void **value)
{
	CUresult s = ready_to_add(l, kind);
	char *bytes;

	(void)noption;
	(void)option;
	(void)value; /* of the compiler */
	if (s || !data || !n)
		return s ? s : CU_INVALID_VALUE;
	if (!cu_image_bytes(data, n))
		return CU_INVALID_IMAGE;
	bytes = calloc(1, n + 64);
	if (!bytes)
		return CU_OUT_OF_MEMORY;
	memcpy(bytes, data, n);
	return add(l, kind, bytes, name);
}
ALIAS(cuLinkAddData, cuLinkAddData_v2);

API(cuLinkAddFile_v2, CUlinkState l, int kind, const char *path, unsigned noption, int *option, void **value)
{
	CUresult s = ready_to_add(l, kind);
	char *bytes;
	size_t n;

	(void)noption;
	(void)option;
	(void)value;
	if (s || !path)
		return s ? s : CU_INVALID_VALUE;
	bytes = file_read(path, &n, &s);
	return bytes ? add(l, kind, bytes, path) : s;
}
ALIAS(cuLinkAddFile, cuLinkAddFile_v2);

API(cuLinkComplete, CUlinkState l, void **image, size_t *bytes)
{
	char errors[512] = "";
	CUresult s = CU_OK;

	READY();
	if (!is_link(l))
		return CU_INVALID_HANDLE;
	if (!image)
		return CU_INVALID_VALUE;
	if (!l->text) {
		struct cu_link_input *in = calloc(l->n + 1, sizeof *in);

		for (unsigned i = 0; in && i < l->n; i++)
			in[i] = (struct cu_link_input){ l->image[i], l->name[i] };
		s = in ? told(cu_link(&l->text, in, l->n, errors, sizeof errors)) : CU_OUT_OF_MEMORY;
		free(in);
	}
	jit_logs(l->noption, l->option, l->value, errors);
	if (s)
		return s;
	*image = l->text;
	if (bytes)
		*bytes = strlen(l->text) + 1;
	return CU_OK;
}

API(cuLinkDestroy, CUlinkState l)
{
	struct link **at;

	READY();
	pthread_mutex_lock(&lock);
	for (at = &links; *at && *at != l; at = &(*at)->next)
		;
	if (*at)
		*at = l->next;
	else
		l = NULL;
	pthread_mutex_unlock(&lock);
	if (!l)
		return CU_INVALID_HANDLE;
	for (unsigned i = 0; i < l->n; i++) {
		free(l->image[i]);
		free(l->name[i]);
	}
	free(l->image);
	free(l->name);
	free(l->text);
	free(l);
	return CU_OK;
}
