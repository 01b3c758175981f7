package admin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
)

func Example() {
	g, err := gateway.New(gateway.Options{Upstreams: gateway.At("http://127.0.0.1:9000")})
	if err != nil {
		panic(err)
	}
	pages, err := admin.New(g, admin.Options{Version: "v1.0.0", Tokens: []string{"a-token-hard-to-guess"}})
	if err != nil {
		panic(err)
	}
	defer pages.Close()
	// pages.Serve(listener) serves on a port of its own. Here its handler is asked.
	for _, token := range []string{"", "a-token-hard-to-guess"} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8081/version", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		pages.Handler().ServeHTTP(w, r)
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 401 a token is missing or wrong
	// 200 v1.0.0
}
