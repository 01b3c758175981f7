package config

import (
	"hash/maphash"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// Live is a configuration that follows its files. A change takes effect as a whole, and only if
// there is no problem with it: until then the last good configuration stays in use. It is a
// [filewatch.Source]; all methods may be called from any goroutine.
type Live struct {
	name    string
	options OpenOptions
	news    func(*Setup, Problems) error
	holder  *inspect.Holder
	setup   atomic.Pointer[Setup]

	own    atomic.Pointer[filewatch.Status] // of the configuration itself
	origin atomic.Pointer[filewatch.Origin] // of the one in use

	mu   sync.Mutex // one reload at a time
	told filewatch.News
	seed maphash.Seed
	seen uint64 // the fingerprint of what was opened last, or could not be
}

// Follow opens a configuration, to follow its files with a [filewatch.Watcher]. It returns the
// problems of the first time. news is called after each later attempt, with the new setup or the
// problems; it may be nil. Its error says why the new setup can't be used: the old one stays.
func Follow(name string, o OpenOptions, news func(*Setup, Problems) error) (*Live, Problems) {
	if news == nil {
		news = func(*Setup, Problems) error { return nil }
	}
	at := time.Now()
	l := &Live{name: name, options: o, news: news, seed: maphash.MakeSeed()}
	l.seen = l.fingerprint()
	s, problems := Open(name, o)
	if len(problems) > 0 {
		return nil, problems
	}
	l.setup.Store(s)
	l.holder = inspect.NewHolder(s.Engine)
	l.loaded(at, len(s.Config.paths()), nil)
	l.from(s, byStart)
	l.told.Of(l.Files(), time.Now())
	return l, nil
}

// Holder returns the holder of the engine in use. It is the same at all times.
func (l *Live) Holder() *inspect.Holder { return l.holder }

// Setup returns the setup in use.
func (l *Live) Setup() *Setup { return l.setup.Load() }

// Paths returns the files that the configuration is read from, and those of its lists.
func (l *Live) Paths() []string {
	s := l.Setup()
	paths := s.Config.paths()
	for _, source := range s.sources() {
		paths = append(paths, source.Paths()...)
	}
	return paths
}

// Refresh opens the configuration again if one of its files has changed, and otherwise the lists
// whose files have.
func (l *Live) Refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.tell()
	if now := l.fingerprint(); now != l.seen {
		l.seen = now
		l.open(byChange)
		return
	}
	for _, source := range l.Setup().sources() {
		source.Refresh()
	}
}

// Reload opens the configuration again, changed or not. by says who has asked for that. After a
// problem the last good one stays in use.
func (l *Live) Reload(by string) Problems {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.tell()
	l.seen = l.fingerprint()
	return l.open(by)
}

// What makes a program open a configuration, besides those who ask for it.
const (
	byStart  = "the start"
	byChange = "a change of the file"
)

// Origin says where the configuration in use was read from, and why then.
func (l *Live) Origin() filewatch.Origin { return *l.origin.Load() }

func (l *Live) from(s *Setup, by string) {
	l.origin.Store(&filewatch.Origin{Files: filewatch.Sums(s.Config.Files), By: by})
}

func (l *Live) open(by string) Problems {
	at := time.Now()
	o := l.options
	o.inUse = l.Setup()
	s, problems := Open(l.name, o)
	err := l.news(s, problems)
	switch {
	case len(problems) > 0:
		l.loaded(at, 0, problems)
	case err != nil:
		l.loaded(at, 0, err)
	default:
		l.setup.Store(s)
		l.holder.Swap(s.Engine)
		l.from(s, by)
		l.loaded(at, len(s.Config.paths()), nil)
	}
	return problems
}

// fingerprint tells two states of the configuration's files apart. It leaves out the files of
// lists, which are large and followed by themselves.
func (l *Live) fingerprint() uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	c, problems := Load(l.name, Options{Environ: l.options.Environ})
	if len(problems) > 0 {
		h.WriteString(problems.Error())
		return h.Sum64()
	}
	for _, name := range c.paths() {
		h.WriteString(name)
		h.WriteByte(0)
		if text, err := os.ReadFile(name); err == nil {
			h.Write(text)
		} else {
			h.WriteString(err.Error())
		}
		h.WriteByte(0)
	}
	return h.Sum64()
}

// paths returns all files but those of lists.
func (c *Config) paths() []string {
	paths := slices.Concat(c.Files, c.followed)
	if file, _ := rates.Configured(&c.Scope); file != "" {
		paths = append(paths, file)
	}
	return paths
}

var _ filewatch.Source = (*Live)(nil)
