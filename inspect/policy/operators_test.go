package policy

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

// condition is a condition and what it is: true, false, or the name of an error in wantErrors.
type condition struct{ source, want string }

// hold evaluates conditions on a request, as closures and in the interpreter.
func hold(t *testing.T, in *rule.Input, conditions []condition) {
	t.Helper()
	e := testEnv(t)
	for _, c := range conditions {
		for _, options := range [][]Option{nil, {Interpreted}} {
			d, issues := e.Compile(c.source, options...)
			if issues != nil {
				t.Errorf("%s %v: %v", c.source, options, issues)
				continue
			}
			got, err := d.Holds(in)
			want := wantErrors[c.want]
			if got != (c.want == "true") || (err == nil) != (want == nil) || options == nil && err != want {
				t.Errorf("%s %v: %v, %v, want %s", c.source, options, got, err, c.want)
			}
		}
	}
}

// intsAt are the ints where arithmetic has its bounds.
var intsAt = []int64{
	math.MinInt64, math.MinInt64 + 1, math.MinInt32, -3, -2, -1, 0, 1, 2, 3, 10, math.MaxInt32, math.MaxInt64 - 1, math.MaxInt64,
}

// intLiteral writes an int so that the parser takes it: the smallest has no literal of its own.
func intLiteral(i int64) string {
	if i == math.MinInt64 {
		return "(-9223372036854775807 - 1)"
	}
	return "(" + strconv.FormatInt(i, 10) + ")"
}

// TestIntArithmetic compares the operations of ints with those of math/big: as ints, and as values
// whose type is known at evaluation only.
func TestIntArithmetic(t *testing.T) {
	operations := map[string]func(x, y *big.Int) (*big.Int, string){
		"+": func(x, y *big.Int) (*big.Int, string) { return new(big.Int).Add(x, y), "" },
		"-": func(x, y *big.Int) (*big.Int, string) { return new(big.Int).Sub(x, y), "" },
		"*": func(x, y *big.Int) (*big.Int, string) { return new(big.Int).Mul(x, y), "" },
		"/": func(x, y *big.Int) (*big.Int, string) {
			if y.Sign() == 0 {
				return nil, "division"
			}
			return new(big.Int).Quo(x, y), ""
		},
		"%": func(x, y *big.Int) (*big.Int, string) {
			switch {
			case y.Sign() == 0:
				return nil, "division"
			case x.Cmp(big.NewInt(math.MinInt64)) == 0 && y.Cmp(big.NewInt(-1)) == 0:
				return nil, "overflow" // the quotient has no room
			}
			return new(big.Int).Rem(x, y), ""
		},
	}
	in := input(t, sample)
	var conditions []condition
	for op, of := range operations {
		for _, x := range intsAt {
			for _, y := range intsAt {
				want := "true"
				result, failure := of(big.NewInt(x), big.NewInt(y))
				switch {
				case failure != "":
					want, result = failure, new(big.Int)
				case !result.IsInt64():
					want, result = "overflow", new(big.Int)
				}
				conditions = append(conditions,
					condition{fmt.Sprintf("%s %s %s == %s", intLiteral(x), op, intLiteral(y), intLiteral(result.Int64())), want},
					condition{fmt.Sprintf("dyn(%s) %s dyn(%s) == %s", intLiteral(x), op, intLiteral(y), intLiteral(result.Int64())), want})
			}
		}
	}
	for _, x := range intsAt {
		want := "true"
		if x == math.MinInt64 {
			want = "overflow"
		}
		for _, form := range []string{"-%s == %s", "-dyn(%s) == %s"} {
			conditions = append(conditions, condition{fmt.Sprintf(form, intLiteral(x), intLiteral(-x)), want})
		}
	}
	hold(t, in, conditions)
}

// TestDoubleArithmetic compares the operations of doubles with those of Go.
func TestDoubleArithmetic(t *testing.T) {
	operations := map[string]func(x, y float64) float64{
		"+": func(x, y float64) float64 { return x + y },
		"-": func(x, y float64) float64 { return x - y },
		"*": func(x, y float64) float64 { return x * y },
		"/": func(x, y float64) float64 { return x / y },
	}
	numbers := []float64{-1e308, -2.5, -1, 0, 0.1, 0.2, 1, 3, 1e-300, 1e308, math.MaxFloat64}
	write := func(f float64) string {
		text := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return "(" + text + ")"
	}
	in := input(t, sample)
	var conditions []condition
	for op, of := range operations {
		for _, x := range numbers {
			for _, y := range numbers {
				result := of(x, y)
				comparison := "== " + write(result)
				switch {
				case math.IsInf(result, 1):
					comparison = "> 1.7976931348623157e308"
				case math.IsInf(result, -1):
					comparison = "< -1.7976931348623157e308"
				case math.IsNaN(result):
					comparison = "!= 0.0" // and no other number either
				}
				conditions = append(conditions,
					condition{fmt.Sprintf("%s %s %s %s", write(x), op, write(y), comparison), "true"},
					condition{fmt.Sprintf("dyn(%s) %s dyn(%s) %s", write(x), op, write(y), comparison), "true"})
			}
		}
	}
	hold(t, in, conditions)
}

