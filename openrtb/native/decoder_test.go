package native

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// TestDecoder checks a decoder over several texts against ParseRequest and ParseResponse.
func TestDecoder(t *testing.T) {
	huge := `{"assets":[{"id":1,"title":{"len":` + strings.Repeat(" ", 1<<17) + `25}}` + strings.Repeat(`,{"id":2}`, 4000) + `]}`
	texts := []string{
		`{"ver":"1.2","assets":[{"id":1,"required":1,"title":{"len":90}},{"id":2,"img":{"type":3,"w":10}}]}`,
		`{"native":{"ver":"1.0","assets":[{"id":7,"data":{"type":2}}]}}`,
		`{"link":{"url":"https:\/\/a.example"},"assets":[{"id":1,"title":{"text":"caf\u00e9"}}]}`,
		`{"native":{"link":{"url":"https://a.example"}}}`,
		``, `[]`, `{"assets":[{"id":"1"}]}`, `{"assets":`, `{}`, huge, `{"eventtrackers":[{"event":1}]}`,
	}
	var d Decoder
	for range 2 {
		for _, text := range texts {
			got, w, err := d.Request([]byte(text))
			want, ww, wantErr := ParseRequest(text)
			if (err == nil) != (wantErr == nil) || w != ww || !reflect.DeepEqual(got, want) {
				t.Errorf("%.60q as request: %+v, %v, %v; want %+v, %v, %v", text, got, w, err, want, ww, wantErr)
			}
			if e := (*wire.Error)(nil); err != nil && !errors.As(err, &e) {
				t.Errorf("%.60q: %T", text, err)
			}
			answer, w, err := d.Response([]byte(text))
			wantAnswer, ww, wantErr := ParseResponse(text)
			if (err == nil) != (wantErr == nil) || w != ww || !reflect.DeepEqual(answer, wantAnswer) {
				t.Errorf("%.60q as response: %+v, %v, %v; want %+v, %v, %v", text, answer, w, err, wantAnswer, ww, wantErr)
			}
		}
	}
	if !mem.ZeroCopy {
		return
	}
	request, response := []byte(texts[0]), []byte(texts[3])
	if n := testing.AllocsPerRun(20, func() {
		if _, _, err := d.Request(request); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.Response(response); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a warm decoder allocates %v times", n)
	}
}
