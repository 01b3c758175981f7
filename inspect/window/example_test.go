package window_test

import (
	"fmt"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/openrtb"
)

func ExampleWindows_Fill() {
	windows, err := window.New(window.Options{
		Partners: map[string]window.Partner{"exchange-a": {Limits: window.Limits{IFAs: 100_000, Addresses: 100_000, IDs: 1_000_000}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &openrtb.BidRequest{
		ID:     "1",
		Device: &openrtb.Device{IFA: "6d92078a-8246-4ba4-ae5b-76104861e7dc", IP: "198.51.100.7"},
	}
	for range 3 {
		f := rule.Facts{Partner: "exchange-a", Time: time.Now()}
		windows.Fill(&f, request, window.Delivery{})
		fmt.Println(f.Seen, f.Counts.IFA, f.Counts.Address)
	}
	// Output:
	// false 1 1
	// true 2 2
	// true 3 3
}

func ExampleWindows_Observe_stream() {
	windows, err := window.New(window.Options{EventTime: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &openrtb.BidRequest{ID: "1", Device: &openrtb.Device{IP: "2001:db8::1"}}
	happened := time.Unix(1_800_000_000, 0)
	record := window.Delivery{Topic: "requests", Partition: 3, Offset: 42}
	fmt.Printf("%+v\n", windows.Observe("", request, happened, record))
	fmt.Printf("%+v\n", windows.Observe("", request, happened, record))
	record.Offset++
	fmt.Printf("%+v\n", windows.Observe("", request, happened.Add(time.Second), record))
	// Output:
	// {Seen:false Redelivered:false Counts:{IFA:0 Address:1}}
	// {Seen:false Redelivered:true Counts:{IFA:0 Address:1}}
	// {Seen:true Redelivered:false Counts:{IFA:0 Address:2}}
}

func ExampleOptions_Bytes() {
	bytes, err := window.Options{
		Partners: map[string]window.Partner{"exchange-a": {Limits: window.Limits{IDs: 10_000_000}}},
	}.Bytes()
	fmt.Println(bytes>>20, "MiB", err)
	_, err = window.Options{Window: time.Hour, IDWindow: time.Hour}.Bytes()
	fmt.Println(err)
	// Output:
	// 181 MiB <nil>
	// window of ids of 1h0m0s: expected 2h0m0s, twice the window, to 24h0m0s
}

func ExampleWindows_Reconfigure() {
	options := window.Options{Partners: map[string]window.Partner{"exchange-a": {}}}
	windows, err := window.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &openrtb.BidRequest{ID: "1"}
	windows.Observe("exchange-a", request, time.Now(), window.Delivery{})

	options.Partners = map[string]window.Partner{"exchange-a": {}, "exchange-b": {}}
	windows, err = windows.Reconfigure(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, partner := range []string{"exchange-a", "exchange-b"} {
		fmt.Println(partner, windows.Observe(partner, request, time.Now(), window.Delivery{}).Seen)
	}
	// Output:
	// exchange-a true
	// exchange-b false
}

func ExampleWindows_Stats() {
	windows, err := window.New(window.Options{Shared: window.Limits{IDs: 100}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range 1000 {
		windows.Observe("", &openrtb.BidRequest{ID: fmt.Sprint(n)}, time.Now(), window.Delivery{})
	}
	fmt.Println("the table is too small:", windows.Stats("").Forgotten.IDs > 500)
	// Output: the table is too small: true
}

func ExampleOptions_Reaches() {
	reaches, err := window.Options{
		Partners: map[string]window.Partner{"exchange-a": {Rate: 20_000}, "exchange-b": {Rate: 100}},
	}.Reaches()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range reaches {
		fmt.Printf("%q: %d ids, those of %v\n", r.Partner, r.IDs, r.Time)
		if r.Short {
			fmt.Printf("all of %v are %d ids, %d MiB\n", r.Window, r.Need, r.Bytes>>20)
		}
	}
	// Output:
	// "exchange-a": 494288 ids, those of 24.7144s
	// all of 10m0s are 12000000 ids, 174 MiB
	// "exchange-b": 60000 ids, those of 10m0s
}
