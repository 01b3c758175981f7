package setting

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FlagKind says how the value of a flag is written.
type FlagKind uint8

// The kinds of flags, and the types of the values that they give.
const (
	NoFlag       FlagKind = iota
	FlagText              // string
	FlagBool              // bool
	FlagNumber            // int
	FlagSize              // int: bytes, with a unit or without
	FlagDuration          // time.Duration
	FlagShare             // float64
	FlagChoice            // string, one of the words of the shape
	FlagList              // []string, one for each time that the flag is given
	FlagNames             // []string, with commas between them
)

// Flag is how a setting is given on the command line.
type Flag struct {
	Kind FlagKind
	// Name is the flag's. Default: made of the path of the key.
	Name string
	// Value is what the help text calls the value, such as FILE. May be empty.
	Value string
	// Was are names that the flag no longer has.
	Was []string
}

// FlagOf makes values of a type from those of a flag.
type FlagOf[T any] struct {
	Kind  FlagKind
	Value string
	From  func(v any) (T, error)
}

// CommandFlag is a flag of the command line that stands for a field of S.
type CommandFlag[S any] struct {
	Key
	// Name is the flag's, and Usage its help text.
	Name, Usage string
	// Set puts a value of the flag's kind in place of the field's.
	Set func(s *S, v any) error
	// Outside says what is wanted in place of the value of s if that is out of range, "" otherwise.
	Outside func(s *S) string
}

// Flags returns the flags of fields, in their order.
func Flags[S any](fields []Field[S]) (list []CommandFlag[S]) {
	for _, f := range anyFields(fields) {
		if f.Flag.Kind == NoFlag {
			continue
		}
		list = append(list, CommandFlag[S]{
			Key: f.Key, Name: f.FlagAt(f.Name), Usage: usage(f.Doc),
			Set: func(s *S, v any) error { return f.values.assign(f.at(s), v) },
			Outside: func(s *S) string {
				if f.values.outside == nil || f.loose {
					return "" // whoever uses the value says what it can't be
				}
				return f.values.outside(f.at(s), false)
			},
		})
	}
	return list
}

// FlagAt returns the name of the key's flag, which follows from its path in its section unless it
// has a name of its own.
func (k *Key) FlagAt(path string) string {
	if k.Flag.Name != "" {
		return k.Flag.Name
	}
	return strings.NewReplacer(".", "-", "_", "-").Replace(path)
}

// usage makes a help text of documentation: its first sentence as a phrase.
func usage(doc string) string {
	text, _, _ := strings.Cut(doc, ". ")
	text = strings.TrimSuffix(strings.ReplaceAll(text, "`", ""), ".")
	first, size := utf8.DecodeRuneInString(text)
	if next, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(next) {
		return text // an abbreviation
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// simply is the flag of a type whose values are the flag's values.
func simply[T any](kind FlagKind, value string) *FlagOf[T] {
	return &FlagOf[T]{kind, value, func(v any) (T, error) {
		own, ok := v.(T)
		if !ok {
			return own, fmt.Errorf("setting: a flag gives %T", v) // not reached: the kind says what it gives
		}
		return own, nil
	}}
}
