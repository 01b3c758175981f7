package admin

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/gateway"
)

// large returns a server of a gateway with many partners, with a full history.
func large(b *testing.B) *Server {
	b.Helper()
	o := gateway.Options{Upstreams: gateway.At("http://127.0.0.1:9")}
	for i := range 200 {
		o.Partners = append(o.Partners, gateway.Partner{Name: fmt.Sprint("exchange-", i), Match: gateway.Match{Path: fmt.Sprint("/exchange-", i)}})
	}
	g, err := gateway.New(o)
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(g, Options{})
	if err != nil {
		b.Fatal(err)
	}
	at := time.Now()
	for i := range PointsMax + 1 {
		s.history.add(take(s.history.from, at.Add(time.Duration(i)*Interval)))
	}
	return s
}

// BenchmarkSample is what happens once a second.
func BenchmarkSample(b *testing.B) {
	s := large(b)
	b.ReportAllocs()
	for b.Loop() {
		s.history.add(take(s.history.from, s.history.last.at.Add(Interval)))
	}
}

// BenchmarkLive is what each open page asks once a second, and once at its beginning.
func BenchmarkLive(b *testing.B) {
	s := large(b)
	for name, query := range map[string]string{"first": "", "next": fmt.Sprint("?since=", s.history.next-1)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				r := httptest.NewRequest(http.MethodGet, "/live"+query, nil)
				r.Host = "localhost"
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, r)
				size = w.Body.Len()
			}
			b.ReportMetric(float64(size), "B/answer")
		})
	}
}
