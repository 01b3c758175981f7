//go:build !nounsafe && !purego

package splice_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// Within reads one object only: here the ext that a decoder has found already.
func ExampleWithin() {
	data := []byte(`{"id":"1","ext":{"a":1.0}}`)
	ext := data[16:25]
	out, ok, err := splice.Within(nil, data, ext, "/ext", wire.Set("/ext/b", []byte("2")))
	fmt.Println(string(out), ok, err)
	// Output: {"id":"1","ext":{"a":1.0,"b":2}} true <nil>
}
