package supply_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/inspect/supply"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/openrtb"
)

// crawled makes the folders that a crawler has filled, and opens them.
func crawled() (set *supply.Set, folder string) {
	folder, err := os.MkdirTemp("", "supply")
	if err != nil {
		panic(err)
	}
	write := func(path, text string) {
		path = filepath.Join(folder, path)
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	write("ads_txt/publisher.com.txt", `# ads.txt of publisher.com
OWNERDOMAIN=publisher.com
MANAGERDOMAIN=house.com, FR
network.com, 1200, DIRECT
exchange.com, 77, RESELLER, f08c47fec0942fa0
`)
	write("app_ads_txt/games.com.txt", "exchange.com, 5, DIRECT\n")
	write("sellers/network.com.json", `{"version": "1.0", "sellers": [
		{"seller_id": "1200", "seller_type": "PUBLISHER", "name": "Publisher", "domain": "publisher.com"}]}`)
	write("sellers/exchange.com.json", `{"version": "1.0", "sellers": [
		{"seller_id": "77", "seller_type": "INTERMEDIARY", "name": "Network", "domain": "network.com"}]}`)
	write("bundles.csv", "bundle,domain\ncom.games.puzzle,games.com\n")
	set, err = supply.Open(supply.Options{
		AdsTxt: filepath.Join(folder, "ads_txt"), AppAdsTxt: filepath.Join(folder, "app_ads_txt"),
		Sellers: filepath.Join(folder, "sellers"), Bundles: filepath.Join(folder, "bundles.csv"),
		Report: func(name string, s filewatch.FolderStatus) {
			fmt.Println(name, s.Files, s.Refused, s.Entries, s.Err) // to a log, and to metrics
		},
	})
	if err != nil {
		panic(err)
	}
	return set, folder
}

func ExampleOpen() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	watcher := filewatch.Watch(filewatch.Options{}, set)
	defer watcher.Close()

	now := set.Snapshot()
	publisher := now.AdsTxt("www.publisher.com")
	fmt.Println(publisher.Relation("network.com", "1200"), publisher.Relation("exchange.com", "77"), publisher.Relation("exchange.com", "78"))
	fmt.Println(now.AdsTxt("other.com").Relation("exchange.com", "77"))
	// Output:
	// direct reseller unauthorized
	// unknown
}

func ExampleSet_Refresh() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	before := set.Snapshot()
	_ = os.WriteFile(filepath.Join(folder, "ads_txt", "new.com"), []byte("exchange.com, 1, DIRECT\n"), 0o600)
	set.Refresh() // a watcher does this
	fmt.Println(before.AdsTxt("new.com").Known(), set.Snapshot().AdsTxt("new.com").Known())
	// Output:
	// ads_txt 2 0 3 <nil>
	// false true
}

func ExampleSet_Status() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	_ = os.WriteFile(filepath.Join(folder, "ads_txt", "broken.com"), []byte("<html>"), 0o600)
	set.Refresh()
	s := set.Status()["ads_txt"]
	fmt.Println(s.Files, s.Refused, s.Problems[0].Error()[len(folder)+1:])
	// Output:
	// ads_txt 2 1 2 <nil>
	// 2 1 ads_txt/broken.com:1: expected ads.txt, found HTML
}

func ExampleSnapshot_AdsTxt() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	p := set.Snapshot().AdsTxt("https://www.publisher.com/news")
	fmt.Println(p.Known(), p.Domain(), p.OwnerDomain(), p.ManagerDomain("FR"), p.ManagerDomain("US") == "")
	// Output: true publisher.com publisher.com house.com true
}

func ExampleSnapshot_AppAdsTxt() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	now := set.Snapshot()
	domain, found := now.Developer("com.games.puzzle")
	fmt.Println(domain, found, now.AppAdsTxt(domain).Relation("exchange.com", "5"))
	// Output: games.com true direct
}

func ExampleSnapshot_Publisher() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	now := set.Snapshot()
	site := now.Publisher(&openrtb.BidRequest{Site: &openrtb.Site{Domain: "publisher.com"}})
	app := now.Publisher(&openrtb.BidRequest{App: &openrtb.App{Bundle: "com.games.puzzle"}})
	fmt.Println(site.Domain(), app.Domain())
	// Output: publisher.com games.com
}

func ExampleSnapshot_Seller() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	now := set.Snapshot()
	seller := now.Seller("network.com", "1200")
	fmt.Println(seller.Type, seller.Domain, seller.Confidential, seller.Passthrough)
	fmt.Println(now.Seller("network.com", "1").Type, now.Seller("other.com", "1").Type)
	// Output:
	// PUBLISHER publisher.com false false
	// not listed unknown
}

func ExampleSnapshot_Judge() {
	set, folder := crawled()
	defer os.RemoveAll(folder)
	now := set.Snapshot()
	complete := 1
	chain := &openrtb.SupplyChain{Ver: "1.0", Complete: &complete, Nodes: []openrtb.SupplyChainNode{
		{ASI: "network.com", SID: "1200"}, {ASI: "exchange.com", SID: "77"},
	}}
	publisher := now.AdsTxt("publisher.com")
	c := now.Judge(chain, publisher)
	fmt.Printf("%q\n", c.Signs)

	chain.Nodes = chain.Nodes[1:] // somebody hides the network
	c = now.Judge(chain, publisher)
	fmt.Println(c.Signs, c.First(lookup.FirstIntermediary))
	// Output:
	// ""
	// first-reseller,first-intermediary 0
}
