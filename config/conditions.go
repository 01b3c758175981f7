package config

import (
	"github.com/rtbwire/rtbwire/inspect/lists"
	cel "github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/inspect/rule"
)

// CEL compiles conditions in CEL with package condition. The zero value is for checking: its lists
// are empty, and no currency but USD has a rate.
type CEL struct {
	// Lists are the lists of the configuration.
	Lists *lists.Set
	// Rates are the values of currencies in US dollars.
	Rates map[string]float64

	env *cel.Env
}

// Compile compiles a condition. The options are the same for all conditions of a configuration,
// but for [ConditionOptions.Interpreted].
func (c *CEL) Compile(source string, o ConditionOptions) (rule.Condition, []ConditionIssue) {
	if c.env == nil {
		env, err := cel.NewEnv(cel.Options{Lists: c.matchers(o), Rates: c.Rates})
		if err != nil {
			return nil, []ConditionIssue{{Message: err.Error()}}
		}
		c.env = env
	}
	var options []cel.Option
	if o.Interpreted {
		options = append(options, cel.Interpreted)
	}
	compiled, issues := c.env.Compile(source, options...)
	if len(issues) == 0 {
		return compiled, nil
	}
	var list []ConditionIssue
	for _, i := range issues {
		list = append(list, ConditionIssue{Offset: i.Offset, Length: i.Length, Message: i.Message, Suggestion: i.Suggestion})
	}
	return nil, list
}

// matchers returns the lists that conditions can name.
func (c *CEL) matchers(o ConditionOptions) map[string]cel.Matcher {
	matchers := map[string]cel.Matcher{}
	for name := range o.Lists {
		matchers[name] = empty{}
		if c.Lists != nil {
			if list := c.Lists.List(name); list != nil {
				matchers[name] = list
			}
		}
	}
	return matchers
}

// empty is a list without entries.
type empty struct{}

func (empty) Match(string) bool { return false }
