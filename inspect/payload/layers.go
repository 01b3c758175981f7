package payload

import "github.com/rtbwire/rtbwire/internal/simd/literals"

// This file applies one step of the further decodings to a text, in place. A step never makes text
// longer.

// Layers are further decodings, as a set of bits.
type Layers uint8

// The layers.
const (
	Percent   Layers = 1 << iota // %3cscript
	Entity                       // &lt;script, &#60;script, &#x3c;script
	Fullwidth                    // U+FF1C and its neighbours
	Twice                        // \\u003cscript: an escape that an escape hides
	Squeeze                      // white space, NUL and comments: a run is one space, or none

	NoLayers  Layers = 0
	AllLayers        = Percent | Entity | Fullwidth | Twice | Squeeze
)

const (
	hexDigits = "0123456789abcdefABCDEF"
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// controls are the control characters below a space.
var controls = func() string {
	b := make([]byte, ' ')
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()

// leadWindows are what each layer begins with in a document. The escapes of Twice are missing: a
// string with a backslash is decoded anyway.
var leadWindows = []struct {
	layer   Layers
	windows []literals.Window
}{
	{Percent, []literals.Window{{"%", hexDigits, hexDigits}}},
	{Entity, []literals.Window{{"&", "#" + letters}}},
	{Fullwidth, []literals.Window{{"\xef", "\xbc\xbd"}}},
	{Squeeze, squeezeWindows},
}

// squeezeWindows are where a run of white space or a comment may begin, or one byte after it.
var squeezeWindows = []literals.Window{{controls}, {"\x7f"}, {" ", " "}, {"/", "*"}, {"*", "/"}}

// steadyWindows are squeezeWindows without the white space of JSON. A window has all mixtures of
// its nibbles, so that the controls need two.
var steadyWindows = []literals.Window{
	{"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f"}, {controls[16:]}, {"\x7f"}, {"/", "*"}, {"*", "/"},
}

// twiceWindows are what the layer Twice begins with.
var twiceWindows = []literals.Window{{"\\", "uxUX"}, {"\\", "/\"'"}}

// layerTables find where the layers may begin.
type layerTables struct {
	leads   *literals.Table // of all layers, in a document
	steady  *literals.Table // of all layers, but not the white space of JSON
	decode  *literals.Table // of all layers but Squeeze, in a text
	squeeze *literals.Table // of Squeeze, in a text
}

func newLayerTables(layers Layers) (t layerTables) {
	var all, steady, decode []literals.Window
	for _, l := range leadWindows {
		if layers&l.layer == 0 {
			continue
		}
		all = append(all, l.windows...)
		if l.layer != Squeeze {
			decode = append(decode, l.windows...)
			steady = append(steady, l.windows...)
		} else {
			steady = append(steady, steadyWindows...)
		}
	}
	if layers&Twice != 0 {
		decode = append(decode, twiceWindows...)
	}
	if len(all) > 0 {
		t.leads = literals.NewTable(all...)
		t.steady = literals.NewTable(steady...)
	}
	if len(decode) > 0 {
		t.decode = literals.NewTable(decode...)
	}
	if layers&Squeeze != 0 {
		t.squeeze = literals.NewTable(squeezeWindows...)
	}
	return t
}

// squeezing says what becomes of white space and comments.
type squeezing struct {
	drop  bool // they vanish; otherwise a run becomes one space
	signs bool // of a comment only its signs count as white space, not what is between them
}

// stepped says what a step has done.
type stepped struct {
	size      int
	changed   bool
	droppable bool // while squeezing: the text has control characters or comments
	commented bool // while squeezing: the text has signs that begin a comment
}

// move copies text[from:until] down to text[to:], and maps the hits that are there back: hits has
// positions after the step, in ascending order, and gets those before it.
func move(text []byte, to, from, until int, hits []hit) (end int, left []hit) {
	n := until - from
	if to != from {
		copy(text[to:], text[from:until])
	}
	for len(hits) > 0 && hits[0].at < to+n {
		hits[0].at += from - to
		hits = hits[1:]
	}
	return to + n, hits
}

// emit writes one byte, which stands for what was at from.
func emit(text []byte, to, from int, c byte, hits []hit) (end int, left []hit) {
	text[to] = c
	for len(hits) > 0 && hits[0].at <= to {
		hits[0].at = from
		hits = hits[1:]
	}
	return to + 1, hits
}

// decodeStep decodes once whatever is encoded by one of the layers.
func decodeStep(text []byte, table *literals.Table, layers Layers, hits []hit) (done stepped) {
	next := leadsOf(text, table)
	from, to := 0, 0
	for at := next.after(0); at < len(text); at = next.after(max(at+1, from)) {
		char, size := decodeCharacter(text[at:], layers)
		if size == 0 {
			continue
		}
		to, hits = move(text, to, from, at, hits)
		if 'A' <= char && char <= 'Z' {
			char |= 0x20
		}
		to, hits = emit(text, to, at, char, hits)
		from = at + size
		done.changed = true
	}
	done.size, _ = move(text, to, from, len(text), hits)
	return done
}

// squeezeStep replaces runs of white space and comments.
func squeezeStep(text []byte, table *literals.Table, how squeezing, hits []hit) (done stepped) {
	next := leadsOf(text, table)
	from, to, commentsFrom := 0, 0, 0
	for at := next.after(0); at < len(text); at = next.after(max(at+1, from)) {
		start := at
		if !how.drop && at > from && text[at-1] == ' ' {
			start-- // a space alone is not a candidate, and belongs to the run after it
		}
		n := done.blankRun(text, start, how, &commentsFrom)
		if n == 0 {
			continue
		}
		done.changed = done.changed || n > 1 || how.drop || text[start] != ' '
		to, hits = move(text, to, from, start, hits)
		if !how.drop {
			to, hits = emit(text, to, start, ' ', hits)
		}
		from = start + n
	}
	done.size, _ = move(text, to, from, len(text), hits)
	return done
}

// isBlank reports whether c is white space or a control character.
func isBlank(c byte) bool { return c <= ' ' || c == 0x7f }

// blankRun returns the size of the run of white space and comments at text[from:]. A comment that
// does not end would be searched for its end again at each "/*" in it, so commentsFrom skips those.
func (done *stepped) blankRun(text []byte, from int, how squeezing, commentsFrom *int) int {
	i := from
	for i < len(text) {
		c := text[i]
		if isBlank(c) && !(how.drop && c == ' ') {
			done.droppable = done.droppable || c != ' '
			i++
			continue
		}
		if how.signs {
			n := commentSign(text[i:])
			if n == 0 {
				break
			}
			i += n
			continue
		}
		if c != '/' || i+1 == len(text) || text[i+1] != '*' {
			break
		}
		done.commented = true
		if i < *commentsFrom {
			break
		}
		n, closed := comment(text[i:])
		if !closed {
			*commentsFrom = i + n
			break
		}
		done.droppable = true
		i += n
	}
	return i - from
}

// comment returns the size of the comment that p begins with; of one that does not end, how many
// bytes hold no end. A comment ends within its segment.
func comment(p []byte) (n int, closed bool) {
	for n = 2; n+1 < len(p) && p[n] != mark; n++ {
		if p[n] == '*' && p[n+1] == '/' {
			return n + 2, true
		}
	}
	return n, false
}

// commentSign returns the size of a sign that begins or ends a comment, or 0. "/*!50000" begins a
// comment that MySQL executes.
func commentSign(p []byte) int {
	if len(p) < 2 {
		return 0
	}
	if p[0] == '*' && p[1] == '/' {
		return 2
	}
	if p[0] != '/' || p[1] != '*' {
		return 0
	}
	n := 2
	if n < len(p) && p[n] == '!' {
		for n++; n < len(p) && '0' <= p[n] && p[n] <= '9'; n++ {
		}
	}
	return n
}
