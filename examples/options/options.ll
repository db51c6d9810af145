; ModuleID = 'examples/options/options.cl'
source_filename = "examples/options/options.cl"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-unknown-nvidiacl"

@LOG_INV_TBL = internal local_unnamed_addr addrspace(4) constant [129 x float] [float 2.000000e+00, float 0x3FFFC07F00000000, float 0x3FFF81F820000000, float 0x3FFF4465A0000000, float 0x3FFF07C200000000, float 0x3FFECC07C0000000, float 0x3FFE9131A0000000, float 0x3FFE573AC0000000, float 0x3FFE1E1E20000000, float 0x3FFDE5D6E0000000, float 0x3FFDAE6080000000, float 0x3FFD77B660000000, float 0x3FFD41D420000000, float 0x3FFD0CB580000000, float 0x3FFCD85680000000, float 0x3FFCA4B300000000, float 0x3FFC71C720000000, float 0x3FFC3F8F00000000, float 0x3FFC0E0700000000, float 0x3FFBDD2B80000000, float 0x3FFBACF920000000, float 0x3FFB7D6C40000000, float 0x3FFB4E81C0000000, float 0x3FFB203640000000, float 0x3FFAF286C0000000, float 0x3FFAC57020000000, float 0x3FFA98EF60000000, float 0x3FFA6D01A0000000, float 0x3FFA41A420000000, float 0x3FFA16D400000000, float 0x3FF9EC8EA0000000, float 0x3FF9C2D140000000, float 0x3FF99999A0000000, float 0x3FF970E500000000, float 0x3FF948B100000000, float 0x3FF920FB40000000, float 0x3FF8F9C180000000, float 0x3FF8D30180000000, float 0x3FF8ACB900000000, float 0x3FF886E600000000, float 0x3FF8618620000000, float 0x3FF83C9780000000, float 0x3FF8181820000000, float 0x3FF7F40600000000, float 0x3FF7D05F40000000, float 0x3FF7AD2200000000, float 0x3FF78A4C80000000, float 0x3FF767DCE0000000, float 0x3FF745D180000000, float 0x3FF7242880000000, float 0x3FF702E060000000, float 0x3FF6E1F760000000, float 0x3FF6C16C20000000, float 0x3FF6A13CE0000000, float 0x3FF6816820000000, float 0x3FF661EC60000000, float 0x3FF642C860000000, float 0x3FF623FA80000000, float 0x3FF6058160000000, float 0x3FF5E75BC0000000, float 0x3FF5C98820000000, float 0x3FF5AC0560000000, float 0x3FF58ED240000000, float 0x3FF571ED40000000, float 0x3FF5555560000000, float 0x3FF5390940000000, float 0x3FF51D07E0000000, float 0x3FF5015020000000, float 0x3FF4E5E0A0000000, float 0x3FF4CAB880000000, float 0x3FF4AFD6A0000000, float 0x3FF49539E0000000, float 0x3FF47AE140000000, float 0x3FF460CBC0000000, float 0x3FF446F860000000, float 0x3FF42D6620000000, float 0x3FF4141420000000, float 0x3FF3FB0140000000, float 0x3FF3E22CC0000000, float 0x3FF3C995A0000000, float 0x3FF3B13B20000000, float 0x3FF3991C20000000, float 0x3FF3813820000000, float 0x3FF3698E00000000, float 0x3FF3521D00000000, float 0x3FF33AE460000000, float 0x3FF323E340000000, float 0x3FF30D1900000000, float 0x3FF2F684C0000000, float 0x3FF2E025C0000000, float 0x3FF2C9FB40000000, float 0x3FF2B404A0000000, float 0x3FF29E4120000000, float 0x3FF288B020000000, float 0x3FF27350C0000000, float 0x3FF25E2280000000, float 0x3FF24924A0000000, float 0x3FF2345680000000, float 0x3FF21FB780000000, float 0x3FF20B4700000000, float 0x3FF1F70480000000, float 0x3FF1E2EF40000000, float 0x3FF1CF06A0000000, float 0x3FF1BB4A40000000, float 0x3FF1A7B960000000, float 0x3FF1945380000000, float 0x3FF1811820000000, float 0x3FF16E0680000000, float 0x3FF15B1E60000000, float 0x3FF1485F00000000, float 0x3FF135C820000000, float 0x3FF12358E0000000, float 0x3FF1111120000000, float 0x3FF0FEF020000000, float 0x3FF0ECF560000000, float 0x3FF0DB20A0000000, float 0x3FF0C97140000000, float 0x3FF0B7E6E0000000, float 0x3FF0A68100000000, float 0x3FF0953F40000000, float 0x3FF0842100000000, float 0x3FF0732600000000, float 0x3FF0624DE0000000, float 0x3FF0519800000000, float 0x3FF0410420000000, float 0x3FF03091C0000000, float 0x3FF0204080000000, float 0x3FF0101020000000, float 1.000000e+00], align 4
@LOG2_TBL = internal local_unnamed_addr addrspace(4) constant [129 x <2 x float>] [<2 x float> zeroinitializer, <2 x float> <float 0x3F86F80000000000, float 0x3EE942DBA0000000>, <2 x float> <float 0x3F96E00000000000, float 0x3EFE5A1700000000>, <2 x float> <float 0x3FA1180000000000, float 0x3F03475440000000>, <2 x float> <float 0x3FA6B80000000000, float 0x3EF69BAC60000000>, <2 x float> <float 0x3FAC480000000000, float 0x3F07EAE420000000>, <2 x float> <float 0x3FB0E80000000000, float 0x3F09C4FD00000000>, <2 x float> <float 0x3FB3A80000000000, float 0x3F017EE920000000>, <2 x float> <float 0x3FB6600000000000, float 0x3F0FB7D640000000>, <2 x float> <float 0x3FB9180000000000, float 0x3EE42DC8C0000000>, <2 x float> <float 0x3FBBC80000000000, float 0x3ED0902B60000000>, <2 x float> <float 0x3FBE700000000000, float 0x3F07608BE0000000>, <2 x float> <float 0x3FC0880000000000, float 0x3F21623360000000>, <2 x float> <float 0x3FC1D80000000000, float 0x3F23465D40000000>, <2 x float> <float 0x3FC3280000000000, float 0x3F174F13C0000000>, <2 x float> <float 0x3FC4700000000000, float 0x3F2AA7E600000000>, <2 x float> <float 0x3FC5C00000000000, float 0x3ECA39FBC0000000>, <2 x float> <float 0x3FC7000000000000, float 0x3F2D0B53A0000000>, <2 x float> <float 0x3FC8480000000000, float 0x3F20AF40A0000000>, <2 x float> <float 0x3FC9880000000000, float 0x3F2B741DE0000000>, <2 x float> <float 0x3FCAC80000000000, float 0x3F2D78B6C0000000>, <2 x float> <float 0x3FCC080000000000, float 0x3F26DB3760000000>, <2 x float> <float 0x3FCD480000000000, float 0x3F0EE4C320000000>, <2 x float> <float 0x3FCE800000000000, float 0x3F202F9D20000000>, <2 x float> <float 0x3FCFB80000000000, float 0x3F205AE400000000>, <2 x float> <float 0x3FD0780000000000, float 0x3F10ADBB00000000>, <2 x float> <float 0x3FD1100000000000, float 0x3F283ED680000000>, <2 x float> <float 0x3FD1A80000000000, float 0x3F3016CA40000000>, <2 x float> <float 0x3FD2400000000000, float 0x3F301EAC20000000>, <2 x float> <float 0x3FD2D80000000000, float 0x3F2887E260000000>, <2 x float> <float 0x3FD3700000000000, float 0x3F124CEA40000000>, <2 x float> <float 3.125000e-01, float 0x3F3918EC60000000>, <2 x float> <float 0x3FD4980000000000, float 0x3F23C25E60000000>, <2 x float> <float 0x3FD5280000000000, float 0x3F36F7F120000000>, <2 x float> <float 0x3FD5C00000000000, float 0x3EDA39FBC0000000>, <2 x float> <float 0x3FD6500000000000, float 0x3F18FE4660000000>, <2 x float> <float 0x3FD6E00000000000, float 0x3F210E6CE0000000>, <2 x float> <float 0x3FD7700000000000, float 0x3F1D2BA7E0000000>, <2 x float> <float 3.750000e-01, float 0x3F04AC62C0000000>, <2 x float> <float 0x3FD8880000000000, float 0x3F3A71CB80000000>, <2 x float> <float 0x3FD9180000000000, float 0x3F2DD448E0000000>, <2 x float> <float 0x3FD9A80000000000, float 0x3EA1C8F100000000>, <2 x float> <float 0x3FDA300000000000, float 0x3F2BB053E0000000>, <2 x float> <float 0x3FDAB80000000000, float 0x3F3861E5E0000000>, <2 x float> <float 0x3FDB400000000000, float 0x3F3FAFDCE0000000>, <2 x float> <float 0x3FDBD00000000000, float 0x3F0E5D3CE0000000>, <2 x float> <float 0x3FDC580000000000, float 0x3F12FAD280000000>, <2 x float> <float 0x3FDCE00000000000, float 0x3F04924740000000>, <2 x float> <float 0x3FDD600000000000, float 0x3F3D4F80C0000000>, <2 x float> <float 0x3FDDE80000000000, float 0x3F34FF5100000000>, <2 x float> <float 0x3FDE700000000000, float 0x3F23550F20000000>, <2 x float> <float 0x3FDEF00000000000, float 0x3F3B59CCA0000000>, <2 x float> <float 0x3FDF780000000000, float 0x3F242B4640000000>, <2 x float> <float 0x3FDFF80000000000, float 0x3F35E66A00000000>, <2 x float> <float 0x3FE0380000000000, float 0x3F4F6A2E40000000>, <2 x float> <float 5.156250e-01, float 0x3F139E4FE0000000>, <2 x float> <float 0x3FE0C00000000000, float 0x3F20500D60000000>, <2 x float> <float 5.312500e-01, float 0x3F213B1520000000>, <2 x float> <float 0x3FE1400000000000, float 0x3F193F5420000000>, <2 x float> <float 5.468750e-01, float 0x3EF467B940000000>, <2 x float> <float 0x3FE1B80000000000, float 0x3F4CC47A40000000>, <2 x float> <float 0x3FE1F80000000000, float 0x3F478F4C20000000>, <2 x float> <float 0x3FE2380000000000, float 0x3F41075080000000>, <2 x float> <float 0x3FE2780000000000, float 0x3F32602C20000000>, <2 x float> <float 0x3FE2B80000000000, float 0x3EBA39FBC0000000>, <2 x float> <float 0x3FE2F00000000000, float 0x3F45A1D7A0000000>, <2 x float> <float 0x3FE3300000000000, float 0x3F33E355A0000000>, <2 x float> <float 0x3FE3680000000000, float 0x3F4CFFEDA0000000>, <2 x float> <float 0x3FE3A80000000000, float 0x3F3D9FD500000000>, <2 x float> <float 0x3FE3E00000000000, float 0x3F4F64DE60000000>, <2 x float> <float 0x3FE4200000000000, float 0x3F3D83F4C0000000>, <2 x float> <float 0x3FE4580000000000, float 0x3F4CEA6280000000>, <2 x float> <float 0x3FE4980000000000, float 0x3F33C25E60000000>, <2 x float> <float 0x3FE4D00000000000, float 0x3F45A96CC0000000>, <2 x float> <float 0x3FE5100000000000, float 0x3EE18708A0000000>, <2 x float> <float 0x3FE5480000000000, float 0x3F33746520000000>, <2 x float> <float 6.718750e-01, float 0x3F42089A60000000>, <2 x float> <float 0x3FE5B80000000000, float 0x3F493432C0000000>, <2 x float> <float 0x3FE5F00000000000, float 0x3F4F3FD060000000>, <2 x float> <float 0x3FE6300000000000, float 0x3F20B8F540000000>, <2 x float> <float 0x3FE6680000000000, float 0x3F30047220000000>, <2 x float> <float 0x3FE6A00000000000, float 0x3F357CF2C0000000>, <2 x float> <float 0x3FE6D80000000000, float 0x3F38CB53A0000000>, <2 x float> <float 0x3FE7100000000000, float 0x3F39F4D8A0000000>, <2 x float> <float 0x3FE7480000000000, float 0x3F38FEB260000000>, <2 x float> <float 7.343750e-01, float 0x3F35EDFEE0000000>, <2 x float> <float 0x3FE7B80000000000, float 0x3F30C7C9A0000000>, <2 x float> <float 0x3FE7F00000000000, float 0x3F23221820000000>, <2 x float> <float 0x3FE8280000000000, float 0x3ED3AB7CE0000000>, <2 x float> <float 0x3FE8580000000000, float 0x3F4A82C2C0000000>, <2 x float> <float 0x3FE8900000000000, float 0x3F43DD2C00000000>, <2 x float> <float 0x3FE8C80000000000, float 0x3F3871DA40000000>, <2 x float> <float 7.812500e-01, float 0x3F1CC2C000000000>, <2 x float> <float 0x3FE9300000000000, float 0x3F49FDB680000000>, <2 x float> <float 0x3FE9680000000000, float 0x3F3ED69560000000>, <2 x float> <float 0x3FE9A00000000000, float 0x3F1F1A7600000000>, <2 x float> <float 0x3FE9D00000000000, float 0x3F4767F540000000>, <2 x float> <float 0x3FEA080000000000, float 0x3F33F6D260000000>, <2 x float> <float 0x3FEA380000000000, float 0x3F4B9FCE20000000>, <2 x float> <float 0x3FEA700000000000, float 0x3F38AE8160000000>, <2 x float> <float 0x3FEAA00000000000, float 0x3F4C23D600000000>, <2 x float> <float 0x3FEAD80000000000, float 0x3F360F3880000000>, <2 x float> <float 0x3FEB080000000000, float 0x3F49049AE0000000>, <2 x float> <float 0x3FEB400000000000, float 0x3F28734A80000000>, <2 x float> <float 0x3FEB700000000000, float 0x3F42523D40000000>, <2 x float> <float 0x3FEBA00000000000, float 0x3F4DA6CE60000000>, <2 x float> <float 0x3FEBD80000000000, float 0x3F3038E620000000>, <2 x float> <float 0x3FEC080000000000, float 0x3F41B511E0000000>, <2 x float> <float 0x3FEC380000000000, float 0x3F4A728B80000000>, <2 x float> <float 0x3FEC700000000000, float 0x3F12B5D220000000>, <2 x float> <float 0x3FECA00000000000, float 0x3F32C6E540000000>, <2 x float> <float 0x3FECD00000000000, float 0x3F3F350640000000>, <2 x float> <float 9.062500e-01, float 0x3F44FDB480000000>, <2 x float> <float 0x3FED300000000000, float 0x3F498EC9E0000000>, <2 x float> <float 0x3FED600000000000, float 0x3F4D4F80C0000000>, <2 x float> <float 0x3FED980000000000, float 0x3EE0643D60000000>, <2 x float> <float 0x3FEDC80000000000, float 0x3F133567E0000000>, <2 x float> <float 0x3FEDF80000000000, float 0x3F1E0410C0000000>, <2 x float> <float 0x3FEE280000000000, float 0x3F2142E0E0000000>, <2 x float> <float 0x3FEE580000000000, float 0x3F2063C880000000>, <2 x float> <float 0x3FEE880000000000, float 0x3F18D66C40000000>, <2 x float> <float 0x3FEEB80000000000, float 0x3F057E32A0000000>, <2 x float> <float 0x3FEEE00000000000, float 0x3F4ED1C6C0000000>, <2 x float> <float 0x3FEF100000000000, float 0x3F4B8A0760000000>, <2 x float> <float 0x3FEF400000000000, float 0x3F47822F20000000>, <2 x float> <float 0x3FEF700000000000, float 0x3F42BBC3A0000000>, <2 x float> <float 0x3FEFA00000000000, float 0x3F3A708BA0000000>, <2 x float> <float 0x3FEFD00000000000, float 0x3F2BE4C7E0000000>, <2 x float> <float 1.000000e+00, float 0.000000e+00>], align 8

