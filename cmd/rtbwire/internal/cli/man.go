package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rtbwire/rtbwire/internal/man"
)

// newMan returns the verb that writes the manual pages of all verbs.
func newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:                   "man DIRECTORY",
		Short:                 "Write the manual pages",
		Long:                  "Writes a manual page for rtbwire and for each of its commands. The text is that of their help.",
		Example:               "  rtbwire man /usr/local/share/man/man1",
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return Usagef("man takes a directory")
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writePages(args[0], root)
		},
	}
}

// writePages writes the page of a command and those of its commands.
func writePages(dir string, c *cobra.Command) error {
	page := pageOf(c)
	file, err := os.Create(filepath.Join(dir, page.FileName()))
	if err != nil {
		return err
	}
	if err := errors.Join(page.Write(file), file.Close()); err != nil {
		return err
	}
	for _, inner := range c.Commands() {
		if hasPage(inner) {
			if err := writePages(dir, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasPage reports whether a command is one of ours: cobra adds help and completion.
func hasPage(c *cobra.Command) bool {
	return c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion"
}

// pageOf describes a command.
func pageOf(c *cobra.Command) *man.Page {
	page := &man.Page{
		Command: c.CommandPath(), Summary: c.Short, Usage: strings.TrimPrefix(c.UseLine(), " "),
		Text: c.Long, Flags: c.LocalFlags(), Examples: c.Example,
	}
	if c.HasParent() {
		page.SeeAlso = []string{c.Parent().CommandPath()}
	}
	for _, inner := range c.Commands() {
		if hasPage(inner) {
			page.Commands = append(page.Commands, man.Verb{Command: inner.CommandPath(), Summary: inner.Short})
		}
	}
	return page
}
