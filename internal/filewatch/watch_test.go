package filewatch

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// source is a file that tells its loads.
type source struct {
	*File[[]string]
	loaded chan string
}

func newSource(t *testing.T, path string) *source {
	t.Helper()
	s := &source{NewFile(path, 0, words), make(chan string, 100)}
	s.File.Refresh()
	return s
}

func (s *source) Paths() []string { return []string{s.Path()} }

func (s *source) Refresh() {
	if s.File.Refresh() {
		if err := s.Status().Err; err != nil {
			s.loaded <- "error"
			return
		}
		s.loaded <- strings.Join(*s.Value(), " ")
	}
}

// until waits until the content has been loaded.
func (s *source) until(t *testing.T, want string) {
	t.Helper()
	for timeout := time.After(time.Minute); ; {
		select {
		case got := <-s.loaded:
			if got == want {
				return
			}
		case <-timeout:
			t.Fatalf("%q was not loaded", want)
		}
	}
}

// fast are options with which only events can be the reason of a load.
var fast = Options{Rescan: time.Hour, Quiet: time.Millisecond}

func watch(t *testing.T, o Options, sources ...Source) *Watcher {
	t.Helper()
	w := Watch(o, sources...)
	t.Cleanup(w.Close)
	return w
}

func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words")
	put(t, path, "a")
	s := newSource(t, path)
	w := watch(t, fast, s)
	put(t, path, "b")
	s.until(t, "b")
	write(t, path, "c")
	s.until(t, "c")
	check(t, os.Remove(path))
	s.until(t, "error")
	put(t, path, "d")
	s.until(t, "d")
	w.Close()
	put(t, path, "e")
	s.Refresh()
	s.until(t, "e") // after Close, only who refreshes loads
}

func TestWatchSymlinks(t *testing.T) {
	folder := t.TempDir()
	s := newSource(t, mounted(t, folder))
	watch(t, fast, s)
	for _, version := range []string{"v2", "v3"} {
		swap(t, folder, version)
		s.until(t, version)
	}
	// In another folder, which the watcher follows the link to.
	other := filepath.Join(t.TempDir(), "other")
	put(t, other, "far")
	link := filepath.Join(folder, "link")
	check(t, os.Symlink(other, link))
	check(t, os.Rename(link, s.Path()))
	s.until(t, "far")
	time.Sleep(10 * time.Millisecond) // the folder is watched after the load
	for range 100 {
		put(t, other, "farther")
		select {
		case got := <-s.loaded:
			if got != "farther" {
				t.Errorf("loaded %q", got)
			}
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Error("a change in the folder that the link leads to is not seen")
}

// TestRescan finds changes that nothing reports: the folder does not exist when the watcher starts.
func TestRescan(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(folder, "words")
	s := newSource(t, path)
	var mu sync.Mutex
	var problems []error
	watch(t, Options{Rescan: 5 * time.Millisecond, Problem: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		problems = append(problems, err)
	}}, s)
	time.Sleep(50 * time.Millisecond) // several rescans
	check(t, os.Mkdir(folder, 0o700))
	put(t, path, "a")
	s.until(t, "a")
	mu.Lock()
	defer mu.Unlock()
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "later is not watched, only looked at every 5ms") {
		t.Errorf("problems: %v, want one", problems)
	}
}

// TestQuiet loads a file that is written all the time, once the changes have put it off long
// enough.
func TestQuiet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words")
	put(t, path, "a")
	s := newSource(t, path)
	watch(t, Options{Rescan: time.Hour, Quiet: time.Minute, QuietMax: 20 * time.Millisecond}, s)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				put(t, path, "b")
			}
		}
	}()
	s.until(t, "b")
	close(stop)
	<-done
}

// TestWatchFolder watches a source that is a folder.
func TestWatchFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	check(t, os.Mkdir(folder, 0o700))
	s := &folderSource{folder, make(chan string, 100)}
	watch(t, fast, s)
	put(t, filepath.Join(folder, "file"), "")
	for timeout := time.After(time.Minute); ; {
		select {
		case names := <-s.seen:
			if names == "file" {
				return
			}
		case <-timeout:
			t.Fatal("the file was not seen")
		}
	}
}

type folderSource struct {
	path string
	seen chan string
}

func (s *folderSource) Paths() []string { return []string{s.path} }

func (s *folderSource) Refresh() {
	names, _ := filepath.Glob(filepath.Join(s.path, "*"))
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	s.seen <- strings.Join(names, " ")
}
