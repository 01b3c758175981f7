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
	"path/filepath"
	"regexp"
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
	known  []token
	looked time.Time
	status filewatch.Status
}

// token is what is known about a token.
type token struct {
	hash [sha256.Size]byte
	name string // of whoever has it, or where the token is
}

func newTokens(fixed, files []string, log *slog.Logger) (*tokens, error) {
	t := &tokens{fixed: fixed, files: files, log: log}
	_, _ = rand.Read(t.key[:]) // never fails
	known, err := t.read()
	if err != nil {
		return nil, err
	}
	t.looked = time.Now()
	t.use(known)
	return t, nil
}

// any reports whether there are tokens.
func (t *tokens) any() bool { return len(t.fixed)+len(t.files) > 0 }

// have reports whether a text is one of them.
func (t *tokens) have(text string) bool {
	_, found := t.name(text)
	return found
}

// name returns the name of a token, if a text is one.
func (t *tokens) name(text string) (name string, found bool) {
	if len(text) < TokenMin || len(text) > TokenMax {
		return "", false
	}
	own := t.hash(text)
	for _, k := range t.current() {
		if subtle.ConstantTimeCompare(own[:], k.hash[:]) == 1 && !found { // all are compared
			name, found = k.name, true
		}
	}
	return name, found
}

func (t *tokens) hash(token string) [sha256.Size]byte {
	return sha256.Sum256(append(t.key[:len(t.key):len(t.key)], token...))
}

// current returns what is known, after a look at files that may have changed. While files can't be
// read, or have no good token, the last ones stay.
func (t *tokens) current() []token {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.files) == 0 || time.Since(t.looked) < tokensPause {
		return t.known
	}
	t.looked = time.Now()
	known, err := t.read()
	switch was := t.status.Err; {
	case err != nil:
		if t.status.Err = err; was == nil || was.Error() != err.Error() {
			t.status.Failures++
			t.log.Error("the tokens for operators were not loaded again; the old ones stay in use", "error", err)
		}
	case was != nil || !slices.Equal(known, t.known):
		t.use(known)
		t.log.Info("the tokens for operators were loaded again", "tokens", len(known))
	}
	return t.known
}

// use puts tokens in use.
func (t *tokens) use(known []token) {
	t.known = known
	t.status.Err, t.status.Entries, t.status.LoadedAt = nil, len(known), t.looked
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

// read returns all tokens.
func (t *tokens) read() (known []token, err error) {
	add := func(from string, own namedToken) error {
		switch {
		case len(own.text) < TokenMin || len(own.text) > TokenMax:
			return fmt.Errorf("admin: a token of %s has %d characters (want %d to %d)", from, len(own.text), TokenMin, TokenMax)
		case len(known) == tokensMax:
			return fmt.Errorf("admin: more than %d tokens", tokensMax)
		}
		known = append(known, token{t.hash(own.text), own.name})
		return nil
	}
	for i, text := range t.fixed {
		if err := add("the environment", namedToken{fmt.Sprintf("environment:%d", i+1), text}); err != nil {
			return nil, err
		}
	}
	for _, name := range t.files {
		list, err := readTokens(name)
		if err != nil {
			return nil, fmt.Errorf("admin: tokens: %w", err)
		}
		for _, own := range list {
			if err := add(name, own); err != nil {
				return nil, err
			}
		}
	}
	return known, nil
}

// namedToken is a token with its name.
type namedToken struct{ name, text string }

// tokenName is what a name of a token looks like.
var tokenName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

// readTokens returns the tokens of a file: one a line, after a name and white space or alone. Empty
// lines and lines that begin with # are left out. A token without a name has that of its place.
func readTokens(name string) (list []namedToken, err error) {
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
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		own := namedToken{fmt.Sprintf("%s:%d", filepath.Base(name), n), line}
		if words := strings.Fields(line); len(words) > 1 {
			if len(words) > 2 || !tokenName.MatchString(words[0]) {
				return nil, fmt.Errorf("%s:%d: expected a token, or a name of at most 64 letters, digits and . _ @ -, and a token", name, n)
			}
			own = namedToken{words[0], words[1]}
		}
		list = append(list, own)
	}
	if len(list) == 0 {
		return nil, errors.New(name + " has no token")
	}
	return list, nil
}
