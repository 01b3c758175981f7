package simulate

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file reads requests as a buyer would who looks for fraud. Each kind of fraud has a sign:
// clean requests have none of them, and a request with fraud has the one of its kind.

// view is a request, and the parts of it that signs look at. Objects that are absent are empty.
type view struct {
	*openrtb.BidRequest
	device  openrtb.Device
	geo     openrtb.Geo
	app     openrtb.App
	site    openrtb.Site
	user    openrtb.User
	gdpr    int
	consent string
	isApp   bool // on a phone or a tablet
	isTV    bool
	chain   *chain
	text    string
}

type chain struct {
	Complete int
	Ver      string
	Nodes    []struct {
		ASI, SID string
		HP       int
	}
}

func newView(t *testing.T, text []byte) *view {
	t.Helper()
	r, err := openrtb.Parse(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	v := &view{BidRequest: r}
	if r.Device != nil {
		v.device = *r.Device
		if r.Device.Geo != nil {
			v.geo = *r.Device.Geo
		}
	}
	if r.App != nil {
		v.app = *r.App
		v.isTV = r.App.Content != nil && (r.App.Content.LiveStream != nil || r.App.Content.Series != "") || v.device.Make == "Amazon" || televisionAgent.MatchString(v.device.UA) ||
			slices.ContainsFunc(r.Imp, func(i openrtb.Imp) bool {
				return i.SSAI != nil || i.Video != nil && i.Video.W != nil && *i.Video.W >= 1280
			})
		v.isApp = !v.isTV
	}
	if r.Site != nil {
		v.site = *r.Site
	}
	if r.User != nil {
		v.user = *r.User
	}
	v.gdpr, _, _ = legacy.GDPR(r)
	v.consent, _, _ = legacy.Consent(r)
	v.chain = readChain(t, text)
	return v
}

// readChain reads the supply chain at either of its places.
func readChain(t *testing.T, text []byte) *chain {
	t.Helper()
	var doc struct {
		Source struct {
			Schain *chain
			Ext    struct{ Schain *chain }
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Source.Schain != nil && doc.Source.Ext.Schain != nil {
		t.Fatalf("two supply chains: %s", text)
	}
	if doc.Source.Ext.Schain != nil {
		return doc.Source.Ext.Schain
	}
	return doc.Source.Schain
}

// whereIs returns an address, and the countries in whose ranges it is.
func whereIs(ip string) (a netip.Addr, countryCodes []string) {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return a, nil
	}
	for i := range countries {
		c := &countries[i]
		nets := slices.Clone(c.fixed)
		for _, m := range c.mobile {
			nets = append(nets, m.network)
		}
		if slices.ContainsFunc(nets, func(n network) bool { return n.contains(a) }) {
			countryCodes = append(countryCodes, c.code)
		}
	}
	return a, countryCodes
}

func (n network) contains(a netip.Addr) bool {
	b := a.As16()
	if a.Is4() {
		v := a.As4()
		ip := v4(uint32(v[0]), uint32(v[1]), uint32(v[2]), uint32(v[3]))
		return ip>>(32-n.bits) == n.v4>>(32-n.bits)
	}
	return n.v6 != 0 && v4(uint32(b[0]), uint32(b[1]), uint32(b[2]), uint32(b[3])) == n.v6
}

var (
	uuidForm        = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	packageForm     = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)
	usForm          = regexp.MustCompile(`^1[YN-][YN-][YN-]$`)
	chromeForm      = regexp.MustCompile(`Chrome/([0-9]+)\.`)
	realAgent       = regexp.MustCompile(`^(Mozilla/5\.0|Dalvik/2\.1\.0|Roku/DVP|AppleCoreMedia/1|BrightSign/|[A-Z][a-z]+[A-Z][a-z]+/[0-9.]+ CFNetwork/)`)
	desktopAgent    = regexp.MustCompile(`Windows NT|Macintosh|X11`)
	televisionAgent = regexp.MustCompile(`Roku|TV Safari|Web0S|AFT|Apple TV`)
	crawlerAgent    = regexp.MustCompile(`(?i)bot\b|crawler|spider`)
	hiddenAgent     = regexp.MustCompile(`Headless|PhantomJS`)
	programAgent    = regexp.MustCompile("Headless|PhantomJS|bot")
	portableAgent   = regexp.MustCompile(`iPhone|iPad|wv\)|Dalvik.*Build/[RSTUA]P|CFNetwork|Windows NT|Macintosh|X11|Android 10; K`)
)

// systemOf is the system that a user agent speaks of.
func systemOf(ua string) string {
	for _, pair := range [][2]string{
		{"iPhone", "iOS"}, {"iPad", "iOS"}, {"CFNetwork", "iOS"}, {"Apple TV", "tvOS"}, {"Macintosh", "macOS"}, {"CrOS", "ChromeOS"},
		{"Tizen 9", "Linux"}, {"Signage", "Linux"}, {"Tizen", "Tizen"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Web0S", "webOS"}, {"Roku", "Roku OS"}, {"Linux", "Linux"},
	} {
		if strings.Contains(ua, pair[0]) {
			return pair[1]
		}
	}
	return ""
}

func is(p *int, n int) bool { return p != nil && *p == n }

// tcfVersion returns the version of a TCF string, 0 if it is not one: the first six bits, and at
// least the fields of fixed length.
func tcfVersion(s string) int {
	core, _, _ := strings.Cut(s, ".")
	b, err := base64.RawURLEncoding.DecodeString(core)
	if err != nil || len(b) < 29 {
		return 0
	}
	return int(b[0] >> 2)
}

// gppSection is the number of the first section in a GPP header, for those in use here.
func gppSection(gpp string) int {
	header, _, _ := strings.Cut(gpp, "~")
	return map[string]int{"DBABMA": 2, "DBABLA": 7}[header]
}

// signs are what gives fraud away in one request, by kind.
var signs = map[string]func(v *view) bool{
	"address.private": func(v *view) bool {
		a, err := netip.ParseAddr(v.device.IP)
		return err == nil && (a.IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(a))
	},
	"address.reserved": func(v *view) bool {
		a, err := netip.ParseAddr(v.device.IP)
		return err == nil && slices.ContainsFunc([]string{"240.0.0.0/4", "0.0.0.0/8", "127.0.0.0/8", "203.0.113.0/24", "169.254.0.0/16"}, func(p string) bool { return netip.MustParsePrefix(p).Contains(a) })
	},
	"address.multicast": func(v *view) bool {
		a, err := netip.ParseAddr(v.device.IP)
		return err == nil && a.IsMulticast()
	},
	"address.datacenter": func(v *view) bool {
		a, err := netip.ParseAddr(v.device.IP)
		return err == nil && slices.ContainsFunc(datacenters[:], func(n network) bool { return n.contains(a) })
	},
	"address.country": func(v *view) bool {
		_, codes := whereIs(v.device.IP)
		return v.geo.Country != "" && len(codes) > 0 && !slices.Contains(codes, v.geo.Country)
	},
	"address.versions": func(v *view) bool {
		_, four := whereIs(v.device.IP)
		_, six := whereIs(v.device.IPv6)
		return len(four) > 0 && len(six) > 0 && !slices.ContainsFunc(four, func(c string) bool { return slices.Contains(six, c) })
	},
	"ua.empty": func(v *view) bool { return v.device.UA == "" && strings.Contains(v.text, `"ua"`) },
	"ua.crawler": func(v *view) bool {
		return crawlerAgent.MatchString(v.device.UA)
	},
	"ua.headless": func(v *view) bool { return hiddenAgent.MatchString(v.device.UA) },
	"ua.program":  func(v *view) bool { return v.device.UA != "" && !realAgent.MatchString(v.device.UA) },
	"ua.os": func(v *view) bool {
		s := systemOf(v.device.UA)
		return s != "" && v.device.OS != "" && v.device.OS != s && realAgent.MatchString(v.device.UA) && !programAgent.MatchString(v.device.UA) && !desktopInApp(v)
	},
	"ua.osv": func(v *view) bool { return v.device.OSV == "99.9" || v.device.OSV == "0.1" },
	"ua.version": func(v *view) bool {
		m := chromeForm.FindStringSubmatch(v.device.UA)
		return m != nil && len(m[1]) == 3 && m[1] > "200"
	},
	"ua.make": func(v *view) bool {
		apple := strings.Contains(v.device.UA, "iPhone") || strings.Contains(v.device.UA, "iPad") || strings.Contains(v.device.UA, "CFNetwork")
		return v.device.Make != "" && v.device.UA != "" && v.isApp && apple != (v.device.Make == "Apple") && !desktopInApp(v)
	},
	"ua.devicetype": func(v *view) bool {
		return v.device.DeviceType != nil && *v.device.DeviceType == 3 && portableAgent.MatchString(v.device.UA) && !strings.Contains(v.device.UA, "AFT")
	},
	"ua.sua": func(v *view) bool {
		return v.device.SUA != nil && v.device.SUA.Platform != nil && systemOf(v.device.UA) != "" && strings.ReplaceAll(v.device.SUA.Platform.Brand, " ", "") != systemOf(v.device.UA)
	},
	"ua.desktop-app": desktopInApp,
	"id.ifa-missing": func(v *view) bool {
		return v.BidRequest.App != nil && v.device.IFA == "" && is(v.device.Lmt, 0) && v.coppa() != 1
	},
	"id.ifa-zero": func(v *view) bool { return v.device.IFA != "" && strings.Trim(v.device.IFA, "0-") == "" },
	"id.ifa-form": func(v *view) bool {
		return v.device.IFA != "" && strings.Trim(v.device.IFA, "0-") != "" && !uuidForm.MatchString(v.device.IFA)
	},
	"id.ifa-limited":   func(v *view) bool { return v.device.IFA != "" && is(v.device.Lmt, 1) },
	"id.imp-identical": func(v *view) bool { return len(v.Imp) >= 4 && identicalImps(v.Imp) },
	"inventory.bundle-form": func(v *view) bool {
		switch v.device.OS {
		case "Android":
			return v.isApp && !packageForm.MatchString(v.app.Bundle)
		case "iOS":
			return v.isApp && strings.Trim(v.app.Bundle, "0123456789") != ""
		}
		return false
	},
	"inventory.storeurl": func(v *view) bool {
		return v.app.StoreURL != "" && !strings.Contains(v.app.StoreURL, v.app.Bundle)
	},
	"inventory.domain": func(v *view) bool {
		return v.site.Domain != "" && !strings.HasPrefix(strings.TrimPrefix(v.site.Page, "https://www."), v.site.Domain) &&
			!strings.HasPrefix(strings.TrimPrefix(v.site.Page, "https://"), v.site.Domain)
	},
	"inventory.size": func(v *view) bool {
		return slices.ContainsFunc(v.Imp, func(i openrtb.Imp) bool {
			return i.Banner != nil && slices.ContainsFunc(i.Banner.Format, func(f openrtb.Format) bool { return is(f.W, 1) })
		})
	},
	"supply.incomplete": func(v *view) bool { return v.chain != nil && v.chain.Complete != 1 },
	"supply.broken": func(v *view) bool {
		return v.chain != nil && slices.ContainsFunc(v.chain.Nodes, func(n struct {
			ASI, SID string
			HP       int
		}) bool {
			return n.ASI == "" || n.SID == ""
		})
	},
	"supply.long": func(v *view) bool { return v.chain != nil && len(v.chain.Nodes) > 4 },
	"supply.repeated": func(v *view) bool {
		if v.chain == nil || len(v.chain.Nodes) > 4 {
			return false
		}
		for i, n := range v.chain.Nodes {
			for _, other := range v.chain.Nodes[:i] {
				if n.ASI == other.ASI && n.SID != "" && n.SID == other.SID {
					return true
				}
			}
		}
		return false
	},
	"economics.floor": func(v *view) bool {
		return slices.ContainsFunc(v.Imp, func(i openrtb.Imp) bool {
			return i.BidFloor != nil && (i.BidFloorCur == "" || i.BidFloorCur == "USD") && *i.BidFloor > 1000
		})
	},
	"economics.tmax":       func(v *view) bool { return v.TMax != nil && (*v.TMax < 50 || *v.TMax > 5000) },
	"economics.imps":       func(v *view) bool { return len(v.Imp) > 20 },
	"privacy.no-consent":   func(v *view) bool { return v.gdpr == 1 && v.consent == "" },
	"privacy.consent-form": func(v *view) bool { return v.consent != "" && tcfVersion(v.consent) != 2 },
	"privacy.us-form": func(v *view) bool {
		s, ok, _ := legacy.USPrivacy(v.BidRequest)
		return ok && !usForm.MatchString(s)
	},
	"privacy.gpp-sections": func(v *view) bool {
		return v.Regs != nil && v.Regs.GPP != "" && len(v.Regs.GPPSID) > 0 && int(v.Regs.GPPSID[0]) != gppSection(v.Regs.GPP)
	},
	"privacy.coppa": func(v *view) bool {
		return v.coppa() == 1 && (v.device.IFA != "" || v.user.ID != "" || v.user.BuyerUID != "" || len(v.user.EIDs) > 0)
	},
	"privacy.dnt-lmt": func(v *view) bool {
		return v.device.DNT != nil && v.device.Lmt != nil && *v.device.DNT != *v.device.Lmt
	},
}

// repeats are kinds that no single request shows: TestRepeats has them.
var repeats = []string{"address.repeated", "id.ifa-repeated", "id.request-repeated"}

func desktopInApp(v *view) bool { return v.isApp && desktopAgent.MatchString(v.device.UA) }

func (v *view) coppa() int {
	if v.Regs == nil || v.Regs.COPPA == nil {
		return 0
	}
	return *v.Regs.COPPA
}

func identicalImps(imps []openrtb.Imp) bool {
	var first string
	for i := range imps {
		imp := imps[i]
		imp.ID = ""
		if imp.Video != nil { // their place in the pod differs
			video := *imp.Video
			video.Sequence, video.SlotInPod = nil, nil
			imp.Video = &video
		}
		text, err := json.Marshal(imp)
		if err != nil {
			return false
		}
		if i == 0 {
			first = string(text)
		} else if string(text) != first {
			return false
		}
	}
	return true
}

// TestSigns checks that clean requests have no sign of fraud, and that fraud has its own.
func TestSigns(t *testing.T) {
	for _, k := range Kinds() {
		if k.Class == Fraud && (signs[k.ID] != nil) == slices.Contains(repeats, k.ID) {
			t.Errorf("%s has to have a sign, or to be in the list of those without", k.ID)
		}
	}
	for _, shape := range Shapes() {
		each(mustNew(t, Config{Seed: 31, Shape: shape, Fraud: Percent(50)}), uint64(testkit.Scale(t, 300, 1_200, 100_000)), func(text []byte, l Label) {
			v := newView(t, text)
			v.text = string(text)
			for id, sign := range signs {
				switch shown := sign(v); {
				case l.Class == Clean && shown:
					t.Errorf("%v: clean request %d has the sign of %s\n%s", shape, l.N, id, text)
				case l.What == id && !shown:
					t.Errorf("%v: request %d does not have the sign of %s\n%s", shape, l.N, id, text)
				}
			}
		})
		if t.Failed() {
			return
		}
	}
}
