// Package spec holds OpenRTB, OpenRTB Native and their lists as data: the objects with their
// fields, the rules, the list values. Generators and tests read it; a program that only decodes
// requests does not import it.
//
// The facts are in openrtb.json, native.json and lists.json, the Go names and the sentences of
// the documentation in names-*.json. README.md says where they come from and how to move to the
// next monthly release. [Load] checks that the files fit together; its error says what to add to
// which file.
package spec

import (
	"embed"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed *.json
var files embed.FS

// Data is the content of all files.
type Data struct {
	OpenRTB *Spec
	Native  *Spec
	Lists   []*List
}

// Spec is one specification: its objects and rules.
type Spec struct {
	Version  string            `json:"version"`
	Legend   Legend            `json:"legend"`
	Objects  []*Object         `json:"objects"`
	Rules    []*Rule           `json:"rules"` // with those that follow from the fields, which come first
	OwnRules []*Rule           `json:"own_rules"`
	Silences []*Silence        `json:"silences"`
	Formats  map[string]Format `json:"formats"`
	Releases []Release         `json:"releases"`
	Legacy   []LegacyField     `json:"moved"`
	KnownExt []KnownExt        `json:"known_ext"`
	Counts   struct {
		Objects, Fields, Rules int
	} `json:"counts"`
	Undecidable map[string]string `json:"undecidable"` // the reasons, by scope of a rule

	File string `json:"-"` // the file of the facts

	lists []*List
}

// Legend explains the words that rules use. The file has more explanations, for people.
type Legend struct {
	Levels  map[string]string `json:"rule_level"`
	Scopes  map[string]string `json:"rule_scope"`
	Sources map[string]string `json:"rule_source"`
	Kinds   map[string]string `json:"rule_kind"`
	Ops     map[string]string `json:"check_ops"`
}

// Release is one version of the specification.
type Release struct {
	Version string `json:"version"`
	Source  string `json:"source"`
	Note    string `json:"note"`
}

// Object is one object type of the specification.
type Object struct {
	Name    string   `json:"name"`
	Section string   `json:"section"`
	Side    string   `json:"side"` // request or response
	Fields  []*Field `json:"fields"`

	Go     string `json:"-"` // Go type name
	Family string `json:"-"` // which Go file it lives in
	Doc    string `json:"-"` // continues a sentence that starts with the type name
}

// Field is one field of an object. The JSON keys are explained in the legend of the data.
type Field struct {
	JSON            string          `json:"json"`
	Type            string          `json:"type"` // string, integer, float, object:NAME, ext
	Array           bool            `json:"array"`
	Required        bool            `json:"required"`
	Recommended     bool            `json:"recommended"`
	Deprecated      bool            `json:"deprecated"`
	DeprecatedSince string          `json:"deprecated_since"`
	RemovedIn       string          `json:"removed_in"` // the version that dropped it; old traffic has it
	ReplacedBy      string          `json:"replaced_by"`
	Default         json.RawMessage `json:"default"`
	List            string          `json:"list"`
	Since           string          `json:"since"`
	Flag            bool            `json:"flag"`
	Format          string          `json:"format"`
	Unit            string          `json:"unit"`
	TaxonomyField   string          `json:"taxonomy_field"`
	AbsentVsZero    string          `json:"absent_vs_zero"`
	RequiredIf      string          `json:"required_if"`
	Min             *float64        `json:"min"`
	Max             *float64        `json:"max"`
	RangeSource     string          `json:"range_source"`
	Note            string          `json:"note"`
	Provisional     bool            `json:"provisional"`

	Go         string `json:"-"` // Go field name
	Doc        string `json:"-"` // one or two sentences
	When       string `json:"-"` // RequiredIf in words
	UnitName   string `json:"-"` // Unit in words
	FormatName string `json:"-"` // Format in words; "" if Doc says it
}

// ObjectName returns the object type of an object field, "" for other fields.
func (f *Field) ObjectName() string {
	name, _ := strings.CutPrefix(f.Type, "object:")
	if name == f.Type {
		return ""
	}
	return name
}

// Rule is one rule of the specification.
type Rule struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Rule    string `json:"rule"`
	Section string `json:"section"`
	Level   string `json:"level"`
	Kind    string `json:"kind"`
	Scope   string `json:"scope"`
	Source  string `json:"source"`
	Check   *Check `json:"check"`

	Severity    string `json:"severity"` // overrides the one that follows from the rest; "" does not
	SeverityWhy string `json:"severity_why"`
	Undecidable string `json:"undecidable"` // why no message shows whether it is kept; "" if one does
}

// Silence is a case in which a rule is not reported: another rule reports the same fault, or
// the rule has an exception.
type Silence struct {
	Rule     string          `json:"rule"`
	Field    string          `json:"field"` // of rules with several fields, the one that is meant
	When     string          `json:"when"`  // "" is always
	YieldsTo string          `json:"yields_to"`
	Why      string          `json:"why"`
	Example  json.RawMessage `json:"example"` // a message that shows the case
}

// Check is the machine-readable form of a rule; which members are set depends on Op.
type Check struct {
	Op        string     `json:"op"`
	Field     string     `json:"field"`
	Fields    []string   `json:"fields"`
	With      []string   `json:"with"`
	Groups    [][]string `json:"groups"`
	Values    []int      `json:"values"`
	MinCustom *int       `json:"min_custom"`
	Min       *float64   `json:"min"`
	Max       *float64   `json:"max"`
	Value     *float64   `json:"value"`
	N         int        `json:"n"`
	A         string     `json:"a"`
	B         string     `json:"b"`
	List      string     `json:"list"`
	Format    string     `json:"format"`
	Pattern   string     `json:"pattern"`
	Path      string     `json:"path"`
	Key       string     `json:"key"`
	Type      string     `json:"type"`
	From      string     `json:"from"`
	To        string     `json:"to"`
	Ref       string     `json:"ref"`
	When      string     `json:"when"`
}

