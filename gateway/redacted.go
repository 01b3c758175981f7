package gateway

import (
	"cmp"
	"time"
)

// What is shown of options has the names of the configuration's keys. These types are converted
// from those of options: they have the same fields.
type (
	shownLimits struct {
		Rate     int `json:"rate,omitempty"`
		Burst    int `json:"burst,omitempty"`
		InFlight int `json:"in_flight,omitempty"`
	}
	shownShares struct {
		Forwarded float64 `json:"share"`
		Refused   float64 `json:"refused"`
	}
	shownResponses struct {
		Mode   ResponseMode `json:"mode,omitempty"`
		Sample float64      `json:"sample,omitempty"`
	}
	shownPassthrough struct {
		Path   string `json:"path"`
		Method string `json:"method"`
	}
)

// Redacted returns what can be shown of options: no token, and not what their engine is made of.
func (o Options) Redacted() any {
	type match struct {
		Path    string   `json:"path,omitempty"`
		MTLS    string   `json:"mtls,omitempty"`
		From    []string `json:"from,omitempty"`
		Token   bool     `json:"token,omitempty"` // whether there is one
		Headers []string `json:"headers,omitempty"`
	}
	type partner struct {
		Name       string                 `json:"name"`
		Match      match                  `json:"match"`
		NoBid      NoBid                  `json:"no_bid"`
		Limits     shownLimits            `json:"limits"`
		Publishers map[string]shownLimits `json:"publishers,omitempty"`
		Responses  shownResponses         `json:"responses"`
		TMaxMs     int                    `json:"tmax,omitempty"`
		Upstream   string                 `json:"upstream_timeout,omitempty"`
		Reserve    string                 `json:"reserve,omitempty"`
		Vendors    *[]string              `json:"vendors,omitempty"` // none is not the same as all
		Capture    *shownShares           `json:"capture,omitempty"`
	}
	var partners []partner
	for i := range o.Partners {
		p := &o.Partners[i]
		m := match{Path: p.Match.Path, MTLS: p.Match.MTLS, Token: p.Match.Token != ""}
		for _, r := range p.Match.From {
			m.From = append(m.From, r.String())
		}
		for _, h := range p.Match.Headers {
			m.Headers = append(m.Headers, h.Name) // a value may be a secret
		}
		own := partner{
			Name: p.Name, Match: m, NoBid: p.NoBid, Limits: shownLimits(p.Limits), Responses: shownResponses(p.Responses),
			TMaxMs: p.TMaxMs, Upstream: shown(p.UpstreamTimeout), Reserve: shown(p.Reserve), Capture: (*shownShares)(p.CaptureShares),
		}
		if p.Vendors != nil {
			own.Vendors = &p.Vendors
		}
		for id, l := range p.Publishers {
			if own.Publishers == nil {
				own.Publishers = map[string]shownLimits{}
			}
			own.Publishers[id] = shownLimits(l)
		}
		partners = append(partners, own)
	}
	var passthrough []shownPassthrough
	for _, t := range o.Passthrough {
		passthrough = append(passthrough, shownPassthrough(t))
	}
	var inspectors []string
	for _, i := range o.Inspectors {
		inspectors = append(inspectors, i.Name())
	}
	var trusted []string
	for _, r := range o.TrustedProxies {
		trusted = append(trusted, r.String())
	}
	return map[string]any{
		"upstreams": o.Upstreams, "path": o.Path, "no_bid": o.NoBid, "shadow": o.Shadow, "forward_gzip": o.ForwardGzip,
		"lower_tmax": o.LowerTMax, "vendors": o.vendorNames(), "windows": o.Windows != nil, "capture": o.captured(),
		"full_rejects": o.FullRejects, "publisher_metrics": o.PublisherMetricsMax,
		"partners": partners, "trusted_proxies": trusted, "headers": o.FactHeaders, "passthrough": passthrough,
		"annotate": o.Engine.Annotates(), "responses": shownResponses(o.Responses), "compress": o.CompressMin,
		"upstream_ca": o.UpstreamCAs != "", "core": o.Core != nil, "inspectors": inspectors,
		"overload_tolerance": cmp.Or(o.OverloadTolerance, OverloadToleranceDefault),
		"timeouts": map[string]string{
			"head": o.HeadTimeout.String(), "body": o.BodyTimeout.String(), "write": o.WriteTimeout.String(), "idle": o.IdleTimeout.String(),
			"upstream": o.UpstreamTimeout.String(), "upstream_idle": o.UpstreamIdleTimeout.String(), "reserve": o.Reserve.String(),
			"drain_delay": o.DrainDelay.String(), "drain": o.DrainTimeout.String(),
		},
		"max": map[string]int{
			"body": o.BodyMax, "head": o.HeadMax, "response": o.ResponseMax, "ratio": o.RatioMax, "connections": o.ConnectionsMax,
			"streams": o.StreamsMax, "resets": o.ResetsMax, "in_flight": o.InFlightMax, "memory": o.MemoryMax, "upstream_connections": o.UpstreamConnectionsMax,
		},
	}
}

// shown is a time that may be missing.
func shown(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// vendorNames are the services that are asked. Where they are is a secret: a URL may have a key.
func (o *Options) vendorNames() (names []string) {
	for _, s := range o.Vendors.Stats() {
		names = append(names, s.Name)
	}
	return names
}

// captured says what is captured, nil for nothing.
func (o *Options) captured() any {
	if o.Capture == nil {
		return nil
	}
	c := o.Capture.Options()
	return map[string]any{
		"folder": c.Folder, "share": o.CaptureShares.Forwarded, "refused": o.CaptureShares.Refused, "redact": !c.Raw,
		"max_file": c.FileMax, "max_disk": c.DiskMax, "max_age": c.AgeMax.String(), "max_rate": c.RateMax,
	}
}
