package native_test

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/wire"
)

// A bidder reads the native request of an impression and answers in the same form.
func Example() {
	request, err := openrtb.Parse([]byte(`{"id":"1","imp":[{"id":"1","native":{
		"request":"{\"native\":{\"ver\":\"1.2\",\"assets\":[{\"id\":7,\"required\":1,\"title\":{\"len\":25}}]}}"}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	imp := &request.Imp[0]
	asked, wrapper, err := native.RequestOf(imp.Native)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(asked.Ver, wrapper)

	answer := native.Response{Link: &native.Link{URL: "https://brand.example/?a=1&b=2"}}
	for _, asset := range asked.Assets {
		if asset.Title != nil {
			answer.Assets = append(answer.Assets, native.AssetResponse{
				ID:    asset.ID,
				Title: &native.TitleResponse{Text: "Fits into 25 characters"},
			})
		}
	}
	bid := openrtb.Bid{ID: "1", ImpID: imp.ID, Price: new(1.25), MType: new(adcom.MarkupTypeNative)}
	if bid.AdM, err = answer.Encode(wrapper); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bid.AdM)
	// Output:
	// 1.2 wrapped
	// {"native":{"assets":[{"id":7,"title":{"text":"Fits into 25 characters"}}],"link":{"url":"https://brand.example/?a=1&b=2"}}}
}

func ExampleParseRequest() {
	r, wrapper, err := native.ParseRequest(`{"ver":"1.2","context":1,"assets":[{"id":1,"img":{"type":3,"wmin":836}}]}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(wrapper, *r.Context, *r.Asset(1).Img.Type, *r.Asset(1).Img.WMin)
	// Output:
	// bare content centric main image 836
}

// An error points into the embedded text.
func ExampleParseRequest_error() {
	_, _, err := native.ParseRequest(`{"native":{"assets":[{"id":"1"}]}}`)
	if e, ok := errors.AsType[*wire.Error](err); ok {
		fmt.Println(e.Code, e.Offset, e.Path)
	}
	// Lenient mode repairs mistakes of real senders.
	r, _, err := native.ParseRequest(`{"native":{"assets":[{"id":"1"}]}}`, wire.Lenient())
	fmt.Println(*r.Assets[0].ID, err)
	// Output:
	// type 27 /native/assets/0/id
	// 1 <nil>
}

func ExampleParseResponse() {
	r, wrapper, err := native.ParseResponse(`{"native":{"link":{"url":"https://brand.example"},"assets":[{"id":1,"data":{"value":"Brand"}}]}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(wrapper, r.Link.URL, r.Asset(1).Data.Value)
	// Output:
	// wrapped https://brand.example Brand
}

// A bid without adm has its ad in the answer to the win notice.
func ExampleResponseOf() {
	_, _, err := native.ResponseOf(&openrtb.Bid{ID: "1", NURL: "https://bidder.example/win"})
	fmt.Println(errors.Is(err, wire.CodeEmpty))

	_, _, err = native.ResponseOf(&openrtb.Bid{ID: "1", AdM: "<VAST>"})
	fmt.Println(err)
	// Output:
	// true
	// native: in the text of adm: document (byte 0): expected value, found invalid character
}

// An exchange writes the form that the version requires.
func ExampleRequest_Encode() {
	r := native.Request{Ver: "1.0", Assets: []native.AssetRequest{{ID: new(1), Title: &native.TitleRequest{Len: new(90)}}}}
	n := openrtb.Native{Ver: r.Ver}
	var err error
	n.Request, err = r.Encode(native.WrapperOf(n.Ver))
	fmt.Println(n.Request, err)
	// Output:
	// {"native":{"ver":"1.0","assets":[{"id":1,"title":{"len":90}}]}} <nil>
}
