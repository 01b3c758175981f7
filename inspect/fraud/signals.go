package fraud

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
)

// Signal is one observation that speaks for invalid traffic.
type Signal struct {
	// ID is stable: "address.private". The part before the dot is the family.
	ID string
	// Weight is what the signal adds to the score, from 1 to [ScoreMax], unless a configuration says
	// otherwise.
	Weight int
	// NBR is the no-bid reason of a request that is refused for its score, if this signal is the
	// heaviest of those that were seen.
	NBR adcom.NoBidReason
	// Text says what was seen. It holds no part of a request.
	Text string
	// Needs is what the signal can't see anything without: the name of a part of the configuration
	// or of the facts. It is "" for signals that the request alone is enough for.
	Needs string
	// Catches and Hits say what the signal is there for, and whom it hits wrongly.
	Catches, Hits string

	family family
}

// Family returns the part of the id before the dot.
func (s *Signal) Family() string { return families[s.family].name }

// Signals returns the table of all signals. The place of a signal is its number. The caller owns the
// slice.
func Signals() []Signal { return slices.Clone(signals[:]) }

// Caps returns how much the signals of each family can add to a score together, unless one of them
// weighs more.
func Caps() map[string]int {
	caps := map[string]int{}
	for _, f := range families {
		caps[f.name] = int(f.cap)
	}
	return caps
}

// numberOf returns the number of the signal with the id, -1 if there is none.
func numberOf(id string) int {
	return slices.IndexFunc(signals[:], func(s Signal) bool { return s.ID == id })
}

// family is a group of signals about one thing: they come together, so their sum has a cap.
type family uint8

const (
	familyAddress family = iota
	familyIdentifier
	familyWindow
	familyInventory
	familySupply
	familyEconomics
	familyPrivacy
	familyVendor
	familyCount
)

// families are looked for in their order.
var families [familyCount]struct {
	name string
	cap  uint8
	look func(*scorer)
}

func init() { // not in the declaration: the functions refer to the tables
	add := func(f family, name string, cap uint8, look func(*scorer)) {
		families[f].name, families[f].cap, families[f].look = name, cap, look
	}
	add(familyAddress, "address", 60, (*scorer).address)
	add(familyIdentifier, "identifier", 40, (*scorer).identifiers)
	add(familyWindow, "window", 60, (*scorer).windows)
	add(familyInventory, "inventory", 50, (*scorer).inventory)
	add(familySupply, "supply", 60, (*scorer).supply)
	add(familyEconomics, "economics", 40, (*scorer).economics)
	add(familyPrivacy, "privacy", 30, (*scorer).privacy)
	add(familyVendor, "vendor", 100, (*scorer).vendors)
	for n := range signals {
		name, _, _ := strings.Cut(signals[n].ID, ".")
		for f := range families {
			if families[f].name == name {
				signals[n].family = family(f)
			}
		}
	}
}

// signal is the number of a signal.
type signal uint8

const (
	addressPrivate signal = iota
	addressReserved
	addressDocumentation
	addressMulticast
	addressDataCenter
	addressProxy
	addressMismatch
	addressPeer

	identifierMissing
	identifierZero
	identifierForm
	identifierLimited
	identifierImps

	windowIFA
	windowAddress
	windowSeen

	inventoryBundle
	inventoryStore
	inventoryPage
	inventoryReferrer
	inventoryTwo
	inventorySize

	supplyIncomplete
	supplyBroken
	supplyLong
	supplyRepeated
	supplyBlocked
	supplyLast

	economicsFloor
	economicsTMax
	economicsImps

	privacyConsent
	privacyNeedless
	privacyTCF
	privacyGPP
	privacySections
	privacyRegions
	privacyChild
	privacyFlags
	privacyConflict

	vendorScore
	vendorAbsent

	signalCount
)

