package main

// mechanisms are defects between the counts and the releases.
var mechanisms = []defect{
	{
		name: "R of blocks halved", file: "dp/query/sensitivity.go", dir: "dp/mechanism", test: "TestRanges",
		old: "return wholeCounts(2 * most)", new: "return wholeCounts(most)",
	},
	{
		name: "Replace given AddRemove's R of cells", file: "dp/query/sensitivity.go", dir: "dp/mechanism", test: "TestRanges",
		old: "return wholeCounts(2 * widest)", new: "return wholeCounts(widest)",
	},
	{
		name: "R of signed cells halved", file: "dp/query/sensitivity.go", dir: "dp/mechanism", test: "TestRanges",
		old: "return 2 }", new: "return 1 }",
	},
	{
		name: "R of blocks halved, seen by whole runs", file: "dp/query/sensitivity.go", dir: "dp/mechanism", test: "TestWholeRuns",
		old: "return wholeCounts(2 * most)", new: "return wholeCounts(most)",
	},
	{
		name: "R of blocks halved, seen by losses of whole runs", file: "dp/query/sensitivity.go", dir: "integration/privacy", test: "TestTranscriptsOfDPFW",
		old: "return wholeCounts(2 * most)", new: "return wholeCounts(most)",
	},
	{
		name: "excesses over limits added up", file: "dp/mechanism/accept.go", test: "TestAcceptChange",
		old: "most = excess\n", new: "most += excess\n",
	},
	{
		name: "answer whether limits are kept without noise", file: "dp/mechanism/accept.go", test: "TestAcceptDraws",
		old: "Release{Accepted: x <= 0}", new: "Release{Accepted: g.largestExcess(r) <= 0}",
	},
	{
		name: "answer whether limits are kept without charge", file: "dp/mechanism/accept.go", test: "TestEveryDrawIsCharged",
		old: "return g.number(r, event, statistic, func(x float64) Release { return Release{Accepted: x <= 0} })",
		new: "p, err := g.number(r, event, statistic, func(x float64) Release { return Release{Accepted: x <= 0} })\n\tp.free = true\n\treturn p, err",
	},
	{
		name: "sum of distances given the sensitivity of one", file: "dp/query/residual.go", dir: "dp/mechanism", test: "TestMeanDistanceChange",
		old: "dp.Range(int64(m) * n.UnitChanges())", new: "dp.Range(n.UnitChanges())",
	},
	{
		name: "sum of distances under Replace given AddRemove's sensitivity", file: "dp/query/residual.go", dir: "dp/mechanism", test: "TestMeanDistanceChange",
		old: "dp.Range(int64(m) * n.UnitChanges())", new: "dp.Range(int64(m))",
	},
	{
		name: "sum of distances given a smaller sensitivity than declared", file: "dp/mechanism/meandistance.go", test: "TestMeanDistanceLoss",
		old: "query.SumOfDistancesChange(g.relation, len(r.Workload.Marginals))", new: "query.SumOfDistancesChange(g.relation, 1)",
	},
	{
		name: "weights taken for counts in sums of distances", file: "dp/mechanism/meandistance.go", test: "TestMeanDistanceSum",
		old: "g.weightBits, r.Model[i]", new: "0, r.Model[i]",
	},
	{
		name: "mean distance without noise", file: "dp/mechanism/meandistance.go", test: "TestMeanDistanceDraws",
		old: "Counts: x / k", new: "Counts: float64(g.sumOfDistances(r)) / k",
	},
	{
		name: "mean distance without charge", file: "dp/mechanism/meandistance.go", test: "TestEveryDrawIsCharged",
		old: "\treturn g.number(r, event, func() (int64, int) { return g.sumOfDistances(r), 0 }, release)\n",
		new: "\tp, err := g.number(r, event, func() (int64, int) { return g.sumOfDistances(r), 0 }, release)\n\tp.free = true\n\treturn p, err\n",
	},
	{
		name: "no budget withheld for measuring the error", file: "solver/reserve.go", dir: "transforms/synth", test: "TestErrorIsMeasured",
		old: "sum.Add(sum, p.ErrorShare.Rat())", new: "sum.Add(sum, new(big.Rat))",
	},
	{
		name: "noise of a search halved", file: "dp/mechanism/above.go", test: "TestFirstAbove",
		old: "big.NewRat(4, 1)", new: "big.NewRat(2, 1)",
	},
	{
		name: "search without noise on the threshold", file: "dp/mechanism/above.go", test: "TestSearchDraws",
		old: "noise.ScoreOf(threshold).Plus(line.Draw(src))", new: "noise.ScoreOf(threshold)",
	},
	{
		name: "sign of a search's hit released", file: "dp/mechanism/above.go", test: "TestFirstAbove",
		old: "cell.Sign = 0\n", new: "_ = cell\n",
	},
	{
		name: "keep test without its least refusal", file: "dp/mechanism/keep.go", test: "TestKeepDraws",
		old: "uint64(short)+refusal", new: "uint64(short)+0*refusal",
	},
	{
		name: "refusals of keep tests not paid for", file: "dp/mechanism/keep.go", test: "TestKeepLoss",
		old: "big.NewRat(2051, 100)", new: "big.NewRat(1, 1)",
	},
	{
		name: "keep test's sensitivity to linear queries taken for a cell's", file: "dp/mechanism/keep.go", test: "TestKeepLoss",
		old: "r.Workload.LargestChange(g.relation)", new: "min(1, r.Workload.LargestChange(g.relation))",
	},
	{
		name: "votes of a record counted for two candidates", file: "dp/mechanism/votes.go", test: "TestVotesSensitivity",
		old: "sums[choice[z]] += n", new: "sums[choice[z]] += n\n\t\tsums[0] += n",
	},
	{
		name: "votes under Replace charged as under AddRemove", file: "dp/mechanism/votes.go", test: "TestVotesSensitivity",
		old: "\tsampler, err := samplerFor(event, 0)\n", new: "\tif event.L2Squared == 2 {\n\t\tevent.L2Squared = 1\n\t}\n\tsampler, err := samplerFor(event, 0)\n",
	},
	{
		name: "votes without charge", file: "dp/mechanism/votes.go", test: "TestEveryDrawIsCharged",
		old: "return plan{event: event, draw", new: "return plan{event: event, free: true, draw",
	},
	{
		name: "votes with the noise of a count", file: "dp/mechanism/votes.go", test: "TestVotesDraws",
		old: "samplerFor(event, 0)", new: "noise.NewLaplace(event.Steps(0).SetInt64(1))",
	},
	{
		name: "keep test without charge", file: "dp/mechanism/keep.go", test: "TestEveryDrawIsCharged",
		old: "return plan{event: event, draw", new: "return plan{event: event, free: true, draw",
	},
	{
		name: "search charged as a bounded range", file: "dp/accountant/event.go", dir: "dp/accountant", test: "TestSearchHasNoBoundedRange",
		old: "case e.Kind == dp.Exponential || e.Kind == dp.BlockExponential:", new: "case e.Kind == dp.Exponential || e.Kind == dp.BlockExponential || e.Kind == dp.AboveThreshold:",
	},
	{
		name: "sensitivity of linear queries halved", file: "dp/query/linear.go", dir: "dp/mechanism", test: "TestRangesOfQueries",
		old: "big.NewRat(l.square[n], 1<<(2*LinearBits))", new: "big.NewRat(l.square[n]/4, 1<<(2*LinearBits))",
	},
	{
		name: "answers to linear queries taken for cells", file: "dp/query/sensitivity.go", dir: "dp/mechanism", test: "TestRangesOfQueries",
		old: "return wholeCounts(widest)", new: "return min(1, wholeCounts(widest))",
	},
	{
		name: "opposite of a linear query is its negation", file: "dp/query/linear.go", dir: "dp/mechanism", test: "TestQueryScores",
		old: "sum := l.least[i] + l.most[i]", new: "sum := int64(0)",
	},
	{
		name: "rounding of answers to linear queries not paid for", file: "dp/mechanism/queries.go", test: "TestRoundedAnswers",
		old: "list[i].Axes = 2", new: "list[i].Axes = 0",
	},
	{
		name: "noise on answers to linear queries halved", file: "dp/mechanism/queries.go", test: "TestQueryNoise",
		old: "inCounts(value, bits, samplers[i].Draw(src), event.GridBits)", new: "inCounts(value, bits, samplers[i].Draw(src)/2, event.GridBits)",
	},
	{
		name: "sensitivity of residuals halved, seen by losses of whole runs", file: "dp/query/residual.go", dir: "integration/privacy", test: "TestTranscriptsOfRake",
		old: "\tif n == dp.AddRemove || c.Sign() == 0 {\n\t\treturn c\n", new: "\tif n == dp.AddRemove || c.Sign() == 0 {\n\t\treturn c.Mul(c, big.NewRat(1, 2))\n",
	},
	{
		name: "R of blocks halved, seen by replays", file: "dp/query/sensitivity.go", dir: "integration/privacy", test: "TestReplayNeighbours",
		old: "return wholeCounts(2 * most)", new: "return wholeCounts(most)",
	},
	{
		name: "charge after the draw", file: "dp/mechanism/gate.go", test: "TestChargeBeforeDraw",
		old: "\tif !p.free {\n", new: "\tp.draw()\n\tif !p.free {\n",
	},
	{
		name: "charge skipped where the share is zero", file: "dp/mechanism/gate.go", test: "TestEveryDrawIsCharged",
		old: "\tif !p.free {\n", new: "\tif !p.free && r.Share.Num > 0 {\n",
	},
	{
		name: "first round not charged", file: "dp/mechanism/gate.go", test: "TestEveryDrawIsCharged",
		old: "\tif !p.free {\n", new: "\tif !p.free && r.Round != 1 {\n",
	},
	{
		name: "refusal by the true error", file: "dp/mechanism/gate.go", test: "TestChargeBeforeDraw",
		old: "\tif !p.free {\n", new: "\tif r.Method == SelectBlock && largest(g.workloadErrors(r.Workload, r.Model)) == 0 {\n\t\treturn Release{}, errors.New(\"done\")\n\t}\n\tif !p.free {\n",
	},
	{
		name: "a stage and round used twice", file: "dp/mechanism/gate.go", test: "TestOnce",
		old: "g.used[slot{r.Stage, r.Round}] = true", new: "g.used[slot{r.Stage, r.Round}] = false",
	},
	{
		name: "draw not recorded", file: "dp/mechanism/gate.go", test: "TestEveryDrawIsCharged",
		old: "g.recorder.record(Call{Request: r, Event: p.event, Release: release})", new: "if r.Method != MaxError {\n\t\tg.recorder.record(Call{Request: r, Event: p.event, Release: release})\n\t}",
	},
	{
		name: "model rounded to whole counts", file: "dp/mechanism/gate.go", test: "TestStreamIsBound",
		old: "int64(math.RoundToEven(x * (1 << accountant.ScoreGridBits)))", new: "int64(math.RoundToEven(x)) << accountant.ScoreGridBits",
	},
	{
		name: "NaN in a model admitted", file: "dp/mechanism/gate.go", test: "TestErrorsHoldNoCounts",
		old: "return math.Abs(x) <= MaxUnits }", new: "return !(math.Abs(x) > MaxUnits) }",
	},
	{
		name: "count in an error", file: "dp/mechanism/gate.go", test: "TestErrorsHoldNoCounts",
		old: "errors.New(\"the model's answers are not all between -2^40 and 2^40 counts\")", new: "fmt.Errorf(\"the model's answers to %v are out of range\", g.marginal(m.Clique))",
	},
	{
		name: "more units than scores have room for", file: "dp/mechanism/gate.go", test: "TestNewRefuses",
		old: "counts.Units() > MaxUnits>>", new: "counts.Units() > 2*MaxUnits>>",
	},
	{
		name: "half of the noise, seen by audits of whole runs", file: "dp/mechanism/residual.go", dir: "transforms/synth", test: "TestAuditOfWholeRuns",
		old: "x.set(i, count, z.Draw(src), gridBits-weightBits)", new: "x.set(i, count, z.Draw(src)/2, gridBits-weightBits)",
	},
	{
		name: "a level of a tree is free, seen by random problems", file: "dp/query/tree.go", dir: "transforms/synth", test: "TestRandomRuns",
		old: "return dp.L2Squared(s.Levels())", new: "return dp.L2Squared(max(1, s.Levels()-1))",
	},
	{
		name: "shares without their remainders, seen by random problems", file: "internal/kit/bounding/shares.go", dir: "transforms/synth", test: "TestRandomRuns",
		old: "\t\tout[r.row]++\n", new: "\t\tout[r.row] -= 0\n",
	},
	{
		name: "noise halved", file: "dp/mechanism/measure.go", test: "TestMeasureNoise",
		old: "inCounts(count, g.weightBits, s.Draw(src), gridBits)", new: "inCounts(count, g.weightBits, s.Draw(src)/2, gridBits)",
	},
	{
		name: "sigma for sigma^2", file: "dp/mechanism/measure.go", test: "TestMeasureNoise",
		old: "noise.NewGaussian(e.Steps(i))", new: "noise.NewGaussian(new(big.Rat).SetInt(new(big.Int).Sqrt(new(big.Int).Quo(e.Steps(i).Num(), e.Steps(i).Denom()))))",
	},
	{
		name: "noise of one marginal reused for all", file: "dp/mechanism/measure.go", test: "TestMeasureNoise",
		old: "samplerFor(event, i); err", new: "samplerFor(event, 0); err",
	},
	{
		name: "noise added after conversion to float", file: "dp/mechanism/measure.go", test: "TestInCounts",
		old: "if magnitude := max(value, -value); magnitude < small>>shift && noise < small && noise > -small {\n\t\treturn math.Ldexp(float64(value<<shift+noise), -noiseBits)",
		new: "if shift < 63 {\n\t\t_ = small\n\t\treturn math.Ldexp(float64(value), -valueBits) + math.Ldexp(float64(noise), -noiseBits)",
	},
	{
		name: "stream of a measurement not bound to counts", file: "dp/mechanism/measure.go", test: "TestStreamIsBound",
		old: "in.Text(c.Key()).Int64s(g.marginal(c)).Rat(event.Scales[i])", new: "in.Text(c.Key()).Rat(event.Scales[i])",
	},
	{
		name: "stream of a measurement not bound to its scale", file: "dp/mechanism/measure.go", test: "TestStreamIsBound",
		old: "in.Text(c.Key()).Int64s(g.marginal(c)).Rat(event.Scales[i])", new: "_ = i\n\t\t\tin.Text(c.Key()).Int64s(g.marginal(c))",
	},
	{
		name: "certificate unpaid", file: "dp/mechanism/measure.go", test: "TestEveryDrawIsCharged",
		old: "return plan{event: event, draw: func() Release {\n\t\tvalue, bits", new: "return plan{event: event, free: r.Method == MaxError, draw: func() Release {\n\t\tvalue, bits",
	},
	{
		name: "numbers without noise", file: "dp/mechanism/measure.go", test: "TestNumbersAreNoisy",
		old: "release(inCounts(value, bits, sampler.Draw(src), event.GridBits))", new: "release(inCounts(value, bits, 0*sampler.Draw(src), event.GridBits))",
	},
	{
		name: "certificate rounded down", file: "dp/mechanism/measure.go", test: "TestMaxErrorRoundsUp",
		old: "return (x + 1<<step - 1) >> step, to", new: "return x >> step, to",
	},
	{
		name: "total free under AddRemove", file: "dp/mechanism/measure.go", test: "TestChargeBeforeDraw",
		old: "if g.relation == dp.Replace {\n\t\treturn plan{free: true", new: "if g.relation <= dp.Replace {\n\t\treturn plan{free: true",
	},
	{
		name: "opposite scores closed under negation in AddRemove", file: "dp/mechanism/selection.go", test: "TestRanges",
		old: "return g.counts.Units()<<accountant.ScoreGridBits - onGrid(total)", new: "return -onGrid(total)",
	},
	{
		name: "opposite scores closed under complement in Replace", file: "dp/mechanism/selection.go", test: "TestOppositeScores",
		old: "\tif g.relation == dp.Replace {\n\t\treturn 0\n\t}\n", new: "",
	},
	{
		name: "signs drawn at twice the scale", file: "dp/mechanism/selection.go", test: "TestSelectionDraws",
		old: "noise.Sign(src, gaps[c], scale)", new: "noise.Sign(src, gaps[c], 2*scale)",
	},
	{
		name: "marginal drawn at half the scale", file: "dp/mechanism/selection.go", test: "TestSelectionDraws",
		old: "noise.NewSelector(g.scores, noise.BlockScoreScale)", new: "noise.NewSelector(g.scores, noise.BlockScoreScale/2)",
	},
	{
		name: "cells drawn at half the scale", file: "dp/mechanism/selection.go", test: "TestSelectionDraws",
		old: "sel := noise.NewSelector(g.scores, scale)", new: "sel := noise.NewSelector(g.scores, scale/2)",
	},
	{
		name: "recorded model changes with the caller's", file: "dp/mechanism/request.go", test: "TestReplay",
		old: "c.Request.Model = cloneAnswers(c.Request.Model)", new: "",
	},
	{
		name: "replay answers other arguments", file: "dp/mechanism/replay.go", test: "TestReplay",
		old: "r.Digest() != want.Digest()", new: "r.Method != want.Method",
	},
	{
		name: "Replace given AddRemove's sensitivity of residuals", file: "dp/query/residual.go", test: "TestResidualL2SquaredByEnumeration",
		old: "big.NewRat(2*int64(least), int64(least-1))", new: "big.NewRat(int64(least), int64(least))",
	},
	{
		name: "replaced records cancel nowhere in residuals", file: "dp/query/residual.go", test: "TestResidualL2SquaredByEnumeration",
		old: "big.NewRat(2*int64(least), int64(least-1))", new: "big.NewRat(2*int64(least), int64(least))",
	},
	{
		name: "rounding of residuals to the grid not charged", file: "dp/accountant/residual.go", test: "TestOnGridIsAttainable",
		old: "return ceilGrid(sum.Add(sum, r).Add(sum, c.L2Squared), capacityBits)", new: "return ceilGrid(sum.SetInt64(0).Add(sum, c.L2Squared), capacityBits)",
	},
	{
		name: "Replace given AddRemove's sensitivity of distances", file: "dp/accountant/residual.go", dir: "integration/privacy", test: "TestReplayNeighbours",
		old: "L2Squared: dp.L2Squared(unit * unit)", new: "L2Squared: dp.L2Squared(unit)",
	},
	{
		name: "Replace given AddRemove's sensitivity of trees", file: "dp/query/tree.go", test: "TestTreeSensitivityByEnumeration",
		old: "if n == dp.AddRemove {\n\t\treturn dp.L2Squared(s.Levels())", new: "if n == dp.AddRemove || n == dp.Replace {\n\t\treturn dp.L2Squared(s.Levels())",
	},
	{
		name: "level of NULL in a tree not charged, seen by runs on neighbours", file: "dp/query/tree.go", dir: "integration/privacy", test: "TestReplayLearnedBins",
		old: "\t\treturn s.halvings() + 1\n", new: "\t\treturn s.halvings()\n",
	},
	{
		name: "differences of trees released without noise", file: "dp/mechanism/tree.go", test: "TestTreeNoise",
		old: "inCounts(s.Difference(up, null, level, index), g.weightBits, z, gridBits)", new: "inCounts(s.Difference(up, null, level, index), g.weightBits, 0*z, gridBits)",
	},
	{
		name: "stream of trees not bound to counts", file: "dp/mechanism/tree.go", test: "TestTreesBindTheirStreams",
		old: "Int64(int64(r.Shapes[i].Values)).Int64s(counts[i])", new: "Int64(int64(r.Shapes[i].Values))",
	},
	{
		name: "trees charged as one marginal", file: "dp/mechanism/tree.go", test: "TestTreesAreCharged",
		old: "big.NewRat(int64(delta), 1)", new: "big.NewRat(1, 1)",
	},
	{
		name: "residuals released before centring", file: "dp/mechanism/residual.go", test: "TestResidualNoise",
		old: "\tx.centre(shape)\n", new: "",
	},
	{
		name: "stream of residuals not bound to counts", file: "dp/mechanism/residual.go", test: "TestScreeningsBindTheirStreams",
		old: "in.Text(c.Key()).Int64s(counts[i]).Rat(event.Scales[i])", new: "in.Text(c.Key()).Rat(event.Scales[i])",
	},
	{
		name: "stream of distances not bound to counts", file: "dp/mechanism/distance.go", test: "TestScreeningsBindTheirStreams",
		old: "in.Text(c.Key()).Int64s(counts).Int64s([]int64{list[i].counts, list[i].steps})", new: "in.Text(c.Key())",
	},
	{
		name: "distance of unrounded bases", file: "dp/mechanism/distance.go", test: "TestDistanceIsExact",
		old: "math.RoundToEven(math.Ldexp(bases[c], bits))", new: "math.Trunc(math.Ldexp(bases[c], bits))",
	},
	{
		name: "Replace given AddRemove's sensitivity of distances, seen by whole runs", file: "dp/accountant/residual.go", dir: "dp/mechanism", test: "TestGaussianRuns",
		old: "\tunit := l.params.Neighbouring.UnitChanges()\n", new: "\tunit := int64(1)\n",
	},
	{
		name: "published histogram drawn with a tenth of its noise", file: "integration/rivals/dpampaper/dpampaper.go", dir: "integration/privacy", test: "TestReplayNeighbours",
		old: "ms, err := c.MeasureVariance(stageMeasure, t, pl.universe, pl.sigma*pl.sigma)", new: "ms, err := c.MeasureVariance(stageMeasure, t, pl.universe, pl.sigma*pl.sigma/1e4)",
	},
	{
		name: "noisy maximum charged half of its range, seen by whole runs", file: "dp/accountant/event.go", dir: "dp/mechanism", test: "TestWholeRuns",
		old: "\tdefault:\n\t\treturn pureRho(e.epsilon()), nil", new: "\tdefault:\n\t\treturn pureRho(new(big.Rat).Quo(e.epsilon(), big.NewRat(2, 1))), nil",
	},
	{
		name: "Gaussian noise charged a part in 10^12 too little", file: "dp/accountant/event.go", dir: "dp/mechanism", test: "TestMeasureLoss",
		old: "\trho := new(big.Rat).Quo(l2squared, variance)\n",
		new: "\trho := new(big.Rat).Quo(l2squared, variance)\n\trho.Mul(rho, big.NewRat(1e12-1, 1e12))\n",
	},
	{
		name: "Laplace noise charged a part in 10^12 too little, seen by whole runs", file: "dp/accountant/event.go", dir: "dp/mechanism", test: "TestWholeRuns",
		old: "\treturn ceilGrid(new(big.Rat).Quo(big.NewRat(l1, 1), scale), quantumBits)",
		new: "\treturn ceilGrid(new(big.Rat).Quo(big.NewRat(l1*(1e12-1), 1e12), scale), quantumBits)",
	},
	{
		name: "Replace given AddRemove's sensitivity of residuals, seen by whole runs", file: "dp/query/residual.go", dir: "dp/mechanism", test: "TestGaussianRuns",
		old: "big.NewRat(2*int64(least), int64(least-1))", new: "big.NewRat(int64(least), int64(least))",
	},
	{
		name: "stream of a selection not bound to cliques", file: "dp/mechanism/selection.go", test: "TestStreamIsBoundToCliques",
		old: "\taddCliques(in, r.Workload.Cliques())\n\tfor", new: "\tfor",
	},
	{
		name: "floats of residuals depend on how a number came about", file: "dp/mechanism/limbs.go", test: "TestOverForgetsForms",
		old: "\tx.settle()\n\tout", new: "\tout",
	},
	{
		name: "recoding with gaps admitted", file: "dp/mechanism/merged.go", test: "TestScreeningsRefuse",
		old: "if distinct != sizes[a] {", new: "if distinct > sizes[a] {",
	},
}
