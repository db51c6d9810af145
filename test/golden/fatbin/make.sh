#!/bin/bash
# Makes the committed fatbins again; needs nvcc 13. They are read by test/script/inputs.sh, test/script/refused.sh, test/sass/containers.sh and test/unit/t_fatbin.c.
set -eu
cd "$(dirname "$0")"
versions=(-gencode "arch=compute_75,code=[sm_75,compute_75]" -gencode arch=compute_80,code=compute_80
          -gencode arch=compute_90a,code=compute_90a -gencode arch=compute_100f,code=compute_100f)
nvcc -fatbin --compress-mode=none "${versions[@]}" two.cu -o raw.fatbin
nvcc -fatbin --compress-mode=speed -lineinfo "${versions[@]}" two.cu -o lz4.fatbin
nvcc -fatbin --compress-mode=size "${versions[@]}" two.cu -o zstd.fatbin
nvcc -fatbin -gencode arch=compute_80,code=sm_80 two.cu -o sass.fatbin
nvcc -fatbin --compress-mode=size -gencode arch=compute_75,code=sm_75 -gencode arch=compute_86,code=sm_86 two.cu -o many.fatbin
nvcc -fatbin -gencode arch=compute_80,code=lto_80 two.cu -o lto.fatbin
nvcc -c --compress-mode=size -gencode arch=compute_80,code=compute_80 two.cu -o host.o
printf 'extern "C" __global__ void fill(int *y) { y[threadIdx.x] = 1; }\n' > other.cu
nvcc -c --compress-mode=size -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 other.cu -o other.o
ld -r host.o other.o -o two.o
nvcc -c -rdc=true --compress-mode=size -gencode arch=compute_80,code=compute_80 other.cu -o rdc.o
nvcc -cubin -arch=sm_80 other.cu -o other.cubin
printf 'int main(void) { return 0; }\n' | cat other.cu - > main.cu
nvcc -cudart shared --compress-mode=size -Xcompiler -Os -Xlinker -s,-z,noseparate-code -gencode arch=compute_80,code=sm_80 \
	-gencode 'arch=compute_86,code=[sm_86,compute_86]' main.cu two.cu -o app
printf '__device__ int data;\n' > a.cu
printf 'static __device__ int more[2]; __device__ int *p = more;\n' > b.cu
for x in a b; do nvcc -c --compress-mode=size -gencode arch=compute_80,code=compute_80 $x.cu -o $x.o; done
ld -r a.o b.o -o data.o
strip --strip-debug -R .comment -R .eh_frame two.o rdc.o data.o
rm -f host.o other.o other.cu main.cu [ab].o [ab].cu