// signals is the table. docs/fraud.md is made from it.
var signals = [signalCount]Signal{
	addressPrivate: {
		ID: "address.private", Weight: 25, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's address is of a private network, or of the device itself",
		Catches: "Requests made up in a data centre or a test network, and servers that report the address of a proxy of their own.",
		Hits:    "Exchanges that hide addresses by writing a private one. Test traffic has them nearly always.",
	},
	addressReserved: {
		ID: "address.reserved", Weight: 35, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's address is reserved: no device on the internet has it",
		Catches: "Generated addresses: random numbers hit the reserved ranges in one of eight cases.",
		Hits:    "Senders that write 0.0.0.0 where they do not know the address.",
	},
	addressDocumentation: {
		ID: "address.documentation", Weight: 25, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's address is one for examples",
		Catches: "Requests that were copied from documentation or tests.",
		Hits:    "Test traffic.",
	},
	addressMulticast: {
		ID: "address.multicast", Weight: 50, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's address is a multicast address",
		Catches: "Generated addresses: no device can have one.",
		Hits:    "Nobody.",
	},
	addressDataCenter: {
		ID: "address.datacenter", Weight: 50, NBR: adcom.NoBidReasonDataCenterIP, Needs: "fraud.datacenters",
		Text:    "the device's address is in a data centre",
		Catches: "Browsers and apps that are run on servers.",
		Hits:    "People behind the virtual private network of their company, and, if a list has them, mobile carriers and private relays that use a cloud's addresses.",
	},
	addressProxy: {
		ID: "address.proxy", Weight: 35, NBR: adcom.NoBidReasonDataCenterIP, Needs: "fraud.proxies",
		Text:    "the device's address is of a proxy",
		Catches: "Traffic that hides where it comes from.",
		Hits:    "People who use a virtual private network or Tor for their privacy.",
	},
	addressMismatch: {
		ID: "address.mismatch", Weight: 15, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's IPv4 and IPv6 addresses can't be of one device",
		Catches: "Addresses that were taken from different users: one is public and the other is not, or the IPv6 address has another IPv4 address in it.",
		Hits:    "Devices whose carrier translates addresses, where the exchange reports both sides of the translation.",
	},
	addressPeer: {
		ID: "address.peer", Weight: 30, NBR: adcom.NoBidReasonNonHuman, Needs: "direct",
		Text:    "the device's address is not the one that the request came from",
		Catches: "Requests that are sent for other people's devices. Only partners whose devices connect themselves are asked.",
		Hits:    "Devices that change between mobile network and wireless network while they make the request.",
	},

	identifierMissing: {
		ID: "identifier.missing", Weight: 5, NBR: adcom.NoBidReasonUnmatchedUser,
		Text:    "an app's request has no advertising identifier, and does not say that tracking is limited",
		Catches: "Apps and emulators that never had an identifier.",
		Hits:    "Exchanges that remove identifiers for privacy without setting lmt; connected televisions without an identifier.",
	},
	identifierZero: {
		ID: "identifier.zero", Weight: 10, NBR: adcom.NoBidReasonUnmatchedUser,
		Text:    "the advertising identifier is all zeros, and lmt does not say that tracking is limited",
		Catches: "Requests that were put together without a device.",
		Hits:    "People who have limited tracking, if the exchange does not say so by lmt.",
	},
	identifierForm: {
		ID: "identifier.form", Weight: 25, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the advertising identifier is not a UUID",
		Catches: "Made-up identifiers, and hashes or cookies that are sent in their place.",
		Hits:    "Exchanges that send a hash of the identifier, and makers of televisions with a form of their own.",
	},
	identifierLimited: {
		ID: "identifier.limited", Weight: 5, NBR: adcom.NoBidReasonUnmatchedUser,
		Text:    "an advertising identifier is sent though lmt says that tracking is limited",
		Catches: "Requests whose parts come from different devices: systems hand out zeros, or nothing, where tracking is limited.",
		Hits:    "Televisions and older systems that leave it to the receiver to honour lmt.",
	},
	identifierImps: {
		ID: "identifier.imps", Weight: 15, NBR: adcom.NoBidReasonNonHuman,
		Text:    "two impressions differ in nothing but their ids",
		Catches: "Placements that are offered twice in one request.",
		Hits:    "Pages that have two equal slots, where the exchange tells nothing that sets them apart. Video and audio are left out: the slots of a pod are often equal.",
	},

	windowIFA: {
		ID: "window.ifa", Weight: 40, NBR: adcom.NoBidReasonNonHuman, Needs: "counts",
		Text:    "the device has sent more requests than usual in the window, by its advertising identifier",
		Catches: "Devices that are driven by programs, and identifiers that many of them share.",
		Hits:    "Apps with many slots, in sessions with many refreshes.",
	},
	windowAddress: {
		ID: "window.address", Weight: 20, NBR: adcom.NoBidReasonNonHuman, Needs: "counts",
		Text:    "the device's address has sent more requests than usual in the window",
		Catches: "Farms of devices and browsers at one address.",
		Hits:    "Carriers and companies that have thousands of people at one address: measure before the limit is set.",
	},
	windowSeen: {
		ID: "window.seen", Weight: 40, NBR: adcom.NoBidReasonNonHuman, Needs: "seen",
		Text:    "the request's id was seen before",
		Catches: "Recorded requests that are sent again.",
		Hits:    "Senders that repeat a request after a timeout with the same id; exchanges whose ids are not unique.",
	},

	inventoryBundle: {
		ID: "inventory.bundle", Weight: 20, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "the app's bundle is not of the form that its store has",
		Catches: "Made-up apps, and names of apps in place of their ids.",
		Hits:    "Apps of small stores on devices whose system names a large one.",
	},
	inventoryStore: {
		ID: "inventory.store", Weight: 30, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the app's bundle and its storeurl are about different apps, or the store is not of the device's system",
		Catches: "Cheap apps that are sold as expensive ones.",
		Hits:    "Apps with one id for each country, where the exchange mixes them.",
	},
	inventoryPage: {
		ID: "inventory.page", Weight: 25, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the site's page is not on the site's domain",
		Catches: "Domain spoofing: the page says where the ad is, the domain where it is claimed to be.",
		Hits:    "Publishers that declare the domain of a brand with several hosts.",
	},
	inventoryReferrer: {
		ID: "inventory.referrer", Weight: 10, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the site's page is not on the site's domain, but the referrer is",
		Catches: "Pages that open a reputable site's visitors elsewhere and claim the reputable domain.",
		Hits:    "Networks that swap page and referrer in frames.",
	},
	inventoryTwo: {
		ID: "inventory.two", Weight: 20, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "the request is for a site and for an app",
		Catches: "Requests whose parts come from different sources.",
		Hits:    "Senders that describe the web view in an app by a site as well.",
	},
	inventorySize: {
		ID: "inventory.size", Weight: 35, NBR: adcom.NoBidReasonNonHuman,
		Text:    "an impression has a size that nobody sees: 0 by 0, or 1 by 1",
		Catches: "Pixel stuffing.",
		Hits:    "Senders that write 1 by 1 for slots whose size the page decides.",
	},

	supplyIncomplete: {
		ID: "supply.incomplete", Weight: 10, NBR: adcom.NoBidReasonIncompleteSupplyChain,
		Text:    "the supply chain says that it is not complete",
		Catches: "Resellers who do not say whom they sell for.",
		Hits:    "Honest resellers whose own supplier sends no chain.",
	},
	supplyBroken: {
		ID: "supply.broken", Weight: 25, NBR: adcom.NoBidReasonIncompleteSupplyChain,
		Text:    "the supply chain has no nodes, or one without system or seller",
		Catches: "Chains that were put together to pass a check for their presence.",
		Hits:    "Faulty implementations.",
	},
	supplyLong: {
		ID: "supply.long", Weight: 15, NBR: adcom.NoBidReasonIncompleteSupplyChain,
		Text:    "the supply chain has more nodes than the limit",
		Catches: "Offers that are passed from reseller to reseller.",
		Hits:    "Markets where that is common: raise the limit.",
	},
	supplyRepeated: {
		ID: "supply.repeated", Weight: 25, NBR: adcom.NoBidReasonIncompleteSupplyChain,
		Text:    "the supply chain has a node twice",
		Catches: "Offers that go round in circles.",
		Hits:    "Systems that add a node for each of their own services.",
	},
	supplyBlocked: {
		ID: "supply.blocked", Weight: 100, NBR: adcom.NoBidReasonBlockedSupplyChainNode, Needs: "fraud.blocked_nodes",
		Text:    "the supply chain has a node that the operator blocks",
		Catches: "Whom the operator does not want to buy from.",
		Hits:    "Nobody, unless the list is wrong.",
	},
	supplyLast: {
		ID: "supply.last", Weight: 25, NBR: adcom.NoBidReasonIncompleteSupplyChain, Needs: "systems",
		Text:    "the last node of the supply chain is not the partner that sent the request",
		Catches: "Chains that were copied from somebody else's request.",
		Hits:    "Partners whose own node is missing because they do not take payment: name both systems.",
	},

	economicsFloor: {
		ID: "economics.floor", Weight: 20, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "a floor is above the limit",
		Catches: "Prices in the wrong unit, and tests of how much a bidder pays.",
		Hits:    "Exclusive deals: raise the limit for the partner.",
	},
	economicsTMax: {
		ID: "economics.tmax", Weight: 10, NBR: adcom.NoBidReasonInsufficientTime,
		Text:    "tmax is shorter or longer than any auction",
		Catches: "Senders that do not run an auction.",
		Hits:    "Senders that count in other units.",
	},
	economicsImps: {
		ID: "economics.imps", Weight: 20, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the request offers more impressions than the limit",
		Catches: "Ad stacking: more slots than a screen has.",
		Hits:    "Pods for a whole film: raise the limit for the partner.",
	},

	privacyConsent: {
		ID: "privacy.consent", Weight: 5, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "gdpr is 1, and there is no consent string",
		Catches: "Senders that set the flag without asking the person.",
		Hits:    "Requests that are personal in no part and therefore need no consent.",
	},
	privacyNeedless: {
		ID: "privacy.needless", Weight: 5, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "gdpr is 0, and there is a consent string",
		Catches: "Requests whose parts come from different sources.",
		Hits:    "Sites that ask everybody, and exchanges that pass the answer on.",
	},
	privacyTCF: {
		ID: "privacy.tcf", Weight: 15, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "the consent string does not begin as TCF strings of version 2 do",
		Catches: "Made-up consent.",
		Hits:    "Senders of version 1, and of strings for other frameworks in this field.",
	},
	privacyGPP: {
		ID: "privacy.gpp", Weight: 15, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "the GPP string has no valid header, or not the sections that the header lists",
		Catches: "Made-up consent.",
		Hits:    "Senders that cut long strings off.",
	},
	privacySections: {
		ID: "privacy.sections", Weight: 10, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "gpp_sid has a section that the GPP string does not have, or there is no GPP string",
		Catches: "Requests whose parts come from different sources.",
		Hits:    "Senders that list all sections that could apply.",
	},
	privacyRegions: {
		ID: "privacy.regions", Weight: 5, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "gdpr is 1, and us_privacy says that the law of California applies",
		Catches: "Requests whose parts come from different sources.",
		Hits:    "Senders that set a us_privacy string for everybody.",
	},
	privacyChild: {
		ID: "privacy.child", Weight: 10, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "coppa is 1, and the request has an advertising identifier",
		Catches: "Flags that are set for a price, or by chance.",
		Hits:    "Careless senders, who are breaking the law rather than the auction.",
	},
	privacyFlags: {
		ID: "privacy.flags", Weight: 3, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "lmt and dnt contradict each other",
		Catches: "Requests whose flags are random.",
		Hits:    "Senders that fill in dnt by default.",
	},
	privacyConflict: {
		ID: "privacy.conflict", Weight: 10, NBR: adcom.NoBidReasonInvalidRequest,
		Text:    "a privacy value is sent at two places, and they disagree",
		Catches: "Requests that were changed on their way.",
		Hits:    "Exchanges that convert between versions of OpenRTB and update one place only.",
	},

	vendorScore: {
		ID: "vendor.score", Weight: 100, NBR: adcom.NoBidReasonNonHuman, Needs: "vendors",
		Text:    "a service of the operator gives the request a score",
		Catches: "What the service knows. The highest answer counts, as a share of the weight.",
		Hits:    "Whom the service hits wrongly.",
	},
	vendorAbsent: {
		ID: "vendor.absent", Weight: 100, NBR: adcom.NoBidReasonTechnicalError, Needs: "vendors",
		Text:    "a service that must answer has not answered in time",
		Catches: "Requests that nobody has looked at, where the configuration says that a service fails closed.",
		Hits:    "Everybody, while the service is down.",
	},
}
