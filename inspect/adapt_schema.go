package inspect

import (
	"fmt"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// specification adapts package schema, which has the rules of OpenRTB.
type specification struct{}

// schemaPrefix makes the id of a reason from that of a rule.
const schemaPrefix = "schema."

// PresetDefault is the preset of a [Config] that names none.
const PresetDefault = schema.Admission

// decodersOwn are the rules that only documents break which the decoder refuses. The reasons
// "json.type", "json.syntax", ... say the same, and come first. A native payload, which the decoder
// takes as a string, can break the rules about values of the wrong type.
var decodersOwn = map[string]bool{"any.object": true, "Native.request.string": true}

// ofRequests reports whether a rule can be broken by a request that was decoded.
func ofRequests(r *schema.Rule) bool {
	return r.Undecidable == "" && (r.Scope == "request" || r.Scope == "both") && !decodersOwn[r.ID] && !strings.HasPrefix(r.ID, "json.")
}

func (specification) reasons() (list []Reason) {
	preset, err := presetSeverities(PresetDefault)
	if err != nil {
		panic(err) // a constant of this package
	}
	for _, r := range schema.Rules() {
		if ofRequests(&r) {
			list = append(list, Reason{
				ID: schemaPrefix + r.ID, Inspector: InspectorSchema, Severity: preset(r.ID),
				NBR: adcom.NoBidReasonInvalidRequest, Text: r.Message,
			})
		}
	}
	return list
}

// presetSeverities returns the severities of rules under a preset.
func presetSeverities(p schema.Preset) (func(rule string) Severity, error) {
	e, err := schema.New(schema.WithPreset(p))
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return func(rule string) Severity { return e.Severity(rule) }, nil
}

// ruleNumbers are the numbers of the inspector's reasons, by the rule's id.
var ruleNumbers = sync.OnceValue(func() map[string]int {
	numbers := map[string]int{}
	for n, r := range (specification{}).reasons() {
		numbers[strings.TrimPrefix(r.ID, schemaPrefix)] = n
	}
	return numbers
})

// judge makes an engine of package schema. The rules that are not reasons stay off.
func (specification) judge(g grades, limit int) (judge, error) {
	options := []schema.Option{schema.WithSeverity("*", schema.Off), schema.WithMaxFindings(limit)}
	for rule, n := range ruleNumbers() {
		if s := g.fixed[n]; s != Off {
			options = append(options, schema.WithSeverity(rule, s))
		}
	}
	if len(options) == 2 {
		return nil, nil
	}
	engine, err := schema.New(options...)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return &specificationJudge{engine, g.fixed}, nil
}

// specificationJudge is the rules with their severities.
type specificationJudge struct {
	engine     *schema.Engine
	severities []Severity
}

func (j *specificationJudge) inspect(in *input, out *emitter) {
	report := in.checker.Judge(j.engine)
	reasons := registry().of(InspectorSchema)
	counts := report.Counts
	for i := range report.Findings {
		f := &report.Findings[i]
		counts[f.Severity]--
		n := ruleNumbers()[f.ID]
		out.emit(&reasons[n], j.severities[n], f.Path, f.Offset, f.Message)
	}
	for s := Observe; s <= Refuse; s++ {
		out.dropUnknown(s, counts[s])
	}
}
