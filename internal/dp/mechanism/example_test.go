package mechanism_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/solver"
)

// A Curator is what algorithms ask for.
var _ solver.Curator = (*mechanism.Curator)(nil)

// column is a private table of one attribute.
type column []int64

func (c column) Units() (n int64) {
	for _, count := range c {
		n += count
	}
	return n
}

func (c column) Marginal(domain.Clique) []int64 { return c }

// Half of the budget goes into one marginal; a second request beyond what remains is refused.
func ExampleCurator_Measure() {
	seed, err := mechanism.SeedFromBytes([]byte("a fixed seed is for tests alone!"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ledger, err := accountant.NewLedger(accountant.Params{Epsilon: 1, Delta: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := column{120, 80, 40}
	c, err := mechanism.New(counts, mechanism.Params{
		Sizes: []int{3}, Ledger: ledger, Root: mechanism.NewRoot(seed, [32]byte{1}, [32]byte{2}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := c.Measure("first", 1, []domain.Clique{{0}}, nil, dp.ShareOf(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, variance %.1f\n", m[0].Values, m[0].Variance)
	_, err = c.Measure("second", 1, []domain.Clique{{0}}, nil, dp.ShareOf(51, 100))
	fmt.Println(err != nil)
	// Output:
	// [110 86 43], variance 41.1
	// true
}

// The residual of a one-way table is what it differs by from equal counts; it costs 1 − 1/k of the table.
func ExampleCurator_Residuals() {
	seed, err := mechanism.SeedFromBytes([]byte("a fixed seed is for tests alone!"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ledger, err := accountant.NewLedger(accountant.Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-6, Coordinates: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := mechanism.New(column{1200, 800, 400}, mechanism.Params{
		Sizes: []int{3}, Ledger: ledger, Root: mechanism.NewRoot(seed, [32]byte{1}, [32]byte{2}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := c.Residuals("one-ways", 1, []domain.Clique{{0}}, nil, []float64{1}, dp.ShareOf(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f, variance %.1f\n", m[0].Values, m[0].Variance)
	s, err := c.Scores("look", 1, []domain.Clique{{0}}, nil, query.Answers{{800, 800, 800}}, dp.ShareOf(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f, variance %.1f\n", s.Values, s.Variance)
	// Output:
	// [394.91 5.22 -400.13], variance 15.9
	// [798.90], variance 35.7
}
