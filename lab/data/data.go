// Package data has the documents that the lab decodes: files of testdata/bench, the corpus, and
// simulated requests (traffic.go).
package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
)

// Set is a data set: one document, or many that are used in turn.
type Set struct {
	Name     string
	About    string // one sentence for the report
	Response bool   // bid responses, not requests
	Docs     [][]byte

	// LeftOut counts the documents of the source that are not in Docs, because encoding/json
	// refuses them or libraries read them differently by design; see [exact].
	LeftOut int
}

// Bytes returns the mean length of the documents.
func (s *Set) Bytes() float64 {
	n := 0
	for _, d := range s.Docs {
		n += len(d)
	}
	return float64(n) / float64(len(s.Docs))
}

// Root finds the folder testdata, in the working directory or above it.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		folder := filepath.Join(dir, "testdata")
		if _, err := os.Stat(filepath.Join(folder, "bench", "banner.json")); err == nil {
			return folder, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no folder testdata/bench here or above: run the lab in the repository")
		}
		dir = up
	}
}

// files are the sets of one document, in the order of the report.
var files = []struct {
	name, about string
	response    bool
}{
	{"banner", "a banner request from a website, the smallest realistic one", false},
	{"banner_indented", "the same, indented by two spaces", false},
	{"video", "a video request", false},
	{"app", "an app request with three impressions, deals, eids and schain", false},
	{"app_indented", "the same, indented by two spaces", false},
	{"escapes", "escapes, nested JSON in a string, other alphabets, emoji", false},
	{"ctv", "a pod of four ads on television with eids and schain", false},
	{"response_banner", "a response with one bid", true},
	{"response_vast", "a response with three bids of about 2 KB of inline VAST each", true},
}

// Load reads the sets of those names, and all without names. A name that no set has is ignored.
// root is the folder testdata; "" finds it with [Root].
func Load(root string, names ...string) ([]Set, error) {
	wanted := func(name string) bool { return names == nil || slices.Contains(names, name) }
	if root == "" {
		var err error
		if root, err = Root(); err != nil {
			return nil, err
		}
	}
	var sets []Set
	for _, f := range files {
		if !wanted(f.name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, "bench", f.name+".json"))
		if err != nil {
			return nil, err
		}
		sets = append(sets, Set{Name: f.name, About: f.about, Response: f.response, Docs: [][]byte{bytes.TrimSpace(text)}})
	}
	if wanted("large") {
		text, err := large(1 << 20)
		if err != nil {
			return nil, err
		}
		sets = append(sets, Set{Name: "large", About: "one request of 1 MB: very many impressions of televisions", Docs: [][]byte{text}})
	}
	if wanted("mixed") || wanted("mixed_shuffled") {
		requests, left, err := corpus(filepath.Join(root, "corpus", "requests.ndjson"), false)
		if err != nil {
			return nil, err
		}
		about := "%d requests of as many exchanges and bidders, taken in turn, %s"
		for _, s := range []Set{
			{Name: "mixed", About: fmt.Sprintf(about, len(requests), "in the order of the file: neighbours are alike"), Docs: requests, LeftOut: left},
			{Name: "mixed_shuffled", About: fmt.Sprintf(about, len(requests), "shuffled: nothing can be foreseen"), Docs: shuffled(requests), LeftOut: left},
		} {
			if wanted(s.Name) {
				sets = append(sets, s)
			}
		}
	}
	if wanted("mixed_responses") {
		responses, left, err := corpus(filepath.Join(root, "corpus", "responses.ndjson"), true)
		if err != nil {
			return nil, err
		}
		sets = append(sets, Set{
			Name: "mixed_responses", About: fmt.Sprintf("%d responses of as many bidders, shuffled", len(responses)),
			Response: true, Docs: shuffled(responses), LeftOut: left,
		})
	}
	if wanted("traffic") {
		set, err := Simulated(1000)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func corpus(file string, response bool) (docs [][]byte, leftOut int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, 0, err
	}
	for line := range bytes.SplitSeq(bytes.TrimSpace(text), []byte("\n")) {
		if exact(line, response) {
			docs = append(docs, line)
		} else {
			leftOut++
		}
	}
	return docs, leftOut, nil
}

// exact reports whether all correct decoders agree about the document: encoding/json accepts it
// without matching a key in the wrong case, reading a key twice, or null for an ext. Libraries
// differ in those by design, and a comparison of speed should not decide which is right.
func exact(text []byte, response bool) bool {
	var v any = new(openrtb.BidRequest)
	if response {
		v = new(openrtb.BidResponse)
	}
	return json.Unmarshal(text, v) == nil && plainKeys(json.NewDecoder(bytes.NewReader(text)))
}

// plainKeys reports whether one value has no key in the wrong case and none twice.
func plainKeys(d *json.Decoder) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return false
			}
			folded := strings.ToLower(key.(string))
			if seen[folded] || folded != key.(string) && lowerKeys[folded] {
				return false
			}
			seen[folded] = true
			if folded == "ext" {
				var raw json.RawMessage
				if d.Decode(&raw) != nil || string(raw) == "null" {
					return false
				}
				continue
			}
			if !plainKeys(d) {
				return false
			}
		}
		_, err = d.Token()
	case json.Delim('['):
		for d.More() {
			if !plainKeys(d) {
				return false
			}
		}
		_, err = d.Token()
	}
	return err == nil
}

// Find returns the set of that name.
func Find(sets []Set, name string) (*Set, bool) {
	for i := range sets {
		if sets[i].Name == name {
			return &sets[i], true
		}
	}
	return nil, false
}
