package setting_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// house are the options of a made-up package.
type house struct {
	Doors   int
	Windows int
	Wait    time.Duration
	Colour  string
	Locked  bool
	Roof    roof
	key     string
}

type roof struct{ Tiles int }

var houseKeys = []setting.Field[house]{
	setting.F("doors", setting.Int("a number of doors", 1, 9), func(h *house) *int { return &h.Doors }, "Doors of the house. Each has a key.").Default(2).Fixed(),
	setting.F("windows", setting.Int("a number of windows", 0, 99), func(h *house) *int { return &h.Windows }, "Windows.").Default(8).Loose(),
	setting.F("wait_time", setting.Duration("a time such as 1s", time.Second, time.Minute), func(h *house) *time.Duration { return &h.Wait }, "HTTP time.").Default(5 * time.Second),
	setting.F("colour", setting.Option("a colour", "red", "blue"), func(h *house) *string { return &h.Colour }, "Colour.").Default("red").Was("color").Value("COLOUR"),
	setting.F("locked", setting.Bool(), func(h *house) *bool { return &h.Locked }, "Lock the `doors`.").FlagName("lock").WasFlag("locked"),
	setting.F("roof.tiles", setting.Int("a number of tiles", 1, 1000), func(h *house) *int { return &h.Roof.Tiles }, "Tiles.").Default(100).NoFlag().Fixed(),
	setting.F("key", setting.Text("a key", 9), func(h *house) *string { return &h.key }, "Key.").Secret().Example("key: k"),
}

var houseObject = &setting.Object[house]{
	Name: "house", Doc: "A house.", Fields: houseKeys,
	Groups: []setting.Group[house]{{
		Path: "roof", Name: "roof", Doc: "The roof.", Help: "What is above.", Example: "roof: {tiles: 5}",
		Check: func(r *setting.Reader, n *setting.Node, h *house) {
			if h.Roof.Tiles == 13 {
				r.Report(n.Problem("", "thirteen tiles"))
			}
		},
	}},
	Check: func(r *setting.Reader, n *setting.Node, h *house) {
		if h.Doors > h.Windows {
			r.Report(n.Problem("", "more doors than windows"))
		}
	},
}

// parse reads a text with a type.
func parse[T any](t *testing.T, typ setting.Type[T], text string) (T, []string) {
	t.Helper()
	root, problems := strictyaml.Parse("x.yaml", text)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	var r setting.Reader
	v, _ := typ.Read(&r, root)
	var list []string
	for _, p := range r.Problems() {
		list = append(list, p.Summary())
	}
	return v, list
}

// TestObjectRead reads fields, groups, defaults and old names.
func TestObjectRead(t *testing.T) {
	for _, c := range []struct {
		text     string
		want     house
		problems []string
	}{
		{"{}", house{Doors: 2, Windows: 8, Wait: 5 * time.Second, Colour: "red", Roof: roof{100}}, nil},
		{"{doors: 1, windows: 3, wait_time: 2s, colour: blue, locked: true, roof: {tiles: 5}, key: k}", house{1, 3, 2 * time.Second, "blue", true, roof{5}, "k"}, nil},
		{"{roof: {}}", house{Doors: 2, Windows: 8, Wait: 5 * time.Second, Colour: "red", Roof: roof{100}}, nil},
		{"{doors: 10}", house{Windows: 8, Wait: 5 * time.Second, Colour: "red", Roof: roof{100}}, []string{"x.yaml:1:9: expected a number of doors from 1 to 9, found 10"}},
		{"{color: blue}", house{Doors: 2, Windows: 8, Wait: 5 * time.Second, Colour: "red", Roof: roof{100}}, []string{`x.yaml:1:2: the key "color" has another name now (did you mean "colour"?)`}},
		{"{doors: 9}", house{Doors: 9, Windows: 8, Wait: 5 * time.Second, Colour: "red", Roof: roof{100}}, []string{"x.yaml:1:1: more doors than windows"}},
		{"{roof: {tiles: 13}}", house{Doors: 2, Windows: 8, Wait: 5 * time.Second, Colour: "red", Roof: roof{13}}, []string{"x.yaml:1:8: thirteen tiles"}},
		{"{roof: {tile: 1}}", house{Doors: 2, Windows: 8, Wait: 5 * time.Second, Colour: "red", Roof: roof{100}}, []string{`x.yaml:1:9: unknown key "tile" (did you mean "tiles"?)`}},
		{"{roof: 5}", house{Doors: 2, Windows: 8, Wait: 5 * time.Second, Colour: "red"}, []string{"x.yaml:1:8: expected a mapping with tiles, found the number 5"}},
		{"[]", house{}, []string{"x.yaml:1:1: expected a mapping with doors, windows, wait_time, colour, locked, roof and key, found a sequence"}},
	} {
		got, problems := parse(t, houseObject.Type(), c.text)
		if got != c.want || !reflect.DeepEqual(problems, c.problems) {
			t.Errorf("%s: %+v, %q; want %+v, %q", c.text, got, problems, c.want, c.problems)
		}
	}
}

