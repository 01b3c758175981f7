package main

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// fault is a mistake that somebody could make.
type fault struct {
	name     string
	file     string
	old, new string // old occurs exactly once in the file
	also     []edit // further changes of the same file

	tests      []string   // "./package:TestName", expected to catch it
	full       bool       // -short leaves these tests out
	tags       string     // build tags of the tests
	level      simd.Level // the kernel that it is in, if that is assembly
	regenerate bool       // the file is part of the generator
}

type edit struct{ old, new string }

// apply returns the text of the file with the fault in it.
func (f *fault) apply(text string) (string, error) {
	for _, e := range append([]edit{{f.old, f.new}}, f.also...) {
		if n := strings.Count(text, e.old); n != 1 {
			return "", fmt.Errorf("%q occurs %d times in %s, want once", e.old, n, f.file)
		}
		text = strings.Replace(text, e.old, e.new, 1)
	}
	return text, nil
}

const (
	indexAMD64 = "internal/simd/jsonindex/jsonindex_amd64.s"
	indexSWAR  = "internal/simd/jsonindex/jsonindex_swar.go"
	utf8AMD64  = "internal/simd/utf8check/utf8check_amd64.s"
	plainAMD64 = "internal/simd/plaincopy/plaincopy_amd64.s"
	plainTests = "./internal/simd/plaincopy:"
	indexTests = "./internal/simd/jsonindex:"
	utf8Tests  = "./internal/simd/utf8check:"
	decode     = "./openrtb:"
)

