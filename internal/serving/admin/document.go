package admin

import (
	"encoding/json"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/overrides"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// OverridesMax is how many changes of operators the page lists.
const OverridesMax = 50

// liveRejectsMax is how many refused requests one answer of /live has at most.
const liveRejectsMax = 20

// The values of kind.
const (
	kindGateway = "gateway"
	kindStream  = "stream"
)

// document is what /live answers, and what both pages are made of; docs/gateway.md explains it.
type document struct {
	// Kind is "gateway" or "stream".
	Kind string `json:"kind"`
	// Instance is another one after each start of the process.
	Instance  string    `json:"instance"`
	Now       time.Time `json:"now"`
	Started   time.Time `json:"started"`
	Version   string    `json:"version"`
	GoVersion string    `json:"go_version"`
	Ready     bool      `json:"ready"`
	// NotReady says why it is not, as /readyz does.
	NotReady string `json:"not_ready,omitempty"`
	// IntervalMs is the time between two points, PointsMax how many there are at most.
	IntervalMs int64 `json:"interval_ms"`
	PointsMax  int   `json:"points_max"`

	Configuration configuration `json:"configuration"`
	// Notices say what an operator should look at, what is worst first.
	Notices []Notice `json:"notices"`
	// Tiles are the numbers of now.
	Tiles []tile `json:"tiles"`
	// Limits are constants to compare numbers with.
	Limits limits `json:"limits"`
	// Totals are requests or records since the start, by what became of them.
	Totals map[string]float64 `json:"totals"`

	// Points is how many points there were since the start: the value of since for the next
	// request. Series has an array for each series of numbers, with as many as "time" has.
	Points int             `json:"points"`
	Series json.RawMessage `json:"series"`

	// Partner is the partner that reasons, rules and refused requests are of; "" for all.
	Partner  string      `json:"partner"`
	Reasons  []reasonRow `json:"reasons"`
	Shadowed []reasonRow `json:"shadowed"`
	Findings []reasonRow `json:"findings"`
	Rules    []ruleRow   `json:"rule_errors"`
	// Opened is the partner that somebody looks at, null without one.
	Opened *partnerDetail `json:"opened"`
	// Candidate is null without one.
	Candidate *candidateDocument `json:"candidate"`
	Upstreams []upstreamRow      `json:"upstreams"`
	Partners  []partnerRow       `json:"partners"`
	// Flow is null for a gateway.
	Flow    *Flow            `json:"flow"`
	Ends    []endRow         `json:"ends"`
	Lanes   []laneRow        `json:"lanes"`
	Files   []followed.Row   `json:"files"`
	Rejects []rejects.Reject `json:"rejects"`
	// Judges says that POST /judge is answered.
	Judges bool `json:"judges"`
	// Overrides are what operators have changed at run time.
	Overrides []overrides.Entry `json:"overrides"`
}

// configuration says which configuration is in use, and where it was read from.
type configuration struct {
	rejects.Configuration
	// Origin has no files where there are none.
	filewatch.Origin
}

// configurationOf returns a configuration with its origin, which may be nil.
func configurationOf(c rejects.Configuration, from func() *filewatch.Origin) configuration {
	d := configuration{Configuration: c, Origin: filewatch.Origin{Files: []filewatch.Sum{}}}
	if from != nil {
		if o := from(); o != nil {
			d.Origin = *o
		}
	}
	return d
}

type limits struct {
	Connections float64 `json:"connections"`
	InFlight    float64 `json:"in_flight"`
	ReadBytes   float64 `json:"read_bytes"`
	CPUs        int     `json:"cpus"`
}

// query is what somebody wants to know.
type query struct {
	since   int    // points that are known
	known   int    // the number of the last refused request that is known
	partner string // whose reasons, rules and refused requests; "" for all
	open    string // a partner to look at; "" for none
}

// queryOf reads the parameters of a request. Names that are none of a partner find nothing.
func queryOf(r *http.Request) (q query) {
	q.since, _ = strconv.Atoi(r.FormValue("since"))
	q.known, _ = strconv.Atoi(r.FormValue("rejects"))
	q.partner, q.open = r.FormValue("partner"), r.FormValue("open")
	return q
}

// live answers with the numbers of the page. The parameter since leaves out points that the client
// has, and rejects the refused requests up to a number; partner asks for what is about a partner,
// and open for a partner besides.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	d := s.document(queryOf(r))
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(d) // whoever asked is gone
}

// document returns what is known now.
func (s *Server) document(q query) *document {
	s.history.refresh() // in case Serve is not running
	before, now := s.history.samples()
	d := &document{
		Kind: kindGateway, Instance: s.instance, Now: now.at, Started: s.started, Version: s.options.Version, GoVersion: runtime.Version(), NotReady: rejects.NotReady(s.source),
		IntervalMs: Interval.Milliseconds(), PointsMax: PointsMax, Configuration: configurationOf(s.source.Configuration(), s.options.Origin),
		Limits: limits{now.sum("connections_max", "", ""), now.sum("requests_in_flight_max", "", ""), now.sum("requests_read_bytes_max", "", ""), runtime.GOMAXPROCS(0)},
		Totals: now.byLabel("requests_total", "request_status"), Partner: q.partner, Flow: s.options.Flow, Ends: []endRow{}, Lanes: []laneRow{},
		Files: followed.Rows(s.files(), now.at), Rejects: []rejects.Reject{}, Overrides: []overrides.Entry{}, Judges: s.options.Judge != nil,
	}
	d.Ready = d.NotReady == ""
	refused := "rejected_total"
	if s.options.Flow != nil {
		d.Kind, d.Totals, refused = kindStream, now.byLabel("records_total", "result"), "dead_letters_total"
		d.Ends, d.Lanes = endRows(s.options.Flow, before, now), laneRows(s.history.past(), now)
	}
	d.Reasons = s.explained(refusals(refused, q.partner, before, now))
	d.Shadowed = s.explained(reasonRows("shadow_rejected_total", q.partner, before, now))
	d.Findings = s.explained(reasonRows("findings_total", "", before, now))
	d.Rules = s.rules(q.partner, before, now)
	d.Candidate = s.candidate(before, now)
	d.Upstreams, d.Partners = s.upstreams(before, now), partnerRows(before, now)
	if q.open != "" {
		d.Opened = &partnerDetail{Name: q.open, Reasons: s.explained(refusals(refused, q.open, before, now)), Rules: s.rules(q.open, before, now)}
	}
	if c := s.options.Control; c != nil {
		list := c.Overrides.List()
		d.Overrides = list[:min(len(list), OverridesMax)]
	}
	latest := s.history.latest()
	d.Tiles = tilesOf(d, latest)
	d.Notices = s.notices(d, latest, before, now)
	d.Series, d.Points = s.history.columns(q.since)
	for _, reject := range s.source.Rejects() {
		if reject.Number <= q.known || len(d.Rejects) == liveRejectsMax {
			break
		}
		if q.partner == "" || reject.Partner == q.partner {
			d.Rejects = append(d.Rejects, reject)
		}
	}
	return d
}
