package simulate

import "strconv"

// writer writes one request as its producer does. It has no function values and no interfaces, so
// that it stays on the stack.
type writer struct {
	dst  []byte
	r    request
	d    *dialect
	salt uint64 // of the choice of members; another one for each impression

	special bool // the plan is about some members
	strict  bool // needed is about some members
	gdpr    bool // the request says that the GDPR applies
	foreign bool // prices are not in dollars

	// Of a payload: the string that carries it, its encoding, and that one's name.
	target   member
	encoding int
	how      string

	watch member // at is where its key begins; 0 until it is written
	at    int

	id      [36]byte
	idLen   uint8
	scratch [768]byte
}

// has reports whether the request has a member. If the plan has a value for it, has writes that.
func (w *writer) has(m member) bool {
	if w.special {
		switch w.about(m) {
		case aboutOmit:
			return false
		case aboutForce:
			return true
		case aboutPut:
			w.key(m)
			w.planned(m)
			return false
		}
	}
	return w.chosen(m) || w.strict && w.needed(m)
}

// needed reports whether what the request says elsewhere asks for a member: gdpr for the consent, a
// price for its currency, a screen outside the home for its place.
func (w *writer) needed(m member) bool {
	switch m {
	case reqUser:
		return w.gdpr
	case userConsent:
		return w.gdpr && !w.d.old
	case userExt:
		return w.gdpr && w.d.old
	case reqDevice, devUA, devGeo, geoLat, geoLon, geoType:
		return w.r.channel == outside
	case impFloorCur:
		return w.foreign && w.chosen(impFloor)
	case dealFloorCur:
		return w.foreign && w.chosen(dealFloor)
	}
	return false
}

// chosen reports whether a request of this detail has a member.
func (w *writer) chosen(m member) bool {
	if w.r.detail < w.d.least[m] {
		return false
	}
	share := w.d.share[m]
	return share == 0 || uint8(mix(w.salt+uint64(w.d.pick[m])*golden)>>56) < share
}

// about says what the plan says about a member.
func (w *writer) about(m member) int {
	p := w.r.plan
	if p.Class == Payload {
		return w.carries(m)
	}
	if w.d.old && members[m].newer && !p.omitted.has(m) { // it is in ext, which is forced too
		return aboutNothing
	}
	return p.about(m)
}

func (w *writer) open() { w.dst = append(w.dst, '{') }

func (w *writer) close() { w.dst = append(w.dst, '}') }

// key writes a comma, if there is a member before, and a name.
func (w *writer) key(m member) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, w.d.comma...)
	}
	if m == w.watch && w.at == 0 {
		w.at = len(w.dst)
	}
	w.dst = append(w.dst, w.d.keys[m]...)
}

// name is key for members of ext, which have no number.
func (w *writer) name(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, w.d.comma...)
	}
	w.dst = append(append(append(w.dst, '"'), name...), '"')
	w.dst = append(w.dst, w.d.colon...)
}

// element writes a comma, unless it is the first element.
func (w *writer) element(i int) {
	if i > 0 {
		w.dst = append(w.dst, w.d.comma...)
	}
}

// raw writes a value that needs no escapes.
func (w *writer) raw(text string) { w.dst = append(w.dst, text...) }

func (w *writer) int(n int) { w.dst = strconv.AppendInt(w.dst, int64(n), 10) }

func (w *writer) flag(b bool) {
	c := byte('0')
	if b {
		c = '1'
	}
	w.dst = append(w.dst, c)
}

// ints writes an array.
func (w *writer) ints(list ...int) {
	w.dst = append(w.dst, '[')
	for i, n := range list {
		w.element(i)
		w.int(n)
	}
	w.dst = append(w.dst, ']')
}

// texts writes an array of strings.
func (w *writer) texts(list ...string) {
	w.dst = append(w.dst, '[')
	for i, text := range list {
		w.element(i)
		w.text(text)
	}
	w.dst = append(w.dst, ']')
}

// text writes a string.
func (w *writer) text(text string) {
	at := w.begin()
	w.dst = append(w.dst, text...)
	w.end(at)
}

// begin starts a string that is appended to dst as it is meant; end adds the escapes.
func (w *writer) begin() int {
	w.dst = append(w.dst, '"')
	return len(w.dst)
}

