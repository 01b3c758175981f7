package lines_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/lines"
)

// Three lines in, three lines out.
func ExampleFilter() {
	in := strings.NewReader(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"}}
no request
{"id":"2","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"}}
`)
	stats, err := lines.Filter(context.Background(), os.Stdout, in, lines.Options{Engine: new(inspect.Engine), Emit: lines.Accepted})
	fmt.Println(stats.Lines, stats.Forwarded, stats.Refused, err)
	// Output:
	// {"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"}}
	//
	// {"id":"2","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"}}
	// 3 2 1 <nil>
}
