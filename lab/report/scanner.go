package report

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// ScannerRow is one way to judge a packet, with one set of packets, as the benchmark in cpp/ found.
type ScannerRow struct {
	Name, Set   string
	Threads     int
	NS          float64 // of one thread, for one packet
	GBPerSecond float64 // of all threads together
	Heap        float64 // calls of the heap's functions for one packet
	Arena       float64 // the most bytes of its arena that a packet took
}

// googleRow is a result as Google Benchmark writes it.
type googleRow struct {
	Name        string
	Aggregate   string  `json:"aggregate_name"`
	Threads     int     `json:"threads"`
	CPUTime     float64 `json:"cpu_time"`
	TimeUnit    string  `json:"time_unit"`
	BytesPerSec float64 `json:"bytes_per_second"`
	Heap        float64 `json:"heap"`
	Arena       float64 `json:"arena"`
	Failed      bool    `json:"error_occurred"`
}

// ReadScanner reads Google Benchmark's JSON. Names are row/set/threads:N.
func ReadScanner(file string) ([]ScannerRow, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var in struct {
		Benchmarks []googleRow
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	var rows []ScannerRow
	medians := slices.ContainsFunc(in.Benchmarks, func(b googleRow) bool { return b.Aggregate == "median" })
	for _, b := range in.Benchmarks {
		if b.Failed || medians && b.Aggregate != "median" {
			continue
		}
		if b.TimeUnit != "ns" {
			return nil, fmt.Errorf("%s is in %s, not in ns", b.Name, b.TimeUnit)
		}
		parts := strings.Split(b.Name, "/")
		if len(parts) < 2 {
			return nil, fmt.Errorf("%q does not name a row and a set", b.Name)
		}
		threads := max(b.Threads, 1)
		rows = append(rows, ScannerRow{
			Name: parts[0], Set: strings.TrimSuffix(parts[1], "_median"), Threads: threads,
			// Google Benchmark's throughput is that of a second of one thread's processor time.
			NS: b.CPUTime, GBPerSecond: b.BytesPerSec * float64(threads) / 1e9, Heap: b.Heap, Arena: b.Arena,
		})
	}
	return rows, nil
}
