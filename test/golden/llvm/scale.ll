; y[i] *= 2 as a person writes it: no triple, no layout, the kernel by its calling convention.
define ptx_kernel void @scale(ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr addrspace(1) %y, i64 %i
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, %v
  store float %w, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
