package config

import (
	"slices"
	"strconv"
	"sync"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// The table of keys. The reader, docs/reference/configuration.md and the JSON Schema are made from
// it. What is not declared here is declared by the packages that use it.

// The longest texts, in bytes.
const (
	nameMax  = 64
	pathMax  = 1024
	entryMax = 1024
)

// root is the type of the whole file, with what the packages of the program have registered.
var root = sync.OnceValue(func() setting.Type[Config] { return fileObject().Type() })

func fileObject() *setting.Object[Config] {
	o := &setting.Object[Config]{
		Name: "file", Doc: "The whole file.",
		Fields: []setting.Field[Config]{
			setting.F("version", version, func(c *Config) *int { return &c.Version },
				"The version of the format. An included file may leave it out.").Required().Example("version: 1"),
			setting.F("include", includes, func(*Config) *[]string { return new([]string) }, // the loader has read it before
				"Files to read as if their content was here: names or patterns with `*`, relative to this file. A name that is given in two files is an error; sequences are joined, in the order of the files.").
				Example("include: [partners/*.yaml]"),
		},
	}
	o.Fields = append(o.Fields, sections(o)...)
	before := func(key string, f setting.Field[Config]) {
		at := slices.IndexFunc(o.Fields, func(f setting.Field[Config]) bool { return f.Key().Name == key })
		o.Fields = slices.Insert(o.Fields, at, f)
	}
	before("annotate", setting.F("partners", setting.Partners(), func(c *Config) *[]*Scope { return &c.Scope.Inner },
		"Senders of requests, by name, with what is different for each.").Example("partners: {exchange-a: {match: {mtls: a.example}}}"))
	return o
}

// sections returns the settings of the packages of the program, and describes their mappings.
func sections(o *setting.Object[Config]) (fields []setting.Field[Config]) {
	at := func(c *Config) *setting.Scope { return &c.Scope }
	own, groups := setting.Sections()
	for _, f := range own {
		fields = append(fields, setting.Lift(f, at))
	}
	for _, g := range groups {
		o.Groups = append(o.Groups, setting.LiftGroup(g, at))
	}
	return fields
}

var version = setting.Word("the version of the format", []string{strconv.Itoa(Version)}, func(string) int { return Version })

var includes = setting.Either(
	setting.ListOf(setting.Text("a file or a pattern", pathMax)),
	setting.Convert(setting.Text("a file or a pattern", pathMax), func(name string) []string { return []string{name} }),
)
