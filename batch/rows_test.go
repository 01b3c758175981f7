package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// allRows returns copies of the rows of a text, also as JSON, made while they were valid.
func allRows(t *testing.T, text string, o Options) (rows []Row, asJSON []string) {
	t.Helper()
	o.Judging.Engine = new(inspect.Engine)
	_, err := Check(t.Context(), new(schema.Engine), []Input{From("x", strings.NewReader(text))}, o, Handler{Rows: func(list []Row) error {
		for _, r := range list {
			data, err := json.Marshal(r)
			if err != nil {
				return err
			}
			asJSON = append(asJSON, string(data))
			var kept Row
			if err := json.Unmarshal(data, &kept); err != nil {
				return err
			}
			rows = append(rows, kept)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rows, asJSON
}

// valueAt is what encoding/json has read at a path, nil where there is nothing.
func valueAt(v any, path string) any {
	for name := range strings.FieldsSeq(strings.ReplaceAll(path, "/", " ")) {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			if len(at) == 0 {
				return nil
			}
			v = at[0] // the only index that is asked for
		default:
			return nil
		}
	}
	return v
}

// first returns the first of the paths' values that is neither missing nor an empty text.
func first(v any, paths ...string) any {
	for _, path := range paths {
		if found := valueAt(v, path); found != nil && found != "" {
			return found
		}
	}
	return nil
}

// TestRows compares the rows of the corpus with verdicts that are asked for one by one, and with
// what encoding/json reads in each request.
func TestRows(t *testing.T) {
	docs := testkit.Requests(t)
	rows, _ := allRows(t, string(bytes.Join(docs, []byte("\n"))), Options{Type: Requests, Layout: LayoutValues, ChunkSize: 16 << 10})
	if len(rows) != len(docs) {
		t.Fatalf("%d rows, want %d", len(rows), len(docs))
	}
	worker := new(inspect.Engine).NewWorker()
	filled := map[string]int{}
	for i := range rows {
		r := &rows[i]
		v := worker.Inspect(docs[i], inspect.Facts{})
		if r.Document != int64(i+1) || r.File != "x" || int(*r.Size) != len(bytes.TrimSpace(docs[i])) || r.Type != "request" {
			t.Fatalf("row %d: %+v", i, r)
		}
		if r.Action != v.Action.String() || r.Reason != v.Reason || (r.NBR == nil) != (v.Action == inspect.ActionForward) ||
			r.NBR != nil && int(*r.NBR) != int(v.NBR) || int(r.Dropped) != v.Dropped || len(r.Findings) != len(v.Findings) {
			t.Fatalf("row %d: %+v, want %+v", i, r, v)
		}
		for k, f := range v.Findings {
			got := r.Findings[k]
			if got.ID != f.ID || got.Severity != f.Severity.String() || got.Path != f.Path || (got.Offset == nil) != (f.Offset < 0) || got.Offset != nil && int(*got.Offset) != f.Offset {
				t.Fatalf("row %d: finding %+v, want %+v", i, got, f)
			}
		}
		q := worker.Request()
		if q == nil {
			if r.Score != nil || r.ID != "" || r.Imps != nil {
				t.Errorf("row %d: a request that can't be decoded has %+v", i, r)
			}
			continue
		}
		if int(*r.Score) != v.Score {
			t.Errorf("row %d: score %d, want %d", i, *r.Score, v.Score)
		}
		var doc any
		if err := json.Unmarshal(docs[i], &doc); err != nil {
			t.Fatal(err)
		}
		imps, _ := valueAt(doc, "/imp").([]any)
		deals, _ := valueAt(doc, "/imp/0/pmp/deals").([]any)
		want := map[string]any{
			"ID": first(doc, "/id"), "PublisherID": first(doc, "/site/publisher/id", "/app/publisher/id", "/dooh/publisher/id"),
			"SiteDomain": first(doc, "/site/domain"), "AppBundle": first(doc, "/app/bundle"),
			"Country": first(doc, "/device/geo/country", "/user/geo/country"), "DeviceOS": first(doc, "/device/os"), "DeviceType": valueAt(doc, "/device/devicetype"),
			"TMax": valueAt(doc, "/tmax"), "At": valueAt(doc, "/at"), "Test": valueAt(doc, "/test"), "COPPA": valueAt(doc, "/regs/coppa"),
			"BidFloor": valueAt(doc, "/imp/0/bidfloor"), "BidFloorCur": first(doc, "/imp/0/bidfloorcur"), "Secure": valueAt(doc, "/imp/0/secure"),
			"Imps": float64(len(imps)),
		}
		if len(deals) > 0 {
			want["Deals"] = float64(len(deals))
		}
		for name, value := range want {
			field := reflect.Indirect(reflect.ValueOf(*r).FieldByName(name))
			var got any
			if field.IsValid() && !(field.Kind() == reflect.String && field.Len() == 0) {
				got = field.Interface()
				filled[name]++
			}
			if n, is := got.(int32); is {
				got = float64(n)
			}
			if got != value {
				t.Errorf("row %d: %s is %v, want %v: %s", i, name, got, value, docs[i])
			}
		}
		for name, text := range map[string]string{"Channel": r.Channel, "Media": r.Media} {
			if text != "" {
				filled[name+" "+text]++
			}
		}
		for name, n := range map[string]*int32{"Width": r.Width, "GDPR": r.GDPR} {
			if n != nil {
				filled[name]++
			}
		}
	}
	for name := range strings.FieldsSeq("ID PublisherID SiteDomain AppBundle Country DeviceOS DeviceType TMax At BidFloor BidFloorCur Secure Width GDPR") {
		if filled[name] == 0 {
			t.Errorf("no request of the corpus has a %s: the test shows nothing about it", name)
		}
	}
	for _, name := range []string{"Channel site", "Channel app", "Media banner", "Media video"} {
		if filled[name] == 0 {
			t.Errorf("no row has %s", name)
		}
	}
}

// TestRowPlaces: rows are in order, and have their places, however small the pieces are and however
// many workers there are; a chunk with more rows than are kept is handed over in parts.
func TestRowPlaces(t *testing.T) {
	var b strings.Builder
	type place struct{ line, offset int }
	var want []place
	line := 1
	for i := range 3 * rowsMax {
		want = append(want, place{line, b.Len()})
		if i%7 == 3 {
			b.WriteString("{}\n\n")
			line++
		} else {
			fmt.Fprintf(&b, `{"id":"%d","imp":[{}]}`+"\n", i)
		}
		line++
	}
	for _, o := range []Options{{Jobs: 1}, {Jobs: 4}, {Jobs: 3, ChunkSize: 1 << 10}} {
		rows, _ := allRows(t, b.String(), o)
		if len(rows) != len(want) {
			t.Fatalf("%+v: %d rows, want %d", o, len(rows), len(want))
		}
		for i, r := range rows {
			if r.Document != int64(i+1) || r.Line != int64(want[i].line) || r.Offset != int64(want[i].offset) {
				t.Fatalf("%+v: row %d is %+v, want %+v", o, i, r, want[i])
			}
			if i%7 == 3 {
				if r.Type != "response" || r.Action != "" || r.Score != nil {
					t.Fatalf("row %d: %+v", i, r)
				}
			} else if r.ID != fmt.Sprint(i) || r.Action != "refuse" || len(r.Findings) == 0 {
				t.Fatalf("row %d: %+v", i, r)
			}
		}
	}
}

// TestRowsOfAnything: whatever a document is, it has a row.
func TestRowsOfAnything(t *testing.T) {
	const max = 1000
	text := strings.Join([]string{
		`{"id":"1","imp":[{"id":"1","bidfloor":0,"pmp":{"deals":[]},"banner":{"format":[{"w":1,"h":99999999}]}}],"tmax":99999999,"user":{"geo":{"country":"DEU"}},"regs":{"ext":{"gdpr":1}},"dooh":{"publisher":{"id":"p"}}}`,
		`{"id":"2","imp":[{"id":"1","audio":{}}],"site":{"domain":"\u0000ä\ud83d\ude00"},"app":{"bundle":"b"},"user":{"geo":{"country":"` + strings.Repeat("ä", 40) + `"}}}`,
		`{"id":`,
		`null`,
		"\x00\xff",
		strings.Repeat("[", 500),
		`{"id":"` + strings.Repeat("x", max) + `","imp":[]}`,
		`{"id":"r","seatbid":[{"bid":[{}]}]}`,
		`{"seatbid":[{"bid":"` + strings.Repeat("x", max) + `"}]}`,
	}, "\n")
	rows, asJSON := allRows(t, text, Options{MaxDocument: max, Layout: LayoutLines, Judging: Judging{Facts: inspect.Facts{Partner: "acme"}}})
	want := []string{
		`"id":"1","action":"refuse"`, `"site_domain":"\u0000ä😀","app_bundle":"b"`, `"reason":"json.truncated"`, `"reason":"json.`, `"reason":"json.`,
		`"reason":"json.`, `"offset":941,"type":"request","action":"refuse","reason":"limit.size"`, `"type":"response","id":"r","findings":[{"id":"Bid`,
		`"offset":1996,"type":"response","findings"`, // neither has a size
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, text := range want {
		if !strings.Contains(asJSON[i], text) {
			t.Errorf("row %d is %s, want %s", i, asJSON[i], text)
		}
		if (rows[i].Partner == "acme") != (rows[i].Type == "request") {
			t.Errorf("row %d: partner %q", i, rows[i].Partner)
		}
	}
	r := &rows[0]
	if *r.TMax != 99999999 || *r.Width != 1 || *r.Height != 99999999 || *r.Deals != 0 || *r.BidFloor != 0 || r.Country != "DEU" || *r.GDPR != 1 || r.Channel != "dooh" || r.PublisherID != "p" || r.Media != "banner" || r.BidFloorCur != "" {
		t.Errorf("%s", asJSON[0])
	}
	if r = &rows[1]; r.Channel != "site" || r.Media != "audio" || r.Country != strings.Repeat("ä", 40) {
		t.Errorf("%s", asJSON[1])
	}
	if !strings.Contains(asJSON[8], `"json.limit"`) {
		t.Errorf("%s", asJSON[8])
	}
}

// TestRowText: texts are copies, and UTF-8 whatever they are made of.
func TestRowText(t *testing.T) {
	var s rows
	var texts []string
	in := []string{"", "a", "ä\x00😀", "\xff", "a\xffb\xc3", strings.Repeat("\xff", 100), strings.Repeat("ä", 1000)}
	for _, text := range in {
		b := []byte(text)
		texts = append(texts, s.string(mem.String(b)))
		clear(b)
	}
	for i, got := range texts {
		if want := strings.ToValidUTF8(in[i], "\ufffd"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if clamp(-5) != -5 || int64(clamp(math.MinInt)) < math.MinInt32 || clamp(math.MaxInt) != math.MaxInt32 {
		t.Error("numbers that do not fit")
	}
}

// TestRowsNeedAnEngine: without verdicts there are no rows.
func TestRowsNeedAnEngine(t *testing.T) {
	_, err := Check(t.Context(), new(schema.Engine), nil, Options{}, Handler{Rows: func([]Row) error { return nil }})
	if err == nil || !strings.Contains(err.Error(), "Options.Judging") {
		t.Error(err)
	}
}
