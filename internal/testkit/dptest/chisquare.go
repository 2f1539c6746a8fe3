package dptest

import (
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"gonum.org/v1/gonum/mathext"
)

// Alarm is the false-alarm rate of each statistical test: the probability that right code fails it.
const Alarm = 1e-6

// ChiSquare returns the p-value of Pearson's test that the observed cell counts follow the
// probabilities, which sum to 1. Neighbouring cells are merged until each expects at least 25. A test
// that fails if the p-value is below Alarm has that false-alarm rate (with seeds fixed, it is the
// chance that the seed chosen was unlucky).
func ChiSquare(observed []int, probabilities []float64) float64 {
	n := summation.InOrder(observed)
	statistic, cells := 0.0, 0
	gotSum, wantSum := 0.0, 0.0
	rest := float64(n)
	for i, p := range probabilities {
		gotSum += float64(observed[i])
		wantSum += p * float64(n)
		if wantSum >= 25 && (rest-wantSum >= 25 || i == len(probabilities)-1) {
			statistic += (gotSum - wantSum) * (gotSum - wantSum) / wantSum
			cells++
			rest -= wantSum
			gotSum, wantSum = 0, 0
		}
	}
	if wantSum > 0 {
		statistic += (gotSum - wantSum) * (gotSum - wantSum) / wantSum
		cells++
	}
	if cells < 2 {
		panic("dptest: a chi-square test needs two cells that expect 25")
	}
	return mathext.GammaIncRegComp(float64(cells-1)/2, statistic/2)
}
