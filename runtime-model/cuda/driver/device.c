/* What the one device is like. */
#include "runtime-model/cuda/driver/driver.h"

#include <stdio.h>
#include <string.h>

API(cuDeviceGetCount, int *n)
{
	CUresult s = device_ok(0);

	if (s || !n)
		return s ? s : CU_INVALID_VALUE;
	*n = 1;
	return CU_OK;
}

API(cuDeviceGet, CUdevice *d, int ordinal)
{
	CUresult s = device_ok(ordinal);

	if (s || !d)
		return s ? s : CU_INVALID_VALUE;
	*d = 0;
	return CU_OK;
}

API(cuDeviceGetName, char *name, int n, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !name || n <= 0)
		return s ? s : CU_INVALID_VALUE;
	snprintf(name, (size_t)n, "%s", cu_device()->name);
	return CU_OK;
}

API(cuDeviceGetUuid, unsigned char uuid[16], CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !uuid)
		return s ? s : CU_INVALID_VALUE;
	memcpy(uuid, cu_device()->uuid, 16);
	return CU_OK;
}
ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);

API(cuDeviceTotalMem_v2, size_t *bytes, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !bytes)
		return s ? s : CU_INVALID_VALUE;
	*bytes = cu_device()->memory;
	return CU_OK;
}

/* As programs before CUDA 3.2 ask, in 32 bits. */
API(cuDeviceTotalMem, unsigned *bytes, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !bytes)
		return s ? s : CU_INVALID_VALUE;
	*bytes = cu_device()->memory > UINT32_MAX ? UINT32_MAX : (unsigned)cu_device()->memory;
	return CU_OK;
}

API(cuDeviceGetLuid, char *luid, unsigned *nodes, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s)
		return s;
	return luid && nodes ? CU_NOT_SUPPORTED : CU_INVALID_VALUE; /* Windows has them */
}

/* of a texture of linear memory, whatever their size */
enum { LINE_TEXELS = 1 << 28 };

API(cuDeviceGetTexture1DLinearMaxWidth, size_t *texels, int format, unsigned channels, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !texels || !format_known(format) || (channels != 1 && channels != 2 && channels != 4))
		return s ? s : CU_INVALID_VALUE;
	*texels = LINE_TEXELS;
	return CU_OK;
}

API(cuDeviceComputeCapability, int *major, int *minor, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !major || !minor)
		return s ? s : CU_INVALID_VALUE;
	*major = (int)cu_device()->major;
	*minor = (int)cu_device()->minor;
	return CU_OK;
}

API(cuDeviceGetAttribute, int *value, int attribute, CUdevice d)
{
	const struct cu_device *x = cu_device();
	/* By number; what the model does not have is 0. */
	const struct {
		int attribute;
		uint64_t value;
	} row[] = {
		{ 1, x->threads_per_cta },
		{ 2, x->block[0] },
		{ 3, x->block[1] },
		{ 4, x->block[2] },
		{ 5, x->grid[0] },
		{ 6, x->grid[1] },
		{ 7, x->grid[2] },
		{ 8, x->shared_per_cta },
		{ 9, x->constant },
		{ 10, x->warp },
		{ 11, INT32_MAX },
		{ 12, x->registers_per_cta },
		{ 13, x->clock_khz },
		{ 14, x->texture_align },
		{ 15, 1 },
		{ 16, x->sms },
		{ 19, 1 },
		{ 20, 0 },
		{ 21, 131072 },
		{ 22, 131072 },
		{ 23, 65536 },
		{ 24, 16384 },
		{ 25, 16384 },
		{ 26, 16384 },
		{ 30, x->surface_align },
		{ 31, 1 },
		{ 33, x->pci_bus },
		{ 34, x->pci_device },
		{ 36, x->memory_clock_khz },
		{ 37, x->bus_bits },
		{ 38, x->l2 },
		{ 39, x->threads_per_sm },
		{ 40, x->copy_engines },
		{ 41, 1 },
		{ 50, x->pci_domain },
		{ 51, x->pitch_align },
		{ 75, x->major },
		{ 76, x->minor },
		{ 78, 1 },
		{ 79, 1 },
		{ 80, 1 },
		{ 81, x->shared_per_sm },
		{ 82, x->registers_per_sm },
		{ 83, 1 },
		{ 89, 1 },
		{ 90, 1 },
		{ 95, 1 },
		{ 97, x->shared_optin },
		{ 99, 1 },
		{ 102, 1 },
		{ 103, 1 },
		{ 106, x->ctas_per_sm },
		{ 111, x->shared_reserved },
		{ 115, 1 },
		{ 119, 1 },
		{ 120, x->major >= 9 },
		{ 125, 1 },
	};
	CUresult s = device_ok(d);

	if (s || !value || attribute < 1 || attribute > 200)
		return s ? s : CU_INVALID_VALUE;
	*value = 0;
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].attribute == attribute)
			*value = (int)(row[i].value > INT32_MAX ? INT32_MAX : row[i].value);
	return CU_OK;
}

