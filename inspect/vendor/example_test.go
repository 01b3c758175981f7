package vendor_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/openrtb"
)

// length is a service in the same process: a long user agent is suspicious.
type length struct{}

func (length) Name() string { return "length" }

func (length) Question(dst []byte, r *openrtb.BidRequest, _ *rule.Facts) ([]byte, bool) {
	if r.Device == nil {
		return dst, false
	}
	return append(dst, r.Device.UA...), true // a copy
}

func (length) Ask(_ context.Context, question []byte) (int, error) {
	return min(len(question)/10, vendor.ScoreMax), nil
}

// stuck is a service that never answers in time.
type stuck struct{ length }

func (stuck) Name() string { return "stuck" }

func (stuck) Ask(ctx context.Context, _ []byte) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func ExampleGroup_Ask() {
	group, err := vendor.NewGroup(
		vendor.Member{Vendor: length{}, Deadline: time.Second},
		vendor.Member{Vendor: stuck{}, Fail: vendor.Closed}, // 5 ms
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	var worker inspect.Worker
	body := []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"},"device":{"ua":"Mozilla/5.0 (X11; Linux)"}}`)
	facts := inspect.Facts{}
	if worker.Decode(body) == nil {
		facts.Vendor = group.Ask(context.Background(), nil, worker.Request(), &facts)
	}
	fmt.Println(worker.Judge(facts).Action)
	for _, a := range facts.Vendor {
		fmt.Println(a.Name, a.Score, a.Err)
	}
	for _, s := range group.Stats() {
		fmt.Println(s.Name, "asked", s.Asked, "answered", s.Answered, "late", s.Late)
	}
	// Output:
	// forward
	// length 2 false
	// stuck 100 true
	// length asked 1 answered 1 late 0
	// stuck asked 1 answered 0 late 1
}

func ExampleNewHTTP() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		fmt.Println(r.Header.Get("Authorization"), string(question))
		fmt.Fprint(w, `{"score": 42}`)
	}))
	defer service.Close()

	h, err := vendor.NewHTTP(vendor.HTTPOptions{
		Name: "ivt", URL: service.URL,
		Fields: []vendor.Field{vendor.IP, vendor.Bundle},
		Header: http.Header{"Authorization": {"Bearer key"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	group, err := vendor.NewGroup(vendor.Member{Vendor: h, Deadline: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &openrtb.BidRequest{Device: &openrtb.Device{IP: "192.0.2.1", UA: "not sent"}, App: &openrtb.App{Bundle: "com.example"}}
	fmt.Printf("%+v\n", group.Ask(context.Background(), nil, r, nil))
	// Output:
	// Bearer key {"bundle":"com.example","ip":"192.0.2.1"}
	// [{Name:ivt Score:42 Err:false}]
}
