package guard_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

// A server behind a guard. Of the two requests on the connection, net/http would accept both.
func Example() {
	g, err := guard.New(guard.Options{
		BodyBytes: 64 << 10,
		OnRefuse:  func(code string, status int) { fmt.Println("refused:", code, status) },
	})
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Printf("%s %s %q\n", r.Method, r.URL.Path, body)
		}),
		ReadHeaderTimeout: guard.DefaultIdleTimeout, // the guard's deadlines are earlier
	}
	go func() { _ = server.Serve(g.Listener(l)) }()
	defer server.Close()

	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(c, "POST /one HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n\r\n{}")
	fmt.Fprint(c, "POST /two HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
	for r := bufio.NewReader(c); ; {
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			break // the guard has closed the connection
		}
		fmt.Println(answer.Status)
		_ = answer.Body.Close()
	}
	// Unordered output:
	// POST /one "{}"
	// refused: framing.length-and-encoding 400
	// 200 OK
	// 400 Bad Request
}

// Read hands on one message at a time, and knows when its first byte came.
func ExampleGuard_Conn() {
	g, err := guard.New(guard.Options{})
	if err != nil {
		log.Fatal(err)
	}
	client, server := net.Pipe()
	go func() {
		fmt.Fprint(client, "GET /one HTTP/1.0\r\n\r\nGET /two HTTP/1.0\r\n\r\n")
		_ = client.Close()
	}()
	c := g.Conn(server)
	p := make([]byte, 4096)
	n, err := c.Read(p)
	fmt.Printf("%q %v\n", p[:n], err)
	fmt.Println(c.BytesRead(), c.Unread())
	// Output:
	// "GET /one HTTP/1.0\r\n\r\n" <nil>
	// 21 false
}
