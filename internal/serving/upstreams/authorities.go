package upstreams

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// authoritiesMax is how long files of authorities may be together, in bytes.
const authoritiesMax = 4 << 20

// Authorities reads files of certificates.
func Authorities(files []string) (string, error) {
	var all strings.Builder
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(&all, io.LimitReader(file, authoritiesMax+1))
		_ = file.Close() // nothing was written
		if err != nil {
			return "", err
		}
		if all.Len() > authoritiesMax {
			return "", fmt.Errorf("%s: the authorities of upstreams have more than %d bytes", name, authoritiesMax)
		}
		all.WriteByte('\n')
	}
	return all.String(), nil
}
