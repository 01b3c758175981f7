package config

import (
	"github.com/rtbwire/rtbwire/inspect/lists"
	cel "github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Conditions compile conditions. [CEL] has the ones of the program.
type Conditions interface {
	// Compile compiles a condition. If there is an issue, the condition is nil.
	Compile(source string, o ConditionOptions) (rule.Condition, []cel.Issue)
}

// ConditionOptions are what a condition can refer to.
type ConditionOptions struct {
	// Lists are the kinds of the lists by name.
	Lists map[string]lists.Kind
	// Rates is whether there are exchange rates.
	Rates bool
	// Interpreted lets the interpreter evaluate what can't be compiled.
	Interpreted bool
}

// CEL compiles conditions in CEL with package policy. The zero value is for checking: its lists and
// rates are not loaded.
type CEL struct {
	// Lists are the lists of the configuration.
	Lists *lists.Set
	// Rates are the values of currencies in US dollars.
	Rates map[string]float64

	env *cel.Env
}

// Compile compiles a condition. The options are the same for all conditions of a configuration,
// but for [ConditionOptions.Interpreted].
func (c *CEL) Compile(source string, o ConditionOptions) (rule.Condition, []cel.Issue) {
	if c.env == nil {
		env, err := cel.NewEnv(cel.Options{Lists: c.matchers(o), Rates: c.Rates})
		if err != nil {
			return nil, []cel.Issue{{Message: err.Error()}}
		}
		c.env = env
	}
	compiled, issues := c.env.Compile(source, celOptions(o.Interpreted)...)
	if len(issues) > 0 {
		return nil, issues // not a condition that is a nil pointer
	}
	return compiled, nil
}

func celOptions(interpreted bool) []cel.Option {
	if interpreted {
		return []cel.Option{cel.Interpreted}
	}
	return nil
}

// matchers returns the lists that conditions can name.
func (c *CEL) matchers(o ConditionOptions) map[string]cel.Matcher {
	matchers := map[string]cel.Matcher{}
	for name := range o.Lists {
		matchers[name] = nil // not loaded
		if c.Lists != nil {
			if list := c.Lists.List(name); list != nil {
				matchers[name] = list
			}
		}
	}
	return matchers
}

// conditionOptions are what conditions of the configuration can refer to.
func (c *Config) conditionOptions() ConditionOptions {
	o := ConditionOptions{Lists: map[string]lists.Kind{}}
	for _, l := range lists.Configured(&c.Scope) {
		o.Lists[l.Name] = l.Kind
	}
	_, o.Rates = rates.Configured(&c.Scope)
	return o
}

// condition is a condition of the configuration, and where its compiled form belongs.
type condition struct {
	source *rule.Source
	when   *rule.Condition
}

// conditions returns all conditions, outer layers first, those of rules before those of scrubs.
func (c *Config) conditions() (list []condition) {
	add := func(source *rule.Source, when *rule.Condition) {
		if source.Text != "" {
			list = append(list, condition{source, when})
		}
	}
	for _, layer := range c.Scope.Layers() {
		rules, scrubs := rule.Configured(layer), scrub.Configured(layer)
		for i := range rules {
			add(&rules[i].Source, &rules[i].When)
		}
		for i := range scrubs {
			add(&scrubs[i].Source, &scrubs[i].When)
		}
	}
	return list
}

// Compile compiles all conditions. It is for programs that have to open lists and rates first;
// others give Load their [Options.Conditions].
func (c *Config) Compile(conditions Conditions) Problems {
	var r setting.Reader
	o := c.conditionOptions()
	for _, own := range c.conditions() {
		o.Interpreted = own.source.Interpreted
		compiled, issues := conditions.Compile(own.source.Text, o)
		for _, issue := range issues {
			r.Report(own.source.Place.Node().ProblemAt(issue.Offset, issue.Length, issue.Suggestion, "%s", issue.Message))
		}
		if *own.when = compiled; len(issues) > 0 {
			*own.when = nil
		}
	}
	return r.Problems()
}
