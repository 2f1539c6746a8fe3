package synth

import (
	"context"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/release/book"
)

// BookEntry is the entry of a budget book that has paid for a release.
type BookEntry struct {
	DataSet string  // as the owner of the book calls it
	Epsilon float64 // of all releases that are entered there, together
	Delta   float64
	Entry   int
	SHA256  string // of the entry, in hex
}

// bookFault is why a release cannot be charged to a budget book, as far as that shows before the run.
func bookFault(dir, run string) error {
	if dir == "" {
		return nil
	}
	if err := files.CheckName(dir); err != nil {
		return fmt.Errorf("synth: Book: %w", err)
	}
	if run == "" {
		return errors.New(`synth: RunID is required with a Book, which charges each release once: the same for every attempt at one release, another for the next, such as "orders-2026-11-24"`)
	}
	return nil
}

// charge enters the release in its budget book, if noise may be drawn, behind the finding of its domain.
func (f *solveFn) charge(ctx context.Context, run accountant.Run) (*BookEntry, error) {
	if err := errors.Join(f.complete(ctx), f.once()); err != nil || f.Params.Book == "" {
		return nil, err
	}
	p := f.Params
	step := book.Step{
		Dir: p.Book, RunID: p.RunID, Neighbouring: p.Neighbouring, PrivacyID: f.Public.Domain.PrivacyID,
		Epsilon: p.Epsilon, Ledger: f.ledger,
	}
	if p.Store.Kind != "" {
		store, err := p.Store.Open()
		if err != nil {
			return nil, err
		}
		step.Kept = store
	}
	if p.Prior != nil {
		step.Ledger = nil
		if err := step.Found(ctx, p.Prior, false); err != nil {
			return nil, fmt.Errorf("synth: Book: %w", err)
		}
	}
	b, entry, err := step.Charge(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("synth: Book: %w", err)
	}
	return &BookEntry{b.Terms.Name, float64(b.Terms.Epsilon), float64(b.Terms.Delta), entry.Number, entry.SHA256}, nil
}
