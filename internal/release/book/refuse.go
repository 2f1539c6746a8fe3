package book

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Fault says why a book takes no charge of a release, in the words of the command: Where is a flag, and Fix may be empty.
type Fault struct{ Where, What, Fix string }

// Error returns what is wrong and the mend.
func (f *Fault) Error() string {
	if f.Fix == "" {
		return f.What
	}
	return f.What + "; " + f.Fix
}

// plain says a Fault to somebody who has no flags.
var plain = strings.NewReplacer("--epsilon=", "ε = ", "--epsilon", "ε", "--delta", "δ", "--method", "method", "--neighbouring", "neighbouring")

// Plain returns f for a caller who has no flags.
func (f *Fault) Plain() error {
	return errors.New(strings.TrimPrefix(plain.Replace(f.Error()), "got "))
}

// Find opens the book of a release.
func Find(ctx context.Context, dir string) (*Book, *Fault) {
	err := files.CheckName(dir)
	var b *Book
	if err == nil {
		b, err = Open(ctx, dir)
	}
	switch {
	case errors.Is(err, ErrNone):
		return nil, &Fault{"--ledger", dir + " holds no budget book", fmt.Sprintf("`dapple ledger %s --create=NAME …` makes one", dir)}
	case err != nil:
		return nil, &Fault{"--ledger", strings.TrimPrefix(err.Error(), "book: "), ""}
	}
	return b, nil
}

// Check lists why releases of a unit under a relation do not add up in b. says is where the unit is declared.
func (b *Book) Check(n dp.Neighbouring, privacyID, says string) (list []*Fault) {
	if own := b.Sum.Params().Neighbouring; own != n {
		list = append(list, &Fault{"--neighbouring", fmt.Sprintf("got %s, and %s counts for %s: add-remove and replace guarantees cannot be combined", n.Flag(), b.Dir, own.Flag()), ""})
	}
	if privacyID != b.Terms.PrivacyID {
		list = append(list, &Fault{"--ledger", fmt.Sprintf("%s counts for %s, and %s for %s", b.Dir, unitOf(b.Terms.PrivacyID), says, unitOf(privacyID)), "they must protect the same unit"})
	}
	return list
}

func unitOf(privacyID string) string {
	if privacyID == "" {
		return "single records"
	}
	return "all records of one " + privacyID
}

// Full says that a release of an ε does not fit, and names the largest ε that does. err is of accountant.Book.Refusal, and
// ledgerOf opens the ledger of the release at any ε; nil: it goes on with a budget, whose ε is not its own.
func (b *Book) Full(epsilon dp.Epsilon, err error, ledgerOf func(dp.Epsilon) (*accountant.Ledger, error)) *Fault {
	full := errors.As(err, new(accountant.ErrExhausted))
	switch {
	case ledgerOf == nil && full:
		return b.noRoom(err, "lower --epsilon")
	case ledgerOf == nil && b.Sum.Params().Accounting != dp.GaussianOnly:
		return b.noRoom(err, "declare the domain, or make a book for Gaussian noise alone: without --mixed, with a larger --delta or a smaller --epsilon")
	case ledgerOf == nil:
		return b.noRoom(err, fmt.Sprintf("lower --delta: a tenth of it is for values, and of the book's, %g, a hundredth is for the values of all runs", float64(b.Terms.Delta)))
	case !full:
		return &Fault{"--ledger", strings.Join(errtext.Lines(err), "; "), "choose another --method, a smaller --epsilon, or a book made with --mixed"}
	}
	fix := "nothing more can be released of this table under that promise; rows of the releases so far cost nothing: dapple sample"
	if e := b.Sum.LargestEpsilon(ledgerOf); e > 0 {
		fix = fmt.Sprintf("--epsilon=%g fits", RoundDown(e))
	}
	return &Fault{"--epsilon", fmt.Sprintf("got %g; of %s, the book of %s, is spent: %s", float64(epsilon), b.Dir, b.Terms.Name, b.Spent()), fix}
}

func (b *Book) noRoom(err error, fix string) *Fault {
	return &Fault{"--ledger", fmt.Sprintf("%s, the book of %s, has no room for this: %s", b.Dir, b.Terms.Name, errtext.Lines(err)[0]), fix}
}

// Spent describes the sum of all charges.
func (b *Book) Spent() string {
	runs := "runs"
	if b.Sum.Runs() == 1 {
		runs = "run"
	}
	return fmt.Sprintf("ε = %.4g of %g by %d %s", float64(b.Sum.SpentEpsilon()), float64(b.Terms.Epsilon), b.Sum.Runs(), runs)
}

// Largest returns the largest ε of one more run at the book's δ; a pure run in a pure book.
func (b *Book) Largest() dp.Epsilon {
	p := b.Sum.Params()
	if p.Accounting != dp.Pure {
		p.Accounting = dp.GaussianOnly
	}
	return b.Sum.LargestEpsilon(func(e dp.Epsilon) (*accountant.Ledger, error) {
		return accountant.NewLedger(accountant.Params{Neighbouring: p.Neighbouring, Accounting: p.Accounting, Epsilon: e, Delta: p.Delta, Coordinates: 1}.Preferred())
	})
}

// RoundDown returns an ε with three digits, rounded down.
func RoundDown(e dp.Epsilon) float64 {
	x := float64(e)
	for digits, unit := 0, 1.0; digits < 12; digits, unit = digits+1, unit*10 {
		if n := float64(int64(x * unit)); n >= 100 {
			return n / unit
		}
	}
	return x
}
