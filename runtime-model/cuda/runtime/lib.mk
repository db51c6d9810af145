# The CUDA runtime, both versions, from one source.
CUDART_SRC := $(sort $(wildcard runtime-model/cuda/runtime/*.c)) analyzer/base/arena.c analyzer/base/ram.c
$(eval $(call cuda_library,libcudart.so.12,$(CUDART_SRC),runtime-model/cuda/runtime/cudart12.map,-DCUDART=12))
$(eval $(call cuda_library,libcudart.so.13,$(CUDART_SRC),runtime-model/cuda/runtime/cudart13.map,-DCUDART=13))
##@ What is committed, made again
cuda-functions: all ## the table of functions in docs/CUDA_DEVICE.md, of cudart.def
	@test/cuda/cuda_abi.py $(B) --write