// TestShape: the shape has what pages about a mapping need.
func TestShape(t *testing.T) {
	shape := houseObject.Type().Shape
	if shape.Kind != setting.AnObject || shape.Object != "house" || len(shape.Keys) != 7 {
		t.Fatalf("shape %+v", shape)
	}
	byName := map[string]setting.Key{}
	for _, k := range shape.Keys {
		byName[k.Name] = k
	}
	if k := byName["doors"]; k.Default != "2" || !k.Fixed || k.Secret || k.Path != "doors" || k.Shape.Min != 1 || k.Shape.Max != 9 {
		t.Errorf("doors %+v", k)
	}
	if k := byName["wait_time"]; k.Default != "5s" {
		t.Errorf("wait_time %+v", k)
	}
	if k := byName["key"]; !k.Secret || k.Example != "key: k" || k.Default != "" {
		t.Errorf("key %+v", k)
	}
	if k := byName["roof"]; k.Doc != "What is above." || k.Default != "{}" || k.Example != "roof: {tiles: 5}" || k.Shape.Doc != "The roof." || k.Shape.Keys[0].Path != "roof.tiles" || k.Shape.Keys[0].Name != "tiles" {
		t.Errorf("roof %+v", k)
	}
	if k := byName["colour"]; !reflect.DeepEqual(k.Was, []string{"color"}) || !reflect.DeepEqual(k.Shape.Words, []string{"red", "blue"}) {
		t.Errorf("colour %+v", k)
	}
}

func TestComplete(t *testing.T) {
	var h house
	if err := setting.Complete("house", &h, houseKeys); err != nil {
		t.Fatal(err)
	}
	if h.Doors != 2 || h.Windows != 8 || h.Wait != 5*time.Second || h.Roof.Tiles != 100 || h.Locked {
		t.Errorf("completed to %+v", h)
	}
	for want, h := range map[string]house{
		"house: Doors is 10 (want 0 for the default, or 1 to 9)":           {Doors: 10},
		"house: Doors is -1 (want 0 for the default, or 1 to 9)":           {Doors: -1},
		"house: Windows is -1 (want 0 for the default, or more)":           {Windows: -1},
		"house: Wait is 2m0s (want 0 for the default, or 1s to 1m0s)":      {Wait: 2 * time.Minute},
		"house: Roof.Tiles is 1001 (want 0 for the default, or 1 to 1000)": {Roof: roof{1001}},
		"": {Windows: 1 << 30, Doors: 9, Wait: time.Minute, Roof: roof{1}},
	} {
		err := setting.Complete("house", &h, houseKeys)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%+v: %v, want %q", h, err, want)
		}
	}
}

// TestKeep: fixed settings stay, and those that differed are named.
func TestKeep(t *testing.T) {
	now := house{Doors: 1, Windows: 1, Roof: roof{1}}
	next := house{Doors: 2, Windows: 2, Roof: roof{1}}
	if differed := setting.Keep(&next, &now, houseKeys); !reflect.DeepEqual(differed, []string{"Doors"}) {
		t.Errorf("differed %q", differed)
	}
	if next.Doors != 1 || next.Windows != 2 {
		t.Errorf("kept %+v", next)
	}
	next = house{Doors: 1, Roof: roof{7}}
	if differed := setting.KeepPaths(&next, &now, houseKeys); !reflect.DeepEqual(differed, []string{"roof.tiles"}) || next.Roof.Tiles != 1 {
		t.Errorf("differed %q, %+v", differed, next)
	}
	if differed := setting.Keep(&next, &now, houseKeys); differed != nil {
		t.Errorf("equal ones differ in %q", differed)
	}
}

