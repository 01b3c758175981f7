package openrtb_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestParseReader reads the corpus as Parse does. What readers may do is tested in package wire.
func TestParseReader(t *testing.T) {
	pool, responses := openrtb.NewPool(wire.MaxSize(1<<20)), openrtb.NewResponsePool(wire.MaxSize(1<<20))
	for i, d := range testkit.Documents(t) {
		if testing.Short() && i%10 != 0 {
			continue
		}
		read := func() io.Reader {
			if i%2 == 0 {
				return bytes.NewReader(d.Text)
			}
			return iotest.HalfReader(bytes.NewReader(d.Text))
		}
		var want, got, pooled any
		var wantErr, gotErr, pooledErr error
		if d.Response {
			want, wantErr = openrtb.ParseResponse(d.Text)
			got, gotErr = openrtb.ParseResponseReader(read(), int64(len(d.Text)))
			pooled, pooledErr = responses.ParseReader(read())
		} else {
			want, wantErr = openrtb.Parse(d.Text)
			got, gotErr = openrtb.ParseReader(read(), int64(len(d.Text)))
			pooled, pooledErr = pool.ParseReader(read())
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotErr, wantErr) || !reflect.DeepEqual(pooled, want) || !reflect.DeepEqual(pooledErr, wantErr) {
			t.Errorf("%s: %v, and from a pool %v; want %v", d.Name, gotErr, pooledErr, wantErr)
		}
	}
}

// TestParseReaderLimits reads texts around the limit.
func TestParseReaderLimits(t *testing.T) {
	text := `{"id":"1"}`
	for limit, want := range map[int64]string{
		-1: "document (byte 0): document too long (want at most 0 bytes)",
		0:  "document (byte 0): document too long (want at most 0 bytes)",
		9:  "document (byte 9): document too long (want at most 9 bytes)", 10: "", 11: "", 1 << 62: "",
	} {
		v, err := openrtb.ParseReader(strings.NewReader(text), limit)
		r, responseErr := openrtb.ParseResponseReader(strings.NewReader(text), limit)
		if want == "" {
			if err != nil || responseErr != nil || v.ID != "1" || r.ID != "1" {
				t.Errorf("limit %d: %v, %v", limit, err, responseErr)
			}
			continue
		}
		if fmt.Sprint(err) != want || fmt.Sprint(responseErr) != want || !errors.Is(err, wire.CodeSize) || v != nil || r != nil {
			t.Errorf("limit %d: %v, %v; want %v", limit, err, responseErr, want)
		}
	}
	for _, limit := range []int{9, 10} {
		if _, err := openrtb.NewPool(wire.MaxSize(limit)).ParseReader(strings.NewReader(text)); (err == nil) != (limit == 10) || err != nil && !errors.Is(err, wire.CodeSize) {
			t.Errorf("a pool with the limit %d: %v", limit, err)
		}
	}
	if _, err := openrtb.ParseReader(strings.NewReader(""), 0); !errors.Is(err, wire.CodeEmpty) {
		t.Errorf("nothing, of which nothing is allowed: %v", err)
	}
	// Beyond the limit of Parse nothing is read only to be refused.
	endless := endlessReader{}
	if _, err := openrtb.ParseReader(&endless, 1<<40); !errors.Is(err, wire.CodeSize) || endless.bytes != wire.SizeDefault+1 {
		t.Errorf("an endless reader: %d bytes, %v", endless.bytes, err)
	}
}

type endlessReader struct{ bytes int }

func (r *endlessReader) Read(b []byte) (int, error) {
	r.bytes += len(b)
	return len(b), nil
}

// TestParseReaderErrors tells errors of the reader from those of the document.
func TestParseReaderErrors(t *testing.T) {
	broken := errors.New("connection reset")
	_, err := openrtb.ParseReader(io.MultiReader(strings.NewReader(`{"id":"1"}`), iotest.ErrReader(broken)), 100)
	var e *wire.Error
	if !errors.Is(err, broken) || errors.As(err, &e) {
		t.Errorf("%v", err)
	}
	_, err = openrtb.ParseReader(strings.NewReader(`{"id":1}`), 100)
	if !errors.As(err, &e) || e.Code != wire.CodeType || e.Path != "/id" {
		t.Errorf("%v", err)
	}
}

// TestParseReaderOwnsItsMemory reads other documents into the buffers that the first was read into.
func TestParseReaderOwnsItsMemory(t *testing.T) {
	var kept []*openrtb.BidRequest
	for tag := range 100 {
		v, err := openrtb.ParseReader(bytes.NewReader(testkit.TaggedRequest(1000+tag, 3)), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, v)
	}
	for tag, v := range kept {
		if s := testkit.CheckTagged(v, 1000+tag, testkit.TaggedLeaves(3)); s != "" {
			t.Fatal(s)
		}
	}
}
