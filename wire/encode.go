package wire

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/simd/plaincopy"
	"github.com/rtbwire/rtbwire/internal/simd/utf8check"
)

// This file writes values for generated encoders. Each member is written with a comma before
// it; the first one's is then turned into the opening brace.

// EncodeOptions is how values are written. The zero value is the default.
type EncodeOptions struct {
	// EscapeHTML writes <, >, & and U+2028, U+2029 in strings as escapes, in raw values too, for
	// text that is put into HTML or JavaScript. Default: they stand as they are, which is legal
	// JSON.
	EscapeHTML bool
	// RefuseInvalidUTF8 makes a string that is not UTF-8 an error with [CodeUTF8].
	// Default: each byte that is not becomes U+FFFD, as in encoding/json.
	RefuseInvalidUTF8 bool
}

// Writer is what generated encoders write with: the options, and whether something could not
// be written. The zero value has the default options.
type Writer struct {
	EncodeOptions
	failed Code
	depth  int
	raw    *validator // from the pool, from the first raw value on
}

// Fail notes that something can't be written.
func (w *Writer) Fail(code Code) {
	if w.failed == 0 {
		w.failed = code
	}
}

// Enter is called by encoders of types that can contain themselves, and reports whether they
// may go on; Leave ends what Enter has begun.
func (w *Writer) Enter() bool {
	if w.depth == DepthMost {
		w.Fail(CodeDepth)
	}
	if w.failed != 0 { // of a value that contains itself twice there is no end
		return false
	}
	w.depth++
	return true
}

// Leave ends what Enter has begun.
func (w *Writer) Leave() { w.depth-- }

// Finish returns what was appended to dst, or dst and why it could not be done; v is what was
// to be written.
func (w *Writer) Finish(dst, out []byte, v any) ([]byte, error) {
	if w.raw != nil {
		w.raw.release()
		w.raw = nil
	}
	if w.failed != 0 {
		return dst, locate(v, w.EncodeOptions, w.failed)
	}
	return out, nil
}

// CloseObject ends the object whose members were appended from start on.
func CloseObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, '{', '}')
	}
	b[start] = '{'
	return append(b, '}')
}

// CloseArray ends the array whose elements were appended from start on.
func CloseArray(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, '[', ']')
	}
	b[start] = '['
	return append(b, ']')
}

// String appends a string.
func (w *Writer) String(b []byte, s string) []byte {
	o, n := len(b)+1, len(s)
	if cap(b)-o <= n || w.EscapeHTML || !ZeroCopy {
		return w.slowString(b, s)
	}
	b = b[:o+n+1]
	b[o-1] = '"'
	b[o+n] = '"'
	if k := plaincopy.Copy(b[o:], stringBytes(s)); k != n {
		return w.specials(b, o+k, s, k)
	}
	return b
}

// slowString is String where the buffer has to grow, or the characters be looked at one by one.
func (w *Writer) slowString(b []byte, s string) []byte {
	if w.EscapeHTML || !ZeroCopy {
		return append(w.escaped(append(b, '"'), s), '"')
	}
	return w.String(slices.Grow(b, len(s)+2), s)
}

// specials goes on with a string whose first n bytes are copied, at b[o-n:], where a special one
// stands: one that can't stand as it is, or is not ASCII. From there on it looks at eight bytes
// at a time: where one character is special others are near, and calls of the kernel would not
// pay before there are many plain ones in a row.
func (w *Writer) specials(b []byte, o int, s string, n int) []byte {
	const wordsInRow = 3
	notASCII, words := wordHigh, 0
	b = b[:cap(b)]
	spare := len(b) - o - specialRoom(s, n) // what escapes may still add
	for n < len(s) {
		if spare < escapeMost {
			room := specialRoom(s, n)
			b = slices.Grow(b[:o], room+room/8+escapeMost)
			b = b[:cap(b)]
			spare = len(b) - o - room
		}
		var c byte
		if len(s)-n >= 8 {
			x := binary.LittleEndian.Uint64(stringBytes(s[n : n+8]))
			binary.LittleEndian.PutUint64(b[o:], x)
			stops := wordEscapes(x) | x&notASCII
			if stops == 0 {
				n, o = n+8, o+8
				if words++; words == wordsInRow && notASCII != 0 {
					k := plaincopy.Copy(b[o:], stringBytes(s[n:]))
					n, o, words = n+k, o+k, 0
				}
				continue
			}
			k := bits.TrailingZeros64(stops) >> 3
			n, o = n+k, o+k
			c = byte(x >> (8 * k & 63))
		} else if c = s[n]; c >= ' ' && c != '"' && c != '\\' && uint64(c)&notASCII == 0 {
			b[o] = c
			n, o = n+1, o+1
			continue
		}
		words = 0
		if c >= utf8.RuneSelf {
			if !utf8check.Valid(stringBytes(s[n:])) {
				return append(w.escaped(b[:o], s[n:]), '"')
			}
			notASCII = 0
			continue
		}
		if e := shortEscapes[c]; e != 0 {
			b[o], b[o+1] = '\\', e
			o, spare = o+2, spare-1
		} else {
			o, spare = len(appendEscape(b[:o], c)), spare-(escapeMost-1)
		}
		n++
	}
	b[o] = '"'
	return b[:o+1]
}

