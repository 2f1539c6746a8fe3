package pipelines

import (
	"strings"
	"testing"
)

// Where workers are elsewhere, what only this machine can reach is refused, each name with its flag.
func TestPlacesOfRemoteWorkers(t *testing.T) {
	runners["elsewhere"] = false
	defer delete(runners, "elsewhere")
	places := []place{{"--input", "people.csv"}, {"--output", "gs://bucket/out"}, {"--release", "/out"}}
	var faults Faults
	checkPlaces("elsewhere", &faults, places...)
	if len(faults) != 2 || faults[0].Where != "--input" || faults[1].Where != "--release" ||
		!strings.Contains(faults[0].String(), `"people.csv", which the workers of runner elsewhere cannot reach; name gs://bucket/path`) {
		t.Error(faults)
	}
	faults = nil
	checkPlaces("prism", &faults, places...)
	checkPlaces("magic", &faults, places...) // refused for its name
	checkTemp("", &faults)
	checkTemp("gs://bucket/temp", &faults)
	if len(faults) != 0 {
		t.Error(faults)
	}
	for _, dir := range []string{"/tmp", "s3://bucket/temp", "gs://bucket/a?b"} {
		faults = nil
		if checkTemp(dir, &faults); len(faults) != 1 || faults[0].Where != "--temp_location" {
			t.Errorf("%s: %v", dir, faults)
		}
	}
}

// The release is kept where the workers of a run see it.
func TestStagingFollowsTheOutput(t *testing.T) {
	st, err := stage(t.Context(), "", "gs://bucket/out", "run")
	if err != nil || st.dir != "gs://bucket/out/_tmp/run-release" {
		t.Error(st, err)
	}
	if st, err = stage(t.Context(), "", "out", "run"); err != nil || strings.Contains(st.dir, "out/") {
		t.Error(st, err)
	}
	st.remove(t.Context())
}
