package batch

import "fmt"

// RuleDocumentSize is the id of the rule about documents that exceed [Options.MaxDocument].
// Nothing else of such a document is checked.
const RuleDocumentSize = "json.limit"

// sizeMessage is the message of a finding of [RuleDocumentSize].
func sizeMessage(limit int) string {
	return fmt.Sprintf("expected a document of at most %d bytes, so this one was not checked (if it is smaller, "+
		"a quote or a bracket is missing near its start)", limit)
}