// specialRoom is what s[n:] takes without escapes: with a quote, and a word that is written over
// the end.
func specialRoom(s string, n int) int { return len(s) - n + 1 + 8 }

// shortEscapes has what stands behind the backslash in escapes of two characters.
var shortEscapes = [utf8.RuneSelf]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

const (
	escapeMost = len(`\u0000`)
	wordLow    = 0x0101010101010101
	wordHigh   = uint64(0x8080808080808080)
)

// wordEscapes has the highest bit of each byte of x set that has to be escaped, up to the first
// of them; what it says of those behind may be wrong.
func wordEscapes(x uint64) uint64 {
	quote, backslash := x^'"'*wordLow, x^'\\'*wordLow
	return ((x - ' '*wordLow) | (quote - wordLow) | (backslash - wordLow)) &^ x & wordHigh
}

// escaped appends the content of a string character by character: for HTML, and as the slow and
// clear twin of String.
func (w *Writer) escaped(b []byte, s string) []byte {
	from := 0 // what stands before is written
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && (!w.EscapeHTML || c != '<' && c != '>' && c != '&') {
				i++
				continue
			}
			b = append(b, s[from:i]...)
			b = appendEscape(b, c)
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			if w.RefuseInvalidUTF8 {
				w.Fail(CodeUTF8)
			}
			b = append(b, s[from:i]...)
			b = append(b, `\ufffd`...)
		case w.EscapeHTML && (r == '\u2028' || r == '\u2029'):
			b = append(b, s[from:i]...)
			b = append(b, `\u202`...)
			b = append(b, hexDigits[r&15])
		default:
			i += size
			continue
		}
		i += size
		from = i
	}
	return append(b, s[from:]...)
}

const hexDigits = "0123456789abcdef"

// appendEscape appends the escape of an ASCII character.
func appendEscape(b []byte, c byte) []byte {
	if e := shortEscapes[c]; e != 0 {
		return append(b, '\\', e)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendInt appends an integer.
func AppendInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](b []byte, v T) []byte {
	return appendInt(b, int64(v))
}

func appendInt(b []byte, v int64) []byte {
	u := uint64(v)
	switch {
	case u < 10:
		return append(b, byte('0'+u))
	case u < 100:
		return append(b, byte('0'+u/10), byte('0'+u%10))
	case u < 1000:
		return append(b, byte('0'+u/100), byte('0'+u/10%10), byte('0'+u%10))
	}
	return strconv.AppendInt(b, v, 10)
}

// AppendUint appends an integer without a sign.
func AppendUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](b []byte, v T) []byte {
	return strconv.AppendUint(b, uint64(v), 10)
}

// AppendBool appends true or false.
func AppendBool[T ~bool](b []byte, v T) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// Float64 appends the shortest number that reads back as v. NaN and infinity fail.
func (w *Writer) Float64(b []byte, v float64) []byte {
	if b, ok := appendPrice(b, v); ok {
		return b
	}
	return w.float(b, v, 64)
}

// Float32 appends the shortest number that reads back as v. NaN and infinity fail.
func (w *Writer) Float32(b []byte, v float32) []byte { return w.float(b, float64(v), 32) }

// pricesMost bounds what appendPrice takes: with four decimals such a number has at most 15
// digits, so that no other number of so many digits reads back as the same float64, and none
// that is shorter either.
const pricesMost = 1e11

// appendPrice appends a number with at most four decimals, which prices are, and reports
// whether v is one. The product below may be rounded; the quotient shows whether that matters.
func appendPrice(b []byte, v float64) ([]byte, bool) {
	const scale = 10000
	if !(v >= 0 && v < pricesMost) || v == 0 && math.Signbit(v) {
		return b, false
	}
	n := uint64(v*scale + 0.5)
	if float64(n)/scale != v {
		return b, false
	}
	whole, decimals := n/scale, n%scale
	if decimals == 0 {
		return AppendInt(b, int64(whole)), true
	}
	b = AppendInt(b, int64(whole))
	b = append(b, '.', byte('0'+decimals/1000), byte('0'+decimals/100%10), byte('0'+decimals/10%10), byte('0'+decimals%10))
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b, true
}

