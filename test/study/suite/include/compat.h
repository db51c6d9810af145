/* Included before each source of a program of the suite: what CUDA 13 has removed of the host's interface, by what is
 * there today. */
#ifndef SUITE_COMPAT_H
#define SUITE_COMPAT_H

#ifdef SUITE_FIXED_TIME /* a program whose random numbers begin with the time */
#include <time.h>
#define time(at) 7
#endif

#ifdef __CUDACC__
#include <cuda_runtime.h>
#include <cstring>

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
/* Members of cudaDeviceProp that are printed, no more. */
#define clockRate warpSize
#define deviceOverlap asyncEngineCount

/* Texture references of one dimension over linear memory: a texture object in a variable of the module. */
template <class T, int dimensions = 1, int mode = 0> struct suite_texture {
	cudaTextureObject_t object;
	int addressMode[3], filterMode, normalized; /* as they are without being set, or the program sets no other */
	cudaChannelFormatDesc channelDesc;
};
#define texture static __device__ suite_texture
template <class T, int n, int mode> __device__ T tex1Dfetch(const suite_texture<T, n, mode> &t, int i)
{
	return tex1Dfetch<T>(t.object, i);
}
template <class T, int n, int mode>
cudaError_t cudaBindTexture(size_t *offset, suite_texture<T, n, mode> &t, const void *p,
			    const cudaChannelFormatDesc &format, size_t bytes)
{
	cudaResourceDesc what;
	cudaTextureDesc how;
	suite_texture<T, n, mode> made;

	memset(&what, 0, sizeof what);
	memset(&how, 0, sizeof how);
	what.resType = cudaResourceTypeLinear;
	what.res.linear.devPtr = (void *)p;
	what.res.linear.desc = format;
	what.res.linear.sizeInBytes = bytes;
	cudaError_t e = cudaCreateTextureObject(&made.object, &what, &how, NULL);
	if (offset)
		*offset = 0;
	return e == cudaSuccess ? cudaMemcpyToSymbol(t, &made, sizeof made) : e;
}
template <class T, int n, int mode>
cudaError_t cudaBindTexture(size_t *offset, suite_texture<T, n, mode> &t, const void *p, size_t bytes)
{
	return cudaBindTexture(offset, t, p, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int n, int mode>
cudaError_t cudaBindTexture(size_t *offset, suite_texture<T, n, mode> *t, const void *p,
			    const cudaChannelFormatDesc *format, size_t bytes)
{
	return cudaBindTexture(offset, *t, p, *format, bytes);
}
template <class T, int n, int mode> cudaError_t cudaUnbindTexture(suite_texture<T, n, mode> &) { return cudaSuccess; }
#endif
#endif
