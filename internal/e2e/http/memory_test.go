package http

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestMemory has 16 clients that send 1 MB of small objects each, again and again, with the body
// limit at 1 MiB and all other limits at their defaults. The most memory that the process ever has
// stays below 512 MB: what is decoded counts, too.
func TestMemory(t *testing.T) {
	const mebibyte = 1 << 20
	empty := strings.Repeat("{},", mebibyte/3)
	fit := func(before, after string) string {
		return before + strings.TrimSuffix(empty[:(mebibyte-len(before)-len(after))/3*3], ",") + after
	}
	bodies := []string{
		fit(`{"imp":[`, `]}`),
		fit(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250},"metric":[`, `]}],"site":{"id":"1"}}`),
		fit(`{"id":"1","imp":[{"id":"1","pmp":{"deals":[`, `]}}],"site":{"id":"1"}}`),
		fit(`{"id":"1","imp":[{"id":"1","banner":{"format":[`, `]}}],"user":{"data":[{"segment":[{}]}]}}`),
		fit(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"user":{"data":[`, `]}}`),
		`{"id":"1","imp":[` + strings.Repeat(`{"banner":{},"video":{},"audio":{},"native":{},"pmp":{}},`, mebibyte/58-2) + `{}]}`,
		`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"},"ext":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
	}
	for _, plane := range []string{"fast", "std"} {
		t.Run(plane, func(t *testing.T) {
			if plane == "std" && !testkit.Long(t) {
				t.Skip("both planes have the same code here")
			}
			up := newUpstream(t, nil)
			p := serve(t, plane, up.url(), "--max-body", "1MiB")
			var clients sync.WaitGroup
			for n := range 16 {
				clients.Go(func() {
					c := connect(t, p)
					for i := range testkit.Scale(t, 4, 10, 60) {
						body := bodies[0]
						if i%2 == 1 {
							body = bodies[(n+i)%len(bodies)]
						}
						c.send(post(body))
						r, err := c.read(http.MethodPost)
						switch {
						case err != nil:
							t.Errorf("no answer: %v", err)
							return
						case r.StatusCode != http.StatusNoContent && r.StatusCode != http.StatusOK && r.StatusCode != http.StatusServiceUnavailable && r.StatusCode != http.StatusBadRequest:
							t.Errorf("status %d", r.StatusCode)
						case r.Close:
							c = connect(t, p)
						}
					}
				})
			}
			clients.Wait()
			settled(t, p)
			fine(t, p)
			peak := p.Memory(t, "VmHWM")
			t.Logf("peak memory %d KiB; %v", peak, counted(nil, p.metrics(t)))
			if !testkit.Race && peak > 512<<10 {
				t.Errorf("peak memory %d KiB", peak)
			}
		})
	}
}
