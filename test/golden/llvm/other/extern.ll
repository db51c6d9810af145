define ptx_kernel void @k(ptr addrspace(1) %y) {
  call void @elsewhere(ptr addrspace(1) %y)
  ret void
}
declare void @elsewhere(ptr addrspace(1))
