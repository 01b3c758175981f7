//go:build !noasm && !purego

#include "textflag.h"

// The kernel for arm64: the algorithm that _asm/gen.go explains. No instruction packs the lanes of
// a mask into bits; package jsonindex says how it is done.
//
// R0 dst, R1 its end, R2 its start, R3 text, R4 the block, R5 the last block, R6 how many positions
// of the block were seen before, R7 stop, R8-R12 scratch. V0-V3 the hits, V4-V7 the bytes at a
// place of the window, V8-V10 scratch, V11 marks, V16-V19 the tables of low nibbles, V20-V23 those
// of high ones, V24 0x0f, V25 the mark, V26 stop, V27 the bit that a lane keeps,
// V28 the byte that a mark passes before.

// LOOKUP sets hit to the buckets that have the nibbles of v.
#define LOOKUP(v, low, high, hit) \
	VUSHR $4, v.B16, V8.B16          \
	VAND  V24.B16, v.B16, V9.B16     \
	VTBL  V8.B16, [high.B16], V8.B16 \
	VTBL  V9.B16, [low.B16], V9.B16  \
	VAND  V8.B16, V9.B16, hit.B16

// NARROW keeps of hit the buckets that have the nibbles of v.
#define NARROW(v, low, high, hit) \
	LOOKUP(v, low, high, V10)      \
	VAND V10.B16, hit.B16, hit.B16

// PLACE narrows the hits by the bytes that come n after them.
#define PLACE(n, low, high) \
	ADD  $n, R4, R8                                 \
	VLD1 (R8), [V4.B16, V5.B16, V6.B16, V7.B16]     \
	NARROW(V4, low, high, V0)                       \
	NARROW(V5, low, high, V1)                       \
	NARROW(V6, low, high, V2)                       \
	NARROW(V7, low, high, V3)

// PACK sets in bits a bit for each lane of a, b, c and d, which are 0x00 or 0xff. It overwrites
// them.
#define PACK(a, b, c, d, bits) \
	VAND  V27.B16, a.B16, a.B16 \
	VAND  V27.B16, b.B16, b.B16 \
	VAND  V27.B16, c.B16, c.B16 \
	VAND  V27.B16, d.B16, d.B16 \
	VADDP b.B16, a.B16, a.B16   \
	VADDP d.B16, c.B16, c.B16   \
	VADDP c.B16, a.B16, a.B16   \
	VADDP a.B16, a.B16, a.B16   \
	VMOV  a.D[0], bits

// func findNEON(dst *uint64, room int, t *byte, text *byte, from, whole int, stop uint64)
//	(count, next int, marked bool)
TEXT ·findNEON(SB), NOSPLIT, $0-73
	MOVD   dst+0(FP), R0
	MOVD   room+8(FP), R1
	MOVD   t+16(FP), R8
	MOVD   text+24(FP), R3
	MOVD   from+32(FP), R4
	MOVD   whole+40(FP), R5
	MOVD   stop+48(FP), R7
	VLD1.P 64(R8), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1.P 64(R8), [V20.B16, V21.B16, V22.B16, V23.B16]
	MOVBU  (R8), R9
	VDUP   R9, V25.B16
	MOVBU  1(R8), R9
	VDUP   R9, V28.B16
	VDUP   R7, V26.D2
	VMOVI  $0x0f, V24.B16
	MOVD   $0x8040201008040201, R9
	VDUP   R9, V27.D2
	MOVD   R0, R2
	ADD    R1<<4, R0, R1
	ADD    R3, R4, R4
	ADD    R3, R5, R5
	SUB    $64, R5, R5
	MOVD   $0, R6
	CMP    R5, R4
	BHI    tail

loop:
	VLD1  (R4), [V4.B16, V5.B16, V6.B16, V7.B16]
	LOOKUP(V4, V16, V20, V0)
	LOOKUP(V5, V16, V20, V1)
	LOOKUP(V6, V16, V20, V2)
	LOOKUP(V7, V16, V20, V3)
	VCMEQ V25.B16, V4.B16, V11.B16
	VCMEQ V25.B16, V5.B16, V8.B16
	VCMEQ V25.B16, V6.B16, V9.B16
	VCMEQ V25.B16, V7.B16, V10.B16
	VORR  V8.B16, V11.B16, V11.B16
	VORR  V9.B16, V10.B16, V10.B16
	VORR  V10.B16, V11.B16, V11.B16
	VAND  V26.B16, V11.B16, V11.B16
	PLACE(1, V17, V21)
	PLACE(2, V18, V22)
	PLACE(3, V19, V23)
	VORR  V0.B16, V1.B16, V8.B16
	VORR  V2.B16, V3.B16, V9.B16
	VORR  V8.B16, V11.B16, V8.B16
	VORR  V8.B16, V9.B16, V8.B16
	VMOV  V8.D[0], R8
	VMOV  V8.D[1], R9
	ORR   R8, R9, R8
	CBNZ  R8, hit

next:
	ADD $64, R4
	CMP R5, R4
	BLS loop

tail:
	// Positions from R4 on are left: go back so that the block ends where they do.
	SUB  R5, R4, R4
	CMP  $64, R4
	BEQ  done
	MOVD R4, R6
	MOVD R5, R4
	B    loop

hit:
	VCMTST V0.B16, V0.B16, V0.B16
	VCMTST V1.B16, V1.B16, V1.B16
	VCMTST V2.B16, V2.B16, V2.B16
	VCMTST V3.B16, V3.B16, V3.B16
	PACK(V0, V1, V2, V3, R8)
	VLD1   (R4), [V4.B16, V5.B16, V6.B16, V7.B16]
	VCMEQ  V25.B16, V4.B16, V4.B16
	VCMEQ  V25.B16, V5.B16, V5.B16
	VCMEQ  V25.B16, V6.B16, V6.B16
	VCMEQ  V25.B16, V7.B16, V7.B16
	PACK(V4, V5, V6, V7, R9)
	ADD    $1, R4, R10
	VLD1   (R10), [V4.B16, V5.B16, V6.B16, V7.B16]
	VCMEQ  V28.B16, V4.B16, V4.B16
	VCMEQ  V28.B16, V5.B16, V5.B16
	VCMEQ  V28.B16, V6.B16, V6.B16
	VCMEQ  V28.B16, V7.B16, V7.B16
	PACK(V4, V5, V6, V7, R10)
	BIC    R10, R9, R9
	LSR    R6, R9, R9
	AND    R7, R9, R9
	ADD    R4, R6, R10
	SUB    R3, R10, R10
	MOVD   $1, R11
	CBNZ   R9, return
	LSR    R6, R8, R8
	CBZ    R8, next
	STP.P  (R10, R8), 16(R0)
	CMP    R1, R0
	BNE    next

	// dst is full: continue after this block.
	ADD  $64, R4, R10
	SUB  R3, R10, R10
	MOVD $0, R11
	B    return

done:
	ADD  $64, R5, R10
	SUB  R3, R10, R10
	MOVD $0, R11

return:
	SUB  R2, R0, R0
	LSR  $4, R0, R0
	MOVD R0, count+56(FP)
	MOVD R10, next+64(FP)
	MOVB R11, marked+72(FP)
	RET
