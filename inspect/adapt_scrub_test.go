package inspect

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// program makes edits of the request by a function.
type program func(edits []wire.Edit, body []byte, r *openrtb.BidRequest) ([]wire.Edit, error)

func (p program) NewEditor() rule.Editor { return editor{p} }

type editor struct{ program }

func (e editor) Append(edits []wire.Edit, body []byte, r *openrtb.BidRequest) ([]wire.Edit, error) {
	return e.program(edits, body, r)
}

// removes is a program that removes values.
func removes(paths ...string) program {
	return func(edits []wire.Edit, _ []byte, _ *openrtb.BidRequest) ([]wire.Edit, error) {
		for _, p := range paths {
			edits = append(edits, wire.Remove(p))
		}
		return edits, nil
	}
}

// replaces is a program that replaces a value.
func replaces(path, value string) program {
	edit := wire.Set(path, []byte(value))
	return func(edits []wire.Edit, _ []byte, _ *openrtb.BidRequest) ([]wire.Edit, error) {
		return append(edits, edit), nil
	}
}

// impossible is a program that fails after an edit.
var impossible = program(func(edits []wire.Edit, _ []byte, _ *openrtb.BidRequest) ([]wire.Edit, error) {
	return append(edits, wire.Remove("/id")), errors.New("impossible")
})

const private = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s","publisher":{"id":"pub"}},"user":{"id":"u","geo":{"lat":1.234}}}`

// scrubs are scrubs of a layer, by their programs.
func scrubs(programs ...rule.Program) (l Layer) {
	for _, p := range programs {
		l.Scrubs = append(l.Scrubs, Scrub{Program: p})
	}
	return l
}

// TestScrubs checks which scrubs are applied to what.
func TestScrubs(t *testing.T) {
	noUser := `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s","publisher":{"id":"pub"}}}`
	noID := `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s","publisher":{"id":"pub"}},"user":{"geo":{"lat":1.234}}}`
	user, id := removes("/user"), removes("/user/id")
	named := func(when rule.Condition, p rule.Program) Layer { return Layer{Scrubs: []Scrub{{"named", when, p}}} }
	shadow := func(l Layer) Layer { l.Shadow = true; return l }
	for _, test := range []struct {
		name                       string
		global, partner, publisher Layer
		want                       string // "" if refused
		names, shadow, errors      []string
	}{
		{name: "none", want: private},
		{name: "without a condition", global: scrubs(user), want: noUser, names: []string{"1"}},
		{name: "the condition holds", partner: named(always, user), want: noUser, names: []string{"named"}},
		{name: "the condition does not hold", partner: named(never, user), want: private},
		{name: "the condition has no value", partner: named(failing, user), want: noUser, names: []string{"named"}, errors: []string{"scrub.named"}},
		{name: "outer layers first", global: scrubs(id, removes()), partner: named(nil, user), publisher: scrubs(id), want: noUser, names: []string{"1", "2", "named", "1"}},
		{name: "in shadow", global: scrubs(id), partner: shadow(scrubs(user)), publisher: named(nil, user), want: noID, names: []string{"1"}, shadow: []string{"1", "1", "named"}},
		{name: "all in shadow", global: shadow(scrubs(user)), want: private, shadow: []string{"1"}},
		{name: "not sampled", partner: Layer{Scrubs: []Scrub{{Program: user}}, Sample: 1e-9}, publisher: scrubs(id), want: noID, names: []string{"1"}},
		{name: "refused by a rule", global: scrubs(user), partner: ruled("", objection("a", always))},
		{name: "refused in shadow", global: scrubs(user), partner: shadow(ruled("", objection("a", always))), want: noUser, names: []string{"1"}},
		{name: "one that fails", global: scrubs(id, impossible, user)},
		{name: "one that fails, in shadow", global: scrubs(id), partner: shadow(scrubs(impossible)), want: noID, names: []string{"1"}},
		{name: "one that fails without condition holding", global: named(never, impossible), want: private},
		{name: "one that fails, by explicit setting", global: scrubs(id, impossible), partner: ruled("policy.scrub=observe"), want: noID, names: []string{"1"}},
		{name: "patterns don't set what failure means", global: scrubs(id, impossible), partner: ruled("policy.*=observe *=off")},
		{name: "one that fails where the preset does not count", global: Layer{Sample: 1e-9}, partner: scrubs(impossible)},
	} {
		w := mustNew(t, layered(test.global, test.partner, test.publisher)).NewWorker()
		for range 2 { // the second time with the worker's memory
			v := w.Inspect([]byte(private), Facts{Partner: "p"})
			if test.want == "" {
				if v.Action != ActionRefuse || len(v.Edits)+len(v.Scrubs) > 0 {
					t.Errorf("%s: got %s", test.name, lasting(v))
				}
				continue
			}
			out, err := v.Apply(nil, []byte(private))
			if v.Action != ActionForward || err != nil || string(out) != test.want {
				t.Errorf("%s: got %s, %v, %s", test.name, out, err, lasting(v))
			}
			var errs, inShadow []string
			for _, e := range v.Errors {
				errs = append(errs, e.ID)
			}
			if v.Shadow != nil {
				inShadow = slices.Clone(v.Shadow.Scrubs)
				if v.Shadow.Edits != nil {
					t.Errorf("%s: the shadow has edits", test.name)
				}
			}
			if !slices.Equal(v.Scrubs, test.names) || !slices.Equal(errs, test.errors) || !slices.Equal(inShadow, test.shadow) {
				t.Errorf("%s: scrubs %q, errors %q, in shadow %q", test.name, v.Scrubs, errs, inShadow)
			}
		}
	}
}

