package inspect

import (
	"errors"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/wire"
)

// decoding is the inspector before all others: it reports why a request can't be decoded. Its
// findings come from [wire.Error], so it has no judge.
type decoding struct{}

// decodeCodes are the codes of a decoder, in the order of the reasons. docs/reference/errors.md
// explains each; codes of encoders and of edits are not among them.
var decodeCodes = [...]wire.Code{
	wire.CodeSyntax, wire.CodeEmpty, wire.CodeTruncated, wire.CodeTrailing, wire.CodeBOM, wire.CodeControl, wire.CodeEscape,
	wire.CodeUTF8, wire.CodeSurrogate, wire.CodeNumber, wire.CodeType, wire.CodeInteger, wire.CodeRange, wire.CodeDuplicate,
	wire.CodeDepth, wire.CodeSize, wire.CodeElements, wire.CodeMemory,
}

func (decoding) reasons() (list []Reason) {
	for _, code := range decodeCodes {
		r := Reason{
			ID: decodeID(code), Inspector: InspectorDecode, Severity: Refuse,
			NBR: adcom.NoBidReasonInvalidRequest, Text: (&wire.Error{Code: code}).Reason(),
		}
		switch code {
		case wire.CodeSize, wire.CodeElements, wire.CodeMemory:
			r.NBR = NBRLimit
		}
		list = append(list, r)
	}
	return list
}

// decodeID is the id of the reason for an error of the decoder.
func decodeID(code wire.Code) string {
	switch code {
	case wire.CodeSize, wire.CodeElements, wire.CodeMemory:
		return "limit." + code.String()
	}
	return "json." + code.String()
}

func (decoding) judge(grades, int) (judge, error) { return nil, nil }

// undecodable reports an error of the decoder, under the severities of all fixed reasons.
func undecodable(err error, severities []Severity, out *emitter) {
	reason, path, offset, message := 0, "", -1, err.Error()
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		path, offset, message = e.Path, e.Offset, e.Reason()
		for i, code := range decodeCodes {
			if code == e.Code {
				reason = i
			}
		}
	}
	fixed := registry()
	out.emit(&fixed.of(InspectorDecode)[reason], fixed.severities(severities, InspectorDecode)[reason], path, offset, message)
}
