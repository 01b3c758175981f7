package setting

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// places returns where the bytes of a scalar's text are in the source: one offset for each byte,
// and one for the end. It reads the scalar a second time, and returns nil if that gives another
// text than the parser's: then the place of the whole scalar has to do.
func (n *Node) places() []int {
	if n.Kind != Scalar || n.Offset > len(n.Source.Text) {
		return nil
	}
	w := walk{text: n.Source.Text, at: n.Offset, want: n.Text}
	switch n.Style {
	case Raw:
		for i := range len(n.Text) + 1 {
			w.places = append(w.places, n.Offset+i)
		}
		return w.places
	case Plain:
		w.flow(0)
	case SingleQuoted:
		w.at++
		w.flow('\'')
	case DoubleQuoted:
		w.at++
		w.flow('"')
	case Literal, Folded:
		w.block(n.Style == Folded)
	}
	if string(w.got) != n.Text {
		return nil
	}
	return append(w.places, w.at)
}

// walk reads a scalar from its source.
type walk struct {
	text   string
	at     int
	want   string // the text that the parser found
	got    []byte
	places []int // of the bytes of got
}

// full reports whether all of the text was found, or that another one was.
func (w *walk) full() bool { return len(w.got) >= len(w.want) || w.at >= len(w.text) }

// emit adds text that is at an offset of the source.
func (w *walk) emit(text string, at int) {
	for i := range len(text) {
		w.got = append(w.got, text[i])
		w.places = append(w.places, at)
	}
}

// flow reads a scalar that is plain or in quotes.
func (w *walk) flow(quote byte) {
	for !w.full() {
		switch c := w.text[w.at]; {
		case c == '\n' || c == '\r' || c == ' ' || c == '\t':
			w.space()
		case c == '\'' && quote == c:
			if !strings.HasPrefix(w.text[w.at:], "''") {
				return
			}
			w.emit("'", w.at)
			w.at += 2
		case c == '"' && quote == c:
			return
		case c == '\\' && quote == '"':
			if !w.escape() {
				return
			}
		default:
			w.emit(w.text[w.at:w.at+1], w.at)
			w.at++
		}
	}
}

// space reads white space: as it is within a line, folded where lines end.
func (w *walk) space() {
	start, lines := w.at, 0
	for w.at < len(w.text) && strings.IndexByte(" \t\r\n", w.text[w.at]) >= 0 {
		if w.text[w.at] == '\n' {
			lines++
		}
		w.at++
	}
	switch lines {
	case 0:
		for i := start; i < w.at; i++ {
			w.emit(w.text[i:i+1], i)
		}
	case 1:
		w.emit(" ", start)
	default:
		w.emit(strings.Repeat("\n", lines-1), start)
	}
}

// simpleEscapes are the escapes of one letter, and what they mean.
var simpleEscapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1b", ' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape reads an escape sequence. It returns false without one.
func (w *walk) escape() bool {
	start := w.at
	if w.at++; w.at == len(w.text) {
		return false
	}
	c := w.text[w.at]
	w.at++
	if c == '\n' || c == '\r' { // the line goes on
		for w.at < len(w.text) && strings.IndexByte(" \t\r\n", w.text[w.at]) >= 0 {
			w.at++
		}
		return true
	}
	if simple, known := simpleEscapes[c]; known {
		w.emit(simple, start)
		return true
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	r, ok := w.hex(digits)
	if !ok {
		return false
	}
	if 0xd800 <= r && r < 0xdc00 && strings.HasPrefix(w.text[w.at:], `\u`) {
		w.at += len(`\u`)
		low, ok := w.hex(4)
		if !ok {
			return false
		}
		r = 0x10000 + (r-0xd800)<<10 + (low - 0xdc00)
	}
	w.emit(string(utf8.AppendRune(nil, r)), start)
	return true
}

// hex reads a number of hexadecimal digits.
func (w *walk) hex(digits int) (rune, bool) {
	if digits == 0 || w.at+digits > len(w.text) {
		return 0, false
	}
	v, err := strconv.ParseUint(w.text[w.at:w.at+digits], 16, 31)
	w.at += digits
	return rune(v), err == nil
}

// block reads a scalar after | or >.
func (w *walk) block(folded bool) {
	i := strings.IndexByte(w.text[w.at:], '\n')
	if i < 0 {
		return
	}
	w.at += i + 1
	indent := indentOf(w.text[w.at:])
	breaks, first, plainBefore, end := 0, true, false, w.at
	for !w.full() {
		line, rest, more := strings.Cut(w.text[w.at:], "\n")
		line = strings.TrimSuffix(line, "\r")
		next := len(w.text) - len(rest)
		if strings.Trim(line, " ") == "" && len(line) <= indent {
			breaks++
			w.at = next
			continue
		}
		if len(line) < indent || strings.Trim(line[:indent], " ") != "" {
			break // the scalar has ended
		}
		content := line[indent:]
		plain := content[0] != ' ' && content[0] != '\t'
		switch {
		case folded && !first && plain && plainBefore && breaks == 1:
			w.emit(" ", w.at)
		case folded && !first && plain && plainBefore:
			w.emit(strings.Repeat("\n", breaks-1), w.at)
		default:
			w.emit(strings.Repeat("\n", breaks), w.at)
		}
		for i := range len(content) {
			w.emit(content[i:i+1], w.at+indent+i)
		}
		breaks, first, plainBefore = 0, false, plain
		if more {
			breaks = 1
		}
		end = w.at + indent + len(content)
		w.at = next
	}
	w.at = end
	if missing := len(w.want) - len(w.got); missing > 0 { // line ends that are kept at the end
		w.emit(strings.Repeat("\n", missing), end)
	}
}

// indentOf returns the indentation of the first line that is not empty.
func indentOf(text string) int {
	for line := range strings.Lines(text) {
		if content := strings.TrimLeft(line, " "); strings.Trim(content, "\r\n") != "" {
			return len(line) - len(content)
		}
	}
	return 0
}