; Function Attrs: convergent norecurse nounwind
define dso_local float @normal(float noundef %0) #0 !dbg !9 {
  %2 = alloca float, align 4
  %3 = alloca float, align 4
  %4 = alloca float, align 4
  store float %0, ptr %2, align 4, !tbaa !12
  call void @llvm.lifetime.start.p0(i64 4, ptr %3) #5, !dbg !16
  %5 = load float, ptr %2, align 4, !dbg !17, !tbaa !12
  %6 = call float @_Z4fabsf(float noundef %5) #6, !dbg !18
  %7 = fmul float 0x3FCDA67120000000, %6, !dbg !19
  %8 = fadd float 1.000000e+00, %7, !dbg !20
  %9 = fdiv float 1.000000e+00, %8, !dbg !21, !fpmath !22
  store float %9, ptr %3, align 4, !dbg !23, !tbaa !12
  call void @llvm.lifetime.start.p0(i64 4, ptr %4) #5, !dbg !24
  %10 = load float, ptr %2, align 4, !dbg !25, !tbaa !12
  %11 = fmul float -5.000000e-01, %10, !dbg !26
  %12 = load float, ptr %2, align 4, !dbg !27, !tbaa !12
  %13 = fmul float %11, %12, !dbg !28
  %14 = call float @_Z3expf(float noundef %13) #6, !dbg !29
  %15 = fmul float 0x3FD9884540000000, %14, !dbg !30
  %16 = load float, ptr %3, align 4, !dbg !31, !tbaa !12
  %17 = fmul float %15, %16, !dbg !32
  %18 = load float, ptr %3, align 4, !dbg !33, !tbaa !12
  %19 = load float, ptr %3, align 4, !dbg !34, !tbaa !12
  %20 = load float, ptr %3, align 4, !dbg !35, !tbaa !12
  %21 = load float, ptr %3, align 4, !dbg !36, !tbaa !12
  %22 = fmul float %21, 0x3FF548CDE0000000, !dbg !37
  %23 = fadd float 0xBFFD23DD40000000, %22, !dbg !38
  %24 = fmul float %20, %23, !dbg !39
  %25 = fadd float 0x3FFC80EF00000000, %24, !dbg !40
  %26 = fmul float %19, %25, !dbg !41
  %27 = fadd float 0xBFD6D1F0E0000000, %26, !dbg !42
  %28 = fmul float %18, %27, !dbg !43
  %29 = fadd float 0x3FD470BF40000000, %28, !dbg !44
  %30 = fmul float %17, %29, !dbg !45
  store float %30, ptr %4, align 4, !dbg !46, !tbaa !12
  %31 = load float, ptr %2, align 4, !dbg !47, !tbaa !12
  %32 = fcmp olt float %31, 0.000000e+00, !dbg !48
  br i1 %32, label %33, label %35, !dbg !47

