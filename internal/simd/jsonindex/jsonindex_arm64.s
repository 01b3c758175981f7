//go:build !noasm && !purego

#include "textflag.h"

// The kernel for arm64. No instruction packs the lanes of a mask into bits. Instead one bit of each
// lane is kept, a different one in each of eight neighbours, and neighbours are added three times.
//
// R0 dst, R1 text, R2 n, R3 the last 64 bytes, R4 carry, R5 0xaaaaaaaaaaaaaaaa, R6 quotes, R7
// special, R8 space, R9 backslashes, R10-R12 scratch; at the end R13 up and R14 down. V0-V3 the
// block, V4-V7 a mask to be packed, V8-V11 backslashes, V12-V15 special, V16 '"', V17 '\', V18
// 0xe0, V19 ' ', V20 0, V21 the bit that a lane keeps, V22 all bytes seen, V23 the table, V24-V26
// scratch.

// white has 0xff for the white space below 16: tab, line feed and carriage return.
DATA white<>+0(SB)/8, $0x0000000000000000
DATA white<>+8(SB)/8, $0x0000ff0000ffff00
GLOBL white<>(SB), NOPTR|RODATA, $16

// PACK sets in bits a bit for each lane of a, b, c and d, which are 0x00 or 0xff. It overwrites a.
#define PACK(a, b, c, d, bits) \
	VAND  V21.B16, a.B16, a.B16     \
	VAND  V21.B16, b.B16, V24.B16   \
	VAND  V21.B16, c.B16, V25.B16   \
	VAND  V21.B16, d.B16, V26.B16   \
	VADDP V24.B16, a.B16, a.B16     \
	VADDP V26.B16, V25.B16, V25.B16 \
	VADDP V25.B16, a.B16, a.B16     \
	VADDP a.B16, a.B16, a.B16       \
	VMOV  a.D[0], bits

// SPECIAL marks the backslashes of v in slash, and in special those and the lanes below 0x20, where
// v&0xe0 == 0.
#define SPECIAL(v, slash, special) \
	VCMEQ V17.B16, v.B16, slash.B16         \
	VAND  V18.B16, v.B16, special.B16       \
	VCMEQ V20.B16, special.B16, special.B16 \
	VORR  slash.B16, special.B16, special.B16

// SPACE marks the JSON white space of v. A lane of 16 or more is outside the table, which yields 0.
#define SPACE(v, space) \
	VTBL  v.B16, [V23.B16], V24.B16   \
	VCMEQ V19.B16, v.B16, space.B16   \
	VORR  V24.B16, space.B16, space.B16

// CLASSIFY sets R6, R7 and R8 to the masks of the block, and V8-V11 to its backslashes.
#define CLASSIFY \
	VORR  V0.B16, V1.B16, V4.B16   \
	VORR  V2.B16, V3.B16, V5.B16   \
	VORR  V4.B16, V22.B16, V22.B16 \
	VORR  V5.B16, V22.B16, V22.B16 \
	VCMEQ V16.B16, V0.B16, V4.B16  \
	VCMEQ V16.B16, V1.B16, V5.B16  \
	VCMEQ V16.B16, V2.B16, V6.B16  \
	VCMEQ V16.B16, V3.B16, V7.B16  \
	PACK(V4, V5, V6, V7, R6)       \
	SPECIAL(V0, V8, V12)           \
	SPECIAL(V1, V9, V13)           \
	SPECIAL(V2, V10, V14)          \
	SPECIAL(V3, V11, V15)          \
	PACK(V12, V13, V14, V15, R7)   \
	SPACE(V0, V4)                  \
	SPACE(V1, V5)                  \
	SPACE(V2, V6)                  \
	SPACE(V3, V7)                  \
	PACK(V4, V5, V6, V7, R8)

// STORE writes the masks to the block's place in dst.
#define STORE \
	STP  (R6, R7), (R0) \
	MOVD R8, 16(R0)

// ESCAPES clears in R6 the bits that follow an odd number of backslashes, given the backslashes in
// R9 and, in R4, whether the character before the block escapes its first one (1 or 0). It sets R4
// for the next block. It is escapes in jsonindex_swar.go: R10 is start, R11 code.
#define ESCAPES \
	BIC R4, R9, R10     \
	ORR R10<<1, R5, R11 \
	SUB R10, R11, R11   \
	EOR R5, R11, R11    \
	ORR R9, R4, R12     \
	EOR R11, R12, R12   \
	BIC R12, R6, R6     \
	AND R11, R9, R4     \
	LSR $63, R4, R4

