package policy

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/review"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/inspect/window"
)

var checkCommand = cli.Command{
	Usage:   "check [flags] FILE",
	Summary: "Check a configuration file and the files it names",
	Help: `Reads a configuration and the files it names: included files, lists, rates, keys. Every problem
is printed with its place, an excerpt and, where possible, the correct spelling.

A valid file gets a summary, and warnings about probable mistakes, such as a partner without
credentials, an empty list, or windows too small for a partner's rate. Warnings do not change the exit status.

Variables that begin with RTBWIRE_ override the file, and the keys of pseudonyms must be set in
the environment.

Exit status: 0 no problems, 1 problems were found, 2 wrong usage, or FILE could not be read.`,
	Examples: `  # check a configuration
  rtbwire policy check rtbwire.yaml

  # the same for a script
  rtbwire policy check --format json rtbwire.yaml | jq .problems`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		format := cli.NewChoice("text", "json")
		flags.VarP(format, "format", "f", "output format")
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("%d files given; check takes one", len(args))
			}
			return check(env, args[0], format.Value == "json")
		}
	},
}

// check checks one file and prints the result.
func check(env *cli.Env, name string, asJSON bool) error {
	if err := readable(name); err != nil {
		return err
	}
	setup, problems := config.Open(name, config.OpenOptions{Environ: env.Environ})
	r, err := newCheckResult(name, setup, problems)
	switch {
	case err != nil:
		return err
	case asJSON:
		err = writeJSON(env.Stdout, r)
	default:
		err = r.writeText(env, problems)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the result: %w", err)
	case len(problems) > 0:
		return cli.ErrRefused
	}
	return nil
}

// checkResult is the result for programs. docs/policy.md documents the names.
type checkResult struct {
	File     string        `json:"file"`
	Problems []problemJSON `json:"problems"`
	Warnings []problemJSON `json:"warnings"`
	Files    []string      `json:"files"`
	Preset   string        `json:"preset"`
	Rules    []ruleJSON    `json:"rules"`
	Scrubs   []scrubJSON   `json:"scrubs"`
	Lists    []listJSON    `json:"lists"`
	Partners []partnerJSON `json:"partners"`
	Windows  []windowJSON  `json:"windows"`
	GeoIP    *geoipJSON    `json:"geoip"`
	Enforce  []enforceJSON `json:"enforce"` // layers that do not enforce everything

	shadow  []string // layers, with what they cover
	enforce []string // layers that do not enforce everything
	reaches []window.Reach
}

type problemJSON struct {
	File       string `json:"file"`
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
	Excerpt    string `json:"excerpt,omitempty"`
}

type ruleJSON struct {
	Name     string  `json:"name"`
	Layer    string  `json:"layer"`
	Severity string  `json:"severity"`
	Shadow   bool    `json:"shadow"`
	Sample   float64 `json:"sample"`
}

type scrubJSON struct {
	Name  string `json:"name"`
	Layer string `json:"layer"`
}

type listJSON struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Entries int    `json:"entries"`
}

type enforceJSON struct {
	Layer         string  `json:"layer"`
	Share         float64 `json:"share"`
	ObserveScrubs bool    `json:"observe_scrubs"`
}

type geoipJSON struct {
	File     string `json:"file"`
	Type     string `json:"type"`
	Built    string `json:"built"`
	Networks int    `json:"networks"`
}

type partnerJSON struct {
	Name       string   `json:"name"`
	Publishers []string `json:"publishers"`
}

// windowJSON says how far back the windows of a gateway remember the ids of a partner.
type windowJSON struct {
	Partner   string  `json:"partner"`
	IDs       int     `json:"ids"`
	Rate      int     `json:"rate"`
	Seconds   float64 `json:"seconds"`
	IDsNeeded int     `json:"ids_needed"`
}

