package files

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"
)

// scan looks at the folder: files that have grown, were renamed, truncated or deleted, and new
// ones. With atEnd, new ones begin at their end.
func (n *session) scan(now time.Time, atEnd bool) error {
	infos, err := n.list()
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fresh = false
	n.forget(now)
	n.track(infos, now)
	known := map[uint64][]*file{}
	for _, f := range n.files {
		known[inode(f.info)] = append(known[inode(f.info)], f)
	}
	for _, name := range slices.Sorted(maps.Keys(infos)) {
		info := infos[name]
		same := func(f *file) bool { return os.SameFile(f.info, info) }
		if slices.ContainsFunc(known[inode(info)], same) {
			continue // perhaps under another name
		}
		f, err := n.identify(name, info, atEnd)
		switch {
		case err != nil:
			n.s.metrics.readErrors.Inc()
			n.f.Warn("read", "a file can't be read; it is tried again", "file", filepath.Join(n.o.Folder, name), "error", err)
			continue
		case f == nil:
			continue
		}
		f.changed, f.entry.Seen, f.entry.Inode, f.entry.Name = now, now, inode(info), name
		n.files, n.fresh = append(n.files, f), true
		known[inode(info)] = append(known[inode(info)], f)
	}
	return nil
}

// list returns the files of the folder by name.
func (n *session) list() (map[string]os.FileInfo, error) {
	names, err := os.ReadDir(n.o.Folder)
	if err != nil {
		return nil, err
	}
	infos := map[string]os.FileInfo{}
	for _, e := range names {
		name := e.Name()
		if e.IsDir() || name[0] == '.' && !n.o.matches(name) {
			continue
		}
		if !utf8.ValidString(name) {
			n.f.Warn("name", "a file is left out, because its name is not UTF-8: rename it", "folder", n.o.Folder, "file", name)
			continue
		}
		info, err := os.Stat(filepath.Join(n.o.Folder, name)) // links are followed
		if err == nil && info.Mode().IsRegular() {
			infos[name] = info
		}
	}
	return infos, nil
}

// track finds the files that are followed.
func (n *session) track(infos map[string]os.FileInfo, now time.Time) {
	names := map[uint64][]string{}
	for name, info := range infos {
		names[inode(info)] = append(names[inode(info)], name)
	}
	var stay []*file
	for _, f := range n.files {
		info, name := infos[f.entry.Name], f.entry.Name
		if info == nil || !os.SameFile(info, f.info) {
			info = nil
			for _, other := range names[inode(f.info)] {
				// An inode that was used again can't be told by a beginning that is empty.
				if os.SameFile(infos[other], f.info) && (f.file != nil || f.at > 0 || n.o.matches(other)) {
					info, name = infos[other], other
				}
			}
		}
		f.gone = info == nil
		switch {
		case info != nil:
			if name != f.entry.Name {
				n.log.Info("a file was renamed", "folder", n.o.Folder, "from", f.entry.Name, "to", name)
			}
			f.entry.Seen, f.entry.Name = now, name
		case f.file != nil:
			info, _ = f.file.Stat()
		default:
			if f.refused == "" {
				n.lost = append(n.lost, f.entry)
			}
			continue
		}
		_, taken := infos[f.entry.Lane]
		f.replaced = f.gone || f.entry.Name != f.entry.Lane && taken
		if f = n.update(f, info, now); f != nil {
			stay = append(stay, f)
		}
	}
	n.files = stay
}

// update looks at a file again. It returns another one if it was truncated, nil if that is not to
// be read.
func (n *session) update(f *file, info os.FileInfo, now time.Time) *file {
	if info == nil || info.Size() == f.info.Size() && info.ModTime().Equal(f.info.ModTime()) {
		if f.half >= 0 && f.replaced && now.Sub(f.changed) >= n.o.IdleAfter {
			f.last = true
		}
		return f
	}
	same, err := n.sameHead(f)
	if err != nil {
		return f // the next scan looks again
	}
	f.info, f.size, f.changed, f.last = info, info.Size(), now, false
	if f.size < f.at+f.long {
		f.long, f.start = 0, nil
	}
	if f.size >= f.at && same {
		return f
	}
	n.retire(f)
	if !n.o.matches(f.entry.Name) {
		return nil
	}
	return n.again(f)
}

