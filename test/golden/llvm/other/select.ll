define ptx_kernel void @k(ptr addrspace(1) %y, fp128 %v) {
  %w = fadd fp128 %v, %v
  store fp128 %w, ptr addrspace(1) %y
  ret void
}
