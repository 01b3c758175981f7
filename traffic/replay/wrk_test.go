package replay

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestWrk(t *testing.T) {
	address := start(t, 0, "sink")
	for _, size := range []int{800, 4096} {
		for range 3 {
			var rate, failed, cpu float64
			fmt.Sscan(start(t, 1, fmt.Sprintf("load http://%s %d 3", address, size)), &rate, &failed, &cpu)
			script := t.TempDir() + "/s.lua"
			os.WriteFile(script, []byte(fmt.Sprintf("wrk.method=\"POST\"\nwrk.headers[\"Content-Type\"]=\"application/json\"\nwrk.body=%q\n", strings.Repeat("x", size))), 0o600)
			out, err := pinned(1, "wrk", "-t1", "-c64", "-d3s", "-s", script, "http://"+address+"/openrtb2/auction").CombinedOutput()
			if err != nil {
				t.Fatal(err, string(out))
			}
			m := regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`).FindSubmatch(out)
			w, _ := strconv.ParseFloat(string(m[1]), 64)
			t.Logf("size %d: replay %.0f/s (cpu %.2f s of 3) failed %v wrk %.0f/s ratio %.2f", size, rate, cpu, failed, w, rate/w)
		}
	}
}