// TestShow: pages for operators have what a file has, and no secret.
func TestShow(t *testing.T) {
	h := house{Doors: 1, Wait: time.Second, Colour: "red", key: "secret", Roof: roof{3}}
	want := map[string]any{
		"doors": 1, "windows": 0, "wait_time": "1s", "colour": "red", "locked": false, "roof": map[string]any{"tiles": 3},
	}
	if got := setting.Show(&h, houseKeys); !reflect.DeepEqual(got, want) {
		t.Errorf("fields are shown as %v", got)
	}
	if got := houseObject.Type().Show(h); !reflect.DeepEqual(got, want) {
		t.Errorf("the object is shown as %v", got)
	}
	other := map[string]any{"doors": 5, "roof": map[string]any{"colour": "grey"}, "new": true}
	setting.Merge(want, other)
	if r := want["roof"].(map[string]any); want["doors"] != 5 || want["new"] != true || r["tiles"] != 3 || r["colour"] != "grey" {
		t.Errorf("merged to %v", want)
	}
}

// TestLift: a field of a part is a field of the whole.
func TestLift(t *testing.T) {
	type street struct{ first, second house }
	var fields []setting.Field[street]
	for _, f := range houseKeys {
		fields = append(fields, setting.Lift(f.Under("second."), func(s *street) *house { return &s.second }))
	}
	o := &setting.Object[street]{Name: "street", Fields: fields, Groups: []setting.Group[street]{
		setting.LiftGroup(setting.Group[house]{Path: "second", Name: "second", Check: func(r *setting.Reader, n *setting.Node, h *house) {
			if h.Doors == 7 {
				r.Report(n.Problem("", "seven doors"))
			}
		}}, func(s *street) *house { return &s.second }),
	}}
	s, problems := parse(t, o.Type(), "second: {doors: 7, roof: {tiles: 4}}")
	if s.second.Doors != 7 || s.second.Roof.Tiles != 4 || s.second.Windows != 8 || s.first != (house{}) {
		t.Errorf("read %+v", s)
	}
	if want := []string{"x.yaml:1:9: seven doors"}; !reflect.DeepEqual(problems, want) {
		t.Errorf("problems %q", problems)
	}
	flags := setting.Flags(fields)
	if err := flags[0].Set(&s, 3); err != nil || s.second.Doors != 3 {
		t.Errorf("a flag: %v, %+v", err, s)
	}
	if err := setting.Complete("street", &street{second: house{Doors: 55}}, fields); err == nil || !strings.Contains(err.Error(), "55") {
		t.Errorf("a value out of range: %v", err)
	}
}

func TestFlags(t *testing.T) {
	flags := map[string]setting.CommandFlag[house]{}
	for _, f := range setting.Flags(houseKeys) {
		flags[f.Name] = f
	}
	for name, usage := range map[string]string{
		"doors": "doors of the house", "windows": "windows", "wait-time": "HTTP time", "colour": "colour", "lock": "lock the doors", "key": "key",
	} {
		f, found := flags[name]
		if !found || f.Usage != usage {
			t.Errorf("--%s: %q, want %q", name, f.Usage, usage)
		}
	}
	if len(flags) != 6 {
		t.Errorf("%d flags", len(flags))
	}
	if f := flags["colour"].Flag; f.Kind != setting.FlagChoice || f.Value != "COLOUR" {
		t.Errorf("colour %+v", f)
	}
	if f := flags["lock"].Flag; f.Kind != setting.FlagBool || !reflect.DeepEqual(f.Was, []string{"locked"}) {
		t.Errorf("lock %+v", f)
	}
	var h house
	for name, v := range map[string]any{"doors": 3, "wait-time": time.Second, "colour": "blue", "lock": true, "key": "k"} {
		if err := flags[name].Set(&h, v); err != nil {
			t.Errorf("--%s: %v", name, err)
		}
	}
	if h != (house{Doors: 3, Wait: time.Second, Colour: "blue", Locked: true, key: "k"}) {
		t.Errorf("flags make %+v", h)
	}
	if err := flags["doors"].Set(&h, "three"); err == nil {
		t.Error("a number is set by a text")
	}
}

// TestListFlags: each use of a flag adds an element, which is checked on its own.
func TestListFlags(t *testing.T) {
	var o struct{ names []string }
	list := setting.Flags([]setting.Field[struct{ names []string }]{
		setting.F("names", setting.OneOrMore(setting.Option("a name", "a", "b")), func(s *struct{ names []string }) *[]string { return &s.names }, "Names."),
	})
	if len(list) != 1 || list[0].Flag.Kind != setting.FlagList {
		t.Fatalf("%+v", list)
	}
	if err := list[0].Set(&o, []string{"a", "b"}); err != nil || !reflect.DeepEqual(o.names, []string{"a", "b"}) {
		t.Errorf("%v, %v", o, err)
	}
	if setting.ListOf(setting.Int("a number", 0, math.MaxInt32)).Flag != nil {
		t.Error("a list of numbers has a flag")
	}
}
