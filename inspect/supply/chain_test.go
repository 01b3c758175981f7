package supply

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/openrtb"
)

// chainOf reads the form that tags have: "complete!asi,sid,hp!asi,sid,hp". Without hp a node has
// none.
func chainOf(text string) *openrtb.SupplyChain {
	head, nodes, _ := strings.Cut(text, "!")
	c := &openrtb.SupplyChain{Ver: "1.0", Complete: number(head)}
	for node := range strings.SplitSeq(nodes, "!") {
		fields := append(strings.Split(node, ","), "", "")
		c.Nodes = append(c.Nodes, openrtb.SupplyChainNode{ASI: fields[0], SID: fields[1], HP: number(fields[2])})
	}
	return c
}

func number(text string) *int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	return &n
}

// chains are the worked examples of the IAB's guide to the validation of supply chains, in other
// words, and what becomes of them when somebody changes them.
var chainFiles = map[string]string{
	"ads_txt/examplepublisher.com.txt": "OWNERDOMAIN=examplepublisher.com\nMANAGERDOMAIN=sales-house.com, FR\n" +
		"exchange.com, 184003, DIRECT\nexchange.com, 184033B, RESELLER\nadnetwork.com, 1200, DIRECT\nexchange.com, 194, RESELLER\n" +
		"eb-exchange.com, pub-1, DIRECT\neb-participant.com, 184044, RESELLER\nexchange.com, bad, DIRECT\nexchange.com, hybrid, DIRECT\n" +
		"sub.adnetwork.com, 1201, DIRECT\nexchange.com, secret, DIRECT\nexchange.com, managed, DIRECT\nexchange.com, foreign, DIRECT\nnofile.com, 1, DIRECT\n",
	"ads_txt/noowner.com.txt": "exchange.com, 184003, DIRECT\n",
	"ads_txt/shared.com.txt":  "OWNERDOMAIN=shared.com\nexchange.com, own, DIRECT\nINVENTORYPARTNERDOMAIN=examplepublisher.com\nINVENTORYPARTNERDOMAIN=unknown.com\n",
	"sellers/exchange.com.json": file(`{"seller_id":"184003","seller_type":"PUBLISHER","domain":"examplepublisher.com"},` +
		`{"seller_id":"184033B","seller_type":"INTERMEDIARY","domain":"adnetwork.com"},{"seller_id":"bad","seller_type":"?"},` +
		`{"seller_id":"hybrid","seller_type":"BOTH","domain":"adnetwork.com"},{"seller_id":"194","seller_type":"PUBLISHER","domain":"publishernetwork.com"},` +
		`{"seller_id":"secret","seller_type":"PUBLISHER","is_confidential":1},{"seller_id":"managed","seller_type":"PUBLISHER","domain":"www.sales-house.com"},` +
		`{"seller_id":"foreign","seller_type":"PUBLISHER","domain":"elsewhere.com"}`),
	"sellers/adnetwork.com.json":      file(`{"seller_id":"1200","seller_type":"PUBLISHER","domain":"examplepublisher.com"},{"seller_id":"1201","seller_type":"PUBLISHER"}`),
	"sellers/eb-exchange.com.json":    file(`{"seller_id":"pub-1","seller_type":"PUBLISHER","domain":"examplepublisher.com","is_passthrough":1}`),
	"sellers/eb-participant.com.json": file(`{"seller_id":"184044","seller_type":"INTERMEDIARY","domain":"eb-exchange.com"}`),
}

