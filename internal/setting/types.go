package setting

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/nearest"
)

// Bool is true or false, nothing else.
func Bool() Type[bool] {
	const what = "true or false"
	return Type[bool]{Shape: &Shape{Kind: ABool, What: what}, Flag: simply[bool](FlagBool, ""), Read: func(r *Reader, n *Node) (bool, bool) {
		if n.Kind == Scalar && (n.Style == Plain || n.Style == Raw) && (n.Text == "true" || n.Text == "false") {
			return n.Text == "true", true
		}
		suggestion := ""
		if n.Kind == Scalar {
			switch strings.ToLower(n.Text) {
			case "true", "yes", "on", "y", "1":
				suggestion = "true"
			case "false", "no", "off", "n", "0":
				suggestion = "false"
			}
		}
		wrongType(r, n, suggestion, what)
		return false, false
	}}
}

// cutAtColon reports whether a node is a mapping only because the parser ends a key at any colon
// inside braces, as in {from: [2001:db8::/32]}.
func (n *Node) cutAtColon() bool {
	if n.Kind != Mapping || len(n.Members) == 0 {
		return false
	}
	key := n.Members[0].Key
	rest := n.Source.Text[min(key.Offset+len(key.Text), len(n.Source.Text)):]
	return n.Offset == key.Offset && key.Style == Plain && len(rest) > 1 && rest[0] == ':' && strings.IndexByte(" \t\r\n", rest[1]) < 0
}

// scalarText returns the text of a node that has to be a string.
func scalarText(r *Reader, n *Node, what string) (string, bool) {
	switch {
	case n.cutAtColon():
		wrongType(r, n, "", what+"; text with a colon needs quotes inside { }")
		return "", false
	case n.Kind != Scalar, n.scalarType() == typeNull:
		wrongType(r, n, "", what)
		return "", false
	case n.scalarType() != typeString:
		wrongType(r, n, strconv.Quote(n.Text), what)
		return "", false
	}
	return n.Text, true
}

// Text is a string that is not empty and has at most max bytes. What others would read as a
// number, a boolean or null must be quoted.
func Text(what string, max int) Type[string] {
	return Type[string]{Shape: &Shape{Kind: AText, What: what, Min: 1, Max: float64(max)}, Flag: simply[string](FlagText, ""), Read: func(r *Reader, n *Node) (string, bool) {
		text, ok := scalarText(r, n, what)
		switch {
		case !ok:
			return "", false
		case text == "":
			wrong(r, n, "", what, errors.New("it is empty"))
			return "", false
		case len(text) > max:
			wrong(r, n, "", what, fmt.Errorf("it has more than %d bytes", max))
			return "", false
		}
		return text, true
	}}
}

// Form is a string that a regular expression matches as a whole. The function repair, if it is not
// nil, suggests what to write instead of another string.
func Form(what, pattern string, repair func(string) string) Type[string] {
	form := regexp.MustCompile(`^(?:` + pattern + `)$`)
	return Type[string]{Shape: &Shape{Kind: AText, What: what, Pattern: `^(?:` + pattern + `)$`}, Flag: simply[string](FlagText, ""), Read: func(r *Reader, n *Node) (string, bool) {
		text, ok := scalarText(r, n, what)
		if !ok {
			return "", false
		}
		if !form.MatchString(text) {
			suggestion := ""
			if repair != nil {
				if suggestion = repair(text); !form.MatchString(suggestion) {
					suggestion = ""
				}
			}
			wrong(r, n, suggestion, what, nil)
			return "", false
		}
		return text, true
	}}
}

// Checked is a string with a further check. The error's text follows the string in messages.
func Checked[T any](t Type[string], check func(string) (v T, suggestion string, err error)) Type[T] {
	return Type[T]{Shape: t.Shape, Read: func(r *Reader, n *Node) (v T, ok bool) {
		text, ok := t.Read(r, n)
		if !ok {
			return v, false
		}
		v, suggestion, err := check(text)
		if err != nil {
			wrong(r, n, suggestion, t.Shape.What, err)
			return v, false
		}
		return v, true
	}}
}

