// Package anyuser lets a program with Apache Beam start under a user ID that has no name, as in many containers.
//
// Beam asks for the current user while packages are initialised, and panics if it has no name. Without cgo, or with the
// build tag osusergo, Go takes the name and the home of such a user from USER and HOME; with cgo nothing helps. Packages
// are initialised in the order of their import paths as soon as their imports are. So this one, which needs os alone,
// comes before net/http, and Beam's package after it.
package anyuser

import "os"

// init fills in what is missing, as container runtimes do: nothing lies in / that others could have planted there.
func init() {
	for name, value := range map[string]string{"USER": "dapple", "HOME": "/"} {
		if os.Getenv(name) == "" {
			_ = os.Setenv(name, value) // fails for malformed names only
		}
	}
}
