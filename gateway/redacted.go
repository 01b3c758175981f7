package gateway

import (
	"cmp"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Redacted returns what can be shown of options, by the names of their keys: no token, and not what
// their engine is made of.
func (o Options) Redacted() map[string]any {
	out := setting.Show(&o, keys)
	var inspectors, vendors []string
	for _, i := range o.Inspectors {
		inspectors = append(inspectors, i.Name())
	}
	for _, s := range o.Vendors.Stats() { // where they are is a secret: a URL may have a key
		vendors = append(vendors, s.Name)
	}
	var partners []any
	for i := range o.Partners {
		partners = append(partners, o.Partners[i].redacted())
	}
	setting.Merge(out, map[string]any{
		"annotate": o.Engine.Annotates(), "core": o.Core != nil, "inspectors": inspectors, "partners": partners, "upstream_ca": o.UpstreamCAs != "",
		"vendors": vendors, "windows": o.Windows != nil, "overload_tolerance": cmp.Or(o.OverloadTolerance, OverloadToleranceDefault),
	})
	setting.Merge(out, map[string]any{
		"telemetry":   map[string]any{"tracer": o.Tracer != nil, "spans": o.Sampling.Share, "sampled_flag": string(o.Sampling.Flag)},
		"verdict_log": map[string]any{"in_use": o.VerdictLog != nil},
	})
	out["candidate"] = nil
	if o.Candidate != nil {
		out["candidate"] = map[string]any{"share": cmp.Or(o.CandidateShare, 1)}
	}
	out["capture"] = nil
	if o.Capture != nil {
		setting.Merge(out, o.Capture.Options().Redacted())
		setting.Merge(out, map[string]any{"capture": setting.Show(&o.CaptureShares, shareKeys)})
	}
	return out
}

// redacted is the same for a partner.
func (p *Partner) redacted() map[string]any {
	out := setting.Show(&configuration{Partner: *p}, partnerKeys)
	publishers := map[string]any{}
	for id, limits := range p.Publishers {
		publishers[id] = setting.Show(&limits, limitKeys)
	}
	for id, names := range p.PublisherUpstreams {
		own, _ := publishers[id].(map[string]any)
		if own == nil {
			own = setting.Show(&Limits{}, limitKeys)
			publishers[id] = own
		}
		own["upstreams"] = names
	}
	out["upstreams"] = p.Upstreams
	setting.Merge(out, setting.Show(&p.Limits, limitKeys))
	setting.Merge(out, map[string]any{
		"name": p.Name, "publishers": publishers, "vendors": p.Vendors, // none is not the same as all
		"match": map[string]any{"token": p.Match.Token != ""},
	})
	return out
}
