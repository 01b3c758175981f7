package fraud

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/moved"
	"github.com/rtbwire/rtbwire/inspect/supply"
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
	if !hasChain(s.r.Ext) && (s.r.Source == nil || !hasChain(s.r.Source.Ext)) {
		return
	}
	if s.reader == nil {
		s.reader = moved.NewReader()
	}
	chains := s.reader.SChain(s.r)
	if chains.Source != nil {
		s.chain(chains.Source, chainPathSource)
	}
	if chains.Request != nil {
		s.chain(chains.Request, chainPathExt)
	}
}

// hasChain reports whether an ext has a supply chain. A value of another type is not read: the
// error would cost memory.
func hasChain(ext []byte) bool {
	value, ok := moved.Member(ext, "schain")
	return ok && value[0] == '{'
}

// nodesMost is how many nodes are looked at. Longer chains are no offer that anybody can check.
const nodesMost = 64

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
	nodes := c.Nodes[:min(len(c.Nodes), nodesMost)]
	for i := range nodes {
		n := &nodes[i]
		if n.ASI == "" || n.SID == "" {
			s.hit(supplyBroken, path)
			continue
		}
		if s.on(supplyRepeated) {
			for j := range i {
				if nodes[j].SID == n.SID && strings.EqualFold(nodes[j].ASI, n.ASI) {
					s.hit(supplyRepeated, path)
				}
			}
		}
		if l := s.data.BlockedNodes; l != nil && s.on(supplyBlocked) && blocks(l, n) {
			s.hit(supplyBlocked, path)
		}
	}
	if s.data.Supply != nil {
		s.files(c, path)
	}
	if s.systems != nil && s.on(supplyLast) && !s.partners(c.Nodes[len(c.Nodes)-1].ASI) {
		s.hit(supplyLast, path)
	}
}

// files compares a chain with the files of publishers and advertising systems.
func (s *scorer) files(c *openrtb.SupplyChain, path string) {
	now := s.data.Supply.Snapshot()
	said := now.Judge(c, now.Publisher(s.r)).Signs
	for _, x := range [...]struct {
		signs supply.Signs
		n     signal
	}{
		{supply.FinalUnauthorized, supplyUnauthorized},
		{supply.UpstreamUnauthorized, supplyUpstream},
		{supply.NotListed, supplyUnlisted},
		{supply.FirstReseller | supply.FirstIntermediary | supply.LaterPublisher | supply.BrokenLink | supply.OwnerMismatch, supplyRelation},
		{supply.NoAdsTxt, supplyUnknown},
	} {
		if said&x.signs != 0 {
			s.hit(x.n, path)
		}
	}
}

// blocks reports whether a list has a node.
func blocks(l *lists.List, n *openrtb.SupplyChainNode) bool {
	if l.Kind() == lists.Seller {
		_, found := l.Seller(n.ASI, n.SID)
		return found
	}
	return l.Match(n.ASI)
}

// partners reports whether a system is one of the partner's.
func (s *scorer) partners(asi string) bool {
	asi = strings.TrimSuffix(asi, ".")
	for _, own := range s.systems {
		if strings.EqualFold(own, asi) {
			return true
		}
	}
	return false
}

// checkSystem brings the domain of an advertising system into the form that is compared.
func checkSystem(domain string) (string, error) {
	canonical := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(domain), "."))
	if !strings.Contains(canonical, ".") || strings.ContainsAny(canonical, " /:@,") {
		return "", fmt.Errorf("fraud: %q is not the domain of an advertising system (want exchange.example)", domain)
	}
	return canonical, nil
}
