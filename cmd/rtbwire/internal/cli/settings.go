package cli

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are flags that stand for settings. Those that are given replace the values of a file.
type Settings[S any] struct {
	set   *pflag.FlagSet
	flags []flagValue[S]
}

// flagValue is a flag with what it says.
type flagValue[S any] struct {
	setting.CommandFlag[S]
	value func() any
}

// NewSettings returns an empty list; Add adds flags to set.
func NewSettings[S any](set *pflag.FlagSet) *Settings[S] { return &Settings[S]{set: set} }

// Add defines the flags of settings. A flag whose name is taken already is left to whoever took it.
func (s *Settings[S]) Add(fields []setting.Field[S]) {
	for _, f := range setting.Flags(fields) {
		if s.set.Lookup(f.Name) != nil {
			continue
		}
		s.flags = append(s.flags, flagValue[S]{f, s.define(&f.Key, f.Name, f.Usage)})
		for _, old := range f.Flag.Was {
			Renamed(s.set, old, f.Name)
		}
	}
}

// define adds a flag, and returns the function that returns its value.
func (s *Settings[S]) define(k *setting.Key, name, usage string) func() any {
	set, otherwise := s.set, k.Default
	switch k.Flag.Kind {
	case setting.FlagBool:
		v := set.Bool(name, otherwise == "true", usage)
		return func() any { return *v }
	case setting.FlagNumber:
		v := new(number)
		must(v.Set, otherwise)
		set.Var(v, name, usage)
		return func() any { return int(*v) }
	case setting.FlagSize:
		v := new(Size)
		must(v.Set, otherwise)
		set.Var(v, name, usage)
		return func() any { return int(*v) }
	case setting.FlagDuration:
		d, _ := time.ParseDuration(otherwise) // without a default it is 0
		v := set.Duration(name, d, usage)
		return func() any { return *v }
	case setting.FlagShare:
		v := new(Share)
		must(v.Set, otherwise)
		set.Var(v, name, usage)
		return func() any { return float64(*v) }
	case setting.FlagChoice:
		v := &Choice{Value: otherwise, Choices: k.Shape.Words}
		set.Var(v, name, usage)
		return func() any { return v.Value }
	case setting.FlagList, setting.FlagNames:
		v := &texts{value: k.Flag.Value, list: split(otherwise), commas: k.Flag.Kind == setting.FlagNames}
		set.Var(v, name, usage+"; repeatable")
		return func() any { return v.list }
	default:
		v := &text{otherwise, k.Flag.Value}
		set.Var(v, name, usage)
		return func() any { return v.text }
	}
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// must sets a default, which is right.
func must(set func(string) error, text string) {
	if text == "" {
		return
	}
	if err := set(text); err != nil {
		panic(err)
	}
}

// Apply replaces the values whose flags were given.
func (s *Settings[S]) Apply(to *S) error {
	for i := range s.flags {
		f := &s.flags[i]
		if !s.set.Changed(f.Name) {
			continue
		}
		if err := f.Set(to, f.value()); err != nil {
			return Usagef("--%s %w", f.Name, err)
		}
		if want := f.Outside(to); want != "" {
			return Usagef("--%s %s (want %s)", f.Name, s.set.Lookup(f.Name).Value, want)
		}
	}
	return nil
}

// Given returns the names of the flags of settings that were given.
func (s *Settings[S]) Given() (names []string) {
	for i := range s.flags {
		if s.set.Changed(s.flags[i].Name) {
			names = append(names, s.flags[i].Name)
		}
	}
	return names
}

// These are flags as pflag has them, but that the help text says what their values are.
type (
	number int
	text   struct{ text, value string }
	texts  struct {
		value  string
		list   []string
		commas bool
		given  bool
	}
)

func (t *text) String() string { return t.text }
func (t *text) Type() string   { return cmp.Or(t.value, "TEXT") }
func (t *text) Set(given string) error {
	t.text = given
	return nil
}

func (t *texts) String() string { return strings.Join(t.list, ",") }
func (t *texts) Type() string   { return cmp.Or(t.value, "TEXT") }
func (t *texts) Set(given string) error {
	if !t.given { // what was there is the default
		t.list, t.given = nil, true
	}
	if t.commas {
		t.list = append(t.list, strings.Split(given, ",")...)
		return nil
	}
	t.list = append(t.list, given)
	return nil
}

func (n *number) String() string { return strconv.Itoa(int(*n)) }
func (n *number) Type() string   { return "N" }
func (n *number) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("want an integer")
	}
	*n = number(v)
	return nil
}

// Renamed refuses the old name of a flag, with the new one.
func Renamed(set *pflag.FlagSet, old, name string) {
	set.Var(&renamed{name}, old, "")
	f := set.Lookup(old)
	f.Hidden, f.NoOptDefVal = true, "true" // with and without a value
}

type renamed struct{ name string }

func (r *renamed) String() string { return "" }
func (r *renamed) Type() string   { return "" }
func (r *renamed) Set(string) error {
	return &renamedError{r.name}
}

// renamedError is about a flag that has another name now.
type renamedError struct{ name string }

func (e *renamedError) Error() string { return "it is --" + e.name + " now" }
