package gateway

import "time"

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
		Name       string            `json:"name"`
		Match      match             `json:"match"`
		NoBid      Style             `json:"no_bid"`
		Limits     Limits            `json:"limits"`
		Publishers map[string]Limits `json:"publishers,omitempty"`
		TMaxMs     int               `json:"tmax,omitempty"`
		Upstream   string            `json:"upstream_timeout,omitempty"`
		Reserve    string            `json:"reserve,omitempty"`
		Vendors    []string          `json:"vendors,omitempty"`
		Capture    *Shares           `json:"capture,omitempty"`
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
		partners = append(partners, partner{p.Name, m, p.NoBid, p.Limits, p.Publishers, p.TMaxMs, shown(p.UpstreamTimeout), shown(p.Reserve), p.Vendors, p.CaptureShares})
	}
	var trusted []string
	for _, r := range o.TrustedProxies {
		trusted = append(trusted, r.String())
	}
	return map[string]any{
		"upstreams": o.Upstreams, "path": o.Path, "no_bid": o.NoBid, "shadow": o.Shadow, "forward_gzip": o.ForwardGzip,
		"lower_tmax": o.LowerTMax, "vendors": o.vendorNames(), "windows": o.Windows != nil, "capture": o.captured(),
		"full_rejects": o.FullRejects, "publisher_metrics": o.PublisherMetricsMax,
		"partners": partners, "trusted_proxies": trusted, "headers": o.FactHeaders, "passthrough": o.Through,
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