// TestScrubFails checks the finding, and that an undecodable request is not let past a scrub.
func TestScrubFails(t *testing.T) {
	layer := Layer{Scrubs: []Scrub{{"geo", nil, impossible}}, Severities: []Setting{{"json.*", Warn}}}
	v := mustNew(t, Config{Global: layer}).NewWorker().Inspect([]byte(private), Facts{})
	want := Finding{Inspector: InspectorScrub, ID: "policy.scrub", Severity: Refuse, Offset: -1, Message: "scrub geo can't be applied"}
	if v.Reason != "policy.scrub" || v.NBR != 1 || len(v.Findings) != 1 || v.Findings[0] != want {
		t.Errorf("got %s", lasting(v))
	}
	layer.Scrubs[0].When = never
	v = mustNew(t, Config{Global: layer}).NewWorker().Inspect([]byte("{"), Facts{})
	if v.Reason != "policy.scrub" || len(v.Findings) != 2 || v.Findings[1] != want {
		t.Errorf("of an undecodable request: %s", lasting(v))
	}
	layer.Shadow = true
	v = mustNew(t, Config{Global: layer}).NewWorker().Inspect([]byte(private), Facts{})
	if v.Action != ActionForward || len(v.Findings) > 0 {
		t.Errorf("in shadow: %s", lasting(v))
	}
}

// TestScrubsOverlap checks what becomes of edits about the same places.
func TestScrubsOverlap(t *testing.T) {
	const body = `{"id":"1","a":{"b":{"c":1,"d":2},"b-":3,"x":4},"ab":5}`
	for _, test := range []struct {
		name     string
		programs []rule.Program
		want     string
	}{
		{"the outermost removal wins", []rule.Program{removes("/a/b"), replaces("/a/b/c", "9"), removes("/a/b/d", "/a/b")}, `{"id":"1","a":{"b-":3,"x":4},"ab":5}`},
		{"in any order", []rule.Program{replaces("/a/b/c", "9"), removes("/a/b/d", "/a")}, `{"id":"1","ab":5}`},
		{"a removal wins over a replacement", []rule.Program{replaces("/a/x", "9"), removes("/a/x")}, `{"id":"1","a":{"b":{"c":1,"d":2},"b-":3},"ab":5}`},
		{"and the other way round", []rule.Program{removes("/a/x"), replaces("/a/x", "9")}, `{"id":"1","a":{"b":{"c":1,"d":2},"b-":3},"ab":5}`},
		{"the same replacement twice", []rule.Program{replaces("/a/x", "9"), replaces("/a/x", "9")}, `{"id":"1","a":{"b":{"c":1,"d":2},"b-":3,"x":9},"ab":5}`},
		{"two replacements", []rule.Program{replaces("/a/x", "9"), replaces("/a/x", "8")}, `{"id":"1","a":{"b":{"c":1,"d":2},"b-":3},"ab":5}`},
		{"a replacement inside another", []rule.Program{replaces("/a/b", "{}"), replaces("/a/b/c", "8")}, `{"id":"1","a":{"b-":3,"x":4},"ab":5}`},
		{"a removal inside a replacement", []rule.Program{removes("/a/b/c"), replaces("/a/b", `{"c":0}`)}, `{"id":"1","a":{"b-":3,"x":4},"ab":5}`},
		{"names that begin alike", []rule.Program{removes("/a/b-", "/a/b/d", "/ab", "/a/b/c"), replaces("/a/x", "1")}, `{"id":"1","a":{"b":{},"x":1}}`},
	} {
		layer := scrubs(test.programs...)
		layer.Severities = []Setting{{"schema.*", Off}}
		v := mustNew(t, Config{Global: layer}).NewWorker().Inspect([]byte(body), Facts{})
		out, err := v.Apply(nil, []byte(body))
		if err != nil || string(out) != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.name, out, err, test.want)
		}
	}
}

