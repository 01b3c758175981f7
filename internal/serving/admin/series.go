package admin

import "math"

// What the pages plot. The names are part of the document that /live answers.

// statuses are the values of the label request_status whose rates are plotted.
var statuses = []string{"forwarded", "refused", "malformed", "rejected", "shed", "failed", "withheld", "passthrough"}

// stages are the stages of a request. The first one is the whole; own is all but reading and the
// upstream.
var stages = []string{"total", "read", "inspect", "upstream", "response", "own"}

// results are the values of the label result of records.
var results = []string{"accepted", "refused", "undeliverable"}

// attempts are the values of the label result of attempts to deliver a record.
var attempts = []string{"delivered", "refused", "failed", "late", "unreachable"}

// quantiles are those of latencies.
var quantiles = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p99", 0.99}}

// series is one number over time.
type series struct {
	name string
	// of computes the number from two samples.
	of func(before, now *sample) float64
}

// processSeries are those of the process.
var processSeries = []series{
	{"memory", gauge("process_resident_memory_bytes")},
	{"heap", gauge("go_memstats_heap_inuse_bytes")},
	{"goroutines", gauge("go_goroutines")},
	{"cpu", rate("process_cpu_seconds_total", "", "")},
}

// gatewaySeries are those of a gateway, in the order of their columns.
var gatewaySeries = func() (list []series) {
	for _, status := range statuses {
		list = append(list, series{"requests." + status, rate("requests_total", "request_status", status)})
	}
	for _, stage := range stages {
		name, label := "stage_time_seconds", "stage"
		if stage == "total" {
			name, label = "request_time_seconds", ""
		}
		list = append(list, latencies("latency."+stage, name, label, stage)...)
	}
	list = append(
		list,
		series{"in_flight", gauge("requests_in_flight")},
		series{"in_flight_limit", gauge("requests_in_flight_limit")},
		series{"overload_limit", bindingLimit},
		series{"connections", gauge("connections_open")},
		series{"upstream_connections", gauge("upstream_connections")},
		series{"upstream_failures", rate("upstream_failures_total", "", "")},
	)
	return append(list, processSeries...)
}()

// streamSeries are those of a stream.
var streamSeries = func() (list []series) {
	for _, result := range results {
		list = append(list, series{"records." + result, rate("records_total", "result", result)})
	}
	for _, result := range attempts {
		list = append(list, series{"attempts." + result, rate("upstream_attempts_total", "result", result)})
	}
	list = append(list, latencies("upstream", "upstream_time_seconds", "", "")...)
	list = append(
		list,
		series{"lag", lag},
		series{"read_bytes", rate("read_bytes_total", "", "")},
		series{"in_flight_bytes", gauge("in_flight_bytes")},
		series{"in_flight_bytes_max", gauge("in_flight_bytes_max")},
		series{"commit_age", commitAge},
		series{"waiting", gauge("upstream_waiting")},
	)
	return append(list, processSeries...)
}()

// latencies are quantiles of a histogram, in milliseconds.
func latencies(as, name, label, value string) (list []series) {
	for _, q := range quantiles {
		list = append(list, series{as + "." + q.name, func(before, now *sample) float64 {
			return 1000 * quantile(q.q, before.histogram(name, label, value), now.histogram(name, label, value))
		}})
	}
	return list
}

// limitNear is the part of the adaptive limit from which on it is said to bind. The gateway itself
// takes a limit for one that may limit from there on.
const limitNear = 0.5

// bindingLimit is the adaptive limit on requests in flight while it matters: requests are shed for
// it, or are as many as half of it. What it is otherwise says nothing about overload.
func bindingLimit(before, now *sample) float64 {
	limit, inFlight := now.sum("requests_in_flight_limit", "", ""), now.sum("requests_in_flight", "", "")
	shed := now.sum("rejected_total", "reason", overloadReason) > before.sum("rejected_total", "reason", overloadReason)
	if limit == 0 || !shed && inFlight < limitNear*limit {
		return math.NaN()
	}
	return limit
}

// overloadReason is the reason of requests that the adaptive limit refuses.
const overloadReason = "gateway.overload"

// lag is what is not delivered yet: records of topics, bytes of files.
func lag(_, now *sample) float64 {
	if now.families["files_lag_bytes"] != nil {
		return now.sum("files_lag_bytes", "", "")
	}
	return gauge("lag_records")(nil, now)
}

// commitAge is how long ago the last commit was, in seconds.
func commitAge(_, now *sample) float64 {
	last := now.sum("committed_timestamp_seconds", "", "")
	if last == 0 {
		return math.NaN()
	}
	return max(float64(now.at.UnixMilli())/1000-last, 0)
}

// rate is how much a counter grows in a second.
func rate(name, label, value string) func(before, now *sample) float64 {
	return func(before, now *sample) float64 {
		seconds := now.at.Sub(before.at).Seconds()
		if seconds <= 0 {
			return math.NaN()
		}
		return max(now.sum(name, label, value)-before.sum(name, label, value), 0) / seconds
	}
}

// gauge is the sum of the values of a metric.
func gauge(name string) func(before, now *sample) float64 {
	return func(_, now *sample) float64 {
		if now.families[name] == nil {
			return math.NaN()
		}
		return now.sum(name, "", "")
	}
}