33:                                               ; preds = %1
  %34 = load float, ptr %4, align 4, !dbg !49, !tbaa !12
  br label %38, !dbg !47

35:                                               ; preds = %1
  %36 = load float, ptr %4, align 4, !dbg !50, !tbaa !12
  %37 = fsub float 1.000000e+00, %36, !dbg !51
  br label %38, !dbg !47

38:                                               ; preds = %35, %33
  %39 = phi float [ %34, %33 ], [ %37, %35 ], !dbg !47
  call void @llvm.lifetime.end.p0(i64 4, ptr %4) #5, !dbg !52
  call void @llvm.lifetime.end.p0(i64 4, ptr %3) #5, !dbg !52
  ret float %39, !dbg !53
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: convergent noinline norecurse nounwind
define dso_local spir_kernel void @options(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 4 %1, ptr addrspace(1) noundef align 4 %2, float noundef %3, float noundef %4, float noundef %5, i32 noundef %6) #2 !dbg !54 !kernel_arg_addr_space !55 !kernel_arg_access_qual !56 !kernel_arg_type !57 !kernel_arg_base_type !57 !kernel_arg_type_qual !58 {
  %8 = alloca ptr addrspace(1), align 8
  %9 = alloca ptr addrspace(1), align 8
  %10 = alloca ptr addrspace(1), align 8
  %11 = alloca float, align 4
  %12 = alloca float, align 4
  %13 = alloca float, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca float, align 4
  %17 = alloca float, align 4
  store ptr addrspace(1) %0, ptr %8, align 8, !tbaa !59
  store ptr addrspace(1) %1, ptr %9, align 8, !tbaa !59
  store ptr addrspace(1) %2, ptr %10, align 8, !tbaa !59
  store float %3, ptr %11, align 4, !tbaa !12
  store float %4, ptr %12, align 4, !tbaa !12
  store float %5, ptr %13, align 4, !tbaa !12
  store i32 %6, ptr %14, align 4, !tbaa !61
  call void @llvm.lifetime.start.p0(i64 4, ptr %15) #5, !dbg !63
  %18 = call i64 @_Z13get_global_idj(i32 noundef 0) #6, !dbg !64
  %19 = trunc i64 %18 to i32, !dbg !64
  store i32 %19, ptr %15, align 4, !dbg !65, !tbaa !61
  %20 = load i32, ptr %15, align 4, !dbg !66, !tbaa !61
  %21 = load i32, ptr %14, align 4, !dbg !67, !tbaa !61
  %22 = icmp ult i32 %20, %21, !dbg !68
  br i1 %22, label %23, label %80, !dbg !66

