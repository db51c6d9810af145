define ptx_kernel void @k(ptr addrspace(1) %y) {
  %v = load float, ptr addrspace(1) %y
  %w = call float @llvm.cos.f32(float %v)
  store float %w, ptr addrspace(1) %y
  ret void
}
declare float @llvm.cos.f32(float)
