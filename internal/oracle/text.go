package oracle

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string and returns its value. save says whether repairs are listed.
func (d *decoder) str(path string, save bool) string {
	var out strings.Builder
	put := func(code string, at int) {
		if !d.lenient {
			d.fail(code, at, path)
		}
		if save {
			d.save(code, at, path)
		}
		out.WriteRune(utf8.RuneError)
	}
	for d.pos++; ; {
		if d.pos >= len(d.data) {
			d.fail("truncated", len(d.data), path)
		}
		at, c := d.pos, d.data[d.pos]
		switch {
		case c == '"':
			d.pos++
			return out.String()
		case c < 0x20:
			d.fail("control", at, path)
		case c == '\\':
			d.pos++
			if i := strings.IndexByte(`"\/bfnrt`, d.peek()); i >= 0 {
				out.WriteByte("\"\\/\b\f\n\r\t"[i])
				d.pos++
				continue
			}
			if d.peek() != 'u' {
				d.fail("escape", d.pos, path)
			}
			d.pos++
			r := d.hex4(path)
			if !utf16.IsSurrogate(r) {
				out.WriteRune(r)
				continue
			}
			rest := string(d.data[d.pos:])
			if r < 0xdc00 && strings.HasPrefix(`\u`, rest) && !d.lenient { // the other half may have been cut off
				d.fail("truncated", len(d.data), path)
			}
			if r < 0xdc00 && strings.HasPrefix(rest, `\u`) {
				after := d.pos
				d.pos += 2
				if pair := utf16.DecodeRune(r, d.hex4(path)); pair != utf8.RuneError {
					out.WriteRune(pair)
					continue
				}
				d.pos = after // the second escape is read again by itself
			}
			put("surrogate", at)
		default:
			r, n := utf8.DecodeRune(d.data[at:])
			if r == utf8.RuneError && n == 1 {
				if !d.lenient && !utf8.FullRune(d.data[at:]) {
					d.fail("truncated", len(d.data), path)
				}
				d.pos++
				put("utf8", at)
				continue
			}
			out.WriteRune(r)
			d.pos += n
		}
	}
}

// hex4 reads the four digits of an escape.
func (d *decoder) hex4(path string) rune {
	var r rune
	for range 4 {
		digit, err := strconv.ParseUint(string(rune(d.peek())), 16, 8)
		if err != nil {
			d.fail("escape", d.pos, path)
		}
		r = r<<4 | rune(digit)
		d.pos++
	}
	return r
}
