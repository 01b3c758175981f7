package vendor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Field is a field of the question that [HTTP] asks, and its name there.
type Field string

// The fields that HTTP can send. An absent one is left out.
const (
	IP     Field = "ip"     // device.ip, else device.ipv6
	UA     Field = "ua"     // device.ua
	IFA    Field = "ifa"    // device.ifa, unless device.lmt or regs.coppa is 1
	Bundle Field = "bundle" // app.bundle
	Domain Field = "domain" // site.domain or app.domain
)

// Fields are all fields.
var Fields = []Field{IP, UA, IFA, Bundle, Domain}

// Limits of HTTP.
const (
	// ResponseMax is the longest answer that is read, in bytes.
	ResponseMax = 4 << 10
	// IdleMaxDefault is how many connections are kept open.
	IdleMaxDefault = 64

	headerMax   = 16 << 10
	idleTimeout = 30 * time.Second
	dialTimeout = time.Second // a dial can outlive its question
)

// HTTPOptions configure [NewHTTP].
type HTTPOptions struct {
	// Name is the name of the service.
	Name string
	// URL is where questions are posted, http or https.
	URL string
	// Fields are what the service is told, and all that it is told.
	Fields []Field
	// Header is sent with each question, for a key of the service.
	Header http.Header
	// IdleMax is how many connections are kept open for later questions, and how many may be open
	// at once. The default is 64. It should not be less than [Member.Concurrent].
	IdleMax int
}

// HTTP is a service that is asked by HTTP: it is posted {"ip": ..., "ua": ...}, and answers with
// status 200 and {"score": n}, an integer from 0 to 100; other members are ignored. Everything else
// is an error: another status, a redirect, more than 4 KiB, another type. Proxies of the
// environment are not used.
type HTTP struct {
	name   string
	url    string
	header http.Header
	fields []Field
	client http.Client
}

// NewHTTP returns a service that is asked by HTTP.
func NewHTTP(o HTTPOptions) (*HTTP, error) {
	u, err := url.Parse(o.URL)
	switch {
	case o.Name == "":
		return nil, errors.New("the vendor has no name")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("vendor %s: expected a URL such as https://vendor.example/score", o.Name) // it may have a key
	case len(o.Fields) == 0:
		return nil, fmt.Errorf("vendor %s: no fields to send (want some of %v)", o.Name, Fields)
	case o.IdleMax < 0:
		return nil, fmt.Errorf("vendor %s: the limit of connections is negative", o.Name)
	}
	for _, f := range o.Fields {
		if !slices.Contains(Fields, f) {
			return nil, fmt.Errorf("vendor %s: unknown field %q (want some of %v)", o.Name, f, Fields)
		}
	}
	h := &HTTP{name: o.Name, url: o.URL, header: o.Header.Clone(), fields: slices.Clone(o.Fields)}
	if h.header == nil {
		h.header = http.Header{}
	}
	h.header.Set("Content-Type", "application/json")
	connections := cmp.Or(o.IdleMax, IdleMaxDefault)
	h.client = http.Client{
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
			MaxIdleConns:           connections,
			MaxIdleConnsPerHost:    connections,
			MaxConnsPerHost:        connections,
			IdleConnTimeout:        idleTimeout,
			TLSHandshakeTimeout:    dialTimeout,
			MaxResponseHeaderBytes: headerMax,
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return h, nil
}

// Name returns the name of the service.
func (h *HTTP) Name() string { return h.name }

// Question appends the fields as JSON. It reports false if the request has none of them.
func (h *HTTP) Question(dst []byte, r *openrtb.BidRequest, _ *rule.Facts) ([]byte, bool) {
	values := make(map[Field]string, len(h.fields))
	for _, f := range h.fields {
		if v := valueOf(r, f); v != "" {
			values[f] = v
		}
	}
	if len(values) == 0 {
		return dst, false
	}
	text, err := json.Marshal(values)
	return append(dst, text...), err == nil
}

func valueOf(r *openrtb.BidRequest, f Field) string {
	device, app, site := r.Device, r.App, r.Site
	switch {
	case f == IP && device != nil:
		return cmp.Or(device.IP, device.IPv6)
	case f == UA && device != nil:
		return device.UA
	case f == IFA && device != nil && !is1(device.Lmt) && (r.Regs == nil || !is1(r.Regs.COPPA)):
		return device.IFA
	case f == Bundle && app != nil:
		return app.Bundle
	case f == Domain && site != nil:
		return site.Domain
	case f == Domain && app != nil:
		return app.Domain
	}
	return ""
}

func is1(p *int) bool { return p != nil && *p == 1 }

// Ask posts the question and reads the score.
func (h *HTTP) Ask(ctx context.Context, question []byte) (score int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(question))
	if err != nil {
		return 0, err
	}
	request.Header = h.header.Clone()
	response, err := h.client.Do(request)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the URL, which may have a key
		}
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("expected status 200, found %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, ResponseMax+1))
	switch {
	case err != nil:
		return 0, err
	case len(body) > ResponseMax:
		return 0, fmt.Errorf("the answer is longer than %d bytes", ResponseMax)
	}
	var answer struct {
		Score *int `json:"score"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Score == nil {
		return 0, fmt.Errorf(`expected {"score": n}, with n from 0 to %d`, ScoreMax) // the text may be personal data
	}
	return *answer.Score, nil
}

// Close closes the connections that are kept open. Questions can be asked afterwards all the same.
func (h *HTTP) Close() { h.client.CloseIdleConnections() }
