// Package config reads the configuration file of rtbwire: one YAML or JSON file, and the files that
// it includes, for all that the tools decide about requests. docs/reference/configuration.md
// describes the format. That page, the JSON Schema for editors ([JSONSchema]) and the reader itself
// are made from one table.
//
// [Load] returns all mistakes at once, each with its place and an excerpt:
//
//	rtbwire.yaml:14:7: unknown key "wen" (did you mean "when"?)
//	  14 |       wen: site.domain == "x"
//	     |       ^^^
//
// A Config holds declarations: lists, rates and keys of scrubs are opened by who uses them, and
// conditions are compiled by [Options.Conditions].
package config

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/setting"
)

//go:generate go run ./internal/document -out ../docs/reference

// Version is the version of the format.
const Version = 1

// Problem is a mistake in a configuration: place, message, suggestion and excerpt.
type Problem = setting.Problem

// Problems are all mistakes of a configuration.
type Problems = setting.Problems

// Config is a configuration file with what it includes and what the environment overrides.
type Config struct {
	// Files are all files that were read, the main one first.
	Files []string
	// Version is [Version].
	Version int
	// Schema is about the rules of the specification.
	Schema Schema
	// Payload says how signs of attacks are looked for.
	Payload Payload
	// Fraud is about the fraud score.
	Fraud Fraud
	// Scope has what packages of the program add to the file, such as the gateway.
	Scope Scope
	// Layer is the layer of all requests.
	Layer
	// Lists are what conditions call lists.NAME, in the order of the file.
	Lists []List
	// Rates says where exchange rates come from, nil if nowhere.
	Rates *Rates
	// MarkupMax is as in [inspect.Response].
	MarkupMax int
	// Partners are in the order of the file.
	Partners []Partner
	// Annotate and MaxFindings are as in [inspect.Config].
	Annotate    bool
	MaxFindings int

	variables, followed []string // as in setting.Reader
}

// Schema is the section about the rules of the specification.
type Schema struct {
	Preset schema.Preset
	// Severities come before those of the global layer. Their patterns begin with "schema.".
	Severities []Setting
}

// Payload is the section about signs of attacks.
type Payload struct {
	// Patterns are looked for besides the default ones.
	Patterns []Pattern
	// Layers, Nested and Work are as in [payload.Options].
	Layers payload.Layers
	Nested int
	Work   int
	Fields []Harmless
}

// Pattern is a literal that is looked for.
type Pattern struct {
	ID       string
	Text     string
	Why      string // may be empty
	Severity inspect.Severity
	Place    Place
}

// Harmless is a field in which some patterns are harmless.
type Harmless struct {
	Path
	Patterns []HarmlessPattern
}

// HarmlessPattern is the id of a pattern, or a pattern of ids as path.Match has them.
type HarmlessPattern struct {
	ID    string
	Place Place
}

// Setting is a severity for one reason or a pattern.
type Setting struct {
	inspect.Setting
	Place Place
}

// Layer is what can be set for all requests, for a partner's and for a publisher's.
type Layer struct {
	Severities []Setting
	Rules      []Rule
	Scrub      []Scrub
	Shadow     bool
	Sample     float64 // more than 0, at most 1
}

// Rule objects to the requests that its condition holds for.
type Rule struct {
	Name        string
	When        Condition
	Severity    inspect.Severity
	NBR         adcom.NoBidReason
	Message     string // empty: the name
	OnError     OnError
	Interpreted bool
	Shadow      bool
	Sample      float64
	Place       Place
}

// OnError says what becomes of a request that a condition has no value for.
type OnError string

// The values of [Rule.OnError].
const (
	OnErrorPass   OnError = "pass"
	OnErrorRefuse OnError = "refuse"
)

// Condition is a condition in CEL.
type Condition struct {
	Source string // empty: there is none
	Place  Place
	// Compiled is set if there are [Options.Conditions].
	Compiled rule.Condition
}

// ListKind says what the entries of a list are, and how they are compared.
type ListKind string

// The kinds of lists.
const (
	ListDomain ListKind = "domain" // with all subdomains
	ListBundle ListKind = "bundle" // ids of apps
	ListPrefix ListKind = "prefix" // ranges of addresses
	ListString ListKind = "string" // text, compared as it is
	ListSeller ListKind = "seller" // domain of an exchange and id of a seller there
)

