package inspect

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// placedSetting is a severity of a configuration.
type placedSetting struct {
	Setting
	place setting.Place
}

// declaredLayer is what a configuration says in a layer.
type declaredLayer struct {
	severities []placedSetting
	shadow     bool
	sample     float64

	enforce       *float64
	observeScrubs placedBool
}

// placedBool is a switch of a configuration.
type placedBool struct {
	on    bool
	place setting.Place
}

// declared is what a configuration says once.
type declared struct {
	preset      schema.Preset
	severities  []placedSetting // before those of the global layer
	annotate    bool
	maxFindings int
	markupMax   int
}

var (
	configured       setting.Slot[declared]
	configuredLayers setting.Slot[declaredLayer]
)

// Configured returns what a configuration says about an engine. Conditions of rules and scrubs have
// been compiled before, see [rule.Configured]. What needs files is left out: the data of the fraud
// score, and rates.
func Configured(file *setting.Scope) Config {
	d := configured.In(file)
	c := Config{
		Preset: d.preset, Global: ConfiguredLayer(file), Partners: map[string]Partner{}, Payload: payload.Configured(file),
		Fraud: Fraud{Limits: fraud.ConfiguredLimits(file)}, Response: Response{MarkupMax: d.markupMax},
		MaxFindings: d.maxFindings, Annotate: d.annotate,
	}
	c.Global.Severities = append(settingsOf(d.severities), c.Global.Severities...)
	for _, partner := range file.Inner {
		p := Partner{Layer: ConfiguredLayer(partner), Publishers: map[string]Layer{}}
		for _, publisher := range partner.Inner {
			p.Publishers[publisher.Name] = ConfiguredLayer(publisher)
		}
		c.Partners[partner.Name] = p
	}
	return c
}

// ConfiguredLayer returns what a configuration says in a layer. It leaves out the severities of the
// section schema.
func ConfiguredLayer(layer *setting.Scope) Layer {
	d := configuredLayers.In(layer)
	out := Layer{
		Severities: settingsOf(d.severities), Shadow: d.shadow, Sample: d.sample, Fraud: fraud.Configured(layer),
		Enforce: d.enforce, ObserveScrubs: d.observeScrubs.on,
	}
	for _, own := range rule.Configured(layer) {
		out.Rules = append(out.Rules, own.Rule)
	}
	for _, own := range scrub.Configured(layer) {
		out.Scrubs = append(out.Scrubs, Scrub{Name: own.Name, When: own.When, Program: own.Program})
	}
	return out
}

func settingsOf(list []placedSetting) (out []Setting) {
	for _, s := range list {
		out = append(out, s.Setting)
	}
	return out
}

// severitiesOf is the type of mappings from reasons to severities. All ids have the prefix.
func severitiesOf(prefix string) setting.Type[[]placedSetting] {
	entries := setting.MapOf(setting.Text("a reason or a pattern", 256), rule.Severities())
	return setting.Convert(entries, func(entries []setting.Entry[Severity]) (list []placedSetting) {
		for _, e := range entries {
			reasons := e.Name
			if !strings.HasPrefix(reasons, prefix) {
				reasons = prefix + reasons
			}
			list = append(list, placedSetting{Setting{reasons, e.Value}, setting.PlaceOf(e.Key)})
		}
		return list
	})
}

// placedBools is the type of switches that a reviewer is warned of.
func placedBools() setting.Type[placedBool] {
	t := setting.Convert(setting.Bool(), func(on bool) placedBool { return placedBool{on: on} })
	t.Show = func(v placedBool) any { return v.on }
	return setting.Placed(t, func(v *placedBool, n *setting.Node) { v.place = setting.PlaceOf(n) })
}

var schemaKeys = []setting.Field[declared]{
	setting.F("preset", setting.Option("a preset", schema.Presets()...), func(d *declared) *schema.Preset { return &d.preset },
		"Severities to begin with.").Default(string(PresetDefault)),
	setting.F("severities", severitiesOf(schemaPrefix), func(d *declared) *[]placedSetting { return &d.severities },
		"Severities of the specification's rules, without the beginning `schema.` of their ids. They come before those of the global layer.").
		Example(`severities: {"*.recommended": observe, Imp.id.required: refuse}`),
}