// Word is one of several words. A word may look like a number.
func Word[T any](what string, words []string, value func(word string) T) Type[T] {
	return WordWith(what, words, nil, value)
}

// WordWith is one of several words. Those of others are accepted and not suggested.
func WordWith[T any](what string, words, others []string, value func(word string) T) Type[T] {
	shape := &Shape{Kind: AWord, What: what, Words: append(append([]string{}, words...), others...)}
	flag := &FlagOf[T]{Kind: FlagChoice, From: func(v any) (T, error) { return value(v.(string)), nil }}
	return Type[T]{Shape: shape, Flag: flag, Read: func(r *Reader, n *Node) (v T, ok bool) {
		if n.Kind == Scalar {
			for _, w := range shape.Words {
				if w == n.Text {
					return value(w), true
				}
			}
		}
		near := ""
		if n.Kind == Scalar {
			near = nearest.Name(n.Text, words)
		}
		r.Report(n.Problem(near, "expected %s (%s), found %s", what, enumerate(words, "or"), n.Describe()))
		return v, false
	}}
}

// decimal is how integers are written.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// Int is a decimal integer from min to max.
func Int(what string, min, max int) Type[int] {
	outside := func(v int, loose bool) string {
		switch {
		case loose && v >= 0, !loose && v >= min && v <= max:
			return ""
		case loose:
			return "more"
		}
		return fmt.Sprintf("%d to %d", min, max)
	}
	return Type[int]{Shape: &Shape{Kind: AnInteger, What: what, Min: float64(min), Max: float64(max)}, Flag: simply[int](FlagNumber, "N"), Outside: outside, Read: func(r *Reader, n *Node) (int, bool) {
		if n.Kind != Scalar || n.Style != Plain && n.Style != Raw || n.scalarType() != typeInteger && n.Style != Raw && n.scalarType() != typeNumber {
			suggestion := ""
			if n.Kind == Scalar {
				if bare := strings.NewReplacer("_", "", ",", "").Replace(n.Text); decimal.MatchString(bare) {
					suggestion = bare
				}
			}
			wrongType(r, n, suggestion, what)
			return 0, false
		}
		if !decimal.MatchString(n.Text) {
			suggestion := strings.TrimLeft(n.Text, "+0")
			if !decimal.MatchString(suggestion) {
				suggestion = ""
			}
			wrong(r, n, suggestion, what, errors.New("write a decimal integer"))
			return 0, false
		}
		v, err := strconv.Atoi(n.Text)
		if err != nil || v < min || v > max {
			limits := fmt.Sprintf("from %d to %d", min, max)
			if max >= math.MaxInt32 {
				limits = fmt.Sprintf("of at least %d", min)
			}
			r.Report(n.Problem("", "expected %s %s, found %s", what, limits, strings.Trim(Quote(n.Text), `"`)))
			return 0, false
		}
		return v, true
	}}
}

// PositiveNumber is a number greater than 0.
func PositiveNumber(what string) Type[float64] {
	return Type[float64]{Shape: &Shape{Kind: ANumber, What: what}, Read: func(r *Reader, n *Node) (float64, bool) {
		if n.Kind != Scalar || n.scalarType() != typeInteger && n.scalarType() != typeNumber && n.Style != Raw {
			suggestion := ""
			if n.Kind == Scalar && numberForm.MatchString(n.Text) {
				suggestion = n.Text
			}
			wrongType(r, n, suggestion, what)
			return 0, false
		}
		v, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || !numberForm.MatchString(n.Text) || !(v > 0) {
			wrong(r, n, "", what, errors.New("expected a number greater than 0"))
			return 0, false
		}
		return v, true
	}}
}

