package batch

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file makes a row of each document: its verdict, and what tables of traffic are grouped by.

// Row is one document as a row of a table: where it is, what its verdict is, and what traffic is
// grouped by. It holds no address, identifier of a person or device, or user agent.
//
// An empty string and a nil pointer mean that the document has no such value. Documents that can't
// be decoded, and responses, have nothing after Dropped, but Partner. The tags are names of columns
// (docs/check.md); "optional" makes a string null if it is empty. In JSON, members without a value
// are left out.
type Row struct {
	// File is the input's name, Document the number of the document in it, from 1.
	File     string `json:"file,omitempty" parquet:"file,dict"`
	Document int64  `json:"document,omitempty" parquet:"document,delta"`
	// Line is where the document begins, from 1, Offset the same in bytes of the decompressed
	// input, from 0. Size is its length in bytes, nil beyond [Options.MaxDocument].
	Line   int64  `json:"line,omitempty" parquet:"line,delta"`
	Offset int64  `json:"offset,omitempty" parquet:"offset,delta"`
	Size   *int32 `json:"size,omitempty" parquet:"size,optional"`
	// Type is "request" or "response".
	Type string `json:"type,omitempty" parquet:"type,dict"`
	// ID is the document's own id.
	ID string `json:"id,omitempty" parquet:"id,optional"`

	// Action is "forward" or "refuse" for requests. Reason and NBR are what decided, if the request
	// is refused.
	Action string `json:"action,omitempty" parquet:"action,dict,optional"`
	Reason string `json:"reason,omitempty" parquet:"reason,dict,optional"`
	NBR    *int32 `json:"nbr,omitempty" parquet:"nbr,optional"`
	// WouldRefuse is the reason of a request that is forwarded only because it is observed.
	WouldRefuse string `json:"would_refuse,omitempty" parquet:"would_refuse,dict,optional"`
	// Score is the fraud score of a request that was decoded, from 0 to 100.
	Score *int32 `json:"score,omitempty" parquet:"score,optional"`
	// Findings are those that are kept, Dropped counts the others.
	Findings []RowFinding `json:"findings,omitempty" parquet:"findings,list"`
	Dropped  int32        `json:"findings_dropped,omitempty" parquet:"findings_dropped"`

	// Partner is the one of the facts.
	Partner string `json:"partner,omitempty" parquet:"partner,dict,optional"`
	// PublisherID is what [inspect.PublisherOf] returns, or the one of the facts.
	PublisherID string `json:"publisher_id,omitempty" parquet:"publisher_id,dict,optional"`
	// Channel is "site", "app" or "dooh", the first one that the request has.
	Channel    string `json:"channel,omitempty" parquet:"channel,dict,optional"`
	SiteDomain string `json:"site_domain,omitempty" parquet:"site_domain,dict,optional"`
	AppBundle  string `json:"app_bundle,omitempty" parquet:"app_bundle,dict,optional"`
	// Country is device.geo.country, or if it is missing user.geo.country.
	Country    string `json:"country,omitempty" parquet:"country,dict,optional"`
	DeviceOS   string `json:"device_os,omitempty" parquet:"device_os,dict,optional"`
	DeviceType *int32 `json:"device_type,omitempty" parquet:"device_type,optional"`
	TMax       *int32 `json:"tmax,omitempty" parquet:"tmax,optional"` // milliseconds
	At         *int32 `json:"at,omitempty" parquet:"at,optional"`
	Test       *int32 `json:"test,omitempty" parquet:"test,optional"`
	GDPR       *int32 `json:"gdpr,omitempty" parquet:"gdpr,optional"` // regs.gdpr or regs.ext.gdpr
	COPPA      *int32 `json:"coppa,omitempty" parquet:"coppa,optional"`
	// Imps is the number of impressions.
	Imps *int32 `json:"imps,omitempty" parquet:"imps,optional"`

	// The rest is about the first impression. Media is "banner", "video", "audio" or "native", the
	// first one that it has.
	Media string `json:"media,omitempty" parquet:"media,dict,optional"`
	// Width and Height come from the banner, or from its first format.
	Width       *int32   `json:"width,omitempty" parquet:"width,optional"`
	Height      *int32   `json:"height,omitempty" parquet:"height,optional"`
	BidFloor    *float64 `json:"bidfloor,omitempty" parquet:"bidfloor,optional"`
	BidFloorCur string   `json:"bidfloorcur,omitempty" parquet:"bidfloorcur,dict,optional"`
	Deals       *int32   `json:"deals,omitempty" parquet:"deals,optional"`
	Secure      *int32   `json:"secure,omitempty" parquet:"secure,optional"`
}

