package lists_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

func ExampleOpen() {
	folder, err := os.MkdirTemp("", "lists")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "domains.txt")
	_ = os.WriteFile(path, []byte("# blocked\nexample.com\nb\u00fccher.example\n"), 0o600)

	set, err := lists.Open(map[string]lists.Definition{
		"blocked": {Kind: lists.Domain, File: path},
		"offices": {Kind: lists.Prefix, Entries: []string{"192.0.2.0/24", "2001:db8::/32"}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	blocked, offices := set.List("blocked"), set.List("offices")
	fmt.Println(blocked.Match("www.Example.com"), blocked.Match("https://xn--bcher-kva.example/"), blocked.Match("example.org"))
	fmt.Println(offices.Match("::ffff:192.0.2.7"))

	// A watcher does this when the file changes.
	now := set.Snapshot()
	_ = os.WriteFile(path, []byte("example.org\n"), 0o600)
	set.Refresh()
	fmt.Println(blocked.Match("example.org"), now.Table(blocked).Match("example.org"))
	// Output:
	// true true false
	// true
	// true false
}

func ExampleSet_watched() {
	set, err := lists.Open(map[string]lists.Definition{
		"sellers": {Kind: lists.Seller, Entries: []string{"google.com, pub-1, DIRECT"}},
	}, func(name string, s filewatch.Status) {
		fmt.Println(name, s.Entries, s.Err) // to a log, and to metrics
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	watcher := filewatch.Watch(filewatch.Options{Rescan: filewatch.RescanDefault}, set)
	defer watcher.Close()

	relationship, found := set.List("sellers").Seller("Google.com", "pub-1")
	fmt.Println(found, relationship == lists.Direct)
	// Output: true true
}

func ExampleOpen_refused() {
	_, err := lists.Open(map[string]lists.Definition{
		"blocked": {Kind: lists.Domain, Entries: []string{"example.com", "https://example.org/"}},
	}, nil)
	fmt.Println(err)
	// Output:
	// list blocked: entries, line 2: expected a domain such as example.com, without scheme, port and path, of at most 32 labels of 1 to 63 characters
}
