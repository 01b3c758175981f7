package admin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/logs"
	"github.com/rtbwire/rtbwire/internal/serving/overrides"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// The limits of the API.
const (
	// ChangeMax is how long the body of a change may be, in bytes.
	ChangeMax = 4 << 10
	// ChangesPerSecond is how many changes are taken.
	ChangesPerSecond = 10
	// reloadTimeout is how long the answer to a reload may take: large lists are read again.
	reloadTimeout = 2 * time.Minute
)

// APIPath is where the API is. Later versions have paths of their own.
const APIPath = "/api/v1/"

// Control is what operators can change.
type Control struct {
	// Overrides are changes at run time.
	Overrides *overrides.Store
	// Reload loads the configuration again for an operator. Settings that change at the next start
	// only are Fixed.
	Reload func(by string) (Reloaded, error)
	// Health returns what is known besides the numbers.
	Health func() Health
}

// Reloaded is what has become of a reload.
type Reloaded struct {
	// Generation counts the configurations since the start.
	Generation int `json:"generation"`
	// Fixed are keys that change at the next start only.
	Fixed []string `json:"fixed"`
}

// ReloadError is why a configuration was not loaded. The old one stays in use.
type ReloadError struct {
	Err error
	// Problems are places in the configuration.
	Problems []Problem
}

func (e *ReloadError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ReloadError) Unwrap() error { return e.Err }

// Health is what operators ask for first.
type Health struct {
	// Shadow says that nothing is refused.
	Shadow    bool       `json:"shadow"`
	Upstreams []Upstream `json:"upstreams"`
	Partners  []string   `json:"partners"`
}

// Upstream is the state of an upstream.
type Upstream struct {
	Name     string `json:"name"`
	Healthy  bool   `json:"healthy"`
	Drained  bool   `json:"drained"`
	InFlight int64  `json:"in_flight"`
}

// StatusDocument is the answer to "status".
type StatusDocument struct {
	Ready         bool                  `json:"ready"`
	Version       string                `json:"version"`
	Instance      string                `json:"instance"`
	Now           time.Time             `json:"now"`
	Started       time.Time             `json:"started"`
	Configuration rejects.Configuration `json:"configuration"`
	Health
	// Overrides is how many changes are in effect.
	Overrides int           `json:"overrides"`
	State     StateDocument `json:"state"`
}

// StateDocument is about the file of state.
type StateDocument struct {
	File    string `json:"file"` // "" if there is none
	Problem string `json:"problem,omitempty"`
}

// OverridesDocument is the answer to "overrides".
type OverridesDocument struct {
	Overrides []overrides.Entry `json:"overrides"`
	State     StateDocument     `json:"state"`
}

// ChangeDocument is what a change asks for.
type ChangeDocument struct {
	Action overrides.Action `json:"action,omitempty"` // of a release
	Kind   overrides.Kind   `json:"kind"`
	Name   string           `json:"name"`
	For    string           `json:"for,omitempty"`
	Note   string           `json:"note,omitempty"`
}

// ChangedDocument is the answer to a change.
type ChangedDocument struct {
	Override overrides.Entry `json:"override"`
	State    StateDocument   `json:"state"`
	// Warnings say what an operator should know about the effect.
	Warnings []string `json:"warnings"`
}

// ErrorDocument is the answer to what was not done.
type ErrorDocument struct {
	Error Failure `json:"error"`
}

// Failure says what was not done, and why.
type Failure struct {
	// Code is for programs.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Problems are places in the configuration that could not be loaded.
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is a place in a configuration, with the names that "rtbwire policy check" prints.
type Problem struct {
	File       string `json:"file"`
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
	Excerpt    string `json:"excerpt,omitempty"`
}

// RejectsDocument is the answer to "rejects".
type RejectsDocument struct {
	Rejects []rejects.Reject `json:"rejects"`
}

// addAPI adds the paths of the API.
func (s *Server) addAPI(mux *http.ServeMux) {
	get := func(name string, handle http.HandlerFunc) { mux.HandleFunc("GET "+APIPath+name, handle) }
	post := func(name string, handle func(http.ResponseWriter, *http.Request, overrides.Operator)) {
		s.posts[APIPath+name] = ChangeMax
		mux.HandleFunc("POST "+APIPath+name, s.change(handle))
	}
	get("status", s.status)
	get("overrides", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, OverridesDocument{s.options.Control.Overrides.List(), s.state()})
	})
	get("rejects", s.lastRejects)
	post("reload", s.reload)
	for _, a := range overrides.Actions {
		post(string(a), func(w http.ResponseWriter, r *http.Request, by overrides.Operator) { s.override(w, r, by, a) })
	}
	post("release", s.release)
	mux.HandleFunc(APIPath, s.notThere)
}

// notThere answers for paths of the API that do not exist, and for changes that are asked for by
// GET.
func (s *Server) notThere(w http.ResponseWriter, r *http.Request) {
	if _, posts := s.posts[r.URL.Path]; posts {
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, "method", errors.New("changes take POST"))
		return
	}
	writeError(w, http.StatusNotFound, "path", fmt.Errorf("there is nothing at this path: the API has status, overrides, rejects, and with POST %s", strings.Join(s.changePaths(), ", ")))
}