// float appends a number in the form that encoding/json uses, which is ECMAScript's.
func (w *Writer) float(b []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		w.Fail(CodeFinite)
		return append(b, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 {
		if bits == 64 && (abs < 1e-6 || abs >= 1e21) || bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			format = 'e'
		}
	}
	b = strconv.AppendFloat(b, v, format, -1, bits)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is e-9
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// Raw appends a value that is JSON text already, byte for byte. Text that is no JSON fails.
func (w *Writer) Raw(b, raw []byte) []byte {
	if w.raw == nil {
		w.raw = validators.Get().(*validator)
	}
	if !w.raw.valid(raw) {
		code, _ := check(raw, DepthDefault, false)
		w.Fail(code)
	}
	if w.EscapeHTML {
		return appendForHTML(b, raw)
	}
	return append(b, raw...)
}

// appendForHTML appends JSON text with escapes for what means something in HTML or ends a line
// in JavaScript. In JSON such characters stand in strings only.
func appendForHTML(b, raw []byte) []byte {
	from := 0
	for i, c := range raw {
		switch {
		case c == '<' || c == '>' || c == '&':
			b = append(append(b, raw[from:i]...), '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			from = i + 1
		case c == 0xe2 && len(raw)-i >= 3 && raw[i+1] == 0x80 && raw[i+2]&^1 == 0xa8: // U+2028, U+2029
			b = append(append(append(b, raw[from:i]...), `\u202`...), hexDigits[raw[i+2]&15])
			from = i + 3
		}
	}
	return append(b, raw[from:]...)
}

// validate checks that raw is one JSON value with nothing but white space around it.
func validate(raw []byte) (code Code, at int) {
	v := validators.Get().(*validator)
	ok := v.valid(raw)
	v.release()
	if ok {
		return 0, 0
	}
	return check(raw, DepthDefault, false)
}

// validator checks texts with the reader that decoders use. It is fast for what is valid, and
// leaves it to check to say what is wrong.
type validator struct {
	r      Reader
	member []byte
}

// valid reads an object as the document that it is, and any other value as the only member of
// an object: the reader relies on the brace at the end.
func (v *validator) valid(raw []byte) bool {
	const key = `{"":`
	text, start := raw, 0
	if n := len(raw); n < 2 || raw[0] != '{' || raw[n-1] != '}' {
		v.member = append(append(append(v.member[:0], key...), raw...), '}')
		text, start = v.member, len(key)
	}
	r := &v.r
	if r.Begin(text) == 0 {
		return false
	}
	r.whole = start == 0
	p := r.Skip(r.space(start), DepthDefault)
	if r.whole {
		return p == r.n
	}
	return p != 0 && r.space(p) == r.n-1 // the brace is ours, not the value's
}

// release lets go of the last text.
func (v *validator) release() {
	v.r.Forget()
	if v.r.Retained()+cap(v.member) <= validatorKeep {
		validators.Put(v)
	}
}

var validators = sync.Pool{New: func() any { return new(validator) }}

// validatorKeep is how much memory a validator keeps for the next text.
const validatorKeep = 1 << 20

// Strings appends an array of strings.
func (w *Writer) Strings(b []byte, s []string) []byte {
	start := len(b)
	for i := range s {
		b = w.String(append(b, ','), s[i])
	}
	return CloseArray(b, start)
}

// Ints appends an array of integers.
func Ints[T ~int | ~int8 | ~int16 | ~int32 | ~int64](b []byte, s []T) []byte {
	start := len(b)
	for _, v := range s {
		b = AppendInt(append(b, ','), v)
	}
	return CloseArray(b, start)
}

// JSONAppender is what generated encoders give to types.
type JSONAppender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// WriteJSON writes v to out in one call of Write.
func WriteJSON(out io.Writer, v JSONAppender) (int64, error) {
	buf := buffers.Get().(*[]byte)
	b, err := v.AppendJSON((*buf)[:0])
	if err != nil {
		buffers.Put(buf)
		return 0, err
	}
	n, err := out.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if cap(b) <= bufferKeep {
		*buf = b
		buffers.Put(buf)
	}
	return int64(n), err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// bufferKeep is the largest buffer that WriteJSON keeps for the next value.
const bufferKeep = 1 << 20

// Estimate learns how long the text of a type's values is, so that a fresh buffer is
// allocated once.
type Estimate struct{ n atomic.Int64 }

// Buffer returns dst, or a buffer if dst has no memory.
func (e *Estimate) Buffer(dst []byte) []byte {
	if cap(dst) != 0 {
		return dst
	}
	n := e.n.Load()
	return make([]byte, 0, n+n/8+256)
}

// Learn takes note of the length of a text in a fresh buffer, and returns it in one that fits if
// the estimate was far too large: what is kept should not hold several times its size.
func (e *Estimate) Learn(b []byte) []byte {
	n, l := e.n.Load(), int64(len(b))
	if l > n {
		e.n.Store(min(l, bufferKeep))
	} else if l < n {
		e.n.Store(n - (n-l+7)/8)
	}
	const tolerated = 1024
	if cap(b) > 2*len(b)+tolerated {
		return append(make([]byte, 0, len(b)), b...)
	}
	return b
}
