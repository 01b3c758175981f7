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
	// Weight is what the signal adds to the score, from 1 to [ScoreMax], unless a configuration
	// says otherwise.
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

// Signals returns the table of all signals. The place of a signal is its number. The caller owns
// the slice.
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
	familyAgent
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
	add(familyAddress, "address", 55, (*scorer).address)
	add(familyAgent, "agent", 100, (*scorer).agent)
	add(familyIdentifier, "identifier", 40, (*scorer).identifiers)
	add(familyWindow, "window", 55, (*scorer).windows)
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
	addressForm
	addressDataCenter
	addressProxy
	addressCountry
	addressMismatch
	addressPeer

	agentEmpty
	agentCrawler
	agentHeadless
	agentClient
	agentVersion
	agentForm
	agentDesktop
	agentHeader
	agentOS
	agentOSV
	agentMake
	agentModel
	agentType
	agentHints

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
	supplyUnauthorized
	supplyUpstream
	supplyUnlisted
	supplyRelation
	supplyUnknown

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
		ID: "address.reserved", Weight: 25, NBR: adcom.NoBidReasonNonHuman,
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
	addressForm: {
		ID: "address.form", Weight: 25, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's address is no IP address in any spelling",
		Catches: "Texts that no list of addresses can have, and other signals of this family can't judge.",
		Hits:    "Senders that write a word such as unknown where they do not know the address.",
	},
	addressDataCenter: {
		ID: "address.datacenter", Weight: 50, NBR: adcom.NoBidReasonDataCenterIP, Needs: "fraud.datacenters or fraud.geoip",
		Text:    "the device's address is in a data centre",
		Catches: "Browsers and apps that are run on servers.",
		Hits:    "People behind the virtual private network of their company, and, if a list has them, mobile carriers and private relays that use a cloud's addresses.",
	},
	addressProxy: {
		ID: "address.proxy", Weight: 35, NBR: adcom.NoBidReasonDataCenterIP, Needs: "fraud.proxies or fraud.geoip",
		Text:    "the device's address is of a proxy",
		Catches: "Traffic that hides where it comes from.",
		Hits:    "People who use a virtual private network or Tor for their privacy.",
	},
	addressCountry: {
		ID: "address.country", Weight: 25, NBR: adcom.NoBidReasonNonHuman, Needs: "fraud.geoip",
		Text:    "the device's country is not the one that its address is in",
		Catches: "Cheap countries that are sold as expensive ones, and devices that are reached through a proxy.",
		Hits:    "Travellers whose provider routes them home, addresses that have moved since the database was made, and satellite networks.",
	},
	addressMismatch: {
		ID: "address.mismatch", Weight: 15, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's IPv4 and IPv6 addresses can't be of one device",
		Catches: "Addresses that were taken from different users: the IPv6 address has another IPv4 address in it.",
		Hits:    "Devices whose carrier translates addresses, where the exchange reports both sides of the translation.",
	},
	addressPeer: {
		ID: "address.peer", Weight: 30, NBR: adcom.NoBidReasonNonHuman, Needs: "direct",
		Text:    "the device's address is not the one that the request came from",
		Catches: "Requests that are sent for other people's devices. Only partners whose devices connect themselves are asked.",
		Hits:    "Devices that change between mobile network and wireless network while they make the request.",
	},

	agentEmpty: {
		ID: "agent.empty", Weight: 15, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device has no user agent, and no structured one",
		Catches: "Requests that were put together without a device.",
		Hits:    "Exchanges that remove the user agent for privacy; screens in public places.",
	},
	agentCrawler: {
		ID: "agent.crawler", Weight: 100, NBR: adcom.NoBidReasonCrawler,
		Text:    "the user agent is that of a crawler",
		Catches: "Search engines and monitors that say what they are.",
		Hits:    "Nobody, unless the token is a part of a device's name.",
	},
	agentHeadless: {
		ID: "agent.headless", Weight: 80, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the user agent is that of a browser without a screen",
		Catches: "Browsers that programs drive, with their default settings.",
		Hits:    "Services that make previews for people.",
	},
	agentClient: {
		ID: "agent.client", Weight: 60, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the user agent is that of an HTTP library",
		Catches: "Scripts. What apps send their requests with counts on sites alone.",
		Hits:    "Servers that make the request for the person and send their own user agent, as in server-side ad insertion.",
	},
	agentVersion: {
		ID: "agent.version", Weight: 40, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the user agent has a version that does not exist, or that does not run on the system",
		Catches: "User agents with random numbers in them.",
		Hits:    "Versions that are newer than this program: the limits leave years of room.",
	},
	agentForm: {
		ID: "agent.form", Weight: 15, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the user agent has control characters or unbalanced brackets, or is longer than any",
		Catches: "Made-up and damaged user agents.",
		Hits:    "Senders that cut user agents off.",
	},
	agentDesktop: {
		ID: "agent.desktop", Weight: 30, NBR: adcom.NoBidReasonNonHuman,
		Text:    "an app's request has the user agent of a desktop browser",
		Catches: "Browsers that claim to be apps, whose impressions cost more.",
		Hits:    "Apps for desktop computers that are sold as apps.",
	},
	agentHeader: {
		ID: "agent.header", Weight: 25, NBR: adcom.NoBidReasonNonHuman, Needs: "direct",
		Text:    "the device's user agent is not that of the HTTP request",
		Catches: "Requests that are sent for other people's devices. Only partners whose devices connect themselves are asked.",
		Hits:    "Apps that send their requests with a library of their own.",
	},
	agentOS: {
		ID: "agent.os", Weight: 30, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's os is not that of the user agent",
		Catches: "Requests whose parts come from different devices.",
		Hits:    "Exchanges with a wrong table of systems: docs/lookups.md has what is compared.",
	},
	agentOSV: {
		ID: "agent.osv", Weight: 10, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's osv is not that of the user agent",
		Catches: "Requests whose parts come from different devices.",
		Hits:    "Devices that were updated since the exchange made its table.",
	},
	agentMake: {
		ID: "agent.make", Weight: 10, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's make is not that of the user agent",
		Catches: "Requests whose parts come from different devices.",
		Hits:    "Brands that are sold under the name of another.",
	},
	agentModel: {
		ID: "agent.model", Weight: 10, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's model is not that of the user agent",
		Catches: "Requests whose parts come from different devices.",
		Hits:    "Models with several names.",
	},
	agentType: {
		ID: "agent.devicetype", Weight: 15, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the device's devicetype is not that of the user agent",
		Catches: "Phones and servers that are sold as televisions.",
		Hits:    "Exchanges with a wrong table of devices.",
	},
	agentHints: {
		ID: "agent.hints", Weight: 30, NBR: adcom.NoBidReasonNonHuman,
		Text:    "the structured user agent contradicts the user agent",
		Catches: "Browsers with a false user agent that still send true client hints.",
		Hits:    "Browsers in desktop mode, as far as they are not known.",
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
		ID: "identifier.form", Weight: 15, NBR: adcom.NoBidReasonNonHuman,
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
		ID: "identifier.imps", Weight: 10, NBR: adcom.NoBidReasonNonHuman,
		Text:    "two impressions have the same placement, formats, sizes and floor",
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
		ID: "supply.repeated", Weight: 15, NBR: adcom.NoBidReasonIncompleteSupplyChain,
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

	supplyUnauthorized: {
		ID: "supply.unauthorized", Weight: 50, NBR: adcom.NoBidReasonAdsTxtViolation, Needs: "fraud.supply",
		Text:    "the publisher's ads.txt or app-ads.txt does not list the account that the request is sold through",
		Catches: "Whoever sells what is not theirs: the last node of the chain is compared.",
		Hits:    "Publishers whose copy of the file is old.",
	},
	supplyUpstream: {
		ID: "supply.upstream", Weight: 10, NBR: adcom.NoBidReasonAdsTxtViolation, Needs: "fraud.supply",
		Text:    "the publisher's ads.txt or app-ads.txt does not list an earlier node of the chain",
		Catches: "Resellers of resellers.",
		Hits:    "Publishers who list only whom they know: it is best practice to list all, but no duty.",
	},
	supplyUnlisted: {
		ID: "supply.unlisted", Weight: 30, NBR: adcom.NoBidReasonAdsTxtViolation, Needs: "fraud.supply",
		Text:    "the sellers.json of a node's system does not list the seller",
		Catches: "Made-up sellers.",
		Hits:    "Sellers that are newer than the copy of the file.",
	},
	supplyRelation: {
		ID: "supply.relation", Weight: 15, NBR: adcom.NoBidReasonAdsTxtViolation, Needs: "fraud.supply",
		Text:    "the order of the supply chain is not what ads.txt and sellers.json say",
		Catches: "Chains with a node left out or moved, and chains of another publisher's inventory.",
		Hits:    "Companies that own several systems, and files with errors.",
	},
	supplyUnknown: {
		ID: "supply.unknown", Weight: 5, NBR: adcom.NoBidReasonAdsTxtUnavailable, Needs: "fraud.supply",
		Text:    "there is no ads.txt or app-ads.txt of the publisher to compare with",
		Catches: "Domains that do not exist.",
		Hits:    "Publishers whose file was not fetched yet.",
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
		ID: "privacy.regions", Weight: 3, NBR: adcom.NoBidReasonInvalidRequest,
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
		ID: "privacy.flags", Weight: 1, NBR: adcom.NoBidReasonInvalidRequest,
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
