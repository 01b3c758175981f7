package setting

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Kind is what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Scalar Kind = iota
	Mapping
	Sequence
)

// Style is how a scalar is written.
type Style uint8

// The styles of scalars.
const (
	Plain        Style = iota // without quotes
	SingleQuoted              // 'text'
	DoubleQuoted              // "text", also in JSON
	Literal                   // after |
	Folded                    // after >
	Raw                       // not in a file: the text is whatever type is asked for
)

// Node is a value of a file, or a key.
type Node struct {
	Kind    Kind
	Style   Style  // of a scalar
	Text    string // of a scalar, without quotes and escapes
	Members []Member
	Items   []*Node

	Source *Source
	Offset int // where it begins in the source, with its quotes

	Nodes int // how many there are in it, with itself
}

// Member is a key and its value. Keys are scalars, and no two of a mapping are equal.
type Member struct{ Key, Value *Node }

// NewScalar returns a node that has no file: the value of an environment variable, or a default.
// It is read as whatever type is asked for.
func NewScalar(name, text string) *Node {
	return &Node{Style: Raw, Text: text, Source: NewSource(name, text), Nodes: 1}
}

// Get returns the value of a member, or nil.
func (n *Node) Get(key string) *Node {
	if m := n.Member(key); m != nil {
		return m.Value
	}
	return nil
}

// Member returns the member with the key, or nil.
func (n *Node) Member(key string) *Member {
	for i := range n.Members {
		if n.Members[i].Key.Text == key {
			return &n.Members[i]
		}
	}
	return nil
}

// find returns the first key or scalar with a text, nil if there is none.
func (n *Node) find(text string) *Node {
	if n.Kind == Scalar && n.Text == text {
		return n
	}
	for _, m := range n.Members {
		if m.Key.Text == text {
			return m.Key
		}
		if found := m.Value.find(text); found != nil {
			return found
		}
	}
	for _, item := range n.Items {
		if found := item.find(text); found != nil {
			return found
		}
	}
	return nil
}

// Problem returns a problem with the node.
func (n *Node) Problem(suggestion, format string, args ...any) Problem {
	return n.Source.Problem(n.Offset, n.length(), suggestion, format, args...)
}

// ProblemAt returns a problem with a part of a scalar's text. The place in the file is found for
// every style of scalars; if that fails, it is the beginning of the node.
func (n *Node) ProblemAt(offset, length int, suggestion, format string, args ...any) Problem {
	places := n.places()
	if places == nil || offset < 0 || offset >= len(places) {
		return n.Problem(suggestion, format, args...)
	}
	from := places[offset]
	to := places[min(offset+max(length, 0), len(places)-1)]
	return n.Source.Problem(from, to-from, suggestion, format, args...)
}

// length is the number of bytes to underline for the node.
func (n *Node) length() int {
	if n.Kind != Scalar {
		return 1
	}
	places := n.places()
	if places == nil {
		return 1
	}
	end := places[len(places)-1]
	if n.Style == SingleQuoted || n.Style == DoubleQuoted {
		end++
	}
	if n.Style == Literal || n.Style == Folded {
		return 1
	}
	return end - n.Offset
}

// scalarType is the type that YAML 1.2 gives to a scalar.
type scalarType uint8

const (
	typeString scalarType = iota
	typeNull
	typeBool
	typeInteger
	typeNumber
)

// The core schema of YAML 1.2, section 10.3.2.
var (
	integerForm = regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	numberForm  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	specialForm = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// scalarType returns the type of a scalar.
func (n *Node) scalarType() scalarType {
	if n.Style != Plain {
		return typeString
	}
	switch n.Text {
	case "", "~", "null", "Null", "NULL":
		return typeNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return typeBool
	}
	switch {
	case integerForm.MatchString(n.Text):
		return typeInteger
	case numberForm.MatchString(n.Text), specialForm.MatchString(n.Text):
		return typeNumber
	}
	return typeString
}

// Describe says what a node is, for messages: "a mapping", "the number 5".
func (n *Node) Describe() string {
	switch n.Kind {
	case Mapping:
		return "a mapping"
	case Sequence:
		return "a sequence"
	}
	switch n.scalarType() {
	case typeNull:
		if n.Text == "" {
			return "nothing"
		}
		return "null"
	case typeBool:
		return n.Text
	case typeInteger, typeNumber:
		return "the number " + strings.Trim(Quote(n.Text), `"`)
	}
	return Quote(n.Text)
}

// JSON returns a node as encoding/json would: maps, slices, strings, numbers and booleans. It is
// false for null, alone or inside, and for numbers that JSON does not have.
func (n *Node) JSON() (v any, ok bool) {
	switch n.Kind {
	case Mapping:
		object := map[string]any{}
		for _, m := range n.Members {
			if object[m.Key.Text], ok = m.Value.JSON(); !ok {
				return nil, false
			}
		}
		return object, true
	case Sequence:
		list := []any{}
		for _, item := range n.Items {
			v, ok := item.JSON()
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	}
	switch n.scalarType() {
	case typeNull:
		return nil, false
	case typeBool:
		return strings.EqualFold(n.Text, "true"), n.Text == "true" || n.Text == "false"
	case typeInteger, typeNumber:
		return json.Number(n.Text), json.Valid([]byte(n.Text))
	}
	return n.Text, true
}
