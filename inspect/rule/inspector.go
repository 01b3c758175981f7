package rule

import "fmt"

// Inspector is one kind of inspection.
type Inspector uint8

// The inspectors, in the order in which they are asked. That is the order of findings, too: a
// request is refused for what the first of them objects to.
const (
	InspectorDecode Inspector = iota
	InspectorSchema
	InspectorPolicy
	InspectorPayload
	InspectorFraud
	InspectorScrub    // after all others: it changes what is forwarded
	InspectorResponse // of responses alone
)

var inspectorNames = [...]string{
	InspectorDecode: "decode", InspectorSchema: "schema", InspectorPolicy: "policy", InspectorPayload: "payload",
	InspectorFraud: "fraud", InspectorScrub: "scrub", InspectorResponse: "response",
}

// String returns "decode", "schema", "policy", "payload", "fraud", "scrub" or "response".
func (i Inspector) String() string {
	if int(i) < len(inspectorNames) {
		return inspectorNames[i]
	}
	return fmt.Sprintf("Inspector(%d)", i)
}
