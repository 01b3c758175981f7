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
