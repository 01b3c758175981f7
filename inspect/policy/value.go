package policy

import (
	"math"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// value is a value whose type is known at evaluation only. It is small enough to be passed around,
// and needs no memory of its own.
type value struct {
	kind kind
	i    int64  // bool (0 or 1), int, the bits of a double
	s    string // string; the text of an array or an object in an ext
	o    any    // object: pointer to its struct; list: *list
}

func boolValue(b bool) value {
	if b {
		return value{kind: kindBool, i: 1}
	}
	return value{kind: kindBool}
}
func intValue(i int64) value      { return value{kind: kindInt, i: i} }
func doubleValue(f float64) value { return value{kind: kindDouble, i: int64(math.Float64bits(f))} }
func stringValue(s string) value  { return value{kind: kindString, s: s} }
func objectValue(o any) value     { return value{kind: kindObject, o: o} }

func (v *value) double() float64 { return math.Float64frombits(uint64(v.i)) }

// number returns an int or a double as a double.
func (v *value) number() (float64, bool) {
	switch v.kind {
	case kindInt:
		return float64(v.i), true
	case kindDouble:
		return v.double(), true
	}
	return 0, false
}

// list is a list: of a field, with its owner, or of values.
type list struct {
	n      int
	field  *field
	owner  any
	values []value
}

func (l *list) at(c *frame, i int) value {
	if l.values != nil {
		return l.values[i]
	}
	switch l.field.kind {
	case kindInt:
		return intValue(l.field.iat(c, l.owner, i))
	case kindDouble:
		return doubleValue(l.field.fat(c, l.owner, i))
	case kindString:
		return stringValue(l.field.sat(c, l.owner, i))
	default:
		return objectValue(l.field.oat(c, l.owner, i))
	}
}

// listValue wraps a list. It needs a slot of the frame.
func (c *frame) listValue(l list) value {
	if len(c.lists) == ValuesMax {
		c.fail = failValues
		return value{}
	}
	c.dirty = true
	c.lists = append(c.lists, l)
	return value{kind: kindList, o: &c.lists[len(c.lists)-1]}
}

// equal compares two values as CEL does: numbers by value whatever their type, values of
// different types are different.
func (c *frame) equal(a, b value) bool {
	if c.steps--; c.steps < 0 {
		c.fail = failSteps
		return false
	}
	switch a.kind {
	case kindInt, kindDouble:
		if a.kind == kindInt && b.kind == kindInt {
			return a.i == b.i
		}
		x, _ := a.number()
		y, ok := b.number()
		return ok && x == y
	case kindBool:
		return b.kind == kindBool && a.i == b.i
	case kindNull:
		return b.kind == kindNull
	case kindString:
		return b.kind == kindString && c.equalStrings(a.s, b.s)
	case kindList, kindArray:
		if b.kind != kindList && b.kind != kindArray {
			return false
		}
		x, y := c.elements(a), c.elements(b)
		if x.n != y.n {
			return false
		}
		for i := range x.n {
			if !c.equal(x.at(c, i), y.at(c, i)) {
				return false
			}
		}
		return c.fail == failNone
	case kindMembers:
		return b.kind == kindMembers && c.equalMembers(a.s, b.s)
	case kindObject:
		return b.kind == kindObject && a.o == b.o
	}
	return false
}

func (c *frame) equalStrings(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	c.charge(len(a))
	return a == b
}

func (c *frame) equalMembers(a, b string) bool {
	n := 0
	for m := (members{text: a}); m.next(c); n++ {
		other := c.memberText(b, m.key)
		if !other.found || !c.equal(c.parse(m.value), c.parse(other.text)) {
			return false
		}
	}
	for m := (members{text: b}); m.next(c); {
		n--
	}
	return n == 0 && c.fail == failNone
}

// unordered is the comparison of NaN with a number.
const unordered = 2

// compare orders two values, which are both numbers, strings or bools.
func (c *frame) compare(a, b value) int {
	switch {
	case a.kind == kindInt && b.kind == kindInt:
		return compareOrdered(a.i, b.i)
	case a.kind == kindString && b.kind == kindString:
		c.charge(min(len(a.s), len(b.s)))
		return compareOrdered(a.s, b.s)
	case a.kind == kindBool && b.kind == kindBool:
		return compareOrdered(a.i, b.i)
	}
	x, ok := a.number()
	y, also := b.number()
	if !ok || !also {
		// As in cel-go, NaN is compared with anything that has an order.
		if ordered := a.kind >= kindBool && a.kind <= kindString; !ordered || x == x && y == y {
			c.failWith(failType)
		}
		return unordered
	}
	return compareOrdered(x, y)
}

func compareOrdered[T int64 | float64 | string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return unordered
}

// contains reports whether a list has a value, or an object in an ext has a key.
func (c *frame) contains(in, v value) bool {
	switch in.kind {
	case kindList, kindArray:
		l := c.elements(in)
		for i := range l.n {
			if c.equal(v, l.at(c, i)) {
				return true
			}
		}
	case kindMembers:
		if v.kind == kindString {
			return c.memberAlike(in.s, v.s).found
		}
	default:
		c.failWith(failType)
	}
	return false
}

// index returns an element of a list, or a member of an object in an ext. A member that is not
// there is null, and so are the members of null.
func (c *frame) index(v, at value) value {
	switch v.kind {
	case kindNull:
		return value{}
	case kindMembers:
		if at.kind == kindString {
			return c.member(v, at.s)
		}
	case kindList, kindArray:
		i := at.i
		if at.kind == kindDouble {
			f := at.double()
			if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
				c.failWith(failIndex)
				return value{}
			}
			i = int64(f)
		} else if at.kind != kindInt {
			break
		}
		l := c.elements(v)
		if i < 0 || i >= int64(l.n) {
			c.failWith(failIndex)
			return value{}
		}
		return l.at(c, int(i))
	}
	c.failWith(failType)
	return value{}
}

// raw returns the value of an ext.
func (c *frame) raw(text []byte) value {
	if len(text) == 0 {
		return value{}
	}
	return c.parse(mem.String(text))
}
