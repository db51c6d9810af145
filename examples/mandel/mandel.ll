; ModuleID = 'examples/mandel/mandel.c'
source_filename = "examples/mandel/mandel.c"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nounwind
define dso_local void @mandel(ptr addrspace(1) noundef %0, i32 noundef %1, i32 noundef %2) #0 !dbg !8 {
  %4 = alloca ptr addrspace(1), align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca float, align 4
  %10 = alloca float, align 4
  %11 = alloca float, align 4
  %12 = alloca float, align 4
  %13 = alloca i32, align 4
  %14 = alloca float, align 4
  store ptr addrspace(1) %0, ptr %4, align 8, !tbaa !11
  store i32 %1, ptr %5, align 4, !tbaa !15
  store i32 %2, ptr %6, align 4, !tbaa !15
  call void @llvm.lifetime.start.p0(i64 4, ptr %7) #3, !dbg !17
  %15 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !18
  %16 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !19
  %17 = mul nsw i32 %15, %16, !dbg !20
  %18 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !21
  %19 = add nsw i32 %17, %18, !dbg !22
  store i32 %19, ptr %7, align 4, !dbg !23, !tbaa !15
  call void @llvm.lifetime.start.p0(i64 4, ptr %8) #3, !dbg !24
  %20 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !25
  %21 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y(), !dbg !26
  %22 = mul nsw i32 %20, %21, !dbg !27
  %23 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !28
  %24 = add nsw i32 %22, %23, !dbg !29
  store i32 %24, ptr %8, align 4, !dbg !30, !tbaa !15
  call void @llvm.lifetime.start.p0(i64 4, ptr %9) #3, !dbg !31
  %25 = load i32, ptr %7, align 4, !dbg !32, !tbaa !15
  %26 = uitofp i32 %25 to float, !dbg !33
  %27 = fmul float 3.000000e+00, %26, !dbg !34
  %28 = load i32, ptr %5, align 4, !dbg !35, !tbaa !15
  %29 = uitofp i32 %28 to float, !dbg !36
  %30 = fdiv float %27, %29, !dbg !37
  %31 = fadd float -2.000000e+00, %30, !dbg !38
  store float %31, ptr %9, align 4, !dbg !39, !tbaa !40
  call void @llvm.lifetime.start.p0(i64 4, ptr %10) #3, !dbg !31
  %32 = load i32, ptr %8, align 4, !dbg !42, !tbaa !15
  %33 = uitofp i32 %32 to float, !dbg !43
  %34 = fmul float 3.000000e+00, %33, !dbg !44
  %35 = load i32, ptr %5, align 4, !dbg !45, !tbaa !15
  %36 = uitofp i32 %35 to float, !dbg !46
  %37 = fdiv float %34, %36, !dbg !47
  %38 = fadd float -1.500000e+00, %37, !dbg !48
  store float %38, ptr %10, align 4, !dbg !49, !tbaa !40
  call void @llvm.lifetime.start.p0(i64 4, ptr %11) #3, !dbg !50
  store float 0.000000e+00, ptr %11, align 4, !dbg !51, !tbaa !40
  call void @llvm.lifetime.start.p0(i64 4, ptr %12) #3, !dbg !50
  store float 0.000000e+00, ptr %12, align 4, !dbg !52, !tbaa !40
  call void @llvm.lifetime.start.p0(i64 4, ptr %13) #3, !dbg !53
  store i32 0, ptr %13, align 4, !dbg !54, !tbaa !15
  br label %39, !dbg !55

39:                                               ; preds = %71, %3
  %40 = load i32, ptr %13, align 4, !dbg !56, !tbaa !15
  %41 = load i32, ptr %6, align 4, !dbg !57, !tbaa !15
  %42 = icmp ult i32 %40, %41, !dbg !58
  br i1 %42, label %43, label %52, !dbg !59

43:                                               ; preds = %39
  %44 = load float, ptr %11, align 4, !dbg !60, !tbaa !40
  %45 = load float, ptr %11, align 4, !dbg !61, !tbaa !40
  %46 = fmul float %44, %45, !dbg !62
  %47 = load float, ptr %12, align 4, !dbg !63, !tbaa !40
  %48 = load float, ptr %12, align 4, !dbg !64, !tbaa !40
  %49 = fmul float %47, %48, !dbg !65
  %50 = fadd float %46, %49, !dbg !66
  %51 = fcmp olt float %50, 4.000000e+00, !dbg !67
  br label %52

52:                                               ; preds = %43, %39
  %53 = phi i1 [ false, %39 ], [ %51, %43 ], !dbg !68
  br i1 %53, label %54, label %74, !dbg !55

