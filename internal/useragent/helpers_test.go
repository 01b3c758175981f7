package useragent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// describe writes claims in one line: what is unknown or false is left out.
func describe(c Claims) string {
	var parts []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	numbered := func(name string, numbers ...int16) string {
		for i, n := range numbers {
			if n < 0 {
				break
			}
			name += fmt.Sprintf("%c%d", " ."[min(i, 1)], n)
		}
		return name
	}
	add(c.OS != OSUnknown, "%s", numbered(c.OS.String(), c.OSMajor, c.OSMinor))
	add(c.Form != FormUnknown, "%v", c.Form)
	add(c.Browser != BrowserUnknown, "%s", numbered(c.Browser.String(), c.Major))
	add(c.Chromium >= 0 && c.Chromium != c.Major, "Chromium %d", c.Chromium)
	add(c.Client != NoClient, "client %v", c.Client)
	add(c.Agent() != "", "agent %s", c.Agent())
	add(c.Model() != "", "model %q", c.Model())
	for _, flag := range []struct {
		set  bool
		name string
	}{
		{c.Empty, "empty"}, {c.Crawler, "crawler"}, {c.Headless, "headless"}, {c.WebView, "web-view"}, {c.Mobile, "mobile"},
		{c.Desktop, "desktop-browser"}, {c.Frozen, "frozen"}, {c.MaybeIPad, "maybe-ipad"}, {c.X11, "x11"},
		{c.Faults != 0, c.Faults.String()},
	} {
		add(flag.set, "%s", flag.name)
	}
	return strings.Join(parts, ", ")
}

// devices returns the devices of the corpus that have a user agent.
func devices(t testing.TB) (list []*openrtb.Device) {
	t.Helper()
	for _, text := range testkit.Requests(t) {
		q, err := openrtb.Parse(text)
		if err == nil && q.Device != nil && q.Device.UA != "" {
			list = append(list, q.Device)
		}
	}
	if len(list) < 500 {
		t.Fatalf("%d devices in the corpus", len(list))
	}
	return list
}
