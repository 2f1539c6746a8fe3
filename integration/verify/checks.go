package main

// check is a family of tests: one line of the first table.
type check struct {
	name   string
	covers string
	alarms alarms
	size   string // daily
	long   string // nightly, if it differs
	tests  []named
}

// alarms are the probabilities that right code fails a family's tests, all of them together: sums of what
// stands beside each test.
type alarms struct {
	fresh   float64 // of a run: tests whose noise or tables are drawn anew each time
	nightly float64 // of a nightly run, if it differs
	fixed   float64 // in total, not per run: that the seeds of tests with fixed ones, once chosen, were unlucky
}

// of is the rate of a run.
func (a alarms) of(long bool) float64 {
	if long && a.nightly > 0 {
		return a.nightly
	}
	return a.fresh
}

// named is a test by the directory of its package and its name.
type named struct{ dir, test string }

func in(dir string, tests ...string) (list []named) {
	for _, t := range tests {
		list = append(list, named{dir, t})
	}
	return list
}

func join(lists ...[]named) (all []named) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// checks is what `make verify` runs, besides the checklist and the seeded defects.
var checks = []check{
	{
		name:   "1 exact law of mechanisms",
		covers: "ranges and sensitivities by enumeration; in 256 bits and without a margin, selections, measurements, noisy maxima, centred tables, distances, values and prefixes above a threshold against their charge: log ratio, divergences, hockey sticks",
		size:   "2×2 cells, ≤ 3 units, all neighbours; units with weights of ¼ and ½, beside one other",
		tests: join(in("internal/dp/mechanism", "TestRanges", "TestMaxErrorSensitivity", "TestMeasuredSensitivity", "TestBlockLawFactorises",
			"TestSelectionLoss", "TestMeasureLoss", "TestMeasureLossOfFineNoise", "TestLaplaceMaxLoss", "TestMaxLaw", "TestSearchLoss", "TestResidualLoss", "TestLaplaceResidualLoss", "TestLaplaceTreeLoss", "TestLaplaceDistanceLoss", "TestLaplaceReleases", "TestResidualSensitivity",
			"TestDistanceSensitivity", "TestDistanceLoss", "TestMeanDistanceChange", "TestMeanDistanceSum", "TestMeanDistanceLoss", "TestCentreIsExact", "TestWeightedSensitivities", "TestWeightedLoss", "TestWeightsReachReleases", "TestValuesLaw"), in("internal/transforms/discover", "TestPrefixLaw", "TestLevelsCountEachUnitOnce"),
			in("internal/testkit/dptest", "TestPreciseFunctions", "TestLosses", "TestMovedNoise", "TestMovedNormal", "TestUsed"),
			in("internal/dp/accountant", "TestOnGridIsAttainable", "TestOnGridPaysForEveryAxis", "TestNoiseIsAsFineAsWeights"), in("dp/query", "TestResidualL2SquaredByEnumeration", "TestDistanceL2SquaredByEnumeration")),
	},
	{
		name:   "2 exact law of whole runs",
		covers: "DPFW block and cell, DPAM, both as published, Rake: all possible runs; both relations; pure, zCDP, GDP: log ratio, divergences, hockey sticks, stated ε; in 256 bits and without a margin",
		size:   "2×2 cells, ≤ 3 units, T ≤ 3; Rake: 2×2 and 2×2×2 cells, 60 to 150 units", long: "≤ 4 units, T = 3; finer bins",
		tests: in("internal/dp/mechanism", "TestWholeRuns", "TestPublishedRequestsAreFixed", "TestGaussianRuns", "TestContrast"),
	},
	{
		name:   "3 record and replay of the core",
		covers: "same calls, arguments, events and model on a neighbour; change of every call within its declared range or norm",
		size:   "200 pairs per relation and method", long: "2,000",
		tests: join(in("integration/privacy", "TestReplayNeighbours", "TestReplaySeesPeeking", "TestReplayLearnedBins"),
			in("internal/dp/mechanism", "TestReplay", "TestRecordedRangesHold", "TestScreeningsReplay")),
	},
	{
		name:   "4 neighbouring rows",
		covers: "many rows per unit, also in an order, duplicates, unusable values, rows of nobody, missing and colliding IDs, blank and malformed lines, linked files: one record changes in the counts; different IDs of every type stay different",
		size:   "60 pairs per relation; all people of up to 3 rows in order, all pairs of them", long: "400",
		tests: join(in("internal/transforms/counts", "TestNeighboursDifferByOneRecord", "TestNeighboursWithEventsDifferByOneRecord", "TestNeighboursWithHistoriesDifferByOneRecord", "TestNeighboursWithPeopleOfTheirOwnTable"), in("internal/transforms/private", "TestIDsOfEveryForm"),
			in("internal/transforms/internal/records", "TestIDsOfOneHash", "TestAllSmallHistories"), in("internal/io/csvio", "TestBlankLines", "TestNoRecordEndsARun", "TestHeaderLikeAMark", "TestIDsStayDistinct", "TestWideIDsStayDistinct"), in("internal/io/files", "TestExpandRefusesLinks"),
			in("internal/io/parquetio", "TestPrivacyIDsAreInjective"), in("internal/io/bigqueryio", "TestPrivacyIDsAreInjective"),
			in("pipelines/dapple", "TestMalformedLinesAreRecords", "TestFirstRecordsDecideNothing", "TestStatementSaysWhatIDsAre")),
	},
	{
		name:   "5 replay of whole pipelines",
		covers: "every method in turn, with and without a privacy ID: requests, rows, row count, schema, file names and bytes, statement, model, closing words, log, error, exit status: equal with frozen answers, also if criteria are checked",
		alarms: alarms{fresh: 1e-9, nightly: 1.2e-8},
		size:   "10 pairs per relation", long: "200",
		tests: join(in("internal/pipelines", "TestReplayOfWholeRuns"),
			in("internal/transforms/synth", "TestReleaseFollowsTheCuratorAlone", "TestSolverSeesPublicFiguresOnly")),
	},
	{
		name:   "6 laws of samplers",
		covers: "trial laws by enumeration; extreme scales and gaps; log-cosh sums in 160 bits; golden vectors",
		size:   "scales to 2^47, gaps to 2^127, 100,000 cells",
		tests: in("internal/dp/internal/noise", "TestBernExpLaw", "TestLaplaceTrialLaw", "TestGaussianTrialLaw", "TestSelectorTrialLaw", "TestSelectorWideGap",
			"TestSignTrialLaw", "TestTailSum", "TestTailSumOfTheLargestMarginal", "TestBlockScore", "TestWide", "TestScaled",
			"TestStreamGolden", "TestSamplersGolden", "TestBernoulliWideBoundary", "TestConstructorsRefuse"),
	},
	{
		name:   "7 draws of samplers",
		covers: "χ² of draws against their law, 1e-6 each; a wrong scale must be found (power 0.999); uniform integers; wide coins",
		alarms: alarms{fixed: 2.1e-5},
		size:   "60,000 draws, finds scale ×1.1", long: "10⁶, ×1.02",
		tests: in("internal/dp/internal/noise", "TestDrawsFit", "TestWideGaussianFits", "TestBelow", "TestBernoulliWide"),
	},
	{
		name:   "8 draws of mechanisms and runs",
		covers: "χ², 1e-6 each, of selections, measured noise, single numbers, and whole transcripts against law 2; half of the noise and neighbours do not fit",
		alarms: alarms{fixed: 2.9e-5},
		size:   "20,000–60,000 draws; 20,000 runs", long: "200,000 runs",
		tests: in("internal/dp/mechanism", "TestSelectionDraws", "TestMeasureNoise", "TestNumbersAreNoisy", "TestMeanDistanceDraws", "TestTranscriptsFit", "TestResidualDraws", "TestResidualNoise"),
	},
	{
		name:   "9 hygiene of numbers",
		covers: "releases on the grid; trailing zeros of x = 0 and 1; sums independent of order and bundling",
		alarms: alarms{fixed: 6e-6},
		size:   "100,000 draws; 1,000 permutations",
		tests: join(in("internal/dp/mechanism", "TestReleasesAreOnTheGrid", "TestTrailingZeros", "TestInCounts"),
			in("internal/transforms/internal/records", "TestBoundingIgnoresOrderAndBundles"), in("internal/transforms/counts", "TestEncodingIsCanonical")),
	},
	{
		name:   "10 retries",
		covers: "solve and sampling twice, at once, in another process; a lost race; crashes before the model is kept and before the manifest; changed input: one model is seen, or fresh noise drawn",
		alarms: alarms{fresh: 1e-14},
		size:   "each way to retry; publishing broken at every step",
		tests: join(in("internal/transforms/synth", "TestSolveIsAFunctionOfSeedConfigAndCounts", "TestNoiseIsBoundToAllCounts",
			"TestAttemptsAtOnceReleaseOneModel", "TestSolveAdoptsTheStoredRelease", "TestSolveLosesARace", "TestRunsShareAStoredRelease",
			"TestCrashBeforeTheModelIsKept", "TestInputChangedAfterTheModelWasKept", "TestCrashBetweenModelAndManifest",
			"TestSamplingTwiceRepeatsTheRows", "TestPublishWantsEachShardOnce", "TestPublishRefusesTwoModels", "TestSecondSolveIsRefused", "TestFailureAfterADraw", "TestSolveRefusesSeedsAndTables"),
			in("internal/dp/mechanism", "TestStreamIsBound", "TestStreamIsBoundToCliques", "TestScreeningsBindTheirStreams"), in("internal/dp/internal/noise", "TestStreamsDiffer"),
			in("internal/io/store", "TestRace"), in("internal/io/dirsink", "TestFailureAtEveryStep", "TestConcurrentAttempts", "TestRacingRuns", "TestTwoRunsInEveryOrder"),
			in("internal/pipelines", "TestFailedRunLeavesNothing", "TestStoppedRunDoesNotPublish"), in("pipelines/dapple", "TestKill", "TestHangup", "TestReleaseIsKept")),
	},
	{
		name:   "11 canary audit",
		covers: "an attacker with the exact likelihood cannot refute the claim, and refutes it at half of the noise (a quarter for noisy maxima and rows in order); whole pipelines too, with rows in an order, runs that find their domain, and where rows are counted for persons",
		alarms: alarms{fresh: 1.2e-10, nightly: 1.6e-5, fixed: 1.6e-5},
		size:   "2 × 20,000 runs, 12 settings; 2 × 8,000 of published forms, 4; 2 × 1,000 pipelines; 2 × 60 found domains",
		long:   "2 × 200,000; 2 × 80,000; 2 × 10,000 pipelines, 1,000 on prism; 2 × 300",
		tests:  in("integration/privacy", "TestAudit", "TestAuditOfPublishedForms", "TestPipelineAudit", "TestFoundAudit", "TestClopperPearson"),
	},
	{
		name:   "12 accountant",
		covers: "published vectors; dp-accounting's loss distributions; curves, conversions and GDP against quadrature and from below in 1,500 bits; k-fold = k singles; monotone; outward rounding; ledger = draws",
		size:   "all events and kinds",
		tests: join(in("internal/dp/accountant", "TestCapacityVectors", "TestSelectionVectors", "TestGDPAgainstQuadrature", "TestRhoDeltaIsTheBestOrder",
			"TestRhoDeltaBoundsGaussians", "TestBoundedRangeIsTheWorstCase", "TestExactLossOfOneSelection", "TestCurvesAddUp", "TestMonotone",
			"TestOutwardRounding", "TestNoBudgetSaysWhichWay", "TestFloorsAreTheLargest", "TestLoss", "TestLossRoundsUp", "TestCountIsCharged", "TestChargesAddUp",
			"TestOverspendIsRefused", "TestMismatchesAreRefused", "TestStatementGolden", "TestAchieved", "TestBoundsInHighPrecision", "TestMuRoundsUp", "TestAllocate", "TestAgainstLossDistributions", "TestRhoDeltaNearOne", "TestVarianceIsNeverZero"),
			in("internal/dp/mechanism", "TestEveryDrawIsCharged", "TestChargeBeforeDraw", "TestOnce", "TestScreeningsAreCharged", "TestScreeningsChargeBeforeTheyDraw")),
	},
	{
		name:   "13 leaks",
		covers: "every cell a canary; standard output and error, logs, metrics, names and bytes of files, decoded pages, statistics and models, after runs that end well, badly and by a signal; evaluate and infer too",
		alarms: alarms{fresh: 1e-9},
		size:   "each end of a run, on two runners",
		tests: join(in("pipelines/dapple", "TestNeedles", "TestDecodedSeesPages", "TestDecodedSeesModels", "TestCanaries", "TestParquetCanaries",
			"TestInterruptedCanaries", "TestEvaluateCanaries", "TestInferCanaries"),
			in("internal/transforms/synth", "TestCanaries", "TestMetricsAreBlind"), in("internal/dp/mechanism", "TestErrorsHoldNoCounts"), in("internal/pipelines", "TestStrictRunsSaySo")),
	},
	{
		name:   "14 hostile bytes",
		covers: "domain file, CSV, Parquet, JSON lines, Avro, Arrow, model, stored release, conditions, flags, every registered coder: refused without a panic, in bounded memory (make nightly: a minute of fuzzing each)",
		size:   "the seeds of every fuzz target",
		tests: join(in("internal/transforms/counts", "FuzzDecodeTable", "FuzzDecodePiece", "TestDecodeRefusesHugeHeaders"), in("internal/transforms/private", "FuzzDecodeChunk"),
			in("internal/transforms/internal/records", "FuzzDecode"), in("internal/transforms/synth", "FuzzElements", "FuzzDecodeArtifact"),
			in("pipelines/dapple", "FuzzFlags"), in("internal/model/relation", "FuzzCondition"), in("internal/release/answer", "FuzzParse"), in("internal/request/infer", "FuzzTypes"), in("internal/request/contract", "FuzzPropose"), in("internal/io/schema", "FuzzParse"), in("internal/model/cellkind", "FuzzCanonical"),
			in("internal/io/csvio", "FuzzReader", "FuzzBlankLines", "FuzzAgainstStandard"), in("io/jsonio", "FuzzReader", "TestDamagedFiles"), in("io/avroio", "FuzzReader", "TestDamagedFiles", "TestContainers", "TestOddRecords"),
			in("io/arrowio", "FuzzReader", "TestDamagedFiles", "TestOddRecords"), in("internal/io/parquetio", "FuzzRead"), in("internal/io/parquetio/internal/codec", "FuzzUnpack"), in("internal/model/modelfile", "FuzzDecode"), in("dp/domain", "FuzzFromText")),
	},
	{
		name:   "15 losses of whole runs",
		covers: "likelihood ratios of whole transcripts of Rake and DPFW on neighbours, from formulas of their own: mean against the charge, hockey sticks, largest loss under pure ε, energy of the noise; half or a quarter of the noise and merged people are found",
		alarms: alarms{nightly: 5e-9, fixed: 5e-9},
		size:   "24 and 12 cells, both relations; 400 and 800 runs of each pair", long: "20,000; 40,000",
		tests: in("integration/privacy", "TestTranscriptsOfRake", "TestTranscriptsOfDPFW"),
	},
	{
		name:   "16 random problems",
		covers: "domains, events, learned bins, impossible records, people, options and methods at random, from records to the artifact: every number that noise is added to and every score, in exact fractions, against what is declared and charged; the same artifact without data; a release of any few people",
		size:   "120 runs, 3 neighbours each; 352 of 0 to 10 people", long: "30,000; 1,056",
		tests: in("internal/transforms/synth", "TestRandomRuns", "TestFewPeople"),
	},
	{
		name:   "17 audit of whole runs",
		covers: "losses of whole runs of DPAM and Rake on the worst of forty pairs, from exact tables: events, people without rows, learned bins, criteria, measured error, public tables; runs that find their domain and release with what is left, as one loss; runs at sixteen times the ε refute the claim",
		alarms: alarms{fresh: 1.2e-8},
		size:   "10 configurations, 200 runs each; 6 with their finding, 300", long: "20,000",
		tests: join(in("internal/transforms/synth", "TestAuditOfWholeRuns"), in("internal/transforms/discover", "TestAuditOfFoundRuns")),
	},
}
