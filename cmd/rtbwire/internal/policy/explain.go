package policy

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/scoring"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/explanation"
)

var explainCommand = cli.Command{
	Usage:   "explain [flags] FILE [REQUEST]",
	Summary: "Explain how each rule and scrub judges one request",
	Help: `Prints how the configuration FILE judges one bid request: the layers that apply, the result of
every rule in order, with the reason, the edits of scrubs, the signals of the fraud score, and
the verdict. Without REQUEST, or if it is -, standard input is read.

The operands of && and || in a condition are shown with their values. Nothing of the request is
printed except paths.

"rtbwire explain --config" prints the verdict alone, with all findings and their places.

Exit status: 0 the request is forwarded, 1 it is refused, 2 wrong usage, a problem in the
configuration, or unreadable input.`,
	Examples: `  # explain what the rules say about a request
  rtbwire policy explain rtbwire.yaml < request.json

  # the same for a partner's request
  rtbwire policy explain --partner exchange-a --peer 192.0.2.1 rtbwire.yaml request.json`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		format := cli.NewChoice("text", "json")
		flags.VarP(format, "format", "f", "output format")
		facts := request.NewFacts(flags)
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return cli.Usagef("%d files given; explain takes a configuration and one request", len(args))
			}
			return explain(env, args[0], args[1:], facts, format.Value == "json")
		}
	},
}

// explain explains one request.
func explain(env *cli.Env, name string, args []string, flags *request.Facts, asJSON bool) error {
	setup, err := open(env, name)
	if err != nil {
		return err
	}
	facts, err := flags.Facts(setup.Config)
	if err != nil {
		return err
	}
	file, body, err := request.Read(env, args, batch.MaxDocumentLimit)
	if err != nil {
		return err
	}
	trace, err := setup.Trace(body, facts)
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(env.Stdout, newTraceJSON(file, name, trace))
	} else {
		_, err = env.Stdout.Write(traceText(file, name, trace))
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the explanation: %w", err)
	case trace.Verdict.Action == inspect.ActionRefuse:
		return cli.ErrRefused
	}
	return nil
}

// traceText writes a trace for people.
func traceText(file, name string, t *config.Trace) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s under %s: %s\n", report.Visible(file), report.Visible(name), decisionText(&t.Verdict.Decision))
	if t.Verdict.Observed != nil {
		fmt.Fprintf(&b, "if everything was enforced: %s\n", decisionText(&t.Verdict.Observed.Decision))
	}
	if t.Verdict.Shadow != nil {
		fmt.Fprintf(&b, "if nothing was in shadow: %s\n", decisionText(&t.Verdict.Shadow.Decision))
	}
	b.WriteString("\nlayers\n")
	for i := range t.Layers {
		l := &t.Layers[i]
		fmt.Fprintf(&b, "  %-11s  %s%s%s", l.State, l.Name, shareText("sample", l.Sample), shareText("enforce", l.Enforce))
		if l.ObserveScrubs {
			b.WriteString(", scrubs are observed")
		}
		b.WriteByte('\n')
	}
	if !t.Decoded {
		fmt.Fprintf(&b, "\nno rule was asked: the request can't be decoded (%s)\n", t.Verdict.Findings[0].ID)
		return b.Bytes()
	}
	b.WriteString("\nrules\n")
	for i := range t.Rules {
		ruleText(&b, &t.Rules[i])
	}
	if len(t.Rules) == 0 {
		b.WriteString("  none\n")
	}
	if len(t.Scrubs) > 0 {
		b.WriteString("\nscrubs\n")
	}
	for i := range t.Scrubs {
		scrubText(&b, &t.Scrubs[i], t.Verdict.Observed != nil && t.Verdict.Action == inspect.ActionForward)
	}
	scoring.Append(&b, &t.Score, scoring.Options{Title: "score"})
	if t.Shadow != nil && !reflect.DeepEqual(*t.Shadow, t.Score) {
		scoring.Append(&b, t.Shadow, scoring.Options{Title: "score if nothing was in shadow"})
	}
	fmt.Fprintf(&b, "\nplace in samples: %s", strconv.FormatFloat(t.Sample, 'f', 4, 64))
	if t.Enforced < 1 {
		where := "inside"
		if t.Sample >= t.Enforced {
			where = "outside"
		}
		fmt.Fprintf(&b, ", %s of the %s that are enforced", where, percent(t.Enforced))
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func decisionText(d *inspect.Decision) string {
	if d.Action == inspect.ActionForward {
		return d.Action.String()
	}
	return fmt.Sprintf("%s for %s, nbr %d (%s)", d.Action, d.Reason, int(d.NBR), inspect.NoBidReasonText(d.NBR))
}

func shareText(what string, share float64) string {
	if share == 1 {
		return ""
	}
	return ", " + what + " " + percent(share)
}

// percent writes a share as a configuration has it.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e12)/1e10, 'f', -1, 64) + "%"
}

