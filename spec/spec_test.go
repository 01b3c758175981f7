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

// TestLoadAgain checks that Load returns data of the caller's own.
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
		t.Error("found a name that does not exist: names are exact")
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

// TestFields checks the facts about each field against the legend.
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
				if name == "openrtb" && f.Since == "" {
					t.Errorf("%s: no since", at)
				}
				if (f.DeprecatedSince != "" || f.ReplacedBy != "" && f.RemovedIn == "") && !f.Deprecated {
					t.Errorf("%s: facts about its deprecation, but it is not deprecated", at)
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
			prefix = "Native:"
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

// TestFormats checks that each format says how it is checked, or that it is not.
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
		} else if f.Parser == "" && f.Min == nil && f.Note == "" && !f.Unchecked {
			t.Errorf("%s says nothing", name)
		}
	}
}

// TestEarlierVersions checks the fields that were removed or moved.
func TestEarlierVersions(t *testing.T) {
	s := spec.OpenRTB()
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			if f.RemovedIn != "" && (f.Deprecated || f.Required || f.Recommended || o.Field(f.ReplacedBy) == nil) {
				t.Errorf("%s.%s was removed, but is something else too, or nothing replaces it (%q)", o.Name, f.JSON, f.ReplacedBy)
			}
		}
	}
	for _, m := range s.Legacy {
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

func TestRules(t *testing.T) {
	for name, s := range all() {
		for _, r := range slices.Concat(s.Rules, s.OwnRules) {
			if r.Rule == "" || r.Section == "" {
				t.Errorf("%s: rule %s: text %q, section %q", name, r.ID, r.Rule, r.Section)
			}
			if s.Rule(r.ID) != r {
				t.Errorf("%s: Rule(%q) is another rule", name, r.ID)
			}
		}
	}
	if spec.OpenRTB().Rule("imp.id.required") != nil {
		t.Error("found a rule that does not exist: ids are exact")
	}
}

// TestDerivedRules shows one rule of each kind that follows from the fields, and what the listed
// ones change.
func TestDerivedRules(t *testing.T) {
	for _, want := range []string{
		"BidRequest.id.required 3.2.1 must spec: id has to be present (empty counts as absent)",
		"Bid.price.required 4.2.3 must spec: price has to be present",
		"BidRequest.device.recommended 3.2.1 should spec: device is customary; flag absence as info only",
		"BidRequest.test.flag 3.2.1 must spec: test takes only 0 or 1",
		"Imp.ssai.range 3.2.4 must spec: ssai lies in 0..3",
		"Imp.bidfloor.range 3.2.4 should derived: bidfloor is 0 or more",
		"Video.rqddurs.range 3.2.7 should derived: each value of rqddurs is 0 or more",
		"Video.podseq.enum 3.2.7 should spec: podseq comes from list AdCOM:Pod Sequence; unknown codes are tolerated, not rejected",
		"Banner.battr.enum 3.2.6 should spec: each value of battr comes from list AdCOM:Creative Attributes; unknown codes are tolerated, not rejected",
		"BidRequest.cur.format 3.2.1 must spec: each item of cur follows format iso-4217",
		"Site.page.format 3.2.13 should derived: page follows format url",
		"Video.sequence.deprecated 3.2.7 should spec: sequence is deprecated since 2.6; send slotinpod instead",
		"User.yob.deprecated 3.2.20 should spec: yob is deprecated since 2.6; do not send",
		"Qty.multiplier.range 4.4 must spec: multiplier is strictly positive; fractions below 1 are legal", // listed
	} {
		id, _, _ := strings.Cut(want, " ")
		r := spec.OpenRTB().Rule(id)
		if r == nil {
			t.Errorf("no rule %s", id)
			continue
		}
		if got := r.ID + " " + r.Section + " " + r.Level + " " + r.Source + ": " + r.Rule; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for _, id := range []string{"BidRequest.at.enum", "Imp.ssai.enum", "Device.ua.format", "Source.fd.enum"} { // said by another rule, or not checked
		if r := spec.OpenRTB().Rule(id); r != nil {
			t.Errorf("rule %s: %s", id, r.Rule)
		}
	}
}

// TestEarlierVersionsHaveRules compares the fields that were removed, and the places that values
// moved from, with the rules about them.
func TestEarlierVersionsHaveRules(t *testing.T) {
	s := spec.OpenRTB()
	var removed, ruled []string
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			if f.RemovedIn != "" {
				removed = append(removed, o.Name+"."+f.JSON)
			}
		}
	}
	for _, r := range s.Rules {
		switch {
		case r.Check == nil:
		case r.Check.Op == "removed":
			for _, name := range r.Check.Fields {
				ruled = append(ruled, r.Object+"."+name)
			}
		case r.Check.Op == "moved":
			to := strings.Split(r.Check.To, ",")
			for i, from := range strings.Split(r.Check.From, ",") {
				if !slices.ContainsFunc(s.Legacy, func(m spec.LegacyField) bool { return m.Object == r.Object && m.From == from && m.To == to[i] }) {
					t.Errorf("rule %s: moved has no %s to %s", r.ID, from, to[i])
				}
			}
		}
	}
	slices.Sort(removed)
	slices.Sort(ruled)
	if !slices.Equal(removed, ruled) {
		t.Errorf("the fields that were removed are %v, those with rules %v", removed, ruled)
	}
}

// TestEveryFactHasItsRule checks the simple facts of the field tables against the rules: a listed
// rule that takes the place of a derived one should not say something else.
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
