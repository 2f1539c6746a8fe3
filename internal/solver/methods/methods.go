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

// Lookup returns the method called name, with the settings in the name: see solver.Named. The error of an unknown name lists all names.
func Lookup(name string) (solver.Method, error) {
	name, settings := split(name)
	for _, m := range All() {
		switch {
		case m.Name != name:
		case settings == "":
			return m, nil
		case m.With == nil:
			return m, fmt.Errorf("methods: method %s has no settings; leave out %s", name, settings)
		default:
			return m.With([]byte(settings))
		}
	}
	return solver.Method{}, fmt.Errorf("methods: no method is called %q; there are %s", name, strings.Join(Names(), ", "))
}

// split returns a name without the settings behind it.
func split(name string) (method, settings string) {
	if at := strings.IndexByte(name, '{'); at > 0 {
		return name[:at], name[at:]
	}
	return name, ""
}
