package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/inspect"
	cel "github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/wire"
)

// Trace is what a configuration makes of one request, step by step, for people who write rules. It
// holds nothing of the request but paths.
type Trace struct {
	// Verdict is the engine's. All else only explains it.
	Verdict inspect.Verdict
	// Score is how the verdict's fraud score was made. Shadow is the same for the verdict in
	// shadow, nil if there is none.
	Score  inspect.Scoring
	Shadow *inspect.Scoring
	// Decoded is false for a request that can't be decoded. No rule sees such a request.
	Decoded bool
	// Sample is the request's place in samples: one of 5% has what is below 0.05.
	Sample float64
	// Enforced is the share of requests that is enforced: the smallest of those of the layers.
	Enforced float64
	// Layers are those that can be about the request, outer ones first. Rules and Scrubs are
	// theirs, in the order in which they are asked.
	Layers []LayerTrace
	Rules  []RuleTrace
	Scrubs []ScrubTrace
}

// State says whether a layer, a rule or a scrub is about a request.
type State string

// The states.
const (
	StateLive       State = "live"
	StateShadow     State = "in shadow"   // counts, without effect
	StateNotSampled State = "not sampled" // the request is not in the share
	StateOff        State = "off"
)

// Answer is what a condition says about a request.
type Answer string

// The answers.
const (
	Holds      Answer = "holds"
	HoldsNot   Answer = "does not hold"
	HasNoValue Answer = "has no value"
	NotAsked   Answer = "" // off, not sampled, or the request can't be decoded
)

// LayerTrace is a layer.
type LayerTrace struct {
	Name          string // one of GlobalLayer, PartnerLayer and PublisherLayer
	State         State
	Sample        float64 // the layer's
	Enforce       float64 // the layer's
	ObserveScrubs bool
}

// RuleTrace is a rule.
type RuleTrace struct {
	ID       string
	Layer    string
	State    State
	Severity inspect.Severity // as layers have set it
	Answer   Answer
	Err      error // of HasNoValue
	// Condition says why.
	Condition PartTrace
	Place     Place
}

// PartTrace is a condition, or one of the parts that && or || joins.
type PartTrace struct {
	Source   string
	Operator string // "&&" or "||" if there are parts
	Answer   Answer
	Err      error
	Parts    []PartTrace
}

// ScrubTrace is a scrub.
type ScrubTrace struct {
	Name   string
	Layer  string
	State  State
	Answer Answer // Holds without a condition
	Err    error  // of HasNoValue, or why the request can't be scrubbed
	// Condition says why; its Source is "" without a condition.
	Condition PartTrace
	// Edits are what the scrub changes in the request, alone. They are nil unless it is wanted.
	Edits []EditTrace
	// Applied is whether the scrub takes effect: it is live, not only observed, it is wanted, and
	// the request is forwarded.
	Applied bool
	Place   Place
}

// EditTrace is an edit without its value.
type EditTrace struct {
	Path    string
	Removed bool // otherwise the value is replaced
}

// GlobalLayer is the name of the layer of all requests.
const GlobalLayer = "the global layer"

// PartnerLayer returns the name of a partner's layer.
func PartnerLayer(partner string) string { return fmt.Sprintf("partner %q", partner) }

// PublisherLayer returns the name of a publisher's layer.
func PublisherLayer(partner, publisher string) string {
	return fmt.Sprintf("partner %q, publisher %q", partner, publisher)
}

// tracer makes a trace.
type tracer struct {
	setup  *Setup
	out    *Trace
	env    *cel.Env
	layers []tracedLayer
	in     rule.Input
}

type tracedLayer struct {
	scope   *Scope
	name    string
	shadow  bool // it, or a layer outside
	sampled bool
}

// Trace judges a request and explains the verdict.
func (s *Setup) Trace(body []byte, facts inspect.Facts) (*Trace, error) {
	var r setting.Reader
	table, _ := rates.OpenConfigured(&r, &s.Config.Scope, s.Rates)
	if err := r.Problems().Err(); err != nil {
		return nil, err
	}
	env, err := cel.NewEnv(cel.Options{Lists: (&CEL{Lists: s.Lists}).matchers(s.Config.conditionOptions()), Rates: valuesOf(table)})
	if err != nil {
		return nil, err
	}
	w := s.Engine.NewWorker()
	t := &tracer{setup: s, env: env, out: &Trace{Decoded: w.Decode(body) == nil, Sample: inspect.SampleOf(w.Request(), body), Enforced: 1}}
	t.out.Verdict = w.Judge(facts)
	t.out.Score = w.Scoring(&t.out.Verdict)
	if t.out.Verdict.Shadow != nil {
		shadow := w.Scoring(t.out.Verdict.Shadow)
		t.out.Shadow = &shadow
	}
	t.in = rule.Input{Body: body, Request: w.Request(), Facts: &facts, Scratch: &rule.Scratch{}}
	t.findLayers(facts.Partner, cmp.Or(facts.Publisher, inspect.PublisherOf(w.Request())))
	for i := range t.layers {
		if err := t.rules(i); err != nil {
			return nil, err
		}
		if err := t.scrubs(i); err != nil {
			return nil, err
		}
	}
	return t.out, nil
}