// TestOrder compares each pair of a rising list with each operator: as the types that they have,
// and as values of an ext.
func TestOrder(t *testing.T) {
	in := input(t, sample)
	for name, rising := range map[string][]string{
		"ints":     {"-9223372036854775807", "-1", "0", "1", "9223372036854775807"},
		"doubles":  {"-1e300", "-1.5", "0.0", "1e-300", "1.5", "1e300"},
		"strings":  {`""`, `"A"`, `"a"`, `"aa"`, `"b"`, `"é"`, `"😀"`},
		"bools":    {"false", "true"},
		"mixed":    {"-2", "-1.5", "0", "0.5", "1", "1.25", "2"},
		"instants": {`timestamp("2026-01-01T00:00:00Z")`, `timestamp("2026-01-01T00:00:00.001Z")`, `timestamp("2026-01-01T01:00:00Z")`},
	} {
		var conditions []condition
		for i, x := range rising {
			for j, y := range rising {
				for op, want := range map[string]bool{"<": i < j, "<=": i <= j, ">": i > j, ">=": i >= j, "==": i == j, "!=": i != j} {
					is := fmt.Sprint(want)
					if name != "mixed" || op != "==" && op != "!=" { // these take operands of one type
						conditions = append(conditions, condition{fmt.Sprintf("%s %s %s", x, op, y), is})
					}
					if name != "instants" {
						conditions = append(conditions, condition{fmt.Sprintf("dyn(%s) %s dyn(%s)", x, op, y), is})
					}
				}
			}
		}
		t.Run(name, func(t *testing.T) { hold(t, in, conditions) })
	}
}

// TestEqualKinds compares values of different kinds: they differ, but numbers are numbers, and have
// no order, but numbers do.
func TestEqualKinds(t *testing.T) {
	values := []struct{ text, kind string }{
		{"dyn(1)", "number 1"}, {"dyn(1.0)", "number 1"}, {"imp[0].ext.list[0]", "number 1"}, {"dyn(2)", "number 2"}, {"imp[0].ext.n", "number 2.5"},
		{`dyn("1")`, "string 1"}, {`imp[0].ext.list[1]`, "string x"}, {`dyn("x")`, "string x"},
		{"dyn(true)", "bool true"}, {"imp[0].ext.o.k.v", "bool true"}, {"dyn(false)", "bool false"},
		{"site.ext.none", "null"}, {"user.ext.n", "null"}, {"imp[0].ext.list[3]", "null"},
		{"dyn(cur)", "list USD EUR"}, {`dyn(["USD", "EUR"])`, "list USD EUR"}, {`dyn([1])`, "list 1"}, {"dyn([])", "list"},
		{"imp[0].ext.o", "object o"}, {"imp[0].ext.o.k", "object k"},
	}
	in := input(t, sample)
	var conditions []condition
	for _, a := range values {
		for _, b := range values {
			conditions = append(conditions,
				condition{a.text + " == " + b.text, fmt.Sprint(a.kind == b.kind)},
				condition{a.text + " != " + b.text, fmt.Sprint(a.kind != b.kind)},
				condition{a.text + " in [" + b.text + "]", fmt.Sprint(a.kind == b.kind)},
				condition{"[" + a.text + "] == [" + b.text + "]", fmt.Sprint(a.kind == b.kind)})
			word := func(kind string) string { w, _, _ := strings.Cut(kind, " "); return w }
			ordered := map[string]bool{"number": true, "string": true, "bool": true}
			if word(a.kind) != word(b.kind) || !ordered[word(a.kind)] {
				conditions = append(conditions, condition{a.text + " < " + b.text, "type"}, condition{a.text + " >= " + b.text, "type"})
			}
		}
	}
	hold(t, in, conditions)
}

// TestLogicTables has && and || with operands that are true, false, or fail, on both sides: an
// operand that decides makes up for a failure on the other side.
func TestLogicTables(t *testing.T) {
	operands := map[string]string{"true": `has(site)`, "false": `has(app)`, "index": `imp[9].id == ""`}
	in := input(t, sample)
	var conditions []condition
	for a, x := range operands {
		for b, y := range operands {
			and, or := "true", "false"
			for _, is := range []string{a, b} {
				if is == "index" {
					and, or = "index", "index"
				}
			}
			if a == "false" || b == "false" {
				and = "false"
			}
			if a == "true" || b == "true" {
				or = "true"
			}
			conditions = append(conditions, condition{x + " && " + y, and}, condition{x + " || " + y, or},
				condition{"[1, 2].all(n, n == 1 ? " + x + " : " + y + ")", and}, condition{"[1, 2].exists(n, n == 1 ? " + x + " : " + y + ")", or})
			for c, z := range operands {
				want := b
				switch a {
				case "false":
					want = c
				case "index":
					want = a
				}
				conditions = append(conditions, condition{fmt.Sprintf("(%s) ? (%s) : (%s)", x, y, z), want})
			}
		}
		not := map[string]string{"true": "false", "false": "true", "index": "index"}
		conditions = append(conditions, condition{"!(" + x + ")", not[a]}, condition{"!!(" + x + ")", a})
	}
	hold(t, in, conditions)
}