func (w *writer) end(at int) {
	escapes := &w.d.escapes
	for i := at; i < len(w.dst); i++ {
		if escapes[w.dst[i]] != 0 {
			rest := append(w.scratch[:0], w.dst[i:]...)
			w.dst = w.d.appendEscaped(w.dst[:i], rest)
			break
		}
	}
	w.dst = append(w.dst, '"')
}

// endPlain is end for what no producer escapes: letters, digits, dots and dashes.
func (w *writer) endPlain() { w.dst = append(w.dst, '"') }

// decimal writes a number with digits after the point, as the producer writes such numbers.
func (w *writer) decimal(n, digits int) {
	if n < 0 {
		w.dst = append(w.dst, '-')
		n = -n
	}
	scale := 1
	for range digits {
		scale *= 10
	}
	w.int(n / scale)
	rest := n % scale
	form := w.d.money
	if rest == 0 && form == shortest {
		return
	}
	w.dst = append(w.dst, '.')
	start := len(w.dst)
	w.dst = appendPadded(w.dst, uint64(rest), digits)
	least := 1
	switch form {
	case cents:
		least = 2
	case micros:
		least = 6
	}
	for len(w.dst)-start > least && w.dst[len(w.dst)-1] == '0' {
		w.dst = w.dst[:len(w.dst)-1]
	}
	for len(w.dst)-start < least {
		w.dst = append(w.dst, '0')
	}
}

// identifier writes an identifier of a form as a string.
func (w *writer) identifier(form idForm, key uint64, serial int) {
	w.dst = append(w.dst, '"')
	w.dst = appendID(w.dst, form, key, serial)
	w.dst = append(w.dst, '"')
}

func appendID(dst []byte, form idForm, key uint64, serial int) []byte {
	switch form {
	case hex32:
		return appendHex(appendHex(dst, key, 16), mix(key), 16)
	case uuidLower:
		return appendUUID(dst, key, false)
	case uuidUpper:
		return appendUUID(dst, key, true)
	case decimal:
		return appendPadded(dst, key%8_999_999_999_999_999+1_000_000_000_000_000, 16)
	case base62:
		for _, n := range [...]uint64{key, mix(key)} {
			for range 10 {
				dst = append(dst, base64URL[n%62])
				n /= 62
			}
		}
		return dst
	default:
		return strconv.AppendInt(dst, int64(serial), 10)
	}
}

// What has to be written with an escape, by byte.
const (
	escapeNone  = iota
	escapeJSON  // a quote, a backslash or a control character
	escapeSlash // \/
	escapeHTML  // \u0026
	escapeASCII // the first byte of a character beyond ASCII
)

// escapesOf returns what a producer escapes.
func escapesOf(p *producer) (t [256]uint8) {
	for c := range 0x20 {
		t[c] = escapeJSON
	}
	t['"'], t['\\'] = escapeJSON, escapeJSON
	if p.slashes {
		t['/'] = escapeSlash
	}
	if p.html {
		t['&'], t['<'], t['>'] = escapeHTML, escapeHTML, escapeHTML
	}
	if p.ascii {
		for c := 0xc0; c < 0x100; c++ {
			t[c] = escapeASCII
		}
	}
	return t
}

// appendEscaped appends text with the producer's escapes.
func (d *dialect) appendEscaped(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch d.escapes[c] {
		case escapeNone:
			dst = append(dst, c)
		case escapeJSON:
			if c >= 0x20 {
				dst = append(dst, '\\', c)
			} else {
				dst = appendU(dst, uint16(c))
			}
		case escapeSlash:
			dst = append(dst, '\\', '/')
		case escapeHTML:
			dst = appendU(dst, uint16(c))
		case escapeASCII:
			var unit uint32 // the tables have no character beyond the basic plane
			n := 1
			switch {
			case c < 0xe0:
				unit = uint32(c & 0x1f)
			case c < 0xf0:
				unit, n = uint32(c&0x0f), 2
			}
			for range n {
				i++
				unit = unit<<6 | uint32(text[i]&0x3f)
			}
			dst = appendU(dst, uint16(unit))
		}
	}
	return dst
}

// appendU appends \u and four digits.
func appendU(dst []byte, unit uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
}
