package main

// algorithms are defects of solvers: what they ask for, and what it depends on.
var algorithms = []defect{
	{
		name: "shares of one round too few", file: "solver/dpfw/dpfw.go", test: "TestSharesSumToOne",
		old: "dp.ShareOf(percent, 100*int64(pl.rounds))", new: "dp.ShareOf(percent, 100*int64(pl.rounds-1))",
	},
	{
		name: "total not paid under AddRemove", file: "solver/dpfw/dpfw.go", test: "TestConformance",
		old: "\t\tpercent -= totalPercent\n", new: "\t\tpercent += totalPercent\n",
	},
	{
		name: "a round more than planned", file: "solver/dpfw/run.go", test: "TestConformance",
		old: "for t := 1; t <= pl.rounds; t++ {", new: "for t := 1; t <= pl.rounds+1; t++ {",
	},
	{
		name: "contained marginals measured too", file: "solver/dpam/dpam.go", test: "TestConformance",
		old: "c.Measure(stage, 1, w.Cliques(), precision(w), all)", new: "c.Measure(stage, 1, p.Workload.Cliques(), nil, all)",
	},
	{
		name: "solver reaches the ledger", file: "solver/dpam/dpam.go", dir: "integration", test: "TestLayering",
		old: "import (\n", new: "import (\n\t_ \"github.com/dapple-dp/dapple/dp/accountant\"\n",
	},
	{
		name: "trees take the share of the total", file: "solver/rake/settings.go", test: "TestEveryStageHasAShare",
		old: "\toneWays = min(oneWays, float64(left)/shareUnits)\n", new: "",
	},
	{
		name: "nothing is left beside very many trees", file: "solver/rake/settings.go", test: "TestEveryStageHasAShare",
		old: "part = min(part, 1-leastPart)", new: "part = min(part, 1+leastPart)",
	},
	{
		name: "a plan without a share is carried out", file: "solver/reserve.go", test: "TestNoShareIsRefused",
		old: "if a.Share.Num <= 0 && !(a.Noise > 0) {", new: "if a.Share.Num < 0 && !(a.Noise > 0) {",
	},
	{
		name: "a model is scaled to nothing", file: "internal/model/population/marginal.go", test: "TestScaleToNothing",
		old: "\tif !some {\n", new: "\tif !some && target == nil {\n",
	},
	{
		name: "a universe is left without a record", file: "internal/model/population/zeros.go", test: "TestExcludeLeavesSome",
		old: "m.Weights[m.all().Cell(m.Sizes, record)] = total", new: "m.Weights[m.all().Cell(m.Sizes, record)] = 0",
	},
	{
		name: "blocks of noise kept", file: "solver/rake/blocks.go", test: "TestSmoothTable",
		old: "x[i] = v * max(0, 1-limit/max(v*v, 1e-300))", new: "x[i] = v * max(0, 1-limit/max(v*v, limit*limit, 1e-300))",
	},
	{
		name: "near independence is not told to the fit", file: "solver/rake/suppose.go", test: "TestSupposedPairs",
		old: "part := supposedPart\n", new: "part := 1e9\n",
	},
	{
		name: "link of two columns ignored", file: "solver/rake/blocks.go", test: "TestLink",
		old: "\tfor i, x := range link {\n\t\tout[i] += x\n\t}\n\treturn out\n", new: "\treturn smoothed\n",
	},
	{
		name: "coupling by tables of the last round alone", file: "solver/rake/uncertainty.go", test: "TestCoupledOnce",
		old: "return c.uncertainty.Earlier+c.uncertainty.Precision > 0", new: "return c.uncertainty.Precision > 0",
	},
	{
		name: "a bin begins above its exact value", file: "dp/domain/learned.go", test: "TestExact",
		old: "min(f.native(k), (f.first+int64(k))*a.Resolution)", new: "max(f.native(k), (f.first+int64(k))*a.Resolution)",
	},
	{
		name: "tails look at no difference of the tree", file: "solver/rake/pareto.go", test: "TestTails",
		old: "score := -x/2 - z*z/2", new: "score := -z * z / 2 * (1 + 0*x)",
	},
	{
		name: "tails of counts keep the noise far out", file: "solver/rake/heldtail.go", test: "TestHeldTails",
		old: "t.count = max((up+whole/below)/(down+1/below), .5)", new: "t.count = max(whole, .5)",
	},
	{
		name: "days of the week are one late", file: "solver/rake/calendar.go", test: "TestCycleParts",
		old: "func(f domain.Facts) int64 { return f.Day }, 3}", new: "func(f domain.Facts) int64 { return f.Day }, 4}",
	},
	{
		name: "values inside bins follow nothing", file: "dp/domain/coupling.go", test: "TestCoupling",
		old: "\tif math.Abs(s) < 1e-3 {\n", new: "\tif math.Abs(s) < 1e3 {\n",
	},
	{
		name: "values inside bins do not follow the bins of others", file: "dp/domain/shift.go", test: "TestShift",
		old: "return math.Log1p(sum) -", new: "return -",
	},
	{
		name: "columns that fall with others rise with them", file: "solver/rake/shift.go", test: "TestShift",
		old: "by -= math.Copysign(leastShifting, by)", new: "by = math.Abs(by) - leastShifting",
	},
	{
		name: "the larger of rare values go to the smaller records", file: "solver/rake/merge.go", test: "TestRareScores",
		old: "compareDown(scores[j], scores[i])", new: "compareDown(scores[i], scores[j])",
	},
	{
		name: "values of a group of rows follow a bin that differs within it", file: "transforms/synth/mincount.go", test: "TestMinCount",
		old: "slices.ContainsFunc(c.Others(), func(b int) bool { return !s.grouped[b] })", new: "c.With >= 0 && !s.grouped[c.With]",
	},
	{
		name: "a value of a person is moved by one of an event", file: "dp/domain/events.go", test: "TestShiftOfPeople",
		old: "slices.ContainsFunc(c.Others(), unknown)", new: "c.With >= 0 && unknown(c.With)",
	},
	{
		name: "public table used whatever the estimated error", file: "solver/dpam/fit.go", test: "TestPublic",
		old: "if with.clearlyBetter(without) {", new: "if with.risk < math.Inf(1) {",
	},
	{
		name: "model of pmw-pub leaves the public records", file: "integration/rivals/universe.go", test: "TestPublic",
		old: "copy(u.theta, s.logits)", new: "copy(u.theta, s.logits[:0])",
	},
	{
		name: "private table declared public", file: "pipelines/public.go", test: "TestPublicFaults",
		old: "if err == nil && private(source) {", new: "if err != nil && private(source) {",
	},
	{
		name: "release of another public table taken up", file: "pipelines/kept.go", test: "TestPublicRun",
		old: "r.Problem.ErrorShare, r.Problem.Public,", new: "r.Problem.ErrorShare, nil,",
	},
}