23:                                               ; preds = %7
  call void @llvm.lifetime.start.p0(i64 4, ptr %16) #5, !dbg !69
  %24 = load float, ptr %12, align 4, !dbg !70, !tbaa !12
  %25 = load float, ptr %13, align 4, !dbg !71, !tbaa !12
  %26 = call float @_Z4sqrtf(float noundef %25) #6, !dbg !72, !fpmath !73
  %27 = fmul float %24, %26, !dbg !74
  store float %27, ptr %16, align 4, !dbg !75, !tbaa !12
  call void @llvm.lifetime.start.p0(i64 4, ptr %17) #5, !dbg !76
  %28 = load ptr addrspace(1), ptr %9, align 8, !dbg !77, !tbaa !59
  %29 = load i32, ptr %15, align 4, !dbg !78, !tbaa !61
  %30 = zext i32 %29 to i64, !dbg !77
  %31 = getelementptr inbounds float, ptr addrspace(1) %28, i64 %30, !dbg !77
  %32 = load float, ptr addrspace(1) %31, align 4, !dbg !77, !tbaa !12
  %33 = load ptr addrspace(1), ptr %10, align 8, !dbg !79, !tbaa !59
  %34 = load i32, ptr %15, align 4, !dbg !80, !tbaa !61
  %35 = zext i32 %34 to i64, !dbg !79
  %36 = getelementptr inbounds float, ptr addrspace(1) %33, i64 %35, !dbg !79
  %37 = load float, ptr addrspace(1) %36, align 4, !dbg !79, !tbaa !12
  %38 = fdiv float %32, %37, !dbg !81, !fpmath !22
  %39 = call float @_Z3logf(float noundef %38) #6, !dbg !82
  %40 = load float, ptr %11, align 4, !dbg !83, !tbaa !12
  %41 = load float, ptr %12, align 4, !dbg !84, !tbaa !12
  %42 = fmul float 5.000000e-01, %41, !dbg !85
  %43 = load float, ptr %12, align 4, !dbg !86, !tbaa !12
  %44 = fmul float %42, %43, !dbg !87
  %45 = fadd float %40, %44, !dbg !88
  %46 = load float, ptr %13, align 4, !dbg !89, !tbaa !12
  %47 = fmul float %45, %46, !dbg !90
  %48 = fadd float %39, %47, !dbg !91
  %49 = load float, ptr %16, align 4, !dbg !92, !tbaa !12
  %50 = fdiv float %48, %49, !dbg !93, !fpmath !22
  store float %50, ptr %17, align 4, !dbg !94, !tbaa !12
  %51 = load ptr addrspace(1), ptr %9, align 8, !dbg !95, !tbaa !59
  %52 = load i32, ptr %15, align 4, !dbg !96, !tbaa !61
  %53 = zext i32 %52 to i64, !dbg !95
  %54 = getelementptr inbounds float, ptr addrspace(1) %51, i64 %53, !dbg !95
  %55 = load float, ptr addrspace(1) %54, align 4, !dbg !95, !tbaa !12
  %56 = load float, ptr %17, align 4, !dbg !97, !tbaa !12
  %57 = call float @normal(float noundef %56) #7, !dbg !98
  %58 = fmul float %55, %57, !dbg !99
  %59 = load ptr addrspace(1), ptr %10, align 8, !dbg !100, !tbaa !59
  %60 = load i32, ptr %15, align 4, !dbg !101, !tbaa !61
  %61 = zext i32 %60 to i64, !dbg !100
  %62 = getelementptr inbounds float, ptr addrspace(1) %59, i64 %61, !dbg !100
  %63 = load float, ptr addrspace(1) %62, align 4, !dbg !100, !tbaa !12
  %64 = load float, ptr %11, align 4, !dbg !102, !tbaa !12
  %65 = fneg float %64, !dbg !103
  %66 = load float, ptr %13, align 4, !dbg !104, !tbaa !12
  %67 = fmul float %65, %66, !dbg !105
  %68 = call float @_Z3expf(float noundef %67) #6, !dbg !106
  %69 = fmul float %63, %68, !dbg !107
  %70 = load float, ptr %17, align 4, !dbg !108, !tbaa !12
  %71 = load float, ptr %16, align 4, !dbg !109, !tbaa !12
  %72 = fsub float %70, %71, !dbg !110
  %73 = call float @normal(float noundef %72) #7, !dbg !111
  %74 = fmul float %69, %73, !dbg !112
  %75 = fsub float %58, %74, !dbg !113
  %76 = load ptr addrspace(1), ptr %8, align 8, !dbg !114, !tbaa !59
  %77 = load i32, ptr %15, align 4, !dbg !115, !tbaa !61
  %78 = zext i32 %77 to i64, !dbg !114
  %79 = getelementptr inbounds float, ptr addrspace(1) %76, i64 %78, !dbg !114
  store float %75, ptr addrspace(1) %79, align 4, !dbg !116, !tbaa !12
  call void @llvm.lifetime.end.p0(i64 4, ptr %17) #5, !dbg !117
  call void @llvm.lifetime.end.p0(i64 4, ptr %16) #5, !dbg !117
  br label %80, !dbg !117

