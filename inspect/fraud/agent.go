package fraud

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/useragent"
)

// agent looks at the user agent, and at what the rest of the device says about it.
func (s *scorer) agent() {
	d := s.device
	if d == &noDevice {
		return
	}
	claims := useragent.Parse(d.UA)
	if claims.Empty {
		s.hints()
		return
	}
	switch {
	case claims.Crawler:
		s.hit(agentCrawler, "/device/ua")
	case claims.Headless:
		s.hit(agentHeadless, "/device/ua")
	case claims.Client == useragent.LibraryClient, claims.Client == useragent.AppClient && s.r.Site != nil:
		s.hit(agentClient, "/device/ua")
	}
	if claims.Faults&(useragent.ImpossibleOS|useragent.ImpossibleBrowser|useragent.ImpossiblePair) != 0 {
		s.hit(agentVersion, "/device/ua")
	}
	if claims.Faults&(useragent.ControlCharacter|useragent.Unbalanced|useragent.TooLong) != 0 {
		s.hit(agentForm, "/device/ua")
	}
	if s.r.App != nil && s.r.Site == nil && claims.Desktop && claims.Browser != useragent.BrowserUnknown && !equal(d.DeviceType, &computer) {
		s.hit(agentDesktop, "/device/ua")
	}
	if s.direct && s.on(agentHeader) && s.in.Facts.UserAgent != "" && s.in.Facts.UserAgent != d.UA {
		s.hit(agentHeader, "/device/ua")
	}
	found := useragent.Compare(&claims, d)
	if found == 0 {
		return
	}
	for _, x := range [...]struct {
		bits useragent.Contradictions
		n    signal
		path string
	}{
		{useragent.ContradictsOS, agentOS, "/device/os"},
		{useragent.ContradictsOSVersion, agentOSV, "/device/osv"},
		{useragent.ContradictsMake, agentMake, "/device/make"},
		{useragent.ContradictsModel, agentModel, "/device/model"},
		{useragent.ContradictsDeviceType, agentType, "/device/devicetype"},
		{useragent.ContradictsHintOS | useragent.ContradictsHintVersion | useragent.ContradictsHintBrowser | useragent.ContradictsHintMobile |
			useragent.ContradictsHintModel, agentHints, "/device/sua"},
	} {
		if found&x.bits != 0 {
			s.hit(x.n, x.path)
		}
	}
}

// computer is the type of devices that say of themselves that they are computers.
var computer = adcom.DeviceTypePC

// hints looks at the structured user agent of a device without another.
func (s *scorer) hints() {
	sua := s.device.SUA
	if sua == nil || len(sua.Browsers) == 0 && sua.Platform == nil {
		s.hit(agentEmpty, "/device/ua")
		return
	}
	for i := range sua.Browsers {
		brand := useragent.Parse(sua.Browsers[i].Brand)
		switch {
		case brand.Headless:
			s.hit(agentHeadless, "/device/sua")
		case brand.Crawler:
			s.hit(agentCrawler, "/device/sua")
		}
	}
}
