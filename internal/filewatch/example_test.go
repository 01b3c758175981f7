package filewatch_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

func ExampleFile() {
	folder, err := os.MkdirTemp("", "reload")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "greeting.txt")

	greeting := filewatch.NewFile(path, 0, func(r io.Reader) (string, filewatch.Result, error) {
		var text string
		err := filewatch.Lines(r, 0, func(line int, b []byte) error {
			if line > 1 {
				return &filewatch.LineError{Line: line, Err: fmt.Errorf("expected one line")}
			}
			text = string(b)
			return nil
		})
		return text, filewatch.Result{Entries: 1}, err
	})
	for _, text := range []string{"hello # a comment\n", "hello\nworld\n", "goodbye\n"} {
		_ = os.WriteFile(path, []byte(text), 0o600)
		news := greeting.Refresh()
		err := "no error"
		if e := greeting.Status().Err; e != nil {
			err = e.Error()[len(folder)+1:]
		}
		fmt.Println(news, *greeting.Value(), err)
	}
	// Output:
	// true hello no error
	// true hello greeting.txt:2: expected one line
	// true goodbye no error
}

func ExampleFolder() {
	path, err := os.MkdirTemp("", "reload")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(path)
	sizes := filewatch.NewFolder(path, filewatch.FolderOptions[int]{
		Key: func(name string) (string, bool) { return strings.CutSuffix(name, ".txt") },
		Parse: func(_ string, r io.Reader) (int, filewatch.Result, error) {
			text, err := io.ReadAll(r)
			return len(text), filewatch.Result{Entries: 1}, err
		},
	})
	_ = os.WriteFile(filepath.Join(path, "a.txt"), []byte("12345"), 0o600)
	_ = os.WriteFile(filepath.Join(path, "b.txt"), []byte("12"), 0o600)
	fmt.Println(sizes.Refresh(), sizes.Values())
	_ = os.Remove(filepath.Join(path, "b.txt"))
	fmt.Println(sizes.Refresh(), sizes.Values(), sizes.Status().Files)
	// Output:
	// true map[a:5 b:2]
	// true map[a:5] 1
}
