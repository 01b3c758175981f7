package policy

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/rtbwire/rtbwire/internal/address"
	"github.com/rtbwire/rtbwire/internal/currency"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// function compiles a call of a function by its name; the target of a member function is the first
// argument.
func (k *compiler) function(e ast.Expr, name string, args []node) node {
	switch name {
	case "size":
		return k.size(e, args[0])
	case "contains", "startsWith", "endsWith":
		return stringTest(name, args[0], args[1])
	case "matches":
		return k.matches(e, args[0], args[1])
	case "lowerAscii":
		s := args[0].string()
		n := stringNode(func(c *frame) string { return c.lower(s(c)) }, args...)
		n.fails = n.fails || args[0].typ.kind == kindDyn
		return n
	case "usd":
		return k.usd(args[0], args[1])
	case "isAddress":
		s := args[0].string()
		n := boolNode(func(c *frame) bool {
			v := s(c)
			c.charge(len(v))
			_, ok := address.Read(v)
			return ok
		}, args[0])
		n.fails = n.fails || args[0].typ.kind == kindDyn
		return n
	case "int":
		return k.toInt(e, args[0])
	case "double":
		return k.toDouble(e, args[0])
	case "string":
		return k.toString(e, args[0])
	case "dyn":
		switch args[0].typ.kind {
		case kindTime, kindHeaders, kindVendors, kindNamed:
			return k.unsupported(e, "dyn()")
		}
		n := dynNode(args[0].value())
		n.fails = args[0].fails
		return n
	case "timestamp":
		return k.timestamp(e, args[0])
	}
	if get := timeParts[name]; get != nil && len(args) == 1 && args[0].typ.kind == kindTime {
		t := args[0].t
		return intNode(func(c *frame) int64 { return int64(get(t(c).UTC())) }, args...)
	}
	return k.unsupported(e, name+"()")
}

// timeParts are the parts of a timestamp, in UTC. CEL counts months and some days from 0.
var timeParts = map[string]func(time.Time) int{
	"getFullYear":     time.Time.Year,
	"getMonth":        func(t time.Time) int { return int(t.Month()) - 1 },
	"getDate":         time.Time.Day,
	"getDayOfMonth":   func(t time.Time) int { return t.Day() - 1 },
	"getDayOfYear":    func(t time.Time) int { return t.YearDay() - 1 },
	"getDayOfWeek":    func(t time.Time) int { return int(t.Weekday()) },
	"getHours":        time.Time.Hour,
	"getMinutes":      time.Time.Minute,
	"getSeconds":      time.Time.Second,
	"getMilliseconds": func(t time.Time) int { return t.Nanosecond() / int(time.Millisecond) },
}

func (k *compiler) timestamp(e ast.Expr, x node) node {
	if x.typ.kind == kindTime {
		return x
	}
	if !x.constant || x.typ.kind != kindString {
		return k.unsupported(e, "timestamp() of anything but a constant string")
	}
	t, ok := types.String(x.known.s).ConvertToType(types.TimestampType).Value().(time.Time)
	if !ok {
		return k.unsupported(e, "timestamp() of something else than RFC 3339")
	}
	return node{typ: typ{kind: kindTime}, t: func(*frame) time.Time { return t }}
}

func (k *compiler) size(e ast.Expr, x node) node {
	switch x.typ.kind {
	case kindString:
		s := x.s
		return intNode(func(c *frame) int64 { return c.runes(s(c)) }, x)
	case kindList:
		if f := x.field; f != nil && f.values == nil {
			n, owner := f.n, x.owner
			return intNode(func(c *frame) int64 { return int64(n(c, owner.object(c))) }, x)
		}
		l := x.l
		return intNode(func(c *frame) int64 { return int64(l(c).n) }, x)
	case kindDyn:
		v := x.v
		n := intNode(func(c *frame) int64 {
			x := v(c)
			if x.kind == kindString {
				return c.runes(x.s)
			}
			return int64(c.elements(x).n)
		})
		n.fails = true
		return n
	}
	return k.unsupported(e, "size() of "+kindNames[x.typ.kind])
}

// runes counts characters.
func (c *frame) runes(s string) int64 {
	c.charge(len(s))
	return int64(utf8.RuneCountInString(s))
}

func stringTest(name string, x, y node) node {
	test := map[string]func(s, part string) bool{
		"contains": strings.Contains, "startsWith": strings.HasPrefix, "endsWith": strings.HasSuffix,
	}[name]
	a, b := x.string(), y.string()
	n := boolNode(func(c *frame) bool {
		s, part := a(c), b(c)
		c.charge(len(s) + len(part))
		return test(s, part)
	}, x, y)
	if y.constant {
		part := y.known.s
		n.b = func(c *frame) bool {
			s := a(c)
			c.charge(len(s) + len(part))
			return test(s, part)
		}
	}
	n.fails = n.fails || x.typ.kind == kindDyn || y.typ.kind == kindDyn
	return n
}

func (k *compiler) matches(e ast.Expr, x, pattern node) node {
	if !pattern.constant || pattern.typ.kind != kindString {
		return k.unsupported(e, "a regular expression that is not a constant")
	}
	expression, err := compileRegex(pattern.known.s)
	if err != nil {
		k.issues.at(k.tree, e, err.Error())
		return bad
	}
	s := x.string()
	n := boolNode(func(c *frame) bool {
		v := s(c)
		c.charge(len(v) * textPerStep) // the slowest work on text: a step for a byte
		return c.fail == failNone && expression.MatchString(v)
	}, x)
	n.fails = n.fails || x.typ.kind == kindDyn
	return n
}

