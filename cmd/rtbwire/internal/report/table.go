package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/visible"
)

// summaryTable is the summary of the text format: a table of files, one of rules, and how
// long it took.
type summaryTable struct {
	files []batch.InputStats
	more  int
}

// filesMax is how many files have a line of their own in the summary.
const filesMax = 20

func (t *summaryTable) add(s *batch.InputStats) {
	if len(t.files) == filesMax {
		t.more++
		return
	}
	t.files = append(t.files, *s)
}

func (t *summaryTable) write(w io.Writer, s *Summary, o Options) error {
	parts := []string{t.fileTable(s, o), blankLine(s), pairTable(s, o), verdictTable(s, o), scoreTable(s, o), ruleTable(s, o), timesLine(s)}
	_, err := io.WriteString(w, strings.Join(parts, ""))
	return err
}

// fileTable has a line for every file and their sum.
func (t *summaryTable) fileTable(s *Summary, o Options) string {
	tab := newTable(o, table.Row{"file", "documents", "valid", "invalid", "errors", "warnings", "infos"}, 2, 3, 4, 5, 6, 7)
	row := func(name string, c *batch.Counts) table.Row {
		return table.Row{name, grouped(c.Documents), grouped(c.Documents - c.Invalid), grouped(c.Invalid),
			grouped(c.Findings[schema.Error]), grouped(c.Findings[schema.Warn]), grouped(c.Findings[schema.Info])}
	}
	for i := range t.files {
		f := &t.files[i]
		name := string(visible.Append(nil, f.Name))
		if f.Err != nil {
			name += " (not read to its end)"
		}
		tab.AppendRow(row(name, &f.Counts))
	}
	if t.more > 0 {
		tab.AppendRow(table.Row{fmt.Sprintf("%d more files", t.more)})
	}
	if len(t.files)+t.more != 1 {
		tab.AppendFooter(row("total", &s.Counts))
	}
	return tab.Render() + "\n"
}

// blankLine tells how many lines hold no document, if there are any.
func blankLine(s *Summary) string {
	if s.BlankLines == 0 {
		return ""
	}
	return fmt.Sprintf("blank lines, which are not documents: %s\n", grouped(s.BlankLines))
}

// ruleTable has a line for every rule with findings.
func ruleTable(s *Summary, o Options) string {
	if len(s.Rules) == 0 {
		return ""
	}
	tab := newTable(o, table.Row{"rule", "severity", "findings", "documents", "reference"}, 3, 4)
	for _, r := range s.Rules {
		severity := r.Severity.Level()
		if o.Color {
			severity = styles[severity] + severity + "\x1b[0m"
		}
		tab.AppendRow(table.Row{r.ID, severity, grouped(r.Findings), grouped(r.Documents), r.Reference})
	}
	if s.Dropped > 0 {
		tab.AppendRow(table.Row{"beyond --max-findings", "", grouped(s.Dropped), "", ""})
	}
	return tab.Render() + "\n"
}

// timesLine tells how long the check took, unless that is not wanted.
func timesLine(s *Summary) string {
	if s.Elapsed == 0 {
		return ""
	}
	return fmt.Sprintf("%s bytes in %.3f s: %.1f MB/s, %s documents/s\n",
		grouped(s.Bytes), s.Elapsed.Seconds(), s.MegabytesPerSecond(), grouped(int64(s.DocumentsPerSecond())))
}

// newTable returns a table with a header; the columns given by number hold numbers.
func newTable(o Options, header table.Row, numbers ...int) table.Writer {
	tab := table.NewWriter()
	tab.SetStyle(table.StyleRounded)
	tab.Style().Format.Header = text.FormatDefault
	tab.Style().Format.Footer = text.FormatDefault
	if o.Color {
		tab.Style().Color.Header = text.Colors{text.Bold}
		tab.Style().Color.Footer = text.Colors{text.Bold}
	}
	tab.AppendHeader(header)
	var columns []table.ColumnConfig
	for _, n := range numbers {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
	tab.SetColumnConfigs(columns)
	return tab
}

func grouped(n int64) string { return cli.Grouped(n) }

// seconds rounds a duration for a machine-readable report, to microseconds.
func seconds(d time.Duration) float64 { return d.Round(time.Microsecond).Seconds() }
