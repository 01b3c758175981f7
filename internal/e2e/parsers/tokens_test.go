package parsers

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
)

// node is a value of a document.
type node struct {
	pointer    string
	kind       byte // the first byte of the value; '0' for numbers
	start, end int
	keyStart   int // of the key with its quotes; both 0 without a key
	keyEnd     int
	name       string
	parent     int // -1 for the document
	children   int
}

// escape writes a name as a part of a JSON Pointer.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// draft is a document that is being changed, with its values in the order of the text.
type draft struct {
	*rand.Rand
	text  []byte
	nodes []node
}

// scan finds the values. The text must be valid JSON.
func (d *draft) scan() {
	d.nodes = d.nodes[:0]
	d.value(d.space(0), node{parent: -1})
}

func (d *draft) space(p int) int {
	for p < len(d.text) && bytes.IndexByte([]byte(" \t\r\n"), d.text[p]) >= 0 {
		p++
	}
	return p
}

func (d *draft) stringEnd(p int) int {
	for p++; d.text[p] != '"'; p++ {
		if d.text[p] == '\\' {
			p++
		}
	}
	return p + 1
}

// value reads the value at p, and returns where it ends.
func (d *draft) value(p int, n node) int {
	n.kind, n.start = d.text[p], p
	if n.kind == '-' || n.kind >= '0' && n.kind <= '9' {
		n.kind = '0'
	}
	at := len(d.nodes)
	d.nodes = append(d.nodes, n)
	switch n.kind {
	case '"':
		p = d.stringEnd(p)
	case '{', '[':
		p = d.space(p + 1)
		for i := 0; d.text[p] != '}' && d.text[p] != ']'; i++ {
			child := node{parent: at, name: strconv.Itoa(i)}
			if n.kind == '{' {
				child.keyStart, child.keyEnd = p, d.stringEnd(p)
				if err := json.Unmarshal(d.text[p:child.keyEnd], &child.name); err != nil {
					panic(err)
				}
				p = d.space(d.space(child.keyEnd) + 1)
			}
			child.pointer = n.pointer + "/" + escape.Replace(child.name)
			d.nodes[at].children++
			if p = d.space(d.value(p, child)); d.text[p] == ',' {
				p = d.space(p + 1)
			}
		}
		p++
	default:
		for p < len(d.text) && bytes.IndexByte([]byte(",]} \t\r\n"), d.text[p]) < 0 {
			p++
		}
	}
	d.nodes[at].end = p
	return p
}

// pick returns one of the values that are wanted, mostly one that rules look at, or nil.
func (d *draft) pick(want func(n *node) bool) *node {
	var all, looked []*node
	for i := range d.nodes {
		if n := &d.nodes[i]; want(n) {
			all = append(all, n)
			if lookedAt[n.pointer] {
				looked = append(looked, n)
			}
		}
	}
	if len(looked) > 0 && d.IntN(4) > 0 {
		all = looked
	}
	if len(all) == 0 {
		return nil
	}
	return all[d.IntN(len(all))]
}

func isString(n *node) bool { return n.kind == '"' }
func isNumber(n *node) bool { return n.kind == '0' }
func isScalar(n *node) bool { return n.kind != '{' && n.kind != '[' }
func isObject(n *node) bool { return n.kind == '{' }
func hasKey(n *node) bool   { return n.keyEnd > 0 }

// replace puts text in the place of what is between two offsets.
func (d *draft) replace(start, end int, text string) {
	d.text = append(append(append(make([]byte, 0, len(d.text)+len(text)), d.text[:start]...), text...), d.text[end:]...)
}

// addTo adds a member to an object, before or after the others.
func (d *draft) addTo(object *node, key, value string) {
	member := `"` + key + `":` + value
	switch {
	case object.children == 0:
		d.replace(object.start, object.end, "{"+member+"}")
	case d.IntN(2) == 0:
		d.replace(object.start+1, object.start+1, member+",")
	default:
		d.replace(object.end-1, object.end-1, ","+member)
	}
}

// addBeside adds a member directly before or after another one.
func (d *draft) addBeside(n *node, key, value string) {
	member := `"` + key + `":` + value
	if d.IntN(2) == 0 {
		d.replace(n.keyStart, n.keyStart, member+",")
	} else {
		d.replace(n.end, n.end, ","+member)
	}
}

func (d *draft) key(n *node) string   { return string(d.text[n.keyStart+1 : n.keyEnd-1]) }
func (d *draft) inner(n *node) string { return string(d.text[n.start+1 : n.end-1]) }
func (d *draft) whole(n *node) string { return string(d.text[n.start:n.end]) }

func oneOf[T any](d *draft, list []T) T { return list[d.IntN(len(list))] }

// boundary returns an offset inside the text of a string where no character or escape is cut.
func (d *draft) boundary(s string) int {
	var all []int
	for p := 0; p < len(s); p++ {
		if s[p]&0xc0 == 0x80 {
			continue // inside a character
		}
		all = append(all, p)
		if s[p] == '\\' {
			if p++; s[p] == 'u' {
				high := s[p+1] == 'd' || s[p+1] == 'D'
				if p += 4; high && len(s) > p+6 { // both halves of a pair stay together
					p += 6
				}
			}
		}
	}
	return oneOf(d, append(all, len(s)))
}
