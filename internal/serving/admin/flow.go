package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// LanesMax is how many partitions or files of a stream are listed, those with the most lag first.
const LanesMax = 100

// Flow says where the records of a stream come from and where they go.
type Flow struct {
	// From is what is read, such as "bids", Kind what that is, and Group the consumer group.
	From  string `json:"from"`
	Group string `json:"group,omitempty"`
	// Accepted, DeadLetters and Responses are what is written: a topic, a file, or the address of
	// an upstream.
	Accepted    string `json:"accepted"`
	DeadLetters string `json:"dead_letters"`
	Responses   string `json:"responses,omitempty"`
	// Upstream says that Accepted is one.
	Upstream bool `json:"upstream"`
	// Bytes says that positions and lag are bytes of files, and not records.
	Bytes bool `json:"bytes"`
}

// The states of rows: what is right, what to look at, what is wrong.
const (
	stateGood = "good"
	stateWarn = "warn"
	stateBad  = "bad"
)

// endRow is where records come from, or where they go.
type endRow struct {
	Role  string `json:"role"`
	Name  string `json:"name"`
	State string `json:"state"`
	// Text is the state for people.
	Text      string  `json:"text"`
	Total     float64 `json:"total"`
	PerSecond float64 `json:"per_second"`
	// Failures are tries that did not work.
	Failures          float64 `json:"failures"`
	FailuresPerSecond float64 `json:"failures_per_second"`
}

// laneRow is a partition or a file.
type laneRow struct {
	Name      string `json:"name"`
	Partition string `json:"partition"`
	// Lag, Position and Committed are records, or bytes of a file; -1 if they are not known.
	Lag       float64 `json:"lag"`
	Position  float64 `json:"position"`
	Committed float64 `json:"committed"`
	// PerSecond is how fast the position grows, since the first time in the last minute that it was
	// known; -1 if it was not.
	PerSecond float64 `json:"per_second"`
	// Behind is how long the lag takes at this rate, in seconds; -1 if nothing moves.
	Behind float64 `json:"behind"`
}

// laneRows returns the partitions and files that are read. Those that are new have no past in the
// oldest samples.
func laneRows(past []*sample, now *sample) []laneRow {
	type lane struct{ name, number string }
	values := func(s *sample, name string) map[lane]float64 {
		out := map[lane]float64{}
		for _, l := range s.all(name) {
			out[lane{l.label("topic"), l.label("partition")}] = l.value
		}
		return out
	}
	position, committed, lag := values(now, "position"), values(now, "committed_offset"), values(now, "lag_records")
	rates := map[lane]float64{}
	for _, before := range past {
		seconds := secondsBetween(before, now)
		for at, was := range values(before, "position") {
			if _, has := rates[at]; !has && seconds > 0 {
				rates[at] = perSecond(was, position[at], seconds)
			}
		}
	}
	fileLag := now.byLabel("file_lag_bytes", "file")
	rows := []laneRow{}
	for at := range position {
		row := laneRow{Name: at.name, Partition: at.number, Lag: known(lag, at), Position: known(position, at), Committed: known(committed, at), PerSecond: known(rates, at), Behind: -1}
		if own, is := fileLag[at.name]; is {
			row.Lag = own
		}
		switch {
		case row.Lag == 0:
			row.Behind = 0
		case row.Lag > 0 && row.PerSecond > 0:
			row.Behind = round(row.Lag / row.PerSecond)
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b laneRow) int {
		x, _ := strconv.Atoi(a.Partition)
		y, _ := strconv.Atoi(b.Partition)
		return cmp.Or(cmp.Compare(b.Lag, a.Lag), cmp.Compare(a.Name, b.Name), cmp.Compare(x, y))
	})
	return rows[:min(len(rows), LanesMax)]
}

// known returns a value, -1 if there is none.
func known[K comparable](values map[K]float64, at K) float64 {
	if v, is := values[at]; is {
		return v
	}
	return -1
}

// endRows returns where records come from and where they go, with their states.
func endRows(f *Flow, before, now *sample) []endRow {
	seconds := secondsBetween(before, now)
	grown := func(name, label, value string) (total, rate float64) {
		total = now.sum(name, label, value)
		return total, perSecond(before.sum(name, label, value), total, seconds)
	}
	source := endRow{Role: "reads", Name: f.From, State: stateGood, Text: "reading"}
	if f.Group != "" {
		source.Name += " as " + f.Group
	}
	source.Total, source.PerSecond = grown("records_total", "", "")
	source.Failures, source.FailuresPerSecond = grown("fetch_errors_total", "", "")
	if f.Bytes {
		source.Failures, source.FailuresPerSecond = grown("file_errors_total", "", "")
	}
	switch {
	case now.sum("ready", "", "") == 0:
		source.State, source.Text = stateBad, "not reading"
	case source.FailuresPerSecond > 0:
		source.State, source.Text = stateWarn, "reading, with errors"
	}
	accepted := endRow{Role: "accepted", Name: f.Accepted, State: stateGood, Text: "writing"}
	accepted.Total, accepted.PerSecond = grown("records_total", "result", "accepted")
	if f.Upstream {
		accepted = upstreamEnd(accepted, before, now)
	} else {
		accepted.written(grown)
	}
	dead := endRow{Role: "dead letters", Name: f.DeadLetters, State: stateGood, Text: "writing"}
	dead.Total, dead.PerSecond = grown("dead_letters_total", "", "")
	dead.written(grown)
	rows := []endRow{source, accepted, dead}
	if f.Responses != "" {
		responses := endRow{Role: "responses", Name: f.Responses, State: stateGood, Text: "writing"}
		responses.Total, responses.PerSecond = grown("responses_total", "result", "written")
		responses.written(grown)
		rows = append(rows, responses)
	}
	return rows
}

// written adds the tries at which a file could not be written. Topics have none.
func (e *endRow) written(grown func(name, label, value string) (total, rate float64)) {
	e.Failures, e.FailuresPerSecond = grown("file_write_errors_total", "file", e.Name)
	if e.FailuresPerSecond > 0 {
		e.State, e.Text = stateBad, "can't be written"
	}
}

// upstreamEnd adds what is known about an upstream.
func upstreamEnd(e endRow, before, now *sample) endRow {
	seconds := secondsBetween(before, now)
	old, tries := before.byLabel("upstream_attempts_total", "result"), now.byLabel("upstream_attempts_total", "result")
	for _, result := range []string{"failed", "late", "unreachable"} {
		e.Failures += tries[result]
		e.FailuresPerSecond = round(e.FailuresPerSecond + perSecond(old[result], tries[result], seconds))
	}
	waiting := now.sum("upstream_waiting", "", "")
	switch {
	case now.sum("paused", "", "") > 0:
		e.State, e.Text = stateBad, fmt.Sprintf("down; %s wait", plural(waiting, "record"))
	case e.FailuresPerSecond > 0:
		e.State, e.Text = stateWarn, "some attempts fail"
	default:
		e.Text = "taking records"
	}
	return e
}
