package lines

import (
	"bytes"
	"strconv"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// judge writes what becomes of lines.
type judge struct {
	options *Options
	worker  *inspect.Worker
	coder   coder.Writer
	stats   Stats
}

func newJudge(o *Options) *judge { return &judge{options: o, worker: o.Engine.NewWorker()} }

// lines appends what is written for some lines, each with its line feed, but the last one perhaps.
func (j *judge) lines(dst, text []byte) []byte {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if len(line) > j.options.MaxLine {
			dst = j.tooLong(dst)
		} else {
			dst = append(j.line(dst, line), '\n')
		}
		text = rest
	}
	j.worker.Release()
	return dst
}

func (j *judge) line(dst, line []byte) []byte {
	v := j.worker.Inspect(line, j.options.Facts)
	j.count(&v)
	switch j.options.Emit {
	case Annotated:
		if !annotated(&v) {
			break
		}
		if out, err := v.Apply(dst, line); err == nil {
			return out
		}
	case Accepted:
		if v.Action == inspect.ActionRefuse {
			return dst
		}
		if out, err := v.Apply(dst, line); err == nil {
			return out
		}
		return dst // it may hold what was to be removed
	}
	return j.verdict(dst, &v)
}

// annotated reports whether the verdict's edits write it into the request.
func annotated(v *inspect.Verdict) bool {
	for i := range v.Edits {
		if e := &v.Edits[i]; e.Value != nil && (e.Path == inspect.AnnotationPath || e.Path == "/ext") {
			return true
		}
	}
	return false
}

// tooLong refuses a line that was not kept.
func (j *judge) tooLong(dst []byte) []byte {
	const reason = "limit.size"
	v := inspect.Verdict{
		Decision: inspect.Decision{Action: inspect.ActionRefuse, Reason: reason, NBR: inspect.NBRLimit},
		Findings: []inspect.Finding{{ID: reason, Severity: inspect.Refuse, Offset: j.options.MaxLine}},
	}
	j.worker.Release()
	j.count(&v)
	if j.options.Emit != Accepted {
		dst = j.verdict(dst, &v)
	}
	return append(dst, '\n')
}

func (j *judge) count(v *inspect.Verdict) {
	j.stats.Lines++
	if v.Action == inspect.ActionRefuse {
		j.stats.Refused++
	} else {
		j.stats.Forwarded++
	}
}

// verdict appends the verdict as an object. Reasons and severities hold nothing that JSON escapes.
func (j *judge) verdict(dst []byte, v *inspect.Verdict) []byte {
	dst = append(dst, `{"id":`...)
	if r := j.worker.Request(); r != nil && r.ID != "" {
		dst = j.coder.String(dst, r.ID)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"action":"`...)
	dst = append(dst, v.Action.String()...)
	dst = append(dst, `","reason":"`...)
	dst = append(dst, v.Reason...)
	dst = append(dst, `","nbr":`...)
	dst = strconv.AppendInt(dst, int64(v.NBR), 10)
	if would := v.WouldRefuse(); would.Action == inspect.ActionRefuse {
		dst = append(dst, `,"would_refuse":"`...)
		dst = append(append(dst, would.Reason...), '"')
	}
	dst = append(dst, `,"score":`...)
	dst = strconv.AppendInt(dst, int64(v.Score), 10)
	dst = append(dst, `,"findings":[`...)
	for i := range v.Findings {
		f := &v.Findings[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"id":"`...)
		dst = append(dst, f.ID...)
		dst = append(dst, `","severity":"`...)
		dst = append(dst, f.Severity.String()...)
		dst = append(dst, `","path":`...)
		dst = j.coder.String(dst, validPath(f.Path))
		dst = append(dst, `,"offset":`...)
		dst = strconv.AppendInt(dst, int64(f.Offset), 10)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

// validPath returns a path in UTF-8: names of a document that is not can be in it.
func validPath(path string) string {
	return mem.String(bytes.ToValidUTF8(mem.Bytes(path), []byte("\ufffd")))
}
