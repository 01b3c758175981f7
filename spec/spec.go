// Package spec holds OpenRTB 2.6-202606, OpenRTB Native 1.2 and their lists as data: the
// objects with their fields, the rules, the list values. Generators and tests read it; a
// program that only decodes requests does not import it.
//
// The facts are in openrtb-2.6-202606.json, native-1.2.json and lists.json, the Go names and
// the documentation sentences in names-*.json; README.md says where they come from and how
// to move to the next monthly specification.
package spec

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed *.json
var files embed.FS

// Spec is one specification: its objects and rules.
type Spec struct {
	Version string            `json:"version"`
	Objects []*Object         `json:"objects"`
	Rules   []*Rule           `json:"rules"`
	Formats map[string]Format `json:"formats"`
	Removed []Removed         `json:"removed"`
	Moved   []Moved           `json:"moved"`
	Counts  struct {
		Objects, Fields, Rules int
	} `json:"counts"`
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

	Go  string `json:"-"` // Go field name
	Doc string `json:"-"` // one or two sentences
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

// Format is how a string has to look: a regular expression, or a parser written by hand.
type Format struct {
	Regex           string   `json:"regex"`
	Parser          string   `json:"parser"`
	Note            string   `json:"note"`
	CaseInsensitive bool     `json:"case_insensitive"`
	Advisory        bool     `json:"advisory"`
	Min             *float64 `json:"min"`
	Max             *float64 `json:"max"`
}

// Removed is a field that an earlier version had.
type Removed struct {
	Object     string `json:"object"`
	JSON       string `json:"json"`
	Type       string `json:"type"`
	RemovedIn  string `json:"removed_in"`
	ReplacedBy string `json:"replaced_by"`
}

// Moved is a value that an earlier version, or a habit, keeps in another place.
type Moved struct {
	Object string `json:"object"`
	From   string `json:"from"`
	To     string `json:"to"`
	Since  string `json:"since"`
	Note   string `json:"note"`
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

// Object returns the object with the given name, nil if there is none.
func (s *Spec) Object(name string) *Object {
	for _, o := range s.Objects {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// Field returns the field with the given JSON key, nil if there is none.
func (o *Object) Field(key string) *Field {
	for _, f := range o.Fields {
		if f.JSON == key {
			return f
		}
	}
	return nil
}

// OpenRTB returns OpenRTB 2.6-202606. The value is shared: treat it as read-only.
func OpenRTB() *Spec { return openRTB() }

// Native returns OpenRTB Native 1.2. The value is shared: treat it as read-only.
func Native() *Spec { return native() }

// Lists returns the lists of AdCOM, OpenRTB, Native and GPP. The value is shared.
func Lists() []*List { return lists() }

// The data is part of the program: if it can't be read, the program is built wrong, and the
// panic names what to repair.
var (
	openRTB = sync.OnceValue(func() *Spec { return load("openrtb-2.6-202606.json", "names-openrtb.json") })
	native  = sync.OnceValue(func() *Spec { return load("native-1.2.json", "names-native.json") })
	lists   = sync.OnceValue(loadLists)
)

type named struct {
	Go     string `json:"go"`
	Family string `json:"family"`
	Doc    string `json:"doc"`
	Fields map[string]struct {
		Go  string `json:"go"`
		Doc string `json:"doc"`
	} `json:"fields"`
	Values map[string]struct {
		Go  string `json:"go"`
		Doc string `json:"doc"`
	} `json:"values"`
}

func load(facts, names string) *Spec {
	s := new(Spec)
	read(facts, s)
	var n struct {
		Objects map[string]named `json:"objects"`
	}
	read(names, &n)
	for _, o := range s.Objects {
		no, ok := n.Objects[o.Name]
		if !ok {
			panic(fmt.Sprintf("spec: %s has no object %q; add its Go name and doc", names, o.Name))
		}
		o.Go, o.Family, o.Doc = no.Go, no.Family, no.Doc
		for _, f := range o.Fields {
			nf, ok := no.Fields[f.JSON]
			if !ok {
				panic(fmt.Sprintf("spec: %s has no field %q of %s; add its Go name and doc", names, f.JSON, o.Name))
			}
			f.Go, f.Doc = nf.Go, nf.Doc
			delete(no.Fields, f.JSON)
		}
		for key := range no.Fields {
			panic(fmt.Sprintf("spec: %s names field %q of %s, which %s no longer has; remove it", names, key, o.Name, facts))
		}
		delete(n.Objects, o.Name)
	}
	for name := range n.Objects {
		panic(fmt.Sprintf("spec: %s names object %q, which %s no longer has; remove it", names, name, facts))
	}
	return s
}

func loadLists() []*List {
	var l struct {
		Lists []*List `json:"lists"`
	}
	read("lists.json", &l)
	var n struct {
		Lists map[string]named `json:"lists"`
	}
	read("names-lists.json", &n)
	for _, list := range l.Lists {
		nl, ok := n.Lists[list.Name]
		if !ok {
			panic(fmt.Sprintf("spec: names-lists.json has no list %q; add its Go name and doc", list.Name))
		}
		list.Go, list.Doc = nl.Go, nl.Doc
		for i := range list.Values {
			v := &list.Values[i]
			nv, ok := nl.Values[fmt.Sprint(v.Value)]
			if !ok {
				panic(fmt.Sprintf("spec: names-lists.json has no value %d of %q; add its Go name and doc", v.Value, list.Name))
			}
			v.Go, v.Doc = nv.Go, nv.Doc
		}
	}
	return l.Lists
}

func read(name string, v any) {
	data, err := files.ReadFile(name)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		err = d.Decode(v)
	}
	if err != nil {
		panic(fmt.Sprintf("spec: %s: %v", name, err))
	}
}
