package synth

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

// StoreRef names a registered kind of Store and configures it: plain data that a DoFn can carry. The
// zero StoreRef is no store.
type StoreRef struct{ Kind, Config string }

var stores = registry[Store]{what: "store", by: map[string]func(string) (Store, error){}}

// RegisterStore makes a kind of Store known, from an init function. It panics if the name is taken.
func RegisterStore(kind string, open func(config string) (Store, error)) { stores.register(kind, open) }

// registry finds makers of T by name on every worker.
type registry[T any] struct {
	what string
	mu   sync.RWMutex
	by   map[string]func(config string) (T, error)
}

func (r *registry[T]) register(kind string, open func(config string) (T, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.by[kind]; taken || kind == "" || open == nil {
		panic("synth: a registration needs a name that is free, and a function")
	}
	r.by[kind] = open
}

func (r *registry[T]) known(kind string) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.by[kind] == nil {
		return fmt.Errorf("synth: no %s is called %q", r.what, kind)
	}
	return nil
}

func (r *registry[T]) open(kind, config string) (t T, err error) {
	if err := r.known(kind); err != nil {
		return t, err
	}
	r.mu.RLock()
	open := r.by[kind]
	r.mu.RUnlock()
	if t, err = open(config); err != nil {
		return t, fmt.Errorf("synth: opening %s %q: %w", r.what, kind, err)
	}
	return t, nil
}

// Open opens the store that r names.
func (r StoreRef) Open() (Store, error) { return stores.open(r.Kind, r.Config) }
