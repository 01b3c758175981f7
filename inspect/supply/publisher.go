package supply

import (
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/urlhost"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Relation is what a publisher's ads.txt file says about a seller's account.
type Relation uint8

// The relations.
const (
	// Unknown means that there is no file for the publisher, or that it declares nothing.
	Unknown Relation = iota
	// Unauthorized means that the file does not list the account.
	Unauthorized
	// Direct means that the publisher controls the account.
	Direct
	// Reseller means that the publisher has authorized another one to control the account.
	Reseller
	// Both means that the file lists the account as both.
	Both
)

var relationNames = [...]string{Unknown: "unknown", Unauthorized: "unauthorized", Direct: "direct", Reseller: "reseller", Both: "both"}

// String returns "unknown", "unauthorized", "direct", "reseller" or "both".
func (r Relation) String() string {
	if int(r) < len(relationNames) {
		return relationNames[r]
	}
	return "Relation(" + strconv.Itoa(int(r)) + ")"
}

// Publisher is what a publisher declares in ads.txt or app-ads.txt: the sellers of its inventory.
// Its zero value is a publisher without a file. It is valid as long as anyone has it.
type Publisher struct {
	own *adsTxt
	// partner is the file of the inventory partner that the request names, if own refers to it
	// (delegated).
	partner   *adsTxt
	delegated bool
}

// Known reports whether there is a file that declares something.
func (p Publisher) Known() bool { return p.own != nil && p.own.valid }

// Domain returns the domain whose file it is, "" without one.
func (p Publisher) Domain() string {
	if p.own == nil {
		return ""
	}
	return p.own.domain
}

// Relation returns the relation to a seller's account in an advertising system. System is a domain,
// compared in canonical form; ids are compared exactly, without white space around them.
func (p Publisher) Relation(system, seller string) Relation {
	if !p.Known() {
		return Unknown
	}
	var buf [canonical.DomainMax]byte
	name, ok := canonical.Domain(&buf, blank.Trim(system))
	if !ok {
		return Unauthorized
	}
	return p.relation(accountKey(name, blank.Trim(seller)))
}

func (p Publisher) relation(key uint64) Relation {
	if !p.Known() {
		return Unknown
	}
	r := p.own.relation(key)
	if r != Unauthorized || !p.delegated {
		return r
	}
	if p.partner == nil || !p.partner.valid {
		return Unknown
	}
	return p.partner.relation(key)
}

// OwnerDomain returns the business domain of the inventory's owner, "" if none is declared.
func (p Publisher) OwnerDomain() string {
	if p.own == nil {
		return ""
	}
	return p.own.owner
}

// ManagerDomain returns the domain of the primary or exclusive seller of the inventory in a country
// (ISO 3166-1 alpha-2), "" if none is declared. The one without a country is for all others.
func (p Publisher) ManagerDomain(country string) (domain string) {
	if p.own == nil {
		return ""
	}
	for _, m := range p.own.managers {
		switch {
		case m.country == "" && domain == "":
			domain = m.domain
		case m.country != "" && strings.EqualFold(m.country, country):
			return m.domain
		}
	}
	return domain
}

// owns reports whether the domain belongs to the owner or a manager. Without a declared owner the
// answer is yes: there is nothing to compare with.
func (f *adsTxt) owns(domain string) bool {
	if f.owner == "" || nested(f.owner, domain) {
		return true
	}
	for _, m := range f.managers {
		if nested(m.domain, domain) {
			return true
		}
	}
	return false
}

// nested reports whether the canonical domains are equal, or one is a subdomain of the other. Two
// subdomains of one owner are not nested: what a file declares is exact, and package fraud, which
// guesses who owns a host, has a rule of its own.
func nested(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || len(a) > len(b) && a[len(a)-len(b)-1] == '.' && a[len(a)-len(b):] == b
}

// AdsTxt returns what the website at the domain declares. Of a URL, the host counts. A subdomain
// has the file of its root domain, except where that refers to a file of the subdomain (ads.txt
// 1.1, SUBDOMAIN).
func (s *Snapshot) AdsTxt(domain string) Publisher {
	var buf [canonical.DomainMax]byte
	name, ok := hostName(&buf, domain)
	if !ok {
		return Publisher{}
	}
	return Publisher{own: s.adsTxt(name)}
}

func hostName(buf *[canonical.DomainMax]byte, s string) (string, bool) {
	if canonical.IsDomain(s) {
		return s, true
	}
	return canonical.Domain(buf, urlhost.Host(blank.Trim(s)))
}

func (s *Snapshot) adsTxt(name string) *adsTxt {
	own := s.ads[name]
	if own != nil && own.level == 0 {
		return own
	}
	root := above(s.ads, name, 0)
	if root == nil || own != nil && own.valid && root.refersTo(name) {
		return own
	}
	return root
}

// AppAdsTxt returns what the developer with the domain declares for its apps. A subdomain without a
// file has the one of its root domain; "www." and "m." count for nothing, nor do more labels than
// one (app-ads.txt 1.0, appendix A).
func (s *Snapshot) AppAdsTxt(domain string) Publisher {
	var buf [canonical.DomainMax]byte
	name, ok := hostName(&buf, domain)
	if !ok {
		return Publisher{}
	}
	return Publisher{own: s.appAdsTxt(name)}
}

func (s *Snapshot) appAdsTxt(name string) *adsTxt {
	for _, prefix := range [...]string{"www.", "m."} {
		if rest, found := strings.CutPrefix(name, prefix); found && strings.IndexByte(rest, '.') >= 0 {
			name = rest
			break
		}
	}
	own := s.apps[name]
	if own != nil && own.valid {
		return own
	}
	if f := above(s.apps, name, 1); f != nil {
		return f
	}
	return own
}

// labelsMax is how many labels of a name can matter: those of the longest public suffix, and two.
const labelsMax = 8

// above returns the nearest file above the name that declares something, of a domain with at most
// level labels more than the root domain, which the two have in common.
func above(files map[string]*adsTxt, name string, level int) *adsTxt {
	rest, labels := name, strings.Count(name, ".")+1
	for below := 1; labels > 1; below++ {
		rest = rest[strings.IndexByte(rest, '.')+1:]
		if labels--; labels > labelsMax {
			continue
		}
		if f := files[rest]; f != nil && f.level <= level && f.valid && f.covers(name, below) {
			return f
		}
	}
	return nil
}

// covers reports whether the name, which has some labels more than the file's domain, has the same
// root domain. The list of public suffixes is asked only where it can say anything else: asking it
// allocates.
func (f *adsTxt) covers(name string, below int) bool {
	return below == 1 && !f.split || rootDomain(strings.Clone(name)) == f.root
}

// Publisher returns what the publisher of the request declares: in ads.txt for a site, in
// app-ads.txt for an app, with those of its inventory partner. The developer of an app is the one
// that the file of bundles names, and otherwise the one that app.domain names. Other requests have
// no publisher.
func (s *Snapshot) Publisher(r *openrtb.BidRequest) Publisher {
	switch {
	case r.Site != nil:
		domain := r.Site.Domain
		if domain == "" {
			domain = r.Site.Page
		}
		return s.delegate(s.AdsTxt(domain), r.Site.InventoryPartnerDomain)
	case r.App != nil:
		domain, ok := s.Developer(r.App.Bundle)
		if !ok {
			domain = r.App.Domain
		}
		return s.delegate(s.AppAdsTxt(domain), r.App.InventoryPartnerDomain)
	}
	return Publisher{}
}

// delegate adds the file of the inventory partner, which is an ads.txt file for apps too, and is
// not asked for partners of its own.
func (s *Snapshot) delegate(p Publisher, domain string) Publisher {
	if domain == "" || p.own == nil || len(p.own.partners) == 0 {
		return p
	}
	var buf [canonical.DomainMax]byte
	name, ok := hostName(&buf, domain)
	if ok && p.own.hasPartner(name) {
		p.delegated, p.partner = true, s.adsTxt(name)
	}
	return p
}

// Developer returns the domain of an app's developer, from the file of bundles.
func (s *Snapshot) Developer(bundle string) (domain string, found bool) {
	if s.bundles == nil {
		return "", false
	}
	return s.bundles.find(sellerKey(canonical.Bundle(bundle)))
}
