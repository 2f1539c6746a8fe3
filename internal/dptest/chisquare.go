package dptest

import "math"

// Alarm is the false-alarm rate of each statistical test: the probability that right code fails it.
const Alarm = 1e-6

// ChiSquare returns the p-value of Pearson's test that the observed cell counts follow the
// probabilities, which sum to 1. Neighbouring cells are merged until each expects at least 25. A test
// that fails where the p-value is below Alarm has that false-alarm rate (with seeds fixed, it is the
// chance that the seed chosen was unlucky).
func ChiSquare(observed []int, probabilities []float64) float64 {
	n := 0
	for _, o := range observed {
		n += o
	}
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
	return upperGamma(float64(cells-1)/2, statistic/2)
}

// upperGamma returns Γ(a, x)/Γ(a), the upper tail of a gamma law: the series of the lower tail below
// a + 1, Lentz's continued fraction above (DLMF 8.7.1 and 8.9.2).
func upperGamma(a, x float64) float64 {
	lg, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - lg)
	if x <= 0 {
		return 1
	}
	if x < a+1 {
		sum, term := 1/a, 1/a
		for k := a + 1; term > sum*1e-17; k++ {
			term *= x / k
			sum += term
		}
		return 1 - front*sum
	}
	b := x + 1 - a
	c, d := math.Inf(1), 1/b
	h := d
	for i := 1.0; i < 10_000; i++ {
		an := -i * (i - a)
		b += 2
		d = 1 / (an*d + b)
		c = b + an/c
		h *= c * d
		if math.Abs(c*d-1) < 1e-16 {
			break
		}
	}
	return front * h
}
