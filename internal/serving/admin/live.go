package admin

import (
	"encoding/json"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/overrides"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// OverridesMax is how many changes of operators the page lists.
const OverridesMax = 50

// liveRejectsMax is how many refused requests one answer of /live has at most.
const liveRejectsMax = 20

// document is what /live answers; docs/gateway.md explains it. Members are added in later versions,
// and none is changed.
type document struct {
	// Instance is another one after each start of the process.
	Instance  string    `json:"instance"`
	Now       time.Time `json:"now"`
	Started   time.Time `json:"started"`
	Version   string    `json:"version"`
	GoVersion string    `json:"go_version"`
	Ready     bool      `json:"ready"`
	// IntervalMs is the time between two points, PointsMax how many there are at most.
	IntervalMs int64 `json:"interval_ms"`
	PointsMax  int   `json:"points_max"`

	Configuration rejects.Configuration `json:"configuration"`
	// Limits are constants to compare numbers with.
	Limits limits `json:"limits"`
	// Totals are requests since the start, by what became of them.
	Totals map[string]float64 `json:"totals"`

	// Points is how many points there were since the start: the value of since for the next
	// request. Series has an array for each series of numbers, with as many as "time" has.
	Points int             `json:"points"`
	Series json.RawMessage `json:"series"`

	Reasons     []reasonRow `json:"reasons"`
	WouldRefuse []reasonRow `json:"would_refuse"`
	Shadowed    []reasonRow `json:"shadowed"`
	Findings    []reasonRow `json:"findings"`
	Rules       []ruleRow   `json:"rule_errors"`
	// Candidate is null without one.
	Candidate *candidateDocument `json:"candidate"`
	Upstreams []upstreamRow      `json:"upstreams"`
	Partners  []partnerRow       `json:"partners"`
	Files     []followed.Row     `json:"files"`
	Rejects   []rejects.Reject   `json:"rejects"`
	// Notices are what an operator should look at now.
	Notices []notice `json:"notices"`
	// Judges says that POST /judge is answered.
	Judges bool `json:"judges"`
	// Overrides are what operators have changed at run time.
	Overrides []overrides.Entry `json:"overrides"`
}

type limits struct {
	Connections float64 `json:"connections"`
	InFlight    float64 `json:"in_flight"`
	ReadBytes   float64 `json:"read_bytes"`
	CPUs        int     `json:"cpus"`
}

// live answers with the numbers of the page. The parameter since leaves out points that the client
// has, and rejects the refused requests up to a number.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	s.history.refresh() // in case Serve is not running
	since, _ := strconv.Atoi(r.FormValue("since"))
	known, _ := strconv.Atoi(r.FormValue("rejects"))
	before, now := s.history.samples()
	d := document{
		Instance: s.instance, Now: now.at, Started: s.started, Version: s.options.Version, GoVersion: runtime.Version(), Ready: s.source.Ready(),
		IntervalMs: Interval.Milliseconds(), PointsMax: PointsMax, Configuration: s.source.Configuration(),
		Limits:  limits{now.sum("connections_max", "", ""), now.sum("requests_in_flight_max", "", ""), now.sum("requests_read_bytes_max", "", ""), runtime.GOMAXPROCS(0)},
		Totals:  now.byLabel("requests_total", "request_status"),
		Reasons: reasonRows("rejected_total", before, now), WouldRefuse: reasonRows("would_refuse_total", before, now), Shadowed: reasonRows("shadow_rejected_total", before, now),
		Findings: reasonRows("findings_total", before, now), Rules: ruleRows(before, now), Candidate: candidateOf(s.source, before, now),
		Upstreams: upstreamRows(before, now), Partners: partnerRows(before, now), Files: followed.Rows(s.files(), now.at), Notices: s.notices(before, now), Rejects: []rejects.Reject{}, Overrides: []overrides.Entry{},
	}
	d.Judges = s.options.Judge != nil
	if c := s.options.Control; c != nil {
		list := c.Overrides.List()
		d.Overrides = list[:min(len(list), OverridesMax)]
	}
	d.Series, d.Points = s.history.columns(since)
	for _, reject := range s.source.Rejects() {
		if reject.Number <= known || len(d.Rejects) == liveRejectsMax {
			break
		}
		d.Rejects = append(d.Rejects, reject)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(&d) // whoever asked is gone
}
