package config_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
)

func ExampleParse() {
	text := `version: 1
schema: {preset: exchange}
rules:
  - name: blocked-site
    when: site.domain == "blocked.example"
    severity: refuse
    nbr: 7
`
	c, problems := config.Parse("rtbwire.yaml", text, config.Options{Conditions: &config.CEL{}})
	if err := problems.Err(); err != nil {
		fmt.Println(err)
		return
	}
	own := inspect.Configured(&c.Scope)
	_, err := inspect.New(own)
	fmt.Println(own.Preset, own.Global.Rules[0].Name, own.Global.Rules[0].NBR, err)
	// Output: exchange blocked-site blocked publisher or site <nil>
}

func ExampleParse_problems() {
	text := `version: 1
rules:
  - name: blocked-site
    wen: site.domain == "blocked.example"
    severity: refuse
`
	_, problems := config.Parse("rtbwire.yaml", text, config.Options{})
	fmt.Println(problems.Err())
	// Output:
	// rtbwire.yaml:4:5: unknown key "wen" (did you mean "when"?)
	//   4 |     wen: site.domain == "blocked.example"
	//     |     ^^^
}
