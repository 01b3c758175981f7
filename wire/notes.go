package wire

import "strings"

// Notes say what a decoder met in a document that it accepted, as a set of bits. A note that is
// missing is certain: the thing is not in the document. One that is set says that it may be
// worth a second look: NoteEmptyString, NoteKeyCase, NoteDuplicateKey, NoteNUL and NoteKeyEscape
// may be false alarms.
//
// The notes about keys inside raw values, such as ext, and inside members that are skipped are
// only taken with [WatchKeys].
type Notes uint16

// The notes.
const (
	// NoteUnknownKey: a known object has a key that its type does not have.
	NoteUnknownKey Notes = 1 << iota
	// NoteKeyCase: such a key may be one of the type's in other letters: it has an upper-case
	// letter, or one that is not ASCII. With [WatchKeys] only.
	NoteKeyCase
	// NoteDuplicateKey: an object may have a key twice. With [WatchKeys], a key in two letter cases
	// and one with an escape count inside raw values and members that are skipped.
	NoteDuplicateKey
	// NoteNull: a known member, or an element of a known array, is null.
	NoteNull
	// NoteEmptyString: a string may be empty.
	NoteEmptyString
	// NoteEmptyArray: a known array is empty.
	NoteEmptyArray
	// NoteRaw: a raw value, such as ext, is something other than an object or null.
	NoteRaw
	// NoteNUL: a string or a key has a NUL (\u0000), which ends a string for readers in C.
	NoteNUL
	// NoteKeyEscape: a key of a known object has an escape.
	NoteKeyEscape
)

var noteNames = []string{"unknown key", "key case", "duplicate key", "null", "empty string", "empty array", "raw value", "NUL", "key escape"}

// String lists the notes: "unknown key, null"; "none" if there are none.
func (n Notes) String() string {
	var names []string
	for i, name := range noteNames {
		if n>>i&1 != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