// faults are in the order of the row on mutation in the design's table of reliability, and then by folder. The texts
// are short and on lines that seldom change.
var faults = []fault{
	// Over-read by one.
	{name: "over-read: the tail of the AVX-512 kernel", file: indexAMD64, level: simd.AVX512,
		old: "MOVQ       $-1, SI\n\tBZHIQ      DX, SI, SI\n\tKMOVQ      SI, K7", new: "MOVQ       $-1, SI\n\tINCQ       DX\n\tBZHIQ      DX, SI, SI\n\tDECQ       DX\n\tKMOVQ      SI, K7",
		tests: []string{indexTests + "TestEveryLengthAndPosition"}},
	{name: "over-read: 16 bytes of a short text, AVX2", file: indexAMD64, level: simd.AVX2,
		old: "VMOVDQU  -16(CX)(DX*1), X6", new: "VMOVDQU  -15(CX)(DX*1), X6", tests: []string{indexTests + "TestIndex", indexTests + "TestEveryLengthAndPosition"}},
	{name: "over-read: a key's guess", file: "gen/fields.go", regenerate: true,
		old: `max(8, length))`, new: `max(8, length)-1)`, tests: []string{decode + "TestBugReadsPastThePageEnd", decode + "TestGuarded"}},
	{name: "over-read: a short key's word", file: "wire/key.go", old: "start+8 >= r.n ||", new: "start+7 >= r.n+1 ||", tests: []string{decode + "TestGuarded"}},
	{name: "over-read: a brace too early", file: "wire/value.go",
		old: "p >= r.n && depth != r.options.depth", new: "p > r.n && depth != r.options.depth", tests: []string{decode + "TestContract", decode + "TestBugReadsPastThePageEnd"}},
	{name: "over-read: a brace too early, skipped", file: "wire/skip.go",
		old: "if p >= r.n { // behind a brace", new: "if p > r.n { // behind a brace", tests: []string{"./wire:TestRefusals", decode + "TestContract", decode + "TestBugReadsPastThePageEnd"}},

	// Stale arenas.
	{name: "stale: objects are not cleared", file: "wire/coder/slab.go",
		old: "s.buf[0] = zero", new: "_ = zero", tests: []string{decode + "TestBugStaleStateBetweenDecodes", decode + "TestCorpus"}},
	{name: "stale: strings are not cleared", file: "gen/templates/codec.tmpl", regenerate: true,
		old: `		c.{{.Name}}.Reset()`, new: `		c.{{.Name}}.Len()`, tests: []string{decode + "TestIdleDecoderKeepsNoText", decode + "TestIdleArenaKeepsNoText"}},
	{name: "stale: the last object is not cleared", file: "wire/slab.go",
		old: "clear(s.buf[:s.n])", new: "clear(s.buf[:s.n-1])", tests: []string{"./wire:TestArrayLengths", decode + "TestIdleDecoderKeepsNoText", decode + "TestBugStaleStateBetweenDecodes"}},
	{name: "stale: the text is kept", file: "wire/reader.go",
		old: "r.t, r.data, r.blocks = text{}, nil, blocks{}", new: "r.t, r.blocks = text{}, blocks{}", tests: []string{"./wire:TestForget", decode + "TestIdleArenaKeepsNoText"}},
	{name: "stale: a slab is not known to be in use", file: "gen/templates/decode.tmpl", regenerate: true,
		old: "	c.touched |= 1 << {{local \"touch\"}}{{$name}}\n	mark :=", new: "	mark :=", tests: []string{decode + "TestIdleArenaKeepsNoText"}},
	{name: "stale: a result shares memory with the next", file: "gen/templates/api.tmpl", regenerate: true,
		old: "	c.detach()\n	if c.r.Retained()", new: "	c.r.Reset()\n	if c.r.Retained()", tests: []string{decode + "TestBugTwoResultsShareMemory"}},
	{name: "stale: unescaped strings share memory with the next", file: "wire/reader.go",
		old: "if r.unescaped.total > 0 {", new: "if r.unescaped.total > 1<<20 {", tests: []string{"./wire:TestDetachKeepsRetained", decode + "TestBugTwoResultsShareMemory", decode + "TestDecodersOfManyGoroutines"}},

	// Pointers that the collector can't see.
	{name: "hidden pointers: chunks of bytes", file: "wire/slab.go",
		old: "s.buf, s.n = make([]T, n), 0", new: "s.buf, s.n = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(make([]byte, n*size[T]())))), n), 0",
		also: []edit{{"package wire\n", "package wire\n\nimport \"unsafe\"\n"}}, tests: []string{decode + "TestCollectorSeesEverything", decode + "TestBugPointersInUnscannedMemory"}},
	{name: "hidden pointers: moved arrays", file: "wire/slab.go",
		old: "	s.buf = make([]T, n)\n", new: "	s.buf = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(make([]byte, n*size[T]())))), n)\n",
		also: []edit{{"package wire\n", "package wire\n\nimport \"unsafe\"\n"}}, tests: []string{decode + "TestCollectorSeesEverything", decode + "TestBugPointersInUnscannedMemory"}},

	// Slices with room in somebody else's memory.
	{name: "unclipped ext", file: "wire/text_unsafe.go", old: "j-i)[: j-i : j-i]", new: "j-i+1)[: j-i]", tests: []string{"./wire:TestSkipRandom", decode + "TestBugTwoResultsShareMemory", decode + "TestFastResultsAlias"}},
	{name: "unclipped arrays", file: "wire/slab.go", old: "return s.buf[mark:s.n:s.n]", new: "return s.buf[mark:s.n]", tests: []string{"./wire:TestSlabArrays", decode + "TestBugTwoResultsShareMemory", decode + "TestZeroCopy"}},

	// Integers that wrap.
	{name: "integer wrap: 20 digits", file: "wire/value.go", old: "const intDigits = 9 *", new: "const intDigits = 10 *", tests: []string{"./wire:TestArrays", decode + "TestBugIntegersSaturateOrWrap"}},
	{name: "integer wrap: lenient", file: "wire/lenient.go", old: "(math.MaxUint64-digit)/10", new: "math.MaxUint64/10", tests: []string{"./wire:TestIntegerBorders", decode + "TestBugIntegersSaturateOrWrap", "./wire:TestTowardZero"}},
	{name: "integer wrap: the sign bit", file: "wire/generated.go", old: "uint64(t) == v.bits() && (t < 0) == (v.negative && v.abs != 0)", new: "uint64(t) == v.bits()", tests: []string{"./wire:TestArrays", decode + "TestBugIntegersSaturateOrWrap"}},

	// Floats that are off by one in the last place.
	{name: "one-ulp floats: two roundings", file: "wire/value.go", old: "float64(v) / powers[exp]", new: "float64(v) * (1 / powers[exp])", tests: []string{"./wire:TestHardFloats", decode + "TestFloatFieldHardCases", decode + "TestFloatField"}},
	{name: "one-ulp floats: more digits than are exact", file: "wire/value.go", old: "if digits > 15 ||", new: "if digits > 16 ||", tests: []string{decode + "TestFloatFieldHardCases", decode + "TestFloatField", "./wire:TestRandomFloats"}},

	{name: "trailing garbage", file: "wire/reader.go", old: "if p != 0 && p != r.n {", new: "if p != 0 && p > r.n {", tests: []string{"./wire:TestRefusals", decode + "TestContract", decode + "TestJSONTestSuite"}},

	// Escapes at the border of a block.
	{name: "escapes at a border: AVX-512", file: indexAMD64, level: simd.AVX512, old: "SHRQ $0x3f, BX\n\tMOVQ DI, (AX)", new: "SHRQ $0x3f, BX\n\tXORQ BX, BX\n\tMOVQ DI, (AX)", tests: []string{indexTests + "TestIndex", indexTests + "TestRuns"}},
	{name: "escapes at a border: AVX2", file: indexAMD64, level: simd.AVX2, old: "SHRQ $0x3f, BX\n\tJMP  anyNext", new: "XORQ BX, BX\n\tJMP  anyNext", tests: []string{indexTests + "TestIndex", indexTests + "TestRuns"}},
	{name: "escapes at a border: SWAR", file: indexSWAR, old: "code & slash >> 63", new: "slash >> 63", tests: []string{indexTests + "TestIndex", indexTests + "TestRuns"}},
	{name: "escapes at a border: reference", file: "internal/simd/jsonindex/jsonindex_ref.go", old: "escaped = c == '\\\\' && !escaped", new: "escaped = c == '\\\\' && !escaped && j < 63", tests: []string{indexTests + "TestRunsByCounting", indexTests + "TestRuns"}},

	// Skipping.
	{name: "quadratic skipping", file: "wire/skip.go", old: "		// A value has ended before p;", new: "		for i := range p {\n			level += int(r.t.at(i)) >> 8\n		}\n		// A value has ended before p;", full: true, tests: []string{decode + "TestTimeIsLinear"}},
	{name: "recursive skipping", file: "wire/skip.go", old: "	level := 0 // of nesting", new: "	r.inner(p)\n	level := 0 // of nesting",
		also:  []edit{{"// skipKey reads", "func (r *Reader) inner(p int) int {\n	if p+1 < r.n && r.t.at(p) == '[' {\n		return r.inner(p+1) + 1\n	}\n	return 0\n}\n\n// skipKey reads"}},
		tests: []string{"./wire:TestSkipIterative", decode + "TestBugStackOverflowOnDeepNesting"}},
	{name: "skipping: one level too many", file: "wire/skip.go", old: "level > depth {", new: "level > depth+1 {", tests: []string{"./wire:TestSkipDepth", decode + "TestDepth"}},
	{name: "skipping: any closing bracket", file: "wire/skip.go", old: "if b == '}' && object || b == ']' && !object {", new: "if b == '}' || b == ']' {", tests: []string{"./wire:TestWholeDocuments", decode + "TestBugSkippedValuesAreNotValidated"}},
	{name: "skipping: control characters", file: "wire/skip.go", old: "case b < 0x20:\n			return r.Refuse(CodeControl, p)", new: "case b < 0x20:\n			p++", tests: []string{"./wire:TestBrokenValues", decode + "TestBugSkippedValuesAreNotValidated"}},
	{name: "skipping: escapes", file: "wire/skip.go", old: "			if !ok {\n				return 0\n			}\n			p, r.saved", new: "			if !ok {\n				r.failed, next = 0, p+2\n			}\n			p, r.saved", tests: []string{"./wire:TestBrokenValues", decode + "TestBugSkippedValuesAreNotValidated"}},

	// Values.
	{name: "a leading zero", file: "wire/value.go", old: "	case b == '0':\n		p++", new: "	case b == '0':\n		p = r.digits(p)", tests: []string{"./wire:TestArrays", decode + "TestBugNumberForms"}},
	{name: "no digit behind the dot", file: "wire/value.go", old: "if q == p+1 {", new: "if q < p+1 {", tests: []string{"./wire:TestArrays", decode + "TestBugNumberForms"}},
	{name: "no digit in the exponent", file: "wire/value.go", old: "		if q == p {", new: "		if q < p {", tests: []string{"./wire:TestBrokenValues", decode + "TestBugNumberForms"}},
	{name: "words that begin right", file: "wire/value.go", old: "if r.t.at(p+i) != word[i] {", new: "if i < 3 && r.t.at(p+i) != word[i] {", tests: []string{"./wire:TestArrays", decode + "TestContract", decode + "TestJSONTestSuite"}},
	{name: "minus zero quoted", file: "wire/generated.go", old: "v.negative && v.abs != 0)", new: "v.negative)", tests: []string{"./wire:TestArrays", "./wire:TestIntegerBorders", decode + "TestBugIntegersSaturateOrWrap"}},
	{name: "null leaves what was there", file: "gen/templates/decode.tmpl", regenerate: true, old: "			{{$v}} = nil\n", new: "			_ = {{$v}}\n", tests: []string{decode + "TestContract"}},
	{name: "an object too deep", file: "gen/templates/decode.tmpl", regenerate: true, old: "	if depth == 0 {", new: "	if depth < 0 {", tests: []string{decode + "TestDepth"}},

	// Strings.
	{name: "a hex digit too many", file: "wire/escape.go", old: "(b|0x20)-'a' <= 5:", new: "(b|0x20)-'a' <= 6:", tests: []string{"./wire:TestRefusals", decode + "TestContract", decode + "TestJSONTestSuite"}},
	{name: "half a pair and a private character", file: "wire/escape.go", old: "low >= 0xdc00 && low < 0xe000 {", new: "low >= 0xdc00 && low <= 0xe000 {", tests: []string{"./wire:TestEveryPair", "./wire:TestSurrogates"}},
	{name: "a control character behind an escape", file: "wire/escape.go", old: "case b < 0x20:", new: "case b < 0x1f:", tests: []string{"./wire:TestWholeDocuments", decode + "TestEveryString", "./wire:TestControlCharacters"}},
	{name: "unescaped strings overlap", file: "wire/escape.go", old: "s.used += len(out)\n", new: "s.used += len(out) - 1\n", tests: []string{"./wire:TestArrays", decode + "TestTaggedDocuments"}},
	{name: "the memory of escapes never fits", file: "wire/escape.go", old: "nil, need+need/8", new: "nil, 0", tests: []string{decode + "TestEscapesDoNotAllocate"}},
	{name: "UTF-8 is not checked", file: "wire/reader.go", old: "&& !utf8check.Valid(data[:n]) {", new: "&& !utf8check.Valid(data[:n/2]) {", tests: []string{"./wire:TestArrays", decode + "TestContract"}},

	// Keys.
	{name: "keys are compared by hash and length", file: "wire/key.go", old: "s.names[f-1] != name {", new: "len(s.names[f-1]) != len(name) {", tests: []string{"./wire:TestNearlyAKey", "./wire:TestFindKey"}},
	{name: "a guess looks at eight bytes", file: "gen/fields.go", regenerate: true, old: "for i, word := range words {", new: "for i, word := range words[:1] {", tests: []string{decode + "TestCorpus", decode + "TestEveryFieldDecodes"}},
	{name: "a seventeenth key", file: "wire/duplicate.go", old: "if len(own) == linearMax {", new: "if len(own) == linearMax+2 {", tests: []string{"./wire:TestManyKeys", decode + "TestContract"}},

	// Limits and errors.
	{name: "one element too many", file: "wire/array.go", old: "if n > r.options.elements {", new: "if n > r.options.elements+1 {", tests: []string{"./wire:TestElementsLimit", decode + "TestElements"}},
	{name: "memory is charged too little", file: "wire/slab.go", old: "const growth = 4", new: "const growth = 1", tests: []string{decode + "TestMemory", decode + "TestMemoryOption"}},
	{name: "the last refusal counts", file: "wire/reader.go", old: "	if r.failed == 0 {\n		r.failed, r.failedAt", new: "	if r.failed == 0 || code == CodeTruncated || code == CodeSyntax {\n		r.failed, r.failedAt", tests: []string{decode + "TestContract", "./wire:TestFirstRefusalCounts"}},
	{name: "a tilde in a path", file: "wire/reference.go", old: `"~", "~0", "/", "~1"`, new: `"/", "~1"`, tests: []string{decode + "TestContract"}},

	// Arenas.
	{name: "a double release is not seen", file: "gen/templates/api.tmpl", regenerate: true, old: "!a.live{{.Name}}.CompareAndSwap(coder.Address(v), 0)", new: "a.live{{.Name}}.Swap(0) == 0", tests: []string{decode + "TestReleaseMisuse", decode + "TestLateDoubleRelease"}},
	{name: "a late double release is not seen", file: "gen/templates/api.tmpl", regenerate: true, old: `const {{local "rootCount"}} = 8`, new: `const {{local "rootCount"}} = 1`, tests: []string{decode + "TestLateDoubleRelease"}},
	{name: "a collected arena is found", file: "wire/coder/arena.go", old: ".root.Store(rootGone)", new: ".root.Load()", tests: []string{"./wire/coder:TestOwnersForget"}},
	{name: "a released request still is what it was", file: "gen/templates/api.tmpl", regenerate: true, old: "	*v = {{.Name}}{}\n	a.recycle()\n}", new: "	a.recycle()\n}", tests: []string{decode + "TestReleasedRootIsEmpty", decode + "TestIdleArenaKeepsNoText"}},
	{name: "a refused request is what it was", file: "gen/templates/api.tmpl", regenerate: true, old: "		*v = {{.Name}}{}\n", new: "", tests: []string{decode + "TestReleaseOfRefused"}},
	{name: "huge arenas are kept", file: "gen/gen.go", regenerate: true, old: "c.KeepBytes = 1 << 20", new: "c.KeepBytes = 1 << 30", tests: []string{decode + "TestHugeRequestsAreNotKept"}},
	{name: "Parse does not copy", file: "gen/templates/api.tmpl", regenerate: true, old: "return {{.ParseFast}}(append([]byte(nil), data...))", new: "return {{.ParseFast}}(data)", tests: []string{decode + "TestBugStringsChangeWithTheBuffer", decode + "TestParseIsIndependent"}},
	{name: "Clone does not copy strings", file: "wire/clone.go", old: "T(strings.Clone(string(s)))", new: "s", also: []edit{{"import (\n	\"slices\"\n	\"strings\"\n)", "import \"slices\""}}, tests: []string{decode + "TestBugStringsChangeWithTheBuffer", decode + "TestParseIsIndependent"}},
	{name: "debug: kept strings are not poisoned", file: "wire/coder/poison_debug.go", tags: "rtbwiredebug", old: "			chunk[i] = '!'\n", new: "			_ = chunk[i]\n", tests: []string{decode + "TestDebugKeptString"}},
	{name: "debug: numbers are not poisoned", file: "wire/coder/poison_debug.go", tags: "rtbwiredebug", old: "		case v.CanInt():\n			v.SetInt(number)\n", new: "", tests: []string{decode + "TestDebugUseAfterRelease"}},

	// Encoders.
	{name: "encoding: an explicit zero is left out", file: "gen/fields.go", regenerate: true, old: "	case t.shape != plain:\n		return v + \" != nil\"", new: "	case t.shape == pointer && t.kind == kindInt:\n		return v + \" != nil && *\" + v + \" != 0\"\n	case t.shape != plain:\n		return v + \" != nil\"", tests: []string{decode + "TestEncodeRandom"}},
	{name: "encoding: empty arrays are left out", file: "internal/codecgen/main.go", regenerate: true, old: "		KeepEmpty: true,\n		// What a banner", new: "		// What a banner", tests: []string{decode + "TestEncodeRandom"}},
	{name: "encoding: the first comma stays", file: "wire/encode.go", old: "	b[start] = '{'\n", new: "", tests: []string{decode + "TestEncodeStrings"}},
	{name: "encoding: a price of five decimals", file: "wire/encode.go", old: "if float64(n)/scale != v {", new: "if math.Abs(float64(n)/scale-v) > 1e-5 {", tests: []string{decode + "TestEncodeFloats"}},
	{name: "encoding: minus zero is zero", file: "wire/encode.go", old: " || v == 0 && math.Signbit(v) {", new: " {", tests: []string{decode + "TestEncodeFloats"}},
	{name: "encoding: NaN", file: "wire/encode.go", old: "if math.IsNaN(v) || math.IsInf(v, 0) {", new: "if math.IsInf(v, 0) {", tests: []string{decode + "TestEncodeErrors"}},
	{name: "encoding: a long run behind an escape", file: "wire/encode.go", old: "n, o, words = n+k, o+k, 0", new: "n, o, words = n+max(k, 1), o+max(k, 1), 0", tests: []string{"./wire:TestString", decode + "TestEncodeStrings"}},
	{name: "encoding: a control character behind an escape", file: "wire/encode.go", old: "(x - ' '*wordLow)", new: "(x - 31*wordLow)", tests: []string{"./wire:TestString"}},
	{name: "encoding: not UTF-8 behind an escape", file: "wire/encode.go", old: "if !utf8check.Valid(stringBytes(s[n:])) {", new: "if !utf8check.Valid(stringBytes(s[n:n+2])) {", tests: []string{"./wire:TestString"}},
	{name: "encoding: raw values are not checked", file: "wire/encode.go", old: "if !w.raw.valid(raw) {", new: "if !w.raw.valid(raw) && len(raw) == 0 {", tests: []string{decode + "TestEncodeErrors"}},
	{name: "encoding: a value and more members", file: "wire/encode.go", old: "return p != 0 && r.space(p) == r.n-1", new: "return p != 0 && r.space(p) <= r.n-1", tests: []string{"./wire:TestValidate"}},

	// Splicing.
	{name: "splice: the comma of a removed member stays", file: "wire/splice.go", old: "		s.spans = append(s.spans, span{m.cut, start, nil})\n", new: "		s.spans = append(s.spans, span{m.cut, m.cutEnd, nil})\n", tests: []string{"./wire:TestSplice"}},
	{name: "splice: the first of two keys counts", file: "wire/splice.go", old: "			n.at, n.end = value, p\n", new: "			if n.at == 0 {\n				n.at, n.end = value, p\n			}\n", tests: []string{"./wire:TestSplice"}},
	{name: "splice: removals in the last of two values only", file: "wire/splice.go", old: "if n.at != 0 && n.child != 0 && !s", new: "if n.at != 0 && n.child != 0 && len(s.spans) > 1<<30 && !s", tests: []string{"./wire:TestSplice"}},
	{name: "splice: the result overlaps the text", file: "wire/splice.go", old: "	if overlap(dst, data) {\n		return true", new: "	if overlap(dst, data[:0]) {\n		return true", tests: []string{"./wire:TestSpliceOverlap"}},
	{name: "splice: an existing name is inserted again", file: "wire/splice.go", old: "bytes.IndexByte(object, '\\\\') >= 0 || hasName(object, name) {", new: "hasName(object, name) {", tests: []string{"./wire:TestSpliceWithin"}},
	{name: "splice: the index of an element behind the end", file: "wire/splice.go", old: "		case n.sets:\n			s.fail(CodePath, s.from+s.nodes[node].at, s.path(c))\n			return 0\n", new: "", tests: []string{"./wire:TestSpliceErrors"}},
	{name: "conversion: an emptied ext stays", file: "openrtb/convert.go", old: "len(members) == gone[f.Path] {", new: "len(members) == gone[f.Path]+1 {", tests: []string{decode + "TestConvert"}},

	// Kernels.
	{name: "plain text: the overlap of the last vector: AVX2", file: plainAMD64, level: simd.AVX2, old: "LEAQ         -32(DX), DI", new: "LEAQ         -31(DX), DI", tests: []string{plainTests + "TestEveryLengthAndPosition"}},
	{name: "plain text: 0x1f: AVX2", file: plainAMD64, level: simd.AVX2, old: "$0x1f1f1f1f", new: "$0x1e1e1e1e", tests: []string{plainTests + "TestEveryLengthAndPosition"}},
	{name: "plain text: backslashes: SWAR", file: "internal/simd/plaincopy/plaincopy_swar.go", old: "x^ones*'\\\\'", new: "x^ones*'/'", tests: []string{plainTests + "TestEveryLengthAndPosition"}},
	{name: "0x1f is no control character: AVX2", file: indexAMD64, level: simd.AVX2, old: "$0x1f1f1f1f", new: "$0x1e1e1e1e", tests: []string{indexTests + "TestIndex", indexTests + "TestEveryLengthAndPosition"}},
	{name: "0x1f is no control character: SWAR", file: indexSWAR, old: "below(x, ' ')\n", new: "below(x, ' '-1)\n", tests: []string{indexTests + "TestIndex", indexTests + "TestEveryLengthAndPosition"}},
	{name: "bits beyond the end: SWAR", file: indexSWAR, old: "copy(tail[copy(tail[:], rest):], plain)", new: "_ = copy(tail[:], rest) + len(plain)", tests: []string{indexTests + "TestIndex", indexTests + "TestRandom"}},
	{name: "white space by its low bits: AVX-512", file: indexAMD64, level: simd.AVX512, old: "VPCMPEQB Z5, Z6, K4", new: "VPTESTMB Z5, Z6, K4", tests: []string{indexTests + "TestIndex", indexTests + "TestRandom"}},
	{name: "only the last bytes tell whether text is ASCII: AVX-512", file: indexAMD64, level: simd.AVX512, old: "VPTERNLOGQ $0xfe, Z3, Z5, Z4", new: "VPTERNLOGQ $0xee, Z3, Z5, Z4", tests: []string{indexTests + "TestNonASCIIAnywhere"}},
	{name: "four-byte characters: AVX2", file: utf8AMD64, level: simd.AVX2, old: "$0x70707070", new: "$0x71717171", tests: []string{utf8Tests + "TestFourBytes", utf8Tests + "TestValid"}},
	{name: "the last vector is not checked: AVX2", file: utf8AMD64, level: simd.AVX2, old: "	CMPQ AX, DX\n	JE   done", new: "	CMPQ AX, DX\n	JMP  done", tests: []string{utf8Tests + "TestValid", utf8Tests + "TestDamage"}},
}
