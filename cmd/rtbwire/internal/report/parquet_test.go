package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/rtbwire/rtbwire/batch"
)

// someRow is a row with every kind of value, or with none of those that may be missing.
func someRow(i int) batch.Row {
	if i%3 == 2 {
		return batch.Row{File: "ä.ndjson", Document: int64(i), Line: int64(i), Type: "response", Findings: []batch.RowFinding{}}
	}
	return batch.Row{
		File: "ä.ndjson", Document: int64(i), Line: int64(2 * i), Offset: int64(i) << 33, Size: new(int32(i)), Type: "request", ID: fmt.Sprint("id ", i, " \u0000 ä 😀"),
		Action: "refuse", Reason: "policy.a", NBR: new(int32(500)), Score: new(int32(0)), Dropped: 7,
		Findings: []batch.RowFinding{
			{ID: "policy.a", Severity: "refuse"},
			{ID: "schema.Imp.id.required", Severity: "observe", Path: "/imp/0/\ufffd", Offset: new(int32(i))},
		}[:1+i%2],
		PublisherID: fmt.Sprint(i), Country: "DEU", DeviceType: new(int32(0)), BidFloor: new(0.25), BidFloorCur: "USD", Imps: new(int32(1)),
	}
}

// TestParquet writes rows and reads them back, in row groups of bounded size.
func TestParquet(t *testing.T) {
	const n, call = 200, 50
	var want []batch.Row
	for i := range n {
		want = append(want, someRow(i))
	}
	for _, tt := range []struct{ rows, bytes, groups int }{{RowGroupRows, RowGroupBytes, 1}, {20, RowGroupBytes, 10}, {n - 1, RowGroupBytes, 2}, {RowGroupRows, 10_000, 5}, {n, RowGroupBytes, 1}} {
		var out, tables bytes.Buffer
		p := newParquet(&out, Options{Version: "1.2.3", Spec: "2.6", Config: "preset strict", Summary: true, Tables: &tables}).(*parquetReport)
		p.limit.rows, p.limit.bytes = tt.rows, tt.bytes
		for from := 0; from < n; from += call {
			var rows []batch.Row // which are overwritten, as the caller does
			for i := range call {
				rows = append(rows, someRow(from+i))
			}
			if err := p.Rows(rows); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				for k := range rows[i].Findings {
					rows[i].Findings[k] = batch.RowFinding{ID: "overwritten"}
				}
				rows[i] = batch.Row{ID: "overwritten"}
			}
		}
		if err := p.End(&Summary{Inputs: 1}); err != nil || tables.Len() == 0 {
			t.Fatalf("%v, %q", err, &tables)
		}
		f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(f.RowGroups()); n != tt.groups {
			t.Errorf("%+v: %d row groups", tt, n)
		}
		for key, value := range map[string]string{"rtbwire.schema": ParquetSchema, "rtbwire.configuration": "preset strict", "openrtb.version": "2.6"} {
			if got, _ := f.Lookup(key); got != value {
				t.Errorf("metadata %s is %q", key, got)
			}
		}
		if by := f.Metadata().CreatedBy; !strings.HasPrefix(by, "rtbwire version 1.2.3") {
			t.Errorf("created by %q", by)
		}
		got, err := parquet.Read[batch.Row](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d rows, %v", len(got), err)
		}
		for i := range got {
			if len(got[i].Findings) == 0 {
				got[i].Findings = []batch.RowFinding{} // nil and empty are the same in a file
			}
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("row %d:\n%+v\nwant\n%+v", i, got[i], want[i])
			}
		}
	}
}

