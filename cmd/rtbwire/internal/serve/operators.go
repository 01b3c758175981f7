package serve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/judge"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/overrides"
)

// openOverrides puts what operators have changed in use, as the file of state has it.
func (s *server) openOverrides() (err error) {
	s.overrides, err = overrides.Open(overrides.Options{
		File: admin.Configured.In(s.scope()).StateFile, Logger: s.log, Known: s.knownOverride,
		Apply: func(set *overrides.Set) {
			s.gateway.SetOverrides(overridesOf(set))
			s.warnDrained()
		},
	})
	if err != nil {
		return err
	}
	return s.gateway.Register(s.overrides)
}

// warnDrained says whose requests have no upstream in use: a configuration may have only those that
// are drained.
func (s *server) warnDrained() {
	if whose := s.gateway.Stranded(""); whose != "" {
		s.log.Error("operators have drained all upstreams of some requests: none of them can be forwarded", "whose", whose)
	}
}

// overridesOf is a set as the gateway takes it.
func overridesOf(set *overrides.Set) *gateway.Overrides {
	if set == nil {
		return nil
	}
	o := &gateway.Overrides{
		DrainedPartners: set.DrainedPartners, DrainedUpstreams: set.DrainedUpstreams,
		ObservedPartners: set.ObservedPartners, ObservedRules: set.ObservedRules,
	}
	if set.Blocks != nil {
		o.Blocks = set.Blocks
	}
	return o
}

// knownOverride refuses names that the gateway does not have, and what it can't do now.
func (s *server) knownOverride(e *overrides.Entry) error {
	switch e.Kind {
	case overrides.Partner:
		return known(e, s.partners())
	case overrides.Upstream:
		return s.drainable(e)
	case overrides.Rule:
		return observable(e, s.gateway.Options().Engine)
	}
	return nil
}

func (s *server) partners() []string {
	names := []string{}
	for _, p := range s.gateway.Options().Partners {
		names = append(names, p.Name)
	}
	return names
}

// known refuses a name that is not in a list.
func known(e *overrides.Entry, names []string) error {
	if slices.Contains(names, e.Name) {
		return nil
	}
	if near := nearest.Name(e.Name, names); near != "" {
		return overrides.Unknownf("no %s %q (did you mean %q?)", e.Kind, e.Name, near)
	}
	return overrides.Unknownf("no %s %q", e.Kind, e.Name)
}

// drainable refuses to drain the last upstream of anybody: requests would have nowhere to go.
func (s *server) drainable(e *overrides.Entry) error {
	var names []string
	for _, u := range s.gateway.Upstreams() {
		names = append(names, u.Name)
	}
	if err := known(e, names); err != nil {
		return err
	}
	if whose := s.gateway.Stranded(e.Name); whose != "" {
		return overrides.Conflictf("%s is the only upstream that is not drained for %s: drain partners instead, whose requests get their no-bid answer then", e.Name, whose)
	}
	return nil
}

// observable returns an error unless operators can observe the reason that an entry names.
func observable(e *overrides.Entry, engine *inspect.Engine) error {
	r, found := engine.ReasonByID(e.Name)
	switch {
	case !found:
		var names []string
		for _, r := range engine.Reasons() {
			names = append(names, r.ID)
		}
		if slices.Contains(names, "policy."+e.Name) {
			return overrides.Unknownf("no rule %q (did you mean %q?)", e.Name, "policy."+e.Name)
		}
		return known(e, names)
	case r.Inspector == inspect.InspectorResponse:
		return overrides.Conflictf("%s is about responses: observe the partner, from whose responses no bid is removed then", e.Name)
	case r.Inspector == inspect.InspectorDecode:
		return overrides.Conflictf("%s can't be observed: a request that can't be decoded can't be forwarded", e.Name)
	case r.Inspector == inspect.InspectorScrub:
		return overrides.Conflictf("%s can't be observed: the request would go on with what was to be removed", e.Name)
	case r.ID == inspect.ReasonBlockedNow:
		return overrides.Conflictf("%s is not a rule: release what is blocked", e.Name)
	}
	return nil
}

// control is what operators can change by the admin port.
func (s *server) control() *admin.Control {
	return &admin.Control{Overrides: s.overrides, Reload: s.reload, Health: s.health}
}

// health is what operators ask for first.
func (s *server) health() admin.Health {
	o := s.gateway.Options()
	h := admin.Health{Shadow: o.Shadow, Upstreams: []admin.Upstream{}, Partners: s.partners()}
	for _, u := range s.gateway.Upstreams() {
		h.Upstreams = append(h.Upstreams, admin.Upstream(u))
	}
	return h
}

// reload loads the configuration and the certificates again for an operator, and says what has
// become of that.
func (s *server) reload(by string) (admin.Reloaded, error) {
	if s.live == nil {
		return admin.Reloaded{}, &admin.ReloadError{Err: errors.New("there is no file to load again: the gateway was started without --config")}
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	s.again("the operator " + by)
	fixed, err := s.lastReload()
	if err == nil {
		return admin.Reloaded{Generation: s.gateway.Configuration().Generation, Fixed: fixed}, nil
	}
	failed := &admin.ReloadError{Err: fmt.Errorf("the configuration was not loaded; the old one stays in use: %w", err)}
	if problems := (config.Problems)(nil); errors.As(err, &problems) {
		var lines []string
		for _, p := range problems {
			failed.Problems = append(failed.Problems, admin.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message, Suggestion: p.Suggestion, Excerpt: p.Excerpt})
			lines = append(lines, p.Summary())
		}
		failed.Err = fmt.Errorf("the configuration was not loaded; the old one stays in use: %s", strings.Join(lines, "; "))
	}
	return admin.Reloaded{}, failed
}

// judge explains requests that operators paste, by the configuration in use.
func (s *server) judge() *admin.Judge {
	return &admin.Judge{Config: s.flags.config, Partners: s.partners, Explain: func(text []byte, sender admin.Sender) (*admin.Judged, error) {
		return judge.Explain(&judge.By{
			Engine: s.gateway.Options().Engine, Preset: s.preset(), Config: s.flags.config, Partners: s.partners(), Judge: s.gateway.Judge,
		}, text, sender)
	}}
}

// preset is that of the configuration in use.
func (s *server) preset() string {
	return string(cmp.Or(inspect.Configured(s.scope()).Preset, inspect.PresetDefault))
}