// Format says how a string has to look: a regular expression, or a parser written by hand.
type Format struct {
	Level           string   `json:"level"` // level and source of the rules that follow from it
	Source          string   `json:"source"`
	Unchecked       bool     `json:"unchecked"` // no rule follows from it
	Regex           string   `json:"regex"`
	Parser          string   `json:"parser"`
	Note            string   `json:"note"`
	CaseInsensitive bool     `json:"case_insensitive"`
	Advisory        bool     `json:"advisory"`
	Min             *float64 `json:"min"`
	Max             *float64 `json:"max"`

	Expected string `json:"-"` // what a finding says was expected
}

// LegacyField is a value that an earlier version, or common practice, keeps in another place.
type LegacyField struct {
	Object string `json:"object"`
	From   string `json:"from"`
	To     string `json:"to"`
	Since  string `json:"since"`
	Note   string `json:"note"`

	// Conflict says how two places that disagree are read: one, absent, optout, both or
	// field.
	Conflict string `json:"conflict"`
}

// KnownExt is a member of an ext with a generally agreed meaning.
type KnownExt struct {
	Object string `json:"object"`
	Path   string `json:"path"` // from the object: ext.gpid
}

// Rule returns the id of the rule about two places that disagree.
func (m *LegacyField) Rule() string {
	return m.Object + "." + m.To[strings.LastIndexByte(m.To, '.')+1:] + ".conflict"
}

// List is one list of codes.
type List struct {
	Name       string      `json:"name"`
	Source     string      `json:"source"`
	Open       bool        `json:"open"` // codes of 500 and above are private
	Deprecated bool        `json:"deprecated"`
	Note       string      `json:"note"`
	Values     []ListValue `json:"values"`
	Ranges     []ListRange `json:"ranges"`
	UsedBy     []string    `json:"used_by"`

	Go  string `json:"-"` // Go type name in package adcom
	Doc string `json:"-"` // continues a sentence that starts with the type name
}

// ListValue is one code of a list.
type ListValue struct {
	Value      int    `json:"value"`
	Label      string `json:"label"`
	Deprecated bool   `json:"deprecated"`
	Since      string `json:"since"`
	Note       string `json:"note"`

	Go  string `json:"-"` // Go constant name in package adcom
	Doc string `json:"-"`
}

// ListRange is a span of codes with one meaning; Max nil is open.
type ListRange struct {
	Min   *int   `json:"min"`
	Max   *int   `json:"max"`
	Label string `json:"label"`
}

// Object returns the object with the given name, or nil.
func (s *Spec) Object(name string) *Object {
	for _, o := range s.Objects {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// List returns the list with the given name, or nil.
func (s *Spec) List(name string) *List { return listByName(s.lists, name) }

func listByName(lists []*List, name string) *List {
	for _, l := range lists {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Since returns the version that introduced the object, "" if its fields are of different
// versions or older than the change log.
func (o *Object) Since() string {
	since := ""
	for i, f := range o.Fields {
		if i > 0 && f.Since != since {
			return ""
		}
		since = f.Since
	}
	if since == BeforeRecords {
		return ""
	}
	return since
}

// BeforeRecords is the Since of fields that are older than the change log.
const BeforeRecords = "pre-2.5"

// Field returns the field with the given JSON key, or nil.
func (o *Object) Field(key string) *Field {
	for _, f := range o.Fields {
		if f.JSON == key {
			return f
		}
	}
	return nil
}

// LegacyPlaces returns the earlier places of a field, innermost object first.
func (s *Spec) LegacyPlaces(o *Object, f *Field) (out []LegacyField) {
	for _, m := range s.Legacy {
		if m.To == "" {
			continue // stays where it is
		}
		at, keys := s.Object(m.Object), strings.Split(m.To, ".")
		for _, key := range keys[:len(keys)-1] {
			at = s.Object(at.Field(key).ObjectName())
		}
		if at == o && keys[len(keys)-1] == f.JSON {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b LegacyField) int { return strings.Count(a.To, ".") - strings.Count(b.To, ".") })
	return out
}

// Value returns the entry for a code, nil if the list has none.
func (l *List) Value(code int) *ListValue {
	for i := range l.Values {
		if l.Values[i].Value == code {
			return &l.Values[i]
		}
	}
	return nil
}

// Rule returns the rule with the given id, or nil.
func (s *Spec) Rule(id string) *Rule {
	for _, rules := range [][]*Rule{s.Rules, s.OwnRules} {
		for _, r := range rules {
			if r.ID == id {
				return r
			}
		}
	}
	return nil
}

// OpenRTB returns OpenRTB. The value is shared: treat it as read-only.
func OpenRTB() *Spec { return data().OpenRTB }

// Native returns OpenRTB Native. The value is shared: treat it as read-only.
func Native() *Spec { return data().Native }

// Lists returns the lists of AdCOM, OpenRTB, Native and GPP. The value is shared: treat it as
// read-only.
func Lists() []*List { return data().Lists }

// Files returns the files that the package was built with, for [Load].
func Files() fs.FS { return files }

// The data is embedded in the program, so an error here is a mistake in the source tree. The
// panic names what to repair.
var data = sync.OnceValue(func() *Data {
	d, err := Load(files)
	if err != nil {
		panic(err)
	}
	return d
})