// keys are settings of the whole file.
var keys = []setting.Field[declared]{
	setting.F("annotate", setting.Bool(), func(d *declared) *bool { return &d.annotate },
		"Write the verdict into each request, at `/ext/rtbwire`.").Default(false),
	setting.F("max_findings", setting.Int("a number of findings", 1, 100_000), func(d *declared) *int { return &d.maxFindings },
		"Maximum number of findings that are kept for a request.").Default(MaxFindingsDefault),
}

var markupKey = setting.F("max.adm", setting.Size(1, 1<<30), func(d *declared) *int { return &d.markupMax },
	"Maximum markup of a bid, where responses are inspected.").Default(MarkupMaxDefault).NoFlag()

// layerKeys are settings of the global layer, of partners and of publishers.
var layerKeys = []setting.Field[declaredLayer]{
	setting.F("severities", severitiesOf(""), func(d *declaredLayer) *[]placedSetting { return &d.severities },
		"Severities of findings, by the id of the reason (docs/reference/reasons.md) or a pattern with one `*`. The order counts: patterns first, exceptions after them.").
		Example(`severities: {"*.deprecated": off, policy.floor-too-low: warn}`),
	setting.F("shadow", setting.Bool(), func(d *declaredLayer) *bool { return &d.shadow },
		"Evaluate and count this layer and the layers inside it, without any effect on requests.").Default(false),
	setting.F("sample", rule.Shares(), func(d *declaredLayer) *float64 { return &d.sample },
		"Share of requests that the layer is about, chosen by a hash of the request's id.").Default("100%"),
	setting.F("enforce", setting.PointerTo(setting.ShareOrNone()), func(d *declaredLayer) **float64 { return &d.enforce },
		"Share of requests that judgements may refuse, chosen as by `sample`; all by default. The others are judged by all layers, counted and forwarded. Of several layers the smallest share counts.").
		Example("enforce: 5%"),
	setting.F("observe_scrubs", placedBools(), func(d *declaredLayer) *placedBool { return &d.observeScrubs },
		"Count the scrubs of all layers that are about the request, and apply none: what they remove goes on.").Default(false),
}

// check reports severities that match no reason: they would do nothing.
func check(r *setting.Reader, file *setting.Scope) {
	var reasons []string
	for _, known := range Reasons() {
		reasons = append(reasons, known.ID)
	}
	for _, p := range payload.Configured(file).Patterns {
		reasons = append(reasons, payloadPrefix+p.ID)
	}
	layers := file.Layers()
	for _, layer := range layers {
		for _, own := range rule.Configured(layer) {
			reasons = append(reasons, policyPrefix+own.Name)
		}
	}
	s := &severities{r: r, reasons: reasons, known: map[string]bool{}}
	s.check(configured.In(file).severities, true)
	for _, layer := range layers {
		s.check(configuredLayers.In(layer).severities, false)
	}
}

// severities checks severities against the reasons of a configuration.
type severities struct {
	r       *setting.Reader
	reasons []string
	known   map[string]bool // by pattern
}

func (s *severities) check(list []placedSetting, short bool) {
	for _, own := range list {
		known, done := s.known[own.Reasons]
		if !done {
			known = matchesAny(own.Reasons, s.reasons) || matchesAny(schemaPrefix+own.Reasons, s.reasons)
			s.known[own.Reasons] = known
		}
		switch {
		case known:
		case strings.Count(own.Reasons, "*") > 1:
			s.r.Report(own.place.Problem("", "a pattern has one * only"))
		default:
			s.r.Report(own.place.Problem(s.near(own.Reasons, short), "no reason matches "+setting.Quote(own.place.Node().Text)+"; docs/reference/reasons.md lists all"))
		}
	}
}

