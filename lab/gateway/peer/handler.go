package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"

	gojson "github.com/goccy/go-json"

	"github.com/rtbwire/rtbwire/openrtb"
)

// unmarshal is the function that two JSON libraries share.
type unmarshal func([]byte, any) error

var (
	standardJSON unmarshal = json.Unmarshal
	goJSON       unmarshal = func(b []byte, v any) error { return gojson.Unmarshal(b, v) }
)

// bodyMax is the longest body, as in the gateway.
const bodyMax = 256 << 10

// judge refuses a decoded request.
type judge func(r *openrtb.BidRequest, body []byte) error

// plainHandler checks a few things by hand.
func plainHandler(decode unmarshal) func(*options) error {
	return func(o *options) error { return handler(o, decode, validate) }
}

// checkedHandler has the gateway's inspectors behind another decoder.
func checkedHandler(decode unmarshal) func(*options) error {
	return func(o *options) error {
		in, err := openInspectors(o.config)
		if err != nil {
			return err
		}
		return handler(o, decode, in.check)
	}
}

// handler is what a team writes when it needs such a tier: a handler of net/http that reads the
// body, decodes it into structs, checks them, and posts the body to the core. It has no guard, no
// limits but that of the body, no budget and no metrics.
func handler(o *options, decode unmarshal, check judge) error {
	client := &http.Client{Transport: transport(), Timeout: time.Second}
	target := "http://" + o.upstream
	mux := http.NewServeMux()
	mux.HandleFunc("POST /openrtb2/auction", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMax))
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var request openrtb.BidRequest
		if err := decode(body, &request); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if err := check(&request, body); err != nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		on, err := http.NewRequestWithContext(r.Context(), http.MethodPost, target+r.URL.Path, bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		for _, name := range []string{"Content-Type", "X-Openrtb-Version", "X-Request-Id", checkHeader} {
			if value := r.Header.Get(name); value != "" {
				on.Header.Set(name, value)
			}
		}
		answer, err := client.Do(on)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		for _, name := range []string{"Content-Type", "X-Openrtb-Version"} {
			if value := answer.Header.Get(name); value != "" {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body) // whoever asked is gone
	})
	return serve(o, mux)
}

// blocked is what teams keep in a map.
var blocked = map[string]bool{"blocked.example": true, "evil.example": true, "casino.example": true, "com.blocked.app": true}

var errInvalid = errors.New("invalid")

// validate checks what such handlers check.
func validate(r *openrtb.BidRequest, _ []byte) error {
	switch {
	case r.ID == "" || len(r.Imp) == 0:
		return errInvalid
	case r.Site != nil && r.App != nil:
		return errInvalid
	case r.Site != nil && blocked[r.Site.Domain], r.App != nil && blocked[r.App.Bundle]:
		return errInvalid
	case r.TMax != nil && *r.TMax < 0:
		return errInvalid
	}
	ids := make(map[string]bool, len(r.Imp))
	for i := range r.Imp {
		imp := &r.Imp[i]
		switch {
		case imp.ID == "" || ids[imp.ID]:
			return errInvalid
		case imp.Banner == nil && imp.Video == nil && imp.Audio == nil && imp.Native == nil:
			return errInvalid
		case imp.BidFloor != nil && *imp.BidFloor < 0:
			return errInvalid
		}
		ids[imp.ID] = true
	}
	if d := r.Device; d != nil && d.IP != "" {
		if _, err := netip.ParseAddr(d.IP); err != nil {
			return errInvalid
		}
	}
	return nil
}