func windowJSONOf(w *window.Reach) windowJSON {
	return windowJSON{w.Partner, w.IDs, w.Rate, w.Time.Seconds(), w.Need}
}

func problemFor(p config.Problem) problemJSON {
	return problemJSON{p.File, p.Line, p.Column, p.Message, p.Suggestion, p.Excerpt}
}

// newCheckResult gathers what there is to say. The setup is nil if there are problems.
func newCheckResult(name string, setup *config.Setup, problems config.Problems) (*checkResult, error) {
	r := &checkResult{
		File: name, Problems: []problemJSON{}, Warnings: []problemJSON{}, Files: []string{}, Rules: []ruleJSON{},
		Scrubs: []scrubJSON{}, Lists: []listJSON{}, Partners: []partnerJSON{}, Windows: []windowJSON{}, Enforce: []enforceJSON{},
	}
	for _, p := range problems {
		r.Problems = append(r.Problems, problemFor(p))
	}
	if setup == nil {
		return r, nil
	}
	c := setup.Config
	r.Files, r.Preset = c.Files, string(inspect.Configured(&c.Scope).Preset)
	var windows *window.Options
	if of, on := gateway.ConfiguredWindows(&c.Scope); on {
		windows = &of
	}
	found, err := review.Of(setup, &c.Scope, windows)
	if err != nil {
		return nil, err
	}
	r.reaches = found.Windows
	for i := range found.Windows {
		r.Windows = append(r.Windows, windowJSONOf(&found.Windows[i]))
	}
	for _, w := range found.Warnings {
		r.Warnings = append(r.Warnings, problemFor(w.Place.Problem("", w.Message)))
	}
	for _, own := range lists.Configured(&c.Scope) {
		list := setup.Lists.List(own.Name)
		r.Lists = append(r.Lists, listJSON{list.Name(), string(list.Kind()), list.Status().Entries})
	}
	if setup.GeoIP != nil {
		db := setup.GeoIP.Database()
		r.GeoIP = &geoipJSON{geoip.Configured(&c.Scope).Name, db.Type(), db.Built().UTC().Format(time.DateOnly), db.Networks()}
	}
	r.layer(config.GlobalLayer, &c.Scope)
	for _, p := range c.Scope.Inner {
		partner := partnerJSON{p.Name, []string{}}
		r.layer(config.PartnerLayer(p.Name), p)
		for _, publisher := range p.Inner {
			partner.Publishers = append(partner.Publishers, publisher.Name)
			r.layer(config.PublisherLayer(p.Name, publisher.Name), publisher)
		}
		r.Partners = append(r.Partners, partner)
	}
	return r, nil
}

// layer adds the rules and scrubs of a layer.
func (r *checkResult) layer(name string, scope *config.Scope) {
	l := inspect.ConfiguredLayer(scope)
	if l.Shadow {
		r.shadow = append(r.shadow, covered(name, scope))
	}
	if l.Enforce != nil && *l.Enforce < 1 || l.ObserveScrubs {
		own := enforceJSON{name, 1, l.ObserveScrubs}
		if l.Enforce != nil {
			own.Share = *l.Enforce
		}
		r.Enforce = append(r.Enforce, own)
		r.enforce = append(r.enforce, own.text())
	}
	for i := range l.Rules {
		own := &l.Rules[i]
		r.Rules = append(r.Rules, ruleJSON{own.Name, name, own.Severity.String(), own.Shadow, own.Sample})
	}
	scrubs := scrub.Configured(scope)
	for i := range scrubs {
		r.Scrubs = append(r.Scrubs, scrubJSON{scrub.ConfiguredName(scrubs, i), name})
	}
}

