package check

import (
	"fmt"

	gojson "github.com/goccy/go-json"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The operations that a row of the presets compares.
const (
	decode = iota // rtbwire's decoder, the base
	peer          // goccy/go-json's decoder
	value         // the value layer
	whole         // the check of the text, which decodes
	operations
)

// presetRow is a preset with some documents.
type presetRow struct {
	preset schema.Preset
	name   string // of the documents
	contest
}

// documents are the names of the data sets and how the table calls them.
var documents = []struct{ set, name string }{{"banner", "banner"}, {"app", "app"}, {"mixed", "corpus"}}

// presetRows returns the rows of the table, in its order.
func presetRows(sets []data.Set) (rows []*presetRow, err error) {
	for _, preset := range schema.Presets() {
		engine, err := schema.New(schema.WithPreset(preset))
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			set, ok := data.Find(sets, d.set)
			if !ok {
				return nil, fmt.Errorf("no data set %s", d.set)
			}
			if len(set.Docs) == 1 {
				rows = append(rows, newPresetRow(engine, preset, d.name, set.Docs))
				continue
			}
			accepted, others := split(engine, set.Docs)
			if len(accepted) != 0 {
				rows = append(rows, newPresetRow(engine, preset, d.name+", no findings", accepted))
			}
			if len(others) != 0 {
				rows = append(rows, newPresetRow(engine, preset, d.name+", with findings", others))
			}
		}
	}
	return rows, nil
}

// split separates the documents without findings from the others.
func split(engine *schema.Engine, docs [][]byte) (accepted, others [][]byte) {
	c := engine.NewChecker()
	for _, d := range docs {
		if len(c.Request(d).Findings) == 0 {
			accepted = append(accepted, d)
		} else {
			others = append(others, d)
		}
	}
	return accepted, others
}

// newPresetRow prepares the operations. Documents that can't be decoded are left out.
func newPresetRow(engine *schema.Engine, preset schema.Preset, name string, docs [][]byte) *presetRow {
	r := &presetRow{preset: preset, name: name}
	var values []*openrtb.BidRequest
	for _, d := range docs {
		if v, err := openrtb.Parse(d); err == nil {
			r.docs, values = append(r.docs, d), append(values, v)
		}
	}
	decoder, checker := openrtb.NewDecoder(), engine.NewChecker()
	// Every document has been decoded above, so that errors can't happen here.
	r.do = make([]func(int), operations)
	r.do[decode] = func(i int) { _, _ = decoder.Decode(r.docs[i]) }
	r.do[peer] = func(i int) { _ = gojson.Unmarshal(r.docs[i], new(openrtb.BidRequest)) }
	r.do[value] = func(i int) { checker.RequestValue(values[i], r.docs[i]) }
	r.do[whole] = func(i int) { checker.Request(r.docs[i]) }
	return r
}
