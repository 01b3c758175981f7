package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rtbwire/rtbwire/internal/wholefile"
	"github.com/rtbwire/rtbwire/stream"
)

const (
	// HeadMax is how many of the first bytes that were read of a file are part of its identity.
	HeadMax = 1024
	// positionsMax is how long a positions file may be, in bytes.
	positionsMax = 64 << 20
	// positionsVersion is that of the format.
	positionsVersion = 1
	// lostFor is how long the position of a file is kept that is gone: its file system may be
	// mounted again.
	lostFor = 24 * time.Hour
)

var errDamaged = errors.New("the positions are damaged")

// positions is the positions file.
type positions struct {
	Version int      `json:"version"`
	Files   []*entry `json:"files"`
}

// entry is what is known of a file between two runs.
type entry struct {
	// Lane and Number are the id of the lane. Lane is the first name of the file.
	Lane   string `json:"lane"`
	Number int32  `json:"number"`
	// Name is the last known name in the folder, Inode what the system knows the file by (0 if it
	// has no such number), Head the hash of its first bytes.
	Name     string `json:"name"`
	Inode    uint64 `json:"inode,omitempty"`
	Head     string `json:"head"`
	HeadSize int    `json:"head_size"`
	// Position is the end of what is delivered.
	Position int64     `json:"position"`
	Seen     time.Time `json:"seen"`
}

func (e *entry) id() stream.LaneID { return stream.LaneID{Name: e.Lane, Number: e.Number} }

// at sets the position. head are the first bytes of the file, HeadMax of them or all up to the
// position.
func (e *entry) at(position int64, head []byte) {
	head = head[:min(int64(len(head)), position)]
	sum := sha256.Sum256(head)
	e.Position, e.Head, e.HeadSize = position, hex.EncodeToString(sum[:]), len(head)
}

// begins reports whether a file begins as the one that the entry is about, and returns its first
// bytes.
func (e *entry) begins(f io.ReaderAt) (head []byte, same bool) {
	head = make([]byte, e.HeadSize, HeadMax)
	if n, _ := f.ReadAt(head, 0); n < len(head) {
		return nil, false
	}
	sum := sha256.Sum256(head)
	return head, hex.EncodeToString(sum[:]) == e.Head
}

// check returns what is wrong with an entry.
func (e *entry) check() error {
	switch sum, err := hex.DecodeString(e.Head); {
	case e.Lane == "" || e.Name == "":
		return errors.New("a file has no name")
	case e.Number < 0 || e.Position < 0:
		return fmt.Errorf("%s has number %d and position %d (want 0 or more)", e.Name, e.Number, e.Position)
	case err != nil || len(sum) != sha256.Size:
		return fmt.Errorf("%s has the head %q (want %d bytes in hexadecimal)", e.Name, e.Head, sha256.Size)
	case int64(e.HeadSize) != min(e.Position, HeadMax):
		return fmt.Errorf("%s has position %d and a head of %d bytes", e.Name, e.Position, e.HeadSize)
	}
	return nil
}

// readPositions reads the positions file. It never takes a damaged one for an empty one.
func readPositions(name string) ([]*entry, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("stream: the positions can't be read: %w", err)
	}
	if info.Size() > positionsMax {
		return nil, damaged(name, fmt.Errorf("%d bytes (want at most %d)", info.Size(), positionsMax))
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("stream: the positions can't be read: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var p positions
	if err := d.Decode(&p); err != nil {
		return nil, damaged(name, err)
	}
	if d.More() {
		return nil, damaged(name, fmt.Errorf("more text after byte %d", d.InputOffset()))
	}
	if p.Version != positionsVersion {
		return nil, damaged(name, fmt.Errorf("version %d (want %d)", p.Version, positionsVersion))
	}
	seen := map[stream.LaneID]bool{}
	for _, e := range p.Files {
		if e == nil {
			return nil, damaged(name, errors.New("a file is null"))
		}
		if err := e.check(); err != nil {
			return nil, damaged(name, err)
		}
		if seen[e.id()] {
			return nil, damaged(name, fmt.Errorf("%s/%d is there twice", e.Lane, e.Number))
		}
		seen[e.id()] = true
	}
	return p.Files, nil
}

func damaged(name string, err error) error {
	return fmt.Errorf("stream: %w: %s: %w. Put a good copy in its place, or remove it: then all files are read again from their beginning", errDamaged, name, err)
}

// textOf returns the text of a positions file.
func textOf(files []*entry) ([]byte, error) {
	text, err := json.MarshalIndent(positions{Version: positionsVersion, Files: files}, "", " ")
	if err != nil {
		return nil, err
	}
	if len(text) >= positionsMax {
		return nil, fmt.Errorf("the positions have %d bytes (want less than %d): have fewer files in the folder", len(text), positionsMax)
	}
	return append(text, '\n'), nil
}

// writePositions replaces the positions file.
func writePositions(name string, text []byte) error {
	w, err := wholefile.Create(name)
	if err != nil {
		return err
	}
	defer w.Discard()
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Commit()
}
