package setting

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/nearest"
)

// This file has the types and checks that several packages declare their settings with.

// The longest texts, in bytes.
const (
	NameMax    = 64
	AddressMax = 512 // an address or a URL
	PathMax    = 1024
	EntryMax   = 1024
)

// Place is where something is in a configuration.
type Place struct {
	File         string // or the environment variable
	Line, Column int    // from 1
	node         *Node
}

// PlaceOf returns the place of a node.
func PlaceOf(n *Node) Place {
	p := n.Problem("", "")
	return Place{p.File, p.Line, p.Column, n}
}

// Written reports whether somebody has written what is at the place; a default is nowhere.
func (p Place) Written() bool { return p.File != "" && !strings.HasPrefix(p.File, defaultOf) }

// Node returns what is at the place, nil if that is not known.
func (p Place) Node() *Node { return p.node }

// Member returns the place of a member's value, or the place itself where it is no mapping that has
// the member.
func (p Place) Member(key string) Place {
	if p.node == nil {
		return p
	}
	if v := p.node.Get(key); v != nil {
		return PlaceOf(v)
	}
	return p
}

// Find returns the place of the first text in a value, a key or a scalar, that is as given, or the
// place itself where there is none.
func (p Place) Find(text string) Place {
	if p.node == nil {
		return p
	}
	if n := p.node.find(text); n != nil {
		return PlaceOf(n)
	}
	return p
}

// Problem returns a problem at the place, with an excerpt. The suggestion may be empty.
func (p Place) Problem(suggestion, message string) Problem {
	if p.node == nil {
		return Problem{File: p.File, Line: p.Line, Column: p.Column, Message: message, Suggestion: suggestion}
	}
	return p.node.Problem(suggestion, "%s", message)
}

// Named is a name with its place.
type Named struct {
	Name  string
	Place Place
}

// NameOf is the type of a name that something else in the file has. That there is one is checked
// when the whole file is known.
func NameOf(what string) Type[Named] {
	return Placed(
		Convert(Text(what, NameMax), func(name string) Named { return Named{Name: name} }),
		func(v *Named, n *Node) { v.Place = PlaceOf(n) })
}

// NamedFile is [FileName] with its place.
func NamedFile() Type[Named] {
	return Placed(
		Convert(FileName(), func(name string) Named { return Named{Name: name} }),
		func(v *Named, n *Node) { v.Place = PlaceOf(n) })
}

// AgeMax is the largest [Age].
const AgeMax = 10 * 365 * 24 * time.Hour

// Age is how old something may be.
func Age() Type[time.Duration] { return Duration("a time such as 36h", time.Minute, AgeMax) }

// FileName is the name of a file, relative to the file that it is in.
func FileName() Type[string] {
	text := Text("the name of a file", PathMax)
	return Type[string]{Shape: text.Shape, Flag: simply[string](FlagText, "FILE"), Read: func(r *Reader, n *Node) (string, bool) {
		name, ok := text.Read(r, n)
		if ok && !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(n.Source.Name), name)
		}
		return name, ok
	}}
}

// SecretFile is the name of a file with a secret. A change of it is one of the configuration.
func SecretFile() Type[string] {
	t := FileName()
	return Type[string]{Shape: t.Shape, Read: func(r *Reader, n *Node) (string, bool) {
		name, ok := t.Read(r, n)
		if ok {
			r.Files = append(r.Files, name)
		}
		return name, ok
	}}
}

// Variable is the name of an environment variable with a secret.
func Variable() Type[string] {
	t := Form("the name of an environment variable", `[A-Za-z_][A-Za-z0-9_]{0,254}`, func(s string) string { return strings.TrimPrefix(s, "$") })
	return Type[string]{Shape: t.Shape, Read: func(r *Reader, n *Node) (string, bool) {
		name, ok := t.Read(r, n)
		if ok {
			r.Variables = append(r.Variables, name)
		}
		return name, ok
	}}
}

// Secret says where a secret is: in an environment variable or a file.
type Secret struct{ Variable, File string }

// secretMax is how long a file with a secret may be, in bytes.
const secretMax = 4096

// Read returns the secret, "" if none is declared. An empty one is an error: everybody would have
// such a token. So is one with control characters, which no header can have. The environment is as
// os.Environ returns it.
func (s Secret) Read(environ []string) (string, error) {
	text, err := s.ReadBinary(environ)
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return "", fmt.Errorf("%s has a control character", s.from())
	}
	return text, err
}

// from says where a secret is, for messages.
func (s Secret) from() string {
	if s.Variable != "" {
		return "the environment variable " + s.Variable
	}
	return "the file " + s.File
}

