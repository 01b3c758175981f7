package spec_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// all returns both specifications by their short names.
func all() map[string]*spec.Spec {
	return map[string]*spec.Spec{"openrtb": spec.OpenRTB(), "native": spec.Native()}
}

// TestCounts has the numbers by hand, and not from the data: a table that lost an object
// together with its count would pass otherwise.
func TestCounts(t *testing.T) {
	for name, want := range map[string][3]int{"openrtb": {38, 417, 542}, "native": {15, 79, 48}} {
		s := all()[name]
		fields := 0
		for _, o := range s.Objects {
			fields += len(o.Fields)
		}
		if got := [3]int{len(s.Objects), fields, len(s.Rules)}; got != want {
			t.Errorf("%s: objects, fields, rules: %v, expected %v", name, got, want)
		}
		if got := [3]int{s.Counts.Objects, s.Counts.Fields, s.Counts.Rules}; got != want {
			t.Errorf("%s: counts in the data: %v, expected %v", name, got, want)
		}
	}
	if got := len(spec.Lists()); got != 55 {
		t.Errorf("%d lists, expected 55", got)
	}
	if v := spec.OpenRTB().Version; !strings.Contains(spec.OpenRTB().File, v) {
		t.Errorf("version %s is in file %s", v, spec.OpenRTB().File)
	}
}

// TestLoadAgain shows that loading needs nothing but the files, and gives the caller data of
// its own.
func TestLoadAgain(t *testing.T) {
	a, err := spec.Load(spec.Files())
	if err != nil {
		t.Fatal(err)
	}
	if a.OpenRTB == spec.OpenRTB() || a.OpenRTB.Objects[0] == spec.OpenRTB().Objects[0] {
		t.Error("Load returned the shared value")
	}
}

func TestLookups(t *testing.T) {
	s := spec.OpenRTB()
	for _, o := range s.Objects {
		if s.Object(o.Name) != o {
			t.Errorf("Object(%q) is another object", o.Name)
		}
		for _, f := range o.Fields {
			if o.Field(f.JSON) != f {
				t.Errorf("%s.Field(%q) is another field", o.Name, f.JSON)
			}
		}
	}
	for _, l := range spec.Lists() {
		if s.List(l.Name) != l {
			t.Errorf("List(%q) is another list", l.Name)
		}
		for i := range l.Values {
			if l.Value(l.Values[i].Value) != &l.Values[i] {
				t.Errorf("%s.Value(%d) is another value", l.Name, l.Values[i].Value)
			}
		}
	}
	if s.Object("imp") != nil || s.Object("Imp").Field("ID") != nil || s.List("") != nil || s.List("AdCOM:Device Types").Value(-5) != nil {
		t.Error("found something that is not there: names are exact")
	}
	if got := s.Object("SupplyChain").Since(); got != "2.6" {
		t.Errorf("SupplyChain is since %q, expected 2.6", got)
	}
	for _, name := range []string{"Imp", "Native"} { // of different versions; older than the records
		if got := s.Object(name).Since(); got != "" {
			t.Errorf("%s is since %q, expected none", name, got)
		}
	}
}

var versionPattern = regexp.MustCompile(`^(pre-2\.5|2\.5|2\.6|2\.6-20[0-9]{4})$`)

// TestFields checks what the tables say of each field against the legend.
func TestFields(t *testing.T) {
	for name, s := range all() {
		for _, o := range s.Objects {
			if o.Side != "request" && o.Side != "response" {
				t.Errorf("%s: %s: side %q", name, o.Name, o.Side)
			}
			seen := map[string]bool{}
			for _, f := range o.Fields {
				at := name + ": " + o.Name + "." + f.JSON
				if seen[f.JSON] {
					t.Errorf("%s is there twice", at)
				}
				seen[f.JSON] = true
				if f.JSON != strings.ToLower(f.JSON) {
					t.Errorf("%s: JSON names are lower case", at)
				}
				if f.Type == "ext" != (f.JSON == "ext") || f.Type == "ext" && f.Array {
					t.Errorf("%s: type %s, array %v", at, f.Type, f.Array)
				}
				if f.Required && (f.Recommended || f.RequiredIf != "") {
					t.Errorf("%s: required, and something weaker", at)
				}
				if f.Flag && f.Type != "integer" {
					t.Errorf("%s: a flag of type %s", at, f.Type)
				}
				if f.List != "" && f.Type != "integer" {
					t.Errorf("%s: a list, but type %s", at, f.Type)
				}
				if f.Format != "" && f.Type != "string" && f.Format != "epoch-milliseconds" {
					t.Errorf("%s: a format, but type %s", at, f.Type)
				}
				if (f.Min != nil || f.Max != nil) && f.Type != "integer" && f.Type != "float" {
					t.Errorf("%s: a range, but type %s", at, f.Type)
				}
				if f.Min != nil && f.Max != nil && *f.Min > *f.Max {
					t.Errorf("%s: range from %v to %v", at, *f.Min, *f.Max)
				}
				if name == "openrtb" && !versionPattern.MatchString(f.Since) {
					t.Errorf("%s: since %q", at, f.Since)
				}
				if (f.DeprecatedSince != "" || f.ReplacedBy != "") && !f.Deprecated {
					t.Errorf("%s: what deprecation would say, without it", at)
				}
				checkDefault(t, at, s, f)
			}
		}
	}
}

