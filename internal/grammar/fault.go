package grammar

// Fault is one way for a text to break the grammar. The numbers match wire.Code, and the names are
// the same in the decoder, the rule engine and the C++ scanner: testdata/faults.json is the table
// that tests hold all of them to.
type Fault uint8

// The faults.
const (
	_             Fault = iota
	Empty               // no value at all
	Syntax              // a byte that the grammar does not allow at its place
	Truncated           // the text ends inside a value
	Trailing            // something other than white space follows the document
	ByteOrderMark       // a byte order mark before the document
	Control             // an unescaped control character in a string
	Escape              // an escape sequence that does not exist
	UTF8                // bytes that are not UTF-8
	Surrogate           // an escape for half of a surrogate pair
	Number              // a number that the grammar does not allow, such as 01 or 1.
)

// Two more faults, with the numbers that wire.Code gives them.
const (
	Duplicate Fault = 14 // a key that its object had before
	Depth     Fault = 15 // values nested deeper than the limit
)
