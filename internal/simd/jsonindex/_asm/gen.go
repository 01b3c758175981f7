// This program writes jsonindex_amd64.s. The two kernels have one shape:
//
//   - a loop over whole blocks, which stores a block's masks as they are compared unless the block
//     holds a backslash or follows an odd number of them;
//   - the same for the rest of the text, with loads that stay inside it.
//
// It runs from the package's folder: go generate ./internal/simd/jsonindex
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of Block's fields, and the size of a Block.
const (
	quoteField   = 0
	specialField = 8
	spaceField   = 16
	blockStride  = 24
)

func main() {
	ConstraintExpr("!noasm")
	ConstraintExpr("!purego")
	declareConstants()
	indexAVX512()
	indexAVX2()
	Generate()
}

// Constants, all in one cache line.
var (
	spaceTable Mem // 16 bytes: a byte is JSON white space exactly when it equals the entry of its low four bits
	quotes     Mem // the others are four equal bytes, to be broadcast
	slashes    Mem
	blanks     Mem
	controls   Mem // the largest control character
)

// plainByte has no mask. It is ' ' | 0x1f.
const plainByte = '?'

func declareConstants() {
	table := GLOBL("constants", RODATA|NOPTR)
	at := 0
	put := func(c Constant) Mem {
		m := table.Offset(at)
		DATA(at, c)
		at += c.Bytes()
		return m
	}
	var space [16]byte
	for _, c := range []byte(" \t\n\r") {
		space[c&15] = c
	}
	spaceTable = put(String(space[:]))
	broadcast := func(c byte) Mem {
		return put(U32(uint32(c) * 0x01010101))
	}
	quotes = broadcast('"')
	slashes = broadcast('\\')
	blanks = broadcast(' ')
	controls = broadcast(0x1f)
}

// begin opens a function and loads its arguments.
func begin(name string) (dst, text, n GPVirtual) {
	TEXT(name, NOSPLIT, "func(dst *uint64, text *byte, n int) (nonASCII bool)")
	Pragma("noescape")
	Doc(name+" is indexRef for the n bytes at text, 1 ≤ n. dst is the first word of",
		"BlockCount(n) blocks.")
	dst, text, n = GP64(), GP64(), GP64()
	Load(Param("dst"), dst)
	Load(Param("text"), text)
	Load(Param("n"), n)
	return dst, text, n
}

// align begins a loop at a multiple of 32. As the loops are now, none of their jumps then touches
// another multiple of 32. Intel CPUs from Skylake to Cascade Lake keep such jumps out of the cache
// of decoded instructions (the "jump conditional code" erratum), and the loops take a fifth to a
// half longer.
func align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(32)}})
}

// escapes clears in quote the bits that follow an odd number of backslashes, given the backslashes
// and, in carry, whether the character before the block escapes the first one (1 or 0). It
// overwrites carry. The result is for carryOn.
//
// Subtracting the bits that begin an escape from the positions after them, with every odd position
// set, carries through each run of backslashes and stops where the run's parity says (simdjson's
// algorithm).
func escapes(slash, quote, carry Register) (code Register) {
	Comment("Clear the quotes that an odd number of backslashes escapes")
	odd, start, code := GP64(), GP64(), GP64()
	MOVQ(U64(0xaaaaaaaaaaaaaaaa), odd)
	ANDNQ(slash, carry, start)
	LEAQ(Mem{Base: start, Index: start, Scale: 1}, code)
	ORQ(odd, code)
	SUBQ(start, code)
	XORQ(odd, code)
	ORQ(slash, carry)
	XORQ(code, carry)
	ANDNQ(quote, carry, quote)
	return code
}

// carryOn sets carry for the next block: 1 if the last byte is a backslash that begins an escape.
func carryOn(slash, code, carry Register) {
	Comment("Carry whether the last byte begins an escape")
	MOVQ(slash, carry)
	ANDQ(code, carry)
	SHRQ(Imm(63), carry)
}