// ruleText writes a rule: what it says, and why.
func ruleText(b *bytes.Buffer, r *config.RuleTrace) {
	answer, notes := string(r.Answer), []string{r.Layer}
	switch {
	case answer == "" && (r.State == config.StateOff || r.State == config.StateNotSampled):
		answer = string(r.State)
	case r.State == config.StateShadow:
		notes = append(notes, "in shadow")
	}
	if r.Answer == config.Holds {
		notes = append(notes, r.Severity.String())
	}
	fmt.Fprintf(b, "  %-13s  %s (%s)\n", answer, r.ID, strings.Join(notes, ", "))
	partText(b, &r.Condition, "    ")
}

// partText writes a condition, or its parts, with their values.
func partText(b *bytes.Buffer, p *config.PartTrace, indent string) {
	if p.Source == "" {
		return
	}
	value := map[config.Answer]string{config.Holds: "true", config.HoldsNot: "false", config.HasNoValue: "error", config.NotAsked: "?"}[p.Answer]
	text := report.Visible(p.Source)
	switch {
	case p.Operator == "&&":
		text = "all of"
	case p.Operator == "||":
		text = "any of"
	case p.Err != nil:
		text += ": " + plain(p.Err)
	}
	fmt.Fprintf(b, "%s%-5s  %s\n", indent, value, text)
	for i := range p.Parts {
		partText(b, &p.Parts[i], indent+"  ")
	}
}

// plain returns an error's text without the name of the package it is from.
func plain(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "condition: "), "scrub: ")
}

// scrubText writes a scrub: whether it is applied, why, and where.
func scrubText(b *bytes.Buffer, s *config.ScrubTrace, observed bool) {
	outcome, notes := "not applied", []string{s.Layer}
	switch {
	case s.Applied:
		outcome = "applied"
	case s.State != config.StateLive:
		notes = append(notes, string(s.State))
	case observed:
		notes = append(notes, "scrubs are observed")
	case s.Answer == config.Holds || s.Answer == config.HasNoValue:
		notes = append(notes, "the request is refused")
	}
	fmt.Fprintf(b, "  %-13s  %s (%s)\n", outcome, s.Name, strings.Join(notes, ", "))
	partText(b, &s.Condition, "    ")
	if s.Edits != nil && len(s.Edits) == 0 {
		b.WriteString("    there is nothing to change\n")
	}
	for _, e := range s.Edits {
		fmt.Fprintf(b, "    %s %s\n", editText(&e), report.Visible(e.Path))
	}
	if s.Err != nil && s.Condition.Err == nil {
		fmt.Fprintf(b, "    the request can't be scrubbed: %s\n", plain(s.Err))
	}
}

func editText(e *config.EditTrace) string {
	if e.Removed {
		return "remove"
	}
	return "replace"
}

// traceJSON is a trace for programs. docs/policy.md documents the names.
type traceJSON struct {
	File    string       `json:"file"`
	Config  string       `json:"config"`
	Verdict decisionJSON `json:"verdict"`
	// Observed is null if everything is enforced, Shadow if nothing is in shadow.
	Observed *decisionJSON    `json:"observed"`
	Shadow   *decisionJSON    `json:"shadow"`
	Decoded  bool             `json:"decoded"`
	Sample   float64          `json:"sample"`
	Layers   []layerJSON      `json:"layers"`
	Rules    []ruleTraceJSON  `json:"rules"`
	Scrubs   []scrubTraceJSON `json:"scrubs"`
}