// ReadBinary is [Secret.Read] for a secret that may have any bytes. It cuts off white space around
// the secret.
func (s Secret) ReadBinary(environ []string) (string, error) {
	var text string
	from := s.from()
	switch {
	case s.Variable != "":
		for _, entry := range environ {
			if name, value, _ := strings.Cut(entry, "="); name == s.Variable {
				text = value
			}
		}
	case s.File != "":
		data, err := os.ReadFile(s.File)
		if err != nil {
			return "", err
		}
		if len(data) > secretMax {
			return "", fmt.Errorf("%s has %d bytes (want at most %d)", from, len(data), secretMax)
		}
		text = string(data)
	default:
		return "", nil
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", fmt.Errorf("%s is empty or not set", from)
	}
	return text, nil
}

// HeaderName is the name of an HTTP header.
func HeaderName() Type[string] {
	return Form("the name of a header", "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}", nil)
}

// URLPath is the path of a URL.
func URLPath() Type[string] {
	return Form("a path of a URL such as /exchange-a", `/[^\s?#]*`, func(s string) string { return "/" + s })
}

// OneOrMore is a list, or its only element.
func OneOrMore[T any](t Type[T]) Type[[]T] {
	return Either(ListOf(t), Convert(t, func(v T) []T { return []T{v} }))
}

// Commas is a type of lists whose flag takes several elements with commas between them.
func Commas[T any](t Type[[]T]) Type[[]T] {
	flag := *t.Flag
	flag.Kind = FlagNames
	t.Flag = &flag
	return t
}

// PointerTo is the type of a pointer to a value.
func PointerTo[T any](t Type[T]) Type[*T] {
	out := Convert(t, func(v T) *T { return &v })
	out.Show = func(v *T) any {
		switch {
		case v == nil:
			return nil
		case t.Show != nil:
			return t.Show(*v)
		}
		return *v
	}
	return out
}

// Option is one of several words.
func Option[T ~string](what string, words ...T) Type[T] {
	var names []string
	for _, w := range words {
		names = append(names, string(w))
	}
	return Word(what, names, func(w string) T { return T(w) })
}

// Not is true or false, and its value is the opposite.
func Not() Type[bool] {
	t := Convert(Bool(), func(v bool) bool { return !v })
	t.Show = func(v bool) any { return !v }
	return t
}

// ShareOrNone is a percentage, 0% among them.
func ShareOrNone() Type[float64] {
	const what = "a share such as 5%, or 0%"
	positive := Share(what)
	return Type[float64]{Shape: positive.Shape, Flag: positive.Flag, Read: func(r *Reader, n *Node) (float64, bool) {
		if n.Kind == Scalar && n.Text == "0%" {
			return 0, true
		}
		return positive.Read(r, n)
	}}
}

// Network is a range of addresses. A flag may have bits beyond the length.
func Network() Type[netip.Prefix] {
	t := Prefix("a range of addresses such as 192.0.2.0/24")
	t.Show = func(p netip.Prefix) any { return p.String() }
	t.Flag = &FlagOf[netip.Prefix]{FlagText, "", func(v any) (netip.Prefix, error) {
		text, _ := v.(string)
		if p, err := netip.ParsePrefix(text); err == nil {
			return p.Masked(), nil
		}
		a, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}, fmt.Errorf("%q (want a range of addresses such as 192.0.2.0/24)", text)
		}
		return netip.PrefixFrom(a, a.BitLen()), nil
	}}
	return t
}

// Dashed makes a name of a text: lower case, with hyphens in place of what a name can't have.
func Dashed(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-.")
}

// Identifier is the name of a partner, a vendor or the like.
func Identifier() Type[string] {
	return Form("a name of lower case letters, digits, hyphens and dots", `[a-z0-9][a-z0-9._-]{0,63}`, Dashed)
}

// Misspelt reports whether a mapping has a key that was probably meant to be one of several.
func Misspelt(n *Node, keys ...string) bool {
	return slices.ContainsFunc(n.Members, func(m Member) bool { return nearest.Name(m.Key.Text, keys) != "" })
}

// ExactlyOne reports a mapping that has none or both of two keys.
func ExactlyOne(r *Reader, n *Node, a, b string) {
	first, second := n.Member(a), n.Member(b)
	switch {
	case first == nil && second == nil && Misspelt(n, a, b): // was reported
	case first == nil && second == nil:
		r.Report(n.Problem("", "missing %q or %q", a, b))
	default:
		AtMostOne(r, n, a, b)
	}
}

// AtMostOne reports a mapping that has both of two keys.
func AtMostOne(r *Reader, n *Node, a, b string) {
	if second := n.Member(b); n.Member(a) != nil && second != nil {
		r.Report(second.Key.Problem("", "both %q and %q are given; remove one", a, b))
	}
}
