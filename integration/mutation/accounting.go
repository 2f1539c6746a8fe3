package main

// accounting are defects of charges, calibrations and conversions.
var accounting = []defect{
	{
		name: "a run is not entered in its book", file: "dp/accountant/book.go", test: "TestBookComposes",
		old: "b.ledger.spent.Add(b.ledger.spent, loss)", new: "_ = loss",
	},
	{
		name: "the book's noisy numbers are not counted", file: "dp/accountant/book.go", test: "TestBookCountsNoisyNumbers",
		old: "\tb.ledger.coordinates += r.Coordinates\n", new: "",
	},
	{
		name: "a second run may have the whole book", file: "dp/accountant/book.go", test: "TestBookLetsOneRunHaveItAll",
		old: "b.runs == 0 && r.Neighbouring", new: "r.Neighbouring",
	},
	{
		name: "a pure run is half charged in a zCDP book", file: "dp/accountant/book.go", test: "TestBookComposes",
		old: "return pureRho(r.Loss), nil", new: "return new(big.Rat).Mul(pureRho(r.Loss), big.NewRat(1, 2)), nil",
	},
	{
		name: "a book forgets who came first", file: "internal/release/book/book.go", test: "TestRunsAtOnce",
		old: "if err := b.read(ctx); err != nil {\n\t\t\treturn err\n\t\t}", new: "return nil",
	},
	{
		name: "a charge is taken back although noise was drawn", file: "pipelines/ledger.go", test: "TestEndingFollowsTheMark",
		old: "_, drawn, err := has(ctx, keep.Open(s.dir), name)\n\treturn !drawn && err == nil, err",
		new: "_, _, err := has(ctx, keep.Open(s.dir), name)\n\treturn err == nil, err",
	},
	{
		name: "(1-1/a)^a dropped", file: "dp/accountant/renyi.go", test: "TestCapacityVectors",
		old: "math.Exp(x*((x+1)*rho-e)+logFactor(x))", new: "math.Exp(x*((x+1)*rho-e)-math.Log(x))",
	},
	{
		name: "ln(1-1/a) doubled in the conversion of curves", file: "dp/accountant/renyi.go", test: "TestSelectionVectors",
		old: "c(alpha), math.Log1p(-1/alpha),", new: "c(alpha), 2*math.Log1p(-1/alpha),",
	},
	{
		name: "delta not rounded up", file: "dp/accountant/renyi.go", test: "TestOutwardRounding",
		old: "logFactor(x))*(1+0x1p-30)", new: "logFactor(x))*(1-0x1p-30)",
	},
	{
		name: "zCDP composed as if it were half", file: "dp/accountant/renyi.go", test: "TestAgainstLossDistributions",
		old: "return func(alpha float64) float64 { return alpha * rho }", new: "return func(alpha float64) float64 { return alpha * rho / 2 }",
	},
	{
		name: "digits of an order near 1 lost", file: "dp/accountant/renyi.go", test: "TestRhoDeltaNearOne",
		old: "\tif x < 1 {\n\t\treturn x*math.Log(x) - (1+x)*math.Log1p(x)\n\t}\n\treturn -(1+x)*math.Log1p(1/x) - math.Log(x)", new: "\talpha := 1 + x\n\treturn alpha*math.Log1p(-1/alpha) - math.Log(x)",
	},
	{
		name: "variance of far tails underflows", file: "dp/accountant/event.go", test: "TestVarianceIsNeverZero",
		old: "max(0.5/(half*half), leastVariance)", new: "0.5 / (half * half)",
	},
	{
		name: "capacity rounded up", file: "dp/accountant/renyi.go", test: "TestFloorsAreTheLargest",
		old: "return big.NewRat(low, 1<<capacityBits)", new: "return big.NewRat(low+1, 1<<capacityBits)",
	},
	{
		name: "curve of bounded range halved", file: "dp/accountant/renyi.go", test: "TestBoundedRangeIsTheWorstCase",
		old: "return min(exact+1e-13, concentrated)", new: "return min(exact+1e-13, concentrated) / 2",
	},
	{
		name: "repeats of a curve ignored", file: "dp/accountant/renyi.go", test: "TestCurvesAddUp",
		old: "return float64(count) * c(alpha)", new: "return c(alpha)",
	},
	{
		name: "exp(eps) term of GDP dropped", file: "dp/accountant/gdp.go", test: "TestGDPAgainstQuadrature",
		old: "math.Max(0, first-second)", new: "math.Max(0, first-0*second)",
	},
	{
		name: "price of discrete noise not per coordinate", file: "dp/accountant/gdp.go", test: "TestCoordinatesCost",
		old: "* float64(coordinates) *", new: "* float64(min(1, coordinates)) *",
	},
	{
		name: "GDP on a mixed ledger", file: "dp/accountant/event.go", test: "TestMismatchesAreRefused",
		old: "case kind == dp.GaussianOnly && !gaussian:", new: "case kind == dp.GaussianOnly && !gaussian:\n\t\treturn pureRho(e.epsilon()), nil\n\tcase e.Count < 1:",
	},
	{
		name: "Gaussian noise on a pure ledger", file: "dp/accountant/ledger.go", test: "TestMismatchesAreRefused",
		old: "\tif err != nil {\n\t\treturn err\n\t}\n\tif e.Neighbouring", new: "\tif err != nil {\n\t\treturn nil\n\t}\n\tif e.Neighbouring",
	},
	{
		name: "relation of an event not checked", file: "dp/accountant/ledger.go", test: "TestMismatchesAreRefused",
		old: "if e.Neighbouring != l.params.Neighbouring {", new: "if false {",
	},
	{
		name: "noisy maximum charged as bounded range", file: "dp/accountant/event.go", test: "TestNoisyMaxIsNotBoundedRange",
		old: "case e.Kind == dp.Exponential || e.Kind == dp.BlockExponential:", new: "case e.Kind == dp.Exponential || e.Kind == dp.BlockExponential || e.Kind == dp.LaplaceMax:",
	},
	{
		name: "2^-29 of blocks dropped", file: "dp/accountant/event.go", test: "TestLoss",
		old: "r.Add(r, power(-blockSlackBits))", new: "_ = blockSlackBits",
	},
	{
		name: "r^2/8 of a selection rounded down", file: "dp/accountant/event.go", test: "TestLossRoundsUp",
		old: "return ceilGrid(r.Mul(r, r).Quo(r, big.NewRat(8, 1)), quantumBits), nil", new: "return floorGrid(r.Mul(r, r).Quo(r, big.NewRat(8, 1)), quantumBits), nil",
	},
	{
		name: "r^2/16 charged", file: "dp/accountant/event.go", test: "TestLoss",
		old: "Quo(r, big.NewRat(8, 1))", new: "Quo(r, big.NewRat(16, 1))",
	},
	{
		name: "count of an event ignored", file: "dp/accountant/ledger.go", test: "TestCountIsCharged",
		old: "total := times(loss, int64(e.Count))", new: "total := times(loss, 1)",
	},
	{
		name: "T-1 of T rounds charged", file: "dp/accountant/ledger.go", test: "TestCountIsCharged",
		old: "total := times(loss, int64(e.Count))", new: "total := times(loss, int64(max(1, e.Count-1)))",
	},
	{
		name: "overspend admitted", file: "dp/accountant/ledger.go", test: "TestOverspendIsRefused",
		old: "total.Cmp(remaining) > 0", new: "total.Cmp(l.capacity) > 0",
	},
	{
		name: "charges not added up", file: "dp/accountant/ledger.go", test: "TestChargesAddUp",
		old: "l.spent.Add(l.spent, total)", new: "l.spent = total",
	},
	{
		name: "coordinates not reserved", file: "dp/accountant/ledger.go", test: "TestCoordinatesAreReserved",
		old: "l.coordinates += e.Coordinates * int64(e.Count)", new: "l.coordinates += 0 * e.Coordinates",
	},
	{
		name: "B of selections rounded down", file: "dp/accountant/calibrate.go", test: "TestSelectIsLeast",
		old: "event(bisect.Near(0, most, l.guessSteps(kind, r, total), within))", new: "event(bisect.Near(0, most, l.guessSteps(kind, r, total), within) - 1)",
	},
	{
		name: "sigma^2 rounded down", file: "dp/accountant/calibrate.go", test: "TestMeasureRoundsNoiseUp",
		old: "return ceilGrid(x, bitsFor(x))", new: "return floorGrid(x, bitsFor(x))",
	},
	{
		name: "variance 1/(4 rho)", file: "dp/accountant/calibrate.go", dir: "dp/mechanism", test: "TestEveryDrawIsCharged",
		old: "new(big.Rat).Quo(big.NewRat(unit, 2), part)", new: "new(big.Rat).Quo(big.NewRat(unit, 4), part)",
	},
	{
		name: "Replace given AddRemove's squared sensitivity", file: "dp/accountant/calibrate.go", test: "TestSensitivitiesOfRelations",
		old: "\tunit := l.params.Neighbouring.UnitChanges()\n", new: "\tunit := int64(1)\n",
	},
	{
		name: "shares rounded up", file: "dp/accountant/calibrate.go", test: "TestSharesSumExactly",
		old: "return floorGrid(new(big.Rat).Mul(l.capacity, share.Rat()), quantumBits), nil",
		new: "return ceilGrid(new(big.Rat).Mul(l.capacity, share.Rat()), 40), nil",
	},
	{
		name: "adaptive run stated at what it spent", file: "dp/accountant/statement.go", test: "TestAchieved",
		old: "if s == Adaptive {\n\t\treturn l.achievedByAll()", new: "if s > Planned {\n\t\treturn l.achievedByAll()",
	},
	{
		name: "achieved epsilon rounded down", file: "dp/accountant/statement.go", test: "TestCeilDigits",
		old: "if y >= x {", new: "if y >= x*(1-1e-3) {",
	},
	{
		name: "approximations not listed", file: "dp/accountant/statement.go", test: "TestApproximationsAreListed",
		old: "if e.Kind == dp.BlockExponential {\n\t\t\tblocks", new: "if e.Kind == dp.LaplaceMax {\n\t\t\tblocks",
	},
	{
		name: "lines of the statement miss a round", file: "dp/accountant/line.go", test: "TestLinesSumToTheTotal",
		old: "groups[g].Count += e.Count", new: "groups[g].Count += e.Count - 1",
	},
	{
		name: "float budget of a rational", file: "dp/accountant/rational.go", test: "TestRationalsRoundAsNamed",
		old: "n.Sub(n, big.NewInt(1))\n\treturn", new: "n.Sub(n, x.Denom())\n\treturn",
	},
	{
		name: "a term of GDP not rounded up", file: "dp/accountant/gdp.go", test: "TestBoundsInHighPrecision",
		old: "first := math.Exp(logPhi(-e/mu+mu/2)) * (1 + 0x1p-40)", new: "first := math.Exp(logPhi(-e/mu + mu/2))",
	},
	{
		name: "the term that GDP subtracts rounded up", file: "dp/accountant/gdp.go", test: "TestBoundsInHighPrecision",
		old: "* (1 - 0x1p-40)\n", new: "* (1 + 0x1p-40)\n",
	},
	{
		name: "float64 error of a curve dropped", file: "dp/accountant/renyi.go", test: "TestBoundsInHighPrecision",
		old: "min(exact+1e-13, concentrated)", new: "min(exact, concentrated)",
	},
	{
		name: "float64 error of a conversion dropped", file: "dp/accountant/renyi.go", test: "TestBoundsInHighPrecision",
		old: "return a + b - d + 0x1p-48*(math.Abs(a)+math.Abs(b)+math.Abs(d))", new: "return a + b - d",
	},
	{
		name: "stated mu rounded down", file: "dp/accountant/statement.go", test: "TestMuRoundsUp",
		old: "math.Sqrt(2*floatUp(loss)) * (1 + 0x1p-50)", new: "math.Sqrt(2*floatUp(loss)) * (1 - 0x1p-50)",
	},
	{
		name: "discreteness of one of two neighbours not paid", file: "dp/accountant/gdp.go", test: "TestGDPEpsilonPaysForDiscreteness",
		old: "(1 + math.Exp(epsilon)) * float64(coordinates)", new: "math.Exp(epsilon) * float64(coordinates)",
	},
	{
		name: "rounding to the grid charged for one axis", file: "dp/accountant/residual.go", test: "TestOnGridPaysForEveryAxis",
		old: "int64(c.Axes*c.Axes)*c.Cells", new: "int64(c.Axes)*c.Cells",
	},
	{
		name: "GDP noise on a coarse grid", file: "dp/accountant/event.go", test: "TestMismatchesAreRefused",
		old: "case kind == dp.GaussianOnly && !e.fineGrid():", new: "case kind == dp.GaussianOnly && len(e.Scales) == 0:",
	},
	{
		name: "a stage spends its share again and again", file: "dp/accountant/ledger.go", test: "TestAllocate",
		old: "part.Sub(part, total)", new: "_ = part",
	},
	{
		name: "a stage without a share takes what is left", file: "dp/accountant/allocate.go", test: "TestAllocate",
		old: "\treturn new(big.Rat)\n}\n\n// bound", new: "\treturn l.Remaining()\n}\n\n// bound",
	},
}
