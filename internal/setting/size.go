package setting

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// SizeMax is the largest size, in bytes.
const SizeMax = int64(1) << 44

// sizeUnits are the units of sizes and their exponents of 2, the largest first.
var sizeUnits = []struct {
	name  string
	shift uint
}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}, {"G", 30}, {"M", 20}, {"K", 10}, {"", 0}}

// sizePattern is how sizes are written. Units may be in any letter case.
const sizePattern = `(0|[1-9][0-9]{0,18})([KMGkmg]([Ii][Bb])?|[Bb])?`

var sizeForm = regexp.MustCompile(`^` + sizePattern + `$`)

// ParseSize reads a number of bytes with a unit or without: 65536, 64KiB, 16M. All sizes of keys,
// variables and flags are read by it.
func ParseSize(text string) (n int64, ok bool) {
	parts := sizeForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	for _, u := range sizeUnits {
		if strings.EqualFold(parts[2], u.name) {
			return n << u.shift, err == nil && n <= math.MaxInt64>>u.shift
		}
	}
	return 0, false // not reached: the pattern has only these units
}

// SizeText writes a number of bytes with the largest unit that is exact.
func SizeText[N int | int64](n N) string {
	for _, u := range sizeUnits[:3] {
		if n != 0 && int64(n)%(1<<u.shift) == 0 {
			return strconv.FormatInt(int64(n)>>u.shift, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(n), 10)
}

// SizeExample is a size with a unit, for messages.
const SizeExample = "a size such as 64KiB, 16MiB or 65536"

// Size is a number of bytes from min to max, with a unit or without.
func Size[N int | int64](min, max N) Type[N] {
	limits := SizeText(min) + " to " + SizeText(max)
	t := Type[N]{Shape: &Shape{Kind: ASize, What: SizeExample, Pattern: `^` + sizePattern + `$`, Min: float64(min), Max: float64(max)}}
	t.Flag = &FlagOf[N]{FlagSize, "", func(v any) (N, error) {
		n, err := simply[int](FlagSize, "").From(v)
		return N(n), err
	}}
	t.Outside = func(v N, loose bool) string {
		switch {
		case loose && v >= 0, !loose && v >= min && v <= max:
			return ""
		case loose:
			return "more"
		}
		return limits
	}
	t.Read = func(r *Reader, n *Node) (N, bool) {
		if n.Kind != Scalar {
			wrongType(r, n, "", SizeExample)
			return 0, false
		}
		v, ok := ParseSize(n.Text)
		switch {
		case !ok:
			r.Report(n.Problem(sizeRepaired(n.Text), "expected %s, found %s", SizeExample, n.Describe()))
			return 0, false
		case v < int64(min) || v > int64(max):
			r.Report(n.Problem("", "expected %s, from %s, found %s", SizeExample, limits, strings.Trim(Quote(n.Text), `"`)))
			return 0, false
		}
		return N(v), true
	}
	return t
}

// sizeRepaired suggests what to write in place of a text that is nearly a size, such as 8 MB or
// 65_536. It returns "" if nothing comes to mind.
func sizeRepaired(text string) string {
	bare := strings.NewReplacer(" ", "", "_", "", ",", "").Replace(strings.ToUpper(text))
	if digits, isUnit := strings.CutSuffix(bare, "B"); isUnit && !strings.HasSuffix(bare, "IB") {
		bare = digits
	}
	if n, ok := ParseSize(bare); ok {
		return SizeText(n)
	}
	return ""
}