80:                                               ; preds = %23, %7
  call void @llvm.lifetime.end.p0(i64 4, ptr %15) #5, !dbg !118
  ret void, !dbg !118
}

; Function Attrs: alwaysinline convergent mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define internal range(i64 0, 2199023254528) i64 @_Z13get_global_idj(i32 noundef %0) #3 {
  switch i32 %0, label %8 [
    i32 0, label %2
    i32 1, label %4
    i32 2, label %6
  ]

2:                                                ; preds = %1
  %3 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %8

4:                                                ; preds = %1
  %5 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  br label %8

6:                                                ; preds = %1
  %7 = tail call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  br label %8

8:                                                ; preds = %6, %4, %2, %1
  %9 = phi i32 [ %7, %6 ], [ %5, %4 ], [ %3, %2 ], [ 0, %1 ]
  switch i32 %0, label %16 [
    i32 0, label %10
    i32 1, label %12
    i32 2, label %14
  ]

10:                                               ; preds = %8
  %11 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %16

12:                                               ; preds = %8
  %13 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  br label %16

14:                                               ; preds = %8
  %15 = tail call range(i32 1, 65) i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  br label %16

16:                                               ; preds = %14, %12, %10, %8
  %17 = phi i32 [ %15, %14 ], [ %13, %12 ], [ %11, %10 ], [ 0, %8 ]
  switch i32 %0, label %24 [
    i32 0, label %18
    i32 1, label %20
    i32 2, label %22
  ]

