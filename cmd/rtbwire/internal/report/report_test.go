package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/junit"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// finding is a finding of a real rule.
func finding(id string, severity schema.Severity, line int64) batch.Located {
	return batch.Located{
		Finding: schema.Finding{ID: id, Severity: severity, Message: "expected something", Path: "/imp/0/id", Offset: 5}, Line: line, Column: 4,
	}
}

// result is a document with findings.
func result(file string, number int64, findings ...batch.Located) *batch.Result {
	r := &batch.Result{
		Input:    file,
		Document: batch.Document{Data: []byte(`{"a":"<b>"}`), Number: number, Offset: 100 * number, Line: number, Column: 1},
		Findings: findings,
	}
	for _, f := range findings {
		r.Counts[f.Severity]++
	}
	return r
}

// count counts findings like [batch.Tally], of rules by any name.
func count(tally map[tallyKey]*schema.RuleCount, r *batch.Result) {
	before := map[tallyKey]bool{}
	for _, f := range r.Findings {
		key := tallyKey{f.ID, f.Severity}
		if tally[key] == nil {
			tally[key] = &schema.RuleCount{ID: f.ID, Severity: f.Severity}
		}
		tally[key].Findings++
		if !before[key] {
			before[key] = true
			tally[key].Reports++
		}
	}
}

// totals returns what was counted.
func totals(tally map[tallyKey]*schema.RuleCount) []RuleTotal {
	var counts []schema.RuleCount
	for _, c := range tally {
		counts = append(counts, *c)
	}
	return RuleTotals(counts, nil)
}

