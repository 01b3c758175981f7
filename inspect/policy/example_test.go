package policy_test

import (
	"fmt"
	"log"

	"github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

type domains map[string]bool

func (d domains) Match(v string) bool { return d[v] }

func ExampleEnv_Compile() {
	env, err := policy.NewEnv(policy.Options{
		Lists: map[string]policy.Matcher{"blocked": domains{"bad.example": true}},
		Rates: map[string]float64{"EUR": 1.08},
	})
	if err != nil {
		log.Fatal(err)
	}
	floor, issues := env.Compile(`site.domain in lists.blocked || imp.exists(i, usd(i.bidfloor, i.bidfloorcur) < 0.1)`)
	if issues != nil {
		log.Fatal(issues)
	}
	request, err := openrtb.Parse([]byte(`{"id":"1","imp":[{"id":"1","bidfloor":0.09,"bidfloorcur":"EUR"}],"site":{"domain":"good.example"}}`))
	if err != nil {
		log.Fatal(err)
	}
	var scratch rule.Scratch // one for each goroutine
	fmt.Println(floor.Holds(&rule.Input{Request: request, Facts: &rule.Facts{}, Scratch: &scratch}))

	_, issues = env.Compile(`imp.exists(i, i.bidflor < 0.1)`)
	fmt.Println(issues[0].Offset, issues[0])
	// Output:
	// true <nil>
	// 16 unknown field bidflor of imp (did you mean bidfloor?)
}
