package synth

import "github.com/dapple-dp/dapple/internal/transforms/internal/carry"

// Store keeps releases where every worker sees them. Its contents are private until they are
// published: staging storage is inside the trusted set. A name is one or more words of letters, digits, "_", "-" and ".",
// joined by "/".
type Store = carry.Store

// StoreRef names a registered kind of Store and configures it: plain data that a DoFn can carry. The
// zero StoreRef is no store.
type StoreRef = carry.Ref

// RegisterStore makes a kind of Store known, from an init function. It panics if the name is taken.
func RegisterStore(kind string, open func(config string) (Store, error)) {
	carry.Stores.Register(kind, open)
}
