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

// addPage adds the files of the page. whole says that they are all wanted; otherwise its style and
// icon are.
func addPage(mux *http.ServeMux, whole bool) {
	entries, err := pageFiles.ReadDir("page")
	if err != nil {
		panic(err) // not reached: they are in the program
	}
	for _, entry := range entries {
		name := entry.Name()
		if ext := path.Ext(name); !whole && ext != ".css" && ext != ".svg" {
			continue
		}
		data, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err) // not reached
		}
		pattern := "GET /page/" + name
		if name == "index.html" {
			pattern = "GET /{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", pageTypes[path.Ext(name)])
			_, _ = w.Write(data) // whoever asked is gone
		})
	}
}
