package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// ruleJSON is a rule as --explain and --list-rules print it with --format json.
type ruleJSON struct {
	ID          string            `json:"id"`
	Summary     string            `json:"summary"`
	Message     string            `json:"message"`
	Object      string            `json:"object"`
	Section     string            `json:"section"`
	Source      string            `json:"source"`
	Level       string            `json:"level"`
	Kind        string            `json:"kind"`
	Scope       string            `json:"scope"`
	Severity    string            `json:"severity"` // as configured
	Presets     map[string]string `json:"presets"`
	Undecidable string            `json:"undecidable,omitempty"`
}

// presetEngines returns an engine for each preset.
func presetEngines() (map[string]*schema.Engine, error) {
	engines := map[string]*schema.Engine{}
	for _, p := range schema.Presets() {
		e, err := schema.New(schema.WithPreset(p))
		if err != nil {
			return nil, err
		}
		engines[string(p)] = e
	}
	return engines, nil
}

func describe(r schema.Rule, e *schema.Engine, presets map[string]*schema.Engine) ruleJSON {
	d := ruleJSON{
		ID: r.ID, Summary: r.Summary, Message: r.Message, Object: r.Object, Section: r.Section, Source: r.Source,
		Level: r.Level, Kind: r.Kind, Scope: r.Scope, Severity: e.Severity(r.ID).Level(), Presets: map[string]string{},
		Undecidable: r.Undecidable,
	}
	for name, p := range presets {
		d.Presets[name] = p.Severity(r.ID).Level()
	}
	return d
}

// sources describes the values of Rule.Source.
var sources = map[string]string{
	"spec":       "the OpenRTB specification",
	"impl-notes": "the implementation notes of the OpenRTB specification",
	"schain":     "the SupplyChain object specification",
	"external":   "a privacy specification outside OpenRTB",
	"derived":    "derived: implied by the specification but not stated in it; findings are advice",
	"contract":   "what rtbwire accepts as JSON",
}

// idMatch is the rule that the ids of response and request are the same.
const idMatch = "BidResponse.id.match"

