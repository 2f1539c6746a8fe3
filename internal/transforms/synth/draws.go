package synth

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/dapple-dp/dapple/internal/model/interval"
)

// Draws returns n models of what the table may be, given a release: draws from an approximate posterior, at no privacy cost. model
// and errors are the content of its _model.arrow and _errors.json; each draw is the content of a model file, for Saved. Equal
// seeds give equal draws, whatever n. It stops at the first error.
//
// Compute an estimate from the rows of each, and put them together by Combine.
func Draws(model, errors []byte, seed uint64, n int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		_, f, err := readSaved(model)
		if err != nil {
			yield(nil, err)
			return
		}
		v, err := interval.Restore(errors, f.Model.Sizes)
		if err == nil && !v.Known() {
			err = errNothingKnown
		}
		if err != nil {
			yield(nil, fmt.Errorf("synth: %w", err))
			return
		}
		for m := range v.Draws(f.Model, seed, n) {
			drawn := *f
			drawn.Model = m
			b, err := drawn.Encode()
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

var errNothingKnown = errors.New("the method of this release says nothing of its errors, so that no other table can be drawn; use another method")

// FewestDraws is the fewest estimates that Combine takes.
const FewestDraws = 5

// Combined is an estimate with its error.
type Combined struct {
	Estimate, StandardError float64
	Low, High               float64 // ends of the 95 % interval
}

// Combine puts together what was estimated from each of several draws, such as a coefficient of a regression. Without variances
// the result is about the people in the private table. With the variances that the estimator itself states, one for each draw, it
// is about the population that they are a random sample of.
//
// The estimate is the mean. With B the variance between draws and W the mean of variances, its variance is (1 + 1/m)·B + W, and
// the interval is Student's t with (m − 1)·(1 + W/((1 + 1/m)·B))² degrees of freedom (Rubin, 1987).
func Combine(estimates, variances []float64) (Combined, error) {
	m := float64(len(estimates))
	if len(estimates) < FewestDraws {
		return Combined{}, fmt.Errorf("synth: Combine: got %d estimates; give %d or more", len(estimates), FewestDraws)
	}
	if variances != nil && len(variances) != len(estimates) {
		return Combined{}, fmt.Errorf("synth: Combine: got %d variances of %d estimates; give one for each, or none", len(variances), len(estimates))
	}
	var c Combined
	within := 0.0
	for _, x := range estimates {
		c.Estimate += x / m
	}
	for _, x := range variances {
		within += x / m
	}
	between := 0.0
	for _, x := range estimates {
		between += (1 + 1/m) * (x - c.Estimate) * (x - c.Estimate) / (m - 1)
	}
	c.StandardError = math.Sqrt(between + within)
	half := 0.0
	if between > 0 {
		half = student((m-1)*math.Pow(1+within/between, 2)) * c.StandardError
	} else {
		half = student(math.Inf(1)) * c.StandardError
	}
	c.Low, c.High = c.Estimate-half, c.Estimate+half
	return c, nil
}

// student returns the quantile .975 of Student's t, by its expansion around the normal quantile: within .3 % for 4 degrees of
// freedom or more (Abramowitz and Stegun, 26.7.5). gonum v0.17 is wrong for 10^9 degrees and more, which draws that
// agree have.
func student(df float64) float64 {
	const z = 1.959963984540054
	z2 := z * z
	return z + z*(z2+1)/(4*df) + z*(5*z2*z2+16*z2+3)/(96*df*df) + z*(3*z2*z2*z2+19*z2*z2+17*z2-15)/(384*df*df*df)
}
