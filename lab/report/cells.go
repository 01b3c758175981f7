package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// cell is a value in a table.
type cell interface {
	write() string
	read(text string) error
}

// Numbers have as many digits as make sense. A number that was read is written with the same
// digits, so that reading and writing the file of a run does not change it.
const (
	timeDigits   = 4
	amountDigits = 3 // of amounts below 1000
)

type textCell[S ~string] struct{ p *S }

func (c textCell[S]) write() string          { return string(*c.p) }
func (c textCell[S]) read(text string) error { *c.p = S(text); return nil }

func text[S ~string](p *S) cell { return textCell[S]{p} }

// maybeText is a text that may be missing.
type maybeText struct{ p *string }

const unknown = "unknown"

func (c maybeText) write() string {
	if *c.p == "" {
		return unknown
	}
	return *c.p
}

func (c maybeText) read(text string) error {
	if *c.p = text; text == unknown {
		*c.p = ""
	}
	return nil
}

// choice is one word for true and another for false.
type choice struct {
	p       *bool
	yes, no string
}

func (c choice) write() string {
	if *c.p {
		return c.yes
	}
	return c.no
}

func (c choice) read(text string) error {
	if *c.p = text == c.yes; !*c.p && text != c.no {
		return fmt.Errorf("%q is neither %q nor %q", text, c.yes, c.no)
	}
	return nil
}

type integer[N int | uint64] struct{ p *N }

func (c integer[N]) write() string { return fmt.Sprint(*c.p) }

func (c integer[N]) read(text string) error {
	n, err := strconv.ParseUint(text, 10, 63)
	if *c.p = N(n); err != nil {
		return fmt.Errorf("%q is not a count", text)
	}
	return nil
}

func count(p *int) cell { return integer[int]{p} }

// fixed is a number with so many digits after the point.
type fixed struct {
	p        *float64
	decimals int
}

func (c fixed) write() string          { return strconv.FormatFloat(*c.p, 'f', c.decimals, 64) }
func (c fixed) read(text string) error { return readNumber(c.p, text) }

// amount is a mean or a ratio.
type amount struct{ p *float64 }

func (c amount) write() string          { return amountText(*c.p) }
func (c amount) read(text string) error { return readNumber(c.p, text) }

func amountText(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(round(v, amountDigits), 'f', -1, 64)
}

func readNumber(p *float64, text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if *p = v; err != nil {
		return fmt.Errorf("%q is not a number", text)
	}
	return nil
}

// percent is a share of 1.
type percent struct{ p *float64 }

func (c percent) write() string { return amountText(100**c.p) + "%" }

func (c percent) read(text string) error {
	err := readNumber(c.p, strings.TrimSuffix(text, "%"))
	*c.p /= 100
	return err
}

// scaled is a time: scale is how many nanoseconds its unit has.
type scaled struct {
	p     *float64
	scale float64
}

func nanoseconds(p *float64) cell { return scaled{p, 1} }
func seconds(p *float64) cell     { return scaled{p, 1e9} }

func (c scaled) write() string {
	u, decimals := unitOf(*c.p * c.scale)
	return fmt.Sprintf("%.*f %s", decimals, *c.p*c.scale/u.ns, u.name)
}

func (c scaled) read(text string) error {
	err := interval{c.p, new(float64), new(float64)}.read(text)
	*c.p /= c.scale
	return err
}

// interval is a time with the bounds of its confidence interval, in nanoseconds.
type interval struct{ ns, lo, hi *float64 }

func (c interval) write() string {
	u, decimals := unitOf(*c.ns)
	return fmt.Sprintf("%.*f %s [%.*f, %.*f]", decimals, *c.ns/u.ns, u.name, decimals, *c.lo/u.ns, decimals, *c.hi/u.ns)
}

var intervalForm = regexp.MustCompile(`^([\d.]+) (\S+?)(?: \[([\d.]+), ([\d.]+)\])?$`)

func (c interval) read(text string) error {
	parts := intervalForm.FindStringSubmatch(text)
	if parts == nil {
		return fmt.Errorf("%q is not a time", text)
	}
	for _, u := range units {
		if u.name != parts[2] {
			continue
		}
		for p, number := range map[*float64]string{c.ns: parts[1], c.lo: parts[3], c.hi: parts[4]} {
			if number == "" { // a time without an interval
				continue
			}
			if err := readNumber(p, number); err != nil {
				return err
			}
			*p *= u.ns
		}
		return nil
	}
	return fmt.Errorf("%q: no unit of time is called %s", text, parts[2])
}

// ratio is a ratio with the bounds of its confidence interval.
type ratio struct{ v, lo, hi *float64 }

func (c ratio) write() string {
	whole := 1 + int(math.Floor(math.Log10(max(round(*c.v, amountDigits), 1))))
	decimals := max(0, amountDigits-whole)
	return fmt.Sprintf("%.*f [%.*f, %.*f]", decimals, *c.v, decimals, *c.lo, decimals, *c.hi)
}

var ratioForm = regexp.MustCompile(`^([\d.]+) \[([\d.]+), ([\d.]+)\]$`)

func (c ratio) read(text string) error {
	parts := ratioForm.FindStringSubmatch(text)
	if parts == nil {
		return fmt.Errorf("%q is not a ratio with its interval", text)
	}
	for i, p := range []*float64{c.v, c.lo, c.hi} {
		if err := readNumber(p, parts[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// unit is what a time is written in.
type unit struct {
	name string
	ns   float64
}

var units = []unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// unitOf returns the unit for a time, and how many digits to write after the point.
func unitOf(ns float64) (u unit, decimals int) {
	ns = round(ns, timeDigits)
	u = units[0]
	for _, larger := range units[1:] {
		if ns >= 10*larger.ns {
			u = larger
		}
	}
	whole := 1 + int(math.Floor(math.Log10(max(ns/u.ns, 1))))
	return u, max(0, timeDigits-whole)
}

// round rounds to a number of significant digits.
func round(v float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return out
}

type moment struct{ p *time.Time }

func (c moment) write() string { return c.p.UTC().Format(time.RFC3339) }

func (c moment) read(text string) (err error) {
	*c.p, err = time.Parse(time.RFC3339, text)
	return err
}

type length struct{ p *time.Duration }

func (c length) write() string { return c.p.String() }

func (c length) read(text string) (err error) {
	*c.p, err = time.ParseDuration(text)
	return err
}

// list is a list of texts.
type list struct{ p *[]string }

const listSeparator = ", "

func (c list) write() string { return strings.Join(*c.p, listSeparator) }

func (c list) read(text string) error {
	if *c.p = nil; text != "" {
		*c.p = strings.Split(text, listSeparator)
	}
	return nil
}
