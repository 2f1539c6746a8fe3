package methods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/solver"
)

// All returns every method, in the order in which a plan lists them: this module's own, then others as
// they were registered.
func All() []solver.Method {
	list := solver.Methods()
	return slices.Concat(list[others:others+builtin], list[:others], list[others+builtin:])
}

// Names returns the names of all methods, in the order of All.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}

// Lookup returns the method called name. The error of an unknown name lists all names.
func Lookup(name string) (solver.Method, error) {
	for _, m := range All() {
		if m.Name == name {
			return m, nil
		}
	}
	return solver.Method{}, fmt.Errorf("methods: no method is called %q; there are %s", name, strings.Join(Names(), ", "))
}
