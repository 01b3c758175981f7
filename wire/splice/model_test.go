package splice_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// model is a decoded document with its order and duplicates. It is the oracle: it applies edits in
// a slow and clear way.
type model struct {
	kind    byte // '{', '[' or 0 for everything else
	text    string
	keys    []string
	members []*model
	next    *model // the element that "-" names in an array
	made    bool   // by an edit below it

	from, to int // offsets in the text
}

// parseTree reads the next value of d, whose whole text is all.
func parseTree(d *json.Decoder, all string) *model {
	from := int(d.InputOffset())
	from += len(all[from:]) - len(strings.TrimLeft(all[from:], " \t\r\n,:"))
	tok, err := d.Token()
	if err != nil {
		panic(err)
	}
	open, ok := tok.(json.Delim)
	if !ok {
		text, err := json.Marshal(tok)
		if n, isNumber := tok.(json.Number); isNumber {
			text = []byte(n)
		}
		if err != nil {
			panic(err)
		}
		return &model{text: string(text), from: from, to: int(d.InputOffset())}
	}
	out := &model{kind: byte(open), from: from}
	for d.More() {
		key := ""
		if open == '{' {
			tok, err := d.Token()
			if err != nil {
				panic(err)
			}
			key, _ = tok.(string)
		}
		out.keys, out.members = append(out.keys, key), append(out.members, parseTree(d, all))
	}
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	out.to = int(d.InputOffset())
	return out
}

// treeOf returns the model of a valid document.
func treeOf(text string) *model {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return parseTree(d, text)
}

// last returns the number of the last member with the key, -1 without one.
func (n *model) last(key string) int {
	for i, k := range slices.Backward(n.keys) {
		if k == key {
			return i
		}
	}
	return -1
}

// likeIndex matches what must not become a member of an object that an edit makes.
var likeIndex = regexp.MustCompile(`^-?[0-9]+$`)

// errOracle is the error of an edit that the model refuses.
var errOracle = errors.New("can't be applied")

// set is Set on the model. Indexes refer to the document before any edit.
func (n *model) set(path []string, value *model) error {
	name, rest := path[0], path[1:]
	if n.made && (n.kind == '[') != (name == "-") || n.made && name != "-" && likeIndex.MatchString(name) {
		return errOracle
	}
	var child *model
	switch n.kind {
	case '{':
		i := n.last(name)
		if i < 0 {
			i = len(n.members)
			n.keys, n.members = append(n.keys, name), append(n.members, nil)
		}
		if len(rest) == 0 {
			n.members[i] = value
			return nil
		}
		if n.members[i] == nil || n.members[i].text == "null" {
			n.members[i] = made(rest)
		}
		child = n.members[i]
	case '[':
		place := &n.next
		if name != "-" {
			i := grammar.PointerIndex(name)
			if i < 0 || i >= len(n.members) {
				return errOracle
			}
			place = &n.members[i]
		}
		if len(rest) == 0 {
			*place = value
			return nil
		}
		if *place == nil || (*place).text == "null" {
			*place = made(rest)
		}
		child = *place
	default:
		return errOracle
	}
	return child.set(rest, value)
}

// made returns the parent that Set creates for a missing path.
func made(rest []string) *model {
	if len(rest) > 0 && rest[0] == "-" {
		return &model{kind: '[', made: true}
	}
	return &model{kind: '{', made: true}
}

// remove is Remove on the model. It replaces an element by nil, so that indexes stay the same.
func (n *model) remove(path []string) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i] == nil || n.kind == '{' && n.keys[i] != path[0] || n.kind == '[' && strconv.Itoa(i) != path[0] {
			continue
		}
		if len(path) == 1 {
			n.members[i] = nil
			continue
		}
		n.members[i].remove(path[1:])
	}
}

// write writes the model without white space.
func (n *model) write(b *strings.Builder) {
	if n.kind == 0 {
		b.WriteString(n.text)
		return
	}
	b.WriteByte(n.kind)
	first := true
	for i, m := range append(slices.Clip(n.members), n.next) {
		if m == nil {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if n.kind == '{' {
			key, _ := json.Marshal(n.keys[i])
			b.Write(key)
			b.WriteByte(':')
		}
		m.write(b)
	}
	b.WriteByte(n.kind + 2)
}

// String returns the text of the model.
func (n *model) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// compact returns a text in the form that models are written in.
func compact(text string) string { return treeOf(text).String() }

// at returns the value at a path or nil, and whether no key on the path comes twice.
func (n *model) at(path []string) (found *model, unique bool) {
	unique = true
	for _, name := range path {
		i := -1
		switch n.kind {
		case '{':
			i = n.last(name)
			unique = unique && i == slices.Index(n.keys, name)
		case '[':
			i = grammar.PointerIndex(name)
		}
		if i < 0 || i >= len(n.members) {
			return nil, unique
		}
		n = n.members[i]
	}
	return n, unique
}

// tokens returns the names of a path.
func tokens(path string) (out []string) {
	for _, s := range strings.Split(path, "/")[1:] {
		name, _ := grammar.UnescapePointer(s)
		out = append(out, name)
	}
	return out
}
