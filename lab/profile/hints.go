package profile

import "regexp"

// hint explains functions at the top of profiles of JSON code. The first that matches counts.
type hint struct {
	functions *regexp.Regexp
	what, fix string
}

var hints = []hint{
	{
		regexp.MustCompile(`^runtime\.mapassign|^internal/runtime/maps\.(NewMap|NewEmptyMap|newTable|runtime_mapassign|\(\*(Map|table)\)\.(put|Put|grow|rehash|split|uncheckedPut|reset))`),
		"map writing: objects become map[string]any, with a hash and sometimes a larger table for each key",
		"decode to structs; keep what is rarely read as json.RawMessage",
	},
	{
		regexp.MustCompile(`^runtime\.mapaccess|^internal/runtime/maps\.`),
		"map look-up: for each key the field of that name is looked for in a table of the type's field names, with a hash; nothing is written",
		"generated code, which finds a field by a switch or a guess",
	},
	{
		regexp.MustCompile(`^(runtime|reflect)\.growslice|^bytes\.growSlice|bytes\.\(\*Buffer\)\.grow|^slices\.Grow`),
		"growing slices: arrays or output buffers are moved to a larger place again and again",
		"buffers that are used again or sized before; an arena for arrays",
	},
	{
		regexp.MustCompile(`encoding/json\.(appendString|appendCompact)|[eE]scape|AppendQuote|\.quote`),
		"string escaping: every character of every string is looked at before it is written",
		"an encoder that searches for the rare character with SIMD and copies the rest; no HTML escaping where it is not wanted",
	},
	{
		regexp.MustCompile(`encoding/json\.(indirect|\(\*decodeState\)\.indirect)$`),
		"indirect: for every value pointers are followed, made where they are nil, and methods of interfaces looked for; little of its own, much in what it calls",
		"fewer optional fields that are pointers; generated code, which knows the types",
	},
	{
		regexp.MustCompile(`encoding/json\.(unquote|unquoteBytes|getu4)$`),
		"unquoting: each string is looked at once more, byte by byte, and copied",
		"strings that point into the text where nothing is escaped; a search for the backslash with SIMD",
	},
	{
		regexp.MustCompile(`encoding/json\.(checkValid|stateInString|stateEndValue|stateBegin\w+|state0|state1|isSpace|\(\*scanner\))|encoding/json\.\(\*decodeState\)\.(scanWhile|skip|rescanLiteral|scanNext)`),
		"validation pass: the text is read once to see that it is JSON before it is decoded",
		"a decoder that checks while it reads; version 2 of encoding/json does",
	},
	{
		regexp.MustCompile(`^runtime\.(madvise|sysUnused|sysUsed|sysHugePage|\(\*pageAlloc\)|\(\*scavengerState\)|bgscavenge|sysFault)`),
		"page return: the runtime gives memory back to the system and asks for it again",
		"less garbage between collections; GOMEMLIMIT with a higher GOGC",
	},
	{
		regexp.MustCompile(`^reflect\.unsafe_New|^runtime\.(mallocgc|newobject|makeslice|nextFreeFast|\(\*mcache\)|\(\*mcentral\)|\(\*mheap\)|\(\*mspan\)|heapSetType|memclr|rawstring|rawbyte|slicebytetostring|stringtoslicebyte|concatstring)`),
		"allocation: objects, slices and strings are made, and cleared before they are",
		"an arena or a pool for what lives as long as the request; strings that point into the text",
	},
	{
		regexp.MustCompile(`^runtime\.(gc[A-Z]|scanobject|scanObject|scanblock|scanstack|greyobject|findObject|markroot|bgsweep|sweepone|wbBufFlush|\(\*gcWork\)|\(\*gcBits\)|\(\*sweepLocked\)|typePointers|tryDeferToSpanScan|spanOf|heapBits|\(\*lfstack\))|^gcWriteBarrier`),
		"garbage collection: what was allocated is walked and swept, and pointers are noted while it runs",
		"fewer objects with pointers; fewer bytes for each request",
	},
	{
		regexp.MustCompile(`^runtime\.memmove`),
		"copying: text is moved into strings, buffers or larger slices",
		"strings that point into the text, where its memory can be kept; buffers sized before",
	},
	{
		regexp.MustCompile(`^strconv\.|^internal/strconv\.`),
		"numbers: the general way from and to decimal text",
		"a short way for what most numbers are: small integers, prices with a few decimals",
	},
	{
		regexp.MustCompile(`jsonindex\.|utf8check\.|plaincopy\.|indexStop|stopbyte\.|findStructural|find_quote|simdjson-go|native/`),
		"a SIMD kernel: it looks at 16 to 64 bytes at once",
		"this is where a fast library should spend its time",
	},
	{
		regexp.MustCompile(`^sync\.\(\*Pool\)|^sync\.\(\*poolChain\)|^sync\.\(\*Map\)|^internal/sync`),
		"pools and shared tables: taking and giving back what is used again",
		"a decoder that the goroutine keeps",
	},
	{
		regexp.MustCompile(`[kK]ey(Bytes|End)|decodeKey|FindKey|findSlow|keyWords`),
		"keys: the field that a key names is looked for",
		"a guess from the order of the last document; a perfect hash",
	},
	{
		regexp.MustCompile(`^reflect\.|\.cachedTypeFields|encoding/json\.\(\*decodeState\)\.(value|object|array)$|encoding/json\.(structEncoder|ptrEncoder|condAddrEncoder)`),
		"reflection: fields are found and set through descriptions of their types, one call for each value",
		"generated code (rtbwire-gen) for the types at the top; a library with compiled plans",
	},
}

// explain returns the hint for a function, or nil.
func explain(name string) *hint {
	for i := range hints {
		if hints[i].functions.MatchString(name) {
			return &hints[i]
		}
	}
	return nil
}
