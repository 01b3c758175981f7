package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"
)

// row has a column of each kind.
type row struct {
	Name   string   `parquet:"name,dict"`
	Number int64    `parquet:"number,delta"`
	Plain  int64    `parquet:"plain"`
	Text   string   `parquet:"text,optional"`
	Kind   string   `parquet:"kind,dict,optional"`
	Never  string   `parquet:"never,dict,optional"`
	Small  int32    `parquet:"small"`
	Maybe  *int32   `parquet:"maybe,optional"`
	Price  *float64 `parquet:"price,optional"`
	Parts  []part   `parquet:"parts,list"`
	Last   int32    `parquet:"last"`
}

type part struct {
	ID string `parquet:"id,dict"`
	At *int32 `parquet:"at,optional"`
}

// random returns rows of every shape.
func random(r *rand.Rand, n int) (rows []row) {
	for i := range n {
		v := row{
			Name: fmt.Sprint("name ", r.IntN(50)), Number: int64(i) << r.IntN(40), Plain: r.Int64() - 1<<62, Small: int32(r.Uint32()),
			Parts: []part{}, Last: int32(i),
		}
		if r.IntN(3) > 0 {
			v.Text = strings.Repeat("ä\x00😀", r.IntN(40)+1)
		}
		if r.IntN(3) > 0 {
			v.Kind = fmt.Sprint(r.IntN(1000))
		}
		if r.IntN(2) > 0 {
			v.Maybe, v.Price = new(int32(r.Uint32())), new(r.NormFloat64())
		}
		for range r.IntN(4) {
			p := part{ID: fmt.Sprint(r.IntN(300))}
			if r.IntN(2) > 0 {
				p.At = new(int32(r.IntN(10)))
			}
			v.Parts = append(v.Parts, p)
		}
		rows = append(rows, v)
	}
	return rows
}

// write returns a file of row groups of so many rows.
func write(t *testing.T, o Options, rows []row, group int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := New[row](&out, o)
	for len(rows) > 0 {
		n := min(group, len(rows))
		if err := w.Write(rows[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t *testing.T, data []byte) *library.File {
	t.Helper()
	f, err := library.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRead reads with parquet-go what was written, with pages and dictionaries of several sizes.
func TestRead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 1000} {
		want := random(r, n)
		for _, o := range []Options{
			{PageBytes: 1 << 20, DictionaryBytes: 1 << 20}, {PageBytes: 1, DictionaryBytes: 1 << 20}, {PageBytes: 100, DictionaryBytes: 50},
			{PageBytes: 3000, DictionaryBytes: 1000}, {PageBytes: 1 << 20, DictionaryBytes: 0},
		} {
			for _, group := range []int{n + 1, 300} {
				data := write(t, o, want, group)
				got, err := library.Read[row](bytes.NewReader(data), int64(len(data)))
				if err != nil || len(got) != len(want) {
					t.Fatalf("%d rows, %+v: read %d, %v", n, o, len(got), err)
				}
				for i := range got {
					if len(got[i].Parts) == 0 {
						got[i].Parts = []part{} // nil and empty are the same in a file
					}
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("%d rows, %+v: row %d\n%+v\nwant\n%+v", n, o, i, got[i], want[i])
					}
				}
				if groups := len(open(t, data).RowGroups()); groups != (n+group-1)/group {
					t.Errorf("%d rows by %d: %d row groups", n, group, groups)
				}
			}
		}
	}
}

// TestSchema: the schema, and what a column says of its encodings and limits, match parquet-go.
func TestSchema(t *testing.T) {
	rows := random(rand.New(rand.NewPCG(3, 4)), 500)
	ours := open(t, write(t, Options{PageBytes: 1 << 20, DictionaryBytes: 1 << 20}, rows, len(rows))).Metadata()
	var out bytes.Buffer
	w := library.NewGenericWriter[row](&out, library.Compression(&library.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	theirs := open(t, out.Bytes()).Metadata()
	if !reflect.DeepEqual(ours.Schema, theirs.Schema) {
		t.Errorf("schema\n%+v\nwant\n%+v", ours.Schema, theirs.Schema)
	}
	for i := range theirs.RowGroups[0].Columns {
		got, want := ours.RowGroups[0].Columns[i].MetaData, theirs.RowGroups[0].Columns[i].MetaData
		if got.Type != want.Type || !reflect.DeepEqual(got.PathInSchema, want.PathInSchema) || got.NumValues != want.NumValues || got.Codec != want.Codec {
			t.Errorf("column\n%+v\nwant\n%+v", got, want)
		}
		if got.Statistics.NullCount != want.Statistics.NullCount {
			t.Errorf("%v: %d nulls, want %d", got.PathInSchema, got.Statistics.NullCount, want.Statistics.NullCount)
		}
	}
}

// TestStatistics: limits match the values, and longer texts have none.
func TestStatistics(t *testing.T) {
	rows := []row{
		{Name: "b", Number: -5, Small: 7, Price: new(0.5), Text: "x"},
		{Name: "a", Number: 300, Small: -1, Price: new(-2.0), Text: strings.Repeat("y", statisticsTextMax+1)},
		{Name: "c", Number: 0},
	}
	f := open(t, write(t, Options{PageBytes: 1, DictionaryBytes: 1 << 10}, rows, 3))
	for _, tt := range []struct {
		column    string
		low, high any
	}{
		{"name", "a", "c"},
		{"number", int64(-5), int64(300)},
		{"small", int32(-1), int32(7)},
		{"price", -2.0, 0.5},
		{"text", nil, nil},
		{"maybe", nil, nil},
	} {
		leaf, found := f.Schema().Lookup(tt.column)
		if !found {
			t.Fatalf("no column %s", tt.column)
		}
		s := f.Metadata().RowGroups[0].Columns[leaf.ColumnIndex].MetaData.Statistics
		if tt.low == nil {
			if s.MinValue != nil || s.MaxValue != nil {
				t.Errorf("%s: from %q to %q", tt.column, s.MinValue, s.MaxValue)
			}
			continue
		}
		kind := leaf.Node.Type().Kind()
		if low, high := kind.Value(s.MinValue), kind.Value(s.MaxValue); low.String() != fmt.Sprint(tt.low) || high.String() != fmt.Sprint(tt.high) {
			t.Errorf("%s: from %v to %v, want %v to %v", tt.column, low, high, tt.low, tt.high)
		}
	}
}

// TestErrors: an error of the file is returned, at any byte.
func TestErrors(t *testing.T) {
	rows := random(rand.New(rand.NewPCG(5, 6)), 50)
	whole := len(write(t, Options{PageBytes: 100, DictionaryBytes: 100}, rows, 20))
	for room := 0; room < whole; room += 1 + whole/300 {
		w := New[row](&limited{room}, Options{PageBytes: 100, DictionaryBytes: 100})
		err := w.Write(rows[:20])
		err = errors.Join(err, w.Flush(), w.Write(rows[20:40]), w.Flush(), w.Write(rows[40:]), w.Close())
		if !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("room for %d of %d bytes: %v", room, whole, err)
		}
	}
}

// limited takes some bytes.
type limited struct{ room int }

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.room {
		n := l.room
		l.room = 0
		return n, io.ErrShortWrite
	}
	l.room -= len(p)
	return len(p), nil
}

// TestField: a type that no column has is refused.
func TestField(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "field Bad") {
			t.Errorf("%s", r)
		}
	}()
	New[struct {
		Bad bool `parquet:"bad"`
	}](io.Discard, Options{})
}