// percentage is how shares are written.
var percentage = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?)%$`)

// Share is a percentage greater than 0%, at most 100%. Its value is from 0 to 1.
func Share(what string) Type[float64] {
	return Type[float64]{Shape: &Shape{Kind: AText, What: what, Pattern: `^([0-9]+(\.[0-9]+)?)%$`}, Flag: simply[float64](FlagShare, ""), Read: func(r *Reader, n *Node) (float64, bool) {
		if n.Kind != Scalar || n.scalarType() == typeNull || n.scalarType() == typeBool {
			wrongType(r, n, "", what)
			return 0, false
		}
		match := percentage.FindStringSubmatch(n.Text)
		if match == nil {
			suggestion := ""
			if v, err := strconv.ParseFloat(strings.TrimRight(n.Text, " %"), 64); err == nil && v > 0 {
				if v <= 1 && !strings.HasSuffix(n.Text, "%") && n.Text != "1" {
					v *= 100
				}
				if v <= 100 {
					suggestion = strconv.FormatFloat(v, 'f', -1, 64) + "%"
				}
			}
			wrong(r, n, suggestion, what, nil)
			return 0, false
		}
		v, err := strconv.ParseFloat(match[1], 64)
		if err != nil || !(v > 0) || v > 100 {
			wrong(r, n, "", what, errors.New("expected more than 0%, at most 100%"))
			return 0, false
		}
		return v / 100, true
	}}
}

// Duration is a time with a unit, such as 1.5s, from min to max.
func Duration(what string, min, max time.Duration) Type[time.Duration] {
	shape := &Shape{Kind: AText, What: what, Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	outside := func(v time.Duration, loose bool) string {
		switch {
		case loose && v >= 0, !loose && v >= min && v <= max:
			return ""
		case loose:
			return "more"
		}
		return fmt.Sprintf("%v to %v", min, max)
	}
	showText := func(v time.Duration) any { return v.String() }
	return Type[time.Duration]{Shape: shape, Show: showText, Flag: simply[time.Duration](FlagDuration, ""), Outside: outside, Read: func(r *Reader, n *Node) (time.Duration, bool) {
		if n.Kind != Scalar || n.scalarType() == typeNull || n.scalarType() == typeBool {
			wrongType(r, n, "", what)
			return 0, false
		}
		v, err := time.ParseDuration(n.Text)
		if err != nil || n.Text == "0" {
			suggestion := ""
			if _, err := strconv.ParseFloat(n.Text, 64); err == nil {
				suggestion = n.Text + "ms"
			}
			wrong(r, n, suggestion, what, errors.New("write a number and a unit (ms, s, m or h)"))
			return 0, false
		}
		if v < min || v > max {
			r.Report(n.Problem("", "expected %s from %s to %s, found %s", what, min, max, Quote(n.Text)))
			return 0, false
		}
		return v, true
	}}
}

// Prefix is a range of addresses in CIDR notation, or one address. Its bits beyond the length have
// to be zero.
func Prefix(what string) Type[netip.Prefix] {
	return Checked(Text(what, 64), func(text string) (netip.Prefix, string, error) {
		if !strings.Contains(text, "/") {
			a, err := netip.ParseAddr(text)
			if err != nil || a.Zone() != "" {
				return netip.Prefix{}, "", errors.New("write an address, or an address and a length")
			}
			a = a.Unmap()
			return netip.PrefixFrom(a, a.BitLen()), "", nil
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return netip.Prefix{}, "", errors.New("write an address and a length")
		}
		if p.Masked() != p {
			return netip.Prefix{}, p.Masked().String(), fmt.Errorf("bits after the first %d are set", p.Bits())
		}
		return p, "", nil
	})
}

// Regexp is a regular expression in Go's syntax (RE2).
func Regexp(what string) Type[*regexp.Regexp] {
	return Checked(Text(what, 1024), func(text string) (*regexp.Regexp, string, error) {
		re, err := regexp.Compile(text)
		var syntax interface{ Error() string } = err
		if err != nil {
			return nil, "", errors.New(strings.TrimPrefix(Escape([]rune(syntax.Error())), "error parsing regexp: "))
		}
		return re, "", nil
	})
}