// RowFinding is a finding in a [Row].
type RowFinding struct {
	ID       string `json:"id,omitempty" parquet:"id,dict"`             // of the reason; of the rule, in responses
	Severity string `json:"severity,omitempty" parquet:"severity,dict"` // "observe", "warn" or "refuse"
	Path     string `json:"path" parquet:"path,dict"`                   // a JSON Pointer; "" is the root
	Offset   *int32 `json:"offset,omitempty" parquet:"offset,optional"`
}

// rowsMax is how many rows a worker keeps before it hands them over: documents can be as small as
// three bytes.
const rowsMax = 4096

// rows holds the rows of a chunk, or of a part of it, and the memory they point to. The slices grow
// like any other: earlier rows keep their memory.
type rows struct {
	list     []Row
	findings []RowFinding
	text     []byte
	ints     []int32
	floats   []float64
}

func (s *rows) reset() {
	s.list, s.findings, s.text, s.ints, s.floats = s.list[:0], s.findings[:0], s.text[:0], s.ints[:0], s.floats[:0]
}

// full reports whether the rows are to be handed over.
func (s *rows) full() bool { return len(s.list) >= rowsMax || len(s.findings) >= findingsMax }

// string keeps a copy of a text. What is not UTF-8, as a path can be, is replaced.
func (s *rows) string(text string) string {
	if text == "" {
		return ""
	}
	from := len(s.text)
	s.text = append(s.text, text...)
	kept := s.text[from:]
	if !utf8.Valid(kept) { // ToValidUTF8 takes memory in any case
		s.text = append(s.text[:from], bytes.ToValidUTF8(kept, replacement)...)
		kept = s.text[from:]
	}
	return mem.String(kept)
}

// replacement is written for bytes that are not UTF-8.
var replacement = []byte("\ufffd")

func (s *rows) int(n int) *int32 {
	s.ints = append(s.ints, clamp(n))
	return &s.ints[len(s.ints)-1]
}

// clamp returns the number that fits and is nearest to n.
func clamp(n int) int32 { return int32(min(max(int64(n), -1<<31), 1<<31-1)) }

// number keeps a number that a document may lack.
func number[T ~int](s *rows, n *T) *int32 {
	if n == nil {
		return nil
	}
	return s.int(int(*n))
}

// row makes the row of a document, with places from the chunk's start.
func (w *checker) row(s *rows, d *Document, report *schema.Report) {
	s.list = append(s.list, Row{Document: d.Number, Line: d.Line, Offset: d.Offset, Type: d.Type.String()})
	r := &s.list[len(s.list)-1]
	if !d.TooLarge {
		r.Size = s.int(len(d.Data))
	}
	if d.Type == schema.Response {
		if id, found := idOf(d.Data); found {
			r.ID = s.string(id)
		}
		s.response(r, report)
		return
	}
	request := w.judging.Request()
	if d.TooLarge {
		request = nil
	}
	s.judged(r, &w.opts.Judging.Facts, &w.verdict, request)
}

// judged fills in what is known about a request, which is nil if it could not be decoded.
func (s *rows) judged(r *Row, f *inspect.Facts, v *inspect.Verdict, request *openrtb.BidRequest) {
	r.Partner, r.PublisherID = s.string(f.Partner), s.string(f.Publisher)
	s.verdict(r, v)
	if request != nil {
		r.Score = s.int(v.Score)
		s.request(r, request)
	}
}

// RowMaker makes the row of a request that was judged elsewhere. The zero value is ready.
type RowMaker struct{ rows rows }

// Make returns a row of what is given, which it copies. The request is nil if it could not be
// decoded. The row is valid until the next call.
func (m *RowMaker) Make(body []byte, request *openrtb.BidRequest, f *inspect.Facts, v *inspect.Verdict) *Row {
	s := &m.rows
	s.reset()
	s.list = append(s.list, Row{Type: schema.Request.String()})
	r := &s.list[0]
	r.Size = s.int(len(body))
	s.judged(r, f, v, request)
	return r
}

