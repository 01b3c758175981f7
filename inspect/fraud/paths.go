package fraud

import "strconv"

// pathsKept is how many impressions have their paths ready. Of the others the path is made when it
// is needed.
const pathsKept = 32

var impPaths = func() (paths [pathsKept]string) {
	for i := range paths {
		paths[i] = "/imp/" + strconv.Itoa(i)
	}
	return paths
}()

// impPath returns the JSON Pointer of an impression.
func impPath(i int) string {
	if i < len(impPaths) {
		return impPaths[i]
	}
	return "/imp/" + strconv.Itoa(i)
}
