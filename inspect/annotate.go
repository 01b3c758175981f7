package inspect

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// AnnotationPath is where [Config.Annotate] puts the verdict:
//
//	{"action":"forward","reason":"","score":0}
const AnnotationPath = "/ext/rtbwire"

// annotation returns the edit that writes the verdict into the request. There is none for a
// request that can't be decoded. Nothing can be added to an ext that is not an object; then the
// edit removes what an earlier ext may have there.
func (w *Worker) annotation(v *Verdict) []wire.Edit {
	if w.in.request == nil {
		return nil
	}
	if ext := w.in.request.Ext; len(ext) > 0 && ext[0] != '{' {
		w.edits = append(w.edits[:0], wire.Remove(AnnotationPath))
		return w.edits
	}
	// Ids hold no character that JSON escapes.
	b := append(w.note[:0], `{"action":"`...)
	b = append(b, v.Action.String()...)
	b = append(b, `","reason":"`...)
	b = append(b, v.Reason...)
	b = append(b, `","score":`...)
	b = strconv.AppendInt(b, int64(v.Score), 10)
	w.note = append(b, '}')
	w.edits = append(w.edits[:0], wire.Set(AnnotationPath, w.note))
	return w.edits
}

// withoutForged returns body without any annotation that it came with. A sender may have written
// one, in an earlier copy of the key too, where [wire.Set] leaves it: the receiver might take the
// first.
func withoutForged(body []byte, edits []wire.Edit) ([]byte, error) {
	sets := slices.ContainsFunc(edits, func(e wire.Edit) bool { return e.Path == AnnotationPath && e.Value != nil })
	if !sets || !bytes.Contains(body, annotationKey) && !bytes.Contains(body, unicodeEscape) {
		return body, nil
	}
	return splice.Apply(nil, body, wire.Remove(AnnotationPath))
}

// What a body with an annotation has: the key as it is, or with an escape.
var (
	annotationKey = []byte("rtbwire")
	unicodeEscape = []byte(`\u`)
)
