package files

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/internal/compressed"
	"github.com/rtbwire/rtbwire/stream"
)

// readSize is how much of a file is read at a time, if no line is longer.
const readSize = 256 << 10

// file is a file that is followed. What Commit looks at is guarded by the session's lock: entry and
// head; the rest belongs to Read.
type file struct {
	entry *entry
	info  os.FileInfo // as it was last seen
	size  int64
	head  []byte // the first bytes up to at, HeadMax at most

	file  *os.File     // nil while it is closed
	lane  *stream.Lane // of an open file that is read
	added bool         // something, to the lane

	at      int64     // everything before it is added
	window  int       // how much has to be read to have a whole line, if that is more than readSize
	long    int64     // how much of a line is read that is too long; 0 if there is none
	start   []byte    // its first bytes
	half    int64     // the size at which only half a line is left; -1 if that is not known
	last    bool      // half a line is the last one
	changed time.Time // when it was seen to have grown

	gone     bool   // from the folder
	replaced bool   // it was rotated away: it is gone, or another file has its first name
	refused  string // what it is compressed with

	jumped string // why it is read from the beginning again
	was    int64  // where it was read before that
}

// unread reports whether there is something to read.
func (f *file) unread() bool {
	return f.refused == "" && f.size > f.at && (f.size != f.half || f.last)
}

// retired returns the lane as one that gets no more records.
func (f *file) retired() retired {
	if !f.added {
		return retired{f.lane, -1}
	}
	return retired{f.lane, f.at}
}

func (n *session) path(f *file) string { return filepath.Join(n.o.Folder, f.entry.Name) }

