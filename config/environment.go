package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// The environment overrides single values: the name of a variable is EnvironmentPrefix and the
// path of the key in capitals, joined with underscores. An empty variable counts as unset.

// EnvironmentPrefix begins the names of variables that override the file.
const EnvironmentPrefix = "RTBWIRE_"

// AdminTokens is the variable that has tokens for the port of administration, with white space
// between them.
const AdminTokens = EnvironmentPrefix + "ADMIN_TOKEN"

// environmentOthers are variables with the prefix that are not keys.
var environmentOthers = []string{"RTBWIRE_CONFIG", AdminTokens}

// serviceLink matches the variables that Kubernetes gives to all pods if a service is called
// rtbwire, or rtbwire-something: RTBWIRE_SERVICE_HOST, RTBWIRE_PORT_8080_TCP_ADDR.
var serviceLink = regexp.MustCompile(`^RTBWIRE_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// environmentKeys returns the paths of the keys that have a variable, by the names of the
// variables: those with a single value that are not inside lists or maps.
func environmentKeys() map[string][]string {
	keys := map[string][]string{}
	var visit func(shape *setting.Shape, path []string)
	visit = func(shape *setting.Shape, path []string) {
		for _, key := range shape.Keys {
			inner := append(slices.Clone(path), key.Name)
			switch key.Shape.Kind {
			case setting.AnObject:
				visit(key.Shape, inner)
			case setting.AText, setting.ABool, setting.AnInteger, setting.ASize, setting.ANumber, setting.AWord, setting.AChoice:
				single := key.Shape.Kind != setting.AChoice || slices.ContainsFunc(key.Shape.Choices, func(c *setting.Shape) bool { return c.Kind == setting.AText })
				if single && key.Name != "version" && key.Name != "include" {
					keys[EnvironmentPrefix+strings.ToUpper(strings.Join(inner, "_"))] = inner
				}
			}
		}
	}
	visit(root().Shape, nil)
	return keys
}

// overridden reports whether a variable is that of a key.
func overridden(environ []string) bool {
	keys := environmentKeys()
	return slices.ContainsFunc(environ, func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return keys[name] != nil && value != ""
	})
}

// override replaces values by those of the environment.
func (l *loader) override(n *setting.Node) {
	keys := environmentKeys()
	for _, variable := range l.options.Environ {
		name, value, _ := strings.Cut(variable, "=")
		if path := keys[name]; path != nil && value != "" {
			overrideKey(n, path, name, value)
		}
	}
}

// overrideKey sets the value of a key, and makes the mappings around it.
func overrideKey(n *setting.Node, path []string, variable, value string) {
	for i, key := range path {
		last := i == len(path)-1
		m := n.Member(key)
		if m == nil {
			n.Members = append(n.Members, setting.Member{
				Key:   setting.NewScalar(variable, key),
				Value: &setting.Node{Kind: setting.Mapping, Source: setting.NewSource(variable, value)},
			})
			m = &n.Members[len(n.Members)-1]
		}
		switch {
		case last:
			m.Value = setting.NewScalar(variable, value)
		case m.Value.Kind != setting.Mapping:
			return // the file is wrong there, which the decoder says
		default:
			copied := *m.Value
			copied.Members = slices.Clone(copied.Members)
			m.Value, n = &copied, &copied
		}
	}
}

// formerVariables returns the variables of names that keys no longer have, and those of their
// names now.
func formerVariables() map[string]string {
	former := map[string]string{}
	var visit func(shape *setting.Shape, prefix string)
	visit = func(shape *setting.Shape, prefix string) {
		for _, key := range shape.Keys {
			name := prefix + strings.ToUpper(key.Name)
			for _, was := range key.Was {
				former[prefix+strings.ToUpper(was)] = name
			}
			if key.Shape.Kind == setting.AnObject {
				visit(key.Shape, name+"_")
			}
		}
	}
	visit(root().Shape, EnvironmentPrefix)
	return former
}

// checkEnvironment reports variables with our prefix that mean nothing: they are probably misspelt.
// Their values may be secret and are not shown.
func (l *loader) checkEnvironment(c *Config) {
	known := slices.Clone(environmentOthers)
	for name := range environmentKeys() {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, variable := range l.options.Environ {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, EnvironmentPrefix) || slices.Contains(known, name) ||
			slices.Contains(c.variables, name) || serviceLink.MatchString(name) {
			continue
		}
		if now := formerVariables()[name]; now != "" {
			l.reader.Report(Problem{File: name, Message: "this environment variable has another name now", Suggestion: now})
			continue
		}
		l.reader.Report(Problem{File: name, Message: "no key has this environment variable", Suggestion: nearest.Name(name, known)})
	}
}
