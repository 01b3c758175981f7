package judge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate/judge"
)

// How much of what is planted does the default configuration refuse?
func ExampleRun() {
	g, err := simulate.New(simulate.Config{Seed: 26, Defects: simulate.Percent(10)})
	if err != nil {
		log.Fatal(err)
	}
	engine, err := inspect.New(inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	table, err := judge.Run(context.Background(), g, engine, judge.Options{Count: 10_000})
	if err != nil {
		log.Fatal(err)
	}
	clean, defects := table.Class(simulate.Clean), table.Class(simulate.Defect)
	fmt.Println("wrongly refused:", clean.Refused)
	fmt.Println("most defects are refused:", defects.Refused > defects.Requests*8/10)
	// Output:
	// wrongly refused: 0
	// most defects are refused: true
}
