# The kernels of test/cuda. `make cuda-ptx` compiles them again where nvcc is (13.0 made the committed files): {-O0, -O3} x
# {sm_80, sm_90}. nvcc's own -O0 is about host code, so the device compiler gets it directly. CUDA=NAME: only that kernel.
# A few with -G too, in a folder that is the same everywhere, since debug sections hold its name.
NVCC ?= $(or $(shell command -v nvcc),/usr/local/cuda/bin/nvcc)
CUDA ?= $(patsubst test/cuda/%.cu,%,$(wildcard test/cuda/*.cu))
CUDA_DEBUG := $(filter $(CUDA),lambdas division life)
CUDA_FIXED := /var/tmp/regloom

##@ What is committed, made again
cuda-ptx: ## the PTX of the CUDA kernels of test/cuda (nvcc); CUDA=NAME: of one of them
	@[ -x "$(NVCC)" ] || { echo "cuda-ptx: no nvcc here, the committed test/cuda/ptx stays as it is"; exit 0; }; \
	mkdir -p test/cuda/ptx; for k in $(CUDA); do for arch in 80 90; do for o in 0 3; do echo $$k $$arch $$o; done; done; done | \
	  xargs -P$$(nproc) -L1 bash -c '"$(NVCC)" -ptx -std=c++17 -arch=sm_$$1 -Xcicc -O$$2 test/cuda/$$0.cu -o test/cuda/ptx/$$0.O$$2.sm_$$1.ptx' \
	  || exit 1; \
	mkdir -p $(CUDA_FIXED); for k in $(CUDA_DEBUG); do cp test/cuda/$$k.cu $(CUDA_FIXED) && (cd $(CUDA_FIXED) && \
	  "$(NVCC)" -ptx -std=c++17 -arch=sm_80 -G $$k.cu -o $$k.ptx) && cp $(CUDA_FIXED)/$$k.ptx test/cuda/ptx/$$k.G.sm_80.ptx || exit 1; done; \
	rm -rf $(CUDA_FIXED)

CUDA_REF_SRC := $(sort $(wildcard test/cuda/reference/*.c))
$(B)/test/cuda_reference: $(CUDA_REF_SRC) $(wildcard test/cuda/reference/*.h test/reference/ref.h analyzer/base/rng.h) | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -O2 -ffp-contract=off $(CUDA_REF_SRC) -o $@ -lm
check-build: $(B)/test/cuda_reference

# Whole programs (test/cuda_programs): all of them, for docs/results/cuda_programs.md; each with the mistake that it must notice; a small run of each under
# valgrind. MUTANTS=1, VALGRIND=1: that round alone. SAN=1, TSAN=1: a small run of each.
##@ Tests
check-cuda: all ## the CUDA kernels, and the CUDA programs as they are, with mistakes and under valgrind (nvcc, half an hour); MUTANTS=1, VALGRIND=1: one round
ifneq ($(MUTANTS)$(VALGRIND)$(SAN)$(TSAN),)
	@MUTANTS=$(MUTANTS) VALGRIND=$(VALGRIND) TIMES=1 test/cuda/cuda_programs.sh $(B)
else
	@test/cuda/cuda.sh $(B) && TIMES=1 TABLE=$(B)/cuda_programs.md test/cuda/cuda_programs.sh $(B) && MUTANTS=1 test/cuda/cuda_programs.sh $(B) && \
	{ [ -z "$$(command -v valgrind)" ] || VALGRIND=1 test/cuda/cuda_programs.sh $(B); }
endif