// write makes a report of documents and inputs, in the way the verb does.
func write(t *testing.T, format string, docs []*batch.Result, inputs ...*batch.InputStats) string {
	t.Helper()
	var out bytes.Buffer
	r, err := New(format, &out, Options{Version: "v1.2.3", Spec: "2.6", Config: "preset strict", Summary: true})
	if err != nil {
		t.Fatal(err)
	}
	tally, sum := map[tallyKey]*schema.RuleCount{}, &Summary{Elapsed: 2 * time.Second}
	for _, d := range docs {
		count(tally, d)
		sum.Documents++
		sum.Flagged++
		if !d.Valid() {
			sum.Invalid++
		}
		for i, n := range d.Counts {
			sum.Findings[i] += int64(n)
		}
		sum.Dropped += int64(d.Dropped)
		if err := r.Document(d); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range inputs {
		sum.Inputs++
		if in.Err != nil {
			sum.Failed++
		}
		if err := r.Input(in); err != nil {
			t.Fatal(err)
		}
	}
	sum.Bytes, sum.Rules = 4_000_000, totals(tally)
	if err := r.End(sum); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostile are names that have to survive every format.
const hostile = "a\"b\\c\x1b[31m<script>&'\u2028\xff ]]> ä😀\n.json"

var errGone = errors.New("gone")

// samples are findings of all severities, in documents with hostile names.
func samples() []*batch.Result {
	evil := finding("Banner.w.range", schema.Warn, 2)
	evil.Path = "/" + hostile
	unplaced := finding("BidRequest.user.recommended", schema.Info, 2)
	unplaced.Offset, unplaced.Path = -1, ""
	second := result(hostile, 2, evil, unplaced)
	second.Dropped = 7
	return []*batch.Result{result("first.json", 1, finding("Imp.id.required", schema.Error, 1), finding(batch.RuleDocumentSize, schema.Error, 1)), second}
}

func sampleInputs() []*batch.InputStats {
	return []*batch.InputStats{
		{Name: "first.json", Counts: batch.Counts{Documents: 1, Invalid: 1}},
		{Name: hostile, Counts: batch.Counts{Documents: 1}, Err: &batch.InputError{Input: hostile, Bytes: 9, Line: 3, Err: errGone}},
	}
}

func TestUnknownFormat(t *testing.T) {
	if r, err := New("yaml", nil, Options{}); err == nil {
		t.Errorf("got %v", r)
	}
}

// TestJSON reads the report back and compares it with what was put in.
func TestJSON(t *testing.T) {
	var got struct {
		Version string
		Valid   *bool
		Tool    struct{ Name, Version string }
		Issues  []struct {
			ID, Severity, Message, Path, Section, Source, File, Type string
			Offset                                                   *int
			Line, Column, Document                                   int64
			DocumentOffset                                           int64 `json:"document_offset"`
		}
		Documents     map[string]int64
		IssuesDropped int64 `json:"issues_dropped"`
		Files         []struct{ File, Error string }
		Summary       struct {
			Findings map[string]int64
			Rules    []struct {
				ID                  string
				Findings, Documents int64
			}
			Seconds            float64
			MegabytesPerSecond float64 `json:"megabytes_per_second"`
			DocumentsPerSecond float64 `json:"documents_per_second"`
		}
	}
	if err := json.Unmarshal([]byte(write(t, "json", samples(), sampleInputs()...)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "2.6" || got.Tool.Version != "v1.2.3" || got.Valid == nil || *got.Valid || got.IssuesDropped != 7 {
		t.Errorf("head: %+v", got)
	}
	if len(got.Issues) != 4 {
		t.Fatalf("%d issues, want 4", len(got.Issues))
	}
	first, third, last := got.Issues[0], got.Issues[2], got.Issues[3]
	if first.ID != "Imp.id.required" || first.Severity != "error" || first.Section != "3.2.4" || first.Source != "spec" ||
		first.Offset == nil || *first.Offset != 5 || first.Line != 1 || first.Column != 4 || first.Document != 1 ||
		first.DocumentOffset != 100 || first.File != "first.json" || first.Type != "request" || first.Path != "/imp/0/id" {
		t.Errorf("first issue: %+v", first)
	}
	if want := strings.ToValidUTF8(hostile, "\ufffd"); third.File != want || third.Path != "/"+want {
		t.Errorf("hostile names became %q and %q", third.File, third.Path)
	}
	if last.Offset != nil {
		t.Errorf("an unknown offset became %d", *last.Offset)
	}
	if got.Documents["total"] != 2 || got.Documents["valid"] != 1 || got.Documents["invalid"] != 1 {
		t.Errorf("documents: %v", got.Documents)
	}
	if len(got.Files) != 2 || got.Files[0].Error != "" || !strings.Contains(got.Files[1].Error, "gone; stopped in line 3") {
		t.Errorf("files: %+v", got.Files)
	}
	s := got.Summary
	if s.Findings["error"] != 2 || s.Findings["warn"] != 1 || s.Findings["info"] != 1 || len(s.Rules) != 4 || s.Rules[0].Documents != 1 {
		t.Errorf("summary: %+v", s)
	}
	if s.Seconds != 2 || s.MegabytesPerSecond != 2 || s.DocumentsPerSecond != 1 {
		t.Errorf("times: %+v", s)
	}
}

// TestNDJSON reads every line back.
func TestNDJSON(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(write(t, "ndjson", samples(), sampleInputs()...), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines, want 2 documents, 1 unreadable input and 1 summary", len(lines))
	}
	for i, want := range []string{"issues", "issues", "error", "summary"} {
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil || got[want] == nil {
			t.Errorf("line %d: %v, has no %q: %s", i+1, err, want, lines[i])
		}
	}
}

// TestSARIF checks what the schema of SARIF 2.1.0 and code scanning services demand.
func TestSARIF(t *testing.T) {
	for name, docs := range map[string][]*batch.Result{"findings": samples(), "none": nil} {
		var log map[string]any
		if err := json.Unmarshal([]byte(write(t, "sarif", docs, sampleInputs()...)), &log); err != nil {
			t.Fatal(err)
		}
		if log["version"] != "2.1.0" || !strings.HasPrefix(log["$schema"].(string), "https://") {
			t.Errorf("%s: head %v %v", name, log["version"], log["$schema"])
		}
		run := log["runs"].([]any)[0].(map[string]any)
		driver := run["tool"].(map[string]any)["driver"].(map[string]any)
		rules := driver["rules"].([]any) // an array, never null
		results := run["results"].([]any)
		if driver["name"] != "rtbwire" || len(results) != 2*len(docs) || len(rules) != len(results) {
			t.Errorf("%s: %d rules, %d results", name, len(rules), len(results))
		}
		invocation := run["invocations"].([]any)[0].(map[string]any)
		if invocation["executionSuccessful"] != false || invocation["toolExecutionNotifications"] == nil {
			t.Errorf("%s: invocation %v", name, invocation)
		}
		for _, r := range results {
			r := r.(map[string]any)
			rule := rules[int(r["ruleIndex"].(float64))].(map[string]any)
			if rule["id"] != r["ruleId"] || rule["shortDescription"].(map[string]any)["text"] == "" {
				t.Errorf("result %v points to rule %v", r["ruleId"], rule)
			}
			if level := r["level"]; !slices.Contains([]any{"error", "warning", "note"}, level) {
				t.Errorf("level %v", level)
			}
			if r["message"].(map[string]any)["text"] == "" {
				t.Error("no message")
			}
			physical := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
			uri := physical["artifactLocation"].(map[string]any)["uri"].(string)
			if region := physical["region"].(map[string]any); region["startLine"].(float64) < 1 || region["startColumn"].(float64) < 1 {
				t.Errorf("region %v", region)
			}
			if uri == "" || strings.ContainsAny(uri, " \"<>\\^`{|}\n") {
				t.Errorf("%q is no URI reference", uri)
			}
		}
	}
	if got := fileURI("/a b/c.json"); got != "file:///a%20b/c.json" {
		t.Errorf("absolute name became %s", got)
	}
}

// TestSARIFLimit keeps the most severe results.
func TestSARIFLimit(t *testing.T) {
	var docs []*batch.Result
	for i := range int64(SARIFResultsMax) {
		docs = append(docs, result("a", i+1, finding("BidRequest.user.recommended", schema.Info, 1), finding("Banner.w.range", schema.Warn, 1)))
	}
	docs = append(docs, result("a", 9, finding("Imp.id.required", schema.Error, 1)))
	docs[0].Dropped = 3
	var log sarifLog
	if err := json.Unmarshal([]byte(write(t, "sarif", docs)), &log); err != nil {
		t.Fatal(err)
	}
	levels := map[string]int{}
	for _, r := range log.Runs[0].Results {
		levels[r.Level]++
	}
	if levels["error"] != 1 || levels["warning"] != SARIFResultsMax-1 || levels["note"] != 0 {
		t.Errorf("results %v", levels)
	}
	want := fmt.Sprintf("%d of %d results are left out", SARIFResultsMax+4, 2*SARIFResultsMax+4)
	if notes := log.Runs[0].Invocations[0].Notifications; len(notes) != 1 || !strings.Contains(notes[0].Message.Text, want) {
		t.Errorf("notifications %+v, want %q", notes, want)
	}
}

// TestJUnit reads the report back.
func TestJUnit(t *testing.T) {
	var got struct {
		Suites []struct {
			Tests    int          `xml:"tests,attr"`
			Failures int          `xml:"failures,attr"`
			Errors   int          `xml:"errors,attr"`
			Cases    []junit.Case `xml:"testcase"`
		} `xml:"testsuite"`
	}
	var many []*batch.Result
	for i := range int64(JUnitPlacesMax + 5) {
		many = append(many, result(hostile, i+1, finding("Imp.id.required", schema.Error, i+1), finding("Banner.w.range", schema.Warn, i+1)))
	}
	text := write(t, "junit", append(samples(), many...), sampleInputs()...)
	if err := xml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(got.Suites) != 2 {
		t.Fatalf("%d suites, want 2", len(got.Suites))
	}
	first, second := got.Suites[0], got.Suites[1]
	if first.Tests != 5 || len(first.Cases) != 5 || first.Failures != 2 || first.Errors != 0 || second.Errors != 1 {
		t.Errorf("suites %+v", got.Suites)
	}
	failed := first.Cases[1]
	if failed.Name != "Imp.id.required" || failed.Failure == nil ||
		!strings.HasPrefix(failed.Failure.Message, "26 findings: ") ||
		strings.Count(failed.Failure.Text, "at /imp/0/id\n") != JUnitPlacesMax || !strings.HasSuffix(failed.Failure.Text, "and 6 more\n") {
		t.Errorf("failure %+v", failed.Failure)
	}
	if warned := first.Cases[3]; warned.Name != "Banner.w.range" || warned.Failure != nil || warned.Out == nil || !strings.HasPrefix(warned.Out.Text, "warn: ") {
		t.Errorf("warning %+v", warned)
	}
	if unreadable := second.Cases[0]; unreadable.Name != "readable" || unreadable.Error == nil || !strings.Contains(unreadable.Error.Message, "gone") {
		t.Errorf("unreadable input %+v", unreadable)
	}
}

func TestText(t *testing.T) {
	text := write(t, "text", samples(), sampleInputs()...)
	for _, want := range []string{
		"first.json:1:4: error: expected something [Imp.id.required] at /imp/0/id (section 3.2.4)\n",
		"[json.limit] at /imp/0/id (contract, section 2.3)\n",
		`: note: 7 more findings in this document; --max-findings sets how many are kept` + "\n",
		"at the root (section 3.2.1)\n",
		"4,000,000 bytes in 2.000 s: 2.0 MB/s, 1 documents/s\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\x1b\u2028") || !utf8.ValidString(text) || strings.Contains(text, "😀\n.json:") {
		t.Errorf("a name got through as it is:\n%q", text)
	}
}

func TestTextManyFiles(t *testing.T) {
	var in []*batch.InputStats
	for i := range filesMax + 3 {
		in = append(in, &batch.InputStats{Name: fmt.Sprintf("file%d.json", i)})
	}
	if text := write(t, "text", nil, in...); strings.Count(text, "file") != filesMax+2 || !strings.Contains(text, "3 more files") {
		t.Errorf("got\n%s", text)
	}
}

func TestRuleTotals(t *testing.T) {
	tally := map[tallyKey]*schema.RuleCount{}
	for i := range int64(3) {
		count(tally, result("a", i+1, finding("A", schema.Info, 1), finding("A", schema.Info, 1), finding("B", schema.Error, 1)))
	}
	count(tally, result("a", 4, finding("C", schema.Error, 1), finding("A", schema.Error, 1)))
	got := ""
	for _, r := range totals(tally) {
		got += fmt.Sprintf("%s %s %d %d; ", r.ID, r.Severity.Level(), r.Findings, r.Documents)
	}
	if want := "B error 3 3; A error 1 1; C error 1 1; A info 6 3; "; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestHelpers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", -1234: "-1,234", -123: "-123", 1234567890: "1,234,567,890"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
	for percent, want := range map[float64]string{0: "0", 0.00001: "0.1", 50: "50", 33.333: "33.3", 99.99999: "99.9", 100: "100"} {
		if got := share(percent); got != want {
			t.Errorf("share(%v) = %s, want %s", percent, got, want)
		}
	}
	for in, want := range map[string]string{"a\"\\\x00\x1f\x7f": `"a\"\\\u0000\u001f\u007f"`, "ä\xff€": "\"ä\ufffd€\"", "": `""`} {
		if got := string(appendString(nil, in)); got != want {
			t.Errorf("appendString(%q) = %s, want %s", in, got, want)
		}
	}
	for source, want := range map[string]string{"spec": "section 1", "derived": "derived, section 1", "schain": "SupplyChain, section 1", "impl-notes": "implementation notes, section 1"} {
		if got := reference(schema.Rule{Source: source, Section: "1"}); got != want {
			t.Errorf("reference = %s, want %s", got, want)
		}
	}
	if got := reference(schema.Rule{Source: "contract"}); got != "contract" {
		t.Errorf("reference without a section = %s", got)
	}
}

// TestMessagesOfOneRule writes findings of one rule with different messages.
func TestMessagesOfOneRule(t *testing.T) {
	a, b := finding("json.syntax", schema.Error, 1), finding("json.syntax", schema.Error, 2)
	b.Message = "expected \"something\" else"
	for _, format := range []string{"json", "ndjson"} {
		text := write(t, format, []*batch.Result{result("a", 1, a, b, a)})
		if n := strings.Count(text, `"message":"expected something"`); n != 2 || !strings.Contains(text, `"message":"expected \"something\" else"`) {
			t.Errorf("%s: %d times the first message in\n%s", format, n, text)
		}
	}
}