// checkDefault checks that a default has the type of its field, and is a code of its list.
func checkDefault(t *testing.T, at string, s *spec.Spec, f *spec.Field) {
	t.Helper()
	if len(f.Default) == 0 || string(f.Default) == "null" {
		return
	}
	var v any
	if err := json.Unmarshal(f.Default, &v); err != nil {
		t.Errorf("%s: default %s: %v", at, f.Default, err)
		return
	}
	switch v := v.(type) {
	case float64:
		if f.Type != "integer" && f.Type != "float" {
			t.Errorf("%s: default %v for type %s", at, v, f.Type)
		}
		if l := s.List(f.List); l != nil && l.Value(int(v)) == nil {
			t.Errorf("%s: default %v is not in list %s", at, v, f.List)
		}
	case string:
		if f.Type != "string" {
			t.Errorf("%s: default %q for type %s", at, v, f.Type)
		}
	default:
		t.Errorf("%s: default %s", at, f.Default)
	}
}

// TestListsUsedBy compares the fields that a list says it is used by with those that name it.
func TestListsUsedBy(t *testing.T) {
	used := map[string][]string{}
	for name, s := range all() {
		prefix := ""
		if name == "native" {
			prefix = "native-1.2 "
		}
		for _, o := range s.Objects {
			for _, f := range o.Fields {
				if f.List != "" {
					used[f.List] = append(used[f.List], prefix+o.Name+"."+f.JSON)
				}
			}
		}
	}
	for _, l := range spec.Lists() {
		var said []string
		for _, u := range l.UsedBy {
			if !strings.HasPrefix(u, "macro ") {
				said = append(said, u)
			}
		}
		slices.Sort(said)
		slices.Sort(used[l.Name])
		if !slices.Equal(said, used[l.Name]) {
			t.Errorf("%s: used_by is %v, the fields that name it are %v", l.Name, said, used[l.Name])
		}
	}
}

func TestListValues(t *testing.T) {
	for _, l := range spec.Lists() {
		if len(l.Values) == 0 {
			t.Errorf("%s has no values", l.Name)
		}
		for i := range l.Values {
			if l.Value(l.Values[i].Value) != &l.Values[i] {
				t.Errorf("%s has %d twice", l.Name, l.Values[i].Value)
			}
		}
		open := false
		for _, r := range l.Ranges {
			open = open || *r.Min == 500 && r.Max == nil
		}
		if open != l.Open {
			t.Errorf("%s: open is %v, a range of 500 and above %v", l.Name, l.Open, open)
		}
	}
}

// TestFormats checks that each format says how it is checked, or that it is free text.
func TestFormats(t *testing.T) {
	s := spec.OpenRTB()
	for _, name := range slices.Sorted(maps.Keys(s.Formats)) {
		f := s.Formats[name]
		if f.Regex != "" {
			if _, err := regexp.Compile(f.Regex); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.HasPrefix(f.Regex, "^") || !strings.HasSuffix(f.Regex, "$") {
				t.Errorf("%s: %s matches a part of a text", name, f.Regex)
			}
		} else if f.Parser == "" && f.Min == nil && f.Note == "" {
			t.Errorf("%s says nothing", name)
		}
	}
}

// TestEarlierVersions checks the fields that went or moved.
func TestEarlierVersions(t *testing.T) {
	s := spec.OpenRTB()
	for _, r := range s.Removed {
		o := s.Object(r.Object)
		if o == nil || o.Field(r.JSON) != nil || r.ReplacedBy != "" && o.Field(r.ReplacedBy) == nil {
			t.Errorf("removed %s.%s: no such object, still there, or replaced by what is not there (%q)", r.Object, r.JSON, r.ReplacedBy)
		}
	}
	for _, m := range s.Moved {
		at := "moved " + m.Object + "." + m.From
		o := s.Object(m.Object)
		if o == nil {
			t.Errorf("%s: no such object", at)
			continue
		}
		for key := range strings.SplitSeq(m.To, ".") {
			if m.To == "" {
				break // stays where it is
			}
			f := o.Field(key)
			if f == nil {
				t.Errorf("%s: %s has no %s", at, o.Name, key)
				break
			}
			o = s.Object(f.ObjectName())
		}
	}
}

// levels, and so on: the words of the legend, for rules.
var (
	levels  = []string{"must", "should"}
	scopes  = []string{"request", "response", "both", "pair", "processor", "transport", "external"}
	sources = []string{"spec", "impl-notes", "schain", "external", "derived"}
)

func TestRules(t *testing.T) {
	for name, s := range all() {
		for _, r := range s.Rules {
			if r.Rule == "" || r.Section == "" || !slices.Contains(levels, r.Level) || !slices.Contains(scopes, r.Scope) {
				t.Errorf("%s: rule %s: text %q, section %q, level %q, scope %q", name, r.ID, r.Rule, r.Section, r.Level, r.Scope)
			}
			if name == "openrtb" && (!slices.Contains(sources, r.Source) || r.Kind == "") {
				t.Errorf("%s: rule %s: source %q, kind %q", name, r.ID, r.Source, r.Kind)
			}
		}
	}
}

// TestEveryFactHasItsRule checks the simple facts of the field tables against the rules:
// both are written by hand, and should not say different things.
func TestEveryFactHasItsRule(t *testing.T) {
	s := spec.OpenRTB()
	has := map[string]bool{}
	for _, r := range s.Rules {
		if r.Check == nil {
			continue
		}
		for _, name := range append([]string{r.Check.Field}, r.Check.Fields...) {
			has[r.Object+"."+name+" "+r.Check.Op] = true
		}
	}
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			at := o.Name + "." + f.JSON
			for op, fact := range map[string]bool{"required": f.Required, "deprecated": f.Deprecated} {
				if fact != has[at+" "+op] {
					t.Errorf("%s: %s is %v in the fields, %v in the rules", at, op, fact, !fact)
				}
			}
		}
	}
}
