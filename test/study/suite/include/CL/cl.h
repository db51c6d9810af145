/* In place of OpenCL's header, which Parboil's common header includes for a function that no CUDA program calls. */
#ifndef SUITE_CL_H
#define SUITE_CL_H
#include <stddef.h>

typedef int cl_int;
typedef unsigned cl_uint;
typedef void *cl_command_queue, *cl_kernel, *cl_event, *cl_mem;
#endif
