package openrtb

import (
	"bytes"
	_ "embed"
	"encoding/json"
)

//go:embed banner.json
var banner []byte

// BannerText returns the request: 804 bytes, with the members of the articles' request, and
// values of the same kinds and lengths.
func BannerText() []byte { return bytes.Clone(bytes.TrimSpace(banner)) }

// IndentedText returns the same request as people read it.
func IndentedText() ([]byte, error) {
	var out bytes.Buffer
	err := json.Indent(&out, BannerText(), "", "  ")
	return out.Bytes(), err
}