// openForReading opens a file. It does not wait for the writer of a pipe that has taken its place.
func openForReading(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// openFile opens a file and adds its lane. It reports false if too many are open, or if there is
// another file under the name.
func (n *session) openFile(f *file) (opened bool, err error) {
	if f.file != nil {
		return true, nil
	}
	if n.open >= openMax {
		n.waiting = true
		return false, nil
	}
	in, err := openForReading(n.path(f))
	if err != nil {
		return false, err
	}
	if info, err := in.Stat(); err != nil || !os.SameFile(info, f.info) {
		return false, errors.Join(err, in.Close()) // the next scan finds out
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open++
	f.file = in
	f.lane = n.f.Add(f.entry.id())
	f.lane.Begin(f.at)
	n.lanes[f.lane] = f
	if f.jumped != "" {
		f.lane.Jumped(f.jumped, "file", n.path(f), "was", f.was)
		f.jumped = ""
	}
	return true, nil
}

// close closes a file.
func (n *session) close(f *file) {
	if f.file == nil {
		return
	}
	_ = f.file.Close() // it was read only
	f.file = nil
	n.open--
}

// sameHead reports whether a file begins as it did. It fails for a closed file that can't be read,
// or that has been renamed since the last scan.
func (n *session) sameHead(f *file) (bool, error) {
	if f.file != nil {
		return f.begins(f.file), nil
	}
	in, err := openForReading(n.path(f))
	if err != nil {
		return false, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return false, err
	}
	if !os.SameFile(info, f.info) {
		return false, os.ErrNotExist
	}
	return f.begins(in), nil
}

func (f *file) begins(in io.ReaderAt) bool {
	head := make([]byte, len(f.head))
	got, err := in.ReadAt(head, 0)
	return bytes.Equal(head[:got], f.head) || err != nil && !errors.Is(err, io.EOF)
}

// read adds what comes next: the whole lines of a read.
func (n *session) read(f *file) error {
	if opened, err := n.openFile(f); !opened {
		return err
	}
	if f.long > 0 {
		return n.skip(f)
	}
	maxLine := n.f.Options().MaxRecord + len("\r\n")
	text := make([]byte, min(f.size-f.at, int64(max(readSize, f.window))))
	got, err := f.file.ReadAt(text, f.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	text = text[:got]
	if !f.begins(f.file) || got == 0 {
		n.stopAt(f, f.at) // it was truncated: the next scan sees it
		return nil
	}
	if f.at == 0 {
		if by := compressed.By(text); by != "" {
			n.refuse(f, by)
			return nil
		}
	}
	atEnd := f.at+int64(got) >= f.size
	end := bytes.LastIndexByte(text, '\n') + 1
	switch {
	case end == 0 && got >= maxLine:
		f.long, f.start = int64(got), bytes.Clone(text[:min(got, HeadMax)])
	case end == 0 && !atEnd:
		f.window = min(2*max(readSize, f.window), max(readSize, maxLine))
	case end == 0 && f.last:
		end = got
	case end == 0:
		f.half = f.size
	}
	if end > 0 {
		n.add(f, text[:end])
	}
	return nil
}

// skip reads on in a line that is too long. Of the line it keeps nothing.
func (n *session) skip(f *file) error {
	if n.skipped == nil {
		n.skipped = make([]byte, readSize)
	}
	from := f.at + f.long
	text := n.skipped[:min(readSize, f.size-from)]
	got, err := f.file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !f.begins(f.file) || got == 0 && from < f.size {
		n.stopAt(f, f.at)
		return nil
	}
	end := int64(bytes.IndexByte(text[:got], '\n'))
	switch {
	case end >= 0:
		n.addLong(f, f.long+end, f.long+end+1)
	case from+int64(got) < f.size:
		f.long += int64(got)
	case f.last:
		n.addLong(f, f.long+int64(got), f.long+int64(got))
	default:
		f.long += int64(got)
		f.half = f.size
	}
	return nil
}

// stopAt makes a file end for now.
func (n *session) stopAt(f *file, size int64) {
	n.mu.Lock()
	f.size = size
	n.mu.Unlock()
}

// addLong adds a record for a line that is too long.
func (n *session) addLong(f *file, size, line int64) {
	n.records = append(n.records[:0], stream.Record{Time: f.info.ModTime(), Position: f.at, Next: f.at + line, Size: size})
	start := f.start
	f.long, f.start = 0, nil
	n.addRecords(f, start)
}

// add adds lines, the last of which may lack its newline. Blank lines only have positions.
func (n *session) add(f *file, text []byte) {
	maxRecord, at, modified := n.f.Options().MaxRecord, f.at, f.info.ModTime()
	n.records = n.records[:0]
	for line := range bytes.Lines(text) {
		r := stream.Record{Time: modified, Position: at, Next: at + int64(len(line))}
		at = r.Next
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if cut := bytes.TrimSuffix(line, []byte{'\r'}); len(cut) < len(line) {
			line = cut
		}
		switch last := len(n.records) - 1; {
		case len(line) > maxRecord:
			r.Size = int64(len(line))
		case len(bytes.TrimSpace(line)) > 0:
			r.Value = slices.Clip(line)
		case last >= 0 && n.records[last].Mark: // one for all of them
			n.records[last].Next = r.Next
			continue
		default:
			r.Mark = true
		}
		n.records = append(n.records, r)
	}
	f.window = 0
	n.addRecords(f, text)
}

// addRecords adds the records of the last read. text is what they were read from, or its beginning.
func (n *session) addRecords(f *file, text []byte) {
	next := n.records[len(n.records)-1].Next
	n.mu.Lock()
	if missing := min(HeadMax-len(f.head), int(min(next-f.at, HeadMax))); missing > 0 {
		f.head = append(f.head, text[:missing]...)
	}
	f.at, f.half, f.last, f.added = next, -1, false, true
	n.mu.Unlock()
	f.lane.Add(n.records)
	clear(n.records)
}

// refuse leaves out a file that is compressed.
func (n *session) refuse(f *file, by string) {
	n.log.Warn("a file is compressed and left out: inflate it, or judge it with rtbwire check or rtbwire filter", "file", n.path(f), "compressed", by)
	n.mu.Lock()
	defer n.mu.Unlock()
	f.refused = by
	n.retire(f)
}

// lastNewline returns where the last whole line ends, and the first bytes up to there.
func lastNewline(in io.ReaderAt, size int64) (end int64, head []byte, err error) {
	text := make([]byte, readSize)
	for end = size; end > 0; {
		from := max(end-readSize, 0)
		got, err := in.ReadAt(text[:end-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, nil, err
		}
		if i := bytes.LastIndexByte(text[:got], '\n'); i >= 0 {
			end = from + int64(i) + 1
			break
		}
		end = from
	}
	head = make([]byte, min(end, HeadMax), HeadMax)
	if got, err := in.ReadAt(head, 0); got < len(head) {
		return 0, nil, err
	}
	return end, head, nil
}