18:                                               ; preds = %16
  %19 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %24

20:                                               ; preds = %16
  %21 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  br label %24

22:                                               ; preds = %16
  %23 = tail call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  br label %24

24:                                               ; preds = %22, %20, %18, %16
  %25 = phi i32 [ %23, %22 ], [ %21, %20 ], [ %19, %18 ], [ 0, %16 ]
  %26 = zext nneg i32 %17 to i64
  %27 = zext nneg i32 %9 to i64
  %28 = mul nuw nsw i64 %26, %27
  %29 = zext nneg i32 %25 to i64
  %30 = add nuw nsw i64 %28, %29
  ret i64 %30
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.z() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.z() #4

; Function Attrs: alwaysinline convergent mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define internal float @_Z3expf(float noundef %0) #3 {
  %2 = fcmp olt float %0, 0.000000e+00
  %3 = select i1 %2, float -5.000000e-01, float 5.000000e-01
  %4 = tail call noundef float @llvm.fmuladd.f32(float %0, float 0x3FF7154760000000, float %3)
  %5 = fptosi float %4 to i32
  %6 = sitofp i32 %5 to float
  %7 = tail call noundef float @llvm.fmuladd.f32(float %6, float 0xBFE62E3000000000, float %0)
  %8 = fmul float %6, 0xBEE2FEFA20000000
  %9 = fadd float %7, %8
  %10 = fmul float %9, %9
  %11 = tail call noundef float @llvm.fmuladd.f32(float %10, float 0x3E66376980000000, float 0xBEBBBD41C0000000)
  %12 = tail call noundef float @llvm.fmuladd.f32(float %10, float %11, float 0x3F11566AA0000000)
  %13 = tail call noundef float @llvm.fmuladd.f32(float %10, float %12, float 0xBF66C16C20000000)
  %14 = tail call noundef float @llvm.fmuladd.f32(float %10, float %13, float 0x3FC5555560000000)
  %15 = fneg float %14
  %16 = tail call noundef float @llvm.fmuladd.f32(float %10, float %15, float %9)
  %17 = fneg float %8
  %18 = fmul float %9, %16
  %19 = fsub float 2.000000e+00, %16
  %20 = fdiv float %18, %19, !fpmath !22
  %21 = fsub float %17, %20
  %22 = fsub float %7, %21
  %23 = fadd float %22, 1.000000e+00
  %24 = bitcast float %23 to i32
  %25 = shl i32 %5, 23
  %26 = add nsw i32 %25, %24
  %27 = bitcast i32 %26 to float
  %28 = fcmp olt float %0, 0xC055D589E0000000
  %29 = select i1 %28, float 0.000000e+00, float %27
  %30 = fcmp olt float %0, 0x40562E4300000000
  %31 = select i1 %30, float %29, float 0x7FF0000000000000
  %32 = fcmp ord float %0, 0.000000e+00
  %33 = select i1 %32, float %31, float %0
  ret float %33
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #4

; Function Attrs: alwaysinline convergent mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define internal noundef float @_Z4fabsf(float noundef %0) #3 {
  %2 = tail call float @llvm.fabs.f32(float noundef %0) #8
  ret float %2
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #4