// PLACE puts the upper half of bits R13 (up) bits above the lower half, then both R14 (down) bits
// below.
#define PLACE(bits) \
	LSR   $32, bits, R10 \
	MOVWU bits, R11      \
	LSL   R13, R10, R10  \
	ORR   R10, R11, R11  \
	LSR   R14, R11, bits

// func indexNEON(dst *uint64, text *byte, n int) (nonASCII bool)
TEXT ·indexNEON(SB), NOSPLIT, $0-25
	MOVD  dst+0(FP), R0
	MOVD  text+8(FP), R1
	MOVD  n+16(FP), R2
	VMOVI $0x22, V16.B16
	VMOVI $0x5c, V17.B16
	VMOVI $0xe0, V18.B16
	VMOVI $0x20, V19.B16
	VMOVI $0, V20.B16
	MOVD  $0x8040201008040201, R10
	VDUP  R10, V21.D2
	VMOVI $0, V22.B16
	MOVD  $white<>(SB), R10
	VLD1  (R10), [V23.B16]
	MOVD  $0xaaaaaaaaaaaaaaaa, R5
	MOVD  ZR, R4
	ADD   R2, R1, R3
	CMP   $64, R2
	BLO   short
	SUB   $64, R3, R3

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	CLASSIFY
	ORR    R4, R7, R10
	CBNZ   R10, special

next:
	STORE
	ADD $24, R0
	CMP R3, R1
	BLS loop

	// The last 64 bytes, the first R14 of which have been seen before. Above, n ≥ 64; below, R3 is
	// the end of the text.
	SUB  R3, R1, R14
	CMP  $64, R14
	BEQ  done
	MOVD $32, R13
	VLD1 (R3), [V0.B16, V1.B16, V2.B16, V3.B16]

tail:
	CLASSIFY
	PACK(V8, V9, V10, V11, R9)
	PLACE(R6)
	PLACE(R7)
	PLACE(R8)
	PLACE(R9)
	ESCAPES
	STORE

done:
	VMOV V22.D[0], R10
	VMOV V22.D[1], R11
	ORR  R11, R10, R10
	TST  $0x8080808080808080, R10
	CSET NE, R10
	MOVB R10, nonASCII+24(FP)
	RET

special:
	PACK(V8, V9, V10, V11, R9)
	ORR R4, R9, R10
	CBZ R10, next
	ESCAPES
	B   next

	// Fewer than 64 bytes: the first and the last 32, 16, 8, 4, 2 or 1 of them, padded with bytes
	// that have no mask.
short:
	VMOVI $0x3f, V0.B16
	VORR  V0.B16, V0.B16, V1.B16
	VORR  V0.B16, V0.B16, V2.B16
	VORR  V0.B16, V0.B16, V3.B16
	MOVD  ZR, R14
	CMP   $32, R2
	BLO   short16
	SUB   $32, R2, R13
	SUB   $32, R3, R10
	VLD1  (R1), [V0.B16, V1.B16]
	VLD1  (R10), [V2.B16, V3.B16]
	B     tail

short16:
	CMP  $16, R2
	BLO  short8
	SUB  $16, R2, R13
	SUB  $16, R3, R10
	VLD1 (R1), [V0.B16]
	VLD1 (R10), [V2.B16]
	B    tail

short8:
	CMP  $8, R2
	BLO  short4
	SUB  $8, R2, R13
	MOVD (R1), R10
	MOVD -8(R3), R11
	VMOV R10, V0.D[0]
	VMOV R11, V2.D[0]
	B    tail

short4:
	CMP   $4, R2
	BLO   short2
	SUB   $4, R2, R13
	MOVWU (R1), R10
	MOVWU -4(R3), R11
	VMOV  R10, V0.S[0]
	VMOV  R11, V2.S[0]
	B     tail

short2:
	CMP   $2, R2
	BLO   short1
	SUB   $2, R2, R13
	MOVHU (R1), R10
	MOVHU -2(R3), R11
	VMOV  R10, V0.H[0]
	VMOV  R11, V2.H[0]
	B     tail

short1:
	MOVD  ZR, R13
	MOVBU (R1), R10
	VMOV  R10, V0.B[0]
	B     tail
