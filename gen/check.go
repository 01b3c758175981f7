package gen

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// compile type-checks the package with src in it. What a user declares may have a name that the
// generated code uses: a type named len, a package-level name that an import has, a method of a
// root. Better to say so here than to leave a file that does not compile.
func compile(c Config, src []byte) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	path := filepath.Join(dir, c.Output)
	pkgs, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedImports | packages.NeedFiles | packages.NeedExportFile,
		Dir:     dir,
		Overlay: map[string][]byte{path: src},
	}, ".")
	if err != nil {
		return fmt.Errorf("gen: checking the generated code: %w", err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			// Errors elsewhere are the user's, and an import that is missing is added by go mod tidy.
			at, inOutput := strings.CutPrefix(e.Pos, path+":")
			if !inOutput && strings.Contains(e.Msg, path) { // declared again in another file
				inOutput, at = true, ""
			}
			if !inOutput || e.Kind != packages.TypeError || strings.HasPrefix(e.Msg, "could not import") {
				continue
			}
			return fmt.Errorf("gen: the generated code would not compile in package %s: %s\n%s"+
				"a name that the package declares is probably also one of the generated code's: rename it, or generate into a package of its own",
				p.Name, e.Msg, lineAt(src, at))
		}
	}
	return nil
}

// lineAt returns the line of src at a position like 12:5.
func lineAt(src []byte, at string) string {
	var line int
	if _, err := fmt.Sscanf(at, "%d", &line); err != nil { // no position in src
		return ""
	}
	lines := strings.Split(string(src), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return fmt.Sprintf("\t%d: %s\n", line, strings.TrimSpace(lines[line-1]))
}
