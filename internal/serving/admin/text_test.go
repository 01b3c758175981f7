package admin

import (
	"math"
	"os/exec"
	"strings"
	"testing"
)

// TestText writes numbers for people.
func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(1_000), "1,000"}, {count(12345678), "12,345,678"}, {count(-1234), "-1,234"}, {count(math.NaN()), none}, {count(0.4), "0"},
		{short(0), "0"}, {short(0.25), "0.25"}, {short(0.000012), "0.000012"}, {short(9.96), "10"}, {short(10.04), "10"}, {short(12.34), "12.3"}, {short(123), "123"}, {short(9999), "9,999"}, {short(12345), "12.3k"}, {short(3_400_000), "3.4M"},
		{short(1.5e9), "1.5G"}, {short(math.Inf(1)), none}, {each(2.5), "2.5/s"}, {each(math.NaN()), none},
		{milliseconds(0), "0"}, {milliseconds(0.0361), "36.1 µs"}, {milliseconds(20.74), "20.7 ms"}, {milliseconds(1500), "1.5 s"}, {milliseconds(math.NaN()), none},
		{span(0), "0 s"}, {span(59.9), "59 s"}, {span(61), "1 min 1 s"}, {span(7260), "2 h 1 min"}, {span(90000), "1 d 1 h"}, {span(math.NaN()), none},
		{size(0), "0 B"}, {size(1023), "1023 B"}, {size(80 << 20), "80 MiB"}, {size(1.5 * (1 << 40)), "1.5 TiB"}, {size(math.NaN()), none},
		{percent(1, 0), none}, {percent(1, 1), "100 %"}, {percent(99999, 100000), "> 99.9 %"}, {percent(1, 100000), "< 0.1 %"}, {percent(1, 3), "33.3 %"}, {percent(0, 3), "0 %"},
		{plural(1, "record"), "1 record"}, {plural(1200, "record"), "1,200 records"}, {cut("é", 1), "…"}, {cut("short", 5), "short"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestTextOfPage wants the page to write numbers as the server does.
func TestTextOfPage(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	const script = `import("./page/format.js").then((f) => console.log([
	  f.count(12345678), f.short(9.96), f.short(0.0312), f.short(12.34), f.short(12345), f.rate(2.5), f.time(0.0361), f.time(20.74), f.time(1500), f.span(61), f.span(90000), f.bytes(80 << 20), f.bytes(1023),
	  f.percent(99999, 100000), f.percent(1, 100000), f.percent(1, 3), f.percent(1, 0)].join("|")));`
	out, err := exec.Command(node, "--no-warnings", "--input-type=module", "--eval", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := strings.Join([]string{
		count(12345678), short(9.96), short(0.0312), short(12.34), short(12345), each(2.5), milliseconds(0.0361), milliseconds(20.74), milliseconds(1500), span(61), span(90000), size(80 << 20), size(1023),
		percent(99999, 100000), percent(1, 100000), percent(1, 3), percent(1, 0),
	}, "|")
	if got := strings.TrimSpace(string(out)); got != want {
		t.Errorf("the page writes\n%s\nthe server\n%s", got, want)
	}
}