// indexAVX512 begins with a loop over pairs of blocks that have neither a backslash nor a control
// character, as in compact JSON without escapes. From the first pair that has one, a second loop
// handles every block and the end of the text. Comparing into a mask is the bottleneck, as one port
// does it, so the pair is tested as one.
func indexAVX512() {
	dst, text, n := begin("indexAVX512")
	quote, slash, blank, table := ZMM(), ZMM(), ZMM(), ZMM()
	VPBROADCASTD(quotes, quote)
	VPBROADCASTD(slashes, slash)
	VPBROADCASTD(blanks, blank)
	seen := ZMM()
	VPXORQ(seen, seen, seen)
	none := GP64()
	XORQ(none, none)

	SUBQ(Imm(128), n)
	JB(LabelRef("rest"))
	align()
	Label("plain")
	v := [2]VecVirtual{ZMM(), ZMM()}
	VMOVDQU64(Mem{Base: text}, v[0])
	VMOVDQU64(Mem{Base: text, Disp: 64}, v[1])
	Comment("A backslash leaves 0 in the smaller of v^slash, a control character less than a blank in the",
		"smaller of v")
	unlike := [2]VecVirtual{ZMM(), ZMM()}
	least := ZMM()
	VPXORQ(slash, v[0], unlike[0])
	VPXORQ(slash, v[1], unlike[1])
	VPMINUB(unlike[0], unlike[1], unlike[0])
	VPMINUB(v[0], v[1], least)
	hasSlash, hasControl := K(), K()
	VPTESTNMB(unlike[0], unlike[0], hasSlash)
	VPCMPUB(Imm(1), blank, least, hasControl)
	var isQuotes, isSpaces [2]Register
	for i := range v {
		isQuotes[i], isSpaces[i] = K(), K()
		VPCMPEQB(quote, v[i], isQuotes[i])
		VPCMPEQB(blank, v[i], isSpaces[i])
	}
	KORTESTQ(hasSlash, hasControl)
	JNE(LabelRef("rest"))
	VPTERNLOGQ(Imm(0xfe), v[0], v[1], seen) // seen |= v[0] | v[1]
	for i := range v {
		at := i * blockStride
		KMOVQ(isQuotes[i], Mem{Base: dst, Disp: at + quoteField})
		MOVQ(none, Mem{Base: dst, Disp: at + specialField})
		KMOVQ(isSpaces[i], Mem{Base: dst, Disp: at + spaceField})
	}
	ADDQ(Imm(128), text)
	ADDQ(Imm(2*blockStride), dst)
	SUBQ(Imm(128), n)
	JAE(LabelRef("plain"))

	Label("rest")
	Comment("n is what is left, less 128")
	carry := GP64()
	XORQ(carry, carry)
	VBROADCASTI32X4(spaceTable, table)
	lanes := K()
	KXNORQ(lanes, lanes, lanes)
	SUBQ(I32(-128), n)
	JE(LabelRef("done"))

	align()
	Label("any")
	w := ZMM()
	CMPQ(n, Imm(64))
	JB(LabelRef("tail"))
	VMOVDQU64(Mem{Base: text}, w)
	Label("block")
	isQuote, isSlash, isSpecial, isSpace := K(), K(), K(), K()
	VPCMPEQB(quote, w, isQuote)
	VPCMPEQB(slash, w, isSlash)
	VPCMPUB(Imm(1), blank, w, lanes, isSpecial)
	entry := ZMM()
	VPSHUFB(w, table, entry)
	VPCMPEQB(w, entry, isSpace)
	VPORQ(w, seen, seen)
	KORQ(isSlash, isSpecial, isSpecial)
	KMOVQ(isSpecial, Mem{Base: dst, Disp: specialField})
	KMOVQ(isSpace, Mem{Base: dst, Disp: spaceField})
	slashBits, either := GP64(), GP64()
	KMOVQ(isSlash, slashBits)
	MOVQ(slashBits, either)
	ORQ(carry, either)
	JNE(LabelRef("escapes"))
	KMOVQ(isQuote, Mem{Base: dst, Disp: quoteField})
	Label("next")
	ADDQ(Imm(64), text)
	ADDQ(Imm(blockStride), dst)
	SUBQ(Imm(64), n)
	JA(LabelRef("any"))

	Label("done")
	isHigh := K()
	VPMOVB2M(seen, isHigh)
	KORTESTQ(isHigh, isHigh)
	high := GP8()
	SETNE(high)
	Store(high, ReturnIndex(0))
	VZEROUPPER()
	RET()

	Label("escapes")
	quoteBits := GP64()
	KMOVQ(isQuote, quoteBits)
	carryOn(slashBits, escapes(slashBits, quoteBits, carry), carry)
	MOVQ(quoteBits, Mem{Base: dst, Disp: quoteField})
	JMP(LabelRef("next"))

	Label("tail")
	Comment("Load n bytes, zeros above them; only a lane that was loaded may be a control character")
	laneBits := GP64()
	MOVQ(I64(-1), laneBits)
	BZHIQ(n, laneBits, laneBits)
	KMOVQ(laneBits, lanes)
	offset := GP32()
	MOVL(text.As32(), offset)
	ANDL(U32(4095), offset)
	CMPL(offset, U32(4096-64))
	JA(LabelRef("pageEnd"))
	VMOVDQU8_Z(Mem{Base: text}, lanes, w)
	JMP(LabelRef("block"))

	Label("pageEnd")
	Comment("Lanes that are masked out are not touched, but it costs half a microsecond to find that they",
		"reach into an unmapped page. Load so that the lanes end where the text does, and shift them",
		"down in memory")
	room := AllocLocal(128)
	up, shifted := GP64(), GP64()
	MOVQ(n, up)
	NEGQ(up) // shifts are modulo 64
	SHLXQ(up, laneBits, shifted)
	loaded := K()
	KMOVQ(shifted, loaded)
	VMOVDQU8_Z(Mem{Base: text, Index: n, Scale: 1, Disp: -64}, loaded, w)
	VMOVDQU64(w, room)
	VPXORQ(w, w, w)
	VMOVDQU64(w, room.Offset(64))
	start := GP64()
	LEAQ(room, start)
	ANDQ(Imm(63), up)
	VMOVDQU64(Mem{Base: start, Index: up, Scale: 1}, w)
	JMP(LabelRef("block"))
}

