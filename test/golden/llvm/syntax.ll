define ptx_kernel void @k(ptr addrspace(1) %y) {
  stor float 1.0, ptr addrspace(1) %y
  ret void
}
