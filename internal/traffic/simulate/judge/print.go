package judge

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// WriteText writes the table for people.
func (t *Table) WriteText(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "requests\trefused\twarned\tobserved\tsilent\tscore\t\n")
	for _, section := range t.sections() {
		if section.class {
			fmt.Fprintf(tab, "\t\t\t\t\t\t\n")
		}
		for i := range section.rows {
			r := &section.rows[i]
			fmt.Fprintf(tab, "%d\t%s\t%s\t%s\t%s\t%d\t  %s\n", r.Requests, r.share(r.Refused), r.share(r.Warned), r.share(r.Observed), r.share(r.Silent), r.mean(), r.line())
		}
	}
	return tab.Flush()
}

// section is a class, or its kinds.
type section struct {
	class bool
	rows  []Row
}

// sections returns the classes, each with its kinds.
func (t *Table) sections() (list []section) {
	for c := simulate.Clean; c <= simulate.Fraud; c++ {
		sum := t.Class(c)
		if sum.Requests == 0 {
			continue
		}
		list = append(list, section{true, []Row{sum}})
		var kinds []Row
		for i := range t.Rows {
			if t.Rows[i].Kind.Class == c && t.Rows[i].Kind.ID != "" {
				kinds = append(kinds, t.Rows[i])
			}
		}
		list = append(list, section{false, kinds})
		if c == simulate.Payload {
			list = append(list, section{false, t.Encodings})
		}
	}
	return list
}

// line names the row and its most frequent reason.
func (r *Row) line() string {
	if r.Kind.ID == "" {
		return strings.ToUpper(r.Kind.Class.String())
	}
	if reason := r.Main(); reason != "" {
		return r.Kind.ID + " (" + reason + ")"
	}
	return r.Kind.ID
}

// mean returns the mean fraud score, rounded.
func (r *Row) mean() uint64 { return (r.Score + r.Requests/2) / max(r.Requests, 1) }

// share writes a number of requests as a share of the row's, without floating-point numbers.
func (r *Row) share(n uint64) string {
	switch {
	case n == 0:
		return "-"
	case n == r.Requests:
		return "100%"
	}
	tenths := (n*1000 + r.Requests/2) / r.Requests
	tenths = min(max(tenths, 1), 999) // neither nothing nor all
	return strconv.FormatUint(tenths/10, 10) + "." + strconv.FormatUint(tenths%10, 10) + "%"
}

// WriteMarkdown writes the rows of a class as a table for documents.
func (t *Table) WriteMarkdown(w io.Writer, c simulate.Class) error {
	b := new(strings.Builder)
	b.WriteString("| kind | what it is | refused | warned | observed | score | most frequent reason |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n")
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Kind.Class == c {
			r.markdown(b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteEncodings writes the payloads by encoding as a table for documents.
func (t *Table) WriteEncodings(w io.Writer) error {
	b := new(strings.Builder)
	b.WriteString("| encoding | how the attack is written | refused | warned | observed |\n| --- | --- | ---: | ---: | ---: |\n")
	for i := range t.Encodings {
		r := &t.Encodings[i]
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", r.Kind.ID, r.Kind.About, r.share(r.Refused), r.share(r.Warned), r.share(r.Observed))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Row) markdown(b *strings.Builder) {
	name, reason := r.Kind.Class.String(), r.Main()
	if r.Kind.ID != "" {
		name = "`" + r.Kind.ID + "`"
	}
	if reason != "" {
		reason = "`" + reason + "`"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %d | %s |\n", name, r.Kind.About, r.share(r.Refused), r.share(r.Warned), r.share(r.Observed), r.mean(), reason)
}

// WriteJSON writes the table for programs: an object with "kinds" and "encodings".
func (t *Table) WriteJSON(w io.Writer) error {
	type row struct {
		Kind     string            `json:"kind"`
		What     string            `json:"what"`
		About    string            `json:"about"`
		Requests uint64            `json:"requests"`
		Refused  uint64            `json:"refused"`
		Warned   uint64            `json:"warned"`
		Observed uint64            `json:"observed"`
		Silent   uint64            `json:"silent"`
		Score    uint64            `json:"score_sum"`
		Reasons  map[string]uint64 `json:"reasons,omitempty"`
	}
	rows := func(list []Row) []row {
		out := make([]row, len(list))
		for i := range list {
			r := &list[i]
			out[i] = row{r.Kind.Class.String(), r.Kind.ID, r.Kind.About, r.Requests, r.Refused, r.Warned, r.Observed, r.Silent, r.Score, r.Reasons}
		}
		return out
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"kinds": rows(t.Rows), "encodings": rows(t.Encodings)})
}
