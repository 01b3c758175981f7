package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/visible"
)

// The limits of an HTML report. They bound its size, which depends on the number of rules with
// findings and on the number of files, not on the size of the input.
const (
	// HTMLExamplesMax is how many examples a rule has, each from another document.
	HTMLExamplesMax = 5
	// htmlBefore and htmlAfter are how many bytes of a document are shown before and after
	// the place of a finding.
	htmlBefore, htmlAfter = 90, 190
	// htmlMarkMax is the longest value that is marked as a whole, in bytes.
	htmlMarkMax = 80
	// htmlFilesMax is how many files are listed.
	htmlFilesMax = 200
)

var (
	//go:embed html.tmpl
	htmlTemplate string
	//go:embed html.css
	htmlStyle string
	//go:embed html.js
	htmlScript string
)

// htmlReport is one self-contained page. Unlike the other formats it shows pieces of documents, so
// it is as confidential as they are.
type htmlReport struct {
	w        io.Writer
	o        Options
	examples map[tallyKey][]htmlExample
	files    []batch.InputStats
	more     int
}

func newHTML(w io.Writer, o Options) Report {
	return &htmlReport{w: w, o: o, examples: map[tallyKey][]htmlExample{}}
}

// htmlExample is a finding with the text around it.
type htmlExample struct {
	Place, Path, Message  string
	Before, Marked, After string
	CutBefore, CutAfter   bool
	document              int64
	file                  string
}

func (h *htmlReport) Document(r *batch.Result) error {
	for i := range r.Findings {
		f := &r.Findings[i]
		key := tallyKey{f.ID, f.Severity}
		have := h.examples[key]
		n := len(have)
		if n == HTMLExamplesMax || n > 0 && have[n-1].document == r.Number && have[n-1].file == r.Input {
			continue
		}
		example := snippet(r.Data, f.Offset)
		example.Place = fmt.Sprintf("%s:%d:%d", visible.Append(nil, r.Input), f.Line, f.Column)
		example.Path = string(visible.Append(nil, f.Path))
		example.Message, example.document, example.file = f.Message, r.Number, r.Input
		h.examples[key] = append(have, example)
	}
	return nil
}

// snippet cuts out the text around an offset and marks the value or key that begins there.
func snippet(doc []byte, offset int) htmlExample {
	from := min(max(offset, 0), len(doc))
	to := from
	if offset >= 0 {
		to = from + markLength(doc[from:])
	}
	for to > from && to < len(doc) && !utf8.RuneStart(doc[to]) { // don't cut characters
		to--
	}
	start, end := max(0, from-htmlBefore), min(len(doc), to+htmlAfter)
	for start < from && !utf8.RuneStart(doc[start]) {
		start++
	}
	for end > to && end < len(doc) && !utf8.RuneStart(doc[end]) {
		end--
	}
	text := func(b []byte) string { return strings.Map(pictured, strings.ToValidUTF8(string(b), "\ufffd")) }
	return htmlExample{
		Before: text(doc[start:from]), Marked: text(doc[from:to]), After: text(doc[to:end]),
		CutBefore: start > 0, CutAfter: end < len(doc),
	}
}

// pictured replaces control characters by their pictures.
func pictured(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' {
		return '\u2400' + r
	}
	return r
}

// markLength returns how much of a text that begins with a value belongs to the value: a
// scalar is marked as a whole, of objects and arrays only the bracket.
func markLength(text []byte) int {
	if len(text) > htmlMarkMax {
		text = text[:htmlMarkMax]
	}
	switch {
	case len(text) == 0:
		return 0
	case text[0] == '"':
		for i := 1; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if text[i] == '"' {
				return i + 1
			}
		}
		return len(text)
	}
	if n := bytes.IndexAny(text, "{}[],: \t\r\n\""); n > 0 {
		return n
	} else if n == 0 {
		return 1
	}
	return len(text)
}

func (h *htmlReport) Input(s *batch.InputStats) error {
	if len(h.files) == htmlFilesMax {
		h.more++
		return nil
	}
	h.files = append(h.files, *s)
	return nil
}

// htmlPage is what the template sees.
type htmlPage struct {
	*Summary
	Options
	Style      template.CSS
	Script     template.JS
	ScriptHash string
	ValidShare float64 // percent
	Rows       []htmlRow
	Files      []batch.InputStats
	MoreFiles  int
}

// htmlRow is a rule with findings.
type htmlRow struct {
	RuleTotal
	Rule     schema.Rule
	Width    float64 // of the bar, in percent of the most frequent rule of the same severity
	Message  string  // of all examples, if it says more than the rule's summary
	Examples []htmlExample
}

// newRow gathers what there is to say about a rule. A message is said once.
func (h *htmlReport) newRow(r RuleTotal, most int64) htmlRow {
	rule, _ := schema.RuleByID(r.ID)
	row := htmlRow{
		RuleTotal: r, Rule: rule, Width: 100 * float64(r.Findings) / float64(most),
		Examples: h.examples[tallyKey{r.ID, r.Severity}],
	}
	if len(row.Examples) == 0 {
		return row
	}
	first := row.Examples[0].Message
	if slices.ContainsFunc(row.Examples, func(e htmlExample) bool { return e.Message != first }) {
		return row
	}
	for i := range row.Examples {
		row.Examples[i].Message = ""
	}
	if first != "expected: "+r.Summary && first != r.Summary {
		row.Message = first
	}
	return row
}

func (h *htmlReport) End(s *Summary) error {
	hash := sha256.Sum256([]byte(htmlScript))
	page := htmlPage{
		Summary: s, Options: h.o, Style: template.CSS(htmlStyle), Script: template.JS(htmlScript),
		ScriptHash: base64.StdEncoding.EncodeToString(hash[:]),
		ValidShare: 100, Files: h.files, MoreFiles: h.more,
	}
	if s.Documents > 0 {
		page.ValidShare = 100 * float64(s.Valid()) / float64(s.Documents)
	}
	most := [schema.Error + 1]int64{}
	for _, r := range s.Rules {
		most[r.Severity] = max(most[r.Severity], r.Findings)
	}
	for _, r := range s.Rules {
		if row := h.newRow(r, most[r.Severity]); len(row.Examples) > 0 { // none: not to be reported
			page.Rows = append(page.Rows, row)
		}
	}
	return htmlCompiled().Execute(h.w, page)
}

// htmlCompiled parses the template, which is only needed for this one format.
func htmlCompiled() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"grouped": grouped,
		"share":   share,
		"level":   func(s *Summary, level string) int64 { v, _ := inspect.ParseSeverity(level); return s.Findings[v] },
		"minus":   func(a, b int64) int64 { return a - b },
		"visible": func(s string) string { return string(visible.Append(nil, s)) },
	}).Parse(htmlTemplate))
}

// share writes a percentage so that 0 and 100 mean none and all.
func share(percent float64) string {
	switch {
	case percent > 99.9 && percent < 100:
		return "99.9"
	case percent > 0 && percent < 0.1:
		return "0.1"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", percent), ".0")
}
