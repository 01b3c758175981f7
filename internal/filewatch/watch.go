package filewatch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The defaults of [Options].
const (
	RescanDefault   = 30 * time.Second
	QuietDefault    = 250 * time.Millisecond
	QuietMaxDefault = 5 * time.Second
)

// Options configure a [Watcher]. Zero values mean the defaults.
type Options struct {
	// Rescan is the interval at which all files are looked at, whatever the system reports.
	Rescan time.Duration
	// Quiet is how long no change may be reported before files are loaded, so that one that is
	// written in pieces is loaded once. QuietMax is how long changes may put it off.
	Quiet, QuietMax time.Duration
	// Problem is called when folders can't be watched, with one error for each time that begins.
	// The rescan continues.
	Problem func(error)
}

// Watcher refreshes sources when their files change, until it is closed.
type Watcher struct {
	options Options
	sources []Source
	events  *fsnotify.Watcher // nil if the system offers none
	folders map[string]bool   // wanted -> watched
	stop    chan struct{}
	done    chan struct{}
	close   sync.Once
}

// Watch starts a Watcher. The sources have been loaded once before.
func Watch(o Options, sources ...Source) *Watcher {
	if o.Rescan <= 0 {
		o.Rescan = RescanDefault
	}
	if o.Quiet <= 0 {
		o.Quiet = QuietDefault
	}
	if o.QuietMax <= 0 {
		o.QuietMax = max(QuietMaxDefault, o.Quiet)
	}
	if o.Problem == nil {
		o.Problem = func(error) {}
	}
	w := &Watcher{
		options: o, sources: sources, folders: map[string]bool{},
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		o.Problem(fmt.Errorf("files are not watched, only looked at every %v: %w", o.Rescan, err))
	} else {
		w.events = events
	}
	w.follow()
	go w.run()
	return w
}

// Close stops the watcher. It waits for a refresh that is under way.
func (w *Watcher) Close() {
	w.close.Do(func() { close(w.stop) })
	<-w.done
}

func (w *Watcher) run() {
	defer close(w.done)
	var changes chan fsnotify.Event
	var problems chan error
	if w.events != nil {
		defer w.events.Close()
		changes, problems = w.events.Events, w.events.Errors
	}
	rescan := time.NewTicker(w.options.Rescan)
	defer rescan.Stop()
	quiet := time.NewTimer(w.options.Quiet)
	quiet.Stop() // nothing waits yet
	defer quiet.Stop()
	var first time.Time // of the changes that wait; zero if none do
	for {
		select {
		case <-w.stop:
			return
		case <-rescan.C:
		case <-quiet.C:
		case e := <-changes:
			if e.Op == fsnotify.Chmod {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			wait := min(w.options.Quiet, w.options.QuietMax-time.Since(first))
			quiet.Reset(max(wait, 0))
			continue
		case err := <-problems: // events were lost
			w.options.Problem(fmt.Errorf("watching files: %w", err))
		}
		first = time.Time{}
		quiet.Stop()
		for _, s := range w.sources {
			s.Refresh()
		}
		w.follow()
	}
}

// follow watches the folders of all paths, and those that symbolic links lead to now. Watching a
// folder again does no harm, and is needed after another one has taken its place.
func (w *Watcher) follow() {
	if w.events == nil {
		return
	}
	wanted := map[string]bool{}
	for _, s := range w.sources {
		for _, path := range s.Paths() {
			wanted[filepath.Dir(path)] = true
			if target, err := filepath.EvalSymlinks(path); err == nil {
				wanted[filepath.Dir(target)] = true
			}
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				wanted[path] = true
			}
		}
	}
	for folder, watched := range w.folders {
		if !wanted[folder] {
			if watched {
				_ = w.events.Remove(folder) // it may be gone
			}
			delete(w.folders, folder)
		}
	}
	for folder := range wanted {
		err := w.events.Add(folder)
		watched, known := w.folders[folder]
		if err != nil && (watched || !known) {
			w.options.Problem(fmt.Errorf("%s is not watched, only looked at every %v: %w", folder, w.options.Rescan, err))
		}
		w.folders[folder] = err == nil
	}
}
