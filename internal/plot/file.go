package plot

import "strings"

// style has the colors of a file of its own, for light and dark pages. Families that are not named
// are gray.
const style = `<style>
svg { color: #6b7280; } text { font: 11px system-ui, sans-serif; fill: #5b6570; } .axis { font-size: 12px; fill: #1c2128; } .grid { stroke: #d9dee3; }
path { fill: none; stroke: currentColor; stroke-width: 1.6; } circle { fill: currentColor; } text.name { fill: currentColor; font-weight: 600; }
.f-rtbwire { color: #0b6bcb; } .f-fasthttp { color: #2c7a4b; } .f-nginx { color: #7a4fc9; } .f-haproxy { color: #b02a5b; } .f-reverseproxy { color: #8a6d00; } .f-json { color: #b3541e; } .f-gojson { color: #0f766e; }
@media (prefers-color-scheme: dark) { svg { color: #a8b0ba; } text { fill: #9aa5b0; } .axis { fill: #e3e8ed; } .grid { stroke: #333b44; }
.f-rtbwire { color: #5aa9f5; } .f-fasthttp { color: #6fc592; } .f-nginx { color: #b79bf2; } .f-haproxy { color: #ef86ad; } .f-reverseproxy { color: #d9bb4a; } .f-json { color: #e9975f; } .f-gojson { color: #52c7bb; } }
</style>`

// File draws the plot as an SVG file of its own; "" without a point.
func (p *Plot) File() string {
	head, rest, ok := strings.Cut(string(p.SVG()), ">")
	if !ok {
		return ""
	}
	return strings.Replace(head, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1) + ">" + style + rest + "\n"
}
