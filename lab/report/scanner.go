package report

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Scanner is what the packet scanner's benchmark in cpp/ found.
type Scanner struct {
	Taken time.Time
	Rows  []ScannerRow
}

// ScannerRow is one way to judge a packet, with one set of packets.
type ScannerRow struct {
	Name, Set   string
	Threads     int
	NS          float64 // of one thread, for one packet
	BytesPerSec float64
	Heap        float64 // calls of the heap's functions for one packet
	Arena       float64 // the most bytes of its arena that a packet took
}

// GBPerSecond is the throughput of all threads together. Google Benchmark's is that of a second of processor time.
func (s *ScannerRow) GBPerSecond() float64 { return s.BytesPerSec * float64(s.Threads) / 1e9 }

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

// ReadScanner reads Google Benchmark's JSON. Names are row/set, with /threads:N behind them.
func ReadScanner(file string) (*Scanner, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var in struct {
		Context    struct{ Date time.Time }
		Benchmarks []googleRow
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	out := &Scanner{Taken: in.Context.Date}
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
			return nil, fmt.Errorf("%q is no name of a row and a set", b.Name)
		}
		out.Rows = append(out.Rows, ScannerRow{
			Name: parts[0], Set: strings.TrimSuffix(parts[1], "_median"), Threads: max(b.Threads, 1),
			NS: b.CPUTime, BytesPerSec: b.BytesPerSec, Heap: b.Heap, Arena: b.Arena,
		})
	}
	return out, nil
}
