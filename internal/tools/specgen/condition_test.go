package main

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// TestCondition shows the Go of each form of condition.
func TestCondition(t *testing.T) {
	s := load(t).OpenRTB
	for _, c := range []struct {
		object, text string
		level        int
		known        []string
		want         string
	}{
		{"Video", "w present", orTerm, nil, "v.W != nil"},
		{"Video", "w absent", orTerm, nil, "v.W == nil"},
		{"Site", "page present", orTerm, nil, `v.Page != ""`},
		{"DOOH", "venuetype absent", orTerm, nil, "len(v.VenueType) == 0"},
		{"BidRequest", "imp sent", orTerm, nil, "v.Imp != nil"},
		{"Source", "ext.schain present", orTerm, nil, `hasKey(v.Ext, "schain")`},
		{"Source", "ext.schain absent", orTerm, nil, `!hasKey(v.Ext, "schain")`},
		{"Regs", "request.user.ext.consent present", orTerm, nil, `c.at.request.User != nil && hasKey(c.at.request.User.Ext, "consent")`},
		{"Deal", "imp.video present", orTerm, nil, "c.at.imp.Video != nil"},
		{"BidRequest", "tmax < 0", orTerm, []string{"tmax"}, "*v.TMax < 0"},
		{"BidRequest", "tmax < 0", orTerm, nil, "v.TMax != nil && *v.TMax < 0"},
		{"BidRequest", "tmax >= -1", orTerm, []string{"tmax"}, "*v.TMax >= -1"},
		{"Bid", "price == 0.5", orTerm, []string{"price"}, "*v.Price == 0.5"},
		{"Bid", "price == 0", orTerm, nil, "is(v.Price, 0)"},
		{"Geo", `country != "USA"`, orTerm, nil, `v.Country != "USA"`},
		{"EID", "mm in (3, 4)", orTerm, nil, "is(v.MM, 3) || is(v.MM, 4)"},
		{"EID", "mm in (3, 4)", andTerm, nil, "(is(v.MM, 3) || is(v.MM, 4))"},
		{"EID", "not mm in (3, 4)", andTerm, nil, "!(is(v.MM, 3) || is(v.MM, 4))"},
		{"Video", "w present or h present and skip == 1", orTerm, nil, "v.W != nil || v.H != nil && is(v.Skip, 1)"},
		{"Video", "(w present or h present) and skip == 1", orTerm, nil, "(v.W != nil || v.H != nil) && is(v.Skip, 1)"},
		{"Video", "not (w present)", andTerm, nil, "!(v.W != nil)"},
		{"Video", "not skip == 1", andTerm, nil, "!is(v.Skip, 1)"},
		{"Format", "unpaired(w, h)", andTerm, nil, "(v.W == nil) != (v.H == nil)"},
		{"Content", "not listed(gtax)", andTerm, []string{"gtax"}, "!v.GTax.Valid()"},
		{"Imp", "seconds(dt)", andTerm, []string{"dt"}, "looksLikeSeconds(*v.DT)"},
		{"Device", "digits(mccmnc)", andTerm, nil, "digits.all(v.MCCMNC)"},
		{"Banner", "not inside(companionad)", andTerm, nil, "!c.at.companion"},
		{"Geo", "screen()", andTerm, nil, "geoOfScreen(c, v)"},
	} {
		g := &checkGen{spec: s, object: s.Object(c.object)}
		var known []*spec.Field
		for _, name := range c.known {
			known = append(known, g.field(name))
		}
		if got := g.condition(c.text, c.level, known...); got != c.want {
			t.Errorf("%s: %s:\n got %s\nwant %s", c.object, c.text, got, c.want)
		}
	}
}

// TestConditionErrors shows what a person reads who has mistyped a condition.
func TestConditionErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `expected a field, found ""`},
		{"tmax", `expected present, absent, sent, in or a comparison, found ""`},
		{"tmax present tmax", `expected the end, found "tmax"`},
		{"tmax < x", `expected a number or a string, found "x"`},
		{"tmax <", `expected a number or a string, found ""`},
		{"(tmax present", `expected ), found ""`},
		{"tmax in 3", `expected (, found "3"`},
		{"tmacks present", "BidRequest has no field tmacks"},
		{"user.name present", "User has no field name"},
		{"imp.id present", "imp is not an object"},
		{"device.w absent", "absence is for members of the object itself"},
		{"seconds(tmax)", "seconds needs a field that the rule has found present"},
		{"minutes(tmax)", "expected another function"},
		{"unpaired(tmax)", "expected another function, or other arguments"},
		{"# present", `expected a field, found "#"`},
	} {
		d := load(t)
		d.OpenRTB.Silences[4].When = c.text // of BidRequest.tmax.positive
		if c.text == "" {
			d.OpenRTB.Silences[4].When = " "
		}
		d.OpenRTB.Rule("BidRequest.tmax.positive").Check.Op = "together"
		d.OpenRTB.Rule("BidRequest.tmax.positive").Check.Fields = []string{"test", "at"}
		if _, err := generate(d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestSilencesAreGenerated checks that a silence can't be without effect.
func TestSilencesAreGenerated(t *testing.T) {
	for _, rule := range []string{"any.type", "any.empty-array", "SeatBid.bid.min", "Bid.price.floor"} {
		d := load(t)
		d.OpenRTB.Silences = append(d.OpenRTB.Silences, &spec.Silence{Rule: rule, YieldsTo: "json.syntax"})
		if _, err := generate(d); err == nil || !strings.Contains(err.Error(), "the silence of "+rule+" is not generated") {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
