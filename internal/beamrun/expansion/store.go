package expansion

import (
	"github.com/dapple-dp/dapple/internal/release/store"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// storeKind is the name under which workers find the store of a release: the directory that the caller names.
const storeKind = "expansion"

func init() {
	synth.RegisterStore(storeKind, func(dir string) (synth.Store, error) {
		if files.Remote(dir) {
			return store.Objects{Dir: dir}, nil
		}
		return store.Local{Dir: dir}, nil
	})
}
