package schema_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/wire"
)

// The decoded request is there before it is known by which rules it is judged.
func ExampleChecker_Judge() {
	strict, err := schema.New()
	if err != nil {
		panic(err)
	}
	permissive, err := schema.New(schema.WithPreset(schema.Permissive))
	if err != nil {
		panic(err)
	}
	checker := new(schema.Checker)
	checker.SetDecoding(wire.MaxSize(64 << 10))
	defer checker.Release()
	request, err := checker.Decode([]byte(`{"id":"1","test":7,"imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"}}`))
	if err != nil {
		panic(err)
	}
	engine := strict
	if request.Site.ID == "s" { // the configuration depends on what was decoded
		engine = permissive
	}
	fmt.Println("errors:", checker.Judge(engine).Counts[schema.Error])
	// Output: errors: 0
}
