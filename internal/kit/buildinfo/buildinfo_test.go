package buildinfo

import (
	"runtime/debug"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestVersion(t *testing.T) {
	own := debug.Module{Path: module, Version: "v0.1.0"}
	for want, info := range map[string]*debug.BuildInfo{
		"v0.1.0":                               {Main: own},
		"v0.2.0":                               {Main: debug.Module{Path: "example.com/program", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: "example.com/other", Version: "v1.0.0"}, {Path: module, Version: "v0.2.0"}}},
		development:                            {Main: debug.Module{Path: module, Version: "(devel)"}},
		"v0.1.0-0.20261124180000-0123456789ab": {Main: debug.Module{Path: module, Version: "v0.0.0-20261124180000-0123456789ab"}},
	} {
		must.Equal(t, version(info), want)
	}
	must.Hold(t, Version() != "", "a build without a version")
}
