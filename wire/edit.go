package wire

// Edit changes one place of a document; see [Set] and [Remove]. Package splice applies edits.
type Edit struct {
	// Path is a JSON Pointer (RFC 6901): "/imp/2/bidfloor". The last element of a path into an
	// array may be "-", the place after the array's last element.
	Path string
	// Value is the JSON text to put there. nil removes the value.
	Value []byte
}

// Set makes an Edit that puts value, which is JSON text, at path: in place of the value there,
// or as a new member at the end of its object, new ones in the order of the edits. Parents that
// the document does not have, or has as null, are created: objects, or for "-" an array. An
// index below such a parent is an error, "0" included, and so is all that looks like one: digits,
// or a minus and digits. The first element of a new array is "-".
func Set(path string, value []byte) Edit {
	if value == nil {
		value = []byte{}
	}
	return Edit{path, value}
}

// Remove makes an Edit that removes the value at path, its key included. Removing what the
// document does not have changes nothing.
func Remove(path string) Edit { return Edit{Path: path} }