// indexAVX2 has the same two loops, a block at a time. It ends with the last 64 bytes of the text,
// some of which it has seen before, and shifts the masks down to the new ones. A shorter text is
// loaded as two pieces that overlap, and the masks of the second are shifted up to its place; where
// the pieces overlap, the masks agree.
func indexAVX2() {
	dst, text, n := begin("indexAVX2")
	quote, slash, blank, control := YMM(), YMM(), YMM(), YMM()
	table := Y15 // out of the way: below Y8 instructions are shorter
	VPBROADCASTD(quotes, quote)
	VPBROADCASTD(slashes, slash)
	VPBROADCASTD(blanks, blank)
	VPBROADCASTD(controls, control)
	VBROADCASTI128(spaceTable, table)
	seen := YMM()
	VPXOR(seen, seen, seen)
	carry := GP64()
	XORQ(carry, carry)
	CMPQ(n, Imm(64))
	JB(LabelRef("short"))
	last := GP64()
	LEAQ(Mem{Base: text, Index: n, Scale: 1, Disp: -64}, last)
	none := GP64()
	XORQ(none, none)

	// The current block, and how its masks are put together: the second vector's belong up bits
	// above the first's, and both down bits below.
	type pair = [2]VecVirtual
	v := pair{YMM(), YMM()}
	up, down := GP64(), GP64()
	load := func(from Register) {
		VMOVDQU(Mem{Base: from}, v[0])
		VMOVDQU(Mem{Base: from, Disp: 32}, v[1])
	}
	equal := func(to [2]Op) (m pair) {
		for i := range v {
			m[i] = YMM()
			VPCMPEQB(to[i], v[i], m[i])
		}
		return m
	}
	whole := func(m pair) (lo GPVirtual) {
		lo, hi := GP64(), GP64()
		VPMOVMSKB(m[0], lo.As32())
		VPMOVMSKB(m[1], hi.As32())
		SHLQ(Imm(32), hi)
		ORQ(hi, lo)
		return lo
	}
	placed := func(m pair) (lo GPVirtual) {
		lo, hi := GP64(), GP64()
		VPMOVMSKB(m[0], lo.As32())
		VPMOVMSKB(m[1], hi.As32())
		SHLXQ(up, hi, hi)
		ORQ(hi, lo)
		SHRXQ(down, lo, lo)
		return lo
	}
	see := func() {
		VPOR(v[0], seen, seen)
		VPOR(v[1], seen, seen)
	}

	align()
	Label("plain")
	load(text)
	isSlash := equal([2]Op{slash, slash})
	least, special := YMM(), YMM()
	VPMINUB(v[0], v[1], least)
	VPMINUB(control, least, special)
	VPCMPEQB(least, special, special)
	VPOR(isSlash[0], isSlash[1], isSlash[0])
	VPOR(isSlash[0], special, special)
	hasSpecial := GP32()
	VPMOVMSKB(special, hasSpecial)
	TESTL(hasSpecial, hasSpecial)
	JNE(LabelRef("any"))
	see()
	quoteBits := whole(equal([2]Op{quote, quote}))
	spaceBits := whole(equal([2]Op{blank, blank}))
	MOVQ(quoteBits, Mem{Base: dst, Disp: quoteField})
	MOVQ(none, Mem{Base: dst, Disp: specialField})
	MOVQ(spaceBits, Mem{Base: dst, Disp: spaceField})
	ADDQ(Imm(64), text)
	ADDQ(Imm(blockStride), dst)
	CMPQ(text, last)
	JBE(LabelRef("plain"))
	JMP(LabelRef("end"))

	// block describes v in dst. More blocks may follow. Its result goes out of the way.
	block := func(bits func(pair) GPVirtual, slow, back string, more bool) (outOfLine func()) {
		var isSpecial, entry pair
		isQuote := equal([2]Op{quote, quote})
		isSlash := equal([2]Op{slash, slash})
		for i := range v {
			isSpecial[i], entry[i] = YMM(), YMM()
			VPMINUB(control, v[i], isSpecial[i])
			VPCMPEQB(v[i], isSpecial[i], isSpecial[i])
			VPOR(isSlash[i], isSpecial[i], isSpecial[i])
			VPSHUFB(v[i], table, entry[i])
		}
		isSpace := equal([2]Op{entry[0], entry[1]})
		see()
		quoteBits, specialBits, spaceBits := bits(isQuote), bits(isSpecial), bits(isSpace)
		MOVQ(specialBits, Mem{Base: dst, Disp: specialField})
		MOVQ(spaceBits, Mem{Base: dst, Disp: spaceField})
		hasSlash, either := YMM(), GP32()
		VPOR(isSlash[0], isSlash[1], hasSlash)
		VPMOVMSKB(hasSlash, either)
		ORL(carry.As32(), either)
		JNE(LabelRef(slow))
		Label(back)
		MOVQ(quoteBits, Mem{Base: dst, Disp: quoteField})
		return func() {
			Label(slow)
			slashBits := bits(isSlash)
			code := escapes(slashBits, quoteBits, carry)
			if more {
				carryOn(slashBits, code, carry)
			}
			JMP(LabelRef(back))
		}
	}

	align()
	Label("any")
	load(text)
	anyEscapes := block(whole, "anyEscapes", "anyNext", true)
	ADDQ(Imm(64), text)
	ADDQ(Imm(blockStride), dst)
	CMPQ(text, last)
	JBE(LabelRef("any"))

	Label("end")
	MOVQ(text, down)
	SUBQ(last, down)
	CMPQ(down, Imm(64))
	JE(LabelRef("done"))
	load(last)
	MOVL(U32(32), up.As32())
	Label("tail")
	tailEscapes := block(placed, "tailEscapes", "tailNext", false)

	Label("done")
	sign := GP32()
	VPMOVMSKB(seen, sign)
	TESTL(sign, sign)
	high := GP8()
	SETNE(high)
	Store(high, ReturnIndex(0))
	VZEROUPPER()
	RET()

	anyEscapes()
	tailEscapes()

	// pieces loads the first and the last width bytes and fills the vectors with bytes that have no
	// mask.
	plain := YMM()
	pieces := func(width int, load func(m Mem, x Register)) {
		load(Mem{Base: text}, v[0].AsX())
		load(Mem{Base: text, Index: n, Scale: 1, Disp: -width}, v[1].AsX())
		for i := range v {
			VPBLENDD(U8(0xff<<(max(width, 4)/4)), plain, v[i], v[i])
		}
		LEAQ(Mem{Base: n, Disp: -width}, up)
		JMP(LabelRef("tail"))
	}
	Label("short")
	XORL(down.As32(), down.As32())
	CMPQ(n, Imm(32))
	JB(LabelRef("short16"))
	VMOVDQU(Mem{Base: text}, v[0])
	VMOVDQU(Mem{Base: text, Index: n, Scale: 1, Disp: -32}, v[1])
	LEAQ(Mem{Base: n, Disp: -32}, up)
	JMP(LabelRef("tail"))
	Label("short16")
	VPOR(blank, control, plain)
	CMPQ(n, Imm(16))
	JB(LabelRef("short8"))
	pieces(16, func(m Mem, x Register) { VMOVDQU(m, x) })
	Label("short8")
	CMPQ(n, Imm(8))
	JB(LabelRef("short4"))
	pieces(8, func(m Mem, x Register) { VMOVQ(m, x) })
	Label("short4")
	CMPQ(n, Imm(4))
	JB(LabelRef("short2"))
	pieces(4, func(m Mem, x Register) { VMOVD(m, x) })
	Label("short2")
	CMPQ(n, Imm(2))
	JB(LabelRef("short1"))
	pieces(2, func(m Mem, x Register) {
		two := GP32()
		MOVWLZX(m, two)
		ORL(U32(plainByte*0x01010000), two)
		VMOVD(two, x)
	})
	Label("short1")
	pieces(1, func(m Mem, x Register) {
		one := GP32()
		MOVBLZX(m, one)
		ORL(U32(plainByte*0x01010100), one)
		VMOVD(one, x)
	})
}
