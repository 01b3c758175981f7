package fraud

import (
	"maps"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

func init() { maps.Copy(signalCases, agentCases) }

// User agents of ordinary devices.
const (
	uaAndroid = "Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36"
	uaIPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
	uaWindows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	uaMac     = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15"
	uaRoku    = "Roku/DVP-12.5 (12.5.0.4178-88)"
)

// device is a request of a device with a user agent and other members.
func device(ua string, members ...string) string {
	return `{"device":{"ua":"` + ua + `"` + strings.Join(append([]string{""}, members...), ",") + `}}`
}

// ordinary are devices without any sign.
var ordinary = []string{
	device(uaAndroid), device(uaIPhone), device(uaWindows), device(uaMac), device(uaRoku),
	device(uaAndroid, `"os":"Android"`, `"osv":"14"`, `"make":"Samsung"`, `"model":"SM-S918B"`, `"devicetype":4`),
	device(uaIPhone, `"os":"iOS"`, `"osv":"17.5"`, `"make":"Apple"`, `"model":"iPhone"`, `"devicetype":4`),
	device(uaWindows, `"os":"Windows"`, `"devicetype":2`), `{}`,
}

var agentCases = map[string][]cases{
	"agent.empty": {{
		has: map[string][]string{"/device/ua": {`{"device":{}}`, `{"device":{"ua":""}}`, `{"device":{"ua":"  "}}`, `{"device":{"ip":"8.8.8.8"}}`, `{"device":{"sua":{"mobile":1}}}`}},
		not: append(ordinary, `{"device":{"sua":{"platform":{"brand":"Android"}}}}`, `{"device":{"sua":{"browsers":[{"brand":"Chromium"}]}}}`),
	}},
	"agent.crawler": {{
		has: map[string][]string{"/device/ua": {
			device("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), device("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"),
		}},
		not: append(ordinary, device("curl/8.5.0")),
	}},
	"agent.headless": {{
		has: map[string][]string{"/device/ua": {device("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36")}, "/device/sua": {`{"device":{"sua":{"browsers":[{"brand":"HeadlessChrome"}]}}}`}},
		not: ordinary,
	}},
	"agent.client": {{
		has: map[string][]string{"/device/ua": {
			device("curl/8.5.0"), device("python-requests/2.32.0"), device("Go-http-client/1.1"), `{"site":{},` + device("okhttp/4.12.0")[1:],
		}},
		not: append(ordinary, `{"app":{},`+device("okhttp/4.12.0")[1:], device("okhttp/4.12.0")),
	}},
	"agent.version": {{
		has: map[string][]string{"/device/ua": {
			device(strings.Replace(uaIPhone, "17_5", "99_0", 1)), device(strings.Replace(uaWindows, "Chrome/126", "Chrome/9999", 1)), device(strings.Replace(uaAndroid, "Android 14", "Android 3.0", 1)),
		}},
		not: ordinary,
	}},
	"agent.form": {{
		has: map[string][]string{"/device/ua": {device(uaWindows + `\u0001`), device(uaIPhone + " (")}},
		not: ordinary,
	}},
	"agent.desktop": {{
		has: map[string][]string{"/device/ua": {`{"app":{},` + device(uaWindows)[1:]}},
		not: append(ordinary, `{"app":{},`+device(uaAndroid)[1:], `{"app":{},`+device(uaMac)[1:], `{"site":{},`+device(uaWindows)[1:], `{"app":{},"site":{},`+device(uaWindows)[1:], `{"app":{},`+device(uaWindows, `"devicetype":2`)[1:]),
	}},
	"agent.header": {
		{
			with: func(c *Config, f *rule.Facts) { c.Direct, f.UserAgent = true, uaIPhone },
			has:  map[string][]string{"/device/ua": {device(uaAndroid), device(uaIPhone + " ")}}, not: []string{device(uaIPhone), `{}`, `{"device":{}}`},
		},
		{with: func(_ *Config, f *rule.Facts) { f.UserAgent = uaIPhone }, not: ordinary},
		{with: func(c *Config, _ *rule.Facts) { c.Direct = true }, not: ordinary},
	},
	"agent.os": {{
		has: map[string][]string{"/device/os": {device(uaAndroid, `"os":"iOS"`), device(uaIPhone, `"os":"Android"`), device(uaWindows, `"os":"Android"`)}},
		not: append(ordinary, device(uaIPhone, `"os":"iPhone OS"`), device(uaAndroid, `"os":"android"`), device(uaAndroid, `"os":""`)),
	}},
	"agent.osv": {{
		has: map[string][]string{"/device/osv": {device(uaAndroid, `"os":"Android"`, `"osv":"9"`), device(uaIPhone, `"os":"iOS"`, `"osv":"12.1"`)}},
		not: ordinary,
	}},
	"agent.make": {{
		has: map[string][]string{"/device/make": {device(uaIPhone, `"make":"Samsung"`), device(uaAndroid, `"make":"Apple"`)}},
		not: append(ordinary, device(uaAndroid, `"make":""`)),
	}},
	"agent.model": {{
		has: map[string][]string{"/device/model": {device(uaAndroid, `"model":"iPhone"`)}},
		not: append(ordinary, device(uaIPhone, `"model":"iPhone15,2"`)),
	}},
	"agent.devicetype": {{
		has: map[string][]string{"/device/devicetype": {device(uaIPhone, `"devicetype":3`), device(uaWindows, `"devicetype":4`)}},
		not: append(ordinary, device(uaIPhone, `"devicetype":1`)),
	}},
	"agent.hints": {{
		has: map[string][]string{"/device/sua": {
			device(uaIPhone, `"sua":{"platform":{"brand":"Windows","version":["10"]}}`), device(uaWindows, `"sua":{"platform":{"brand":"Android"}}`),
		}},
		not: append(ordinary, device(uaWindows, `"sua":{"platform":{"brand":"Windows","version":["10"]},"mobile":0}`)),
	}},
}
