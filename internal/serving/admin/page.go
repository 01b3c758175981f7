package admin

import (
	"embed"
	"net/http"
	"path"
)

// pageFiles is the page: HTML, CSS, scripts and an icon. It loads nothing else.
//
//go:embed page
var pageFiles embed.FS

var pageTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// The pages.
const (
	servicePage    = "index.html"
	playgroundPage = "playground.html"
)

// addPage adds a page with its files.
func addPage(mux *http.ServeMux, page string) {
	entries, err := pageFiles.ReadDir("page")
	if err != nil {
		panic(err) // not reached: they are in the program
	}
	for _, entry := range entries {
		name := entry.Name()
		if ext := path.Ext(name); ext == ".html" && name != page {
			continue
		}
		data, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err) // not reached
		}
		pattern := "GET /page/" + name
		if name == page {
			pattern = "GET /{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", pageTypes[path.Ext(name)])
			_, _ = w.Write(data) // whoever asked is gone
		})
	}
}