; Function Attrs: alwaysinline convergent mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define internal float @_Z3logf(float noundef %0) #3 {
  %2 = bitcast float %0 to i32
  %3 = tail call float @llvm.fabs.f32(float %0)
  %4 = bitcast float %3 to i32
  %5 = fadd float %0, -1.000000e+00
  %6 = tail call noundef float @llvm.fabs.f32(float noundef %5) #8
  %7 = fcmp olt float %6, 6.250000e-02
  %8 = fadd float %5, 2.000000e+00
  %9 = fdiv float %5, %8, !fpmath !22
  %10 = fadd float %9, %9
  %11 = fmul float %10, %10
  %12 = tail call noundef float @llvm.fmuladd.f32(float %11, float 0x3F899999A0000000, float 0x3FB5555560000000)
  %13 = fmul float %11, %12
  %14 = fneg float %9
  %15 = fmul float %5, %14
  %16 = tail call noundef float @llvm.fmuladd.f32(float %10, float %13, float %15)
  %17 = bitcast float %5 to i32
  %18 = and i32 %17, -65536
  %19 = bitcast i32 %18 to float
  %20 = fsub float %5, %19
  %21 = fadd float %20, %16
  %22 = fmul float %21, 0x3F75476520000000
  %23 = tail call noundef float @llvm.fmuladd.f32(float %19, float 0x3F75476520000000, float %22)
  %24 = tail call noundef float @llvm.fmuladd.f32(float %21, float 1.437500e+00, float %23)
  %25 = tail call noundef float @llvm.fmuladd.f32(float %19, float 1.437500e+00, float %24)
  %26 = lshr i32 %2, 23
  %27 = add nsw i32 %26, -127
  %28 = or i32 %2, 1065353216
  %29 = bitcast i32 %28 to float
  %30 = fadd float %29, -1.000000e+00
  %31 = bitcast float %30 to i32
  %32 = lshr i32 %31, 23
  %33 = add nsw i32 %32, -253
  %34 = icmp ult i32 %2, 8388608
  %35 = select i1 %34, i32 %33, i32 %27
  %36 = select i1 %34, i32 %31, i32 %2
  %37 = sitofp i32 %35 to float
  %38 = and i32 %36, 8323072
  %39 = shl i32 %36, 1
  %40 = and i32 %39, 65536
  %41 = add nuw nsw i32 %40, %38
  %42 = or disjoint i32 %41, 1056964608
  %43 = bitcast i32 %42 to float
  %44 = and i32 %36, 8388607
  %45 = or disjoint i32 %44, 1056964608
  %46 = bitcast i32 %45 to float
  %47 = fsub float %43, %46
  %48 = lshr exact i32 %41, 16
  %49 = zext nneg i32 %48 to i64
  %50 = getelementptr inbounds [129 x float], ptr addrspace(4) @LOG_INV_TBL, i64 0, i64 %49
  %51 = load float, ptr addrspace(4) %50, align 4, !tbaa !12
  %52 = fmul float %47, %51
  %53 = tail call noundef float @llvm.fmuladd.f32(float %52, float 0x3FD5555560000000, float 5.000000e-01)
  %54 = fmul float %52, %52
  %55 = tail call noundef float @llvm.fmuladd.f32(float %53, float %54, float %52)
  %56 = getelementptr inbounds [129 x <2 x float>], ptr addrspace(4) @LOG2_TBL, i64 0, i64 %49
  %57 = load float, ptr addrspace(4) %56, align 8
  %58 = fadd float %57, %37
  %59 = getelementptr inbounds i8, ptr addrspace(4) %56, i64 4
  %60 = load float, ptr addrspace(4) %59, align 4
  %61 = tail call noundef float @llvm.fmuladd.f32(float %55, float 0xBFF7154760000000, float %60)
  %62 = fadd float %58, %61
  %63 = select i1 %7, float %25, float %62
  %64 = icmp ugt i32 %4, 2139095039
  %65 = select i1 %64, float %0, float %63
  %66 = icmp eq i32 %2, %4
  %67 = fmul float %65, 0x3FE62E4300000000
  %68 = icmp eq i32 %4, 0
  %69 = select i1 %66, float %67, float 0x7FF8000000000000
  %70 = select i1 %68, float 0xFFF0000000000000, float %69
  ret float %70
}

; Function Attrs: alwaysinline convergent mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define internal noundef float @_Z4sqrtf(float noundef %0) #3 {
  %2 = fcmp olt float %0, 0.000000e+00
  %3 = tail call float @llvm.sqrt.f32(float %0) #8
  %4 = select i1 %2, float 0x7FF8000000000000, float %3
  ret float %4
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #4

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx85,+sm_80" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx85,+sm_80" "uniform-work-group-size"="true" }
attributes #3 = { alwaysinline convergent mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx85,+sm_80" }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind }
attributes #6 = { convergent nounwind willreturn memory(none) }
attributes #7 = { convergent nounwind }
attributes #8 = { convergent nobuiltin nounwind "no-builtins" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6}
!opencl.ocl.version = !{!7}
!llvm.ident = !{!8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8, !8}