type decisionJSON struct {
	Action string            `json:"action"`
	Reason string            `json:"reason"`
	NBR    *int              `json:"nbr"` // null if forwarded
	Fraud  explanation.Score `json:"fraud"`
}

type layerJSON struct {
	Name          string  `json:"name"`
	State         string  `json:"state"`
	Sample        float64 `json:"sample"`
	Enforce       float64 `json:"enforce"`
	ObserveScrubs bool    `json:"observe_scrubs"`
}

type ruleTraceJSON struct {
	ID        string    `json:"id"`
	Layer     string    `json:"layer"`
	State     string    `json:"state"`
	Severity  string    `json:"severity"`
	Answer    string    `json:"answer"`
	Error     string    `json:"error,omitempty"`
	Condition *partJSON `json:"condition,omitempty"`
}

type partJSON struct {
	Source   string     `json:"source"`
	Answer   string     `json:"answer"`
	Error    string     `json:"error,omitempty"`
	Operator string     `json:"operator,omitempty"`
	Parts    []partJSON `json:"parts,omitempty"`
}

type scrubTraceJSON struct {
	Name      string     `json:"name"`
	Layer     string     `json:"layer"`
	State     string     `json:"state"`
	Answer    string     `json:"answer"`
	Error     string     `json:"error,omitempty"`
	Condition *partJSON  `json:"condition,omitempty"`
	Applied   bool       `json:"applied"`
	Edits     []editJSON `json:"edits"`
}

type editJSON struct {
	Action string `json:"action"`
	Path   string `json:"path"`
}

func newTraceJSON(file, name string, t *config.Trace) *traceJSON {
	out := &traceJSON{
		File: file, Config: name, Verdict: newDecisionJSON(&t.Verdict.Decision, &t.Score), Decoded: t.Decoded, Sample: t.Sample,
		Layers: []layerJSON{}, Rules: []ruleTraceJSON{}, Scrubs: []scrubTraceJSON{},
	}
	if t.Verdict.Observed != nil {
		observed := newDecisionJSON(&t.Verdict.Observed.Decision, &t.Score)
		out.Observed = &observed
	}
	if t.Verdict.Shadow != nil {
		shadow := newDecisionJSON(&t.Verdict.Shadow.Decision, t.Shadow)
		out.Shadow = &shadow
	}
	for _, l := range t.Layers {
		out.Layers = append(out.Layers, layerJSON{l.Name, string(l.State), l.Sample, l.Enforce, l.ObserveScrubs})
	}
	for i := range t.Rules {
		r := &t.Rules[i]
		out.Rules = append(out.Rules, ruleTraceJSON{
			r.ID, r.Layer, string(r.State), r.Severity.String(), string(r.Answer), errorText(r.Err), newPartJSON(&r.Condition),
		})
	}
	for i := range t.Scrubs {
		s := &t.Scrubs[i]
		edits := []editJSON{}
		for _, e := range s.Edits {
			edits = append(edits, editJSON{editText(&e), e.Path})
		}
		out.Scrubs = append(out.Scrubs, scrubTraceJSON{
			s.Name, s.Layer, string(s.State), string(s.Answer), errorText(s.Err), newPartJSON(&s.Condition), s.Applied, edits,
		})
	}
	return out
}

func newDecisionJSON(d *inspect.Decision, s *inspect.Scoring) decisionJSON {
	out := decisionJSON{Action: d.Action.String(), Reason: d.Reason, Fraud: explanation.NewScore(s, nil)}
	if d.Action == inspect.ActionRefuse {
		nbr := int(d.NBR)
		out.NBR = &nbr
	}
	return out
}

func newPartJSON(p *config.PartTrace) *partJSON {
	if p.Source == "" {
		return nil
	}
	out := &partJSON{Source: p.Source, Answer: string(p.Answer), Error: errorText(p.Err), Operator: p.Operator}
	for i := range p.Parts {
		out.Parts = append(out.Parts, *newPartJSON(&p.Parts[i]))
	}
	return out
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return plain(err)
}
