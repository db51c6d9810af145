# Makes the examples' PTX and LLVM IR again from their sources; the results are committed. Debian's clang alone does it, and the same
# clang gives the same bytes: paths in line directives are relative to the repository.
CLANG ?= clang-19

OPENCL := saxpy sgemm reduction bfs hotspot histogram nbody sad btree gaussian conv pathfinder nw lud kmeans \
            sobel sha256 jacobi dgemm dct8x8 scan bitonic fwt scalarprod binomial mriq dwt2d hotspot3d \
            particlefilter montecarlo mahalanobis fft3d motion cutcp tpacf lavamd heartwall radixsort srad spmv \
            mergesort lbm euler3d octree tridiagonal stencil normals backprop leukocyte gridding srad1 channel \
            streamcluster fdtd3d dxtc blackscholes

EXAMPLE_FLAGS := -x cl -cl-std=CL1.2 -target nvptx64-nvidia-cuda -march=sm_50 -O3 -I. \
                 -gline-directives-only -fdebug-compilation-dir=. -Wall -Wextra -Werror

# LLVM IR, from C and from OpenCL C with libclc; what regloom optimises is what clang's front end wrote.
IR_FLAGS     := -march=sm_80 -O2 -Xclang -disable-llvm-passes -emit-llvm -S -I. -ffp-contract=off \
                -gline-directives-only -fdebug-compilation-dir=. -Wall -Wextra -Werror
MANDEL_FLAGS  := -x c -std=c11 -target nvptx64-nvidia-cuda
LIBCLC        ?= /usr/lib/clc/nvptx64--nvidiacl.bc
OPTIONS_FLAGS := -x cl -cl-std=CL1.2 -target nvptx64-unknown-nvidiacl -Xclang -finclude-default-header \
                 -Xclang -mlink-builtin-bitcode -Xclang $(LIBCLC)

EXAMPLE_CL = examples/$(1)/$(1).cl

##@ What is committed, made again
examples-ptx: deps-clang ## the PTX and LLVM IR of the examples (clang)
	@for e in $(OPENCL); do echo "$(CLANG) examples/$$e/$$e.ptx"; \
	  $(CLANG) $(EXAMPLE_FLAGS) -S examples/$$e/$$e.cl -o examples/$$e/$$e.ptx || exit 1; done
	@echo "$(CLANG) examples/mandel/mandel.ll"; $(CLANG) $(MANDEL_FLAGS) $(IR_FLAGS) examples/mandel/mandel.c -o examples/mandel/mandel.ll
	@echo "$(CLANG) examples/options/options.ll"; $(CLANG) $(OPTIONS_FLAGS) $(IR_FLAGS) examples/options/options.cl -o examples/options/options.ll
