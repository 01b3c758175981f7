package engine

import (
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/openrtb"
)

// CheckClaims decodes some requests to find out whether what an engine says about itself is true.
// It returns an error if it is not.
func CheckClaims(e *Engine) error {
	if e.Request.Decode == nil {
		return nil
	}
	found, err := observe(e)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	if found != e.Safety {
		return fmt.Errorf("%s: found %+v, but it says %+v", e.Name, found, e.Safety)
	}
	return nil
}

// observe finds out what an engine does beyond decoding.
func observe(e *Engine) (Safety, error) {
	s := Safety{Copies: No, UTF8: No, CaseSensitive: No}
	decodes := func(text []byte, want *openrtb.BidRequest) (bool, error) {
		v, err := e.Request.Decode(text)
		return err == nil && Diff(v, want) == "", err
	}

	// If the engine copies strings, the value does not change with the text.
	const request = `{"id":"1","device":{"ua":"x"},"cur":["USD"]}`
	text := []byte(request)
	v, err := e.Request.Decode(text)
	if err != nil {
		return s, err
	}
	copy(text, slices.Repeat([]byte("#"), len(text)))
	if Diff(v, &openrtb.BidRequest{ID: "1", Device: &openrtb.Device{UA: "x"}, Cur: []string{"USD"}}) == "" {
		s.Copies = Yes
	}

	ignored, err := decodes([]byte(`{"ID":"1"}`), &openrtb.BidRequest{})
	if err != nil {
		return s, err
	}
	if ignored {
		s.CaseSensitive = Yes
	}

	repaired, err := decodes([]byte("{\"id\":\"a\xffb\"}"), &openrtb.BidRequest{ID: "a\ufffdb"})
	switch {
	case err != nil:
		s.UTF8 = Yes
	case repaired:
		s.UTF8 = Repairs
	}
	return s, nil
}