func compileRegex(pattern string) (*regexp.Regexp, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("regular expression: %w", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("regular expression: %w", err)
	}
	if len(program.Inst) > RegexMax {
		return nil, errors.New("regular expression of more than " + limit(RegexMax, "instructions", "RegexMax"))
	}
	return regexp.Compile(pattern)
}

// lower turns ASCII letters into lower case.
func (c *frame) lower(s string) string {
	c.charge(len(s))
	upper := func(b byte) bool { return b >= 'A' && b <= 'Z' }
	for i := range len(s) {
		if !upper(s[i]) {
			continue
		}
		if !c.mayAdd(len(s)) {
			return ""
		}
		start := len(c.text)
		c.text = append(c.text, s...)
		for j := start + i; j < len(c.text); j++ {
			if upper(c.text[j]) {
				c.text[j] += 'a' - 'A'
			}
		}
		return mem.String(c.text[start:])
	}
	return s
}

// usd compiles usd(amount, currency).
func (k *compiler) usd(x, y node) node {
	amount, code, rates, missing := x.double(), y.string(), k.env.rates, k.env.noRate()
	if y.constant {
		var buf [currency.Len]byte
		rate, ok := rates[currency.Canonical(&buf, y.known.s)]
		n := doubleNode(func(c *frame) float64 {
			if !ok {
				c.failWith(missing)
			}
			return amount(c) * rate
		}, x)
		n.fails = n.fails || !ok || x.typ.kind == kindDyn
		return n
	}
	n := doubleNode(func(c *frame) float64 {
		a, cur := amount(c), code(c)
		if cur == "" || cur == "USD" {
			return a
		}
		var buf [currency.Len]byte
		rate, ok := rates[currency.Canonical(&buf, cur)]
		if !ok {
			c.failWith(missing)
		}
		return a * rate
	})
	n.fails = true
	return n
}

// noRate is the failure of a currency without a rate.
func (e *Env) noRate() failure {
	if len(e.rates) == len(dollars) {
		return failRates
	}
	return failCurrency
}

func (k *compiler) toInt(e ast.Expr, x node) node {
	n := intNode(nil, x)
	n.fails = true
	switch x.typ.kind {
	case kindInt:
		return x
	case kindTime:
		t := x.t
		n.i = func(c *frame) int64 { return t(c).Unix() }
	case kindDouble, kindString, kindDyn:
		v := x.value()
		n.i = func(c *frame) int64 { return c.toInt(v(c)) }
	default:
		return k.unsupported(e, "int()")
	}
	return n
}

func (c *frame) toInt(v value) int64 {
	switch v.kind {
	case kindInt:
		return v.i
	case kindDouble:
		if f := v.double(); f > math.MinInt64 && f < math.MaxInt64 {
			return int64(f)
		}
		c.failWith(failOverflow)
		return 0
	case kindString:
		if i, ok := parseInt(v.s); ok {
			return i
		}
	}
	c.failWith(failConversion)
	return 0
}

// parseInt is strconv.ParseInt in base 10, without an error that needs memory.
func parseInt(s string) (int64, bool) {
	const most = 20 // characters, leading zeros aside
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if digits == "" || len(s)-len(digits) > 1 {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
	}
	if len(strings.TrimLeft(digits, "0")) >= most {
		return 0, false
	}
	i, err := strconv.ParseInt(s, 10, 64)
	return i, err == nil
}

func (k *compiler) toDouble(e ast.Expr, x node) node {
	n := doubleNode(nil, x)
	switch x.typ.kind {
	case kindDouble:
		return x
	case kindInt:
		n.f = x.double()
	case kindString, kindDyn:
		v := x.value()
		n.f, n.fails = func(c *frame) float64 { return c.toDouble(v(c)) }, true
	default:
		return k.unsupported(e, "double()")
	}
	return n
}

func (c *frame) toDouble(v value) float64 {
	if f, ok := v.number(); ok {
		return f
	}
	if v.kind == kindString {
		c.charge(len(v.s))
		if f, err := strconv.ParseFloat(v.s, 64); err == nil {
			return f
		}
	}
	c.failWith(failConversion)
	return 0
}

func (k *compiler) toString(e ast.Expr, x node) node {
	switch x.typ.kind {
	case kindString:
		return x
	case kindBool, kindInt, kindDouble, kindDyn:
		v := x.value()
		n := stringNode(func(c *frame) string { return c.toString(v(c)) }, x)
		n.fails = n.fails || x.typ.kind == kindDyn
		return n
	}
	return k.unsupported(e, "string()")
}

func (c *frame) toString(v value) string {
	const most = 32 // bytes of a number
	if v.kind == kindString {
		return v.s
	}
	if !c.mayAdd(most) {
		return ""
	}
	start := len(c.text)
	switch v.kind {
	case kindBool:
		c.text = strconv.AppendBool(c.text, v.i != 0)
	case kindInt:
		c.text = strconv.AppendInt(c.text, v.i, 10)
	case kindDouble:
		c.text = strconv.AppendFloat(c.text, v.double(), 'g', -1, 64)
	default:
		c.failWith(failConversion)
	}
	return mem.String(c.text[start:])
}
