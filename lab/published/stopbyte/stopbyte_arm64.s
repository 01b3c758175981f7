#include "textflag.h"

// func indexStopNEON(p *byte, n int) int
TEXT ·indexStopNEON(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVD $0, R2
	VMOVI $0x22, V0.B16 // quotes
	VMOVI $0x5c, V1.B16 // backslashes

loop:
	CMP  R1, R2
	BGE  done
	VLD1.P 16(R0), [V4.B16]
	VCMEQ V0.B16, V4.B16, V5.B16
	VCMEQ V1.B16, V4.B16, V6.B16
	VORR V5.B16, V6.B16, V5.B16
	VMOV V5.D[0], R3
	VMOV V5.D[1], R4
	ORR  R3, R4, R5
	CBNZ R5, hit
	ADD  $16, R2
	B    loop

hit:
	CBNZ R3, low
	MOVD R4, R3
	ADD  $8, R2

low:
	RBIT R3, R3
	CLZ  R3, R3
	LSR  $3, R3
	ADD  R3, R2

done:
	MOVD R2, ret+16(FP)
	RET
