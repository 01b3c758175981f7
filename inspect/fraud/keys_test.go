package fraud

import (
	"reflect"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

func TestConfigured(t *testing.T) {
	if got := Configured(settingtest.MustParse(t, "{}")); !reflect.DeepEqual(got, Settings{Threshold: ThresholdDefault}) {
		t.Errorf("the defaults are %+v", got)
	}
	c := settingtest.MustParse(t, `
fraud: {datacenters: d, blocked_nodes: b, limits: {ifa: 5, floor: 1.5}, threshold: 9, weights: {address.private: 7}}
partners: {p: {direct: true, systems: [a.example], fraud: {threshold: 8}, publishers: {u: {fraud: {weights: {address.private: 0}}}}}}
`)
	yes := true
	for i, want := range []Settings{
		{Threshold: 9, Weights: map[string]int{"address.private": 7}},
		{Threshold: 8, Direct: &yes, Systems: []string{"a.example"}},
		{Weights: map[string]int{"address.private": 0}},
	} {
		if got := Configured(c.Layers()[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("layer %d: %+v, want %+v", i, got, want)
		}
	}
	if l := ConfiguredLimits(c); l.IFA != 5 || l.Floor != 1.5 || l.Address != AddressDefault || l.TMaxMax != TMaxMaxDefault {
		t.Errorf("limits %+v", l)
	}
	var d Data
	list := ConfiguredLists(c, &d)
	if len(list) != 2 || list[0].Name.Name != "d" || list[0].Addresses != &d.DataCenters || list[1].Key != "blocked_nodes" || list[1].Nodes != &d.BlockedNodes {
		t.Errorf("lists %+v", list)
	}
}

// TestUnseen warns of weights above 0 of signals that lack all that they could need.
func TestUnseen(t *testing.T) {
	c := settingtest.MustParse(t, "{fraud: {weights: {address.proxy: 5, address.datacenter: 5, supply.blocked: 0}}}")
	var got []string
	Unseen(c, func(need string) bool { return need == "fraud.datacenters" }, func(at setting.Place, format string, args ...any) {
		got = append(got, at.Problem("", format).Summary(), args[0].(string))
	})
	if want := []string{"x.yaml:1:20: %s is never seen: it needs %s", "address.proxy"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSettingsValidate(t *testing.T) {
	for _, c := range []struct {
		s  Settings
		ok bool
	}{
		{Settings{}, true}, {Settings{Threshold: ScoreMax, Systems: []string{"a.example"}}, true}, {Settings{Threshold: ScoreMax + 1}, false},
		{Settings{Threshold: -1}, false}, {Settings{Weights: map[string]int{"none": 1}}, false}, {Settings{Systems: []string{"x"}}, false},
	} {
		if err := c.s.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
}
