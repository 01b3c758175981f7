package agreement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/lines"
)

// filter returns the lines that a filter makes of the documents.
func filter(t *testing.T, s *config.Setup, docs [][]byte, emit lines.Emit) [][]byte {
	t.Helper()
	var out bytes.Buffer
	in := bytes.NewReader(append(bytes.Join(docs, []byte("\n")), '\n'))
	if _, err := lines.Filter(t.Context(), &out, in, lines.Options{Engine: s.Engine, Facts: known, Emit: emit, Jobs: 3}); err != nil {
		t.Fatal(err)
	}
	made := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	if len(made) != len(docs) {
		t.Fatalf("%d lines of %d", len(made), len(docs))
	}
	return made
}

func askFilter(t *testing.T, s *config.Setup, docs [][]byte) (all []aspects) {
	t.Helper()
	for _, line := range filter(t, s, docs, lines.Verdicts) {
		var v struct {
			Action, Reason string
			NBR, Score     int
			WouldRefuse    string `json:"would_refuse"`
			Findings       []struct {
				ID, Severity, Path string
				Offset             int
			}
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		a := aspects{decision: decisionOf(v.Action, v.Reason, v.NBR), would: v.WouldRefuse, score: fmt.Sprint(v.Score), findings: ""}
		for _, f := range v.Findings {
			a[findings] += findingOf(f.ID, f.Severity, f.Path, f.Offset)
		}
		all = append(all, a)
	}
	return all
}

func askAccepted(t *testing.T, s *config.Setup, docs [][]byte) (all []aspects) {
	t.Helper()
	for _, line := range filter(t, s, docs, lines.Accepted) {
		all = append(all, aspects{forwarded: string(line)})
	}
	return all
}

// askCheck asks for the rows of a check, which come from a Parquet file. A blank line has none.
func askCheck(t *testing.T, s *config.Setup, docs [][]byte) []aspects {
	t.Helper()
	all := make([]aspects, len(docs))
	text := bytes.Join(docs, []byte("\n"))
	in := batch.Input{Name: "lines", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
	engine, err := schema.New()
	if err != nil {
		t.Fatal(err)
	}
	o := batch.Options{Jobs: 3, Layout: batch.LayoutLines, Type: batch.Requests, Judging: batch.Judging{Engine: s.Engine, Facts: known}}
	_, err = batch.Check(t.Context(), engine, []batch.Input{in}, o, batch.Handler{Rows: func(rows []batch.Row) error {
		for _, r := range rows {
			a := aspects{findings: "", would: r.WouldRefuse}
			nbr := int32(0)
			if r.NBR != nil {
				nbr = *r.NBR
			}
			a[decision] = decisionOf(r.Action, r.Reason, int(nbr))
			if r.Score != nil {
				a[score] = fmt.Sprint(*r.Score)
			}
			for _, f := range r.Findings {
				offset := -1
				if f.Offset != nil {
					offset = int(*f.Offset)
				}
				a[findings] += findingOf(f.ID, f.Severity, f.Path, offset)
			}
			all[r.Line-1] = a
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