54:                                               ; preds = %52
  call void @llvm.lifetime.start.p0(i64 4, ptr %14) #3, !dbg !69
  %55 = load float, ptr %11, align 4, !dbg !70, !tbaa !40
  %56 = load float, ptr %11, align 4, !dbg !71, !tbaa !40
  %57 = fmul float %55, %56, !dbg !72
  %58 = load float, ptr %12, align 4, !dbg !73, !tbaa !40
  %59 = load float, ptr %12, align 4, !dbg !74, !tbaa !40
  %60 = fmul float %58, %59, !dbg !75
  %61 = fsub float %57, %60, !dbg !76
  %62 = load float, ptr %9, align 4, !dbg !77, !tbaa !40
  %63 = fadd float %61, %62, !dbg !78
  store float %63, ptr %14, align 4, !dbg !79, !tbaa !40
  %64 = load float, ptr %11, align 4, !dbg !80, !tbaa !40
  %65 = fmul float 2.000000e+00, %64, !dbg !81
  %66 = load float, ptr %12, align 4, !dbg !82, !tbaa !40
  %67 = fmul float %65, %66, !dbg !83
  %68 = load float, ptr %10, align 4, !dbg !84, !tbaa !40
  %69 = fadd float %67, %68, !dbg !85
  store float %69, ptr %12, align 4, !dbg !86, !tbaa !40
  %70 = load float, ptr %14, align 4, !dbg !87, !tbaa !40
  store float %70, ptr %11, align 4, !dbg !88, !tbaa !40
  call void @llvm.lifetime.end.p0(i64 4, ptr %14) #3, !dbg !89
  br label %71, !dbg !89

71:                                               ; preds = %54
  %72 = load i32, ptr %13, align 4, !dbg !90, !tbaa !15
  %73 = add i32 %72, 1, !dbg !90
  store i32 %73, ptr %13, align 4, !dbg !90, !tbaa !15
  br label %39, !dbg !55, !llvm.loop !91

74:                                               ; preds = %52
  %75 = load i32, ptr %13, align 4, !dbg !93, !tbaa !15
  %76 = trunc i32 %75 to i16, !dbg !94
  %77 = load ptr addrspace(1), ptr %4, align 8, !dbg !95, !tbaa !11
  %78 = load i32, ptr %8, align 4, !dbg !96, !tbaa !15
  %79 = load i32, ptr %5, align 4, !dbg !97, !tbaa !15
  %80 = mul i32 %78, %79, !dbg !98
  %81 = load i32, ptr %7, align 4, !dbg !99, !tbaa !15
  %82 = add i32 %80, %81, !dbg !100
  %83 = zext i32 %82 to i64, !dbg !95
  %84 = getelementptr inbounds i16, ptr addrspace(1) %77, i64 %83, !dbg !95
  store i16 %76, ptr addrspace(1) %84, align 2, !dbg !101, !tbaa !102
  call void @llvm.lifetime.end.p0(i64 4, ptr %13) #3, !dbg !104
  call void @llvm.lifetime.end.p0(i64 4, ptr %12) #3, !dbg !104
  call void @llvm.lifetime.end.p0(i64 4, ptr %11) #3, !dbg !104
  call void @llvm.lifetime.end.p0(i64 4, ptr %10) #3, !dbg !104
  call void @llvm.lifetime.end.p0(i64 4, ptr %9) #3, !dbg !104
  call void @llvm.lifetime.end.p0(i64 4, ptr %8) #3, !dbg !104
  call void @llvm.lifetime.end.p0(i64 4, ptr %7) #3, !dbg !104
  ret void, !dbg !104
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

