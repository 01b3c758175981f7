package inspect

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/options"
	"github.com/rtbwire/rtbwire/wire"
)

// MaxFindingsDefault is the number of findings kept for a request. It bounds the memory that a
// hostile request can cost.
const MaxFindingsDefault = schema.MaxFindingsDefault

// Config is what an engine is to decide. The zero value is a useful one: the default preset, and
// whatever is an error there refuses.
//
// Its layers are applied from the outside in: the preset, [Config.Global], the partner's, the
// publisher's. Later settings win.
type Config struct {
	// Preset is the table of severities that the layers change. Default: [PresetDefault].
	Preset schema.Preset
	// Global is the layer of all requests. The preset is a part of it: where this layer is in
	// shadow or not sampled, so is the preset.
	Global Layer
	// Partners are the layers of partners, by the names that [Facts.Partner] has.
	Partners map[string]Partner
	// Payload says how payloads are looked for. Default: the default patterns, without layers.
	Payload Payload
	// Fraud is what the fraud score is made with. Default: all signals that need no data.
	Fraud Fraud
	// Response says how responses are judged.
	Response Response
	// Decoding are limits of the decoder, or [wire.Strict]. [wire.Lenient] is an error: what it
	// repairs goes on as it came, and the next parser may read it differently.
	Decoding []wire.Option
	// MaxFindings is the number of findings kept for a request: the most severe ones of each
	// inspector. Others only count. Default: [MaxFindingsDefault].
	MaxFindings int
	// Annotate adds an edit that writes the verdict to /ext/rtbwire. Default: no.
	Annotate bool
}

// Partner is the layer of a partner, and those of its publishers.
type Partner struct {
	Layer
	// Publishers are layers by the id of the publisher, or by [Facts.Publisher].
	Publishers map[string]Layer
}

// Layer is a part of the configuration.
type Layer struct {
	// Severities are applied in order, so that a pattern can come before its exceptions.
	Severities []Setting
	// Rules are about the requests that the layer is about: those of a partner's layer are asked
	// for that partner alone. Their names differ from each other and from those of the layers
	// outside. They are asked in order, after the rules of the layers outside, and each of them is
	// asked, even if one before it refuses.
	Rules []Rule
	// Scrubs are applied to the requests that the layer is about and that are forwarded. Those of
	// a layer in shadow are not applied, and those of a layer with a sample only to its share.
	Scrubs []Scrub
	// Fraud is what the layer changes of the fraud score.
	Fraud FraudSettings
	// Shadow makes the layer, and the layers inside it, count without effect: the verdict is the
	// one that the layers outside give, and [Verdict.Shadow] is the one with this layer.
	Shadow bool
	// Enforce is the share of requests that judgements may refuse, between 0 and 1; nil means all.
	// The others are judged by all layers and forwarded: [Verdict.Observed] is what refuses them.
	// Of several layers about a request, the smallest share counts, so that no layer enforces what
	// another one only observes. Shadow and Sample of the layer change nothing of it.
	//
	// A judgement is what rules of the specification, policy, payloads and the fraud score come to,
	// "limit.rule" among them. A request that can't be decoded, or that can't be scrubbed, is
	// refused in any case: no rule has seen the one, and the other has what is to be removed.
	// Requests are chosen as by Sample.
	Enforce *float64
	// ObserveScrubs makes the scrubs of all layers count without effect, where this layer is about
	// the request: what they remove goes on, and a scrub that fails refuses nothing.
	ObserveScrubs bool
	// Sample is the share of requests that the layer is about, between 0 and 1; for the others it
	// is as if it were not there. 0, the default, means all. The share is chosen by a hash of the
	// request's id ([SampleOf]), so that all front ends choose the same requests, and a layer with
	// a smaller share chooses among those of a larger one.
	Sample float64
}

// Setting sets the severity of one reason, or of several.
type Setting struct {
	// Reasons is an id, or a pattern in which one * matches any text: "*.deprecated", "policy.*".
	// For reasons of inspect/schema, the beginning "schema." may be left out. Of the rules of
	// layers, it is about those of its own layer and of the layers outside.
	//
	// No pattern matches "policy.scrub", the reason of requests that can't be scrubbed, and
	// "limit.rule", that of requests which a rule can't be done with: a setting must name them.
	Reasons string
	// Severity is what to set.
	Severity Severity
}

// validate refuses what no engine can be made of, apart from unknown reasons and presets.
func (c *Config) validate() error {
	if c.Response.MarkupMax < 0 {
		return fmt.Errorf("inspect: Response.MarkupMax is %d (want 1 or more, or 0 for %d)", c.Response.MarkupMax, MarkupMaxDefault)
	}
	if c.MaxFindings < 0 {
		return fmt.Errorf("inspect: MaxFindings is %d (want 1 or more, or 0 for %d)", c.MaxFindings, MaxFindingsDefault)
	}
	decoding := options.New()
	for _, o := range c.Decoding {
		if o == nil {
			return errors.New("inspect: nil option in Decoding")
		}
		o(&decoding)
	}
	if decoding.Mode == options.Lenient {
		return errors.New("inspect: Decoding has wire.Lenient, but requests are forwarded as they came")
	}
	return nil
}
