package main

// samplers are defects of the laws of draws.
var samplers = []defect{
	{
		name: "parity of K flipped in exp(-p/q)", file: "dp/internal/noise/bernoulli.go", test: "TestBernExpLaw",
		old: "if !goOn {\n\t\t\treturn k&1 == 1", new: "if !goOn {\n\t\t\treturn k&1 == 0",
	},
	{
		name: "K starts at 2", file: "dp/internal/noise/bernoulli.go", test: "TestBernExpLaw",
		old: "for k := uint64(1); ; k++ {\n\t\thi, lo", new: "for k := uint64(2); ; k++ {\n\t\thi, lo",
	},
	{
		name: "wide exp(-p/q) forgets whole factors", file: "dp/internal/noise/bernoulli.go", test: "TestBernExpLaw",
		old: "p = p.sub(q)", new: "p = wide{}",
	},
	{
		name: "-0 not rejected", file: "dp/internal/noise/laplace.go", test: "TestLaplaceTrialLaw",
		old: " || (negative && magnitude == 0)", new: "",
	},
	{
		name: "Laplace remainder dropped", file: "dp/internal/noise/laplace.go", test: "TestLaplaceTrialLaw",
		old: "lo, carry := bits.Add64(lo, u, 0)", new: "lo, carry := bits.Add64(lo, 0, 0)",
	},
	{
		name: "t of the Gaussian's proposal differs from its acceptance", file: "dp/internal/noise/gaussian.go", test: "TestGaussianTrialLaw",
		old: "laplace: Laplace{s: 1, t: t.Uint64()}", new: "laplace: Laplace{s: 1, t: t.Uint64() + 1}",
	},
	{
		name: "Gaussian accepts with exp(-x^2/(pq t^2))", file: "dp/internal/noise/gaussian.go", test: "TestGaussianTrialLaw",
		old: "wideFromBig(den.Lsh(den, 1))", new: "wideFromBig(den)",
	},
	{
		name: "modulo in Below", file: "dp/internal/noise/stream.go", test: "TestBelow",
		old: "mask := maskFor(n - 1)\n\tfor {\n\t\tif w := s.word() & mask; w < n {\n\t\t\treturn w\n\t\t}\n\t}",
		new: "return s.word() % n",
	},
	{
		name: "Below reaches n", file: "dp/internal/noise/stream.go", test: "TestBelow",
		old: "if w := s.word() & mask; w < n {", new: "if w := s.word() & mask; w <= n {",
	},
	{
		name: "tie in the last word decides wrongly", file: "dp/internal/noise/stream.go", test: "TestBernoulliWide",
		old: "below, tiedP = x < p[i], x == p[i]", new: "below, tiedP = x < p[i], false",
	},
	{
		name: "maximum taken over all but the last score", file: "dp/internal/noise/selection.go", test: "TestSelectorTrialLaw",
		old: "range scores[1:]", new: "range scores[1:max(1, len(scores)-1)]",
	},
	{
		name: "scores far below the best are given up", file: "dp/internal/noise/selection.go", test: "TestSelectorWideGap",
		old: "return i, src.BernExpWide([4]uint64{lo, hi}, [4]uint64{s.scale})", new: "return i, false",
	},
	{
		name: "sign law exp(-|e|/b)", file: "dp/internal/noise/selection.go", test: "TestSignTrialLaw",
		old: "src.BernExp(2*uint64(e), scale)", new: "src.BernExp(uint64(e), scale)",
	},
	{
		name: "sign of a shortfall is +", file: "dp/internal/noise/selection.go", test: "TestSignTrialLaw",
		old: "major, e = -1, -e", new: "e = -e",
	},
	{
		name: "log cosh in float32", file: "dp/internal/noise/logcosh.go", test: "TestBlockScore",
		old: "tail.Add(math.Log1p(math.Exp(-2 * float64(a) / float64(scale))))", new: "tail.Add(float64(float32(math.Log1p(math.Exp(-2 * float64(a) / float64(scale))))))",
	},
	{
		name: "plain sum of log cosh", file: "internal/kit/summation/summation.go", dir: "dp/internal/noise", test: "TestTailSumOfTheLargestMarginal",
		old: "return c.total + c.lost", new: "return c.total",
	},
	{
		name: "large errors clamped in a block's score", file: "dp/internal/noise/logcosh.go", test: "TestBlockScore",
		old: "sumHi += carry", new: "sumHi += 0 * carry",
	},
	{
		name: "Laplace tail leaves int64", file: "dp/internal/noise/laplace.go", test: "TestConstructorsRefuse",
		old: "scale.Cmp(limit) >= 0 || ", new: "scale.Cmp(limit) >= 9 || ",
	},
}
