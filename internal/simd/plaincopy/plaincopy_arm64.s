//go:build !noasm && !purego

#include "textflag.h"

// func copyNEON(dst, src *byte, n int) int
//
// R0 dst, R1 src, R2 n, R3 the start of the last vector, R4 i; V0 the vector, V1-V3 its special
// bytes, V16 '"', V17 '\', V18 0xe0, V19 0x80.
TEXT ·copyNEON(SB), NOSPLIT, $0-32
	MOVD  dst+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  n+16(FP), R2
	VMOVI $0x22, V16.B16
	VMOVI $0x5c, V17.B16
	VMOVI $0xe0, V18.B16
	VMOVI $0x80, V19.B16
	VMOVI $0, V20.B16
	SUB   $16, R2, R3
	MOVD  ZR, R4

loop:
	ADD   R1, R4, R5
	ADD   R0, R4, R6
	VLD1  (R5), [V0.B16]
	VST1  [V0.B16], (R6)
	VCMEQ V16.B16, V0.B16, V1.B16
	VCMEQ V17.B16, V0.B16, V2.B16
	VAND  V18.B16, V0.B16, V3.B16
	VCMEQ V20.B16, V3.B16, V3.B16
	VORR  V1.B16, V2.B16, V1.B16
	VORR  V0.B16, V3.B16, V3.B16
	VORR  V1.B16, V3.B16, V1.B16
	VAND  V19.B16, V1.B16, V1.B16  // the top bit of each special byte
	VMOV  V1.D[0], R7
	VMOV  V1.D[1], R8
	ORR   R7, R8, R9
	CBNZ  R9, found
	CMP   R3, R4
	BEQ   all
	ADD   $16, R4
	CMP   R3, R4
	CSEL  HI, R3, R4, R4           // the last vector overlaps the one before it
	B     loop

all:
	MOVD R2, ret+24(FP)
	RET

found:
	CBNZ R7, low
	ADD  $8, R4
	MOVD R8, R7

low:
	RBIT R7, R7
	CLZ  R7, R7
	ADD  R7>>3, R4, R4
	MOVD R4, ret+24(FP)
	RET
