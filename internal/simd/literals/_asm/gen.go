// This program writes literals_amd64.s. The two kernels have one shape: a loop over blocks of 64
// positions, which jumps out of line for a block with a hit or a mark. The last block is the last
// 64 positions, some of which were seen before; what was found there is shifted out.
//
// The bytes at the four places of a window are four loads, each one byte after the other. Shifting
// the results together instead, which would take fewer loads, takes more of the shuffles that are
// the bottleneck.
//
// It runs from the package's folder: go generate ./internal/simd/literals
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of Table's fields, and the size of a Block.
const (
	lowField    = 0
	highField   = 64
	markField   = 128
	passField   = 129
	windowSize  = 4
	blockStride = 16
)

func main() {
	ConstraintExpr("!noasm")
	ConstraintExpr("!purego")
	nibbles = GLOBL("constants", RODATA|NOPTR)
	DATA(0, U32(0x0f0f0f0f))
	findAVX512()
	findAVX2()
	Generate()
}

// nibbles is four bytes 0x0f.
var nibbles Mem

// align begins a loop at a multiple of 32; package jsonindex says why.
func align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(32)}})
}

// kernel has what both kernels share.
type kernel struct {
	table, text, dst, start, end GPVirtual // start and end of dst
	at, last                     GPVirtual // the block, and the last block, in the text
	shift                        GPVirtual // how many positions of the block were seen before
	stop                         GPVirtual // all ones or zero
}

func begin(name string) *kernel {
	TEXT(name, NOSPLIT, "func(dst *uint64, room int, t *byte, text *byte, from, whole int, stop uint64) (count, next int, marked bool)")
	Pragma("noescape")
	Doc(name+" is Table.findRef for a text of at least 64 positions and a dst of at least one block.",
		"dst is the first word of the blocks, t the first byte of the table; stop is all ones or zero.")
	k := &kernel{GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()}
	Load(Param("dst"), k.dst)
	Load(Param("room"), k.end)
	Load(Param("t"), k.table)
	Load(Param("text"), k.text)
	Load(Param("from"), k.at)
	Load(Param("whole"), k.last)
	Load(Param("stop"), k.stop)
	MOVQ(k.dst, k.start)
	SHLQ(Imm(4), k.end) // blockStride
	ADDQ(k.dst, k.end)
	ADDQ(k.text, k.at)
	LEAQ(Mem{Base: k.text, Index: k.last, Scale: 1, Disp: -64}, k.last)
	XORL(k.shift.As32(), k.shift.As32())
	return k
}

// loop writes the loop. block computes a block and jumps to "hit" if there may be something;
// hit loads what was found.
func (k *kernel) loop(block func(), hit func() (bits, marks GPVirtual)) {
	CMPQ(k.at, k.last)
	JA(LabelRef("tail"))
	align()
	Label("loop")
	block()
	JNE(LabelRef("hit"))
	Label("next")
	ADDQ(Imm(64), k.at)
	CMPQ(k.at, k.last)
	JBE(LabelRef("loop"))

	Label("tail")
	Comment("Positions from at on are left: go back so that the block ends where they do")
	SUBQ(k.last, k.at)
	CMPQ(k.at, Imm(64))
	JE(LabelRef("done"))
	MOVQ(k.at, k.shift)
	MOVQ(k.last, k.at)
	JMP(LabelRef("loop"))

	Label("hit")
	bits, marks := hit()
	SHRXQ(k.shift, marks, marks)
	ANDQ(k.stop, marks)
	position := GP64()
	LEAQ(Mem{Base: k.at, Index: k.shift, Scale: 1}, position)
	SUBQ(k.text, position)
	TESTQ(marks, marks)
	JNE(LabelRef("marked"))
	SHRXQ(k.shift, bits, bits)
	TESTQ(bits, bits)
	JE(LabelRef("next"))
	MOVQ(position, Mem{Base: k.dst})
	MOVQ(bits, Mem{Base: k.dst, Disp: 8})
	ADDQ(Imm(blockStride), k.dst)
	CMPQ(k.dst, k.end)
	JNE(LabelRef("next"))
	Comment("dst is full: continue after this block")
	LEAQ(Mem{Base: k.at, Disp: 64}, position)
	SUBQ(k.text, position)
	marked := GP8()
	XORL(marked.As32(), marked.As32())
	JMP(LabelRef("return"))

	Label("marked")
	MOVL(U32(1), marked.As32())
	JMP(LabelRef("return"))

	Label("done")
	LEAQ(Mem{Base: k.last, Disp: 64}, position)
	SUBQ(k.text, position)
	XORL(marked.As32(), marked.As32())
	Label("return")
	SUBQ(k.start, k.dst)
	SHRQ(Imm(4), k.dst)
	Store(k.dst, ReturnIndex(0))
	Store(position, ReturnIndex(1))
	Store(marked, ReturnIndex(2))
	VZEROUPPER()
	RET()
}

