package files

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/stream"
)

// TestConnect: there is a source and a sink for each name, and no file is left open after an error.
func TestConnect(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	out := func(name string) string { return filepath.Join(p.root, "out", name) }
	log := slog.New(slog.DiscardHandler)
	s := Settings{Options: p.options, Accepted: out("a"), DeadLetters: out("d")}
	for range 2 { // the second time the files are free again
		var o stream.Options
		closed, err := s.Connect(&o, log)
		if err != nil {
			t.Fatal(err)
		}
		if o.Source == nil || o.Accepted == nil || o.DeadLetters == nil || o.Responses != nil {
			t.Errorf("%+v", o)
		}
		if err := closed(); err != nil {
			t.Error(err)
		}
	}
	bad := s
	bad.DeadLetters = out("none/d")
	var o stream.Options
	if _, err := bad.Connect(&o, log); err == nil {
		t.Fatal("a folder is missing, and nothing says so")
	}
	if closed, err := s.Connect(&o, log); err != nil {
		t.Errorf("after an error: %v", err)
	} else if err := closed(); err != nil {
		t.Error(err)
	}
	bad = s
	bad.Accepted = p.in("ok.ndjson")
	if _, err := bad.Connect(&o, log); err == nil || !strings.Contains(err.Error(), "ok.ndjson is written") {
		t.Errorf("a file in the folder that is read: %v", err)
	}
	if slices.Contains(s.Written, s.Accepted) {
		t.Error("the settings were changed")
	}
}

// TestFields: the name of every setting is in the group, with a flag or without one.
func TestFields(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range Fields() {
		if !strings.HasPrefix(f.Key().Name, "files.") || seen[f.Key().Name] {
			t.Errorf("the key %q is not in files, or there twice", f.Key().Name)
		}
		seen[f.Key().Name] = true
	}
	if len(seen) != len(keys)+len(sinkKeys) {
		t.Errorf("%d keys", len(seen))
	}
}
