// Package setup makes the options of a gateway of a configuration.
package setup

import (
	"fmt"
	"os"
	"strings"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
)

// tokenFileMax is how long a file with a token may be, in bytes.
const tokenFileMax = 4096

// Options returns what a configuration says about a gateway, without what [State] has. The
// environment, as os.Environ returns it, has the tokens of partners.
func Options(s *config.Setup, environ []string) (gateway.Options, error) {
	c := &s.Config.Gateway
	o := gateway.Options{
		Engine: s.Engine, Upstreams: c.Upstreams, Path: c.Path, NoBid: gateway.NoBid(c.NoBid),
		TrustedProxies: c.TrustedProxies, FactHeaders: c.Headers, Shadow: c.Shadow, ForwardGzip: c.ForwardGzip,
		LowerTMax: c.LowerTMax, CaptureShares: gateway.Shares(c.Capture.Shares),

		FullRejects: c.Operators.FullRejects, PublisherMetricsMax: c.Metrics.Publishers,
		Responses: responses(c.Responses), CompressMin: c.Compress,

		HeadTimeout: c.Timeouts.Head, BodyTimeout: c.Timeouts.Body, WriteTimeout: c.Timeouts.Write, IdleTimeout: c.Timeouts.Idle,
		UpstreamTimeout: c.Timeouts.Upstream, UpstreamIdleTimeout: c.Timeouts.UpstreamIdle, Reserve: c.Timeouts.Reserve,
		DrainDelay: c.Timeouts.DrainDelay, DrainTimeout: c.Timeouts.Drain,

		BodyMax: c.Maximums.Body, HeadMax: c.Maximums.Head, ResponseMax: c.Maximums.Response, RatioMax: c.Maximums.Ratio,
		StreamsMax: c.Maximums.Streams, ResetsMax: c.Maximums.Resets,
		ConnectionsMax: c.Maximums.Connections, InFlightMax: c.Maximums.InFlight, MemoryMax: c.Maximums.Memory,
		UpstreamConnectionsMax: c.Maximums.UpstreamConnections,
	}
	var err error
	if o.UpstreamCAs, err = Authorities(c.UpstreamCAs); err != nil {
		return gateway.Options{}, err
	}
	for _, p := range c.Passthrough {
		o.Passthrough = append(o.Passthrough, gateway.Passthrough(p))
	}
	for i := range s.Config.Partners {
		p, err := partner(&s.Config.Partners[i], environ)
		if err != nil {
			return gateway.Options{}, err
		}
		o.Partners = append(o.Partners, p)
	}
	return o, nil
}

func responses(r config.Responses) gateway.Responses {
	return gateway.Responses{Mode: gateway.ResponseMode(r.Mode), Sample: r.Sample}
}

// partner returns the part of a partner that gateways know.
func partner(p *config.Partner, environ []string) (gateway.Partner, error) {
	out := gateway.Partner{
		Name: p.Name, NoBid: gateway.NoBid(p.NoBid), Limits: gateway.Limits(p.Limits), TMaxMs: p.TMaxMs, Responses: responses(p.Responses),
		UpstreamTimeout: p.UpstreamTimeout, Reserve: p.Reserve,
		Match: gateway.Match{Path: p.Match.Path, MTLS: p.Match.MTLS, From: p.Match.From},
	}
	if p.Capture != nil {
		shares := gateway.Shares(*p.Capture)
		out.CaptureShares = &shares
	}
	if p.Vendors != nil {
		out.Vendors = []string{}
		for _, v := range p.Vendors {
			out.Vendors = append(out.Vendors, v.Name)
		}
	}
	for _, h := range p.Match.Header {
		out.Match.Headers = append(out.Match.Headers, gateway.Header(h))
	}
	for i := range p.Publishers {
		own := &p.Publishers[i]
		if own.Limits != (config.Limits{}) {
			if out.Publishers == nil {
				out.Publishers = map[string]gateway.Limits{}
			}
			out.Publishers[own.ID] = gateway.Limits(own.Limits)
		}
	}
	var err error
	out.Match.Token, err = readSecret(p.Match.TokenEnv, p.Match.TokenFile, environ)
	if err != nil {
		return out, fmt.Errorf("the token of the partner %s: %w", p.Name, err)
	}
	return out, nil
}

// readSecret reads a secret from an environment variable or a file, "" if neither is named. An
// empty one is an error: as a token, everybody would have it.
func readSecret(variable, file string, environ []string) (string, error) {
	var text, from string
	switch {
	case variable != "":
		from = "the environment variable " + variable
		for _, entry := range environ {
			if name, value, _ := strings.Cut(entry, "="); name == variable {
				text = value
			}
		}
	case file != "":
		from = "the file " + file
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if len(data) > tokenFileMax {
			return "", fmt.Errorf("%s has %d bytes (want at most %d)", from, len(data), tokenFileMax)
		}
		text = string(data)
	default:
		return "", nil
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", fmt.Errorf("%s is empty or not set", from)
	}
	for _, c := range []byte(text) {
		if c < ' ' || c == 0x7f {
			return "", fmt.Errorf("%s has a control character", from)
		}
	}
	return text, nil
}
