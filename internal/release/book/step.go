package book

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
)

// Step is a step of a pipeline that draws noise under a run ID, and that a runner may try again.
type Step struct {
	Dir          string // of the book
	RunID        string
	Neighbouring dp.Neighbouring
	PrivacyID    string // empty: every record is a unit
	Epsilon      dp.Epsilon
	// Ledger opens the ledger of the draw at any ε; nil: it goes on with a budget, whose ε is not its own.
	Ledger func(dp.Epsilon) (*accountant.Ledger, error)
	// Kept is where attempts at the step find each other; nil: nowhere, and each is another draw.
	Kept interface {
		CreateIfAbsent(ctx context.Context, name string, data []byte) (current []byte, created bool, err error)
	}
}

// keySuffix is of the name, behind a run ID, under which the key of a step's draw is kept.
const keySuffix = ".key"

// Key returns the key of the step's draw: that which the first attempt has kept.
func (s Step) Key(ctx context.Context) (string, error) {
	key := []byte(rand.Text())
	if s.Kept == nil {
		return string(key), nil
	}
	current, _, err := s.Kept.CreateIfAbsent(ctx, s.RunID+keySuffix, key)
	if err != nil {
		return "", fmt.Errorf("keeping the key of run %s in the budget book: %w", s.RunID, err)
	}
	return string(current), nil
}

// FoundKey is the key of a finding, by its ID.
func FoundKey(id string) string { return "found-" + id }

// Found enters what a finding may have spent of a budget that it shares with a release: the step is the finding's, or
// the release's, which makes sure of it.
func (s Step) Found(ctx context.Context, prior *accountant.Prior, finding bool) error {
	if prior.ID == "" {
		return errors.New("the finding before this release has no ID, under which it could be charged: find the domain again")
	}
	before, _, err := prior.Runs(0) // it was drawn with them
	if err != nil {
		return err
	}
	p := Payer{Key: FoundKey(prior.ID), Run: FoundKey(prior.ID)}
	if finding {
		p.Once = RunKey(FoundRun(s.RunID), "")
	}
	s.Ledger = nil
	_, _, err = s.charge(ctx, p, before)
	return err
}

// Before enters what a finding has spent of a budget of its own, once.
func (s Step) Before(ctx context.Context, id string, run accountant.Run) error {
	s.Ledger = nil
	_, _, err := s.charge(ctx, Payer{Key: FoundKey(id), Run: FoundKey(id)}, run)
	return err
}

// Charge enters a draw before its first noise, once for all attempts that find each other. What was charged under this run ID by
// an attempt that kept nothing is refused: its noise may have been drawn.
func (s Step) Charge(ctx context.Context, run accountant.Run) (*Book, *Entered, error) {
	key, err := s.Key(ctx)
	if err != nil {
		return nil, nil, err
	}
	return s.charge(ctx, Payer{Key: key, Run: s.RunID, Once: RunKey(s.RunID, "")}, run)
}

func (s Step) charge(ctx context.Context, p Payer, run accountant.Run) (*Book, *Entered, error) {
	b, fault := Find(ctx, s.Dir)
	if fault != nil {
		return nil, nil, fault.Plain()
	}
	for _, fault := range b.Check(s.Neighbouring, s.PrivacyID, "the domain") {
		return nil, nil, fault.Plain()
	}
	entry, err := b.Charge(ctx, p, run)
	switch refused, paid := (*Refused)(nil), (*Paid)(nil); {
	case errors.As(err, &refused):
		return nil, nil, b.Full(s.Epsilon, refused.Err, s.Ledger).Plain()
	case errors.As(err, &paid):
		return nil, nil, fmt.Errorf("run %s was charged before, by entry %d of %s, and neither its release nor its files are to be found here: its noise may have been drawn; "+
			"if they are kept in another store, name that; else count its budget as spent: another run ID begins anew and spends again", s.RunID, paid.Number, paid.Time.Format("2006-01-02 15:04:05 UTC"))
	case err != nil:
		return nil, nil, errors.New(strings.TrimPrefix(err.Error(), "book: "))
	}
	return b, entry, nil
}
