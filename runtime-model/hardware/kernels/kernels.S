/* Machine code of the kernels that measure, one image for each target, compressed; made by make.py. */
	.section .rodata
.macro image sm
	.globl kernels_sm_\sm
	.globl kernels_sm_\sm\()_end
	.hidden kernels_sm_\sm
	.hidden kernels_sm_\sm\()_end
	.balign 16
kernels_sm_\sm :
	.incbin "runtime-model/hardware/kernels/sm_\sm\().cubin.zst"
kernels_sm_\sm\()_end:
.endm
	image 75
	image 80
	image 86
	image 89
	image 90
	image 100
	image 120
	.section .note.GNU-stack,"",@progbits
