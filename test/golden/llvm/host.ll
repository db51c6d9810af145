target triple = "x86_64-pc-linux-gnu"
define ptx_kernel void @k() {
  ret void
}
