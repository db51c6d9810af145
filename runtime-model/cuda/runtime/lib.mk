# The CUDA runtime, its versions, from one source: that of 11 is that of 12 but for the arguments of some functions.
CUDART_SRC := $(sort $(wildcard runtime-model/cuda/runtime/*.c)) analyzer/base/arena.c analyzer/base/ram.c
$(eval $(call cuda_library,libcudart.so.11.0,$(CUDART_SRC),runtime-model/cuda/runtime/cudart11.map,-DCUDART=12 -DCUDART11))
$(eval $(call cuda_library,libcudart.so.12,$(CUDART_SRC),runtime-model/cuda/runtime/cudart12.map,-DCUDART=12))
$(eval $(call cuda_library,libcudart.so.13,$(CUDART_SRC),runtime-model/cuda/runtime/cudart13.map,-DCUDART=13))
##@ What is committed, made again
cuda-functions: all ## the table of functions in docs/CUDA_DEVICE.md, of cudart.def
	@test/cuda/cuda_abi.py $(B) --write