// changePaths returns the names of what takes POST.
func (s *Server) changePaths() (names []string) {
	for path := range s.posts {
		if name, ours := strings.CutPrefix(path, APIPath); ours {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	c := s.options.Control
	d := StatusDocument{
		Ready: s.source.Ready(), Version: s.options.Version, Instance: s.instance, Now: time.Now().UTC(), Started: s.started.UTC(),
		Configuration: s.source.Configuration(), Health: c.Health(), Overrides: len(c.Overrides.List()), State: s.state(),
	}
	writeJSON(w, d)
}

func (s *Server) state() StateDocument {
	d := StateDocument{File: s.options.Control.Overrides.File()}
	if err := s.options.Control.Overrides.Problem(); err != nil {
		d.Problem = err.Error()
	}
	return d
}

// lastRejects answers with the last refused requests, of one partner or for one reason if the query
// says so.
func (s *Server) lastRejects(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if err := knownParameters(query, "partner", "reason", "limit"); err != nil {
		writeError(w, http.StatusBadRequest, "invalid", err)
		return
	}
	partner, reason, most := query.Get("partner"), query.Get("reason"), rejects.RejectsMax
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			writeError(w, http.StatusBadRequest, "invalid", fmt.Errorf("limit is not a number from 1 on"))
			return
		}
		most = n
	}
	d := RejectsDocument{[]rejects.Reject{}}
	for _, own := range s.source.Rejects() {
		if len(d.Rejects) < most && (partner == "" || own.Partner == partner) && (reason == "" || own.Reason == reason) {
			d.Rejects = append(d.Rejects, own)
		}
	}
	writeJSON(w, d)
}

// change lets operators with a name change something, one at a time and not too often.
func (s *Server) change(handle func(http.ResponseWriter, *http.Request, overrides.Operator)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		by, known := s.operator(r)
		switch {
		case !known:
			writeError(w, http.StatusForbidden, "forbidden", errors.New("changes take a token (--admin-token-file, gateway.operators.token_files or RTBWIRE_ADMIN_TOKEN), a client certificate, or an admin port at a Unix socket"))
		case !s.changes.take():
			w.Header().Set("Retry-After", "1")
			writeError(w, http.StatusTooManyRequests, "rate", fmt.Errorf("more than %d changes a second", ChangesPerSecond))
		default:
			handle(w, r, by)
		}
	}
}

// operator returns who has sent a request, and whether that is proved: changes need a name. A Unix
// socket is for those whom its mode lets in.
func (s *Server) operator(r *http.Request) (by overrides.Operator, known bool) {
	by.From = r.RemoteAddr
	if certified(r) {
		by.Name = certificateName(r)
		return by, true
	}
	if name, found := s.tokens.name(tokenOf(r)); found {
		by.Name = name
		return by, true
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); ok {
		return overrides.Operator{Name: "unix socket", From: local.Name}, true
	}
	return by, false
}

// certificateName returns the first name of a client's certificate.
func certificateName(r *http.Request) string {
	c := r.TLS.PeerCertificates[0]
	names := append(append([]string{}, c.EmailAddresses...), c.DNSNames...)
	for _, u := range c.URIs {
		names = append(names, u.String())
	}
	name := append(names, cmp.Or(c.Subject.CommonName, c.SerialNumber.String()))[0]
	return "certificate " + strings.ToValidUTF8(name[:min(len(name), overrides.NoteMax)], "")
}

// override puts something in effect.
func (s *Server) override(w http.ResponseWriter, r *http.Request, by overrides.Operator, a overrides.Action) {
	var d ChangeDocument
	if err := readChange(r, &d); err != nil {
		s.refused(w, r, by, err)
		return
	}
	var span time.Duration
	if d.For != "" {
		var err error
		if span, err = time.ParseDuration(d.For); err != nil || span == 0 {
			s.refused(w, r, by, overrides.Invalidf("\"for\" is %q (want a time such as 30m or 2h, from %v to %v)", d.For, overrides.ForMin, overrides.ForMax))
			return
		}
	}
	if d.Action != "" && d.Action != a {
		s.refused(w, r, by, overrides.Invalidf("\"action\" is another one than the path"))
		return
	}
	e, err := s.options.Control.Overrides.Add(overrides.Entry{Action: a, Kind: d.Kind, Name: d.Name, Note: d.Note}, span, by)
	if err != nil {
		s.refused(w, r, by, err)
		return
	}
	s.changed(w, e)
}

// release ends something.
func (s *Server) release(w http.ResponseWriter, r *http.Request, by overrides.Operator) {
	var d ChangeDocument
	err := readChange(r, &d)
	if err == nil && d.For+d.Note != "" {
		err = overrides.Invalidf("a release has action, kind and name")
	}
	var e overrides.Entry
	if err == nil {
		e, err = s.options.Control.Overrides.Release(overrides.Entry{Action: d.Action, Kind: d.Kind, Name: d.Name}, by)
	}
	if err != nil {
		s.refused(w, r, by, err)
		return
	}
	s.changed(w, e)
}

