package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

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

// hasPage reports whether a command gets a page. Help and completion are cobra's, and
// rtbwire-gen(1) documents the program that the verb gen points to.
func hasPage(c *cobra.Command) bool {
	return c.IsAvailableCommand() && !slices.Contains([]string{"help", "completion", "gen"}, c.Name())
}

// pageOf describes a command.
func pageOf(c *cobra.Command) *man.Page {
	page := &man.Page{
		Command: c.CommandPath(), Summary: c.Short, Usage: c.UseLine(),
		Text: c.Long, Flags: c.LocalFlags(), Examples: c.Example,
	}
	if c.HasParent() {
		page.SeeAlso = []string{c.Parent().CommandPath()}
	} else {
		page.Usage += " COMMAND"
		page.SeeAlso = []string{"rtbwire-gen"}
	}
	for _, inner := range c.Commands() {
		if hasPage(inner) {
			page.Commands = append(page.Commands, man.Verb{Command: inner.CommandPath(), Summary: inner.Short})
		}
	}
	return page
}