// TestScrubsAndAnnotation: the annotation is there whatever a scrub removes, and nothing that a
// scrub removes is left.
func TestScrubsAndAnnotation(t *testing.T) {
	const note = `{"rtbwire":{"action":"forward","reason":"","score":0}}`
	for _, test := range []struct {
		body    string
		program rule.Program
		want    string
	}{
		{`{"id":"1","ext":{"a":1}}`, removes("/ext"), `{"id":"1","ext":` + note + `}`},
		{`{"id":"1","ext":"x"}`, removes("/ext"), `{"id":"1","ext":` + note + `}`},
		{`{"ext":{"a":1},"id":"1","ext":{"a":2}}`, removes("/ext"), `{"id":"1","ext":` + note + `}`},
		{`{"id":"1","e\u0078t":{"rtbwire":1}}`, removes("/ext"), `{"id":"1","ext":` + note + `}`},
		{`{"id":"1"}`, removes("/ext"), `{"id":"1","ext":` + note + `}`},
		{`{"id":"1","ext":{"rtbwire":{"b":1}}}`, removes("/ext/rtbwire/b"), `{"id":"1","ext":` + note + `}`},
		{`{"id":"1","ext":{"a":1}}`, removes("/ext/a", "/ext/rtbwire"), `{"id":"1","ext":` + note + `}`},
		{`{"id":"1","ext":"x"}`, removes("/user"), `{"id":"1","ext":"x"}`},
		{`{"id":"1","user":{}}`, removes("/user", "/extra"), `{"id":"1","ext":` + note + `}`},
	} {
		layer := scrubs(test.program)
		layer.Severities = []Setting{{"schema.*", Off}}
		v := mustNew(t, Config{Global: layer, Annotate: true}).NewWorker().Inspect([]byte(test.body), Facts{})
		out, err := v.Apply(nil, []byte(test.body))
		if err != nil || string(out) != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.body, out, err, test.want)
		}
	}
}

// TestEditorsAreBounded: a worker does not keep the memory of every scrub that it has met.
func TestEditorsAreBounded(t *testing.T) {
	w := mustNew(t, manyPublishers(4*editorsKept)).NewWorker()
	for i := range 4 * editorsKept {
		v := w.Inspect([]byte(private), Facts{Partner: "p", Publisher: strconv.Itoa(i)})
		if want := 1 - i%2; len(v.Edits) != want || len(v.Scrubs) != want {
			t.Fatalf("publisher %d: %s", i, lasting(v))
		}
		if len(w.editors) > editorsKept {
			t.Fatalf("%d editors are kept", len(w.editors))
		}
	}
	edits := w.edits
	if w.Release(); edits[:1][0].Path != "" {
		t.Error("the worker keeps edits")
	}
}

// TestScrubsAfterReload: the scrubs of the new engine are applied, and not those that had their
// numbers before. What was decoded before is scrubbed as it is judged: by the engine before.
func TestScrubsAfterReload(t *testing.T) {
	h := NewHolder(mustNew(t, Config{Global: scrubs(removes("/user"))}))
	w := h.NewWorker()
	w.Inspect([]byte(private), Facts{})
	if err := w.Decode([]byte(private)); err != nil {
		t.Fatal(err)
	}
	h.Swap(mustNew(t, Config{Global: scrubs(removes("/site"))}))
	for _, want := range []string{"/user", "/site"} {
		v := w.Judge(Facts{})
		if len(v.Edits) != 1 || v.Edits[0].Path != want {
			t.Errorf("got %s, want the removal of %s", lasting(v), want)
		}
		w.Inspect([]byte(private), Facts{})
	}
}