// changed answers a change that was made.
func (s *Server) changed(w http.ResponseWriter, e overrides.Entry) {
	d := ChangedDocument{Override: e, State: s.state(), Warnings: []string{}}
	switch {
	case d.State.File == "":
		d.Warnings = append(d.Warnings, "there is no file of state (gateway.operators.state_file): a restart forgets the change")
	case d.State.Problem != "":
		d.Warnings = append(d.Warnings, "the file of state was not written, so a restart forgets the change: "+d.State.Problem)
	}
	health := s.options.Control.Health()
	if e.Action == overrides.Drain && e.Kind == overrides.Upstream && !slices.ContainsFunc(health.Upstreams, func(u Upstream) bool { return u.Healthy && !u.Drained }) {
		d.Warnings = append(d.Warnings, "none of the upstreams that are left is healthy: requests fail, or go to those that are not healthy")
	}
	if health.Shadow {
		d.Warnings = append(d.Warnings, "the gateway is in shadow: it counts what it would refuse, and refuses nothing")
	}
	writeJSON(w, d)
}

// readChange reads the body of a change.
func readChange(r *http.Request, to any) error {
	data, err := io.ReadAll(io.LimitReader(r.Body, ChangeMax+1))
	if err != nil {
		return overrides.Invalidf("the body can't be read")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return overrides.Invalidf("the body: %s", bodyProblem(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return overrides.Invalidf("the body: expected one JSON object")
	}
	return nil
}

// bodyProblem says why a body is no change, without the names of Go's types.
func bodyProblem(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty (want a JSON object)"
	case !errors.As(err, &kind):
		return strings.TrimPrefix(err.Error(), "json: ")
	case kind.Field == "":
		return "expected a JSON object, found " + kind.Value
	}
	return fmt.Sprintf("expected text as %q, found %s", kind.Field, kind.Value)
}

// refused answers a change that was not made, and logs who has tried.
func (s *Server) refused(w http.ResponseWriter, r *http.Request, by overrides.Operator, err error) {
	status, code := http.StatusInternalServerError, "failed"
	switch {
	case errors.Is(err, overrides.ErrInvalid):
		status, code = http.StatusBadRequest, "invalid"
	case errors.Is(err, overrides.ErrUnknown):
		status, code = http.StatusNotFound, "unknown"
	case errors.Is(err, overrides.ErrAbsent):
		status, code = http.StatusNotFound, "absent"
	case errors.Is(err, overrides.ErrConflict):
		status, code = http.StatusConflict, "conflict"
	}
	logs.Always(s.options.Logger, "operator change refused", slog.String("path", r.URL.Path), slog.String("by", by.Name), slog.String("from", by.From), slog.String("error", err.Error()))
	writeError(w, status, code, err)
}

// reload loads the configuration again, and says whether that has worked.
func (s *Server) reload(w http.ResponseWriter, r *http.Request, by overrides.Operator) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(reloadTimeout)) // as in guard
	done, err := s.options.Control.Reload(by.Name)
	result := slog.String("result", "done")
	if err != nil {
		result = slog.String("result", "failed")
	}
	logs.Always(s.options.Logger, "operator reload", slog.String("by", by.Name), slog.String("from", by.From), result)
	if err != nil {
		var d ErrorDocument
		d.Error.Code, d.Error.Message = "configuration", err.Error()
		if own := (*ReloadError)(nil); errors.As(err, &own) {
			d.Error.Problems = own.Problems
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		writeJSON(w, d)
		return
	}
	if done.Fixed == nil {
		done.Fixed = []string{}
	}
	writeJSON(w, done)
}

// knownParameters refuses parameters of a query that mean nothing or occur twice: an answer that
// leaves out what was asked for would mislead.
func knownParameters(query url.Values, names ...string) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(names, name):
			return fmt.Errorf("unknown parameter %q (want %s)", name, strings.Join(names, ", "))
		case len(query[name]) > 1:
			return fmt.Errorf("the parameter %q occurs %d times", name, len(query[name]))
		}
	}
	return nil
}

// writeError answers with an error.
func writeError(w http.ResponseWriter, status int, code string, err error) {
	var d ErrorDocument
	d.Error.Code, d.Error.Message = code, err.Error()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	writeJSON(w, d)
}

// codes are those of errors of the guard.
var codes = map[int]string{
	http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden", http.StatusMisdirectedRequest: "host",
	http.StatusUnsupportedMediaType: "content-type", http.StatusLengthRequired: "length", http.StatusRequestEntityTooLarge: "size",
	http.StatusMethodNotAllowed: "method",
}

// refuse answers what the guard refuses, as JSON where programs ask.
func refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	if strings.HasPrefix(r.URL.Path, APIPath) || r.URL.Path == judgePath {
		writeError(w, status, cmp.Or(codes[status], "failed"), errors.New(text))
		return
	}
	http.Error(w, text, status)
}
