package rerun

import (
	"encoding/json"
	"strconv"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// Column is a figure of the rows that are sent in.
type Column struct {
	Head, Figure string
	Share        bool
	Said         float64 // by the articles, 0 for nothing
}

// Columns are what one machine tells another: ratios alone.
var Columns = []Column{
	{"json-iterator", "published/banner/encoding-json/over-jsoniter", false, 3.5},
	{"go-json", "published/banner/encoding-json/over-gojson", false, 4.8},
	{"go-json, pooled", "published/banner/encoding-json/over-gojson-pool", false, 5.1},
	{"`ParseFast`", "published/banner/encoding-json/over-fast", false, 5.7},
	{"`ParseFastArena`", "published/banner/encoding-json/over-arena", false, 6.2},
	{"rtbwire-gen, arena", "published/banner/encoding-json/over-rtbwire-arena", false, 0},
	{"byte by byte / vectors", "published/banner/fast-byteloop/over-fast-vectors", false, 0},
	{"ten goroutines save", "published/parallel/10/saved/gojson-pool", true, 0.43},
	{"ten goroutines: pool / arena", "published/parallel/10/gojson-pool/over-arena", false, 2.5},
}

// Line returns one line of JSON: the machine, versions, and the figures of the columns.
func Line(f *figures.File) ([]byte, error) {
	row := *f
	row.Figures = map[string]figures.Figure{}
	for _, c := range Columns {
		if v, ok := f.Figures[c.Figure]; ok {
			v.Value, v.Lo, v.Hi = digits(v.Value), digits(v.Lo), digits(v.Hi)
			row.Figures[c.Figure] = v
		}
	}
	text, err := json.Marshal(row)
	return append(text, '\n'), err
}

// digits rounds to four digits.
func digits(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // what Format writes is a number
	return short
}
