package carry

import (
	"context"
	"fmt"
	"sync"
)

// Store keeps releases where every worker sees them. Its contents are private until they are
// published: staging storage is inside the trusted set. A name is one or more words of letters, digits, "_", "-" and ".",
// joined by "/".
type Store interface {
	// Get returns the object called name, if there is one.
	Get(ctx context.Context, name string) (data []byte, found bool, err error)
	// CreateIfAbsent makes data the object called name unless there is one already, atomically, and
	// returns the object that is there then.
	CreateIfAbsent(ctx context.Context, name string, data []byte) (current []byte, created bool, err error)
}

// Ref names a registered kind of Store and configures it: plain data that a DoFn can carry. The zero Ref is no store.
type Ref struct{ Kind, Config string }

// Open opens the store that r names.
func (r Ref) Open() (Store, error) { return Stores.Open(r.Kind, r.Config) }

// Stores are the kinds of stores.
var Stores = Registry[Store]{What: "store"}

// Registry finds makers of T by name on every worker.
type Registry[T any] struct {
	What string
	by   sync.Map // from name to func(config string) (T, error)
}

// Register makes a name known, from an init function. It panics if the name is taken.
func (r *Registry[T]) Register(kind string, open func(config string) (T, error)) {
	if _, taken := r.by.LoadOrStore(kind, open); taken || kind == "" || open == nil {
		panic("synth: a registration needs a name that is free, and a function")
	}
}

// Known returns an error if nothing has the name.
func (r *Registry[T]) Known(kind string) error {
	if _, known := r.by.Load(kind); !known {
		return fmt.Errorf("synth: no %s is called %q", r.What, kind)
	}
	return nil
}

// Open makes a T.
func (r *Registry[T]) Open(kind, config string) (t T, err error) {
	open, known := r.by.Load(kind)
	if !known {
		return t, r.Known(kind)
	}
	if t, err = open.(func(string) (T, error))(config); err != nil {
		return t, fmt.Errorf("synth: opening %s %q: %w", r.What, kind, err)
	}
	return t, nil
}
