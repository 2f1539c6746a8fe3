package accountant_test

import (
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
)

// A ledger for (1, 1e-6) pays for one release of 35 marginals with nine tenths of its budget; a second
// one of the same size is refused.
func ExampleLedger() {
	l, err := accountant.NewLedger(accountant.Params{Epsilon: 1, Delta: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := l.Measure(accountant.Equal(35, 14955), dp.ShareOf(9, 10))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("variance of each cell: %v = %.2f counts²\n", e.Scales[0].RatString(), e.Variance(0))
	fmt.Println("first release:", l.Charge(e.At("measure", 1)))

	var exhausted accountant.ErrExhausted
	err = l.Charge(e.At("measure", 2))
	fmt.Println("second release refused:", errors.As(err, &exhausted))

	s := l.Statement(accountant.Planned)
	fmt.Printf("promise: epsilon %g at delta %g by %s, %s\n", s.AchievedEpsilon, s.Delta, s.Conversion, s.Neighbouring)
	// Output:
	// variance of each cell: 102189/128 = 798.35 counts²
	// first release: <nil>
	// second release refused: true
	// promise: epsilon 0.9452 at delta 1e-06 by zCDP, AddRemove
}
