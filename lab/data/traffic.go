package data

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// seed is the seed of all simulated documents.
const seed = 26

// Simulated returns the set of n requests of simulated exchanges.
func Simulated(n int) (Set, error) {
	docs, err := traffic(n)
	about := fmt.Sprintf("%d requests of %d simulated exchanges, what rtbwire simulate --shape full --seed %d makes", n, len(simulate.Exchanges()), seed)
	return Set{Name: "traffic", About: about, Docs: docs}, err
}

// traffic returns n requests of simulated exchanges.
func traffic(n int) ([][]byte, error) {
	g, err := simulate.New(simulate.Config{Seed: seed, Shape: simulate.Full})
	if err != nil {
		return nil, err
	}
	docs := make([][]byte, n)
	for i := range docs {
		docs[i], _ = g.AppendRequest(nil, uint64(i))
	}
	return docs, nil
}

// large returns one request of at least that many bytes, and not many more: the last of as many
// requests of televisions as that takes, with the impressions of all. Their keys are sorted.
func large(size int) ([]byte, error) {
	g, err := simulate.New(simulate.Config{Seed: seed, Shape: simulate.CTV})
	if err != nil {
		return nil, err
	}
	var request map[string]json.RawMessage
	var imps []map[string]any
	for n := uint64(0); size > 0; n++ {
		text, _ := g.AppendRequest(nil, n)
		var own []map[string]any
		request = nil // or else it would keep keys of the one before
		if err := json.Unmarshal(text, &request); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(request["imp"], &own); err != nil {
			return nil, err
		}
		for _, imp := range own {
			imps = append(imps, imp)
			imp["id"] = strconv.Itoa(len(imps))
		}
		if text, err = json.Marshal(own); err != nil {
			return nil, err
		}
		size -= len(text)
	}
	if request["imp"], err = json.Marshal(imps); err != nil {
		return nil, err
	}
	return json.Marshal(request)
}

// broken are the defects of package simulate that no decoder may accept, however lenient it is
// about what requests mean.
var broken = []string{"json.truncated", "json.trailing-comma", "json.control", "json.leading-zero", "request.tmax-text"}

// spoiled are faults that package simulate does not have: what takes the place of the first brace
// of a request, and what follows its end.
var spoiled = []struct{ about, begin, end string }{
	{"text after the end", `{`, `}`},
	{"a number that ends with its point", `{"test":1.,`, ``},
	{"invalid text in a member without a field", `{"unforeseen":[1 2,tru},`, ``},
}

// Broken is a request that no decoder may accept.
type Broken struct {
	Text  []byte
	Fault string // what is wrong with it
}

// BrokenRequests returns n requests with each fault.
func BrokenRequests(n int) ([]Broken, error) {
	g, err := simulate.New(simulate.Config{Seed: seed, Shape: simulate.Full, Defects: simulate.All})
	if err != nil {
		return nil, err
	}
	about, missing := map[string]string{}, map[string]int{}
	for _, k := range simulate.Kinds() {
		if slices.Contains(broken, k.ID) {
			about[k.ID], missing[k.ID] = k.About, n
		}
	}
	if len(about) != len(broken) {
		return nil, fmt.Errorf("package simulate has only %d of the defects %q", len(about), broken)
	}
	var requests []Broken
	for i := uint64(0); len(requests) < n*len(broken); i++ {
		text, label := g.AppendRequest(nil, i)
		if missing[label.What] > 0 {
			missing[label.What]--
			requests = append(requests, Broken{text, about[label.What]})
		}
	}
	valid, err := traffic(n)
	if err != nil {
		return nil, err
	}
	for _, fault := range spoiled {
		for _, text := range valid {
			requests = append(requests, Broken{slices.Concat([]byte(fault.begin), text[1:], []byte(fault.end)), fault.about})
		}
	}
	return requests, nil
}

// shuffled returns the documents in another order, which is always the same.
func shuffled(docs [][]byte) [][]byte {
	out := slices.Clone(docs)
	rand.New(rand.NewPCG(42, 0)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
