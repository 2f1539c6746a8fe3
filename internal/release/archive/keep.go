// Package archive is the store of releases in a directory, by which workers find one.
package archive

import (
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// kind is the name under which workers find the store.
const kind = "directory"

func init() {
	synth.RegisterStore(kind, func(dir string) (synth.Store, error) { return Open(dir), files.CheckName(dir) })
}

// In returns the reference to the store in a directory.
func In(dir string) synth.StoreRef { return synth.StoreRef{Kind: kind, Config: dir} }

// Open returns the store in a directory of this machine, or of a place that is registered with package files.
func Open(dir string) synth.Store {
	if files.Remote(dir) {
		return store.Objects{Dir: dir}
	}
	return store.Local{Dir: dir}
}