!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "examples/options/options.cl", directory: ".", checksumkind: CSK_MD5, checksum: "2fe41378b515d5dc41790cbbd46d84f2")
!2 = !{ptr @options, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = !{i32 1, i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "normal", scope: !1, file: !1, line: 2, type: !10, scopeLine: 3, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !{!13, !13, i64 0}
!13 = !{!"float", !14, i64 0}
!14 = !{!"omnipotent char", !15, i64 0}
!15 = !{!"Simple C/C++ TBAA"}
!16 = !DILocation(line: 4, column: 2, scope: !9)
!17 = !DILocation(line: 4, column: 45, scope: !9)
!18 = !DILocation(line: 4, column: 40, scope: !9)
!19 = !DILocation(line: 4, column: 38, scope: !9)
!20 = !DILocation(line: 4, column: 25, scope: !9)
!21 = !DILocation(line: 4, column: 17, scope: !9)
!22 = !{float 2.500000e+00}
!23 = !DILocation(line: 4, column: 8, scope: !9)
!24 = !DILocation(line: 5, column: 2, scope: !9)
!25 = !DILocation(line: 5, column: 41, scope: !9)
!26 = !DILocation(line: 5, column: 39, scope: !9)
!27 = !DILocation(line: 5, column: 45, scope: !9)
!28 = !DILocation(line: 5, column: 43, scope: !9)
!29 = !DILocation(line: 5, column: 29, scope: !9)
!30 = !DILocation(line: 5, column: 27, scope: !9)
!31 = !DILocation(line: 5, column: 50, scope: !9)
!32 = !DILocation(line: 5, column: 48, scope: !9)
!33 = !DILocation(line: 6, column: 30, scope: !9)
!34 = !DILocation(line: 6, column: 51, scope: !9)
!35 = !DILocation(line: 6, column: 71, scope: !9)
!36 = !DILocation(line: 6, column: 92, scope: !9)
!37 = !DILocation(line: 6, column: 94, scope: !9)
!38 = !DILocation(line: 6, column: 90, scope: !9)
!39 = !DILocation(line: 6, column: 73, scope: !9)
!40 = !DILocation(line: 6, column: 69, scope: !9)
!41 = !DILocation(line: 6, column: 53, scope: !9)
!42 = !DILocation(line: 6, column: 49, scope: !9)
!43 = !DILocation(line: 6, column: 32, scope: !9)
!44 = !DILocation(line: 6, column: 28, scope: !9)
!45 = !DILocation(line: 5, column: 52, scope: !9)
!46 = !DILocation(line: 5, column: 8, scope: !9)
!47 = !DILocation(line: 8, column: 9, scope: !9)
!48 = !DILocation(line: 8, column: 11, scope: !9)
!49 = !DILocation(line: 8, column: 17, scope: !9)
!50 = !DILocation(line: 8, column: 31, scope: !9)
!51 = !DILocation(line: 8, column: 29, scope: !9)
!52 = !DILocation(line: 9, column: 1, scope: !9)
!53 = !DILocation(line: 8, column: 2, scope: !9)
!54 = distinct !DISubprogram(name: "options", scope: !1, file: !1, line: 11, type: !10, scopeLine: 13, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!55 = !{i32 1, i32 1, i32 1, i32 0, i32 0, i32 0, i32 0}
!56 = !{!"none", !"none", !"none", !"none", !"none", !"none", !"none"}
!57 = !{!"float*", !"float*", !"float*", !"float", !"float", !"float", !"uint"}
!58 = !{!"", !"const", !"const", !"", !"", !"", !""}
!59 = !{!60, !60, i64 0}
!60 = !{!"any pointer", !14, i64 0}
!61 = !{!62, !62, i64 0}
!62 = !{!"int", !14, i64 0}
!63 = !DILocation(line: 14, column: 2, scope: !54)
!64 = !DILocation(line: 14, column: 11, scope: !54)
!65 = !DILocation(line: 14, column: 7, scope: !54)
!66 = !DILocation(line: 16, column: 6, scope: !54)
!67 = !DILocation(line: 16, column: 10, scope: !54)
!68 = !DILocation(line: 16, column: 8, scope: !54)
!69 = !DILocation(line: 17, column: 3, scope: !54)
!70 = !DILocation(line: 17, column: 18, scope: !54)
!71 = !DILocation(line: 17, column: 36, scope: !54)
!72 = !DILocation(line: 17, column: 31, scope: !54)
!73 = !{float 3.000000e+00}
!74 = !DILocation(line: 17, column: 29, scope: !54)
!75 = !DILocation(line: 17, column: 9, scope: !54)
!76 = !DILocation(line: 18, column: 3, scope: !54)
!77 = !DILocation(line: 18, column: 19, scope: !54)
!78 = !DILocation(line: 18, column: 24, scope: !54)
!79 = !DILocation(line: 18, column: 29, scope: !54)
!80 = !DILocation(line: 18, column: 36, scope: !54)
!81 = !DILocation(line: 18, column: 27, scope: !54)
!82 = !DILocation(line: 18, column: 15, scope: !54)
!83 = !DILocation(line: 18, column: 43, scope: !54)
!84 = !DILocation(line: 18, column: 57, scope: !54)
!85 = !DILocation(line: 18, column: 55, scope: !54)
!86 = !DILocation(line: 18, column: 70, scope: !54)
!87 = !DILocation(line: 18, column: 68, scope: !54)
!88 = !DILocation(line: 18, column: 48, scope: !54)
!89 = !DILocation(line: 18, column: 84, scope: !54)
!90 = !DILocation(line: 18, column: 82, scope: !54)
!91 = !DILocation(line: 18, column: 40, scope: !54)
!92 = !DILocation(line: 18, column: 93, scope: !54)
!93 = !DILocation(line: 18, column: 91, scope: !54)
!94 = !DILocation(line: 18, column: 9, scope: !54)
!95 = !DILocation(line: 20, column: 14, scope: !54)
!96 = !DILocation(line: 20, column: 19, scope: !54)
!97 = !DILocation(line: 20, column: 31, scope: !54)
!98 = !DILocation(line: 20, column: 24, scope: !54)
!99 = !DILocation(line: 20, column: 22, scope: !54)
!100 = !DILocation(line: 20, column: 37, scope: !54)
!101 = !DILocation(line: 20, column: 44, scope: !54)
!102 = !DILocation(line: 20, column: 54, scope: !54)
!103 = !DILocation(line: 20, column: 53, scope: !54)
!104 = !DILocation(line: 20, column: 61, scope: !54)
!105 = !DILocation(line: 20, column: 59, scope: !54)
!106 = !DILocation(line: 20, column: 49, scope: !54)
!107 = !DILocation(line: 20, column: 47, scope: !54)
!108 = !DILocation(line: 20, column: 77, scope: !54)
!109 = !DILocation(line: 20, column: 82, scope: !54)
!110 = !DILocation(line: 20, column: 80, scope: !54)
!111 = !DILocation(line: 20, column: 70, scope: !54)
!112 = !DILocation(line: 20, column: 68, scope: !54)
!113 = !DILocation(line: 20, column: 35, scope: !54)
!114 = !DILocation(line: 20, column: 3, scope: !54)
!115 = !DILocation(line: 20, column: 9, scope: !54)
!116 = !DILocation(line: 20, column: 12, scope: !54)
!117 = !DILocation(line: 21, column: 2, scope: !54)
!118 = !DILocation(line: 22, column: 1, scope: !54)
