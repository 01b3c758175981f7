package gateway

import "testing"

// BenchmarkServe serves accepted requests in memory, without sockets and the upstream.
func BenchmarkServe(b *testing.B) {
	for _, name := range []string{"banner", "app"} {
		b.Run(name, func(b *testing.B) {
			serve, resp := served(b, Options{}, read(b, "testdata/bench/"+name+".json"))
			serve()
			b.ReportAllocs()
			for b.Loop() {
				serve()
			}
			if resp.StatusCode() != 200 {
				b.Fatal(resp)
			}
		})
	}
}

// BenchmarkServeTraced is BenchmarkServe with spans of a share of requests, which nobody takes.
func BenchmarkServeTraced(b *testing.B) {
	for name, share := range map[string]float64{"none": 0, "1%": 0.01, "all": 1} {
		b.Run(name, func(b *testing.B) {
			serve, _ := served(b, Options{Tracer: nobody{}, Sampling: Sampling{Share: share}}, read(b, "testdata/bench/banner.json"))
			serve()
			b.ReportAllocs()
			for b.Loop() {
				serve()
			}
		})
	}
}

type nobody struct{}

func (nobody) Take(*Trace) {}
