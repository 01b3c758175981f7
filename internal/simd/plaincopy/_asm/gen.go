// This program writes plaincopy_amd64.s. Texts of a vector and more are copied vector by vector,
// the last one overlapping the one before it; shorter texts as two pieces that overlap.
//
// It runs from the package's folder: go generate ./internal/simd/plaincopy
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!noasm")
	ConstraintExpr("!purego")
	table := GLOBL("constants", RODATA|NOPTR)
	constant := func(at int, c byte) Mem {
		DATA(at, U32(uint32(c)*0x01010101))
		return table.Offset(at)
	}
	quotes, slashes, controls := constant(0, '"'), constant(4, '\\'), constant(8, 0x1f)

	TEXT("copyAVX2", NOSPLIT, "func(dst, src *byte, n int) int")
	Pragma("noescape")
	Doc("copyAVX2 is copyRef for n bytes, 1 ≤ n, except that it may write more of src after the first",
		"special byte.")
	dst, src, n := GP64(), GP64(), GP64()
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("n"), n)
	quote, slash, control := YMM(), YMM(), YMM()
	VPBROADCASTD(quotes, quote)
	VPBROADCASTD(slashes, slash)
	VPBROADCASTD(controls, control)
	mask, i := GP32(), GP64()

	// marks leaves in mask a bit for each special byte of v. Its top bit is set there in v itself,
	// or in one of the comparisons.
	marks := func(v Op, as func(VecVirtual) Op) {
		isQuote, isSlash, isControl := YMM(), YMM(), YMM()
		VPCMPEQB(v, as(quote), as(isQuote))
		VPCMPEQB(v, as(slash), as(isSlash))
		VPMINUB(v, as(control), as(isControl))
		VPCMPEQB(v, as(isControl), as(isControl))
		VPOR(as(isQuote), as(isSlash), as(isSlash))
		VPOR(v, as(isControl), as(isControl))
		VPOR(as(isSlash), as(isControl), as(isControl))
		VPMOVMSKB(as(isControl), mask)
	}
	ymm := func(v VecVirtual) Op { return v }
	xmm := func(v VecVirtual) Op { return v.AsX() }

	CMPQ(n, Imm(32))
	JB(LabelRef("short"))
	last := GP64()
	LEAQ(Mem{Base: n, Disp: -32}, last)
	XORQ(i, i)
	Label("loop")
	v := YMM()
	VMOVDQU(Mem{Base: src, Index: i, Scale: 1}, v)
	VMOVDQU(v, Mem{Base: dst, Index: i, Scale: 1})
	marks(v, ymm)
	TESTL(mask, mask)
	JNE(LabelRef("found"))
	ADDQ(Imm(32), i)
	CMPQ(i, last)
	JBE(LabelRef("loop"))
	CMPQ(i, n)
	JE(LabelRef("all"))
	MOVQ(last, i)
	JMP(LabelRef("loop"))

	Label("all")
	VZEROUPPER()
	Store(n, ReturnIndex(0))
	RET()

	Label("found")
	BSFL(mask, mask)
	ADDQ(mask.As64(), i)
	VZEROUPPER()
	Store(i, ReturnIndex(0))
	RET()

	// Two pieces of a width: what is special in the first, then in the second.
	pieces := func(width int, load func(Mem, VecVirtual), store func(VecVirtual, Mem)) {
		for _, at := range []Mem{{Base: src}, {Base: src, Index: n, Scale: 1, Disp: -width}} {
			v := XMM()
			load(at, v)
			to := at
			to.Base = dst
			store(v, to)
			if at.Index == nil {
				XORQ(i, i)
			} else {
				LEAQ(Mem{Base: n, Disp: -width}, i)
			}
			marks(v, xmm)
			if width < 16 {
				ANDL(U32(1<<width-1), mask)
			} else {
				TESTL(mask, mask)
			}
			JNE(LabelRef("found"))
		}
		JMP(LabelRef("all"))
	}
	Label("short")
	CMPQ(n, Imm(16))
	JB(LabelRef("short8"))
	pieces(16, func(m Mem, x VecVirtual) { VMOVDQU(m, x) }, func(x VecVirtual, m Mem) { VMOVDQU(x, m) })
	Label("short8")
	CMPQ(n, Imm(8))
	JB(LabelRef("short4"))
	pieces(8, func(m Mem, x VecVirtual) { VMOVQ(m, x) }, func(x VecVirtual, m Mem) { VMOVQ(x, m) })
	Label("short4")
	CMPQ(n, Imm(4))
	JB(LabelRef("short1"))
	pieces(4, func(m Mem, x VecVirtual) { VMOVD(m, x) }, func(x VecVirtual, m Mem) { VMOVD(x, m) })

	Label("short1")
	Comment("Up to three bytes: the first, the middle and the last one")
	XORQ(i, i)
	first, middle, end, half := GP32(), GP32(), GP32(), GP64()
	MOVQ(n, half)
	SHRQ(Imm(1), half)
	MOVBLZX(Mem{Base: src}, first)
	MOVBLZX(Mem{Base: src, Index: half, Scale: 1}, middle)
	MOVBLZX(Mem{Base: src, Index: n, Scale: 1, Disp: -1}, end)
	MOVB(first.As8(), Mem{Base: dst})
	MOVB(middle.As8(), Mem{Base: dst, Index: half, Scale: 1})
	MOVB(end.As8(), Mem{Base: dst, Index: n, Scale: 1, Disp: -1})
	one := XMM()
	VMOVD(first, one)
	VPINSRB(Imm(1), middle, one, one)
	VPINSRB(Imm(2), end, one, one)
	marks(one, xmm)
	Comment("In one or two bytes some are the same, and the first of them counts")
	ANDL(Imm(7), mask)
	JNE(LabelRef("found"))
	JMP(LabelRef("all"))
	Generate()
}
