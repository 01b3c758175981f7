package admin

import "math"

// What the page plots. The names are part of the document that /live answers.

// statuses are the values of the label request_status whose rates are plotted.
var statuses = []string{"forwarded", "refused", "malformed", "rejected", "shed", "failed", "withheld", "passthrough"}

// stages are the stages of a request. The first one is the whole.
var stages = []string{"total", "read", "inspect", "upstream", "response"}

// series is one number over time.
type series struct {
	name string
	// of computes the number from two samples.
	of func(before, now *sample) float64
}

// allSeries are all of them, in the order of their columns.
var allSeries = func() (list []series) {
	for _, status := range statuses {
		list = append(list, series{"requests." + status, rate("requests_total", "request_status", status)})
	}
	for _, stage := range stages {
		for _, q := range []struct {
			name string
			q    float64
		}{{"p50", 0.5}, {"p99", 0.99}} {
			name, label := "stage_time_seconds", "stage"
			if stage == "total" {
				name, label = "request_time_seconds", ""
			}
			list = append(list, series{"latency." + stage + "." + q.name, func(before, now *sample) float64 {
				return 1000 * quantile(q.q, before.histogram(name, label, stage), now.histogram(name, label, stage))
			}})
		}
	}
	return append(
		list,
		series{"in_flight", gauge("requests_in_flight")},
		series{"in_flight_limit", gauge("requests_in_flight_limit")},
		series{"connections", gauge("connections_open")},
		series{"upstream_connections", gauge("upstream_connections")},
		series{"upstream_failures", rate("upstream_failures_total", "", "")},
		series{"memory", gauge("process_resident_memory_bytes")},
		series{"heap", gauge("go_memstats_heap_inuse_bytes")},
		series{"goroutines", gauge("go_goroutines")},
		series{"cpu", rate("process_cpu_seconds_total", "", "")},
	)
}()

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