// List declares a list. Either File or Entries is set.
type List struct {
	Name    string
	Kind    ListKind
	File    string // relative names are resolved against the file that has the declaration
	Entries []ListEntry
	// Format is "text", "csv", or empty: by the file's name and the columns.
	Format        string
	Columns       []string
	BadEntriesMax int
	Place         Place
}

// ListEntry is an entry of a list that is in the configuration itself.
type ListEntry struct {
	Text  string
	Place Place
}

// Rates says where exchange rates come from. Either File or Values is set.
type Rates struct {
	File   string
	Values []Rate
	Place  Place
}

// Rate is the value of one unit of a currency in US dollars.
type Rate struct {
	Currency string
	USD      float64
}

// Scrub changes requests before they go on.
type Scrub struct {
	Name     string // may be empty
	When     Condition
	Remove   []Path
	Truncate []Path
	// IPv4Bits, IPv6Bits and Decimals are what remains of addresses and coordinates.
	IPv4Bits, IPv6Bits, Decimals int
	Replace                      []Replace
	Hash                         *Hash
	Place                        Place
}

// Path is a JSON Pointer into the request.
type Path struct {
	Pointer string
	Place   Place
}

// Replace writes a value.
type Replace struct {
	Path
	JSON string
}

// Hash replaces strings by a keyed hash. Either KeyEnv or KeyFile is set.
type Hash struct {
	Paths   []Path
	KeyEnv  string // the environment variable that has the key
	KeyFile string
	Place   Place
}

// Partner is a sender of requests.
type Partner struct {
	Name  string
	Scope Scope
	Fraud Score
	// Direct and Systems are as in [fraud.Config].
	Direct  bool
	Systems []string
	Layer
	Publishers []Publisher
	Place      Place
}

// Publisher is a publisher of a partner.
type Publisher struct {
	ID    string
	Scope Scope
	Fraud Score
	Layer
	Place Place
}

// Place is where something is in a configuration.
type Place = setting.Place

// Scope has what a configuration says to packages that it does not know: they have functions, such
// as gateway.Configured, that read it.
type Scope = setting.Scope

// Inspect returns the part of the configuration that package inspect knows and that needs no file:
// preset, severities, shadow and samples of all layers, payloads, responses without rates,
// and the fraud score without what its signals look up.
func (c *Config) Inspect() inspect.Config {
	out := inspect.Config{
		Preset: c.Schema.Preset, Global: c.Layer.inspect(), Partners: map[string]inspect.Partner{},
		Payload: c.Payload.inspect(), Fraud: inspect.Fraud{Limits: c.Fraud.Limits}, MaxFindings: c.MaxFindings, Annotate: c.Annotate,
		Response: inspect.Response{MarkupMax: c.MarkupMax},
	}
	out.Global.Fraud = c.Fraud.Score.inspect()
	out.Global.Severities = append(settings(c.Schema.Severities), out.Global.Severities...)
	for i := range c.Partners {
		p := &c.Partners[i]
		partner := inspect.Partner{Layer: p.Layer.inspect(), Publishers: map[string]inspect.Layer{}}
		partner.Fraud = p.score()
		for j := range p.Publishers {
			layer := p.Publishers[j].Layer.inspect()
			layer.Fraud = p.Publishers[j].Fraud.inspect()
			partner.Publishers[p.Publishers[j].ID] = layer
		}
		out.Partners[p.Name] = partner
	}
	return out
}

func (p *Payload) inspect() inspect.Payload {
	out := inspect.Payload{Layers: p.Layers, Nested: p.Nested, Work: p.Work}
	for i := range p.Patterns {
		own := &p.Patterns[i]
		out.Patterns = append(out.Patterns, inspect.Pattern{
			Pattern: payload.Pattern{ID: own.ID, Literal: own.Text, Why: own.Why}, Severity: &own.Severity,
		})
	}
	for _, f := range p.Fields {
		field := payload.Field{Pointer: f.Pointer}
		for _, id := range f.Patterns {
			field.Harmless = append(field.Harmless, id.ID)
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

func (l *Layer) inspect() inspect.Layer {
	return inspect.Layer{Severities: settings(l.Severities), Shadow: l.Shadow, Sample: l.Sample}
}

func settings(in []Setting) (out []inspect.Setting) {
	for _, s := range in {
		out = append(out, s.Setting)
	}
	return out
}
