// Command kafka runs brokers for tests by hand, until SIGINT or SIGTERM: scripts/kafka.sh run.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var o kafkatest.Options
	flag.IntVar(&o.Brokers, "brokers", 1, "how many brokers")
	flag.IntVar(&o.HeapMB, "heap", 512, "memory of each broker's heap in MiB")
	flag.BoolVar(&o.TLS, "tls", false, "an address with TLS, too")
	flag.BoolVar(&o.Clients, "clients", false, "with --tls, clients need a certificate")
	flag.BoolVar(&o.SASL, "sasl", false, "the second address asks for user and password, by PLAIN")
	flag.BoolVar(&o.ACL, "acl", false, "access control")
	flag.StringVar(&o.Folder, "folder", "", "for data and logs, which stay there; a temporary one otherwise")
	flag.Parse()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	c, err := kafkatest.New(o)
	if err != nil {
		return err
	}
	if o.TLS || o.SASL {
		fmt.Println("kafka: secure at", strings.Join(c.Secure(), ","))
	}
	if o.SASL {
		fmt.Printf("kafka: user %s, password %q\n", kafkatest.User, kafkatest.Password)
	}
	if o.TLS {
		fmt.Println("kafka: the authority is", filepath.Join(c.Folder(), "authority.pem"))
	}
	fmt.Println("kafka: ready at", strings.Join(c.Seeds(), ","))
	<-stop
	return c.Stop()
}
