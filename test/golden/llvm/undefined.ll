define ptx_kernel void @k(ptr addrspace(1) %y) {
  %v = load float, ptr addrspace(1) %y
  store float %w, ptr addrspace(1) %y
  ret void
}
