package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/files"
)

// A stream judges what is written to the files of a folder.
func Example() {
	folder, err := os.MkdirTemp("", "rtbwire")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	in := filepath.Join(folder, "in")
	if err := os.Mkdir(in, 0o700); err != nil {
		fmt.Println(err)
		return
	}
	text := `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"}}` + "\n" + `{"id":"2","imp":[]}` + "\n"
	if err := os.WriteFile(filepath.Join(in, "bids.ndjson"), []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	source, err := files.NewSource(files.Options{Folder: in, Positions: filepath.Join(folder, "positions.json")})
	if err != nil {
		fmt.Println(err)
		return
	}
	accepted, err := files.NewSink(files.SinkOptions{Path: filepath.Join(folder, "ok.ndjson")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer accepted.Close()
	refused, err := files.NewSink(files.SinkOptions{Path: filepath.Join(folder, "refused.ndjson"), Form: files.Objects})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer refused.Close()
	s, err := stream.New(stream.Options{Source: source, Accepted: accepted, DeadLetters: refused})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()

	for _, name := range []string{"ok.ndjson", "refused.ndjson"} {
		var text []byte
		for len(text) == 0 {
			time.Sleep(time.Millisecond)
			text, _ = os.ReadFile(filepath.Join(folder, name))
		}
		line, _, _ := strings.Cut(string(text), `,"time"`)
		fmt.Println(name, strings.TrimSpace(line))
	}
	stop() // what is on its way arrives and is committed
	fmt.Println(<-ended)
	// Output:
	// ok.ndjson {"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"}}
	// refused.ndjson {"source":"bids.ndjson/0/96","reason":"schema.BidRequest.channel.present","nbr":2,"path":"","offset":0
	// <nil>
}
