package admin

import (
	"fmt"
	"math"
)

// tile is a number of now, with what belongs to it.
type tile struct {
	Title string `json:"title"`
	Value string `json:"value"`
	// Notes are at most two lines.
	Notes []string `json:"notes"`
	State string   `json:"state"`
}

// numbers are what series are now, by name.
type numbers map[string]float64

// of returns a number, NaN if it is not known.
func (n numbers) of(name string) float64 {
	if v, is := n[name]; is {
		return v
	}
	return math.NaN()
}

// sum adds numbers up; those that are not known count as 0.
func (n numbers) sum(prefix string, names ...string) (sum float64) {
	for _, name := range names {
		sum += n[prefix+name]
	}
	return sum
}

// bidStatuses are the statuses of bid requests: all but those that pass unread. objections are
// those for which the sender gets a no-bid response or an error, and losses those that are nobody's
// fault but ours or an upstream's.
var (
	bidStatuses = statuses[:len(statuses)-1]
	objections  = []string{"refused", "malformed", "rejected", "withheld"}
	losses      = []string{"shed", "failed"}
)

// tilesOf returns the tiles of a document.
func tilesOf(d *document, now numbers) []tile {
	var tiles []tile
	if d.Kind == kindStream {
		tiles = streamTiles(d, now)
	} else {
		tiles = gatewayTiles(d, now)
	}
	return append(tiles, tile{Title: "Memory", Value: size(now.of("memory")), Notes: []string{cores(now.of("cpu"), d.Limits.CPUs)}, State: stateGood})
}

func gatewayTiles(d *document, now numbers) []tile {
	all, lost := now.sum("requests.", bidStatuses...), now.sum("requests.", losses...)
	refused, forwarded := now.sum("requests.", objections...), now["requests.forwarded"]
	return []tile{
		{"Requests", each(all), []string{short(numbers(d.Totals).sum("", bidStatuses...)) + " in all"}, stateGood},
		{"Forwarded", percent(forwarded, all), []string{each(forwarded)}, stateGood},
		{"Refused", percent(refused, all), append([]string{each(refused)}, wouldRefuse(d.Reasons)...), stateGood},
		{"Our time p99", milliseconds(now.of("latency.own.p99")), []string{
			"upstream " + milliseconds(now.of("latency.upstream.p99")), "in all " + milliseconds(now.of("latency.total.p99")),
		}, stateGood},
		inFlightTile(d, now),
		{"Shed and failed", each(lost), []string{percent(lost, all) + " of requests"}, lossState(lost, all)},
		upstreamTile(d.Upstreams),
	}
}

// LossShare is the share of requests that are shed or fail from which on that is bad. Below it, it
// is to be looked at: a few are late on any busy day.
const LossShare = 0.01

// lossState is the state of some requests that are lost, of all.
func lossState(lost, all float64) string {
	switch {
	case lost == 0:
		return stateGood
	case lost < LossShare*all:
		return stateWarn
	}
	return stateBad
}

// wouldRefuse is a note about what is observed, if anything is.
func wouldRefuse(reasons []reasonRow) []string {
	sum := 0.0
	for i := range reasons {
		sum += reasons[i].WouldRefusePerSecond
	}
	if sum == 0 {
		return nil
	}
	return []string{"would refuse " + each(sum)}
}

// inFlightTile says which limit there is only where it binds.
func inFlightTile(d *document, now numbers) tile {
	t := tile{Title: "In flight", Value: count(now.of("in_flight")), Notes: []string{"at most " + count(d.Limits.InFlight)}, State: stateGood}
	if limit, binds := now["overload_limit"]; binds {
		t.Notes, t.State = []string{"limited to " + count(limit)}, stateWarn
		if now["requests.shed"] > 0 {
			t.State = stateBad
		}
	}
	return t
}

// upstreamTile counts upstreams that get requests.
func upstreamTile(upstreams []upstreamRow) tile {
	healthy, drained := 0, 0
	for i := range upstreams {
		switch u := &upstreams[i]; {
		case u.Drained:
			drained++
		case u.Healthy:
			healthy++
		}
	}
	t := tile{Title: "Upstreams", Value: none, Notes: []string{"healthy"}, State: stateGood}
	if len(upstreams) == 0 {
		return t
	}
	t.Value = fmt.Sprintf("%d of %d", healthy, len(upstreams))
	if drained > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d drained", drained))
	}
	switch {
	case healthy == 0:
		t.State = stateBad
	case healthy+drained < len(upstreams):
		t.State = stateWarn
	}
	return t
}

