package fraud

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The places of supply chains.
const (
	chainPath       = "/source/schain"
	chainPathSource = "/source/ext/schain"
	chainPathExt    = "/ext/schain"
)

// supply looks at the supply chains, at all places that versions of OpenRTB have for them.
func (s *scorer) supply() {
	if s.r.Source != nil && s.r.Source.SChain != nil {
		s.chain(s.r.Source.SChain, chainPath)
	}
	request := s.hasChain(s.r.Ext, chainPathExt)
	source := s.r.Source != nil && s.hasChain(s.r.Source.Ext, chainPathSource)
	if !request && !source {
		return
	}
	if s.reader == nil {
		s.reader = legacy.NewReader()
	}
	chains := s.reader.SChain(s.r)
	s.extChain(source, chains.Source, chainPathSource)
	s.extChain(request, chains.Request, chainPathExt)
}

// extChain looks at a chain of an ext. One that can't be decoded is broken: else it would hide what
// it has.
func (s *scorer) extChain(there bool, c *openrtb.SupplyChain, path string) {
	switch {
	case !there:
	case c == nil:
		s.hit(supplyBroken, path)
	default:
		s.chain(c, path)
	}
}

// chainMax is the longest text of a chain in an ext that is read, in bytes. Longer ones are
// broken.
const chainMax = 64 << 10

// hasChain reports whether an ext has a supply chain to be read. A value of another type is broken,
// and not read: the error would cost memory.
func (s *scorer) hasChain(ext []byte, path string) bool {
	value, ok := legacy.Member(ext, "schain")
	switch {
	case !ok || value[0] == 'n': // null
		return false
	case value[0] != '{' || len(value) > chainMax:
		s.hit(supplyBroken, path)
		return false
	}
	return true
}

// nodesMax is how many nodes are compared with each other. A longer chain can't be checked in
// practice.
const nodesMax = 64

// chain looks at one supply chain.
func (s *scorer) chain(c *openrtb.SupplyChain, path string) {
	if c.Complete != nil && *c.Complete == 0 {
		s.hit(supplyIncomplete, path)
	}
	if len(c.Nodes) == 0 {
		s.hit(supplyBroken, path)
		return
	}
	if len(c.Nodes) > s.limits.Nodes {
		s.hit(supplyLong, path)
	}
	nodes, paid := c.Nodes, false
	for i := range nodes {
		n := &nodes[i]
		paid = paid || n.HP == nil || *n.HP != 0
		if !isSystem(n.ASI) || blank.Trim(n.SID) == "" {
			s.hit(supplyBroken, path)
			continue
		}
		if s.on(supplyRepeated) && i < nodesMax {
			for j := range i {
				if sameNode(&nodes[j], n) {
					s.hit(supplyRepeated, path)
				}
			}
		}
		if l := s.data.BlockedNodes; l != nil && s.on(supplyBlocked) && l.Contains(n.ASI, n.SID) {
			s.hit(supplyBlocked, path)
		}
	}
	if !paid { // somebody is
		s.hit(supplyBroken, path)
	}
	if s.data.Chains != nil {
		s.files(c, path)
	}
	if s.systems != nil && s.on(supplyLast) && !s.partners(c.Nodes[len(c.Nodes)-1].ASI) {
		s.hit(supplyLast, path)
	}
}

// isSystem reports whether a text can be the domain of an advertising system.
func isSystem(asi string) bool {
	asi = blank.Trim(asi)
	if strings.IndexByte(asi, '.') < 0 {
		return false
	}
	for i := range len(asi) {
		if c := asi[i]; !nameChars[c] && c < 0x80 {
			return false
		}
	}
	return true
}

// sameNode reports whether two nodes are one seller of one system.
func sameNode(a, b *openrtb.SupplyChainNode) bool {
	return blank.Trim(a.SID) == blank.Trim(b.SID) &&
		strings.EqualFold(strings.TrimSuffix(blank.Trim(a.ASI), "."), strings.TrimSuffix(blank.Trim(b.ASI), "."))
}

// files compares a chain with the files of publishers and advertising systems.
func (s *scorer) files(c *openrtb.SupplyChain, path string) {
	signs := s.data.Chains.Signs(s.r, c)
	for _, x := range [...]struct {
		signs lookup.ChainSigns
		n     signal
	}{
		{lookup.Malformed, supplyBroken},
		{lookup.TooLong, supplyLong},
		{lookup.FinalUnauthorized, supplyUnauthorized},
		{lookup.UpstreamUnauthorized, supplyUpstream},
		{lookup.NotListed, supplyUnlisted},
		{lookup.FirstReseller | lookup.FirstIntermediary | lookup.LaterPublisher | lookup.BrokenLink | lookup.OwnerMismatch, supplyRelation},
		{lookup.NoAdsTxt, supplyUnknown},
	} {
		if signs&x.signs != 0 {
			s.hit(x.n, path)
		}
	}
}

// partners reports whether a system is one of the partner's.
func (s *scorer) partners(asi string) bool {
	asi = strings.TrimSuffix(blank.Trim(asi), ".")
	for _, own := range s.systems {
		if strings.EqualFold(own, asi) {
			return true
		}
	}
	return false
}

// checkSystem brings the domain of an advertising system into the form that is compared.
func checkSystem(domain string) (string, error) {
	canonical := strings.ToLower(strings.TrimSuffix(blank.Trim(domain), "."))
	if !strings.Contains(canonical, ".") || strings.ContainsAny(canonical, " /:@,") {
		return "", fmt.Errorf("fraud: %q is not the domain of an advertising system (want exchange.example)", domain)
	}
	return canonical, nil
}
