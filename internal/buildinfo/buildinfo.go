// Package buildinfo says which dapple this program is.
package buildinfo

import "runtime/debug"

const module = "github.com/dapple-dp/dapple"

// Version returns the version of dapple that this program was built from: that of the program itself, or that of the
// module in a program of others. It is "development" if the build does not tell.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return development
	}
	return version(info)
}

const development = "development"

func version(info *debug.BuildInfo) string {
	m := &info.Main
	if m.Path != module {
		for _, d := range info.Deps {
			if d.Path == module {
				m = d
			}
		}
	}
	if m.Version == "" || m.Version == "(devel)" {
		return development
	}
	return m.Version
}
