// Package buildinfo says which dapple this program is.
package buildinfo

import (
	"fmt"
	"runtime/debug"
	"strings"
)

const module = "github.com/dapple-dp/dapple"

// Release is the version that this source is, or becomes.
const Release = "v0.1.0"

// released is set by the linker in programs that make release builds: make release VERSION=v0.1.0.
var released string

// Version returns the version of dapple that this program was built from: its own version, or the version of the
// module in a program of others. A build between releases has the commit behind the next release, as in
// v0.1.0-0.20261124180000-0123456789ab. A build that knows no commit is Release with "-development" behind it.
func Version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return development
	}
	return version(info)
}

const development = Release + "-development"

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
	if commit, ok := strings.CutPrefix(m.Version, "v0.0.0-"); ok { // Go sees no release before it
		return Release + "-0." + commit
	}
	return m.Version
}

// Commit returns the first twelve digits of the commit that this program was built from, with "+dirty" behind them if files
// had changed; empty if the build does not tell.
func Commit() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))] + commit
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += "+dirty"
		}
	}
	return commit
}

// OtherFormat is the error for a file whose format this program does not read.
type OtherFormat struct {
	Format, Reads string
	Version       string // of dapple, as the file states it; may be any text
}

func (o *OtherFormat) Error() string {
	return fmt.Sprintf("is of format %.20q%s, which reads format %s: use that version", o.Format, o.writer(), o.Reads)
}

func (o *OtherFormat) writer() string {
	if w := Written(o.Version); w != "" {
		return ", " + w
	}
	return "; this is " + Version()
}

// Written says that a file was written by another version than this, in words; empty if it was not, or if the version is
// none. The text is a file's, and is shown only if it is a version.
func Written(by string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-"
	if by == "" || by == Version() || len(by) > 80 || strings.Trim(by, plain) != "" {
		return ""
	}
	return "written by dapple " + by + "; this is " + Version()
}
