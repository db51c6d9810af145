# The driver interface: functions for programs that load modules by hand.
CUDA_DRIVER_SRC := $(sort $(wildcard runtime-model/cuda/driver/*.c))
$(eval $(call cuda_library,libcuda.so.1,$(CUDA_DRIVER_SRC),runtime-model/cuda/driver/libcuda.map,))
