/* Texts without a row of their own: the reader makes other rows of them. */
#include "test/conform/conform.h"

const struct text_form forms[] = {
	{ NULL, NULL, 0 },
};