func streamTiles(d *document, now numbers) []tile {
	all, dead := now.sum("records.", results...), now.sum("records.", "refused", "undeliverable")
	accepted, undeliverable := now["records.accepted"], now["records.undeliverable"]
	deadTile := tile{"Dead letters", percent(dead, all), append([]string{each(dead)}, wouldRefuse(d.Reasons)...), stateGood}
	if undeliverable > 0 {
		deadTile.Notes, deadTile.State = []string{each(undeliverable) + " undeliverable"}, stateWarn
	}
	return []tile{
		{"Records", each(all), []string{short(numbers(d.Totals).sum("", results...)) + " in all"}, stateGood},
		{"Accepted", percent(accepted, all), []string{each(accepted)}, stateGood},
		deadTile,
		lagTile(d, now),
		commitTile(now),
		bufferTile(now),
		destinationTile(d, now),
	}
}

// lagTile says how much is not delivered yet, and how long that takes.
func lagTile(d *document, now numbers) tile {
	lag := now.of("lag")
	t := tile{Title: "Lag", Value: short(lag), Notes: []string{"records"}, State: stateGood}
	rate := now.sum("records.", results...)
	if d.Flow.Bytes {
		t.Value, t.Notes, rate = size(lag), nil, now["read_bytes"]
	}
	switch {
	case lag > 0 && rate > 0:
		t.Notes = append(t.Notes, "about "+span(math.Ceil(lag/rate)))
	case lag > 0:
		t.Notes, t.State = append(t.Notes, "nothing is delivered"), stateWarn
	}
	if len(t.Notes) == 0 {
		t.Notes = []string{"all is delivered"}
	}
	return t
}

// commitOld is from which age on a last commit is shown as old, while records wait.
const commitOld = 60

// commitTile says how old the last commit is. While nothing is read, none is due.
func commitTile(now numbers) tile {
	age := now.of("commit_age")
	t := tile{Title: "Last commit", Value: span(age), Notes: []string{"ago"}, State: stateGood}
	switch {
	case !isNumber(age):
		t.Notes = []string{"none yet"}
	case age > commitOld && now["lag"] > 0:
		t.State = stateWarn
	}
	return t
}

// bufferFull is the part of the limit on bytes in flight from which on reading waits.
const bufferFull = 0.95

func bufferTile(now numbers) tile {
	used, limit := now.of("in_flight_bytes"), now.of("in_flight_bytes_max")
	return tile{"In flight", size(used), []string{"of " + size(limit)}, stateOf(!(used >= bufferFull*limit), stateWarn)}
}

// destinationTile says whether accepted records can be delivered.
func destinationTile(d *document, now numbers) tile {
	t := tile{Title: "Destination", Value: "up", Notes: []string{}, State: stateGood}
	for i := range d.Ends {
		end := &d.Ends[i]
		if end.Role == "reads" || end.State == stateGood {
			continue
		}
		if end.State == stateBad {
			t.Value = "down"
		} else if t.Value == "up" {
			t.Value = "unsteady"
		}
		t.State, t.Notes = worst(t.State, end.State), []string{end.Role + ": " + end.Text}
	}
	if t.State == stateGood && d.Flow.Upstream {
		t.Notes = []string{"p99 " + milliseconds(now.of("upstream.p99"))}
	}
	return t
}

// stateOf returns good, or what is the case otherwise.
func stateOf(good bool, otherwise string) string {
	if good {
		return stateGood
	}
	return otherwise
}

// worst returns the worse one of two states.
func worst(a, b string) string {
	if a == stateBad || b == stateBad {
		return stateBad
	}
	if a == stateWarn || b == stateWarn {
		return stateWarn
	}
	return stateGood
}

// cores is how much of some processors is used.
func cores(used float64, all int) string {
	if !isNumber(used) {
		return none
	}
	return fmt.Sprintf("%.2f of %s", used, plural(float64(all), "core"))
}
