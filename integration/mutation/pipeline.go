package main

// pipeline are defects between records and counts, and between releases and rows.
var pipeline = []defect{
	{
		name: "a part of kept records ends within a unit", file: "transforms/counts/table.go", test: "TestPartsEndBetweenUnits",
		old: "if weight += t.weighed(rows[at-width : at]); weight&(1<<t.shape.WeightBits-1) == 0 {",
		new: "if weight += t.weighed(rows[at-width : at]); weight >= 0 {",
	},
	{
		name: "two records per unit, at a merge", file: "transforms/internal/records/units.go", test: "TestBoundingIgnoresOrderAndBundles",
		old: "n < len(parts) && parts[n].hash", new: "n < 1 && parts[n].hash",
	},
	{
		name: "noise is drawn after a step has failed", file: "transforms/synth/failed.go", test: "TestNothingIsDrawnAfterAFailedBundle",
		old: "!w.any.Load()", new: "w.any.Load()",
	},
	{
		name: "noise is drawn after a step has failed, as there is a store", file: "transforms/synth/failed.go", test: "TestNothingIsDrawnAfterAFailedBundle",
		old: "again && f.Params", new: "(again || !again) && f.Params",
	},
	{
		name: "two records per unit, in a bundle", file: "transforms/internal/records/compactor.go", test: "TestSetCountsRows",
		old: "if i == 0 || e.hash", new: "if i >= 0 || e.hash",
	},
	{
		name: "bounding at random", file: "internal/kit/bounding/ranker.go", dir: "transforms/internal/records", test: "TestBoundingIgnoresOrderAndBundles",
		old: "if r.state = first; before > 0 {", new: "r.state = first\n\t\t\tfor b := range map[byte]bool{0: true, 1: true, 2: true, 3: true} { // in random order\n\t\t\t\tr.state[0] = b\n\t\t\t}\n\t\t\tif before > 0 {",
	},
	{
		name: "first record of a unit kept", file: "internal/kit/bounding/ranker.go", test: "TestLeastSeesEveryRecord",
		old: "|| h < high || h == high && l < low {", new: "|| h < high && h > high || h == high && l < low {",
	},
	{
		name: "one of a unit's different rows kept, however often it has each", file: "internal/kit/bounding/ranker.go", dir: "transforms/internal/records", test: "TestChoiceIsUniformOverRecords",
		old: "before := range n {", new: "before := range min(n, 1) {",
	},
	{
		name: "number of equal rows dropped in a merge", file: "transforms/internal/records/units.go", test: "TestManyRowsOfOneUnit",
		old: "add(times[last], n)", new: "add(times[last], 0*n)",
	},
	{
		name: "ID missing from the rank", file: "internal/kit/bounding/ranker.go", dir: "transforms/internal/records", test: "TestUnitsChooseIndependently",
		old: "\tr.append(id)\n", new: "",
	},
	{
		name: "rows without an ID merged into one unit", file: "transforms/internal/records/set.go", dir: "transforms/private", test: "TestBound",
		old: "if len(id) == 0 {", new: "if len(id) < 0 {",
	},
	{
		name: "unknown value dropped", file: "transforms/private/encode.go", test: "TestEncode",
		old: "!ok && f.Unreadable == FailWithPosition {\n\t\treturn position", new: "!ok {\n\t\tif f.Unreadable != FailWithPosition {\n\t\t\treturn nil\n\t\t}\n\t\treturn position",
	},
	{
		name: "unusable value ends the run", file: "transforms/private/encode.go", test: "TestStrictFailsWithPositionOnly",
		old: "!ok && f.Unreadable == FailWithPosition {\n\t\treturn position", new: "!ok {\n\t\treturn position",
	},
	{
		name: "value in an error", file: "transforms/private/encode.go", test: "TestStrictFailsWithPositionOnly",
		old: "fmt.Errorf(\"private: %s line %d: column %q cannot be used as it is\", c.Source, c.Lines[row], column)",
		new: "fmt.Errorf(\"private: %s line %d: column %q cannot be used as it is: %v\", c.Source, c.Lines[row], column, string(c.ID.Text(row)))",
	},
	{
		name: "unit counted twice", file: "transforms/counts/count.go", test: "TestCount",
		old: "f.table.add(rows)", new: "f.table.add(append(rows, rows...))",
	},
	{
		name: "overflow of counts", file: "transforms/counts/table.go", test: "TestMergeRefusesOverflow",
		old: "if t.weight > math.MaxInt64-o.weight {", new: "if t.weight < 0 && math.MaxInt64 > o.weight {",
	},
	{
		name: "digest of counts misses the units", file: "transforms/counts/encode.go", test: "TestDigestSeesOneRecord",
		old: "b = appendCounts(b, table)", new: "b = appendCounts(b, table[:0])",
	},
	{
		name: "statistics missing from the key", file: "transforms/synth/solve.go", test: "TestNoiseIsBoundToAllCounts",
		old: "mechanism.NewRoot(secret, config, table.Digest())", new: "mechanism.NewRoot(secret, config, [32]byte{})",
	},
	{
		name: "configuration missing from the key", file: "transforms/synth/solve.go", test: "TestSolveIsAFunctionOfSeedConfigAndCounts",
		old: "mechanism.NewRoot(secret, config, table.Digest())", new: "mechanism.NewRoot(secret, [32]byte{}, table.Digest())",
	},
	{
		name: "zero seed accepted by the solve", file: "transforms/synth/seed.go", test: "TestSolveRefusesSeedsAndTables",
		old: "return mechanism.SeedFromBytes(b) }", new: "if s, err := mechanism.SeedFromBytes(b); err == nil {\n\t\treturn s, nil\n\t}\n\treturn mechanism.SeedFromBytes([]byte(\"a seed that everybody can look up\")[:32])\n}",
	},
	{
		name: "second seed ignored", file: "transforms/synth/solve.go", test: "TestSolveRefusesSeedsAndTables",
		old: "if seeds(&second) {", new: "if seeds(&second) && !second.Usable() {",
	},
	{
		name: "stored release not adopted", file: "transforms/synth/solve.go", test: "TestSolveAdoptsTheStoredRelease",
		old: "\tif data == nil {\n", new: "\tif true {\n",
	},
	{
		name: "loser of a race releases its own model", file: "transforms/synth/release.go", test: "TestSolveLosesARace",
		old: "return current, f.check(name, current)", new: "return data, f.check(name, current)",
	},
	{
		name: "release of another configuration adopted", file: "transforms/synth/release.go", test: "TestSolveAdoptsTheStoredRelease",
		old: "a.Config != hex.EncodeToString(config[:])", new: "a.Config == hex.EncodeToString(config[:2])",
	},
	{
		name: "n in the round rule under AddRemove", file: "transforms/synth/solve.go", test: "TestSolverSeesPublicFiguresOnly",
		old: "\tmethod, err := methods.Lookup(f.Params.Method)\n", new: "\tproblem.Units = float64(table.Units())\n\tmethod, err := methods.Lookup(f.Params.Method)\n",
	},
	{
		name: "row count = n", file: "transforms/synth/solve.go", test: "TestReleaseFollowsTheCuratorAlone",
		old: "\tif len(problem.Criteria.Limits) > 0 {", new: "\tresult.Total.Units = float64(table.Units())\n\tif len(problem.Criteria.Limits) > 0 {",
	},
	{
		name: "row count = n, seen by whole runs", file: "transforms/synth/solve.go", dir: "pipelines", test: "TestReplayOfWholeRuns",
		old: "\tif len(problem.Criteria.Limits) > 0 {", new: "\tresult.Total.Units = float64(table.Units())\n\tif len(problem.Criteria.Limits) > 0 {",
	},
	{
		name: "digest of the counts in the statement", file: "transforms/synth/solve.go", dir: "pipelines", test: "TestReplayOfWholeRuns",
		old: "Config: hex.EncodeToString(config[:]), Method: method.Name", new: "Config: fmt.Sprintf(\"%x\", table.Digest()), Method: method.Name",
	},
	{
		name: "equal rows of a unit stay apart in a bundle", file: "transforms/internal/records/compactor.go", test: "TestSetCountsRows",
		old: "bytes.Equal(row, u.row(last))", new: "len(row) == 0",
	},
	{
		name: "equal rows of a unit are held until they are flushed", file: "transforms/internal/records/compactor.go", test: "TestLogsAreCompacted",
		old: "if found >= 0 {", new: "if found > 1<<30 {",
	},
	{
		name: "NaN becomes a number", file: "dp/domain/column.go", test: "TestFromValues",
		old: "if math.IsNaN(v) || math.IsInf(v, 0) {", new: "if math.IsInf(v, 0) {",
	},
	{
		name: "infinities become numbers", file: "dp/domain/column.go", test: "TestFromValues",
		old: "if math.IsNaN(v) || math.IsInf(v, 0) {", new: "if math.IsNaN(v) {",
	},
	{
		name: "number of units on standard error", file: "transforms/counts/count.go", dir: "pipelines/dapple", test: "TestOddTables",
		old: "f.table.add(rows)", new: "f.table.add(rows)\n\tprintln(b.N)",
	},
	{
		name: "blank record of a file of one column dropped", file: "io/csvio/reader.go", test: "TestBlankLines",
		old: "out.scan.one = len(columns) == 1", new: "out.scan.one = false",
	},
	{
		name: "record dropped for a cell, seen by whole runs", file: "io/csvio/reader.go", dir: "pipelines", test: "TestReplayOfWholeRuns",
		old: "\t\tsize += n\n", new: "\t\tsize += n\n\t\tif c := r.into[len(r.into)-1]; len(c.Nulls) > chunk.Rows {\n\t\t\tfor _, c := range r.into {\n" +
			"\t\t\t\tif c.Form != domain.Absent {\n\t\t\t\t\tc.Offsets, c.Nulls = c.Offsets[:chunk.Rows+1], c.Nulls[:min(chunk.Rows, len(c.Nulls))]\n" +
			"\t\t\t\t\tc.Bytes = c.Bytes[:c.Offsets[chunk.Rows]]\n\t\t\t\t}\n\t\t\t}\n\t\t\tchunk.Lines = chunk.Lines[:chunk.Rows]\n\t\t\tchunk.Rows--\n\t\t}\n",
	},
	{
		name: "a mark in a record decides", file: "io/csvio/encoding.go", test: "TestNoRecordEndsARun",
		old: "case len(opts.Columns) == 0:", new: "case len(opts.Columns) >= 0:",
	},
	{
		name: "a record decides what a file is", file: "io/csvio/open.go", test: "TestNoRecordEndsARun",
		old: "\tif !out.header {\n", new: "\tif false {\n",
	},
	{
		name: "a record decides what a file is, seen by the command", file: "io/csvio/open.go", dir: "pipelines/dapple", test: "TestFirstRecordsDecideNothing",
		old: "\tif !out.header {\n", new: "\tif false {\n",
	},
	{
		name: "records decide what their header line is", file: "io/csvio/open.go", test: "TestHeaderLikeAMark",
		old: "foreign(out.scan.headerLine())", new: "foreign(out.scan.buf[:out.scan.end])",
	},
	{
		name: "a ragged line ends the run", file: "io/csvio/reader.go", test: "TestNoRecordEndsARun",
		old: "case !r.opts.Strict:", new: "case !r.opts.Strict && cells == r.columns:",
	},
	{
		name: "a ragged line ends the run, seen by the command", file: "io/csvio/reader.go", dir: "pipelines/dapple", test: "TestMalformedLinesAreRecords",
		old: "case !r.opts.Strict:", new: "case !r.opts.Strict && cells == r.columns:",
	},
	{
		name: "a missing cell is no NULL", file: "io/csvio/reader.go", test: "TestNoRecordEndsARun",
		old: "\t\t\tr.put(r.into[i], row, nil, true)", new: "\t\t\tr.put(r.into[i], row, nil, false)",
	},
	{
		name: "a stray quote takes the next line", file: "io/csvio/scan.go", test: "TestNoRecordEndsARun",
		old: "\t\treturn s.bare() // none of its quotes is one", new: "\t\treturn s.quoted()",
	},
	{
		name: "an ID of a struct saturates", file: "transforms/internal/fields/read.go", test: "TestIDsOfEveryKind",
		old: "strconv.AppendUint(dst, field.Uint(), 10)", new: "strconv.AppendUint(dst, min(field.Uint(), math.MaxInt64), 10)",
	},
	{
		name: "trim joins two IDs", file: "io/csvio/reader.go", test: "TestIDsStayDistinct",
		old: "trim, marks = r.opts.TrimID, r.opts.NullID", new: "trim, marks = r.opts.TrimID || r.opts.Trim, r.opts.NullID",
	},
	{
		name: "a NULL mark drops an ID", file: "io/csvio/reader.go", test: "TestIDsStayDistinct",
		old: "trim, marks = r.opts.TrimID, r.opts.NullID", new: "trim, marks = r.opts.TrimID, append(r.opts.NullID, r.opts.Null...)",
	},
	{
		name: "line ends in IDs are one", file: "io/csvio/scan.go", test: "TestIDsStayDistinct",
		old: "\t\ts.text = s.buf[s.from:s.to]\n", new: "\t\ts.text = bytes.ReplaceAll(s.buf[s.from:s.to], []byte(\"\\r\\n\"), []byte(\"\\n\"))\n",
	},
	{
		name: "long IDs are one", file: "io/csvio/scan.go", test: "TestIDsStayDistinct",
		old: "\t\ts.sum.Write(s.raw)\n", new: "",
	},
	{
		name: "malformed UTF-16 is one character", file: "io/csvio/utf16.go", test: "TestWideIDsStayDistinct",
		old: "\tu.written = append(u.written, 0xe0|byte(v>>12), 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)", new: "\tu.written = utf8.AppendRune(u.written, utf8.RuneError)",
	},
	{
		name: "the parameter that names the runner is not asked for a store", file: "transforms/synth/runner.go", test: "TestRestartingRunnersNeedAStore",
		old: "if name := runnerName(p.Runner); p.Store.Kind",
		new: "if name := runnerName(\"\"); p.Store.Kind",
	},
	{
		name: "a second attempt draws without a store", file: "transforms/synth/runner.go", test: "TestNoSecondDrawWithoutAStore",
		old: "if _, again := drew.LoadOrStore(f.Launch.ID+\" \"+p.RunID, true); again {",
		new: "if _, again := drew.LoadOrStore(f.Launch.ID+\" \"+p.RunID, true); again && p.Runner != \"\" {",
	},
	{
		name: "IDs changed on request without a word", file: "pipelines/output.go", dir: "pipelines/dapple", test: "TestStatementSaysWhatIDsAre",
		old: "TrimID: form.TrimID, NullID: form.NullID,", new: "TrimID: form.TrimID && false,",
	},
	{
		name: "missing numbers are one person", file: "transforms/private/encode.go", test: "TestIDsOfEveryForm",
		old: "case math.IsNaN(x):", new: "case math.IsInf(x, 0):",
	},
	{
		name: "units of one hash merged", file: "transforms/internal/records/compactor.go", test: "TestIDsOfOneHash",
		old: "u.hash == hash && bytes.Equal(data[u.start:int(u.end)+c.width], idRow)", new: "u.hash == hash",
	},
	{
		name: "units of one hash merged where bundles meet", file: "transforms/internal/records/units.go", test: "TestIDsOfOneHash",
		old: "parts[n].hash == first.hash && bytes.Equal", new: "parts[n].hash == first.hash || bytes.Equal",
	},
	{
		name: "a bundle passes on more than a message holds", file: "transforms/private/bound.go", test: "TestBoundStopsAtMaxBundle",
		old: "f.sent > f.MaxBundle", new: "f.sent < 0",
	},
	{
		name: "digest of counts misses pending records", file: "transforms/counts/encode.go", test: "TestCoverCountsAsCliques",
		old: "\tt.settle()\n\tfor _, table", new: "\tfor _, table",
	},
	{
		name: "digest of counts outlives a merge", file: "transforms/counts/table.go", test: "TestEncodingIsCanonical",
		old: "t.sorted, t.digest, t.columns, t.answered = false, nil, nil, nil", new: "t.sorted, t.columns, t.answered = false, nil, nil",
	},
	{
		name: "adaptive run stated as planned", file: "transforms/synth/ledger.go", test: "TestRakeReleasesAreRetrySafe",
		old: "if solver.Adaptive(planned) {\n\t\treturn accountant.Adaptive", new: "if solver.Adaptive(planned) {\n\t\treturn accountant.Planned",
	},
	{
		name: "a table of nobody ends the run", file: "transforms/synth/solve.go", dir: "pipelines", test: "TestReplayOfWholeRuns",
		old: "\tproblem := f.problem(solving(ctx))", new: "\tif table.Units() == 0 {\n\t\treturn nil, errors.New(\"synth: no units\")\n\t}\n\tproblem := f.problem(solving(ctx))",
	},
	{
		name: "each window is released from", file: "transforms/private/encode.go", dir: "transforms/synth", test: "TestSynthesizeRefusesStreams",
		old: "w.Kind != window.GlobalWindows", new: "w.Kind == window.Sessions",
	},
	{
		name: "a panic says what it said", file: "pipelines/beamerror.go", test: "TestRootCause",
		old: "\t\tmessage = \"pipelines: what it says is not shown, because it may depend on records\"\n", new: "",
	},
	{
		name: "rows of a person from its different ones", file: "internal/kit/bounding/summary.go", test: "TestSummary",
		old: "if total += n; total < n {", new: "if total += min(n, 1); total < 0*n {",
	},
	{
		name: "the bin of many rows in one byte", file: "internal/kit/bounding/summary.go", test: "TestManyBins",
		old: "\t\tif most < 1<<8 {\n", new: "\t\tif most > 0 || true {\n",
	},
	{
		name: "part of a record is counted", file: "transforms/counts/table.go", test: "TestPartOfARecord",
		old: "w > 0 && len(rows)%w != 0 {", new: "w > 0 && len(rows) < w {",
	},
	{
		name: "shares without their remainders", file: "internal/kit/bounding/shares.go", test: "TestSharesAddUp",
		old: "\t\tout[r.row]++\n", new: "\t\tout[r.row] += 0\n",
	},
	{
		name: "shares of one step too many", file: "internal/kit/bounding/shares.go", test: "TestSharesAddUp",
		old: "uint64(1)<<unit\n", new: "uint64(1)<<unit+1\n",
	},
	{
		name: "shares of different rows and not of all", file: "internal/kit/bounding/summary.go", test: "TestSummary",
		old: "range shares(s.Unit, rank, id, rows, times)", new: "range shares(s.Unit, rank, id, rows, slices.Repeat([]uint64{1}, len(times)))",
	},
	{
		name: "noise coarser than weights", file: "dp/accountant/calibrate.go", test: "TestNoiseIsAsFineAsWeights",
		old: "GridBits: l.params.WeightBits,", new: "GridBits: 0 * l.params.WeightBits,",
	},
	{
		name: "noise of distances coarser than weights", file: "dp/accountant/grid.go", test: "TestNoiseIsAsFineAsWeights",
		old: "max(gridFor(variances), l.params.WeightBits)", new: "gridFor(variances)",
	},
	{
		name: "weights count as records in scores", file: "dp/mechanism/gate.go", test: "TestWeightedSensitivities",
		old: "count<<(accountant.ScoreGridBits-g.weightBits)", new: "count<<accountant.ScoreGridBits",
	},
	{
		name: "weights count as records in distances", file: "dp/mechanism/distance.go", test: "TestWeightedSensitivities",
		old: "count>>weightBits-int64(whole)", new: "count-int64(whole)",
	},
	{
		name: "a run's ledger knows no weights", file: "transforms/synth/ledger.go", dir: "pipelines", test: "TestPeople",
		old: "WeightBits:   p.Domain.WeightBits(),", new: "WeightBits:   0,",
	},
	{
		name: "rows of people who are not in the table of people", file: "internal/kit/bounding/summary.go", dir: "transforms/counts", test: "TestNeighboursWithPeopleOfTheirOwnTable",
		old: "len(often) == 0 {\n", new: "len(often) == 0 && len(times) == 0 {\n",
	},
	{
		name: "people without rows weigh nothing", file: "internal/kit/bounding/summary.go", dir: "transforms/counts", test: "TestNeighboursWithPeopleOfTheirOwnTable",
		old: "rows, times = s.None, []uint64{1}", new: "rows, times = nil, nil",
	},
	{
		name: "first value of a person is usual", file: "internal/kit/bounding/summary.go", test: "TestSummary",
		old: "often[string(value)] > often[string(best)] {", new: "often[string(value)] > 1<<62 {",
	},
	{
		name: "what a person's rows share is drawn for each", file: "transforms/synth/people.go", test: "TestRowsOfPeople",
		old: "if s.people.same[attr] {", new: "if s.people.same[attr] && row < 0 {",
	},
	{
		name: "a value of a person follows one of an event", file: "dp/domain/events.go", dir: "transforms/synth", test: "TestRowsOfPeople",
		old: "d.OfPerson(i) && !d.OfPerson(a)", new: "d.OfPerson(i) && false",
	},
	{
		name: "impossible row of a person", file: "internal/model/population/people.go", test: "TestFewDonors",
		old: "p.support == nil || p.support.Possible(dst)", new: "p.support == nil || try == 0",
	},
	{
		name: "rows dealt in turn", file: "internal/model/population/people.go", test: "TestRowsOfAPersonAreIndependent",
		old: "at := permute(uint64(q.first+j-c.first), n, p.seed+uint64(q.class))", new: "at := uint64(q.first + j - c.first)",
	},
}
