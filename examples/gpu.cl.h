/* What the examples need of a GPU, from clang's own builtins: no OpenCL library and no CUDA headers. */
#ifndef EXAMPLES_GPU_CL_H
#define EXAMPLES_GPU_CL_H

typedef signed char s8;
typedef short s16;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef float f32x4 __attribute__((ext_vector_type(4)));

#define THREAD_X (__nvvm_read_ptx_sreg_tid_x())
#define THREAD_Y (__nvvm_read_ptx_sreg_tid_y())
#define BLOCK_X (__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCK_Y (__nvvm_read_ptx_sreg_ctaid_y())
#define BLOCK_Z (__nvvm_read_ptx_sreg_ctaid_z())
#define BLOCK_SIZE_X (__nvvm_read_ptx_sreg_ntid_x())
#define BLOCK_SIZE_Y (__nvvm_read_ptx_sreg_ntid_y())
#define BLOCKS_X (__nvvm_read_ptx_sreg_nctaid_x())
#define BLOCKS_Y (__nvvm_read_ptx_sreg_nctaid_y())
#define GLOBAL_X ((u32)BLOCK_X * (u32)BLOCK_SIZE_X + (u32)THREAD_X)
#define GLOBAL_Y ((u32)BLOCK_Y * (u32)BLOCK_SIZE_Y + (u32)THREAD_Y)

#define BARRIER() __syncthreads() /* all threads of the block, and their shared memory */
#define FMA(a, b, c) __nvvm_fma_rn_f(a, b, c)
#define RSQRT(x) __nvvm_rsqrt_approx_f(x)
#define EXP2(x) __nvvm_ex2_approx_f(x)
#define LOG2(x) __nvvm_lg2_approx_f(x)
#define SQRT(x) __nvvm_sqrt_approx_f(x)
#define SIN(x) __nvvm_sin_approx_f(x)
#define COS(x) __nvvm_cos_approx_f(x)
#define FLOOR(x) __nvvm_floor_f(x)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ABS(a) ((a) < 0 ? -(a) : (a))
#define CLAMP(a, low, high) MIN(MAX(a, low), high)
#define ATOMIC_ADD(p, x) __atomic_fetch_add((p), (x), __ATOMIC_RELAXED)

#endif
