package pipelines

import (
	"errors"
	"testing"
)

func TestRootCause(t *testing.T) {
	const chain = "job job-001[go-job-1] failed:\nbundle inst003 stage-005 failed:process bundle failed for instruction inst003 using plan stage-005 : " +
		"while executing Process for Plan[stage-005]:\n1: DataSource[S[stage-005_source@localhost:1], i0] Out:10 \n10: ParDo[csvio.readFile] Out:[9]\n" +
		"\tcaused by:\nsource failed processing data\n\tcaused by:\nDoFn[UID:10, PID:e4, Name: github.com/dapple-dp/dapple/io/csvio.readFile] failed:\n"
	for _, tt := range []struct {
		name, err, want string
		ours            bool
	}{
		{"of a DoFn", chain + "csv: people.csv: line 812: not as many cells as the header line has", "csv: people.csv: line 812: not as many cells as the header line has", true},
		{"of two lines", chain + "csv: a\ncsv: b", "csv: a\ncsv: b", true},
		{"wrapped by ours", chain + "synth: closing shard 3: sink: shard 3: no space left on device", "synth: closing shard 3: sink: shard 3: no space left on device", true},
		{"without a chain", "csv: people.csv: the file is empty", "csv: people.csv: the file is empty", true},
		{"panic of ours", "job job-001 failed:\npanic: pipelines: a directory is plain data\nFull error:\nwhile executing\n\tcaused by:\ngoroutine 12 [running]", "pipelines: a directory is plain data", true},
		{"panic of another", chain + "panic: runtime error: index out of range [5] with length 3\nFull error:\ngoroutine 12 [running]:", "the runner failed: panic: runtime error: index out of range [5] with length 3", false},
		{"a word that ends like ours", "rpc error: nocsv: unavailable", "the runner failed: rpc error: nocsv: unavailable", false},
		{"the runner's", "connecting to job service: dial timeout\nmore", "the runner failed: connecting to job service: dial timeout", false},
	} {
		got := rootCause(errors.New(tt.err))
		if got.Error() != tt.want || errors.Is(got, ErrRunner) == tt.ours {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if rootCause(nil) != nil {
		t.Error("no error has a cause")
	}
}