// findLayers finds the layers of a partner and a publisher.
func (t *tracer) findLayers(partner, publisher string) {
	shadow := false
	add := func(scope *Scope, name string) {
		l := inspect.ConfiguredLayer(scope)
		shadow = shadow || l.Shadow // what is inside a layer in shadow is in shadow too
		own := tracedLayer{scope, name, shadow, t.sampled(l.Sample)}
		t.layers = append(t.layers, own)
		enforce := 1.0
		if l.Enforce != nil {
			enforce = *l.Enforce
		}
		t.out.Enforced = min(t.out.Enforced, enforce)
		t.out.Layers = append(t.out.Layers, LayerTrace{name, own.state(), l.Sample, enforce, l.ObserveScrubs})
	}
	file := &t.setup.Config.Scope
	add(file, GlobalLayer)
	for _, p := range file.Inner {
		if p.Name != partner {
			continue
		}
		add(p, PartnerLayer(p.Name))
		for _, own := range p.Inner {
			if own.Name == publisher {
				add(own, PublisherLayer(p.Name, own.Name))
			}
		}
	}
}

// sampled reports whether the request is in a share.
func (t *tracer) sampled(share float64) bool { return t.out.Sample < share }

func (l *tracedLayer) state() State {
	switch {
	case !l.sampled:
		return StateNotSampled
	case l.shadow:
		return StateShadow
	}
	return StateLive
}

// severity returns the severity of a rule of a layer, as its layer and those inside set it. Layers
// in shadow are left out for rules that are live.
func (t *tracer) severity(r *inspect.Rule, from int, shadow bool) inspect.Severity {
	var scopes []*Scope
	for _, l := range t.layers[from:] {
		if l.sampled && (!l.shadow || shadow) {
			scopes = append(scopes, l.scope)
		}
	}
	return inspect.ConfiguredSeverity(r, scopes...)
}

func (t *tracer) rules(layer int) error {
	l := &t.layers[layer]
	list := rule.Configured(l.scope)
	for i := range list {
		r := &list[i]
		shadow := l.shadow || r.Shadow
		out := RuleTrace{ID: "policy." + r.Name, Layer: l.name, State: l.state(), Severity: t.severity(&r.Rule, layer, shadow), Place: r.Place}
		switch {
		case !l.sampled || !t.sampled(r.Sample):
			out.State = StateNotSampled
		case out.Severity == inspect.Off:
			out.State = StateOff
		case shadow:
			out.State = StateShadow
		}
		if t.out.Decoded && (out.State == StateLive || out.State == StateShadow) {
			var err error
			if out.Condition, err = t.condition(&r.Source, r.When); err != nil {
				return err
			}
			out.Answer, out.Err = out.Condition.Answer, out.Condition.Err
		}
		t.out.Rules = append(t.out.Rules, out)
	}
	return nil
}

// condition asks a condition, and its parts.
func (t *tracer) condition(source *rule.Source, compiled rule.Condition) (PartTrace, error) {
	whole, err := t.env.Parts(source.Text, celOptions(source.Interpreted)...)
	if err != nil {
		return PartTrace{}, err
	}
	out := t.part(&whole)
	out.Answer, out.Err = t.ask(compiled) // what the engine asks has the last word
	return out, nil
}

func (t *tracer) part(p *cel.Part) PartTrace {
	out := PartTrace{Source: p.Source, Operator: p.Operator}
	if p.Condition != nil {
		out.Answer, out.Err = t.ask(p.Condition)
	}
	for i := range p.Parts {
		out.Parts = append(out.Parts, t.part(&p.Parts[i]))
	}
	return out
}

func (t *tracer) ask(c rule.Condition) (Answer, error) {
	switch holds, err := c.Holds(&t.in); {
	case err != nil:
		return HasNoValue, err
	case holds:
		return Holds, nil
	}
	return HoldsNot, nil
}

func (t *tracer) scrubs(layer int) error {
	l := &t.layers[layer]
	list := scrub.Configured(l.scope)
	for i := range list {
		s := &list[i]
		out := ScrubTrace{Name: scrub.ConfiguredName(list, i), Layer: l.name, State: l.state(), Place: s.Place}
		if t.out.Decoded && l.sampled {
			out.Answer = Holds
			if s.Source.Text != "" {
				var err error
				if out.Condition, err = t.condition(&s.Source, s.When); err != nil {
					return err
				}
				out.Answer, out.Err = out.Condition.Answer, out.Condition.Err
			}
			if out.Answer != HoldsNot { // without a value, it is wanted too
				edits, err := editsOf(s.Spec, t.in.Body)
				out.Edits, out.Err = edits, errors.Join(out.Err, err)
				out.Applied = out.State == StateLive && err == nil && t.out.Verdict.Action == inspect.ActionForward && !t.observesScrubs()
			}
		}
		t.out.Scrubs = append(t.out.Scrubs, out)
	}
	return nil
}

// observesScrubs reports whether the scrubs are only observed.
func (t *tracer) observesScrubs() bool {
	return slices.ContainsFunc(t.out.Layers, func(l LayerTrace) bool { return l.ObserveScrubs })
}

// editsOf returns what a scrub changes. The values are not needed, so any key does.
func editsOf(spec scrub.Spec, body []byte) ([]EditTrace, error) {
	if len(spec.Hash) > 0 {
		spec.Key = make(scrub.Key, scrub.KeyMin)
	}
	program, err := scrub.Compile(spec)
	if err != nil {
		return nil, err
	}
	edits, err := program.NewEditor().Append(nil, body, nil)
	slices.SortStableFunc(edits, func(a, b wire.Edit) int { return cmp.Compare(a.Path, b.Path) })
	list := []EditTrace{}
	for _, e := range edits {
		list = append(list, EditTrace{e.Path, e.Value == nil})
	}
	return list, err
}