// retire ends a lane and closes its file.
func (n *session) retire(f *file) {
	if f.lane != nil {
		delete(n.lanes, f.lane)
		n.retiring = append(n.retiring, f.retired())
		f.lane = nil
	}
	n.close(f)
}

// again returns what takes the place of a file that was truncated or written anew.
func (n *session) again(f *file) *file {
	other := n.newFile(f.entry.Name, f.info)
	other.entry.Inode, other.entry.Seen = f.entry.Inode, f.entry.Seen
	other.gone, other.replaced, other.changed = f.gone, f.replaced, f.changed
	other.jumped = "a file was truncated or written anew; it is read from its beginning"
	other.was = f.at
	return other
}

// full reports whether there is no place for another file. Those that are compressed take none of
// the places of others, as long as there are fewer than FilesMaxMax in all.
func (n *session) full() bool {
	if len(n.files) < n.o.FilesMax {
		return false
	}
	followed := 0
	for _, f := range n.files {
		if f.refused == "" {
			followed++
		}
	}
	return followed >= n.o.FilesMax || len(n.files) >= FilesMaxMax
}

// identify finds out whether a file is one that was followed before. It returns nil for one that is
// not to be read.
func (n *session) identify(name string, info os.FileInfo, atEnd bool) (*file, error) {
	var candidates []*entry
	for _, e := range n.lost {
		if own := inode(info); own != 0 && e.Inode != 0 && own == e.Inode || (own == 0 || e.Inode == 0) && e.Name == name {
			candidates = append(candidates, e)
		}
	}
	matches := n.o.matches(name)
	if len(candidates) == 0 && !matches {
		return nil, nil
	}
	if n.full() {
		n.f.Warn("many", "there are more files than are followed (FilesMax); delete or move old ones", "folder", n.o.Folder, "followed", n.o.FilesMax, "left out", name)
		return nil, nil
	}
	in, err := openForReading(filepath.Join(n.o.Folder, name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if opened, err := in.Stat(); err != nil || !os.SameFile(opened, info) {
		return nil, err // it was replaced in this moment
	}
	slices.SortFunc(candidates, func(a, b *entry) int { return b.HeadSize - a.HeadSize })
	for _, e := range candidates {
		// An inode that was used again can't be told by a beginning that is empty.
		if head, same := e.begins(in); same && e.Position <= info.Size() && (e.HeadSize > 0 || matches) {
			n.lost = without(n.lost, e)
			return &file{entry: e, info: info, size: info.Size(), at: e.Position, head: head, half: -1}, nil
		}
	}
	if !matches {
		return nil, nil
	}
	f := n.newFile(name, info)
	for _, e := range candidates {
		if e.Name == name {
			f.jumped, f.was = "a file was truncated or written anew while it was not followed; it is read from its beginning", e.Position
		}
		n.lost = without(n.lost, e)
	}
	if atEnd {
		end, head, err := lastNewline(in, info.Size())
		if err != nil {
			return nil, err
		}
		f.at, f.head = end, head
		f.entry.at(end, head)
	}
	return f, nil
}

// newFile returns a file that is read from its beginning.
func (n *session) newFile(name string, info os.FileInfo) *file {
	number, used := n.numbers[name]
	if used {
		number++
	}
	n.numbers[name] = number
	e := &entry{Lane: name, Number: number, Name: name}
	e.at(0, nil)
	return &file{entry: e, info: info, size: info.Size(), half: -1, head: make([]byte, 0, HeadMax)}
}

// forget drops files that have been gone for long, and notes the numbers in use.
func (n *session) forget(now time.Time) {
	n.lost = slices.DeleteFunc(n.lost, func(e *entry) bool { return now.Sub(e.Seen) > lostFor })
	if over := len(n.lost) - FilesMaxMax; over > 0 {
		slices.SortFunc(n.lost, func(a, b *entry) int { return a.Seen.Compare(b.Seen) })
		n.lost = slices.Delete(n.lost, 0, over)
	}
	clear(n.numbers)
	note := func(e *entry) { n.numbers[e.Lane] = max(n.numbers[e.Lane], e.Number) }
	for _, e := range n.lost {
		note(e)
	}
	for _, f := range n.files {
		note(f.entry)
	}
	for _, r := range n.retiring {
		n.numbers[r.lane.ID.Name] = max(n.numbers[r.lane.ID.Name], r.lane.ID.Number)
	}
}

func without(all []*entry, e *entry) []*entry {
	return slices.DeleteFunc(all, func(other *entry) bool { return other == e })
}
