package scrub

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// node is a place: an element of the pointers of one or more operations.
type node struct {
	name     string
	path     string // of the place, "" below an array
	children []int  // members
	initials uint32 // of their names, see initial
	every    int    // the elements of an array, 0 for none
	ops      []op   // the strongest first
}

// action is what an operation does. Where two operations are about a place, the first one of these
// wins.
type action uint8

const (
	actRemove action = iota
	actReplace
	actHash
	actTruncate
)

var actionNames = [...]string{actRemove: "remove", actReplace: "replace", actHash: "hash", actTruncate: "truncate"}

// op is an operation at a place.
type op struct {
	spec   int
	action action
	value  []byte  // for actReplace
	hasher *hasher // for actHash
	cut    cut     // for actTruncate
	shape  shape   // for actTruncate
}

// shape is what actTruncate expects.
type shape uint8

const (
	shapeFree      shape = iota // below an ext: an address or a coordinate
	shapeAddress                // a string
	shapeLatitude               // a number
	shapeLongitude              // a number
	shapeGeo                    // an object, whose coordinates have operations of their own
)

// every is the element of a pointer for the elements of an array.
const every = "*"

// compiler makes a program. The first node is the root.
type compiler struct {
	nodes  []node
	specs  int
	faults []error
}

// spec compiles one spec.
func (c *compiler) spec(i int, s *Spec) {
	fault := func(field, path, reason, nearest string) {
		c.faults = append(c.faults, &Error{i, field, path, reason, nearest})
	}
	var size cut
	var reason string
	if size.ipv4, reason = inRange(s.IPv4Bits, IPv4BitsDefault, 1, 32); reason != "" {
		fault("ipv4bits", "", reason, "")
	}
	if size.ipv6, reason = inRange(s.IPv6Bits, IPv6BitsDefault, 1, 128); reason != "" {
		fault("ipv6bits", "", reason, "")
	}
	size.decimals = DecimalsDefault
	if s.Decimals != nil {
		const most = 15 // more than a float64 has for a coordinate
		if size.decimals, reason = inRange(*s.Decimals, 0, 0, most); reason != "" {
			fault("decimals", "", reason, "")
		}
	}
	var h *hasher
	if len(s.Hash) > 0 {
		if len(s.Key) < KeyMin {
			fault("key", "", fmt.Sprintf("pseudonyms need a key of %d bytes or more", KeyMin), "")
		}
		h = newHasher(s.Key)
	}
	plant := func(path string, o op) {
		o.spec = i
		names, reason := split(path)
		at := leaf{}
		nearest := ""
		if reason == "" {
			at, reason, nearest = find(names)
		}
		if reason == "" {
			reason = at.refuses(&o)
		}
		if reason != "" {
			fault(actionNames[o.action], path, reason, nearest)
			return
		}
		c.plant(names, o)
	}
	for _, path := range s.Remove {
		plant(path, op{action: actRemove})
	}
	for _, r := range s.Replace {
		plant(r.Path, op{action: actReplace, value: bytes.Clone(r.Value)})
	}
	for _, path := range s.Hash {
		plant(path, op{action: actHash, hasher: h})
	}
	for _, path := range s.Truncate {
		plant(path, op{action: actTruncate, cut: size})
	}
}

// split returns the names of a pointer.
func split(path string) (names []string, fault string) {
	switch {
	case path == "":
		return nil, "the whole request can't be scrubbed"
	case path[0] != '/':
		return nil, "a JSON Pointer begins with /"
	case !utf8.ValidString(path):
		return nil, "is not UTF-8"
	}
	for element := range strings.SplitSeq(path[1:], "/") {
		name, ok := grammar.UnescapePointer(element)
		if !ok {
			return nil, "~ is followed by 0 or 1 in a JSON Pointer"
		}
		names = append(names, name)
	}
	if len(names) > wire.DepthMax {
		return nil, "deeper than any request"
	}
	return names, ""
}

// plant adds an operation at a place, and at the other places that the value can have.
func (c *compiler) plant(names []string, o op) {
	for _, other := range places(names) {
		at := o
		if other.part && o.action != actRemove {
			at = op{spec: o.spec, action: actRemove}
		}
		n := c.node(other.names)
		c.nodes[n].ops = append(c.nodes[n].ops, at)
		if o.action == actTruncate && o.shape == shapeGeo {
			for name, shape := range map[string]shape{"lat": shapeLatitude, "lon": shapeLongitude} {
				at.shape = shape
				child := c.node(append(slices.Clip(other.names), name))
				c.nodes[child].ops = append(c.nodes[child].ops, at)
			}
		}
	}
}

// node returns the node of a place, made if need be.
func (c *compiler) node(names []string) (n int) {
	for _, name := range names {
		n = c.child(n, name)
	}
	return n
}

func (c *compiler) child(n int, name string) int {
	parent := &c.nodes[n]
	if name == every && parent.every != 0 {
		return parent.every
	}
	for _, child := range parent.children {
		if c.nodes[child].name == name {
			return child
		}
	}
	made := len(c.nodes)
	next := node{name: name}
	switch {
	case name == every:
		parent.every = made
	case n == 0 || parent.path != "":
		next.path = parent.path + "/" + grammar.EscapePointer(name)
		fallthrough
	default:
		parent.children = append(parent.children, made)
		parent.initials |= initial(name)
	}
	c.nodes = append(c.nodes, next)
	return made
}

// initial is a bit for the first letter of a name in either case, and all bits for a name that
// begins with something else than ASCII.
func initial(name string) uint32 {
	switch {
	case name == "":
		return 1
	case name[0] >= utf8.RuneSelf:
		return math.MaxUint32
	}
	return 1 << (name[0] & 31)
}

// finish sorts what the walk tries in order.
func (c *compiler) finish() {
	for i := range c.nodes {
		slices.SortStableFunc(c.nodes[i].ops, func(a, b op) int {
			return cmp.Or(cmp.Compare(a.action, b.action), cmp.Compare(a.spec, b.spec))
		})
	}
}

// refuses says why an operation is not for values of a field, "" if it is.
func (l leaf) refuses(o *op) string {
	switch o.action {
	case actReplace:
		if code, _ := coder.Validate(o.value); code != 0 {
			return "the new value is not JSON: " + code.Error()
		}
		if want := kinds(l.typ); want != "" && strings.IndexByte(want, bytes.TrimSpace(o.value)[0]) < 0 {
			return "the new value is not of the field's type, " + typeName(l.typ)
		}
	case actHash:
		if l.typ != nil && l.typ.Kind() != reflect.String {
			return "a pseudonym is a string, and the field's type is " + typeName(l.typ)
		}
	case actTruncate:
		shape, ok := l.shape()
		if !ok {
			return "neither an address nor a coordinate nor a geo"
		}
		o.shape = shape
	}
	return ""
}
