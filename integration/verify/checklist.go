package main

// row is a line of the checklist of known defects of private programs, with the tests that would see
// each here.
type row struct {
	number int
	defect string
	tests  []named
}

var checklist = []row{
	{1, "porous float Laplace", in("internal/dp/mechanism", "TestReleasesAreOnTheGrid", "TestMeasureLoss")},
	{2, "ulp of noise + x shows x", in("internal/dp/mechanism", "TestTrailingZeros", "TestInCounts")},
	{3, "float Gaussian", join(in("internal/dp/mechanism", "TestReleasesAreOnTheGrid"), in("internal/dp/internal/noise", "TestGaussianTrialLaw"))},
	{4, "sampling time", in("internal/pipelines", "TestNothingTimedIsReleased")},
	{5, "softmax underflow", in("internal/dp/internal/noise", "TestSelectorWideGap")},
	{6, "ties in discrete noisy maximum", in("internal/dp/mechanism", "TestLaplaceMaxLoss")},
	{7, "noisy maximum charged r²/8", in("internal/dp/accountant", "TestNoisyMaxIsNotBoundedRange")},
	{8, "float sums: order, rounding", join(in("internal/transforms/counts", "TestEncodingIsCanonical"), in("internal/transforms/internal/records", "TestBoundingIgnoresOrderAndBundles"))},
	{9, "NaN, ±Inf pass clamps", join(in("dp/domain", "TestFromText", "TestFromValues", "TestUnusable"), in("pipelines/dapple", "TestUnusableCells"))},
	{10, "sensitivity overflow", join(in("internal/dp/accountant", "TestHugeSensitivities"), in("internal/transforms/counts", "TestMergeRefusesOverflow"))},
	{11, "bound rounded the wrong way", in("internal/dp/accountant", "TestRationalsRoundAsNamed", "TestMeasureRoundsNoiseUp", "TestOutwardRounding", "TestBoundsInHighPrecision")},
	{12, "bounding wrong for equal outliers", in("internal/transforms/private", "TestBound")},
	{13, "clipping after aggregation", in("integration", "TestOnlyBoundedUnitsCanBeCounted")},
	{14, "relation mixed up", join(in("internal/dp/mechanism", "TestWholeRuns"), in("internal/dp/accountant", "TestMismatchesAreRefused", "TestSensitivitiesOfRelations"))},
	{15, "\"monotone\" claimed", join(in("internal/dp/mechanism", "TestRanges"), in("integration", "TestWhatIsNotOffered"))},
	{16, "domain from data", in("internal/pipelines", "TestReplayOfWholeRuns")},
	{17, "n in rows, rounds, model size", in("internal/transforms/synth", "TestSolverSeesPublicFiguresOnly", "TestReleaseFollowsTheCuratorAlone")},
	{18, "overspend in adaptive loops", in("internal/dp/mechanism", "TestEveryDrawIsCharged", "TestScreeningsAreCharged")},
	{19, "repeat count ignored", in("internal/dp/accountant", "TestCountIsCharged")},
	{20, "biased dependency sampler", in("internal/dp/internal/noise", "TestLaplaceTrialLaw", "TestGaussianTrialLaw", "TestDrawsFit")},
	{21, "modulo bias, off by one", in("internal/dp/internal/noise", "TestBelow")},
	{22, "re-execution redraws", in("internal/transforms/synth", "TestSolveIsAFunctionOfSeedConfigAndCounts", "TestSolveAdoptsTheStoredRelease", "TestRunsShareAStoredRelease")},
	{23, "row order leaks", in("internal/pipelines", "TestReplayOfWholeRuns")},
	{24, "generator state cloned", join(in("internal/dp/mechanism", "TestStreamIsBound"), in("internal/transforms/synth", "TestNoiseIsBoundToAllCounts"))},
	{25, "seed exposed", join(in("internal/dp/internal/noise", "TestNothingPrints"), in("integration", "TestNoPublicNoiseSeed"))},
	{26, "values in errors, logs, counters", join(in("internal/transforms/synth", "TestCanaries"), in("internal/dp/mechanism", "TestErrorsHoldNoCounts"),
		in("pipelines/dapple", "TestCanaries", "TestParquetCanaries", "TestInterruptedCanaries"))},
	{27, "data-dependent failure", join(in("internal/pipelines", "TestReplayOfWholeRuns"), in("pipelines/dapple", "TestOddTables"), in("dp/domain", "FuzzFromText"))},
	{28, "empty privacy ID merges people", join(in("internal/transforms/private", "TestBound", "TestIDsOfEveryForm"), in("internal/transforms/counts", "TestNeighboursDifferByOneRecord"))},
	{29, "order-dependent bounding", in("internal/transforms/internal/records", "TestBoundingIgnoresOrderAndBundles")},
	{30, "approximation not charged", in("internal/dp/accountant", "TestApproximationsAreListed", "TestLoss")},
	{31, "error not per coordinate", in("internal/dp/accountant", "TestCoordinatesCost", "TestCoordinatesAreReserved")},
	{32, "float budgets", in("internal/dp/accountant", "TestSharesSumExactly", "TestChargesAddUp")},
	{33, "parallel or group composition assumed", in("integration", "TestWhatIsNotOffered")},
	{34, "\"post-processing\" reads data", join(in("integration", "TestLayering"), in("integration/privacy", "TestReplayNeighbours"))},
}