// covered says what a layer in shadow has no effect of. The layers outside of it refuse as ever.
func covered(name string, scope *config.Scope) string {
	if name == config.GlobalLayer {
		return name + ": everything, the preset and all partners with it"
	}
	l := inspect.ConfiguredLayer(scope)
	var parts []string
	for _, own := range []struct {
		n    int
		what string
	}{{len(l.Rules), "rule"}, {len(l.Severities), "severity setting"}, {len(l.Scrubs), "scrub"}, {len(scope.Inner), "publisher"}} {
		if own.n > 0 {
			parts = append(parts, count(own.n, own.what))
		}
	}
	return fmt.Sprintf("%s: %s; the layers outside refuse as ever (enforce: 0%% observes all layers)", name, cmp.Or(strings.Join(parts, ", "), "nothing of its own"))
}

// text says what of a layer's requests is enforced.
func (e *enforceJSON) text() string {
	var parts []string
	if e.Share < 1 {
		parts = append(parts, percent(e.Share)+" of requests")
	}
	if e.ObserveScrubs {
		parts = append(parts, "scrubs are observed")
	}
	return e.Layer + ": " + strings.Join(parts, ", ")
}

// writeText prints the result for people.
func (r *checkResult) writeText(env *cli.Env, problems config.Problems) error {
	var b bytes.Buffer
	if len(problems) > 0 {
		for _, p := range problems {
			fmt.Fprintln(&b, p.String())
		}
		fmt.Fprintln(&b, count(len(problems), "problem"))
		_, err := env.Stdout.Write(b.Bytes())
		return err
	}
	line := func(key, value string) { fmt.Fprintf(&b, "  %-9s %s\n", key, value) }
	fmt.Fprintf(&b, "%s: no problems\n", r.File)
	line("files", strings.Join(r.Files, ", "))
	line("preset", r.Preset)
	line("rules", r.rulesText())
	line("scrubs", r.scrubsText())
	var listed, partners []string
	for _, l := range r.Lists {
		entries := count(l.Entries, "entry")
		if l.Entries != 1 {
			entries = fmt.Sprintf("%d entries", l.Entries)
		}
		listed = append(listed, fmt.Sprintf("%s (%s, %s)", l.Name, l.Kind, entries))
	}
	for _, p := range r.Partners {
		text := p.Name
		if len(p.Publishers) > 0 {
			text += " (publishers " + strings.Join(p.Publishers, ", ") + ")"
		}
		partners = append(partners, text)
	}
	line("lists", orNone(listed))
	line("partners", orNone(partners))
	for i := range r.reaches {
		line("windows", review.Line(&r.reaches[i]))
	}
	if g := r.GeoIP; g != nil {
		line("geoip", fmt.Sprintf("%s (%s of %s, %s)", g.File, report.Visible(g.Type), g.Built, count(g.Networks, "network")))
	}
	for _, layer := range r.shadow {
		line("shadow", layer)
	}
	for _, layer := range r.enforce {
		line("enforce", layer)
	}
	for _, w := range r.Warnings {
		p := config.Problem{File: w.File, Line: w.Line, Column: w.Column, Message: "warning: " + w.Message}
		fmt.Fprintln(&b, p.Summary())
	}
	_, err := env.Stdout.Write(b.Bytes())
	return err
}

// rulesText counts the rules by severity.
func (r *checkResult) rulesText() string {
	if len(r.Rules) == 0 {
		return "none"
	}
	counts, shadow := map[string]int{}, 0
	for i := range r.Rules {
		counts[r.Rules[i].Severity]++
		if r.Rules[i].Shadow {
			shadow++
		}
	}
	var parts []string
	for s := inspect.Refuse + 1; s > inspect.Off; s-- {
		if word := (s - 1).String(); counts[word] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[word], word))
		}
	}
	text := fmt.Sprintf("%d: %s", len(r.Rules), strings.Join(parts, ", "))
	if shadow > 0 {
		text += fmt.Sprintf(" (%d in shadow)", shadow)
	}
	return text
}

func (r *checkResult) scrubsText() string {
	var names []string
	for _, s := range r.Scrubs {
		names = append(names, s.Name)
	}
	return orNone(names)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