// near returns the reason that was probably meant.
func (s *severities) near(id string, short bool) string {
	near := nearest.Name(id, s.reasons)
	if near == "" {
		near = strings.TrimPrefix(nearest.Name(schemaPrefix+id, s.reasons), schemaPrefix)
	}
	if near == "" {
		near = nearest.Name(fraudPrefix+id, s.reasons)
	}
	if short {
		near = strings.TrimPrefix(near, schemaPrefix)
	}
	return near
}

// matchesAny reports whether a pattern matches one of the ids.
func matchesAny(text string, ids []string) bool {
	p := newPattern(text)
	return slices.ContainsFunc(ids, p.matches)
}

// review warns of severities that do not do what one may expect.
func review(file *setting.Scope, warn func(at setting.Place, format string, args ...any)) {
	reviewThreshold(file, warn)
	for _, layer := range file.Layers() {
		if at := configuredLayers.In(layer).observeScrubs; at.on {
			warn(at.place, "scrubs are observed: requests go on with what they would remove")
		}
		for _, own := range configuredLayers.In(layer).severities {
			switch {
			case own.Reasons == scrubFailed && own.Severity != Refuse:
				warn(own.place, "requests that can't be scrubbed are forwarded with what was to be removed")
			case own.Reasons == ruleLimit && own.Severity != Refuse:
				warn(own.place, "a request that asks a rule for more work than its limit is forwarded: its sender chooses whether the rule counts")
			case strings.HasPrefix(own.Reasons, fraudPrefix) && own.Severity == Refuse && !matchesAny(own.Reasons, []string{fraudScore}):
				warn(own.place, "only %s can refuse: a signal is reported as warn, and counts in the score", fraudScore)
			}
		}
	}
}

// reviewThreshold warns of a threshold of the fraud score in a layer, where nobody says what
// becomes of the score: it is only observed.
func reviewThreshold(layer *setting.Scope, warn func(at setting.Place, format string, args ...any), outer ...*setting.Scope) {
	says := func(l *setting.Scope) bool {
		return slices.ContainsFunc(configuredLayers.In(l).severities, func(s placedSetting) bool { return matchesAny(s.Reasons, []string{fraudScore}) })
	}
	if at, written := fraud.ConfiguredThreshold(layer); written && !slices.ContainsFunc(slices.Concat(outer, layer.Layers()), says) {
		warn(at, "no severity says what becomes of %s, so a request that reaches the threshold is only observed: write severities: {%[1]s: refuse}", fraudScore)
	}
	for _, inner := range layer.Inner {
		reviewThreshold(inner, warn, append(slices.Clip(outer), layer)...)
	}
}

// ConfiguredSeverity returns the severity of a rule, as some layers set it, outer ones first.
func ConfiguredSeverity(r *Rule, layers ...*setting.Scope) Severity {
	severity := *r.Severity
	for _, layer := range layers {
		for _, own := range configuredLayers.In(layer).severities {
			if matchesAny(own.Reasons, []string{policyPrefix + r.Name}) {
				severity = own.Severity
			}
		}
	}
	return severity
}

func init() {
	layer := configuredLayers.Fields(layerKeys)
	setting.Register(setting.Module{
		Section: "schema", Order: -5, Fields: configured.Fields(schemaKeys),
		Name: "schema", Doc: "The rules of the specification: docs/reference/rules.md has them all.", Help: "The rules of the OpenRTB specification.",
		Example: `schema: {preset: exchange, severities: {Imp.id.required: refuse, "*.deprecated": off}}`,
	})
	setting.Register(setting.Module{Section: "gateway", Order: 8, Fields: configured.Fields([]setting.Field[declared]{markupKey})})
	severities, rest := layer[:1], layer[1:] // rules and scrubs are between them
	setting.Register(setting.Module{Order: 22, Fields: severities, Partner: severities, Publisher: severities, Check: check, Review: review})
	setting.Register(setting.Module{Order: 25, Fields: rest, Partner: rest, Publisher: rest})
	setting.Register(setting.Module{Order: 30, Fields: configured.Fields(keys)})
}
