package bidder

import (
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

func TestFloor(t *testing.T) {
	for body, want := range map[string]float64{
		`{"id":"1","imp":[{"id":"1","bidfloor":0.5}]}`: 0.5,
		`{"id":"1","imp":[{"id":"1"}]}`:                0,
		`{"id":"1"}`:                                   0,
	} {
		for name, f := range map[string]func([]byte) (float64, error){
			"encoding/json": floorJSON, "json-iterator": floorJSONIterator, "sonic": floorSonic, "rtbwire": floor,
		} {
			if got, err := f([]byte(body)); err != nil || got != want {
				t.Errorf("%s: %s: %v, %v, want %v", name, body, got, err, want)
			}
			if _, err := f([]byte(body[1:])); err == nil {
				t.Errorf("%s accepts %s", name, body[1:])
			}
		}
	}
}

func TestArena(t *testing.T) {
	body := []byte(`{"id":"keep"}`)
	id, err := idArena(body)
	clear(body)
	if err != nil || id != "keep" {
		t.Errorf("%q, %v", id, err)
	}
	if _, err := idArena(body); err == nil {
		t.Error("zero bytes are a request")
	}
}

// TestExt reads a number that float64 does not hold.
func TestExt(t *testing.T) {
	const exact = 1<<53 + 1
	body := []byte(`{"ext":{"score":9007199254740993}}`)
	var before request
	if err := json.Unmarshal(body, &before); err != nil || scoreBefore(&before) == exact {
		t.Errorf("through interface{} the number is %d (%v)", scoreBefore(&before), err)
	}
	req, err := openrtb.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := score(req); err != nil || got != exact {
		t.Errorf("%d, %v", got, err)
	}
	if got, err := score(new(openrtb.BidRequest)); err != nil || got != 0 {
		t.Errorf("without ext: %d, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	if !accepts([]byte(`{}`)) || accepts([]byte(`{"tmax":"x"}`)) {
		t.Error("wrong answer")
	}
	_, err := openrtb.Parse([]byte(`{"tmax":"x"}`))
	if e := (*wire.Error)(nil); !errors.As(err, &e) || e.Code != wire.CodeType || e.Offset != 8 || e.Path != "/tmax" {
		t.Errorf("%v", err)
	}
}

// TestStream shows that a json.Decoder leaves what follows the document, and Parse refuses it.
func TestStream(t *testing.T) {
	for body, accepted := range map[string]bool{`{"id":"1"}`: true, `{"id":"1"} {"id":"2"}`: false} {
		var v request
		if err := json.NewDecoder(strings.NewReader(body)).Decode(&v); err != nil || v.ID != "1" {
			t.Errorf("encoding/json: %v", err)
		}
		req, err := read(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(body)))
		if (err == nil) != accepted || accepted && req.ID != "1" {
			t.Errorf("%s: %v", body, err)
		}
	}
	large := httptest.NewRequest("POST", "/", io.LimitReader(zeros{}, bodyMax+1))
	if _, err := read(httptest.NewRecorder(), large); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a body over the limit: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestRespond(t *testing.T) {
	got, err := respond([]byte("x"), "r", "i", 0)
	if want := `x{"id":"r","seatbid":[{"bid":[{"id":"1","impid":"i","price":0}]}]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestReused shows that encoding/json keeps what the target had, and Parse never does.
func TestReused(t *testing.T) {
	first, second := []byte(`{"id":"1","ext":{"a":1}}`), []byte(`{"id":"2"}`)
	var v request
	if err := errors.Join(json.Unmarshal(first, &v), json.Unmarshal(second, &v)); err != nil || v.Ext == nil {
		t.Errorf("encoding/json: %v, %v", v, err)
	}
	d := openrtb.NewDecoder()
	if _, err := d.Decode(first); err != nil {
		t.Fatal(err)
	}
	if req, err := d.Decode(second); err != nil || req.Ext != nil {
		t.Errorf("rtbwire: %v", err)
	}
}

// TestOmitEmpty shows what a struct with values loses: the 0 that a partner sent.
func TestOmitEmpty(t *testing.T) {
	body := []byte(`{"imp":[{"id":"1","bidfloor":0}]}`)
	var v request
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(&v.Imp[0]); err != nil || strings.Contains(string(text), "bidfloor") {
		t.Errorf("encoding/json: %s, %v", text, err)
	}
	req, err := openrtb.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := req.AppendJSON(nil); err != nil || !slices.Equal(text, body) {
		t.Errorf("rtbwire: %s, %v", text, err)
	}
}
