package main

// algorithms are defects of solvers: what they ask for, and what it depends on.
var algorithms = []defect{
	{
		name: "shares of one round too few", file: "internal/dpfw/dpfw.go", test: "TestSharesSumToOne",
		old: "dp.ShareOf(percent, 100*int64(pl.rounds))", new: "dp.ShareOf(percent, 100*int64(pl.rounds-1))",
	},
	{
		name: "total not paid under AddRemove", file: "internal/dpfw/dpfw.go", test: "TestConformance",
		old: "\t\tpercent -= totalPercent\n", new: "\t\tpercent += totalPercent\n",
	},
	{
		name: "a round more than planned", file: "internal/dpfw/run.go", test: "TestConformance",
		old: "for t := 1; t <= pl.rounds; t++ {", new: "for t := 1; t <= pl.rounds+1; t++ {",
	},
	{
		name: "contained marginals measured too", file: "internal/dpam/dpam.go", test: "TestConformance",
		old: "c.Measure(stage, 1, w.Cliques(), precision(w), all)", new: "c.Measure(stage, 1, p.Workload.Cliques(), nil, all)",
	},
	{
		name: "solver reaches noise", file: "internal/dpam/dpam.go", dir: "integration", test: "TestLayering",
		old: "import (\n", new: "import (\n\t_ \"github.com/dapple-dp/dapple/dp/noise\"\n",
	},
}
