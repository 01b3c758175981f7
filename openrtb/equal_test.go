package openrtb_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
)

// equalWays are the ways of decoding whose results have to be equal. The value is valid until done.
type equalWay struct {
	name  string
	parse func(testkit.Document) (v any, done func(), err error)
}

var equalWays = []equalWay{
	{"ParseFast", func(d testkit.Document) (any, func(), error) {
		if d.Response {
			v, err := openrtb.ParseResponseFast(d.Text)
			return v, func() {}, err
		}
		v, err := openrtb.ParseFast(d.Text)
		return v, func() {}, err
	}},
	{"ParseFastArena", func(d testkit.Document) (any, func(), error) {
		if d.Response {
			v, err := openrtb.ParseResponseFastArena(d.Text)
			return v, v.Release, err
		}
		v, err := openrtb.ParseFastArena(d.Text)
		return v, v.Release, err
	}},
	{"Clone", func(d testkit.Document) (any, func(), error) {
		if d.Response {
			v, err := openrtb.ParseResponseFastArena(d.Text)
			if err != nil {
				return v, func() {}, err
			}
			defer v.Release()
			return v.Clone(), func() {}, nil
		}
		v, err := openrtb.ParseFastArena(d.Text)
		if err != nil {
			return v, func() {}, err
		}
		defer v.Release()
		return v.Clone(), func() {}, nil
	}},
}

// TestDeepEqual compares results of Parse with those in arenas and with clones: the whole corpus,
// and messages with every field. reflect.DeepEqual and encoding/json see no difference.
func TestDeepEqual(t *testing.T) {
	docs := testkit.Documents(t)
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		for i := range 2 {
			docs = append(docs, p.document(o.Name+"."+f.JSON, `{"`+f.JSON+`":`+value(f, i)+`}`))
		}
	})
	compared := 0
	for _, d := range docs {
		want, wantErr := parseOwned(d)
		for _, way := range equalWays {
			got, done, err := way.parse(d)
			if !reflect.DeepEqual(err, wantErr) {
				t.Errorf("%s: %s returns %v, Parse %v", d.Name, way.name, err, wantErr)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the results of %s and Parse differ\n%+v\n%+v", d.Name, way.name, got, want)
			}
			if err == nil {
				compared++
				a, errA := json.Marshal(got)
				b, errB := json.Marshal(want)
				if string(a) != string(b) || errA != nil || errB != nil {
					t.Errorf("%s: encoding/json writes the result of %s as\n%s, %v, and that of Parse as\n%s, %v", d.Name, way.name, a, errA, b, errB)
				}
			}
			done()
		}
	}
	if compared < 8000 {
		t.Errorf("only %d results were compared", compared)
	}
}

// parseOwned decodes a message with Parse or ParseResponse.
func parseOwned(d testkit.Document) (any, error) {
	if d.Response {
		return openrtb.ParseResponse(d.Text)
	}
	return openrtb.Parse(d.Text)
}
