package gateway

import (
	"mime"
	"strings"
	"testing"
)

// TestJSONType checks which media types are read as JSON.
func TestJSONType(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"": true, "application/json": true, " Application/JSON\t": true, "application/json;": true, "application/json; ;": true,
		"application/json;charset=utf-8": true, "application/json ; Charset=UTF-8": true, `application/json; charset="Utf-8"`: true,
		"application/json; charset=us-ascii": true, `application/json; v="a;charset=utf-7"; charset=utf-8`: true,
		`application/json; v="\"; charset=utf-7"`: true, "application/json; my-charset=utf-7": true,

		"application/json; charset=utf-7": false, "application/json; charset=UTF-16": false, "application/json; charset=utf8": false,
		"application/json; charset=iso-8859-1": false, `application/json; charset="utf-16le"`: false, `application/json; v="a"; charset=utf-7`: false,
		"application/json; charset=utf-8; charset=utf-8": false, "application/json; charset=utf-8; CHARSET=utf-7": false,
		"application/json; charset*=utf-8''utf-7": false, "application/json; charset*0=utf-7": false, `application/json; charset="\u\t\f-7"`: false,
		"application/json; charset": false, "application/json; charset=": false, "application/json; charset =utf-7": false,
		"application/json; charset= utf-7": false, `application/json; charset="utf-8`: false, "application/json; charset=utf-8 utf-7": false,
		"application/json; charset=utf-8, text/plain": false, "application/json; =utf-7": false, "application/json; charset='utf-7'": false,
		"application/jsonp": false, "text/json": false, "; charset=utf-7": false,
	} {
		if got := jsonType([]byte(value)); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

// FuzzJSONType holds the types that are taken against another parser: it reads no other charset.
func FuzzJSONType(f *testing.F) {
	f.Add(`application/json; charset="utf-8"; a=b`)
	f.Add(`application/json; a="; charset=utf-7`)
	f.Fuzz(func(t *testing.T, value string) {
		if value == "" || !jsonType([]byte(value)) {
			return
		}
		kind, parameters, err := mime.ParseMediaType(value)
		if err != nil {
			return // that parser knows less: it refuses two parameters of one name
		}
		if charset, ok := parameters["charset"]; kind != mimeJSON || ok && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") {
			t.Errorf("%q is taken, and is %s with %v", value, kind, parameters)
		}
	})
}
