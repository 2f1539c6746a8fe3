package methods

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// largestGDP is the largest ε for which Gaussian differential privacy is charged: above it the cost of discrete
// noise, which grows with exp(ε), is no longer small compared with δ.
const largestGDP = 10

// gaussian returns the kind of ledger for an algorithm that only adds Gaussian noise, if δ allows that.
func gaussian(e dp.Epsilon, d dp.Delta) dp.Accounting {
	switch {
	case d == 0:
		return dp.Pure
	case e > largestGDP:
		return dp.ZCDP
	}
	return dp.GaussianOnly
}

// perCell is the cost of a method on an explicit universe, from the measured costs of its kernels.
func perCell(bytes, seconds float64) func(solver.Problem) (float64, float64) {
	return func(p solver.Problem) (float64, float64) {
		_, cells, _ := p.Domain.Universe()
		return bytes * cells, seconds * cells
	}
}

// others is how many methods were registered before this module's own, builtin how many this module has.
var others, builtin int

func init() {
	others = len(solver.Methods())
	solver.Register(solver.Method{
		Name: "rake", Summary: "residuals of the tables that noisy scores call for, maximum entropy fitted by raking",
		Accounting: gaussian, Accesses: rake.Accesses, LargestTable: rake.LargestTable, Widest: rake.WidestTable,
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return rake.Solve(p, c)
		},
		Limits: rake.Limits, Cost: rake.Cost, Learns: true, Public: true,
		Predict: func(p solver.Problem, b dp.Budget, like *solver.Pattern) (solver.Forecast, error) {
			f, err := rake.Predict(p, b, like)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
	})
	solver.Register(am(dpam.Settings{}))
	solver.Register(fw(dpfw.Settings{}))
	builtin = len(solver.Methods()) - others
}

func am(s dpam.Settings) solver.Method {
	return solver.Method{
		Name: dpam.Method(s), Summary: "one noisy release of the workload, accelerated entropic fit stopped by SURE",
		Accounting: gaussian, Accesses: dpam.Accesses, Linear: true, Public: true, With: with(am),
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return s.Solve(p, c)
		},
		Cost: func(p solver.Problem) (bytes, seconds float64) { // steps as measured of 5,000 to 50,000 people at ε = .1 to 10
			steps := min(max(60*math.Pow(float64(p.Epsilon)*p.Units/50_000, .3), 25), 600)
			return perCell(dpam.BytesPerCell, 18e-9*steps)(p)
		},
	}
}

func fw(s dpfw.Settings) solver.Method {
	what := "a marginal and the signs of its errors"
	if s.Form == dpfw.Cell {
		what = "a cell and the sign of its error"
	}
	return solver.Method{
		Name: dpfw.Method(s), Summary: "Frank-Wolfe: each round selects " + what,
		Accounting: func(_ dp.Epsilon, d dp.Delta) dp.Accounting {
			if d == 0 {
				return dp.Pure
			}
			return dp.ZCDP
		},
		Accesses: s.Accesses, Linear: true, With: with(fw),
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return s.Solve(p, c)
		},
		Cost: func(p solver.Problem) (bytes, seconds float64) {
			bytes, seconds = perCell(dpam.BytesPerCell, 7e-9*1000)(p) // as measured of a round, and of so many
			if bytes > float64(p.Memory()) {
				bytes /= 3 // rounds alone
			}
			return bytes, seconds
		},
	}
}

// with reads the settings of a method.
func with[S any](of func(S) solver.Method) func([]byte) (solver.Method, error) {
	return func(text []byte) (solver.Method, error) {
		var s S
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return solver.Method{}, err
		}
		if d.More() {
			return solver.Method{}, errors.New("there is more behind them")
		}
		return of(s), nil
	}
}