// What a row and a finding take, besides their texts.
const rowSize, findingSize = 512, 64

// Size is about how much memory the row has, in bytes.
func (m *RowMaker) Size() int {
	return rowSize + len(m.rows.text) + findingSize*len(m.rows.findings)
}

// verdict fills in what was decided about a request.
func (s *rows) verdict(r *Row, v *inspect.Verdict) {
	r.Action, r.Dropped = v.Action.String(), clamp(v.Dropped)
	if v.Action == inspect.ActionRefuse {
		r.Reason, r.NBR = v.Reason, s.int(int(v.NBR))
	}
	r.WouldRefuse = v.WouldRefuse().Reason
	from := len(s.findings)
	for i := range v.Findings {
		f := &v.Findings[i]
		s.finding(f.ID, f.Severity, f.Path, f.Offset)
	}
	r.Findings = s.findings[from:len(s.findings):len(s.findings)]
}

// response fills in what was found in a response.
func (s *rows) response(r *Row, report *schema.Report) {
	from := len(s.findings)
	for i := range report.Findings {
		f := &report.Findings[i]
		s.finding(f.ID, f.Severity, f.Path, f.Offset)
	}
	r.Findings, r.Dropped = s.findings[from:len(s.findings):len(s.findings)], clamp(report.Dropped)
}

func (s *rows) finding(id string, severity inspect.Severity, path string, offset int) {
	f := RowFinding{ID: id, Severity: severity.String(), Path: s.string(path)}
	if offset >= 0 {
		f.Offset = s.int(offset)
	}
	s.findings = append(s.findings, f)
}

// request fills in what the request says.
func (s *rows) request(r *Row, q *openrtb.BidRequest) {
	r.ID = s.string(q.ID)
	r.PublisherID = cmp.Or(r.PublisherID, s.string(inspect.PublisherOf(q)))
	switch {
	case q.Site != nil:
		r.Channel = "site"
	case q.App != nil:
		r.Channel = "app"
	case q.DOOH != nil:
		r.Channel = "dooh"
	}
	if q.Site != nil {
		r.SiteDomain = s.string(q.Site.Domain)
	}
	if q.App != nil {
		r.AppBundle = s.string(q.App.Bundle)
	}
	if d := q.Device; d != nil {
		r.DeviceOS, r.DeviceType = s.string(d.OS), number(s, d.DeviceType)
		if d.Geo != nil {
			r.Country = s.string(d.Geo.Country)
		}
	}
	if r.Country == "" && q.User != nil && q.User.Geo != nil {
		r.Country = s.string(q.User.Geo.Country)
	}
	r.TMax, r.At, r.Test = number(s, q.TMax), number(s, q.At), number(s, q.Test)
	if gdpr, ok, _ := legacy.GDPR(q); ok {
		r.GDPR = s.int(gdpr)
	}
	if q.Regs != nil {
		r.COPPA = number(s, q.Regs.COPPA)
	}
	r.Imps = s.int(len(q.Imp))
	if len(q.Imp) > 0 {
		s.imp(r, &q.Imp[0])
	}
}

// imp fills in what the first impression says.
func (s *rows) imp(r *Row, imp *openrtb.Imp) {
	switch {
	case imp.Banner != nil:
		r.Media = "banner"
		r.Width, r.Height = number(s, imp.Banner.W), number(s, imp.Banner.H)
		if f := imp.Banner.Format; r.Width == nil && r.Height == nil && len(f) > 0 {
			r.Width, r.Height = number(s, f[0].W), number(s, f[0].H)
		}
	case imp.Video != nil:
		r.Media = "video"
	case imp.Audio != nil:
		r.Media = "audio"
	case imp.Native != nil:
		r.Media = "native"
	}
	if imp.BidFloor != nil {
		s.floats = append(s.floats, *imp.BidFloor)
		r.BidFloor = &s.floats[len(s.floats)-1]
	}
	r.BidFloorCur, r.Secure = s.string(imp.BidFloorCur), number(s, imp.Secure)
	if imp.Pmp != nil {
		r.Deals = s.int(len(imp.Pmp.Deals))
	}
}
