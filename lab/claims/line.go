package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// column is a figure of the lines that are sent in.
type column struct {
	head, figure string
	share        bool
	said         float64 // by the text, 0 for nothing
	cores        bool    // said of the machine with many cores, not of the one of the articles
}

// columns are what one machine tells another: ratios alone.
var columns = []column{
	{head: "json-iterator", figure: "published/banner/encoding-json/over-jsoniter", said: 3.5},
	{head: "go-json", figure: "published/banner/encoding-json/over-gojson", said: 4.8},
	{head: "go-json, pooled", figure: "published/banner/encoding-json/over-gojson-pool", said: 5.1},
	{head: "`ParseFast`", figure: "published/banner/encoding-json/over-fast", said: 5.7},
	{head: "`ParseFastArena`", figure: "published/banner/encoding-json/over-arena", said: 6.2},
	{head: "rtbwire-gen, arena", figure: "published/banner/encoding-json/over-rtbwire-arena"},
	{head: "byte by byte / vectors", figure: "published/banner/fast-byteloop/over-fast-vectors"},
	{head: "ten goroutines save", figure: "published/parallel/10/saved/gojson-pool", share: true, said: 0.43},
	{head: "ten goroutines: pool / arena", figure: "published/parallel/10/gojson-pool/over-arena", said: 2.5},
	{head: "all cores: yyjson", figure: "cpp/packets/all/yyjson-malloc-needle/time-of-one", said: 1, cores: true},
	{head: "all cores: nlohmann::json", figure: "cpp/packets/all/nlohmann-noexcept-needle/time-of-one", said: 2.65, cores: true},
}

// form is how the figure of a column is written.
func (c *column) form() Form {
	if c.share {
		return Share
	}
	return Times
}

// line returns one line of JSON: the machine, versions, and the figures of the columns, of those
// of a folder. The comparison of C++ libraries may be missing: a machine may lack a compiler.
func line(all figures.All) ([]byte, error) {
	published := all[columns[0].figure]
	if published == nil {
		return nil, errors.New("the folder has no run of \"go run . published\"")
	}
	row := *published
	row.Preliminary = slices.Clone(row.Preliminary)
	row.Command, row.Figures = "make bench-published", map[string]figures.Figure{}
	for _, c := range columns {
		f := all[c.figure]
		if f == nil {
			continue
		}
		v := f.Figures[c.figure]
		v.Value, v.Lo, v.Hi = short(v.Value), short(v.Lo), short(v.Hi)
		row.Figures[c.figure] = v
		for _, why := range f.Preliminary {
			if !slices.Contains(row.Preliminary, why) {
				row.Preliminary = append(row.Preliminary, why)
			}
		}
	}
	text, err := json.Marshal(&row)
	return append(text, '\n'), err
}

// short rounds to four digits.
func short(v float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // what Format writes is a number
	return rounded
}
