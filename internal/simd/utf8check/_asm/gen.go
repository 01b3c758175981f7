// This program writes utf8check_amd64.s. The algorithm is by John Keiser and Daniel Lemire,
// "Validating UTF-8 In Less Than One Instruction Per Byte" (2021), with one difference: the bytes
// before a vector are loaded from memory instead of shifted in. So each 64 bytes are checked on
// their own: nothing is carried from one block to the next, ASCII can be skipped, and the last 64
// bytes of the text can be checked whatever its length.
//
// It runs from the package's folder: go generate ./internal/simd/utf8check
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// What can be wrong with two bytes in a row. A table for each of the first three nibbles says which
// mistakes are possible; a mistake that all three allow was made. Two continuations are not a
// mistake by themselves: they must be there exactly if the byte two places before the second begins
// a character of three or more bytes, or the byte three places before it one of four.
const (
	tooShort     = 1 << 0 // a byte that begins a longer character, and no continuation after it
	tooLong      = 1 << 1 // an ASCII byte, and a continuation after it
	overlong3    = 1 << 2 // E0, and below A0
	tooLarge     = 1 << 3 // F4, and 90 or above; or F5 or above
	surrogate    = 1 << 4 // ED, and A0 or above
	overlong2    = 1 << 5 // C0 or C1
	tooLarge1000 = 1 << 6 // F5 or above, and below 90
	overlong4    = 1 << 6 // F0, and below 90
	twoConts     = 1 << 7 // two continuations

	anyLow = tooShort | tooLong | twoConts // mistakes that do not depend on the low nibble of the first byte
)

var (
	firstHigh = [16]byte{
		tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong,
		twoConts, twoConts, twoConts, twoConts,
		tooShort | overlong2,
		tooShort,
		tooShort | overlong3 | surrogate,
		tooShort | tooLarge | tooLarge1000 | overlong4,
	}
	firstLow = [16]byte{
		anyLow | overlong3 | overlong2 | overlong4,
		anyLow | overlong2,
		anyLow,
		anyLow,
		anyLow | tooLarge,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000 | surrogate,
		anyLow | tooLarge | tooLarge1000,
		anyLow | tooLarge | tooLarge1000,
	}
	secondHigh = [16]byte{
		tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort,
		tooLong | overlong2 | twoConts | overlong3 | tooLarge1000 | overlong4,
		tooLong | overlong2 | twoConts | overlong3 | tooLarge,
		tooLong | overlong2 | twoConts | surrogate | tooLarge,
		tooLong | overlong2 | twoConts | surrogate | tooLarge,
		tooShort, tooShort, tooShort, tooShort,
	}
)

func main() {
	ConstraintExpr("!noasm")
	ConstraintExpr("!purego")
	declareConstants()
	validAVX2()
	Generate()
}

// Constants, 64 bytes in all.
var (
	firstHighTable, firstLowTable, secondHighTable Mem // 16 bytes each
	nibbles, thirds, fourths, tops                 Mem // four equal bytes each, to be broadcast
)

func declareConstants() {
	table := GLOBL("constants", RODATA|NOPTR)
	at := 0
	put := func(c Constant) Mem {
		m := table.Offset(at)
		DATA(at, c)
		at += c.Bytes()
		return m
	}
	broadcast := func(c byte) Mem {
		return put(U32(uint32(c) * 0x01010101))
	}
	firstHighTable = put(String(firstHigh[:]))
	firstLowTable = put(String(firstLow[:]))
	secondHighTable = put(String(secondHigh[:]))
	nibbles = broadcast(0x0f)
	thirds = broadcast(0xe0 - 0x80)
	fourths = broadcast(0xf0 - 0x80)
	tops = broadcast(0x80)
}

// align begins a loop at a multiple of 32. As the loops are now, none of their jumps then touches
// another multiple of 32. Intel CPUs from Skylake to Cascade Lake keep such jumps out of the cache
// of decoded instructions (the "jump conditional code" erratum), and the loop takes a fifth longer.
func align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(32)}})
}

