//go:build !noasm && !purego

#include "textflag.h"

// The kernel for arm64: the algorithm that _asm/gen.go explains, 64 bytes at a time. The 16 bytes
// before a block are loaded from memory; at the beginning of the text they are zeros.
//
// R0 text, R1 the last 64 bytes, R2 the end, R3-R4 scratch. V0-V3 the block, V4 the 16 bytes before
// it, V8-V14 scratch, V16 0x0f, V17 0xe0, V18 0xf0, V19 0x80, V20 wrong, V21-V23 the tables.

// The tables of _asm/gen.go: firstHigh, firstLow and secondHigh.
DATA tables<>+0(SB)/8, $0x0202020202020202
DATA tables<>+8(SB)/8, $0x4915012180808080
DATA tables<>+16(SB)/8, $0xcbcbcb8b8383a3e7
DATA tables<>+24(SB)/8, $0xcbcbdbcbcbcbcbcb
DATA tables<>+32(SB)/8, $0x0101010101010101
DATA tables<>+40(SB)/8, $0x01010101babaaee6
GLOBL tables<>(SB), NOPTR|RODATA, $48

// CHECK checks the bytes of v, given the 16 bytes before them.
#define CHECK(v, before) \
	VEXT  $15, v.B16, before.B16, V8.B16   \
	VEXT  $14, v.B16, before.B16, V9.B16   \
	VEXT  $13, v.B16, before.B16, V10.B16  \
	VUSHR $4, V8.B16, V11.B16              \
	VUSHR $4, v.B16, V12.B16               \
	VAND  V16.B16, V8.B16, V8.B16          \
	VTBL  V11.B16, [V21.B16], V11.B16      \
	VTBL  V8.B16, [V22.B16], V8.B16        \
	VTBL  V12.B16, [V23.B16], V12.B16      \
	VAND  V11.B16, V8.B16, V8.B16          \
	VAND  V12.B16, V8.B16, V8.B16          \
	VUMAX V17.B16, V9.B16, V13.B16         \
	VUMAX V18.B16, V10.B16, V14.B16        \
	VCMEQ V9.B16, V13.B16, V13.B16         \
	VCMEQ V10.B16, V14.B16, V14.B16        \
	VORR  V13.B16, V14.B16, V14.B16        \
	VAND  V19.B16, V14.B16, V14.B16        \
	VEOR  V8.B16, V14.B16, V14.B16         \
	VORR  V14.B16, V20.B16, V20.B16

// func validNEON(text *byte, n int) bool
TEXT ·validNEON(SB), NOSPLIT, $0-17
	MOVD   text+0(FP), R0
	MOVD   n+8(FP), R2
	ADD    R0, R2, R2
	SUB    $64, R2, R1
	VMOVI  $0x0f, V16.B16
	VMOVI  $0xe0, V17.B16
	VMOVI  $0xf0, V18.B16
	VMOVI  $0x80, V19.B16
	VMOVI  $0, V20.B16
	VMOVI  $0, V4.B16
	MOVD   $tables<>(SB), R3
	VLD1   (R3), [V21.B16, V22.B16, V23.B16]

block:
	VLD1 (R0), [V0.B16, V1.B16, V2.B16, V3.B16]

	// Skip the block if it and the bytes before it are ASCII.
	VORR V0.B16, V1.B16, V8.B16
	VORR V2.B16, V3.B16, V9.B16
	VORR V4.B16, V8.B16, V8.B16
	VORR V8.B16, V9.B16, V8.B16
	VMOV V8.D[0], R3
	VMOV V8.D[1], R4
	ORR  R4, R3, R3
	TST  $0x8080808080808080, R3
	BEQ  next
	CHECK(V0, V4)
	CHECK(V1, V0)
	CHECK(V2, V1)
	CHECK(V3, V2)

next:
	ADD $64, R0
	CMP R1, R0
	BHI rest

load:
	SUB  $16, R0, R3
	VLD1 (R3), [V4.B16]
	B    block

rest:
	CMP  R2, R0
	BEQ  done
	MOVD R1, R0
	B    load

done:
	VMOV V20.D[0], R3
	VMOV V20.D[1], R4
	ORR  R4, R3, R3
	CMP  $0, R3
	CSET EQ, R3
	MOVB R3, ret+16(FP)
	RET
