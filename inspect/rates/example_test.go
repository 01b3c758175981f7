package rates_test

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/rates"
)

func ExampleRead() {
	table, err := rates.Read(strings.NewReader("EUR,1.08\nJPY,0.0065\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	floor, known := table.USD(2.5, "EUR")
	fmt.Printf("%.2f %v\n", floor, known)
	_, known = table.USD(2.5, "CHF")
	fmt.Println(known)
	_, err = rates.Read(strings.NewReader("EUR,1.08\neuro,1.08\n"))
	fmt.Println(err)
	// Output:
	// 2.70 true
	// false
	// line 2: expected a currency code of ISO 4217 such as EUR
}