// TestParquetNulls: every column of text that may be null is null where its text is empty, also if
// the text is an empty piece of another one, and has the text elsewhere. [parquet.Read] makes the
// same of both.
func TestParquetNulls(t *testing.T) {
	texts := []string{"a", "", "b", "some text"[4:4], "", "c", "a"}
	rows := make([]batch.Row, len(texts))
	var columns []string
	for field, value := range reflect.ValueOf(&rows[0]).Elem().Fields() {
		name, words, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		if value.Kind() != reflect.String || !slices.Contains(strings.Split(words, ","), "optional") {
			continue
		}
		columns = append(columns, name)
		for i, text := range texts {
			reflect.ValueOf(&rows[i]).Elem().FieldByIndex(field.Index).SetString(text)
		}
	}
	if len(columns) == 0 {
		t.Fatal("a row has no text that may be null")
	}
	for _, size := range []int{1, 2, len(rows)} { // of what is written at once
		var out bytes.Buffer
		p := newParquet(&out, Options{})
		for part := range slices.Chunk(rows, size) {
			if err := p.(Rows).Rows(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.End(&Summary{}); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range columns {
			leaf, found := f.Schema().Lookup(name)
			if !found {
				t.Fatalf("no column %s", name)
			}
			values := make([]parquet.Value, len(rows)+1)
			pages := f.RowGroups()[0].ColumnChunks()[leaf.ColumnIndex].Pages()
			page, err := pages.ReadPage()
			if err != nil {
				t.Fatal(err)
			}
			if n, err := page.Values().ReadValues(values); n != len(rows) || err != io.EOF {
				t.Fatalf("column %s: %d values of %d: %v", name, n, len(rows), err)
			}
			for i, text := range texts {
				if v := values[i]; v.IsNull() != (text == "") || v.String() != text && text != "" {
					t.Errorf("column %s, written by %d: row %d is %+v, want %q, null if it is empty", name, size, i, v, text)
				}
			}
			if err := pages.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestParquetMemory: what is written has no more than a row group in memory.
func TestParquetMemory(t *testing.T) {
	var written counter
	p := newParquet(&written, Options{}).(*parquetReport)
	p.limit.bytes = 1 << 20
	const rows, path = 1024, 4096
	long := strings.Repeat("x", path)
	most := 0
	for i := range rows {
		r := someRow(0)
		r.Findings = []batch.RowFinding{{ID: "a", Path: fmt.Sprint(long, i)}}
		if err := p.Rows([]batch.Row{r}); err != nil {
			t.Fatal(err)
		}
		most = max(most, p.group.bytes)
	}
	if most > p.limit.bytes+2*path {
		t.Errorf("a row group of %d bytes", most)
	}
	if err := p.End(&Summary{}); err != nil || written == 0 {
		t.Errorf("%v, %d bytes", err, written)
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// TestParquetErrors: an error of the file is returned, at any byte.
func TestParquetErrors(t *testing.T) {
	var whole bytes.Buffer
	write := func(w io.Writer) error {
		p := newParquet(w, Options{}).(*parquetReport)
		p.limit.rows = 10
		for i := range 25 {
			if err := p.Rows([]batch.Row{someRow(i)}); err != nil {
				return err
			}
		}
		return p.End(&Summary{})
	}
	if err := write(&whole); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < whole.Len(); room += whole.Len() / 20 {
		if err := write(&limited{room}); !errors.Is(err, errFull) {
			t.Fatalf("room for %d of %d bytes: %v", room, whole.Len(), err)
		}
	}
}

var errFull = errors.New("full")

// limited takes some bytes.
type limited struct{ room int }

func (l *limited) Write(p []byte) (int, error) {
	if l.room -= len(p); l.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestParquetDocument holds the table of columns in docs/check.md and the file together.
func TestParquetDocument(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n### Columns\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var documented, columns []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| ([a-z0-9, ]+) \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1]+" "+m[2])
	}
	schema := parquet.SchemaOf(batch.Row{})
	var walk func(prefix string, fields []parquet.Field)
	walk = func(prefix string, fields []parquet.Field) {
		for _, f := range fields {
			name := prefix + f.Name()
			switch {
			case f.Leaf():
				kind := map[parquet.Kind]string{parquet.Int32: "int32", parquet.Int64: "int64", parquet.Double: "double", parquet.ByteArray: "string"}[f.Type().Kind()]
				if f.Optional() {
					kind += ", null"
				}
				columns = append(columns, name+" "+kind)
			default:
				columns = append(columns, name+" list")
				walk(name+".", f.Fields()[0].Fields()[0].Fields()) // of its elements
			}
		}
	}
	walk("", schema.Fields())
	if !reflect.DeepEqual(documented, columns) {
		t.Errorf("docs/check.md has\n%s\nand the file\n%s", strings.Join(documented, "\n"), strings.Join(columns, "\n"))
	}
}
