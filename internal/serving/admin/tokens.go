package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// The limits of tokens.
const (
	// TokenMin is the length of the shortest token, which can't be guessed if it is random.
	TokenMin = 16
	// TokenMax is the length of the longest.
	TokenMax = 512
	// tokensMax is how many tokens there may be, in all.
	tokensMax = 64
	// tokenFileMax is how long a file may be, in bytes.
	tokenFileMax = 64 << 10
	// tokensPause is how old what is known of files may be. Files are read when somebody asks.
	tokensPause = time.Second
)

// tokens are those that open the port. They are compared by keyed hashes, so that the time it takes
// says nothing about them.
type tokens struct {
	fixed []string
	files []string
	log   *slog.Logger
	key   [32]byte

	mu     sync.Mutex
	hashes [][sha256.Size]byte
	looked time.Time
	status filewatch.Status
}

func newTokens(fixed, files []string, log *slog.Logger) (*tokens, error) {
	t := &tokens{fixed: fixed, files: files, log: log}
	_, _ = rand.Read(t.key[:]) // never fails
	hashes, err := t.read()
	if err != nil {
		return nil, err
	}
	t.looked = time.Now()
	t.use(hashes)
	return t, nil
}

// any reports whether there are tokens.
func (t *tokens) any() bool { return len(t.fixed)+len(t.files) > 0 }

// have reports whether a token is one of them.
func (t *tokens) have(token string) bool {
	if len(token) < TokenMin || len(token) > TokenMax {
		return false
	}
	own := t.hash(token)
	found := 0
	for _, h := range t.current() {
		found |= subtle.ConstantTimeCompare(own[:], h[:])
	}
	return found == 1
}

func (t *tokens) hash(token string) [sha256.Size]byte {
	return sha256.Sum256(append(t.key[:len(t.key):len(t.key)], token...))
}

// current returns the hashes, after a look at files that may have changed. While files can't be
// read, or have no good token, the last ones stay.
func (t *tokens) current() [][sha256.Size]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.files) == 0 || time.Since(t.looked) < tokensPause {
		return t.hashes
	}
	t.looked = time.Now()
	hashes, err := t.read()
	switch was := t.status.Err; {
	case err != nil:
		if t.status.Err = err; was == nil || was.Error() != err.Error() {
			t.status.Failures++
			t.log.Error("the tokens for operators were not loaded again; the old ones stay in use", "error", err)
		}
	case was != nil || !slices.Equal(hashes, t.hashes):
		t.use(hashes)
		t.log.Info("the tokens for operators were loaded again", "tokens", len(hashes))
	}
	return t.hashes
}

// use puts tokens in use.
func (t *tokens) use(hashes [][sha256.Size]byte) {
	t.hashes = hashes
	t.status.Err, t.status.Entries, t.status.LoadedAt = nil, len(hashes), t.looked
	t.status.Loads++
}

// followed returns what is known about the files of tokens, after a look at them.
func (t *tokens) followed() []filewatch.Named {
	if len(t.files) == 0 {
		return nil
	}
	t.current()
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.status.Named(filewatch.KindTokens, "operators")
	n.Path = strings.Join(t.files, ", ")
	return []filewatch.Named{n}
}

// read returns the hashes of all tokens.
func (t *tokens) read() (hashes [][sha256.Size]byte, err error) {
	add := func(from, token string) error {
		switch {
		case len(token) < TokenMin || len(token) > TokenMax:
			return fmt.Errorf("admin: a token of %s has %d characters (want %d to %d)", from, len(token), TokenMin, TokenMax)
		case len(hashes) == tokensMax:
			return fmt.Errorf("admin: more than %d tokens", tokensMax)
		}
		hashes = append(hashes, t.hash(token))
		return nil
	}
	for _, token := range t.fixed {
		if err := add("the environment", token); err != nil {
			return nil, err
		}
	}
	for _, name := range t.files {
		list, err := readTokens(name)
		if err != nil {
			return nil, fmt.Errorf("admin: tokens: %w", err)
		}
		for _, token := range list {
			if err := add(name, token); err != nil {
				return nil, err
			}
		}
	}
	return hashes, nil
}

// readTokens returns the tokens of a file: one a line, empty lines and lines that begin with #
// apart.
func readTokens(name string) (list []string, err error) {
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // a pipe could make everybody wait
		return nil, errors.New(name + " is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, tokenFileMax+1))
	if err != nil {
		return nil, err
	}
	if len(data) > tokenFileMax {
		return nil, fmt.Errorf("%s has more than %d bytes", name, tokenFileMax)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return nil, errors.New(name + " has no token")
	}
	return list, nil
}