// explain prints the description of a rule.
func explain(env *cli.Env, e *schema.Engine, format, id string) error {
	rule, known := schema.RuleByID(strings.TrimPrefix(id, "schema.")) // as in reasons of verdicts
	if reason, ours := inspect.ReasonByID(id); !known && ours {
		return explainReason(env, format, &reason)
	}
	if !known {
		return cli.Usagef("unknown rule %q%s; rtbwire check --list-rules prints all rules", id, suggestions(id))
	}
	presets, err := presetEngines()
	if err != nil {
		return err
	}
	d := describe(rule, e, presets)
	if format == "json" {
		return printJSON(env.Stdout, d)
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n\n  %s\n\n", d.ID, d.Summary)
	if d.Undecidable != "" {
		fmt.Fprintf(w, "  Never reported: %s.\n\n", d.Undecidable)
	}
	if d.Scope == "pair" {
		text := "Reported with --pair REQUESTS alone: the rule compares a response with its request."
		if d.ID == idMatch {
			text = "Not reported by this command: --pair finds the request of a response by this id.\n" +
				"  Programs call schema.Checker.Pair."
		}
		fmt.Fprintf(w, "  %s\n\n", text)
	}
	fmt.Fprintf(w, "  Object:\t%s\n  Section:\t%s\n  Source:\t%s\n", d.Object, d.Section, sources[d.Source])
	fmt.Fprintf(w, "  Wording:\t%s (%s)\n  Applies to:\t%s\n", d.Level, d.Kind, d.Scope)
	if d.Undecidable == "" {
		var all []string
		for _, p := range schema.Presets() {
			all = append(all, fmt.Sprintf("%s %s", p, d.Presets[string(p)]))
		}
		fmt.Fprintf(w, "  Severity:\t%s (presets: %s)\n  Message:\t%s\n", d.Severity, strings.Join(all, ", "), d.Message)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, named := inspect.ReasonByID("schema." + d.ID); d.Undecidable == "" && named {
		fmt.Fprintf(&b, "\n  To change its severity, write this to a file for --config:\n\n    version: 1\n    severities:\n      %s: off\n", d.ID)
	}
	_, err = env.Stdout.Write(b.Bytes())
	return err
}

// signalJSON is what --explain says about a signal of fraud besides.
type signalJSON struct {
	Family  string `json:"family"`
	Weight  int    `json:"weight"`
	Needs   string `json:"needs,omitempty"`
	Catches string `json:"catches"`
	Hits    string `json:"hits"`
}

// signal returns the signal of fraud that a reason is about, nil if it is about none.
func signal(id string) *signalJSON {
	for _, s := range fraud.Signals() {
		if fraudPrefix+s.ID == id {
			return &signalJSON{s.Family(), s.Weight, s.Needs, s.Catches, s.Hits}
		}
	}
	return nil
}

// text describes a signal, and how to change its weight.
func (s *signalJSON) text(id string) string {
	if s == nil {
		return ""
	}
	needs := ""
	if s.Needs != "" {
		needs = fmt.Sprintf("  Needs:      %s\n", s.Needs)
	}
	return fmt.Sprintf("  Weight:     %d of %d, in the family %s\n%s  Catches:    %s\n  Hits too:   %s\n\n"+
		"  It can't refuse alone: fraud.score does. docs/fraud.md says how to tune it.\n"+
		"  To change its weight:\n\n    version: 1\n    fraud:\n      weights: {%s: %d}\n\n",
		s.Weight, fraud.ScoreMax, s.Family, needs, s.Catches, s.Hits, strings.TrimPrefix(id, fraudPrefix), s.Weight/2)
}

// explainReason prints the description of a reason that is not about the specification.
func explainReason(env *cli.Env, format string, r *inspect.Reason) error {
	about := signal(r.ID)
	if format == "json" {
		return printJSON(env.Stdout, struct {
			ID        string `json:"id"`
			Summary   string `json:"summary"`
			Inspector string `json:"inspector"`
			Severity  string `json:"severity"`
			NBR       int    `json:"nbr"`
			*signalJSON
		}{r.ID, r.Text, r.Inspector.String(), r.Severity.String(), int(r.NBR), about})
	}
	_, err := fmt.Fprintf(env.Stdout, "%s\n\n  %s\n\n  Inspector:  %s\n  Severity:   %s\n  No-bid:     %d (%s)\n\n%s"+
		"  To change its severity, write this to a file for --config:\n\n    version: 1\n    severities:\n      %[1]s: off\n",
		r.ID, r.Text, r.Inspector, r.Severity, int(r.NBR), inspect.NoBidReasonText(r.NBR), about.text(r.ID))
	return err
}

// suggestionsMax is how many rules are suggested for a wrong id.
const suggestionsMax = 5

// suggestions names rules whose ids resemble an unknown one.
func suggestions(id string) string {
	wanted := strings.ToLower(id)
	object, field, _ := strings.Cut(wanted, ".")
	field, _, _ = strings.Cut(field, ".")
	score := func(candidate string) int {
		c := strings.ToLower(candidate)
		switch {
		case c == wanted:
			return 4
		case strings.Contains(c, wanted):
			return 3
		case field != "" && strings.HasPrefix(c, object+"."+field):
			return 2
		case strings.HasPrefix(c, object+"."):
			return 1
		}
		return 0
	}
	var near []string
	for _, r := range schema.Rules() {
		if score(r.ID) > 0 {
			near = append(near, r.ID)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return score(b) - score(a) })
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near[:min(len(near), suggestionsMax)], ", ")
}

// listRules prints the rules that match one of the patterns, or all without patterns. It omits
// rules that are never reported.
func listRules(env *cli.Env, e *schema.Engine, format string, patterns []string) error {
	presets, err := presetEngines()
	if err != nil {
		return err
	}
	for _, pattern := range patterns {
		if !slices.ContainsFunc(schema.Rules(), func(r schema.Rule) bool { return matchesAny(r.ID, []string{pattern}) }) {
			return cli.Usagef("no rule matches %q; patterns look like 'Imp.*', '*.required' or Imp.id.required", pattern)
		}
	}
	found := []ruleJSON{}
	for _, r := range schema.Rules() {
		if r.Undecidable == "" && matchesAny(r.ID, patterns) {
			found = append(found, describe(r, e, presets))
		}
	}
	if len(found) == 0 {
		return cli.Usagef("the rules that match %s are never reported; --explain tells why", strings.Join(patterns, " "))
	}
	if format == "json" {
		return printJSON(env.Stdout, found)
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "RULE\tSEVERITY\tSECTION\tREQUIREMENT\n")
	for _, r := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.ID, r.Severity, r.Section, r.Summary)
	}
	return w.Flush()
}

// matchesAny reports whether a pattern matches an id, as in a rules file: one * matches any text.
func matchesAny(id string, patterns []string) bool {
	if len(patterns) == 0 {
		return true
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, suffix, star := strings.Cut(pattern, "*")
		if !star {
			return id == pattern
		}
		return len(id) >= len(prefix)+len(suffix) && strings.HasPrefix(id, prefix) && strings.HasSuffix(id, suffix)
	})
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
