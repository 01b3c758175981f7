package gen

import (
	"go/token"
	"strings"
	"unicode"
)

// names are what the functions of a root type are called.
type names struct {
	Parse, ParseFast, ParseFastArena, ParseReader, ReleaseArena, Pool, NewPool, Decoder, NewDecoder string

	Noun string // what comments call a value
}

// namesOf names the functions of a root type after the configuration, or else after the type.
// They are exported if the type is.
func namesOf(typeName string, c Config) names {
	name, ok := c.Names[typeName]
	if !ok {
		name.Word = exported(typeName)
	}
	if name.Noun == "" {
		name.Noun = typeName
	}
	first := func(s string) string { return s }
	if !token.IsExported(typeName) || c.Internal {
		first = unexported
	}
	parse := "Parse" + name.Word
	return names{
		Parse:          first(parse),
		ParseFast:      first(parse + "Fast"),
		ParseFastArena: first(parse + "FastArena"),
		ParseReader:    first(parse + "Reader"),
		ReleaseArena:   first("Release" + name.Word + "Arena"),
		Pool:           first(name.Word + "Pool"),
		NewPool:        first("New" + name.Word + "Pool"),
		Decoder:        first(name.Word + "Decoder"),
		NewDecoder:     first("New" + name.Word + "Decoder"),
		Noun:           name.Noun,
	}
}

// local is a package-level name for the use of the generated file alone. So that a package can
// have several such files, the name begins with what the file is called.
func (c *Config) local(name string) string {
	if prefix := prefixOf(c.Output); prefix != "" {
		return prefix + exported(name)
	}
	return name
}

// prefixOf makes an identifier of a file name, without its words "codec" and "gen": "" for
// codec_gen.go, "clicks" for clicks_gen.go.
func prefixOf(output string) string {
	words := strings.FieldsFunc(strings.TrimSuffix(output, ".go"), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	prefix := ""
	for _, word := range words {
		switch {
		case word == "codec" || word == "gen":
		case prefix == "" && unicode.IsDigit([]rune(word)[0]):
			prefix = "x" + word
		case prefix == "":
			prefix = unexported(word)
		default:
			prefix += exported(word)
		}
	}
	return prefix
}

func exported(s string) string { return withFirst(s, unicode.ToUpper) }

func unexported(s string) string { return withFirst(s, unicode.ToLower) }

func withFirst(s string, change func(rune) rune) string {
	if s == "" {
		return ""
	}
	runes := []rune(s)
	runes[0] = change(runes[0])
	return string(runes)
}
