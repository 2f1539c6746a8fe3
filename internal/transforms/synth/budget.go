package synth

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
)

// Budget is what several releases may lose together: the total (ε, δ) of a pipeline that releases the same people more
// than once. Give one *Budget to all of them, with an ε and a δ of each:
//
//	total := &synth.Budget{Epsilon: 1, Delta: 1e-9}
//	rows, _ := synth.Synthesize(s, people, synth.Params{Domain: narrow, Epsilon: .69, Delta: 1e-9, Budget: total})
//	wide, _ := synth.Synthesize(s, people, synth.Params{Domain: all, Epsilon: .69, Delta: 1e-9, Budget: total})
//
// Each release is charged at construction, at the capacity of its own ledger, and every statement names the total.
// Capacities add up as rho or μ² do (see accountant.Book), so that two halves have more than half of ε each. A release
// that does not fit is refused, and so is one for another neighbouring relation or privacy ID than the first.
//
// Everything is fixed before data are read. So the kind of accounting may be the better of GDP and zCDP.
type Budget struct {
	Epsilon dp.Epsilon
	Delta   dp.Delta

	privacyID string
	books     []*accountant.Book // those that admitted all releases so far; none before the first
}

// Validate lists all faults of b.
func (b *Budget) Validate() error {
	if err := errors.Join(b.Epsilon.Validate(), b.Delta.Validate()); err != nil {
		return fmt.Errorf("synth: the total of a Budget: %w", err)
	}
	return nil
}

// total returns what statements of releases charged to b say; nil for no budget.
func (b *Budget) total() *accountant.Total {
	if b == nil {
		return nil
	}
	return &accountant.Total{Epsilon: float64(b.Epsilon), Delta: float64(b.Delta)}
}

// charge enters one release of the units that privacyID names, or changes nothing and says why it does not fit.
// ledgerOf opens the ledger of the release at any ε.
func (b *Budget) charge(privacyID string, epsilon dp.Epsilon, ledgerOf func(dp.Epsilon) (*accountant.Ledger, error)) error {
	run, admit, err := b.admitting(privacyID, epsilon, ledgerOf)
	if err != nil {
		return err
	}
	for _, k := range admit {
		if err := k.Charge(run); err != nil {
			return fmt.Errorf("synth: charging a Budget: %w", err)
		}
	}
	b.books, b.privacyID = admit, privacyID
	return nil
}

// admitting returns the books that have room for a release, or says why none has. It changes nothing.
func (b *Budget) admitting(privacyID string, epsilon dp.Epsilon, ledgerOf func(dp.Epsilon) (*accountant.Ledger, error)) (run accountant.Run, admit []*accountant.Book, err error) {
	ledger, err := ledgerOf(epsilon)
	if err != nil {
		return run, nil, err
	}
	run = ledger.Run()
	books := b.books
	if books == nil {
		for _, mixed := range []bool{false, true} {
			k, err := accountant.NewBook(run.Neighbouring, b.Epsilon, b.Delta, mixed)
			if err != nil {
				return run, nil, fmt.Errorf("synth: the total of a Budget: %w", err)
			}
			books = append(books, k)
		}
	} else if n := books[0].Params().Neighbouring; run.Neighbouring != n || privacyID != b.privacyID {
		return run, nil, fmt.Errorf("synth: the Budget counts for %v and privacy ID %q, and this release is for %v and %q: their losses do not add",
			n, b.privacyID, run.Neighbouring, privacyID)
	}
	admit = slices.DeleteFunc(slices.Clone(books), func(k *accountant.Book) bool { return k.Refusal(run) != nil })
	if len(admit) == 0 {
		return run, nil, b.refusal(books, epsilon, ledgerOf)
	}
	return run, admit, nil
}

// refusal says what is left.
func (b *Budget) refusal(books []*accountant.Book, epsilon dp.Epsilon, ledgerOf func(dp.Epsilon) (*accountant.Ledger, error)) error {
	var fits dp.Epsilon
	for _, k := range books {
		fits = max(fits, k.LargestEpsilon(ledgerOf))
	}
	left := "nothing is left"
	if fits > 0 {
		left = fmt.Sprintf("ε = %.3g would fit", math.Floor(float64(fits)*1000)/1000)
	}
	return fmt.Errorf("synth: a release of ε = %g does not fit a Budget of ε = %g and δ = %g, to which %d before it are charged: %s",
		float64(epsilon), float64(b.Epsilon), float64(b.Delta), books[0].Runs(), left)
}
