package fraud

import "github.com/rtbwire/rtbwire/internal/address"

// windows looks at the answers of windows.
func (s *scorer) windows() {
	f := s.in.Facts
	if f.Counts.IFA > s.limits.IFA {
		s.hit(windowIFA, "/device/ifa")
	}
	if f.Counts.Address > s.limits.Address {
		path := "/device/ip"
		if _, ok := address.Read(s.device.IP); !ok {
			path = "/device/ipv6"
		}
		s.hit(windowAddress, path)
	}
	if f.Seen {
		s.hit(windowSeen, "/id")
	}
}

// vendors looks at the answers of services. The highest one counts.
func (s *scorer) vendors() {
	highest, absent := 0, false
	for i := range s.in.Facts.Vendor {
		v := &s.in.Facts.Vendor[i]
		if v.Err {
			absent = absent || v.Score > 0
			continue
		}
		highest = max(highest, v.Score)
	}
	s.share(vendorScore, min(highest, ScoreMax), "")
	if absent {
		s.hit(vendorAbsent, "")
	}
}