var chainCases = []struct {
	name, publisher, chain string
	want                   string // signs and their first nodes
}{
	{"publisher direct", "examplepublisher.com", "1!exchange.com,184003,1", ""},
	{"ad network", "examplepublisher.com", "1!adnetwork.com,1200,1!exchange.com,184033B,1", ""},
	{"passthrough", "examplepublisher.com", "1!eb-exchange.com,pub-1,1!eb-participant.com,184044,1", ""},
	{"incomplete", "examplepublisher.com", "0!exchange.com,184033B,1", ""},
	{"without hp", "examplepublisher.com", "1!exchange.com,184003", ""},
	{"complete with unpaid nodes", "examplepublisher.com", "2!wrapper.com,x,0!exchange.com,184003,1!other.com,y,0", ""},
	{"letters and white space", "examplepublisher.com", "1! Exchange.COM. , 184003 ,1", ""},
	{"no owner declared", "noowner.com", "1!exchange.com,184003,1", ""},
	{"the account of a manager", "examplepublisher.com", "1!exchange.com,managed,1", ""},
	{"a confidential seller", "examplepublisher.com", "1!exchange.com,secret,1", ""},
	{"a system's subdomain", "examplepublisher.com", "1!sub.adnetwork.com,1201,1!exchange.com,184033B,1", ""},
	{"shared inventory", "shared.com examplepublisher.com", "1!exchange.com,184003,1", ""},
	{"shared inventory of an unknown partner", "shared.com unknown.com", "1!exchange.com,184003,1", "no-ads-txt 0"},

	{"an account that is not listed", "examplepublisher.com", "1!exchange.com,999,1", "final-unauthorized 0, not-listed 0"},
	{"another publisher's account", "noowner.com", "1!exchange.com,managed,1", "final-unauthorized 0"},
	{"a node that is not listed", "examplepublisher.com", "1!adnetwork.com,7,1!exchange.com,184033B,1", "upstream-unauthorized 0, not-listed 0"},
	{"the final node is before unpaid ones", "examplepublisher.com", "1!exchange.com,999,1!other.com,y,0", "final-unauthorized 0, not-listed 0"},
	{"the first node was removed", "examplepublisher.com", "1!exchange.com,184033B,1", "first-reseller 0, first-intermediary 0"},
	{"a node was removed in the middle", "examplepublisher.com", "1!eb-exchange.com,pub-1,1!exchange.com,184033B,1", "broken-link 1"},
	{"an unpaid node between", "examplepublisher.com", "2!adnetwork.com,1200,1!wrapper.com,1,0!exchange.com,184033B,1", ""},
	{"an unpaid node between, in other letters", "examplepublisher.com", "2!AdNetwork.com,1200,1!wrapper.com,1,0!Exchange.com,184033B,1", ""},
	{"both, of another domain", "examplepublisher.com", "1!eb-exchange.com,pub-1,1!exchange.com,hybrid,1", "broken-link 1"},
	{"both, of the network", "examplepublisher.com", "1!adnetwork.com,1200,1!exchange.com,hybrid,1", ""},
	{"both, at the start", "examplepublisher.com", "1!exchange.com,hybrid,1", "owner-mismatch 0"},
	{"both, at the start of an incomplete chain", "examplepublisher.com", "0!exchange.com,hybrid,1", ""},
	{"a publisher later", "examplepublisher.com", "1!adnetwork.com,1200,1!exchange.com,184003,1", "later-publisher 1"},
	{"another owner", "examplepublisher.com", "1!exchange.com,foreign,1", "owner-mismatch 0"},
	{"a seller that can't be read", "examplepublisher.com", "1!exchange.com,bad,1", "no-sellers 0"},
	{"no sellers.json", "examplepublisher.com", "1!nofile.com,1,1", "no-sellers 0"},
	{"no ads.txt", "nofile.com", "1!adnetwork.com,1200,1!exchange.com,184033B,1", "no-ads-txt 0"},
	{"no domain", "examplepublisher.com", "1!exchange,184003,1!exchange.com,184033B,1", "malformed 0"},
	{"a URL", "examplepublisher.com", "1!https://adnetwork.com/,1200,1!exchange.com,184033B,1", "malformed 0"},
	{"no id", "examplepublisher.com", "1!adnetwork.com,1200,1!exchange.com, ,1", "malformed 1"},
	{"nothing", "examplepublisher.com", "1!", "malformed 0"},
	{"long", "examplepublisher.com", "0" + strings.Repeat("!exchange.com,184033B,0", NodesMax) + "!exchange.com,999,1", "final-unauthorized 32, too-long 32"},
	{"long, with a node that is not listed", "examplepublisher.com", "0!exchange.com,999,1" + strings.Repeat("!exchange.com,184033B,0", NodesMax), "upstream-unauthorized 0, not-listed 0, too-long 32"},
	{"as long as can be", "examplepublisher.com", "0" + strings.Repeat("!exchange.com,184033B,0", NodesMax-1) + "!exchange.com,999,1", "final-unauthorized 31, not-listed 31"},
}

func TestJudge(t *testing.T) {
	s := open(t, chainFiles).Snapshot()
	for _, c := range chainCases {
		domain, partner, _ := strings.Cut(c.publisher, " ")
		p := s.Publisher(&openrtb.BidRequest{Site: &openrtb.Site{Domain: domain, InventoryPartnerDomain: partner}})
		chain := s.Judge(chainOf(c.chain), p)
		var got []string
		for i := range signBits {
			if sign := lookup.ChainSigns(1) << i; chain.Signs&sign != 0 {
				got = append(got, sign.String()+" "+strconv.Itoa(chain.First(sign)))
			} else if chain.First(sign) != -1 {
				t.Errorf("%s: %v at %d, and there is no such sign", c.name, sign, chain.First(sign))
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if c := s.Judge(nil, Publisher{}); c.Signs != 0 || c.First(lookup.NoAdsTxt|lookup.NoSellers) != -1 {
		t.Errorf("without a chain: %v", c.Signs)
	}
	if c := s.Judge(&openrtb.SupplyChain{}, Publisher{}); c.Signs != 0 {
		t.Errorf("without nodes: %v", c.Signs)
	}
}
