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
//
// A request that is forwarded only because it is observed ([Layer.Enforce]) has a fourth member,
// "would_refuse", with the reason.
const AnnotationPath = "/ext/rtbwire"

// extPath is what the annotation is in.
const extPath = "/ext"

// annotate adds the edit that writes the verdict into the request. A request that can't be decoded
// gets none. If ext is not an object the edit can't add to it; it then removes an earlier
// annotation. An ext that a scrub removes or replaces holds nothing but the annotation.
func (w *Worker) annotate(v *Verdict) {
	if w.in.Request == nil {
		return
	}
	scrubbed := false // the whole ext
	w.edits = slices.DeleteFunc(w.edits, func(e wire.Edit) bool {
		scrubbed = scrubbed || e.Path == extPath
		return e.Path == extPath || within(e.Path, AnnotationPath)
	})
	if ext := w.in.Request.Ext; !scrubbed && len(ext) > 0 && ext[0] != '{' {
		w.edits = append(w.edits, wire.Remove(AnnotationPath))
		return
	}
	b := w.note[:0]
	if scrubbed {
		b = append(b, `{"rtbwire":`...)
	}
	// Ids hold no character that JSON escapes.
	b = append(b, `{"action":"`...)
	b = append(b, v.Action.String()...)
	b = append(b, `","reason":"`...)
	b = append(b, v.Reason...)
	b = append(b, `","score":`...)
	b = strconv.AppendInt(b, int64(v.Score), 10)
	if d := v.WouldRefuse(); d.Action == ActionRefuse {
		b = append(b, `,"would_refuse":"`...)
		b = append(append(b, d.Reason...), '"')
	}
	b = append(b, '}')
	path := AnnotationPath
	if scrubbed {
		b, path = append(b, '}'), extPath
	}
	w.note = b
	w.edits = append(w.edits, wire.Set(path, b))
}

// withoutForged returns body without any annotation that it came with. A sender may have written
// one, in an earlier copy of the key too, where [wire.Set] leaves it: the receiver might take the
// first. The same holds for an ext that a scrub is about.
func withoutForged(body []byte, edits []wire.Edit) ([]byte, error) {
	for i := range edits {
		switch e := &edits[i]; {
		case e.Value == nil:
		case e.Path == extPath, e.Path == AnnotationPath && (bytes.Contains(body, annotationKey) || bytes.Contains(body, unicodeEscape)):
			return splice.Apply(nil, body, wire.Remove(e.Path))
		}
	}
	return body, nil
}

// What a body with an annotation has: the key as it is, or with an escape.
var (
	annotationKey = []byte("rtbwire")
	unicodeEscape = []byte(`\u`)
)
