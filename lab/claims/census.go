package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/published/openrtb"
	"github.com/rtbwire/rtbwire/lab/report"
	"github.com/rtbwire/rtbwire/spec"
)

// census writes census.START.json:
//
//	census/specification/fields      fields of all objects that a request can have
//	census/specification/values      those that are values, not objects or arrays
//	census/SET/fields                values that a request of one document has; "published" is the articles'
//	census/corpus/fields-median      the same for the requests of the corpus; -p10 and -p90 alike
func census(folder string) error {
	sets, err := data.Load("")
	if err != nil {
		return err
	}
	f := &figures.File{
		Taken: time.Now().UTC().Truncate(time.Second), Command: "cd lab && go run ./claims census", Machine: report.Look(),
		Figures: map[string]figures.Figure{
			"census/specification/fields": fields(float64(len(specified("BidRequest", true)))),
			"census/specification/values": fields(float64(len(specified("BidRequest", false)))),
		},
	}
	n, err := populated(openrtb.BannerText())
	if err != nil {
		return err
	}
	f.Figures["census/published/fields"] = fields(float64(n))
	for _, name := range []string{"banner", "app"} {
		s, ok := data.Find(sets, name)
		if !ok {
			return fmt.Errorf("no data set %q", name)
		}
		n, err := populated(s.Docs[0])
		if err != nil {
			return err
		}
		f.Figures["census/"+name+"/fields"] = fields(float64(n))
	}
	corpus, ok := data.Find(sets, "mixed")
	if !ok {
		return fmt.Errorf("no data set %q", "mixed")
	}
	var counts []int
	for _, doc := range corpus.Docs {
		n, err := populated(doc)
		if err != nil {
			return err
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	for name, share := range map[string]float64{"p10": 0.1, "median": 0.5, "p90": 0.9} {
		f.Figures["census/corpus/fields-"+name] = fields(float64(counts[int(share*float64(len(counts)-1))]))
	}
	return f.Write(figures.PathOf(filepath.Join(folder, "census.json"), f.Taken))
}

func fields(n float64) figures.Figure { return figures.Exactly(n, "fields") }

// specified returns the fields of an object and of all objects inside it, as "Object.field", with
// or without those that contain others. ext is not counted: it is where the specification ends.
func specified(object string, containers bool) map[string]bool {
	found, done := map[string]bool{}, map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		o := spec.OpenRTB().Object(name)
		if o == nil || done[name] {
			return
		}
		done[name] = true
		for i := range o.Fields {
			f := o.Fields[i]
			if f.JSON == "ext" {
				continue
			}
			if containers || !f.Array && f.ObjectName() == "" {
				found[name+"."+f.JSON] = true
			}
			if f.ObjectName() != "" {
				walk(f.ObjectName())
			}
		}
	}
	walk(object)
	return found
}

// populated counts the values of fields of the specification that a request has, each field once,
// however often its object comes. Objects and arrays are no values: they are where values are.
func populated(doc []byte) (int, error) {
	var v any
	if err := json.Unmarshal(bytes.TrimSpace(doc), &v); err != nil {
		return 0, err
	}
	found := map[string]bool{}
	var walk func(object string, v any)
	walk = func(object string, v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				walk(object, element)
			}
		case map[string]any:
			o := spec.OpenRTB().Object(object)
			if o == nil {
				return
			}
			for key, value := range v {
				f := o.Field(key)
				if f == nil || key == "ext" {
					continue
				}
				switch value.(type) {
				case map[string]any, []any:
				default:
					found[strings.Join([]string{object, key}, ".")] = true
				}
				if f.ObjectName() != "" {
					walk(f.ObjectName(), value)
				}
			}
		}
	}
	walk("BidRequest", v)
	return len(found), nil
}