// validAVX2 checks the first 32 bytes, every 64 bytes from there on, and the last 64 bytes, most of
// them a second time. A block is skipped if it and the three bytes before it are ASCII.
//
// There is no kernel for AVX-512. One that was this function in wider registers, with three-way
// logic at the end of check, took 5 to 7% less time for requests and 5 to 24% less for text in one
// language (Cascade Lake, 400 to 4,096 bytes), which is 2 of 33 ns for a request of 804 bytes: too
// little for a second kernel.
func validAVX2() {
	TEXT("validAVX2", NOSPLIT, "func(text *byte, n int) bool")
	Pragma("noescape")
	Doc("validAVX2 is validRef for the n bytes at text, kernelMin ≤ n, except that it accepts a character",
		"that the end cuts off.")
	text := Load(Param("text"), GP64())
	n := Load(Param("n"), GP64())
	last, end := GP64(), GP64()
	LEAQ(Mem{Base: text, Index: n, Scale: 1}, end)
	LEAQ(Mem{Base: end, Disp: -64}, last)
	high1, low1, high2 := Y13, Y14, Y15 // out of the way: below Y8 many instructions are shorter
	VBROADCASTI128(firstHighTable, high1)
	VBROADCASTI128(firstLowTable, low1)
	VBROADCASTI128(secondHighTable, high2)
	nibble, third, fourth, top := YMM(), YMM(), YMM(), YMM()
	VPBROADCASTD(nibbles, nibble)
	VPBROADCASTD(thirds, third)
	VPBROADCASTD(fourths, fourth)
	VPBROADCASTD(tops, top)
	wrong := YMM()
	VPXOR(wrong, wrong, wrong)

	prev1, prev2, prev3 := YMM(), YMM(), YMM()
	testHigh := func(x Register) {
		bits := GP32()
		VPMOVMSKB(x, bits)
		TESTL(bits, bits)
	}
	check := func(v Register) {
		low, high, next := YMM(), YMM(), YMM()
		VPAND(nibble, prev1, low)
		VPSRLW(Imm(4), prev1, high)
		VPAND(nibble, high, high)
		VPSRLW(Imm(4), v, next)
		VPAND(nibble, next, next)
		VPSHUFB(low, low1, low)
		VPSHUFB(high, high1, high)
		VPSHUFB(next, high2, next)
		VPAND(low, high, high)
		VPAND(high, next, next)
		Comment("The top bit says whether a continuation must be here that is not the first of its character")
		VPSUBUSB(third, prev2, prev2)
		VPSUBUSB(fourth, prev3, prev3)
		VPOR(prev2, prev3, prev3)
		VPAND(top, prev3, prev3)
		VPXOR(next, prev3, prev3)
		VPOR(prev3, wrong, wrong)
	}

	v := [2]Register{YMM(), YMM()}
	VMOVDQU(Mem{Base: text}, v[0])
	testHigh(v[0])
	JE(LabelRef("second"))
	lower := YMM()
	VPERM2I128(Imm(8), v[0], v[0], lower) // the byte 16 places before each byte of v, or zero
	VPALIGNR(Imm(15), lower, v[0], prev1)
	VPALIGNR(Imm(14), lower, v[0], prev2)
	VPALIGNR(Imm(13), lower, v[0], prev3)
	check(v[0])
	Label("second")
	ADDQ(Imm(32), text)
	CMPQ(text, last)
	JA(LabelRef("rest"))

	align()
	Label("loop")
	VMOVDQU(Mem{Base: text}, v[0])
	VMOVDQU(Mem{Base: text, Disp: 32}, v[1])
	VMOVDQU(Mem{Base: text, Disp: -3}, prev3)
	all := YMM()
	VPOR(v[0], prev3, all)
	VPOR(v[1], all, all)
	VMOVDQU(Mem{Base: text, Disp: -1}, prev1) // ahead of time, to move the jump out of the way of align
	testHigh(all)
	JE(LabelRef("next"))
	VMOVDQU(Mem{Base: text, Disp: -2}, prev2)
	check(v[0])
	VMOVDQU(Mem{Base: text, Disp: 32 - 1}, prev1)
	VMOVDQU(Mem{Base: text, Disp: 32 - 2}, prev2)
	VMOVDQU(Mem{Base: text, Disp: 32 - 3}, prev3)
	check(v[1])
	Label("next")
	ADDQ(Imm(64), text)
	CMPQ(text, last)
	JBE(LabelRef("loop"))
	Label("rest")
	CMPQ(text, end)
	JE(LabelRef("done"))
	MOVQ(last, text)
	JMP(LabelRef("loop"))

	Label("done")
	VPTEST(wrong, wrong)
	ok := GP8()
	SETEQ(ok)
	Store(ok, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
