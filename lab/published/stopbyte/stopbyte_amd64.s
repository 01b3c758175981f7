#include "textflag.h"

// func indexStopSSE2(p *byte, n int) int
TEXT ·indexStopSSE2(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	MOVQ $0x2222222222222222, DX // quotes
	MOVQ DX, X0
	PUNPCKLQDQ X0, X0
	MOVQ $0x5c5c5c5c5c5c5c5c, DX // backslashes
	MOVQ DX, X1
	PUNPCKLQDQ X1, X1

loop:
	CMPQ AX, CX
	JGE  done
	MOVOU (SI)(AX*1), X2
	MOVO  X2, X3
	PCMPEQB X0, X2
	PCMPEQB X1, X3
	POR  X3, X2
	PMOVMSKB X2, DX
	TESTL DX, DX
	JNZ  hit
	ADDQ $16, AX
	JMP  loop

hit:
	BSFL DX, DX
	ADDQ DX, AX

done:
	MOVQ AX, ret+16(FP)
	RET

// func indexStopAVX2(p *byte, n int) int
TEXT ·indexStopAVX2(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	MOVQ $0x22, DX // quotes
	VMOVQ DX, X0 // not MOVQ: old and new vector instructions in turns cost some 70 ns a call
	VPBROADCASTB X0, Y0
	MOVQ $0x5c, DX // backslashes
	VMOVQ DX, X1
	VPBROADCASTB X1, Y1

loop:
	CMPQ AX, CX
	JGE  done
	VMOVDQU (SI)(AX*1), Y2
	VPCMPEQB Y0, Y2, Y3
	VPCMPEQB Y1, Y2, Y4
	VPOR Y3, Y4, Y3
	VPMOVMSKB Y3, DX
	TESTL DX, DX
	JNZ  hit
	ADDQ $32, AX
	JMP  loop

hit:
	BSFL DX, DX
	ADDQ DX, AX

done:
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET
