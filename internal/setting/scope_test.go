package setting_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

// pet is what a made-up package keeps in scopes.
type pet struct {
	Name string
	Legs int
}

var (
	pets      setting.Slot[pet]
	petOwners setting.Slot[pet]
	checked   int
)

func init() {
	keys := []setting.Field[pet]{
		setting.F("pet.name", setting.Text("a name", 9), func(p *pet) *string { return &p.Name }, "Name."),
		setting.F("pet.legs", setting.Int("a number of legs", 0, 8), func(p *pet) *int { return &p.Legs }, "Legs.").Default(4),
	}
	groups := pets.Groups([]setting.Group[pet]{{Path: "pet", Name: "pet", Check: func(r *setting.Reader, n *setting.Node, p *pet) {
		if p.Name == "bird" && p.Legs != 2 {
			r.Report(n.Problem("", "a bird has 2 legs, not %d", p.Legs))
		}
	}}})
	fields := pets.Fields(keys)
	setting.Register(setting.Module{
		Section: "zoo", Order: 2, Name: "zoo", Doc: "The zoo.", Fields: fields, Groups: groups,
		Partner: fields, PartnerGroups: groups, Publisher: fields, PublisherGroups: groups,
		Check: func(*setting.Reader, *setting.Scope) { checked++ },
	})
	setting.Register(setting.Module{Order: 1, Fields: petOwners.Fields([]setting.Field[pet]{
		setting.F("owner", setting.Text("a name", 9), func(p *pet) *string { return &p.Name }, "Owner."),
	})})
}

// TestScopes reads what packages have registered, for the file, partners and publishers.
func TestScopes(t *testing.T) {
	checked = 0
	c := settingtest.MustParse(t, `
owner: me
zoo: {pet: {name: cat}}
partners:
  p: {pet: {name: bird, legs: 2}, publishers: {"1": {}, two: {pet: {legs: 8}}}}
  q: {}
`)
	if got := *pets.In(c); got != (pet{"cat", 4}) || petOwners.In(c).Name != "me" {
		t.Errorf("the file has %+v", got)
	}
	if names := c.Names(); !slices.Equal(names, []string{"p", "q"}) {
		t.Errorf("partners %q", names)
	}
	p := c.Inner[0]
	if p.Place.Line != 5 || p.Place.Column != 3 || *pets.In(p) != (pet{"bird", 2}) || petOwners.In(p).Name != "" {
		t.Errorf("the partner has %+v", p)
	}
	var legs []int
	for _, layer := range c.Layers() {
		legs = append(legs, pets.In(layer).Legs)
	}
	if want := []int{4, 2, 4, 8, 4}; !slices.Equal(legs, want) {
		t.Errorf("layers have %v legs, want %v", legs, want)
	}
	if checked != 1 {
		t.Errorf("the check ran %d times", checked)
	}
	for text, want := range map[string]string{
		"zoo: {pet: {name: bird}}":                                            "x.yaml:1:12: a bird has 2 legs, not 4",
		"partners: {p: {pet: {name: bird}}}":                                  "x.yaml:1:21: a bird has 2 legs, not 4",
		"partners: {p: {publishers: {x: {pet: {legs: 9}}}}}":                  "x.yaml:1:45: expected a number of legs from 0 to 8, found 9",
		"partners: {P: {}}":                                                   `x.yaml:1:12: "P" is not a name of lower case letters, digits, hyphens and dots (did you mean "p"?)`,
		"partners: {p: {publishers: {" + strings.Repeat("x", 257) + ": {}}}}": "it has more than 256 bytes",
		"partners: {p: {owner: x}}":                                           `unknown key "owner"`,
	} {
		_, problems := settingtest.Parse(t, text)
		if len(problems) != 1 || !strings.Contains(problems[0].Summary(), want) {
			t.Errorf("%.60s: %v, want %s", text, problems, want)
		}
	}
}

// TestModules: modules come in their order, and a section joins those that share it.
func TestModules(t *testing.T) {
	fields, groups := setting.Sections()
	var names []string
	for i := range fields {
		names = append(names, fields[i].Key().Name)
	}
	if want := []string{"owner", "zoo.pet.name", "zoo.pet.legs"}; !slices.Equal(names, want) {
		t.Errorf("fields %q, want %q", names, want)
	}
	if len(groups) != 2 || groups[0].Path != "zoo" || groups[0].Doc != "The zoo." || groups[1].Path != "zoo.pet" {
		t.Errorf("groups %+v", groups)
	}
	own, inner := setting.Section("zoo")
	if len(own) != 2 || own[0].Key().Name != "pet.name" || len(inner) != 1 || inner[0].Path != "pet" {
		t.Errorf("the section has %+v, %+v", own, inner)
	}
	if none, _ := setting.Section("museum"); none != nil {
		t.Errorf("an unknown section has %+v", none)
	}
}

// TestClone: the copy of a scope has settings of its own.
func TestClone(t *testing.T) {
	c := settingtest.MustParse(t, "{zoo: {pet: {name: cat}}, partners: {p: {}}}")
	copied := c.Clone()
	pets.In(copied).Name = "dog"
	if pets.In(c).Name != "cat" || pets.In(copied).Legs != 4 || !slices.Equal(copied.Names(), []string{"p"}) {
		t.Errorf("the copy of %+v is %+v", pets.In(c), pets.In(copied))
	}
	if got := *petOwners.In(new(setting.Scope)); got != (pet{}) {
		t.Errorf("nothing was read, but %+v is there", got)
	}
}

// TestUnique: a name may be there twice where no request can meet both.
func TestUnique(t *testing.T) {
	at := func(line int) setting.Place { return setting.Place{File: "f", Line: line} }
	layer := func(inner ...*setting.Scope) *setting.Scope { return &setting.Scope{Inner: inner} }
	one, two, three := layer(), layer(), layer()
	p, q := layer(one, two), layer(three)
	file := layer(p, q)
	names := map[*setting.Scope][]setting.Named{
		file: {{Name: "a", Place: at(1)}, {Name: "", Place: at(2)}, {Name: "", Place: at(3)}},
		p:    {{Name: "b", Place: at(4)}}, q: {{Name: "b", Place: at(5)}, {Name: "b", Place: at(6)}},
		one: {{Name: "c", Place: at(7)}}, two: {{Name: "c", Place: at(8)}, {Name: "a", Place: at(9)}},
		three: {{Name: "b", Place: at(10)}},
	}
	var r setting.Reader
	setting.Unique(&r, file, "thing", func(c *setting.Scope) []setting.Named { return names[c] })
	var got []string
	for _, problem := range r.Problems() {
		got = append(got, problem.Message)
	}
	slices.Sort(got)
	want := []string{ // equal problems at places without a node are one
		`another thing is called "a" (f, line 1)`, `another thing is called "b" (f, line 5)`,
	}
	if !slices.Equal(slices.Compact(got), want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPlaces finds members and texts below a place.
func TestPlaces(t *testing.T) {
	type thing struct{ place setting.Place }
	typ := setting.Placed(setting.Type[thing]{Shape: &setting.Shape{}, Read: func(*setting.Reader, *setting.Node) (thing, bool) { return thing{}, true }},
		func(v *thing, n *setting.Node) { v.place = setting.PlaceOf(n) })
	v, _ := parse(t, typ, "{a: {list: [x, y], map: {y: z}}, b: 5}")
	at := func(p setting.Place) [2]int { return [2]int{p.Line, p.Column} }
	for _, c := range []struct {
		name string
		got  setting.Place
		want [2]int
	}{
		{"a member", v.place.Member("b"), [2]int{1, 37}},
		{"no member", v.place.Member("c"), [2]int{1, 1}},
		{"a scalar", v.place.Find("x"), [2]int{1, 13}},
		{"a scalar before a key", v.place.Find("y"), [2]int{1, 16}},
		{"a key", v.place.Member("a").Member("map").Find("y"), [2]int{1, 26}},
		{"no text", v.place.Find("nothing"), [2]int{1, 1}},
		{"no node", setting.Place{File: "f", Line: 3, Column: 4}.Member("a").Find("b"), [2]int{3, 4}},
	} {
		if at(c.got) != c.want {
			t.Errorf("%s is at %v, want %v", c.name, at(c.got), c.want)
		}
	}
}

func TestReportError(t *testing.T) {
	var r setting.Reader
	at := setting.Place{File: "f"}
	r.ReportError(at, "pkg", nil)
	r.ReportError(at, "pkg", errors.New("pkg: one"))
	r.ReportError(at, "pkg", errors.Join(errors.New("pkg: two"), errors.New("other: three")))
	var got []string
	for _, p := range r.Problems() {
		got = append(got, p.Summary())
	}
	if want := []string{"f: one", "f: two", "f: other: three"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