attributes #0 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx85,+sm_80" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}
!llvm.ident = !{!7}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "examples/mandel/mandel.c", directory: ".")
!2 = !{ptr @mandel, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!8 = distinct !DISubprogram(name: "mandel", scope: !1, file: !1, line: 4, type: !9, scopeLine: 5, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!9 = !DISubroutineType(types: !10)
!10 = !{}
!11 = !{!12, !12, i64 0}
!12 = !{!"any pointer", !13, i64 0}
!13 = !{!"omnipotent char", !14, i64 0}
!14 = !{!"Simple C/C++ TBAA"}
!15 = !{!16, !16, i64 0}
!16 = !{!"int", !13, i64 0}
!17 = !DILocation(line: 6, column: 2, scope: !8)
!18 = !DILocation(line: 6, column: 17, scope: !8)
!19 = !DILocation(line: 6, column: 50, scope: !8)
!20 = !DILocation(line: 6, column: 48, scope: !8)
!21 = !DILocation(line: 6, column: 82, scope: !8)
!22 = !DILocation(line: 6, column: 80, scope: !8)
!23 = !DILocation(line: 6, column: 11, scope: !8)
!24 = !DILocation(line: 7, column: 2, scope: !8)
!25 = !DILocation(line: 7, column: 17, scope: !8)
!26 = !DILocation(line: 7, column: 50, scope: !8)
!27 = !DILocation(line: 7, column: 48, scope: !8)
!28 = !DILocation(line: 7, column: 82, scope: !8)
!29 = !DILocation(line: 7, column: 80, scope: !8)
!30 = !DILocation(line: 7, column: 11, scope: !8)
!31 = !DILocation(line: 8, column: 2, scope: !8)
!32 = !DILocation(line: 8, column: 35, scope: !8)
!33 = !DILocation(line: 8, column: 28, scope: !8)
!34 = !DILocation(line: 8, column: 26, scope: !8)
!35 = !DILocation(line: 8, column: 48, scope: !8)
!36 = !DILocation(line: 8, column: 41, scope: !8)
!37 = !DILocation(line: 8, column: 39, scope: !8)
!38 = !DILocation(line: 8, column: 19, scope: !8)
!39 = !DILocation(line: 8, column: 8, scope: !8)
!40 = !{!41, !41, i64 0}
!41 = !{!"float", !13, i64 0}
!42 = !DILocation(line: 8, column: 82, scope: !8)
!43 = !DILocation(line: 8, column: 75, scope: !8)
!44 = !DILocation(line: 8, column: 73, scope: !8)
!45 = !DILocation(line: 8, column: 95, scope: !8)
!46 = !DILocation(line: 8, column: 88, scope: !8)
!47 = !DILocation(line: 8, column: 86, scope: !8)
!48 = !DILocation(line: 8, column: 66, scope: !8)
!49 = !DILocation(line: 8, column: 55, scope: !8)
!50 = !DILocation(line: 9, column: 2, scope: !8)
!51 = !DILocation(line: 9, column: 8, scope: !8)
!52 = !DILocation(line: 9, column: 15, scope: !8)
!53 = !DILocation(line: 10, column: 2, scope: !8)
!54 = !DILocation(line: 10, column: 11, scope: !8)
!55 = !DILocation(line: 12, column: 2, scope: !8)
!56 = !DILocation(line: 12, column: 9, scope: !8)
!57 = !DILocation(line: 12, column: 13, scope: !8)
!58 = !DILocation(line: 12, column: 11, scope: !8)
!59 = !DILocation(line: 12, column: 19, scope: !8)
!60 = !DILocation(line: 12, column: 22, scope: !8)
!61 = !DILocation(line: 12, column: 26, scope: !8)
!62 = !DILocation(line: 12, column: 24, scope: !8)
!63 = !DILocation(line: 12, column: 30, scope: !8)
!64 = !DILocation(line: 12, column: 34, scope: !8)
!65 = !DILocation(line: 12, column: 32, scope: !8)
!66 = !DILocation(line: 12, column: 28, scope: !8)
!67 = !DILocation(line: 12, column: 36, scope: !8)
!68 = !DILocation(line: 0, scope: !8)
!69 = !DILocation(line: 13, column: 3, scope: !8)
!70 = !DILocation(line: 13, column: 16, scope: !8)
!71 = !DILocation(line: 13, column: 20, scope: !8)
!72 = !DILocation(line: 13, column: 18, scope: !8)
!73 = !DILocation(line: 13, column: 24, scope: !8)
!74 = !DILocation(line: 13, column: 28, scope: !8)
!75 = !DILocation(line: 13, column: 26, scope: !8)
!76 = !DILocation(line: 13, column: 22, scope: !8)
!77 = !DILocation(line: 13, column: 32, scope: !8)
!78 = !DILocation(line: 13, column: 30, scope: !8)
!79 = !DILocation(line: 13, column: 9, scope: !8)
!80 = !DILocation(line: 15, column: 14, scope: !8)
!81 = !DILocation(line: 15, column: 12, scope: !8)
!82 = !DILocation(line: 15, column: 18, scope: !8)
!83 = !DILocation(line: 15, column: 16, scope: !8)
!84 = !DILocation(line: 15, column: 22, scope: !8)
!85 = !DILocation(line: 15, column: 20, scope: !8)
!86 = !DILocation(line: 15, column: 5, scope: !8)
!87 = !DILocation(line: 16, column: 7, scope: !8)
!88 = !DILocation(line: 16, column: 5, scope: !8)
!89 = !DILocation(line: 17, column: 2, scope: !8)
!90 = !DILocation(line: 12, column: 45, scope: !8)
!91 = distinct !{!91, !55, !89, !92}
!92 = !{!"llvm.loop.mustprogress"}
!93 = !DILocation(line: 18, column: 45, scope: !8)
!94 = !DILocation(line: 18, column: 29, scope: !8)
!95 = !DILocation(line: 18, column: 2, scope: !8)
!96 = !DILocation(line: 18, column: 8, scope: !8)
!97 = !DILocation(line: 18, column: 14, scope: !8)
!98 = !DILocation(line: 18, column: 12, scope: !8)
!99 = !DILocation(line: 18, column: 22, scope: !8)
!100 = !DILocation(line: 18, column: 20, scope: !8)
!101 = !DILocation(line: 18, column: 27, scope: !8)
!102 = !{!103, !103, i64 0}
!103 = !{!"short", !13, i64 0}
!104 = !DILocation(line: 19, column: 1, scope: !8)
