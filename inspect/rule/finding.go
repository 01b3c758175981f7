package rule

// Doc is the document that a finding points into.
type Doc uint8

// The documents.
const (
	Request Doc = iota
	Response
)

// String returns "request" or "response".
func (d Doc) String() string {
	if d == Response {
		return "response"
	}
	return "request"
}

// Finding is one place that an inspector objects to.
type Finding struct {
	// ID is the id of the reason, "schema.Imp.id.required". In reports of inspect/schema it is the
	// id of the rule, "Imp.id.required".
	ID string
	// Inspector is who reports it.
	Inspector Inspector
	// Severity is the configured severity of the reason.
	Severity Severity
	// Doc is the document that Path and Offset point into.
	Doc Doc
	// Number is the place of the rule in the rules of inspect/schema. Other inspectors leave it 0.
	Number uint16
	// Path is a JSON Pointer (RFC 6901) with array indexes, "/imp/0/banner/w"; "" is the root. It
	// can hold keys of the document. For a missing value it is the path that the value would have.
	// Inside the JSON of a string it continues after a "#":
	// "/imp/0/native/request#/assets/1/img/w". Findings about the whole request, such as those of
	// rules, have "" and no offset.
	Path string
	// Offset is the byte offset in the document: of the value, of the key for findings about keys,
	// of the enclosing object for a missing value; -1 without a text, or if the text does not show
	// the place. Findings inside a native payload have the offset of the string.
	Offset int
	// Message says what was expected. It holds no part of the document.
	Message string
}
