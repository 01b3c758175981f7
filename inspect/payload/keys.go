package payload

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// Settings say how signs of attacks are looked for in the strings of a request. What becomes of
// them is said by the severities of "payload.*". The zero value looks for the default patterns,
// without layers.
type Settings struct {
	// Patterns are looked for besides the default ones. Default: none.
	Patterns []Own
	// Layers, Nested, Fields and Work are those of [Options].
	Layers Layers
	Nested int
	Fields []Field
	Work   int
}

// Own is a pattern of a configuration. Its reason is "payload." and its id. It belongs to the
// global layer.
type Own struct {
	Pattern
	// Severity is the severity of the pattern unless a setting says otherwise. nil, the default,
	// means [rule.Refuse].
	Severity *rule.Severity
}

// declared is what a configuration says, with places for what is checked when it is known.
type declared struct {
	Settings
	patterns []placedPattern
	fields   []placedField
}

type placedPattern struct {
	Own
	place setting.Place
}

// placedField is a field with the ids of its patterns, or patterns of ids.
type placedField struct {
	pointer string
	ids     []setting.Named
}

var configured setting.Slot[declared]

// Configured returns what a configuration says about payloads.
func Configured(file *setting.Scope) Settings {
	d := configured.In(file)
	out := d.Settings
	for _, p := range d.patterns {
		out.Patterns = append(out.Patterns, p.Own)
	}
	for _, f := range d.fields {
		field := Field{Pointer: f.pointer}
		for _, id := range f.ids {
			field.Harmless = append(field.Harmless, id.Name)
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// BudgetID can't be the id of a pattern: payload.budget is the reason of [Exhausted].
const BudgetID = "budget"

// named are the layers by the words of configurations.
var named = []struct {
	word  string
	layer Layers
}{
	{"percent", Percent}, {"entity", Entity}, {"fullwidth", Fullwidth}, {"twice", Twice}, {"squeeze", Squeeze}, {"all", AllLayers},
}

var layers = func() setting.Type[Layers] {
	var words []string
	for _, l := range named {
		words = append(words, l.word)
	}
	one := setting.Word("a layer", words, func(word string) Layers { return named[slices.Index(words, word)].layer })
	return setting.Convert(setting.ListOf(one), func(list []Layers) (all Layers) {
		for _, l := range list {
			all |= l
		}
		return all
	})
}()

var patternKeys = &setting.Object[placedPattern]{
	Name: "pattern", Doc: "A literal to look for, in any case of ASCII letters. The reason is `payload.` and its id.",
	Fields: []setting.Field[placedPattern]{
		setting.F("id", setting.Form("an id of lower case letters, digits, hyphens and dots", `[a-z0-9][a-z0-9.-]{0,63}`, setting.Dashed),
			func(p *placedPattern) *string { return &p.ID },
			"Id. No other pattern may have it, including the default ones.").Required().Example("id: own.probe"),
		setting.F("text", setting.Checked(setting.Text("a text of ASCII characters", literals.LengthMax), func(text string) (string, string, error) {
			return text, "", literals.Check(text)
		}), func(p *placedPattern) *string { return &p.Literal },
			"Text to look for.").Required().Example("text: x-probe-7f3a"),
		setting.F("why", rule.Messages(), func(p *placedPattern) *string { return &p.Why },
			"What the text indicates; findings say it.").Example("why: Our penetration test."),
		setting.F("severity", setting.PointerTo(rule.Severities()), func(p *placedPattern) **rule.Severity { return &p.Severity },
			"Severity of the finding. `severities` can change it.").Default("refuse"),
	},
}

// fields are mappings from pointers to ids of patterns.
var fields = func() setting.Type[[]placedField] {
	id := setting.NameOf("the id of a pattern, or xss.* for all that begin so")
	return setting.Convert(setting.MapOf(setting.Pointer(), setting.ListOf(id)), func(entries []setting.Entry[[]setting.Named]) (list []placedField) {
		for _, e := range entries {
			list = append(list, placedField{e.Name, e.Value})
		}
		return list
	})
}()

var keys = []setting.Field[declared]{
	setting.F("patterns", setting.ListOf(setting.Placed(patternKeys.Type(), func(p *placedPattern, n *setting.Node) { p.place = setting.PlaceOf(n) })),
		func(d *declared) *[]placedPattern { return &d.patterns },
		"Patterns of your own, besides the default ones.").Example("patterns: [{id: own.probe, text: x-probe-7f3a, severity: warn}]"),
	setting.F("layers", layers, func(d *declared) *Layers { return &d.Layers },
		"Further decodings to look through: `%3c`, `&lt;`, fullwidth forms, escapes inside escapes, white space and comments inside words; `all` is all of them.").
		Example("layers: [percent, entity]"),
	setting.F("nested", setting.Int("a number of levels", 0, NestedMax), func(d *declared) *int { return &d.Nested },
		"Levels of JSON inside strings that are searched: `1` for the request in `native.request`.").Default(0),
	setting.F("fields", fields, func(d *declared) *[]placedField { return &d.fields },
		"Fields in which some patterns are harmless, with the ids of these or patterns such as `xss.*`; `*` in a path is any name.").
		Example(`fields: {/imp/*/native/request: ["xss.*"]}`),
	setting.F("work", setting.Size(1, math.MaxInt32), func(d *declared) *int { return &d.Work },
		"Maximum work of a search, in bytes that are searched or decoded. A request that takes more is refused as `payload.budget`.").Default(WorkDefault),
}

// check reports patterns that can't be together, and harmless ones that do not exist.
func check(r *setting.Reader, file *setting.Scope) {
	d := configured.In(file)
	taken := map[string]string{BudgetID: "the id %s is taken: payload.budget is about the limit of work"}
	var ids []string
	bytes := 0
	for _, p := range Default() {
		taken[p.ID] = "a default pattern has the id %s"
		ids, bytes = append(ids, p.ID), bytes+len(p.Literal)
	}
	for i := range d.patterns {
		p := &d.patterns[i]
		if text := taken[p.ID]; text != "" {
			r.Report(p.place.Member("id").Problem("", fmt.Sprintf(text, setting.Quote(p.ID))))
		}
		if p.ID != "" { // otherwise it was reported
			taken[p.ID] = fmt.Sprintf("another pattern has the id %%s (%s, line %d)", strings.ReplaceAll(p.place.File, "%", "%%"), p.place.Line)
		}
		ids, bytes = append(ids, p.ID), bytes+len(p.Literal)
		if len(ids) == literals.CountMax+1 || bytes > literals.BytesMax && bytes-len(p.Literal) <= literals.BytesMax {
			r.Report(p.place.Problem("", fmt.Sprintf("more than %d patterns or %d bytes in all, the limits of all patterns together",
				literals.CountMax, literals.BytesMax)))
		}
	}
	for _, f := range d.fields {
		for _, h := range f.ids {
			some := false
			var err error
			for _, id := range ids {
				var match bool
				match, err = path.Match(h.Name, id)
				some = some || match
			}
			switch {
			case err != nil:
				r.Report(h.Place.Problem("", setting.Quote(h.Name)+" is not a pattern: * is any text, ? any character, [a-z] one of some"))
			case !some:
				r.Report(h.Place.Problem(nearest.Name(h.Name, ids), "no pattern of payloads has the id "+setting.Quote(h.Name)))
			}
		}
	}
}

func init() {
	setting.Register(setting.Module{
		Section: "payload", Order: -4, Fields: configured.Fields(keys), Check: check,
		Name: "payload", Doc: "The search for signs of attacks in keys and values, with the default patterns and those given here.",
		Help:    "How to look for signs of attacks (docs/payload.md). `severities` of `payload.*` say what becomes of them.",
		Example: "payload: {layers: [percent, entity], nested: 1}",
	})
}
