package inspect

import (
	"strconv"

	"github.com/rtbwire/rtbwire/wire"
)

// AnnotationPath is where [Config.Annotate] puts the verdict:
//
//	{"action":"forward","reason":"","score":0}
const AnnotationPath = "/ext/rtbwire"

// annotation returns the edit that writes the verdict into the request. There is none for a request
// that can't be decoded, nor for one whose ext is not an object: nothing can be added there.
func (w *Worker) annotation(v *Verdict) []wire.Edit {
	if w.in.request == nil {
		return nil
	}
	if ext := w.in.request.Ext; len(ext) > 0 && ext[0] != '{' {
		return nil
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
