; How many steps n -> n/2 (even) or 3n+1 (odd) take to 1, for n = 1, 2, ...: LLVM IR as a person writes it.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @collatz(ptr addrspace(1) %steps, i32 %count) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %block, %size
  %i = add i32 %base, %thread
  %inside = icmp ult i32 %i, %count
  br i1 %inside, label %start, label %exit

start:
  %i64 = zext i32 %i to i64
  %first = add i64 %i64, 1
  br label %loop

loop:
  %n = phi i64 [ %first, %start ], [ %next, %step ]
  %k = phi i32 [ 0, %start ], [ %k1, %step ]
  %one = icmp eq i64 %n, 1
  br i1 %one, label %done, label %step

step:
  %half = lshr i64 %n, 1
  %triple = mul i64 %n, 3
  %up = add i64 %triple, 1
  %bit = and i64 %n, 1
  %odd = icmp ne i64 %bit, 0
  %next = select i1 %odd, i64 %up, i64 %half
  %k1 = add i32 %k, 1
  br label %loop

done:
  %at = getelementptr i32, ptr addrspace(1) %steps, i64 %i64
  store i32 %k, ptr addrspace(1) %at
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
