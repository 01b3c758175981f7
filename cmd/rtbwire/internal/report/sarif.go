package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// SARIFResultsMax is how many results a SARIF report holds. Services that show SARIF refuse
// more than 25,000 and show 5,000; the most severe are kept, and a notification in the report
// counts the others.
const SARIFResultsMax = 5000

// sarifReport is a SARIF 2.1.0 log with one run, for code scanning services.
type sarifReport struct {
	w       io.Writer
	o       Options
	rules   rules
	index   map[string]int // of ids in used
	used    []sarifRule
	results [schema.Error + 1][]sarifResult
	total   int
	notes   []sarifNotification
}

func newSARIF(w io.Writer, o Options) Report {
	return &sarifReport{w: w, o: o, rules: newRules(o), index: map[string]int{}}
}

// The parts of the SARIF object model that reports use, with the standard's names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string      `json:"id"`
		ShortDescription sarifText   `json:"shortDescription"`
		Help             sarifText   `json:"help"`
		Default          sarifConfig `json:"defaultConfiguration"`
		Properties       sarifTags   `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifTags struct {
		Tags []string `json:"tags"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int64 `json:"startLine"`
		StartColumn int64 `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
)

// sarifLevels are the words of the standard for severities.
var sarifLevels = [...]string{schema.Off: "none", schema.Info: "note", schema.Warn: "warning", schema.Error: "error"}

func (s *sarifReport) Document(r *batch.Result) error {
	for i := range r.Findings {
		f := &r.Findings[i]
		s.total++
		if len(s.results[f.Severity]) == SARIFResultsMax {
			continue
		}
		place := sarifLocation{Physical: sarifPhysical{sarifArtifact{fileURI(r.Input)}, sarifRegion{f.Line, f.Column}}}
		if f.Path != "" {
			place.Logical = []sarifLogical{{FullyQualifiedName: f.Path, Kind: "value"}}
		}
		s.results[f.Severity] = append(s.results[f.Severity], sarifResult{
			RuleID: f.ID, RuleIndex: s.rule(f.ID), Level: sarifLevels[f.Severity],
			Message:   sarifText{fmt.Sprintf("%s at %s of document %d", f.Message, orRoot(f.Path), r.Number)},
			Locations: []sarifLocation{place},
		})
	}
	s.total += r.Dropped
	return nil
}

// rule returns the index of a rule in the list of those that are used.
func (s *sarifReport) rule(id string) int {
	i, known := s.index[id]
	if !known {
		rule := s.rules.get(id)
		help := withReference(rule.Summary, rule)
		if _, always := inspect.ReasonByID(id); always || rule.Source != "" {
			help = strings.TrimSuffix(help, ".") + ". More: rtbwire check --explain " + id
		}
		i = len(s.used)
		s.index[id] = i
		s.used = append(s.used, sarifRule{
			ID: id, ShortDescription: sarifText{rule.Summary},
			Help:       sarifText{help},
			Default:    sarifConfig{sarifLevels[rule.Severity]},
			Properties: sarifTags{slices.DeleteFunc([]string{rule.Kind, rule.Source}, func(tag string) bool { return tag == "" })},
		})
	}
	return i
}

// fileURI turns a file's name into the URI reference that SARIF wants.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

func (s *sarifReport) Input(in *batch.InputStats) error {
	if in.Err != nil {
		s.notes = append(s.notes, sarifNotification{"error", sarifText{in.Err.Error()}})
	}
	return nil
}

func (s *sarifReport) End(sum *Summary) error {
	results := []sarifResult{}
	for _, severity := range severities {
		room := SARIFResultsMax - len(results)
		results = append(results, s.results[severity][:min(room, len(s.results[severity]))]...)
	}
	if lost := s.total - len(results); lost > 0 {
		s.notes = append(s.notes, sarifNotification{"warning", sarifText{fmt.Sprintf(
			"%d of %d results are left out; a report holds the %d most severe, and a document those that --max-findings allows",
			lost, s.total, SARIFResultsMax)}})
	}
	if sum.Pairs != nil {
		s.notes = append(s.notes, sarifNotification{"note", sarifText{"pairs: " + sum.Pairs.String()}})
	}
	if s.used == nil {
		s.used = []sarifRule{}
	}
	e := json.NewEncoder(s.w)
	e.SetIndent("", " ")
	return e.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:        sarifTool{sarifDriver{"rtbwire", s.o.Version, s.used}},
			Invocations: []sarifInvocation{{sum.Failed == 0, s.notes}},
			ColumnKind:  "unicodeCodePoints",
			Results:     results,
		}},
	})
}
