package main

import "github.com/rtbwire/rtbwire/internal/simd"

// fault is a mistake that somebody could make. It is found by names, not by files, so that code can
// move between files and packages.
type fault struct {
	name string

	// in is the declaration that the fault is in, as go doc writes it: Reader.SlowInt, with the
	// package before it where that is ambiguous. Without it the fault is found by old alone, which
	// is best for a text that occurs nowhere else, and for templates of the generator.
	in       string
	old, new string   // old occurs exactly once in the declaration, or in the module
	imports  []string // that new needs

	tests      []string   // that are expected to catch it: TestName, or folder.TestName
	full       bool       // -short leaves these tests out
	tags       string     // build tags of the tests
	level      simd.Level // the kernel that it is in, if that is assembly
	regenerate bool       // it is in the generator
}

// faults are grouped by what goes wrong. The texts are short, have no comments, and name as little
// from other packages as possible.
var faults = []fault{
	// Over-read by one.
	{
		name: "over-read: the tail of the AVX-512 kernel", in: "indexAVX512", level: simd.AVX512,
		old:   "MOVQ       $-1, SI\n\tBZHIQ      DX, SI, SI\n\tKMOVQ      SI, K7",
		new:   "MOVQ       $-1, SI\n\tINCQ       DX\n\tBZHIQ      DX, SI, SI\n\tDECQ       DX\n\tKMOVQ      SI, K7",
		tests: []string{"jsonindex.TestEveryLengthAndPosition"},
	},
	{
		name: "over-read: 16 bytes of a short text, AVX2", in: "indexAVX2", level: simd.AVX2,
		old: "VMOVDQU  -16(CX)(DX*1), X6", new: "VMOVDQU  -15(CX)(DX*1), X6",
		tests: []string{"TestIndex", "jsonindex.TestEveryLengthAndPosition"},
	},
	{
		name: "over-read: a key's guess", regenerate: true,
		old: "max(8, length))", new: "max(8, length)-1)",
		tests: []string{"TestBugReadsPastThePageEnd", "TestGuarded"},
	},
	{
		name: "over-read: a short key's word", in: "Reader.FindKey",
		old: "start+8 >=", new: "start+6 >=",
		tests: []string{"TestGuarded"},
	},
	{
		name: "over-read: a brace too early", in: "Reader.Closed",
		old: "p >= r.n &&", new: "p > r.n &&",
		tests: []string{"TestContract", "TestBugReadsPastThePageEnd"},
	},
	{
		name: "over-read: a brace too early, skipped", in: "Reader.skipNested",
		old: "p >= r.n {", new: "p > r.n {",
		tests: []string{"TestRefusals", "TestContract", "TestBugReadsPastThePageEnd"},
	},

	// Stale arenas.
	{
		name: "stale: objects of another type are cleared", regenerate: true,
		old: "for i := bit;", new: "for i := bit + 1;",
		tests: []string{"TestIdleArenaKeepsNoText", "TestIdleDecoderKeepsNoText"},
	},
	{
		name: "stale: a single object is not cleared",
		old:  "s.buf[0] = zero", new: "_ = zero",
		tests: []string{"TestBugStaleStateBetweenDecodes", "openrtb.TestCorpus"},
	},
	{
		name: "stale: strings are not cleared", regenerate: true,
		old: "c.{{.Name}}.Reset()", new: "c.{{.Name}}.Len()",
		tests: []string{"TestIdleDecoderKeepsNoText", "TestIdleArenaKeepsNoText"},
	},
	{
		name: "stale: the last object is not cleared",
		old:  "clear(s.buf[:s.n])", new: "clear(s.buf[:s.n-1])",
		tests: []string{"TestArrayLengths", "TestIdleDecoderKeepsNoText", "TestBugStaleStateBetweenDecodes"},
	},
	{
		name: "stale: the text is kept",
		old:  "r.t, r.data, r.blocks = ", new: "defer func(data []byte) { r.data = data }(r.data)\n\tr.t, r.data, r.blocks = ",
		tests: []string{"TestForget", "TestIdleArenaKeepsNoText"},
	},
	{
		name: "stale: a slab is not known to be in use", regenerate: true,
		old: "c.touched |= 1 << {{local \"touch\"}}{{$name}}\n\tmark :=", new: "mark :=",
		tests: []string{"TestIdleArenaKeepsNoText"},
	},
	{
		name: "stale: one type's slab is not known to be in use", regenerate: true,
		old:   "c.touched |= 1 << {{local \"touch\"}}{{$object.Name}}\n",
		new:   "{{if ne $object.Name \"Geo\"}}c.touched |= 1 << {{local \"touch\"}}{{$object.Name}}{{end}}\n",
		tests: []string{"TestEverySlabIsReset"},
	},
	{
		name: "stale: a bundle's slab is not known to be in use", in: "file.root", regenerate: true,
		old: "touched = append(touched,", new: "touched = append(touched[:0],",
		tests: []string{"TestBundlesAreDetached"},
	},
	{
		name: "stale: a result shares memory with the next", regenerate: true,
		old: "c.detach()\n\tif c.r.Retained()", new: "c.r.Reset()\n\tif c.r.Retained()",
		tests: []string{"TestBugTwoResultsShareMemory"},
	},
	{
		name: "stale: unescaped strings share memory with the next", in: "Reader.Detach",
		old: "total > 0", new: "total > 1<<20",
		tests: []string{"TestDetachKeepsRetained", "TestBugTwoResultsShareMemory", "TestDecodersOfManyGoroutines"},
	},

	// Pointers that the collector can't see.
	{
		name: "hidden pointers: chunks of bytes", in: "Slab.grow", imports: []string{"unsafe"},
		old:   "make([]T, n)",
		new:   "unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(make([]byte, n*int(unsafe.Sizeof(*new(T))))))), n)",
		tests: []string{"TestCollectorSeesEverything", "TestBugPointersInUnscannedMemory"},
	},
	{
		name: "hidden pointers: moved arrays", in: "Slab.move", imports: []string{"unsafe"},
		old:   "make([]T, n)",
		new:   "unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(make([]byte, n*int(unsafe.Sizeof(*new(T))))))), n)",
		tests: []string{"TestCollectorSeesEverything", "TestBugPointersInUnscannedMemory"},
	},

	// Slices with room in memory of another value.
	{
		name: "unclipped ext",
		old:  "j-i)[: j-i : j-i]", new: "j-i+1)[: j-i]",
		tests: []string{"TestSkipRandom", "TestBugTwoResultsShareMemory", "TestFastResultsAlias"},
	},
	{
		name: "unclipped arrays", in: "Slab.Cut",
		old: "s.n:s.n]", new: "s.n]",
		tests: []string{"TestSlabArrays", "TestBugTwoResultsShareMemory", "TestZeroCopy"},
	},

	// Integers that wrap.
	{
		name: "integer wrap: 20 digits", in: "intDigits",
		old: "= 9 *", new: "= 10 *",
		tests: []string{"TestArrays", "TestBugIntegersSaturateOrWrap"},
	},
	{
		name: "integer wrap: lenient", in: "towardZero",
		old: "(math.MaxUint64-digit)/10", new: "math.MaxUint64/10",
		tests: []string{"TestIntegerBorders", "TestBugIntegersSaturateOrWrap", "grammar.TestTowardZero"},
	},
	{
		name: "integer wrap: the sign bit", in: "fit",
		old: "(t < 0) == (", new: "(t == t) == (true || ",
		tests: []string{"TestArrays", "TestBugIntegersSaturateOrWrap"},
	},

	// Floats that are off by one in the last place.
	{
		name: "one-ulp floats: two roundings", in: "Reader.Float",
		old: "/ powers[exp]", new: "* (1 / powers[exp])",
		tests: []string{"TestHardFloats", "TestFloatFieldHardCases", "TestFloatField"},
	},
	{
		name: "one-ulp floats: more digits than are exact", in: "Reader.Float",
		old: "digits > 15", new: "digits > 16",
		tests: []string{"TestFloatFieldHardCases", "TestFloatField", "TestRandomFloats"},
	},

	// Text after the document.
	{
		name: "trailing garbage", in: "Reader.End",
		old: "p != r.n", new: "p > r.n",
		tests: []string{"TestRefusals", "TestContract", "TestJSONTestSuite"},
	},

	// Escapes at the border of a block.
	{
		name: "escapes at a border: AVX-512", in: "indexAVX512", level: simd.AVX512,
		old:   "SHRQ $0x3f, BX\n\tMOVQ DI, (AX)",
		new:   "SHRQ $0x3f, BX\n\tXORQ BX, BX\n\tMOVQ DI, (AX)",
		tests: []string{"TestIndex", "TestRuns"},
	},
	{
		name: "escapes at a border: AVX2", in: "indexAVX2", level: simd.AVX2,
		old: "SHRQ $0x3f, BX\n\tJMP  anyNext", new: "XORQ BX, BX\n\tJMP  anyNext",
		tests: []string{"TestIndex", "TestRuns"},
	},
	{
		name: "escapes at a border: SWAR", in: "escapes",
		old: "code & slash >> 63", new: "slash >> 63",
		tests: []string{"TestIndex", "TestRuns"},
	},
	{
		name: "escapes at a border: reference", in: "indexRef",
		old: `escaped = c == '\\' && !escaped`, new: `escaped = c == '\\' && !escaped && j < 63`,
		tests: []string{"TestRunsByCounting", "TestRuns"},
	},

	// Skipping.
	{
		name: "quadratic skipping", in: "Reader.skipNested", full: true,
		old:   "\tfor {\n\t\tif object {",
		new:   "\tfor {\n\t\tfor i := range p {\n\t\t\tlevel += i >> 62\n\t\t}\n\t\tif object {",
		tests: []string{"TestTimeIsLinear"},
	},
	{
		name: "recursive skipping", in: "Reader.skipNested",
		old:   "\tobject := false\n",
		new:   "\tobject := false\n\tvar inner func(int) int\n\tinner = func(p int) int {\n\t\tif p+1 < r.Len() && r.At(p) == '[' {\n\t\t\treturn inner(p+1) + 1\n\t\t}\n\t\treturn 0\n\t}\n\tinner(p)\n",
		tests: []string{"TestSkipIterative", "TestBugStackOverflowOnDeepNesting"},
	},
	{
		name: "skipping: one level too many", in: "Reader.skipNested",
		old: "level > depth", new: "level > depth+1",
		tests: []string{"TestSkipDepth", "conformance.TestDepth"},
	},
	{
		name: "skipping: any closing bracket", in: "Reader.skipNested",
		old: "if b == '}' && object || b == ']' && !object {", new: "if b == '}' || b == ']' {",
		tests: []string{"TestWholeDocuments", "TestBugSkippedValuesAreNotValidated"},
	},
	{
		name: "skipping: control characters", in: "Reader.skipLongString",
		old: "case b < 0x20:", new: "case b < 0x20 && p < 0:",
		tests: []string{"TestBrokenValues", "TestBugSkippedValuesAreNotValidated"},
	},
	{
		name: "skipping: escapes", in: "Reader.skipLongString",
		old: "if !ok {\n\t\t\t\treturn 0", new: "if !ok {\n\t\t\t\tr.failed, next = 0, p+2",
		tests: []string{"TestBrokenValues", "TestBugSkippedValuesAreNotValidated"},
	},

	// Values.
	{
		name: "a leading zero", in: "Reader.number",
		old: "\tcase b == '0':\n\t\tp++", new: "\tcase b == '0':\n\t\tp = r.digits(p)",
		tests: []string{"TestArrays", "TestBugNumberForms"},
	},
	{
		name: "no digit after the dot", in: "Reader.number",
		old: "q == p+1 {", new: "q < p+1 {",
		tests: []string{"TestArrays", "TestBugNumberForms"},
	},
	{
		name: "no digit in the exponent", in: "Reader.number",
		old: "q == p {", new: "q < p {",
		tests: []string{"TestBrokenValues", "TestBugNumberForms"},
	},
	{
		name: "words that begin right", in: "Reader.literal",
		old: "!= word[i]", new: "!= word[i] && i < 3",
		tests: []string{"TestArrays", "TestContract", "TestJSONTestSuite"},
	},
	{
		name: "minus zero quoted", in: "fit",
		old: "bs != 0)", new: "bs+1 != 0)",
		tests: []string{"TestArrays", "TestIntegerBorders", "TestBugIntegersSaturateOrWrap"},
	},
	{
		name: "null leaves what was there", regenerate: true,
		old: "{{$v}} = nil\n", new: "_ = {{$v}}\n",
		tests: []string{"TestContract"},
	},
	{
		name: "an object too deep", regenerate: true,
		old: "p, depth int) int {\n\tif depth == 0 {", new: "p, depth int) int {\n\tif depth < 0 {",
		tests: []string{"conformance.TestDepth"},
	},

	// Strings.
	{
		name: "a hex digit too many", in: "Reader.hex4",
		old: "(b|0x20)-'a' <= 5:", new: "(b|0x20)-'a' <= 6:",
		tests: []string{"TestRefusals", "TestContract", "TestJSONTestSuite"},
	},
	{
		name: "half a pair and a private character", in: "Reader.surrogates",
		old: "low < 0xe000", new: "low <= 0xe000",
		tests: []string{"TestEveryPair", "TestSurrogates"},
	},
	{
		name: "a control character after an escape", in: "Reader.escaped",
		old: "case b < 0x20:", new: "case b < 0x1f:",
		tests: []string{"TestWholeDocuments", "TestEveryString", "TestControlCharacters"},
	},
	{
		name: "unescaped strings overlap", in: "bytesSlab.close",
		old: "s.used += len(out)", new: "s.used += len(out) - 1",
		tests: []string{"TestArrays", "TestTaggedDocuments"},
	},
	{
		name: "the memory of escapes never fits",
		old:  "need+need/8", new: "0",
		tests: []string{"TestEscapesDoNotAllocate"},
	},
	{
		name: "UTF-8 is not checked", in: "Reader.Begin",
		old: "Valid(data[:n])", new: "Valid(data[:n/2])",
		tests: []string{"TestArrays", "TestContract"},
	},

	// Keys.
	{
		name: "keys are compared by hash and length", in: "KeySet.match",
		old: "s.names[f-1] != name", new: "len(s.names[f-1]) != len(name)",
		tests: []string{"TestNearlyAKey", "TestFindKey"},
	},
	{
		name: "a guess looks at eight bytes", in: "field.Prediction", regenerate: true,
		old: "for i, word := range words {", new: "for i, word := range words[:1] {",
		tests: []string{"openrtb.TestCorpus", "TestEveryFieldDecodes"},
	},
	{
		name: "a seventeenth key",
		old:  "n == LinearMax", new: "n == LinearMax+2",
		tests: []string{"TestManyKeys", "TestContract"},
	},

	// Notes, by which the rule engine decides whether to read the text again.
	{
		name: "notes: a null", in: "Reader.null",
		old: "r.notes |= wire.NoteNull\n\t\treturn -r.literal(p, \"null\")\n\t}\n\treturn r.wrong(p, want)", new: "return -r.literal(p, \"null\")\n\t}\n\treturn r.wrong(p, want)",
		tests: []string{"schema.TestReference"},
	},
	{
		name: "notes: an ext that is not an object", in: "Reader.Raw",
		old: "r.notes |= wire.NoteRaw", new: "",
		tests: []string{"schema.TestReference"},
	},
	{
		name: "notes: an empty string at a border of blocks", in: "Reader.emptyString",
		old: "quotes<<1|last", new: "quotes<<1|last&^last",
		tests: []string{"TestNotesOfEmptyStrings"},
	},
	{
		name: "notes: a duplicate of a null", in: "Reader.Notes",
		old: "wire.NoteNull|wire.NoteEmptyString", new: "wire.NoteEmptyString",
		tests: []string{"schema.TestReference"},
	},
	{
		name: "notes: an unknown key in other letters", in: "Reader.watchUnknown",
		old: "c-'A' < 26 || c >= 0x80", new: "c >= 0x80",
		tests: []string{"schema.TestReference"},
	},
	{
		name: "notes: an unknown key twice", in: "Reader.watchUnknown",
		old: "slices.Contains(r.unknown, hash)", new: "false",
		tests: []string{"schema.TestReference"},
	},
	{
		name: "the place of an earlier duplicate", in: "acceptedWalker.object",
		old: "w.d.nodes[earlier].field = 0", new: "_ = earlier",
		tests: []string{"schema.TestReference"},
	},

	// Limits and errors.
	{
		name: "one element too many", in: "Reader.Elements",
		old: "if n > ", new: "if n-1 > ",
		tests: []string{"TestElementsLimit", "TestElements"},
	},
	{
		name: "memory is charged too little", in: "costOfArray",
		old: "size * 9 / 2", new: "size",
		tests: []string{"conformance.TestMemory", "TestMemoryOption"},
	},
	{
		name: "the last refusal counts", in: "Reader.Refuse",
		old: "if r.failed == 0 {\n\t\tr.failed, ", new: "if r.failed == 0 || at != r.failedAt {\n\t\tr.failed, ",
		tests: []string{"TestContract", "TestFirstRefusalCounts"},
	},
	{
		name: "a tilde in a path", in: "grammar.pointerEscaper",
		old: `"~", "~0", `, new: "",
		tests: []string{"TestEscapePointer"},
	},

	// Arenas.
	{
		name: "a double release is not seen", regenerate: true,
		old: "!a.live.CompareAndSwap(coder.Address(v), 0)", new: "a.live.Swap(0) == 0",
		tests: []string{"TestReleaseMisuse", "TestLateDoubleRelease"},
	},
	{
		name: "a double release at the same time is not seen", regenerate: true, full: true,
		old:   "!a.live.CompareAndSwap(coder.Address(v), 0)",
		new:   "a.live.Load() != coder.Address(v) || a.live.Swap(0) == 1",
		tests: []string{"TestReleasesAtOnce"},
	},
	{
		name: "a late double release is not seen", regenerate: true,
		old: "{{local \"rootCount\"}} = 8", new: "{{local \"rootCount\"}} = 1",
		tests: []string{"TestLateDoubleRelease"},
	},
	{
		name: "a collected arena is found", in: "Owners.forget",
		old: ".root.Store(rootGone)", new: ".root.Load()",
		tests: []string{"TestOwnersForget"},
	},
	{
		name: "a released request keeps its content", regenerate: true,
		old: "\t*v = {{.Name}}{}\n\ta.recycle()\n}", new: "\ta.recycle()\n}",
		tests: []string{"TestReleasedRootIsEmpty", "TestIdleArenaKeepsNoText"},
	},
	{
		name: "a refused request keeps its content", regenerate: true,
		old: "\t\t*v = {{.Name}}{}\n", new: "",
		tests: []string{"TestReleaseOfRefused"},
	},
	{
		name: "huge arenas are kept", in: "gen.Config.withDefaults", regenerate: true,
		old: "1 << 20", new: "1 << 30",
		tests: []string{"TestHugeRequestsAreNotKept"},
	},
	{
		name: "huge codecs are kept", regenerate: true,
		old: "if c.r.Retained() <= {{local \"keepBytes\"}} {\n\t\thome.Put(c)\n\t}", new: "home.Put(c)",
		tests: []string{"TestHugeCodecsAreDropped"},
	},
	{
		name: "a decoder is put twice", regenerate: true,
		old: "!d.lender.CompareAndSwap(p, nil)", new: "d.lender.Load() != p",
		tests: []string{"TestPoolPut"},
	},
	{
		name: "a reader is read on beyond the limit", in: "ReadAll",
		old: "min(cap(dst), start+most+1)]", new: "cap(dst)]",
		tests: []string{"TestReadAllStops"},
	},
	{
		name: "a document of exactly the limit is too long", in: "ReadAll",
		old: "len(dst)-start > most:", new: "len(dst)-start >= most:",
		tests: []string{"TestReadAll"},
	},
	{
		name: "Parse does not copy", regenerate: true,
		old: "return {{.ParseFast}}(append([]byte(nil), data...))", new: "return {{.ParseFast}}(data)",
		tests: []string{"TestBugStringsChangeWithTheBuffer", "TestParseIsIndependent"},
	},
	{
		name: "Clone does not copy strings", in: "CloneString",
		old: "strings.Clone(string(s))", new: `strings.Trim(string(s), "")`,
		tests: []string{"TestBugStringsChangeWithTheBuffer", "TestParseIsIndependent"},
	},
	{
		name: "debug: kept strings are not poisoned", in: "Reader.Poison", tags: "rtbwiredebug",
		old: "chunk[i] = '!'", new: "_ = chunk[i]",
		tests: []string{"TestDebugKeptString"},
	},
	{
		name: "debug: numbers are not poisoned", in: "coder.spoil", tags: "rtbwiredebug",
		old: "v.SetInt(number)", new: "",
		tests: []string{"TestDebugUseAfterRelease"},
	},

	// Encoders.
	{
		name: "encoding: an explicit zero is left out", regenerate: true,
		old:   "\tcase t.shape != plain:\n\t\treturn v + \" != nil\"",
		new:   "\tcase t.shape == pointer && t.kind == kindInt:\n\t\treturn v + \" != nil && *\" + v + \" != 0\"\n\tcase t.shape != plain:\n\t\treturn v + \" != nil\"",
		tests: []string{"TestEncodeRandom"},
	},
	{
		name: "encoding: empty arrays are left out", regenerate: true,
		old: "KeepEmpty: true,\n\t\t// Enough for a banner", new: "// Enough for a banner",
		tests: []string{"TestEncodeRandom"},
	},
	{
		name: "encoding: the first comma stays", in: "CloseObject",
		old: "b[start] = '{'", new: "",
		tests: []string{"TestEncodeStrings"},
	},
	{
		name: "encoding: a price of five decimals", in: "appendPrice",
		old: "float64(n)/scale != v", new: "math.Abs(float64(n)/scale-v) > 1e-5",
		tests: []string{"TestEncodeFloats"},
	},
	{
		name: "encoding: minus zero is zero", in: "appendPrice",
		old: " || v == 0 && math.Signbit(v)", new: "",
		tests: []string{"TestEncodeFloats"},
	},
	{
		name: "encoding: NaN", in: "Writer.float",
		old: "math.IsNaN(v) || ", new: "",
		tests: []string{"TestEncodeErrors"},
	},
	{
		name: "encoding: a long run after an escape", in: "Writer.specials",
		old: "n, o, words = n+k, o+k, 0", new: "n, o, words = n+max(k, 1), o+max(k, 1), 0",
		tests: []string{"TestString", "TestEncodeStrings"},
	},
	{
		name: "encoding: a control character after an escape", in: "wordEscapes",
		old: "' '*wordLow", new: "31*wordLow",
		tests: []string{"TestString"},
	},
	{
		name: "encoding: not UTF-8 after an escape", in: "Writer.specials",
		old: "s[n:])) {", new: "s[n:n+2])) {",
		tests: []string{"TestString"},
	},
	{
		name: "encoding: raw values are not checked", in: "Writer.Raw",
		old: "valid(raw) {", new: "valid(raw) && len(raw) == 0 {",
		tests: []string{"TestEncodeErrors"},
	},
	{
		name: "encoding: a value and more members", in: "validator.valid",
		old: "== r.n-1", new: "<= r.n-1",
		tests: []string{"coder.TestValidate"},
	},

	// Splicing.
	{
		name: "splice: the comma of a removed member stays", in: "members.begin",
		old: "m.cut, start, nil", new: "m.cut, m.cutEnd, nil",
		tests: []string{"TestSplice"},
	},
	{
		name: "splice: the first of two keys counts", in: "splicer.value",
		old: "if node != 0 {\n\t\tn.at,", new: "if node != 0 && n.at == 0 {\n\t\tn.at,",
		tests: []string{"TestSplice"},
	},
	{
		name: "splice: removals in the last of two values only", in: "splicer.value",
		old: "else if again && !s.", new: "else if again && p < 0 && !s.",
		tests: []string{"TestSplice"},
	},
	{
		name: "splice: a path that fails in a value that does not count", in: "splicer.fail",
		old: "s.second = true", new: "s.second = s.second || false",
		tests: []string{"TestSplice"},
	},
	{
		name: "splice: a removal below null makes an object", in: "splicer.present",
		old: "case 'n':\n\t\tif n.sets && ", new: "case 'n':\n\t\tif ",
		tests: []string{"TestSplice"},
	},
	{
		name: "splice: a duplicate null is set", in: "splicer.present",
		old: "case 'n':\n\t\tif n.sets && !s.removing {", new: "case 'n':\n\t\tif n.sets {",
		tests: []string{"TestDoorsOfExt"},
	},
	{
		name: "splice: an object that has only white space", in: "insert",
		old: "trimEnd(data, from+last)", new: "from + last",
		tests: []string{"TestSpliceWithin", "TestDoorsOfExt"},
	},
	{
		name: "splice: a document that has only white space", in: "addExt",
		old: "trimEnd(data, brace)", new: "brace",
		tests: []string{"TestDoorsOfExt"},
	},
	{
		name: "splice: an error at the offset in the object", in: "splicer.within",
		old: "moved.Offset += from", new: "",
		tests: []string{"TestSpliceWithin"},
	},
	{
		name: "splice: a path that fails at the offset in the object", in: "splicer.present",
		old: "s.from + n.at", new: "n.at",
		tests: []string{"TestSpliceWithin"},
	},
	{
		name: "splice: an ext that came twice is taken for one", in: "Reader.RawExt",
		old: "r.ext.From == 0 && ", new: "",
		tests: []string{"TestDoorsOfExt"},
	},
	{
		name: "splice: an ext of an object is taken for the document's", in: "Reader.RawExt",
		old: "depth+1 == r.options.Depth", new: "depth+2 >= r.options.Depth",
		tests: []string{"TestPlace"},
	},
	{
		name: "splice: a removal in the last ext alone", in: "Decoded",
		old: " slices.ContainsFunc(edits, isRemoval) ||", new: " edits == nil && slices.ContainsFunc(edits, isRemoval) ||",
		tests: []string{"TestDoorsOfExt"},
	},
	{
		name: "splice: the ext of something else", in: "isLastExt",
		old: "i+1 != to", new: "i+1 < to",
		tests: []string{"TestDoorsOfExt", "TestDoors"},
	},
	{
		name: "splice: an ext that is not the last", in: "isLastExt",
		old: `== "ext" {`, new: `== "ex" {`,
		tests: []string{"TestDoorsOfExt"},
	},
	{
		name: "splice: the place of another text", in: "Reader.Place",
		old: " || &data[0] != &r.data[0]", new: "",
		tests: []string{"TestPlace", "TestSpliceOfAnotherText"},
	},
	{
		name: "splice: an array becomes an object", in: "splicer.buildValue",
		old: "(array || isElement(name))", new: "(array || s.nodes[c].index >= 0)",
		tests: []string{"TestSpliceErrors"},
	},
	{
		name: "splice: the result overlaps the text", in: "splice.overlaps",
		old: "(dst, data) {", new: "(dst, data[:0]) {",
		tests: []string{"TestSpliceOverlap"},
	},
	{
		name: "splice: an existing name is inserted again", in: "insert",
		old: `'\\') >= 0`, new: `'\\') > len(object)`,
		tests: []string{"TestSpliceWithin"},
	},
	{
		name: "splice: the index of an element after the end", in: "splicer.array",
		old: "case n.sets:", new: "case n.sets && c < 0:",
		tests: []string{"TestSpliceErrors"},
	},
	{
		name: "conversion: an emptied ext stays", in: "prune",
		old: "gone[f.Path] {", new: "gone[f.Path]+1 {",
		tests: []string{"TestConvert"},
	},

	// Verdicts.
	{
		name: "verdict: the rules of a partner are about the next one", in: "compiler.grade",
		old: "c.graded = c.graded[:0]", new: "c.graded = slices.Clip(c.graded)",
		tests: []string{"inspect.TestRules"},
	},
	{
		name: "verdict: a scrub is applied in shadow", in: "Worker.decide",
		old: "w.edits = w.edits[:0]", new: "w.edits = slices.Clip(w.edits)", imports: []string{"slices"},
		tests: []string{"inspect.TestScrubs"},
	},
	{
		name: "verdict: the scrubs of the engine before are applied", in: "Worker.Decode",
		old: "w.engine, w.editors = e, nil", new: "w.engine = e",
		tests: []string{"inspect.TestScrubsAfterReload"},
	},
	{
		name: "verdict: an error passes a rule that refuses on errors", in: "gradedRule.failed",
		old: "case r.onError.Objects(err):", new: "case r.onError.Objects(err) && r.severity < Refuse:",
		tests: []string{"inspect.TestRuleErrors"},
	},
	{
		name: "verdict: an error is a way past a scrub", in: "Worker.wanted",
		old: "return holds || err != nil", new: "return holds",
		tests: []string{"inspect.TestScrubs"},
	},
	{
		name: "verdict: an undecodable request is a way past a scrub", in: "Worker.scrub",
		old: "err := w.err\n", new: "err := w.err\n\t\tif err != nil {\n\t\t\tcontinue\n\t\t}\n",
		tests: []string{"inspect.TestScrubFails"},
	},
	{
		name: "verdict: a pattern lets what can't be scrubbed pass", in: "reasonTable.match",
		old: "p.matches(id) && !namedOnly(id)", new: "p.matches(id)",
		tests: []string{"inspect.TestScrubs"},
	},
	{
		name: "verdict: the replacement inside a removal wins", in: "inspect.resolve",
		old: "outer.Value = nil", new: "*outer = e",
		tests: []string{"inspect.TestScrubsOverlap"},
	},
	{
		name: "verdict: an earlier ext stays that a scrub removes", in: "withoutForged",
		old: "case e.Path == extPath, e.Path", new: "case e.Path",
		tests: []string{"inspect.TestScrubsAndAnnotation"},
	},

	// Policy.
	{
		name: "policy: a rule is about the impression before", in: "macro.overObjects",
		old: "at(c, o, i)", new: "at(c, o, max(i-1, 0))",
		tests: []string{"policy.TestLanguage"},
	},
	{
		name: "policy: a list without subdomains", in: "Table.hasSuffix",
		old: "known &= 1<<l.N - 1", new: "known &= 1 << (l.N - 1)",
		tests: []string{"TestCanonicalForms"},
	},
	{
		name: "policy: a scrub misses the first of two values", in: "Scratch.repeated",
		old: "m.copied, m.copies = true, true\n\tfor i := range m.edits[first.from:first.to] {", new: "m.copied, m.copies = true, true\n\tfor i := range m.edits[:0] {",
		tests: []string{"scrub.TestScrub", "scrub.TestRandom"},
	},
	{
		name: "policy: the earlier place of a value is not scrubbed", in: "scrub.places",
		old: "add(old, tail[len(field):], false)", new: "_ = old",
		tests: []string{"scrub.TestLegacyTable"},
	},
	{
		name: "policy: a reload leaves the engine as it was", in: "Live.open",
		old: "l.holder.Swap(s.Engine)", new: "_ = s.Engine",
		tests: []string{"config.TestLive"},
	},

	// Supply chains.
	{
		name: "supply: a subdomain has a file that its root does not refer to", in: "Snapshot.adsTxt",
		old: "own.valid && root.refersTo(name)", new: "own.valid",
		tests: []string{"supply.TestSubdomains"},
	},
	{
		name: "supply: the end of a long line is a line", in: "lines.next",
		old: "long, l.start, l.end = true, 0, 0", new: "l.start, l.end = 0, 0",
		tests: []string{"supply.TestAdsTxt", "supply.TestRandomAdsTxt"},
	},
	{
		name: "supply: the system before shares memory with this one", in: "Snapshot.Judge",
		old: "names[paid%2]", new: "names[i%2]",
		tests: []string{"supply.TestJudge"},
	},
	{
		name: "reload: a folder without files is believed", in: "Folder.scan",
		old: "files+others == 0 &&", new: "files+others < 0 &&",
		tests: []string{"filewatch.TestFolder"},
	},

	// Short cuts of checks.
	{
		name: "check: a backslash before the name that decides the type", in: "plainEnd",
		old: `w^ones*'\\'`, new: "w^ones*'/'",
		tests: []string{"TestQuickType"},
	},
	{
		name: "check: a control character before the name that decides the type", in: "plainEnd",
		old: "(w-ones*' ')&^w", new: "(w-ones*'\\r')&^w",
		tests: []string{"TestQuickType"},
	},
	{
		name: "check: keys inside ext are not watched", in: "Engine.watches",
		old: "e.insideExt()", new: "e.insideExt() && e.on(ruleAnyDuplicateKey)",
		tests: []string{"schema.TestReference"},
	},
	{
		name: "check: an unknown key that is not watched", in: "schema.New",
		old: "e.on(ruleAnyDuplicateKey) || e.on(ruleAnyKeyCase)", new: "e.on(ruleAnyDuplicateKey)",
		tests: []string{"schema.TestReference"},
	},
	{
		name: "check: a decoder that does not begin to watch", in: "watching.more",
		old: "*w != before", new: "*w == before && before.requests",
		tests: []string{"TestWatchingBegins"},
	},
	{
		name: "check: a tally forgets documents", in: "Tally.Merge",
		old: "c.reports += more.reports", new: "c.reports = more.reports",
		tests: []string{"schema.TestTally"},
	},
	{
		name: "check: a chunk's tally goes on with the next chunk", in: "checker.check",
		old: "out.tally.reset()", new: "_ = out.tally",
		tests: []string{"batch.TestTally"},
	},

	{
		name: "check: findings at one place change their order", in: "sortByPlace",
		old: "to > 0 && before(&list[i], &list[to-1])", new: "to > 0 && !before(&list[to-1], &list[i])",
		tests: []string{"TestSortByPlace"},
	},
	{
		name: "check: a path is written over the one before", in: "findings.pointer",
		old: "f.paths = b\n", new: "f.paths = b[:start]\n",
		tests: []string{"TestPathsAreKept"},
	},
	{
		name: "check: a short ext has no members", in: "legacy.mayHave",
		old: "len(object) < least+len(name) ||", new: "len(object) <= least+len(name)+1 ||",
		tests: []string{"TestShortest"},
	},
	{
		name: "check: the message of another finding of the rule", in: "issues.add",
		old: "f.Message == c.message", new: "c.message != \"\"",
		tests: []string{"TestMessagesOfOneRule"},
	},

	// Kernels.
	{
		name: "plain text: the overlap of the last vector: AVX2", in: "copyAVX2", level: simd.AVX2,
		old: "LEAQ         -32(DX), DI", new: "LEAQ         -31(DX), DI",
		tests: []string{"plaincopy.TestEveryLengthAndPosition"},
	},
	{
		name: "plain text: 0x1f: AVX2", in: "plaincopy.constants", level: simd.AVX2,
		old: "$0x1f1f1f1f", new: "$0x1e1e1e1e",
		tests: []string{"plaincopy.TestEveryLengthAndPosition"},
	},
	{
		name: "plain text: backslashes: SWAR", in: "special",
		old: `x^ones*'\\'`, new: "x^ones*'/'",
		tests: []string{"plaincopy.TestEveryLengthAndPosition"},
	},
	{
		name: "0x1f is not a control character: AVX2", in: "jsonindex.constants", level: simd.AVX2,
		old: "$0x1f1f1f1f", new: "$0x1e1e1e1e",
		tests: []string{"TestIndex", "jsonindex.TestEveryLengthAndPosition"},
	},
	{
		name: "0x1f is not a control character: SWAR", in: "classify",
		old: "below(x, ' ')\n", new: "below(x, ' '-1)\n",
		tests: []string{"TestIndex", "jsonindex.TestEveryLengthAndPosition"},
	},
	{
		name: "bits beyond the end: SWAR", in: "indexSWAR",
		old: "copy(tail[copy(tail[:], rest):], plain)", new: "_ = copy(tail[:], rest) + len(plain)",
		tests: []string{"TestIndex", "jsonindex.TestRandom"},
	},
	{
		name: "white space by its low bits: AVX-512", in: "indexAVX512", level: simd.AVX512,
		old: "VPCMPEQB Z5, Z6, K4", new: "VPTESTMB Z5, Z6, K4",
		tests: []string{"TestIndex", "jsonindex.TestRandom"},
	},
	{
		name: "only the last bytes tell whether text is ASCII: AVX-512", in: "indexAVX512", level: simd.AVX512,
		old: "VPTERNLOGQ $0xfe, Z3, Z5, Z4", new: "VPTERNLOGQ $0xee, Z3, Z5, Z4",
		tests: []string{"TestNonASCIIAnywhere"},
	},
	{
		name: "four-byte characters: AVX2", in: "utf8check.constants", level: simd.AVX2,
		old: "$0x70707070", new: "$0x71717171",
		tests: []string{"TestFourBytes", "TestValid"},
	},
	{
		name: "the last vector is not checked: AVX2", in: "validAVX2", level: simd.AVX2,
		old: "\tCMPQ AX, DX\n\tJE   done", new: "\tCMPQ AX, DX\n\tJMP  done",
		tests: []string{"TestValid", "TestDamage"},
	},

	// Payload patterns.
	{
		name: "over-read: the last block of literals: AVX2", in: "findAVX2", level: simd.AVX2,
		old: "-64(CX)(R8*1)", new: "-63(CX)(R8*1)",
		tests: []string{"TestFindEveryLengthAndPosition"},
	},
	{
		name: "literals: what was seen before is found again", in: "Table.findShort",
		old: "1<<(whole-from) - 1", new: "1<<(whole-from+1) - 1",
		tests: []string{"TestFindEveryLengthAndPosition", "TestFindRandom"},
	},
	{
		name: "literals: one position too few", in: "Table.findRef",
		old: "min(at+blockSize, whole)", new: "min(at+blockSize, whole-1)",
		tests: []string{"TestFindEveryLengthAndPosition"},
	},
	{
		name: "literals: a mark in the last bytes", in: "Table.Find",
		old: "stop && t.marked(text, whole, len(text))", new: "stop && t.marked(text, whole+1, len(text))",
		tests: []string{"TestFindEveryLengthAndPosition", "TestMayHold"},
	},
	{
		name: "literals: the other case of a letter", in: "nibbles.addByte",
		old: "c>>4 ^ 2", new: "c>>4 ^ 0",
		tests: []string{"literals.TestSearchEveryOffset", "TestFoundVectors"},
	},
	{
		name: "literals: the automaton begins too late", in: "Set.Search",
		old: "max(0, at-s.windowLast)", new: "max(0, at)",
		tests: []string{"TestSearchBudgetEndsAnywhere"},
	},
	{
		name: "literals: literals that another one ends in", in: "automaton.complete",
		old: "a.suffix[a.longest[state]-1] = a.longest[fail]", new: "a.suffix[a.longest[state]-1] = 0",
		tests: []string{"TestSearchNearMisses", "TestSearchRandom"},
	},
	{
		name: "literals: equal literals", in: "automaton.search",
		old: "k < len(s.literals) && s.literals[k].text == text", new: "k < place",
		tests: []string{"TestSearchRandom"},
	},
	{
		name: "literals: quotes end strings", in: "literal.note",
		old: "q.Quoted && l.quote", new: "q.Quoted && l.quote && false",
		tests: []string{"literals.TestSearchRandom"},
	},
	{
		name: "literals: short ones at the end", in: "Set.Search",
		old: "len(q.Text)-(WindowSize-1)", new: "len(q.Text)-(WindowSize-2)",
		tests: []string{"literals.TestSearchEveryOffset", "TestSearchRandom"},
	},
	{
		name: "payload: half of a surrogate pair", in: "appendUnit",
		old: "low >= 0xdc00", new: "low >= 0xdc01",
		tests: []string{"TestSurrogateHalves"},
	},
	{
		name: "payload: an escape that does not exist hides what follows", in: "appendEscape",
		old: "return append(dst, '\\\\'), i + 1\n}", new: "return append(dst, '\\\\'), i + 2\n}",
		tests: []string{"payload.TestBrokenEscapes"},
	},
	{
		name: "payload: letters of escapes keep their case", in: "appendFoldedByte",
		old: "c |= 0x20", new: "c |= 0",
		tests: []string{"payload.TestStages"},
	},
	{
		name: "payload: comments without an end take quadratic time", in: "stepped.blankRun",
		old: "if i < *commentsFrom", new: "if i < 0",
		tests: []string{"payload.TestCommentsAreSearchedOnce"},
	},
	{
		name: "payload: a comment crosses strings", in: "payload.comment",
		old: "p[n] != mark", new: "p[n] != 0",
		tests: []string{"payload.TestCommentsEndInTheirString"},
	},
	{
		name: "verdict: too much work to search is a way past payloads", in: "payloadJudge.inspect",
		old: "s.verdict == payload.Clean", new: "s.verdict != payload.Found",
		tests: []string{"inspect.TestPayloadBudget"},
	},
	{
		name: "verdict: a pattern that is off is reported", in: "payloads.judge",
		old: "gradedPattern{&reasons[n], s}", new: "gradedPattern{&reasons[n], max(s, Observe)}",
		tests: []string{"inspect.TestPayload", "inspect.TestPayloadLayers"},
	},
	{
		name: "verdict: the payloads of the request before", in: "Worker.Decode",
		old: "w.in.scan.reset()", new: "w.in.scan.offsets = nil",
		tests: []string{"inspect.TestPayload", "inspect.TestSteps", "inspect.TestDeterminism"},
	},
	{
		name: "verdict: the place of another payload", in: "scan.of",
		old: "cmp.Compare(a.Offset, b.Offset)", new: "cmp.Compare(b.Offset, a.Offset)",
		tests: []string{"inspect.TestPayload"},
	},
	{
		name: "payload: only the first of the stages", in: "work.stages",
		old: "stage <= stageDecoded && changed", new: "stage < stageDecoded && changed",
		tests: []string{"payload.TestStages"},
	},
	{
		name: "payload: comments that are executed", in: "commentSign",
		old: "p[n] == '!'", new: "p[n] == '?'",
		tests: []string{"payload.TestStages"},
	},
	{
		name: "payload: a space before a comment", in: "squeezeStep",
		old: "start--", new: "start -= 0",
		tests: []string{"payload.TestStages"},
	},
	{
		name: "payload: an entity in hexadecimal", in: "numericEntity",
		old: "p[2] == 'x'", new: "p[2] == 'y'",
		tests: []string{"payload.TestStages"},
	},
	{
		name: "payload: exhausted is clean", in: "work.scan",
		old: "case w.spent:", new: "case w.spent && len(w.hits) > 0:",
		tests: []string{"TestWork"},
	},
	{
		name: "payload: the rest of a huge document", in: "Scanner.Scan",
		old: "return dst, Exhausted", new: "return dst, Clean",
		tests: []string{"TestWork"},
	},
	{
		name: "payload: a pattern of the scan before", in: "work.scan",
		old: "clear(w.seen)", new: "_ = w.seen",
		tests: []string{"TestFoundVectors", "payload.TestNoAllocation"},
	},
	{
		name: "payload: outside strings of valid JSON", in: "work.document",
		old: "fault == 0", new: "fault != 0",
		tests: []string{"TestBarePatterns"},
	},
	{
		name: "payload: harmless everywhere", in: "work.besidesFields",
		old: "w.search(raw, l, nil)", new: "w.search(raw, l, w.fields[0].except)",
		tests: []string{"payload.TestFields"},
	},
	{
		name: "payload: JSON in JSON in another field", in: "work.strings",
		old: "skip = w.exceptAt(s.raw)", new: "skip = w.exceptAt(s.raw + 1)",
		tests: []string{"payload.TestFields"},
	},
	{
		name: "payload: offsets of later matches", in: "layer.toRaw",
		old: "from, text = end, text+len(decoded)", new: "from, text = end, text+1",
		tests: []string{"payload.TestMatches"},
	},
	{
		name: "payloadgen: a literal without decoding", in: "pattern.problems",
		old: `add(strings.Contains(fold(text), p.Literal), "layered`, new: `add(false, "layered`,
		tests: []string{"payloadgen.TestFaults"},
	},

	// Simulated requests.
	{
		name: "simulate: identifiers without consent", in: "simulate.writer.identified",
		old: "w.r.tracked && !w", new: "!w",
		tests: []string{"TestCoherentPrivacy"},
	},
	{
		name: "simulate: every piece is the first", in: "simulate.piece.fill",
		old: "p.first+n", new: "n",
		tests: []string{"simulate.TestWrite"},
	},
	{
		name: "simulate: a duplicate key that is not there", in: "simulate.defects",
		old: `{"seat":1,"seat":2}`, new: `{"seat":1,"Seat":2}`,
		tests: []string{"simulate.TestGolden"}, // two cases of one name are a defect too
	},

	// Windows.
	{
		name: "window: an id is known one slot too long", in: "idBucket.advance",
		old: "e.age(now) >= idSlots", new: "e.age(now) > idSlots",
		tests: []string{"window.TestModel"},
	},
	{
		name: "window: requests never leave the window", in: "countBucket.advance",
		old: "<<= laneBits * passed", new: "<<= 0 * passed",
		tests: []string{"window.TestModel", "window.TestCountsBound"},
	},
	{
		name: "window: one record moves the clock as far as it likes", in: "clock.init",
		old: "window, window/2", new: "window, math.MaxInt64",
		tests: []string{"window.TestOneBadRecord"},
	},
	{
		name: "window: a repeated record counts again", in: "Windows.Observe",
		old: "add := !a.Redelivered", new: "add := true",
		tests: []string{"window.TestRedelivery"},
	},
	{
		name: "window: the newer entry gives way", in: "idEntry.observe",
		old: "b.entries[oldest].age(now) > a", new: "b.entries[oldest].age(now) < a",
		tests: []string{"window.TestOlderOfTwoBuckets"},
	},
	{
		name: "window: partners that share have one table", in: "Windows.partner",
		old: "w.partners[name]; p != nil", new: "w.partners[name]; p != nil && w.options.Partners[name].Limits != (Limits{})",
		tests: []string{"window.TestNobodyEmptiesAnother"},
	},
	{
		name: "window: strangers have one name", in: "Windows.partner",
		old: "maphash.String(w.seed, name)", new: "0",
		tests: []string{"window.TestPartners"},
	},
	{
		name: "window: a share is as large as all there is", in: "divideOne",
		old: "(n-done)", new: "max(1, done-n)",
		tests: []string{"window.TestDivide", "window.TestDivideAnything"},
	},
	{
		name: "window: a partner that comes empties the tables of others", in: "Windows.allocate",
		old: "kept.bytes() <= w", new: "kept.bytes() < 0*w",
		tests: []string{"window.TestSharesStay"},
	},
	{
		name: "window: a reload may take more memory than is allowed", in: "Windows.allocate",
		old: "kept.bytes() <= w.options.BytesMax", new: "kept.bytes() > 0",
		tests: []string{"window.TestSharesStay"},
	},
	{
		name: "window: a rate of which the windows remember half", in: "Options.need",
		old: "entriesOf(rate, o.IDWindow)", new: "entriesOf(rate, o.IDWindow/2)",
		tests: []string{"window.TestReaches"},
	},
	{
		name: "gateway: windows without the rates of partners", in: "gateway.ConfiguredWindows",
		old: "configuredPartner.In(partner).Limits.Rate", new: "0*len(partner.Name)",
		tests: []string{"serve.TestStateOptions"},
	},
	{
		name: "geoip: the first address of a range", in: "geoip.spans.find",
		old: "s[at+half].start <= a", new: "s[at+half].start < a",
		tests: []string{"geoip.TestLookup", "geoip.TestOracle"},
	},
	{
		name: "geoip: a subtree that is met again deeper", in: "treeReader.branch",
		old: "max(r.heights[record], 1)", new: "1",
		tests: []string{"TestPathsOfAnAddress"},
	},
	{
		name: "vendor: a caller waits for a deaf service", in: "vendor.call.wait",
		old: "c.settled.CompareAndSwap(false, true)", new: "false",
		tests: []string{"vendor.TestDeadlineHolds"},
	},
	{
		name: "breaker: a pause without an end", in: "Breaker.Probe",
		old: "at >= until &&", new: "at > until+int64(b.pause) &&",
		tests: []string{"breaker.TestBreaker"},
	},
	{
		name: "useragent: an iPad in desktop mode is a Mac", in: "found.system",
		old: "f.any(macintosh.bit()) &&", new: "f.any(darwin.bit()) &&",
		tests: []string{"useragent.TestGolden", "useragent.TestCompare", "useragent.TestReference"},
	},
	{
		name: "useragent: frozen versions are compared", in: "Claims.contradictsVersion",
		old: "|| c.Frozen", new: "|| c.Empty",
		tests: []string{"useragent.TestCompare"},
	},
	{
		name: "useragent: more after a usual form", in: "found.usualChrome",
		old: "return n-at == end", new: "return n-at >= end",
		tests: []string{"TestUsual", "useragent.TestReference", "useragent.TestGolden"},
	},
	{
		name: "over-read: the end of a user agent", in: "usualTail",
		old: `len(") AppleWebKit/605.1.15 (KHTML, like Gecko)")`, new: `len(") AppleWebKit/605.1.15 (KHTML")`,
		tests: []string{"TestUsualGuarded"},
	},

	// The fraud score.
	{
		name: "fraud: a signal that never fires", in: "scorer.windows",
		old: "if f.Seen {", new: "if f.Seen && f == nil {",
		tests: []string{"fraud.TestSignals"},
	},
	{
		name: "fraud: a signal that fires at its limit", in: "scorer.economics",
		old: "len(s.r.Imp) > s.limits.Imps", new: "len(s.r.Imp) >= s.limits.Imps",
		tests: []string{"fraud.TestSignals"},
	},
	{
		name: "fraud: a signal that others switch off", in: "scorer.page",
		old: "s.hit(inventoryPage, \"/site/page\")", new: "if !s.on(inventoryPage) {\n\t\treturn\n\t}\n\ts.hit(inventoryPage, \"/site/page\")",
		tests: []string{"fraud.TestSignals", "TestMonotonous"},
	},
	{
		name: "fraud: a cap that does not hold", in: "scorer.sum",
		old: "min(int(sum), int(s.caps[f]))", new: "int(sum) + 0*f",
		tests: []string{"TestCaps", "TestMonotonous"},
	},
	{
		name: "fraud: a cap below a weight", in: "fraud.New",
		old: "max(m.caps[f], families[f].cap, m.weights[n])", new: "max(m.caps[f], families[f].cap)",
		tests: []string{"TestCaps", "TestMonotonous"},
	},
	{
		name: "fraud: small answers count nothing", in: "scorer.share",
		old: "*percent + ScoreMax - 1) /", new: "*percent) /",
		tests: []string{"fraud.TestShares"},
	},
	{
		name: "fraud: the signals of the request before", in: "scorer.begin",
		old: "clear(s.seen[:])", new: "_ = s.seen",
		tests: []string{"TestSharedModels", "TestGoldenScores", "TestMonotonous"},
	},
	{
		name: "fraud: signals in the order of the families", in: "Model.Score",
		old: "sortHits(out[len(hits):])", new: "sortHits(nil)",
		tests: []string{"TestMonotonous", "fraud.TestSignals"},
	},
	{
		name: "fraud: spaces in a UUID", in: "uuid",
		old: "| (s[13] ^ '-')", new: "| s[13] ^ '-'",
		tests: []string{"TestForms"},
	},
	{
		name: "fraud: each with each", in: "scorer.twins",
		old: "j := max(0, i-twinsMax)", new: "j := 0",
		tests: []string{"fraud.TestSignals", "fraud.TestHostileRequests"},
	},
	{
		name: "fraud: every short label is a registry", in: "registered",
		old: "len(host)-last-1 != countryLabel || ", new: "",
		tests: []string{"TestHosts", "fraud.TestSignals"},
	},
	{
		name: "fraud: the user is the host", in: "urlhost.Host",
		old: "strings.LastIndexByte(s, '@')", new: "strings.IndexByte(s, '@')",
		tests: []string{"urlhost.TestHost", "TestHostRandom", "fraud.TestSignals"},
	},
	{
		name: "fraud: two strings are none", in: "scorer.privacy",
		old: "!saysGPP(gpp) && !twoTCF && !twoGPP", new: "!saysGPP(gpp)",
		tests: []string{"fraud.TestSignals"},
	},
	{
		name: "verdict: the threshold of the wrong layer", in: "fraudLayers.add",
		old: "s.Threshold != 0", new: "s.Threshold != 0 && l.threshold == fraud.ThresholdDefault",
		tests: []string{"TestFraudLayers", "TestFraudSettingsRandom"},
	},
	{
		name: "verdict: a score at the threshold passes", in: "fraudJudge.inspect",
		old: "score >= j.threshold", new: "score > j.threshold",
		tests: []string{"inspect.TestFraud"},
	},
	{
		name: "verdict: a fraud signal refuses", in: "frauds.judge",
		old: "min(g.fixed[n], Warn)", new: "g.fixed[n]",
		tests: []string{"inspect.TestFraud", "TestFraudFindings"},
	},
	{
		name: "verdict: a fraud signal that is off counts", in: "frauds.judge",
		old: "c.Weights[s.ID] = 0", new: "c.Weights[s.ID] += 0",
		tests: []string{"inspect.TestFraud", "TestFraudLayers"},
	},
	{
		name: "verdict: the no-bid reason of the last signal", in: "fraudJudge.inspect",
		old: "hit.Points > heaviest.Points", new: "hit.Points >= heaviest.Points",
		tests: []string{"inspect.TestFraud", "TestFraudFindings"},
	},
	{
		name: "verdict: direct partners share tables with others", in: "fraudLayers.appendKey",
		old: "direct = 1", new: "direct = 0",
		tests: []string{"TestFraudKeys", "TestFraudLayers"},
	},
	{
		name: "batch: findings about a request at a place in the response", in: "checker.response",
		old: "f.Doc == schema.Request", new: "f.Doc != f.Doc",
		tests: []string{"TestPairsSayWhere"},
	},
	// Traffic.
	{
		name: "replay: latency from the time of sending", in: "loop.answered",
		old: "t.latency.record(now - c.due)", new: "t.latency.record(now - c.sent)",
		tests: []string{"replay.TestStoppedTarget"},
	},
	{
		name: "replay: a late generator blames the target", in: "stream.late",
		old: "s.stalls.end(due)-due", new: "0*s.stalls.end(due)",
		tests: []string{"replay.TestInvalidRun"},
	},
	{
		name: "replay: long stalls are forgotten first", in: "stalls.add",
		old: "o.to-o.from < s.list", new: "o.to-o.from > s.list",
		tests: []string{"replay.TestStalls"},
	},
	{
		name: "guard: a length after an encoding", in: "head.takeLength",
		old: "case h.found&chunked != 0:", new: "case false:",
		tests: []string{"guard.TestAnswerRefused"},
	},
	{
		name: "core: a blocked advertiser", in: "Bidder.advertise",
		old: "under(req.BAdv, s)", new: "under(req.BAdv[:0], s)",
		tests: []string{"TestNothingToBidOn"},
	},
	// HTTP framing.
	{
		name: "guard: white space after the size of a chunk", in: "body.takeSize",
		old: "case c == '\\r':", new: "case c == '\\r' || c == ' ':",
		tests: []string{"guard.TestRefused"},
	},
	{
		name: "guard: what follows a body belongs to it", in: "body.next",
		old: "data = int(min(int64(len(p)-n), b.left))", new: "data = len(p) - n",
		tests: []string{"guard.TestAccepted", "guard.TestDifferential"},
	},
	{
		name: "guard: the time for a body is one for each read", in: "Conn.fill",
		old: "d.until == 0:", new: "d.until == 0 || c.inBody:",
		tests: []string{"TestSlowClients"},
	},
	{
		name: "guard: a body goes on after an early answer", in: "Conn.begin",
		old: "c.inBody || c.ready > 0:", new: "c.ready > 0:",
		tests: []string{"TestUnread"},
	},
	// The gateway.
	{
		name: "gateway: no guard in front of the server", in: "Gateway.serveWith",
		old: "serve(g.guard.Listener(tracked))", new: "serve(tracked)",
		tests: []string{"gateway.TestFraming"},
	},
	{
		name: "gateway: an answer with a length and an encoding", in: "Answer.Begin",
		old: "a.head.found = isAnswer", new: "a.head.found = isAnswer | lengthField",
		tests: []string{"guard.TestAnswer"},
	},
	{
		name: "gateway: answers are not framed", in: "upstreams.Conn.Read",
		old: "if bad != nil {", new: "if taken = n; bad != nil && n < 0 {",
		tests: []string{"gateway.TestBrokenAnswers"},
	},
	{
		name: "gateway: bytes beyond an answer stay on the connection", in: "upstreams.Conn.Read",
		old: "o.extra = taken < n", new: "o.extra = taken > n",
		tests: []string{"gateway.TestExtraBytes"},
	},
	{
		name: "gateway: a large buffer is kept", in: "gateway.keep",
		old: "cap(b) > keepMax", new: "cap(b) > keepMax+1",
		tests: []string{"gateway.TestKeep"},
	},
	{
		name: "gateway: a request is sent twice", in: "upstreams.Unsent",
		old: "errors.Is(err, ErrStale)", new: "!IsTimeout(err)",
		tests: []string{"gateway.TestNeverTwice", "gateway.TestFailover"},
	},
	{
		name: "gateway: a closed connection is used", in: "upstreams.Conn.ask",
		old: "!stillOpen(int(fd))", new: "!stillOpen(int(fd)) && fd == 0",
		tests: []string{"gateway.TestNeverTwice"},
	},
	{
		name: "gateway: our headers from outside, with underscores", in: "oursByPrefix",
		old: "name[i] == '_'", new: "name[i] == '.'",
		tests: []string{"gateway.TestHeaders"},
	},
	{
		name: "gateway: addresses that anybody forwards", in: "outgoing.stops",
		old: "!o.trusted ||", new: "",
		tests: []string{"gateway.TestHeaders"},
	},
	{
		name: "gateway: the stop cuts requests", in: "Gateway.Shutdown",
		old: "!g.conns.end()", new: "!g.conns.end() && len(g.conns.all()) < 0",
		tests: []string{"TestDrainUnderLoad", "TestDrainStates"},
	},
	{
		name: "gateway: the reserve is not kept", in: "timeBudget.apply",
		old: "- reserve)", new: "- 0*reserve)",
		tests: []string{"gateway.TestBudget"},
	},
	{
		name: "gateway: a breaker that never opens", in: "Breaker.Failure",
		old: ">= b.limit &&", new: "> 1<<30 &&",
		tests: []string{"gateway.TestFailover", "breaker.TestBreaker"},
	},
	{
		name: "gateway: memory of documents is not given on", in: "byteBudget.release",
		old: "b.give()", new: "_ = b.free",
		tests: []string{"TestByteBudget"},
	},
	{
		name: "gateway: a bomb within the limit on bodies", in: "request.inflate",
		old: "byRatio < limit", new: "byRatio < 0",
		tests: []string{"TestHTTPTable", "TestHTTPRaw"},
	},
	{
		name: "gateway: the next request has the id of this one", in: "decoded.end",
		old: "id: keep(d.id)", new: "id: d.id",
		tests: []string{"TestNoCrossTalk", "TestPartnerNoBids"},
	},
	{
		name: "gateway: a no-bid has the id of a released worker", in: "decoded.keepID",
		old: "append(d.id[:0], d.requestID()...)", new: "mem.Bytes(d.requestID())",
		tests: []string{"gateway.TestKeptID"},
	},
	{
		name: "gateway: a wildcard is a suffix", in: "sender.hasName",
		old: "strings.EqualFold(parent, suffix)", new: "strings.HasSuffix(parent, suffix)",
		tests: []string{"gateway.TestHasName"},
	},
	{
		name: "gateway: an answer that can't be edited passes", in: "answer.enforce",
		old: "return withheld{failEdits.reason, adcom.NoBidReasonTechnicalError}", new: "return withheld{}",
		tests: []string{"gateway.TestResponsesNotEdited"},
	},
	{
		name: "gateway: tmax overflows", in: "tmaxOf",
		old: "min(tmax, tmaxMsMax)", new: "tmax + 0*tmaxMsMax",
		tests: []string{"TestBudgetBorders", "TestTMaxBorders"},
	},
	{
		name: "gateway: two fields of gzip are one", in: "head.read",
		old: "d.encodings > 0", new: "d.encodings > 1",
		tests: []string{"gateway.TestHTTPTable"},
	},
	{
		name: "gateway: gzip in a list", in: "encodingNamed",
		old: "bytes.EqualFold(value, nameGzip)", new: "bytes.HasPrefix(value, nameGzip)",
		tests: []string{"gateway.TestHTTPTable"},
	},
	{
		name: "gateway: an upstream closes the sender's connection", in: "answer.relay",
		old: "h.ResetConnectionClose()", new: "defer h.SetConnectionClose()",
		tests: []string{"gateway.TestUpstreamCloses"},
	},
	{
		name: "gateway: the sender gets the upstream's version of HTTP", in: "answer.relay",
		old: "h.SetProtocol(protocolHTTP)", new: "_ = protocolHTTP",
		tests: []string{"gateway.TestUpstreamCloses"},
	},
	{
		name: "gateway: inflated documents do not count", in: "request.inflate",
		old: "hold(int64(len(r.body)))", new: "hold(0)",
		tests: []string{"TestInflatedCounts"},
	},
	{
		name: "gateway: an upstream with other authorities is the same one", in: "balance.New",
		old: "own.connections != o.Connections", new: "false",
		tests: []string{"gateway.TestReloadAuthorities"},
	},
	{
		name: "gateway: inflated answers do not count", in: "exchange.judgeAnswer",
		old: "hold(int64(len(body)))", new: "hold(0)",
		tests: []string{"gateway.TestInflatedAnswersCount"},
	},
	{
		name: "gateway: answers do not count", in: "answerReader.Read",
		old: "a.memory.hold(more)", new: "a.memory.hold(0)",
		tests: []string{"gateway.TestAnswersCount"},
	},
	{
		name: "gateway: answers count as they come", in: "upstreams.Conn.Size",
		old: "o.taken + left", new: "o.taken + 0*left",
		tests: []string{"gateway.TestAnswersCount"},
	},
	{
		name: "gateway: an answer without memory opens the breaker", in: "balance.says",
		old: "!errors.Is(err, ErrNeutral) && ", new: "",
		tests: []string{"gateway.TestBreakerAndMemory"},
	},
	{
		name: "balance: shares are rounded", in: "balance.exactly",
		old: "const rounding = 1e-9", new: "const rounding = 1e-1",
		tests: []string{"balance.TestSlots", "balance.TestWeights"},
	},
	{
		name: "balance: turns in a row", in: "balance.newSlots",
		old: "cmp.Compare(a.at, b.at)", new: "cmp.Compare(a.i, b.i)",
		tests: []string{"balance.TestSmooth"},
	},
	{
		name: "balance: an address is tried twice", in: "Group.Pick",
		old: "tried.n > 0 && tried.has(own.endpoint)", new: "tried.n > 99",
		tests: []string{"balance.TestRetries"},
	},
	{
		name: "balance: no zone carries more than its part", in: "level.use",
		old: "min(1, overprovisioning*part)", new: "part",
		tests: []string{"balance.TestWeights", "balance.TestZones"},
	},
	{
		name: "balance: a zone carries all until it is gone", in: "balance.spread",
		old: "overprovisioning*l.healthy", new: "1.0",
		tests: []string{"balance.TestZones", "balance.TestPanicPrefersHealth"},
	},
	{
		name: "balance: no panic", in: "Group.weigh",
		old: "l.healthy < o.PanicThreshold", new: "l.healthy < 0*o.PanicThreshold",
		tests: []string{"balance.TestPanic"},
	},
	{
		name: "balance: panic uses what is broken", in: "Endpoint.reachable",
		old: "e.state.Load()&(open|gone) == 0", new: "e.state.Load()&gone == 0",
		tests: []string{"balance.TestPanic"},
	},
	{
		name: "balance: a slow start without an end", in: "Set.warmer",
		old: "s.slow = nil", new: "_ = s.slow",
		tests: []string{"balance.TestSlowStartEnds"},
	},
	{
		name: "balance: lost requests count for ever", in: "Endpoint.good",
		old: "e.lost.Store(0)", new: "_ = e",
		tests: []string{"balance.TestEjection"},
	},
	{
		name: "balance: every ejection is as long", in: "Endpoint.eject",
		old: "time.Duration(min(e.ejections, ejectionsMax))", new: "time.Duration(min(1, ejectionsMax))",
		tests: []string{"balance.TestEjection"},
	},
	{
		name: "balance: all addresses can be ejected", in: "Set.spares",
		old: "out >= max(1, int(most*float64(len(all))))", new: "out >= len(all)",
		tests: []string{"balance.TestMaxEjected"},
	},
	{
		name: "balance: the first check does not decide", in: "Set.checked",
		old: "c.row < limit && !first", new: "c.row < limit && (first || true)",
		tests: []string{"balance.TestChecks"},
	},
	{
		name: "balance: without an answer of the name service all is gone", in: "Set.apply",
		old: "len(list) == 0 {", new: "len(list) < 0 {",
		tests: []string{"balance.TestResolve"},
	},
	{
		name: "balance: addresses that are gone are used", in: "Set.apply",
		old: "own.endpoints.Store(&next)", new: "next = append(next, before...)\n\town.endpoints.Store(&next)",
		tests: []string{"balance.TestResolve", "gateway.TestNamesUnderLoad"},
	},
	{
		name: "balance: a reload forgets the health", in: "balance.New",
		old: "own := old.source(url)", new: "own := (*Upstream)(nil).source(url)",
		tests: []string{"balance.TestReload"},
	},
	{
		name: "balance: a canary that fails is used in panic", in: "Group.weigh",
		old: " && !g.canary", new: "",
		tests: []string{"gateway.TestCanaryAnswersErrors"},
	},
	{
		name: "balance: an ejected canary keeps others from it", in: "Set.spares",
		old: "all := g.endpoints()", new: "all := s.endpoints()",
		tests: []string{"gateway.TestCanaryAnswersErrors"},
	},
	{
		name: "balance: a drained upstream is used", in: "balance.levelsOf",
		old: "if u.Drained()", new: "if u.Drained() && false",
		tests: []string{"balance.TestDrain"},
	},
	{
		name: "balance: a slow start with all of the share", in: "Endpoint.warmth",
		old: "max(slowStartMin, ", new: "max(1, slowStartMin, ",
		tests: []string{"balance.TestSlowStart"},
	},
	{
		name: "balance: the busier of two", in: "Group.Pick",
		old: "other.endpoint.busier(other.share) < own.endpoint.busier(own.share)", new: "other.endpoint.busier(other.share) > own.endpoint.busier(own.share)",
		tests: []string{"balance.TestLeastRequest"},
	},
	{
		name: "balance: a few answers make a latency", in: "Set.latencies",
		old: "n >= latencyRequests", new: "n > 0",
		tests: []string{"balance.TestLatency"},
	},
	{
		name: "balance: a late answer to a short time counts", in: "balance.says",
		old: "timeout >= slow", new: "timeout >= 0*slow",
		tests: []string{"balance.TestSays"},
	},
	{
		name: "balance: an address that hangs is used", in: "Endpoint.Done",
		old: "case says(err, timeout, e.usual()):\n", new: "case says(err, timeout, e.usual()) && false:\n",
		tests: []string{"balance.TestSilence"},
	},
	{
		name: "balance: any late answer counts", in: "Endpoint.usual",
		old: "lateFactor * time.Duration(mean)", new: "0 * time.Duration(mean)",
		tests: []string{"balance.TestSilence"},
	},
	{
		name: "balance: partners without a bound", in: "Stats.add",
		old: "len(before) >= PartnersMax", new: "len(before) >= 1<<30*PartnersMax",
		tests: []string{"balance.TestStats"},
	},
	{
		name: "gateway: a copy that no mirror gets is not counted", in: "exchange.mirror",
		old: "MirrorAbsent.Add(1)", new: "MirrorAbsent.Add(0)",
		tests: []string{"gateway.TestMirrorGone"},
	},
	{
		name: "gateway: a partner's share of canaries is everybody's", in: "routing.route",
		old: "total = *own.Canary", new: "_ = total",
		tests: []string{"gateway.TestCanaryShares"},
	},
	{
		name: "gateway: a 5xx is no failure of the upstream", in: "Endpoint.Done",
		old: "case err == nil && status < statusError:", new: "case err == nil && status < 2*statusError:",
		tests: []string{"balance.TestEjection", "gateway.TestCanaryAnswersErrors"},
	},
	// What operators change, and what is only observed.
	{
		name: "overrides: a change without an end", in: "Store.expire",
		old: "now.Before(e.Until)", new: "now.Before(e.Until) || true",
		tests: []string{"overrides.TestEnd"},
	},
	{
		name: "overrides: changes without a bound", in: "Store.Add",
		old: "len(s.entries) >= EntriesMax", new: "len(s.entries) >= 99*EntriesMax",
		tests: []string{"overrides.TestRefused"},
	},
	{
		name: "overrides: a change that no line is about", in: "Store.Add",
		old: "s.audit(\"operator change\", &e, by)", new: "",
		tests: []string{"overrides.TestStore"},
	},
	{
		name: "overrides: a change that is not written", in: "Store.Release",
		old: "s.save()", new: "",
		tests: []string{"overrides.TestStore"},
	},
	{
		name: "overrides: a file that was cut is a shorter one", in: "overrides.decode",
		old: "len(entries) < head.Entries", new: "len(entries) < 0*head.Entries",
		tests: []string{"overrides.TestBrokenFile"},
	},
	{
		name: "overrides: a file of another gateway is replaced", in: "overrides.write",
		old: "before == nil || !bytes.Equal(now, before)", new: "before == nil && !bytes.Equal(now, before)",
		tests: []string{"overrides.TestShared"},
	},
	{
		name: "overrides: addresses of proxies are not blocked", in: "overrides.addressIn",
		old: "f.Forwarded, has", new: "f.Forwarded[:0], has",
		tests: []string{"overrides.TestBlocked"},
	},
	{
		name: "overrides: blocks refuse where all is observed", in: "exchange.blockedNow",
		old: "case x.plan.options.Shadow:", new: "case false:",
		tests: []string{"gateway.TestOverridesInShadow"},
	},
	{
		name: "overrides: a reload ends the drain of an upstream", in: "Gateway.use",
		old: "p.upstreams.Drain(g.overrides.Load().drainedUpstreams())", new: "",
		tests: []string{"gateway.TestDrainUpstream"},
	},
	{
		name: "enforce: all requests are in the share", in: "Worker.share",
		old: "refusals: place >= p.enforce", new: "refusals: place > 1+p.enforce",
		tests: []string{"inspect.TestEnforceShare", "inspect.TestEnforce"},
	},
	{
		name: "enforce: the innermost layer decides", in: "compiler.policySet",
		old: "p.enforce = min(p.enforce, l.enforce)", new: "p.enforce = l.enforce",
		tests: []string{"inspect.TestEnforceCovers", "inspect.TestEnforce"},
	},
	{
		name: "enforce: a share that is no sample", in: "policySet.sampled",
		old: "|| p.enforce > 0 && p.enforce < 1", new: "",
		tests: []string{"inspect.TestEnforceShare", "inspect.TestEnforce"},
	},
	{
		name: "enforce: answers to observed requests are edited", in: "decision.decideResponses",
		old: "d.verdict.Observed.Refusals", new: "d.verdict.Observed.Refusals && false",
		tests: []string{"gateway.TestObservedResponses", "gateway.TestEnforce"},
	},
	{
		name: "candidate: a queue without a bound on memory", in: "Candidate.Add",
		old: "c.bytes.Add(size) > QueueBytesMax", new: "c.bytes.Add(size) < 0",
		tests: []string{"candidate.TestSlow"},
	},
	{
		name: "candidate: a panic ends the program", in: "Candidate.judge",
		old: "p := recover()", new: "p := any(nil)",
		tests: []string{"candidate.TestPanic"},
	},
	{
		name: "candidate: what operators observe is forgotten", in: "Candidate.judge",
		old: "w.JudgeObserving(i.Facts(), i.observing)", new: "w.JudgeObserving(i.Facts(), nil)",
		tests: []string{"candidate.TestObserving"},
	},
	{
		name: "candidate: a share of all", in: "Candidate.Add",
		old: "rand.Float64() >= c.options.Share", new: "rand.Float64() >= 1",
		tests: []string{"candidate.TestShare"},
	},
	{
		name: "candidate: the worker keeps a request", in: "Candidate.judge",
		old: "w.Release()", new: "_ = w",
		tests: []string{"candidate.TestIdle"},
	},
	{
		name: "diff: refusals for other reasons are the same", in: "verdictchange.Between",
		old: "case before.Reason != after.Reason:", new: "case false:",
		tests: []string{"verdictchange.TestBetween", "policydiff.TestAsFilter"},
	},
	{
		name: "diff: the old verdict is the new one", in: "newJudge",
		old: "old: o.Old.NewWorker()", new: "old: o.New.NewWorker()",
		tests: []string{"policydiff.TestAsFilter"},
	},
	{
		name: "diff: names without a bound", in: "policydiff.count",
		old: "len(in) >= NamesMax", new: "len(in) >= 1<<20*NamesMax",
		tests: []string{"policydiff.TestBounds"},
	},
	{
		name: "diff: the facts of a capture are not its own", in: "policydiff.judge.document",
		old: "body, facts = r.Request, r.Facts", new: "body = r.Request",
		tests: []string{"policydiff.TestCaptures"},
	},
	{
		name: "diff: pieces are added up as they come", in: "pieces.run",
		old: "<-c.judged\n\t\t\t\tr.add(c)", new: "r.add(c)\n\t\t\t\t<-c.judged",
		tests: []string{"policydiff.TestJobs", "policydiff.TestAsFilter"},
	},
	{
		name: "gateway: canaries are those of other samples", in: "gateway.resampled",
		old: "sample * salt", new: "sample + 0*salt",
		tests: []string{"gateway.TestCanaryShares"},
	},
	{
		name: "gateway: a mirror without a bound on memory", in: "mirrors.offer",
		old: "m.bytes.Add(size) > MirrorBytesMax", new: "m.bytes.Add(size) < 0",
		tests: []string{"gateway.TestMirrorBytes"},
	},
	{
		name: "gateway: a copy looks like a request", in: "outgoing.appendHead",
		old: "if mirrored", new: "if mirrored && false",
		tests: []string{"gateway.TestMirror"},
	},
	{
		name: "gateway: an error page of the core goes on", in: "exchange.send",
		old: "== ErrorsNoBid", new: "== \"never\"",
		tests: []string{"gateway.TestUpstreamErrors"},
	},
	{
		name: "gateway: an answer counts for a closed connection", in: "conn.hold",
		old: "if c.ended", new: "if false",
		tests: []string{"gateway.TestHeldAfterClose"},
	},
	{
		name: "gateway: another character set", in: "readableParameters",
		old: "case extended, charset, !readableCharset(value):", new: "case extended, charset:\n\t\t\t\t_ = value",
		tests: []string{"gateway.TestJSONType", "gateway.TestHTTPTable"},
	},
	{
		name: "gateway: the last of several codings is the only one", in: "outgoing.Read",
		old: "list != nil", new: "list != nil && false",
		tests: []string{"gateway.TestSeveralCodings"},
	},
	{
		name: "guard: codings of an interim answer are the answer's", in: "Answer.takeHead",
		old: "a.codings = nil\n", new: "",
		tests: []string{"guard.TestCodings"},
	},
	{
		name: "guard: extensions are forgotten at each chunk", in: "body.step",
		old: "b.part, b.left, b.digits = sizeDigits, 0, 0", new: "b.part, b.left, b.digits, b.extensions = sizeDigits, 0, 0, 0",
		tests: []string{"guard.TestRefused"},
	},
	{
		name: "admin: an origin that ends with the host", in: "sameSite",
		old: "!strings.EqualFold(u.Host, r.Host)", new: "!strings.HasSuffix(u.Host, r.Host)",
		tests: []string{"admin.TestGuard"},
	},
	{
		name: "capture: percent-encoding hides an identifier", in: "residue.search",
		old: "range encodings {", new: "range encodings[:1] {",
		tests: []string{"TestResidueSpellings", "TestResidueRandom"},
	},
	{
		name: "capture: escapes hide an identifier", in: "residue.search",
		old: "range encodings {", new: "range encodings[1:] {",
		tests: []string{"TestResidueSpellings", "TestResidueRandom"},
	},
	// Streams.
	{
		name: "stream: an offset too many is committed", in: "prefix.advance",
		old: "p.position = c.records[n-1].Next", new: "p.position = c.records[n-1].Next + 1",
		tests: []string{"stream.TestRecycle", "kafka.TestDrainDeadline"},
	},
	{
		name: "stream: what was read counts as delivered", in: "Lane.Position",
		old: "return l.prefix.position, l.prefix.moved()", new: "l.prefix.position = max(l.prefix.position, l.prefix.expected)\n\treturn l.prefix.position, l.prefix.moved()",
		tests: []string{"kafka.TestDrainDeadline"},
	},
	{
		name: "stream: delivered before the acknowledgement", in: "kafka.session.produce",
		old: "n.cl.Produce(", new: "done(nil)\n\tp.done = func(error) {}\n\tn.cl.Produce(",
		tests: []string{"TestDeadLettersDenied"},
	},
	{
		name: "stream: a chunk is used again while its sender knows it", in: "prefix.advance",
		old: "|| !c.over", new: "",
		tests: []string{"stream.TestRecycle"},
	},
	{
		name: "stream: a chunk keeps what was delivered", in: "chunk.recycle",
		old: "c.done[i].Store(false)", new: "_ = i",
		tests: []string{"stream.TestRecycle"},
	},
	{
		name: "stream: what failed counts as delivered", in: "owed.ended",
		old: "d.until > d.from", new: "d.until > d.from && failure == nil",
		tests: []string{"TestOwed", "files.TestUndelivered"},
	},
	{
		name: "stream: a stop between sessions is a clean one", in: "Stream.Run",
		old: "case <-ctx.Done():\n\t\t\treturn s.owed.error(unit(s.options.Source))", new: "case <-ctx.Done():\n\t\t\treturn nil",
		tests: []string{"files.TestUndelivered"},
	},
	{
		name: "stream: two jobs send for a partition", in: "order.begin",
		old: "o.sending = true", new: "o.sending = false",
		tests: []string{"TestOneSender"},
	},
	{
		name: "stream: records of a partition go to several", in: "samePartition.Partition",
		old: "return int(r.Partition) % n", new: "return len(r.Value) % n",
		tests: []string{"TestPartitions"},
	},
	{
		name: "stream: a dead letter without its place", in: "Flow.deadLetter",
		old: "{Key: HeaderPath, Value: []byte(o.path)},", new: "",
		tests: []string{"kafka.TestCodecs"},
	},
	{
		name: "stream: a dead letter without the record's headers", in: "kafka.session.outgoing",
		old: "addHeaders(slices.Clip(out.Headers), r.Added)", new: "addHeaders(slices.Clip(out.Headers[:0]), r.Added)",
		tests: []string{"kafka.TestCodecs"},
	},
	{
		name: "stream: a partition leaves with records on their way", in: "Flow.Release",
		old: "f.settle(ctx, leaving)", new: "",
		tests: []string{"kafka.TestRevoked"},
	},
	{
		name: "stream: a partition leaves without a commit", in: "Flow.Release",
		old: "f.commitLast(ctx, leaving)", new: "",
		tests: []string{"stream.TestReleaseCommits"},
	},
	{
		name: "stream: a transaction with a record that was not written", in: "kafka.transactions.endTransaction",
		old: "commit := t.n.f.Settle(ctx)", new: "t.n.f.Settle(ctx)\n\tcommit := true",
		tests: []string{"TestDeadLettersDenied"},
	},
	{
		name: "stream: an aborted transaction is not read again", in: "Flow.Rewind",
		old: "l.rewind()", new: "_ = l",
		tests: []string{"TestRemoved"},
	},
	{
		name: "stream: no limit on bytes in flight", in: "budget.wait",
		old: "if b.used < b.max", new: "if b.used < 1<<40",
		tests: []string{"kafka.TestMemory"},
	},
	{
		name: "stream: the lag counts from the commit", in: "Lane.places",
		old: "l.end-at", new: "l.end-l.prefix.committed",
		tests: []string{"stream.TestPlaces"},
	},
	{
		name: "stream: headers are no bytes in flight", in: "stream.sizeOf",
		old: "n += len(r.Headers[i].Key) + len(r.Headers[i].Value)", new: "_ = i",
		tests: []string{"stream.TestLeaves"},
	},
	{
		name: "stream: a partition that leaves keeps its bytes in flight", in: "Lane.drop",
		old: "l.f.budget.give(c.bytes)", new: "_ = c",
		tests: []string{"stream.TestLeaves"},
	},
	{
		name: "stream: a committed offset of 0 is none", in: "session.hadCommitted",
		old: "offset >= 0", new: "offset > 0",
		tests: []string{"kafka.TestCommittedZero"},
	},
	{
		name: "stream: the suspect at the committed offset is forgotten", in: "suspects.forget",
		old: "at.position < below", new: "at.position <= below",
		tests: []string{"kafka.TestSuspects"},
	},
	{
		name: "stream: what was refused is not read again", in: "Lane.renewed",
		old: "at = c.records[c.prefix()].Position", new: "at = c.records[len(c.records)-1].Next",
		tests: []string{"stream.TestRenewed", "kafka.TestManyRefused"},
	},
	{
		name: "stream: a refused record ends the membership", in: "kafka.session.explain",
		old: "n.suspect(t, r, err)", new: "n.g.suspects.add(t.placeOf(r), err)\n\t\treturn err",
		tests: []string{"kafka.TestManyRefused"},
	},
	{
		name: "stream: transactions of many records that are written alone", in: "kafka.transactions.poll",
		old: "t.n.suspicious()", new: "false",
		tests: []string{"kafka.TestAloneInTransactions"},
	},
	{
		name: "stream: a timestamp that was refused is tried again", in: "kafka.session.outgoing",
		old: "own.retimed ||", new: "own.retimed && !own.retimed ||",
		tests: []string{"kafka.TestUntimely"},
	},
	{
		name: "stream: limits of timestamps are not looked at", in: "topicLimits.configured",
		old: "l.future = min(value, timeNoLimit)", new: "",
		tests: []string{"kafka.TestUntimely"},
	},
	{
		name: "stream: a sender's claim among our headers", in: "kafka.senderHeaders",
		old: "stream.SenderHeader(h.Key)", new: "h.Key",
		tests: []string{"kafka.TestSenderHeaders"},
	},
	{
		name: "stream: long answers are dropped", in: "kafka.session.topicLimits",
		old: "o.Responses: requestMax", new: "o.Responses: batchDefault",
		tests: []string{"kafka.TestAnswers"},
	},
	{
		name: "stream: a refused answer takes others with it", in: "kafka.session.triesAlone",
		old: "t.role == responses && refusesRecord(err)", new: "false",
		tests: []string{"kafka.TestAnswers"},
	},
	// Rules and configurations.
	{
		name: "rules: an expensive request passes", in: "gradedRule.failed",
		old: "case errors.Is(err, rule.ErrLimit):", new: "case errors.Is(err, rule.ErrLimit) && r.onError == rule.ObjectOnError:",
		tests: []string{"inspect.TestRuleCauses", "TestRuleLimit"},
	},
	{
		name: "rules: cost of the interpreter is no limit", in: "policy.interpreted",
		old: "return failCost", new: "return failInterpreter",
		tests: []string{"policy.TestHostile"},
	},
	{
		name: "rules: data that is not loaded passes", in: "OnError.Objects",
		old: "o == ObjectOnError ||", new: "o == ObjectOnError && o != ByCause || o > ObjectOnError &&",
		tests: []string{"TestRuleCauses"},
	},
	{
		name: "rules: no rates at all are a fault of the request", in: "Env.noRate",
		old: "return failRates", new: "return failCurrency",
		tests: []string{"TestNotLoaded"},
	},
	{
		name: "rules: the request hides that data is not loaded", in: "frame.absorb",
		old: "worse(failed, c.fail)", new: "failed",
		tests: []string{"policy.TestCauses"},
	},
	{
		name: "rules: an element hides that data is not loaded", in: "frame.decided",
		old: "worse(*failed, c.fail)", new: "c.fail",
		tests: []string{"policy.TestCauses"},
	},
	{
		name: "rules: the request hides a limit of work", in: "frame.absorb",
		old: "if !c.fail.fatal()", new: "if true",
		tests: []string{"policy.TestCauses"},
	},
	{
		name: "rules: quadratic work is not seen", in: "growing.loop",
		old: "outer < loops", new: "outer > loops",
		tests: []string{"TestGrowth"},
	},
	{
		name: "rules: a text that is read again and again is not seen", in: "growing.rereads",
		old: "outer < loops", new: "outer > loops",
		tests: []string{"TestGrowth"},
	},
	{
		name: "live: a failed reload takes effect", in: "Live.open",
		old: "case len(problems) > 0:", new: "case false:",
		tests: []string{"TestLiveKeepsTheLastGood"},
	},
	{
		name: "live: a setup that can't be used takes effect", in: "Live.open",
		old: "case err != nil:", new: "case false:",
		tests: []string{"TestFilesOfUnusedSetup"},
	},
	{
		name: "filewatch: an error that stays is news each time", in: "News.Of",
		old: "!known || was != is", new: "!known || was != is || f.Err != nil",
		tests: []string{"TestNews"},
	},
	{
		name: "judged: what layers in shadow find is not counted", in: "Judged.Count",
		old: "if v.Shadow != nil {\n\t\tv = v.Shadow\n\t}", new: "",
		tests: []string{"TestJudged"},
	},
	{
		name: "explain: a partner by its address gets sentences", in: "request.maybePartner",
		old: "len(own.Match.From) > 0", new: "false",
		tests: []string{"gateway.TestExplain"},
	},
	{
		name: "live: files of secrets are not followed", in: "Config.paths",
		old: "slices.Concat(c.Files, c.followed)", new: "slices.Clone(c.Files)",
		tests: []string{"TestLiveFollowsSecrets"},
	},
	{
		name: "live: a reload reads every list", in: "Live.open",
		old: "o.inUse = l.Setup()", new: "o.inUse = nil",
		tests: []string{"TestReloadReadsWhatChanged"},
	},
	{
		name: "live: a list that another set has loaded is not seen", in: "lists.Set.Refresh",
		old: "changed || t != next.tables[i]", new: "changed",
		tests: []string{"TestReloadReadsWhatChanged"},
	},
	{
		name: "schema: a document after a dirty one counts as read", in: "docText.begin",
		old: "d.read, d.known, d.nodes, d.edits = false, false,", new: "d.known, d.nodes, d.edits = false,",
		tests: []string{"TestTextLayerIsForOneDocument"},
	},
	{
		name: "convert: a value of another type moves", in: "openrtb.convert",
		old: "!replace && !fits(object+to, f.Value)", new: "false",
		tests: []string{"TestConvert", "TestConvertKeepsRequestsValid"},
	},
	{
		name: "ext: an error quotes the value", in: "openrtb.withoutValue",
		old: "strings.Cut(e.Value, \" \")", new: "strings.Cut(e.Value, \"\\x00\")",
		tests: []string{"TestExtAsErrorsQuoteNothing"},
	},
	// Files.
	{
		name: "filter: lines are shifted", in: "judge.lines",
		old: "dst = append(j.line(dst, line), '\\n')", new: "if dst = j.line(dst, line); len(line) > 0 {\n\t\t\t\tdst = append(dst, '\\n')\n\t\t\t}",
		tests: []string{"lines.TestReference"},
	},
	{
		name: "filter: what is refused goes through", in: "judge.line",
		old: "v.Action == inspect.ActionRefuse", new: "v.Action == inspect.ActionRefuse && v.NBR < 0",
		tests: []string{"lines.TestEmit"},
	},
	{
		name: "filter: the rest of a line that is too long", in: "cutter.cut",
		old: "skipping = end < 0", new: "skipping = false",
		tests: []string{"lines.TestReference"},
	},
	{
		name: "filter: a piece is written before it is judged", in: "pipeline.write",
		old: "<-c.judged", new: "_ = c.judged",
		tests: []string{"lines.TestOrder"},
	},
	{
		name: "parquet: a row has the findings of others", in: "rows.verdict",
		old: "s.findings[from:len(s.findings):", new: "s.findings[from/2 : len(s.findings) :",
		tests: []string{"batch.TestRows"},
	},
	{
		name: "parquet: texts of a row are not copied", in: "rows.string",
		old: "return mem.String(kept)", new: "_ = mem.String(kept)\n\treturn text",
		tests: []string{"TestRowText"},
	},
	{
		name: "parquet: a row group without a limit", in: "parquetReport.Rows",
		old: "p.group.bytes += rowBytes", new: "p.group.bytes = rowBytes",
		tests: []string{"TestParquet", "TestParquetMemory"},
	},
	{
		name: "parquet: an error at the end of the file", in: "parquetReport.End",
		old: "p.w.Close(); err != nil", new: "p.w.Close(); err != nil && p.o.Summary",
		tests: []string{"TestParquetErrors"},
	},

	// Ways of senders past lists, rules and scrubs.
	{
		name: "evasion: the decoder does not note a NUL", in: "Reader.escape",
		old: "r.notes |= wire.NoteNUL", new: "",
		tests: []string{"TestNotesOfNUL", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a NUL in a key inside ext", in: "recorder.freeKey",
		old: "w.innerFinding(ruleAnyNul, offset)", new: "",
		tests: []string{"schema.TestAdmissionNUL", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a NUL in a string", in: "acceptedWalker.value",
		old: "w.nulText(text, p)", new: "_ = text",
		tests: []string{"schema.TestAdmissionNUL", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a NUL in a string inside ext", in: "recorder.freeText",
		old: "w.innerFinding(ruleAnyNul, offset)", new: "",
		tests: []string{"schema.TestAdmissionNUL", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a NUL in an unknown key", in: "recorder.unknown",
		old: "w.keyFinding(ruleAnyNul, key, start)", new: "",
		tests: []string{"schema.TestAdmissionNUL", "agreement.TestEvasions"},
	},
	{
		name: "evasion: the decoder does not note an escape in a key", in: "Reader.Key",
		old: "r.notes |= wire.NoteKeyEscape", new: "",
		tests: []string{"TestNotesOfKeyEscapes", "agreement.TestEvasions"},
	},
	{
		name: "evasion: an escape in a key inside ext", in: "recorder.freeKey",
		old: "w.innerFinding(ruleAnyKeyEscape, offset)", new: "",
		tests: []string{"schema.TestEveryRule", "agreement.TestEvasions"},
	},
	{
		name: "evasion: an escape in a known key", in: "acceptedWalker.object",
		old: "w.report(ruleAnyKeyEscape, start)", new: "",
		tests: []string{"schema.TestEveryRule", "agreement.TestEvasions"},
	},
	{
		name: "evasion: the decoder tells letter cases apart inside ext", in: "coder.hashWordsFolded",
		old: "foldKey(first|lower, last|lower, n)", new: "foldKey(first, last|lower&0, n)",
		tests: []string{"TestNotesOfKeyEscapes", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a name in two letter cases inside ext", in: "textMemory.inOtherCase",
		old: "m.keys.Has(name)", new: "false",
		tests: []string{"schema.TestEveryRule", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a key in capitals in eids inside ext", in: "schema.legacyDoubt",
		old: "keysInOtherCase(doubt.Unknown, types...)", new: "false",
		tests: []string{"TestAdmissionKeyCaseInExt", "agreement.TestEvasions"},
	},
	{
		name: "evasion: eids inside ext that can't be read count as absent", in: "embedded.decode",
		old: "value[0] == '{' || value[0] == '['", new: "false",
		tests: []string{"schema.TestEveryRule", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a flag inside ext that can't be read counts as absent", in: "schema.legacyUnread",
		old: "c.engine.on(ruleAnyExtType)", new: "false",
		tests: []string{"schema.TestAdmissionExtType", "agreement.TestEvasions"},
	},
	{
		name: "evasion: rules tell letter cases apart inside ext", in: "frame.memberAlike",
		old: "!legacy.Alike(m.key, name)", new: "true",
		tests: []string{"policy.TestExtLetterCase", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a rule reads the last of two letter cases", in: "frame.memberAlike",
		old: "f.found && m.key != key", new: "false && m.key != key",
		tests: []string{"policy.TestExtLetterCase", "agreement.TestEvasions"},
	},
	{
		name: "evasion: white space that is not ASCII hides a value", in: "blank.IsSpace",
		old: "unicode.IsSpace(r)", new: "unicode.IsSpace(r) && r <= ' '",
		tests: []string{"blank.TestTrim", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a byte order mark hides a value", in: "blank.IsSpace",
		old: "mongolianVowelSeparator, wordJoiner, byteOrderMark:", new: "mongolianVowelSeparator, wordJoiner:",
		tests: []string{"blank.TestTrim", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a seller's system spelled as a URL", in: "Table.Seller",
		old: "hostOf(domain)", new: "canonical.UpToNUL(domain)",
		tests: []string{"lists.TestCanonicalForms", "agreement.TestEvasions"},
	},
	{
		name: "evasion: lists compare beyond a NUL", in: "canonical.UpToNUL",
		old: "return before", new: "return s[:max(len(s), len(before))]",
		tests: []string{"lists.TestCanonicalForms", "agreement.TestEvasions"},
	},
	{
		name: "evasion: scrubs compare keys beyond a NUL", in: "Scratch.named",
		old: "name, _, _ = strings.Cut(name, \"\\x00\")", new: "",
		tests: []string{"TestScrub", "agreement.TestEvasions"},
	},
	{
		name: "evasion: octal numbers of an address", in: "address.atonNumber",
		old: "base, s = 8, s[1:]", new: "base, s = 10, s[1:]",
		tests: []string{"address.TestRead", "agreement.TestEvasions"},
	},
	{
		name: "evasion: the last number of an address fills one byte", in: "address.aton",
		old: "uint64(n) < 1<<(8*(parts-i))", new: "n <= 0xff",
		tests: []string{"address.TestRead", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a zone hides an address", in: "address.readLoose",
		old: "s, _, _ = strings.Cut(s, \"%\")", new: "",
		tests: []string{"address.TestRead", "agreement.TestEvasions"},
	},
	{
		name: "evasion: an address inside another is on no list", in: "Table.MatchAddr",
		old: "ok && t.prefixes.contains(v4)", new: "ok && v4.IsUnspecified()",
		tests: []string{"lists.TestCanonicalForms", "agreement.TestEvasions"},
	},
	{
		name: "evasion: truncation leaves the address inside another", in: "cut.truncated",
		old: "before + c.ipv4; a.Is6()", new: "max(before, c.ipv4, c.ipv6); a.Is6()",
		tests: []string{"scrub.TestInside"},
	},
	{
		name: "evasion: a currency in small letters", in: "currency.Canonical",
		old: "buf[i] -= 'a' - 'A'", new: "",
		tests: []string{"currency.TestCanonical", "agreement.TestEvasions"},
	},
	{
		name: "evasion: any text is consent", in: "legacy.TCF",
		old: "!consent.Header(value)", new: "!consent.Header(value) && value == \"\"",
		tests: []string{"policy.TestLegacy", "agreement.TestEvasions"},
	},
	{
		name: "evasion: blanks are digits of consent", in: "consent.Header",
		old: "allDigits(consent[:coreMin])", new: "allDigits(consent[1:1])",
		tests: []string{"TestPrivacyStringsRandom"},
	},
	{
		name: "evasion: legacy names in capitals", in: "legacy.isKey",
		old: "return alike", new: "return different",
		tests: []string{"TestKeysAlike", "agreement.TestEvasions"},
	},
	{
		name: "evasion: legacy names in capitals are not looked for", in: "legacy.MayHave",
		old: "folded := w | fold", new: "folded := w",
		tests: []string{"TestKeysAlike"},
	},
	{
		name: "evasion: a domain with two dots at the end", in: "canonical.AppendDomain",
		old: "strings.TrimRight(s, \".\")", new: "strings.TrimSuffix(s, \".\")",
		tests: []string{"lists.TestCanonicalForms", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a second copy of a named header", in: "namedHeaders.check",
		old: "len(h.PeekAll(own)) > 1", new: "len(h.PeekAll(own)) > 2",
		tests: []string{"TestNamedHeaders"},
	},
	{
		name: "evasion: a named header with underscores", in: "gateway.foldDash",
		old: "c == '_'", new: "c == '-'",
		tests: []string{"TestNamedHeaders"},
	},
	{
		name: "evasion: a scheme without slashes", in: "urlhost.authority",
		old: "slashes > 1 || isSpecial(s[:i])", new: "slashes > 1",
		tests: []string{"urlhost.TestHost", "TestHostRandom", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a host with percent signs", in: "urlhost.nextDecoded",
		old: "s[0] == '%'", new: "s[0] == 0",
		tests: []string{"urlhost.TestHost", "TestHostRandom", "agreement.TestEvasions"},
	},
	{
		name: "evasion: a bundle in capitals", in: "canonical.FoldBundle",
		old: "buf[i] += 'a' - 'A'", new: "",
		tests: []string{"TestFoldBundle", "agreement.TestEvasions"},
	},
}
