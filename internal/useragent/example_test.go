package useragent_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/internal/useragent"
	"github.com/rtbwire/rtbwire/openrtb"
)

func Example() {
	d := openrtb.Device{
		UA: "Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36",
		OS: "iOS", OSV: "17.4", Make: "Apple", Model: "iPhone14,5",
	}
	claims := useragent.Parse(d.UA)
	fmt.Println(claims.OS, claims.OSMajor, claims.Form, claims.Browser, claims.Major, claims.Model())
	found := useragent.Compare(&claims, &d)
	fmt.Println(found, found&useragent.ContradictsOS != 0)
	// Output:
	// Android 13 phone Chrome 138 Pixel 7
	// os,make,model true
}

func ExampleParse() {
	for _, ua := range []string{
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
		"python-requests/2.31.0",
		"Dalvik/2.1.0 (Linux; U; Android 13; SM-A536B Build/TP1A.220624.014)",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 99_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
	} {
		c := useragent.Parse(ua)
		fmt.Printf("%q, crawler: %t, client: %v, in a web view: %t, faults: %q\n", c.Agent(), c.Crawler, c.Client, c.WebView, c.Faults)
	}
	// Output:
	// "Googlebot", crawler: true, client: none, in a web view: false, faults: ""
	// "python-requests", crawler: false, client: library, in a web view: false, faults: ""
	// "Dalvik", crawler: false, client: app, in a web view: false, faults: ""
	// "", crawler: false, client: none, in a web view: true, faults: "impossible-os"
}

func ExampleCompare() {
	// The user agent of an iPad in desktop mode, and a device that says what it is.
	d := openrtb.Device{
		UA: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15",
		OS: "iPadOS", OSV: "17.4", Make: "Apple", Model: "iPad13,1",
	}
	claims := useragent.Parse(d.UA)
	fmt.Println(claims.OS, claims.MaybeIPad, claims.Desktop, useragent.Compare(&claims, &d) == 0)
	// Output: macOS true false true
}