func findAVX512() {
	k := begin("findAVX512")
	nibble, mark, pass := ZMM(), ZMM(), ZMM()
	VPBROADCASTD(nibbles, nibble)
	VPBROADCASTB(Mem{Base: k.table, Disp: markField}, mark)
	VPBROADCASTB(Mem{Base: k.table, Disp: passField}, pass)
	var low, high [windowSize]VecVirtual
	for i := range windowSize {
		low[i], high[i] = ZMM(), ZMM()
		VBROADCASTI32X4(Mem{Base: k.table, Disp: lowField + 16*i}, low[i])
		VBROADCASTI32X4(Mem{Base: k.table, Disp: highField + 16*i}, high[i])
	}
	stops := K()
	KMOVQ(k.stop, stops)
	isHit, isMark := K(), K()
	k.loop(func() {
		hit := ZMM()
		for i := range windowSize {
			lo, hi := ZMM(), ZMM()
			VMOVDQU64(Mem{Base: k.at, Disp: i}, lo)
			if i == 0 {
				VPCMPEQB(mark, lo, stops, isMark)
			}
			VPSRLW(Imm(4), lo, hi)
			VPANDQ(nibble, lo, lo)
			VPANDQ(nibble, hi, hi)
			VPSHUFB(lo, low[i], lo)
			VPSHUFB(hi, high[i], hi)
			if i == 0 {
				VPANDQ(lo, hi, hit)
			} else {
				VPTERNLOGQ(Imm(0x80), lo, hi, hit) // hit &= lo & hi
			}
		}
		VPTESTMB(hit, hit, isHit)
		KORTESTQ(isHit, isMark)
	}, func() (bits, marks GPVirtual) {
		bits, marks = GP64(), GP64()
		isPass := K()
		VPCMPEQB(Mem{Base: k.at, Disp: 1}, pass, isPass)
		KANDNQ(isMark, isPass, isMark)
		KMOVQ(isHit, bits)
		KMOVQ(isMark, marks)
		return bits, marks
	})
}

func findAVX2() {
	k := begin("findAVX2")
	nibble, mark, stops := YMM(), YMM(), YMM()
	VPBROADCASTD(nibbles, nibble)
	VPBROADCASTB(Mem{Base: k.table, Disp: markField}, mark)
	VMOVQ(k.stop, stops.AsX())
	VPBROADCASTQ(stops.AsX(), stops)
	var low, high [windowSize]VecVirtual
	for i := range windowSize {
		low[i], high[i] = YMM(), YMM()
		VBROADCASTI128(Mem{Base: k.table, Disp: lowField + 16*i}, low[i])
		VBROADCASTI128(Mem{Base: k.table, Disp: highField + 16*i}, high[i])
	}
	pass := YMM()
	VPBROADCASTB(Mem{Base: k.table, Disp: passField}, pass)
	hits := [2]VecVirtual{YMM(), YMM()}
	k.loop(func() {
		either := YMM()
		for half := range hits {
			for i := range windowSize {
				lo, hi := YMM(), YMM()
				VMOVDQU(Mem{Base: k.at, Disp: 32*half + i}, lo)
				VPSRLW(Imm(4), lo, hi)
				VPAND(nibble, lo, lo)
				VPAND(nibble, hi, hi)
				VPSHUFB(lo, low[i], lo)
				VPSHUFB(hi, high[i], hi)
				VPAND(lo, hi, hi)
				if i == 0 {
					VMOVDQA(hi, hits[half])
				} else {
					VPAND(hi, hits[half], hits[half])
				}
			}
		}
		isMark := YMM()
		VPCMPEQB(Mem{Base: k.at}, mark, either)
		VPCMPEQB(Mem{Base: k.at, Disp: 32}, mark, isMark)
		VPOR(isMark, either, either)
		VPAND(stops, either, either)
		VPOR(hits[0], either, either)
		VPOR(hits[1], either, either)
		VPTEST(either, either)
	}, func() (bits, marks GPVirtual) {
		join := func(v [2]VecVirtual) GPVirtual {
			low, high := GP64(), GP64()
			VPMOVMSKB(v[0], low.As32())
			VPMOVMSKB(v[1], high.As32())
			SHLQ(Imm(32), high)
			ORQ(high, low)
			return low
		}
		zero := YMM()
		VPXOR(zero, zero, zero)
		VPCMPEQB(zero, hits[0], hits[0])
		VPCMPEQB(zero, hits[1], hits[1])
		bits = join(hits)
		NOTQ(bits)
		isMark := [2]VecVirtual{YMM(), YMM()}
		VPCMPEQB(Mem{Base: k.at}, mark, isMark[0])
		VPCMPEQB(Mem{Base: k.at, Disp: 32}, mark, isMark[1])
		isPass := [2]VecVirtual{YMM(), YMM()}
		VPCMPEQB(Mem{Base: k.at, Disp: 1}, pass, isPass[0])
		VPCMPEQB(Mem{Base: k.at, Disp: 33}, pass, isPass[1])
		VPANDN(isMark[0], isPass[0], isMark[0])
		VPANDN(isMark[1], isPass[1], isMark[1])
		return bits, join(isMark)
	})
}
