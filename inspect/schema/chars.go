package schema

// set is a set of characters: one bit of their classes.
type set uint32

// The sets of the formats.
const (
	upper set = 1 << iota
	letters
	digits
	upperDigits
	alnum
	hex
	base64URL
	gppSection
	mimeType
	mimeSubtype
	locode
	privacy
	storeID
	cookieSafe // printable ASCII without the characters that end or quote the value of a cookie
	graphic    // all but white space and control characters; also every byte beyond ASCII
)

// classes are the sets that each byte belongs to. One table for all sets stays in the cache.
var classes = classesOf(map[set]string{
	upper:       "AZ",
	letters:     "AZaz",
	digits:      "09",
	upperDigits: "AZ09",
	alnum:       "AZaz09",
	hex:         "09AFaf",
	base64URL:   "AZaz09__--",
	gppSection:  "AZaz09__--..",
	mimeType:    "AZaz09!!##$$&&^^__..++--",
	mimeSubtype: "AZaz09!!##$$&&^^__..++**--",
	locode:      "AZ29",
	privacy:     "YYNNyynn--",
	storeID:     "AZaz09__..::--",
	cookieSafe:  "!!#+-:<[]~",
	graphic:     "!~\x80\xff",
})

// classesOf takes sets as ranges, each of two bytes: "09AF" are the digits and the letters to F.
func classesOf(sets map[set]string) (table [256]set) {
	for s, ranges := range sets {
		for i := 0; i < len(ranges); i += 2 {
			for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
				table[b] |= s
			}
		}
	}
	return table
}

func (s set) has(b byte) bool { return classes[b]&s != 0 }

// three is all for a text of three bytes.
func (s set) three(text string) bool {
	return classes[text[0]]&classes[text[1]]&classes[text[2]]&s != 0
}

// all reports whether a text has characters of the set alone.
func (s set) all(text string) bool { return s.run(text) == len(text) }

// run returns the number of characters of the set at the front of a text.
func (s set) run(text string) int {
	n := 0
	for ; len(text)-n >= 8; n += 8 {
		t := text[n : n+8]
		if classes[t[0]]&classes[t[1]]&classes[t[2]]&classes[t[3]]&classes[t[4]]&classes[t[5]]&classes[t[6]]&classes[t[7]]&s == 0 {
			break
		}
	}
	for n < len(text) && classes[text[n]]&s != 0 {
		n++
	}
	return n
}
