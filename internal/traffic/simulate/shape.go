package simulate

import (
	"fmt"
	"strings"
)

// Shape is a mix of requests by channel, format and size.
type Shape uint8

// The shapes.
const (
	Mixed  Shape = iota // formats and sizes of the shipped corpus
	Full                // the same formats, with what live exchanges send
	Banner              // banners on websites
	App                 // apps on phones and tablets
	CTV                 // films and series on television, with pods
	shapes
)

// format is a set of the formats of an impression.
type format uint8

const (
	fmtBanner format = 1 << iota
	fmtVideo
	fmtAudio
	fmtNative
)

// channel is where the advertisement is shown.
type channel uint8

const (
	onSite channel = iota
	inApp
	onTV
	outside
)

// slot is a kind of request.
type slot struct {
	channel channel
	formats format
	weight  int
}

// shape is what a Shape means. Weights of details are in the order of [detail].
type shape struct {
	name, about string
	slots       []slot
	details     []int
}

var allSlots = []slot{
	{onSite, fmtBanner, 41},
	{onSite, fmtVideo, 11},
	{onSite, fmtNative, 8},
	{onSite, fmtBanner | fmtVideo, 5},
	{onSite, fmtAudio, 1},
	{inApp, fmtBanner, 14},
	{inApp, fmtVideo, 8},
	{inApp, fmtNative, 2},
	{inApp, fmtBanner | fmtVideo, 3},
	{inApp, fmtAudio, 2},
	{onTV, fmtVideo, 3},
	{outside, fmtBanner, 1},
	{outside, fmtVideo, 1},
}

var shapeTable = [shapes]shape{
	Mixed:  {"mixed", "formats and sizes of the shipped corpus", allSlots, []int{56, 15, 25, 3, 1}},
	Full:   {"full", "the same formats, with all that live exchanges send", allSlots, []int{0, 0, 10, 60, 30}},
	Banner: {"banner", "banners on websites", []slot{{onSite, fmtBanner, 1}}, []int{0, 10, 60, 30, 0}},
	App:    {"app", "apps on phones and tablets, several impressions", []slot{{inApp, fmtBanner, 6}, {inApp, fmtVideo, 2}, {inApp, fmtBanner | fmtVideo, 1}, {inApp, fmtNative, 1}}, []int{0, 0, 10, 50, 40}},
	CTV:    {"ctv", "films and series on television, with pods", []slot{{onTV, fmtVideo, 1}}, []int{0, 0, 10, 45, 45}},
}

// Shapes returns all shapes.
func Shapes() []Shape {
	list := make([]Shape, shapes)
	for i := range list {
		list[i] = Shape(i)
	}
	return list
}

// ParseShape returns the shape of a name.
func ParseShape(name string) (Shape, error) {
	names := make([]string, shapes)
	for i := range shapeTable {
		if names[i] = shapeTable[i].name; names[i] == name {
			return Shape(i), nil
		}
	}
	return 0, fmt.Errorf("unknown shape %q (want %s)", name, strings.Join(names, ", "))
}

// String returns the shape's name.
func (s Shape) String() string {
	if s < shapes {
		return shapeTable[s].name
	}
	return fmt.Sprintf("Shape(%d)", s)
}

// About returns what the shape is, in a few words.
func (s Shape) About() string { return shapeTable[s].about }

// size is the width and height of an advertisement.
type size struct{ w, h int }

// bannerSizes are sizes by class of device: the first is asked for alone, the others with it.
var bannerSizes = [classes][][]size{
	phone: {
		{{320, 50}, {300, 50}}, {{300, 250}, {320, 50}, {320, 100}}, {{320, 50}},
		{{300, 250}}, {{320, 100}, {320, 50}}, {{320, 480}},
	},
	tablet:   {{{728, 90}, {468, 60}}, {{300, 250}}, {{768, 1024}}, {{300, 250}, {728, 90}}},
	computer: {{{300, 250}, {336, 280}, {300, 600}}, {{728, 90}, {970, 90}, {970, 250}}, {{160, 600}}, {{300, 250}}, {{300, 600}, {160, 600}, {120, 600}}},
	outdoor:  {{{1080, 1920}}, {{1920, 1080}}, {{1400, 400}}},
}

// videoSizes are the sizes of players by class of device.
var videoSizes = [classes][]size{
	phone:      {{320, 480}, {480, 320}, {640, 360}, {360, 640}},
	tablet:     {{768, 1024}, {1024, 768}, {640, 360}},
	computer:   {{640, 360}, {640, 480}, {1280, 720}, {400, 225}},
	television: {{1920, 1080}, {1280, 720}, {3840, 2160}},
	outdoor:    {{1080, 1920}, {1920, 1080}},
}
