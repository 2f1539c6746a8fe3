package synth

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/condition"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
)

// whereFault is why rows cannot be selected by a condition; nil: they can, or it is empty.
func whereFault(where string, d *domain.Domain) error {
	if where == "" {
		return nil
	}
	c, err := relation.ParseCondition(where, d)
	if err != nil {
		return fmt.Errorf("synth: Where: %w", err)
	}
	if names := condition.OfEvents(c, d); len(names) > 0 {
		return fmt.Errorf("synth: Where names %s, which changes from row to row: people are chosen, with all of their rows; name columns of the person", strings.Join(names, ", "))
	}
	return nil
}

// newConditional returns the rows of a model that meet the condition of p.
func newConditional(f *modelfile.File, p WriteParams) (*rowSource, error) {
	c, err := relation.ParseCondition(p.Where, &f.Domain)
	if err != nil {
		return nil, fmt.Errorf("synth: Where: %w", err)
	}
	left, err := condition.Restrict(c, &f.Domain, f.Model)
	if err != nil {
		return nil, fmt.Errorf("synth: Where: %w", err)
	}
	if left.Model.Total() == 0 {
		return nil, fmt.Errorf("synth: Where: no row of the model meets %s; weaken the condition", p.Where)
	}
	f.Model, f.Domain = left.Model, *left.Domain
	f.Units *= left.Share
	if left.Coupled {
		p.Rounding = Systematic // a local search for rows that fit the tables could violate a condition that links columns
	}
	b, err := f.Encode()
	if err != nil {
		return nil, fmt.Errorf("synth: Where: %w", err)
	}
	return newRowSource(f, wire.Hash(b), p)
}

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