API(cuDeviceGetPCIBusId, char *text, int n, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !text || n < 13)
		return s ? s : CU_INVALID_VALUE;
	snprintf(text, (size_t)n, "%04x:%02x:%02x.0", cu_device()->pci_domain, cu_device()->pci_bus,
		 cu_device()->pci_device);
	return CU_OK;
}

API(cuDeviceGetByPCIBusId, CUdevice *d, const char *text)
{
	unsigned v[4] = { 0 }, n = 0;
	CUresult s = device_ok(0);

	if (s || !d || !text)
		return s ? s : CU_INVALID_VALUE;
	n = (unsigned)sscanf(text, "%x:%x:%x.%x", &v[0], &v[1], &v[2], &v[3]);
	if (n < 3) {
		v[0] = v[3] = 0;
		n = (unsigned)sscanf(text, "%x:%x.%x", &v[1], &v[2], &v[3]);
		if (n < 2)
			return CU_INVALID_VALUE;
	}
	if (v[0] != cu_device()->pci_domain || v[1] != cu_device()->pci_bus || v[2] != cu_device()->pci_device)
		return CU_INVALID_DEVICE;
	*d = 0;
	return CU_OK;
}

/* As programs before CUDA 5 ask. */
struct properties {
	int threads, block[3], grid[3], shared, constant, warp, pitch, registers, clock_khz, texture_align;
};

API(cuDeviceGetProperties, struct properties *out, CUdevice d)
{
	const struct cu_device *x = cu_device();
	CUresult s = device_ok(d);

	if (s || !out)
		return s ? s : CU_INVALID_VALUE;
	*out = (struct properties){ (int)x->threads_per_cta,
				    { (int)x->block[0], (int)x->block[1], (int)x->block[2] },
				    { (int)x->grid[0], (int)x->grid[1], (int)x->grid[2] },
				    (int)x->shared_per_cta,
				    (int)x->constant,
				    (int)x->warp,
				    INT32_MAX,
				    (int)x->registers_per_cta,
				    (int)x->clock_khz,
				    (int)x->texture_align };
	return CU_OK;
}

API(cuDeviceGetP2PAttribute, int *value, int attribute, CUdevice d, CUdevice peer)
{
	CUresult s = device_ok(d) ? device_ok(d) : device_ok(peer);

	/* of two devices that differ, and there is one */
	if (s)
		return s;
	return value && attribute >= 1 && attribute <= 5 ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
}

/* kinds of atomic operations that are asked for, by number */
enum { ATOMICS = 13 };

API(cuDeviceGetP2PAtomicCapabilities, unsigned *capability, const int *op, unsigned n, CUdevice d, CUdevice peer)
{
	CUresult s = device_ok(d) ? device_ok(d) : device_ok(peer);

	if (s)
		return s;
	return capability && op && n ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
}

API(cuDeviceGetHostAtomicCapabilities, unsigned *capability, const int *op, unsigned n, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !capability || !op || !n)
		return s ? s : CU_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++) {
		if (op[i] < 0 || op[i] >= ATOMICS)
			return CU_INVALID_VALUE;
		capability[i] = 0; /* as attribute 86 says */
	}
	return CU_OK;
}

/* Resources of an SM for a context alone there are not. */
API(cuDeviceGetExecAffinitySupport, int *can, int kind, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !can || kind)
		return s ? s : CU_INVALID_VALUE;
	*can = 0;
	return CU_OK;
}

API(cuDeviceCanAccessPeer, int *can, CUdevice d, CUdevice peer)
{
	CUresult s = device_ok(d) ? device_ok(d) : device_ok(peer);

	if (s || !can)
		return s ? s : CU_INVALID_VALUE;
	*can = 0;
	return CU_OK;
}
