package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// What a failed run says of its budget follows from what its store holds: the mark is there before the first
// draw, so that a run without it has spent nothing. A release is kept without the records that it was made of.
func TestEndingFollowsTheMark(t *testing.T) {
	failed := errors.New("it failed")
	for name, tt := range map[string]struct {
		objects []string
		request string
		kept    bool
		says    string
	}{
		"nothing drawn":    {nil, "a", false, "nothing was written and no privacy budget was spent"},
		"drawn":            {[]string{"r.drawn"}, "a", false, "noise had been drawn: count the privacy budget of this run as spent"},
		"released":         {[]string{"r.drawn", "r.release"}, "a", true, "is spent, and its release is kept"},
		"released, a pipe": {[]string{"r.drawn", "r.release"}, "", false, "is discarded, since no later run could tell whether its input is the same: count the privacy budget of this run as spent"},
		"of another run":   {[]string{"s.drawn"}, "a", false, "no privacy budget was spent"},
	} {
		st := Staging{Dir: t.TempDir()}
		for _, o := range tt.objects {
			_, _, err := archive.Open(st.Dir).CreateIfAbsent(t.Context(), o, nil)
			must.Do(t, err)
		}
		records := "r" + synth.PartsSuffix + "/one"
		_, _, err := archive.Open(st.Dir).CreateIfAbsent(t.Context(), records, nil)
		must.Need(t, err == nil, "%v", err)
		kept, err := st.Ending(t.Context(), Note{RunID: "r", Request: tt.request}, failed)
		if _, found, err := archive.Open(st.Dir).Get(t.Context(), records); kept && found || err != nil {
			t.Errorf("%s: what is kept has records of the table: %t, %v", name, found, err)
		}
		must.Hold(t, kept == tt.kept && errors.Is(err, failed) && strings.Contains(err.Error(), tt.says), "%s: kept %t, %v", name, kept, err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(blocked, nil, 0o600))
	st := Staging{Dir: blocked}
	if _, err := st.Ending(t.Context(), Note{RunID: "r"}, failed); !strings.Contains(err.Error(), "it could not be found out whether noise had been drawn: count the privacy budget of this run as spent") {
		t.Errorf("a store that cannot be read: %v", err)
	}
}

// Where a mark cannot be read, nobody says that nothing was spent, and nobody begins the run of that ID anew.
func TestMarksThatCannotBeRead(t *testing.T) {
	for _, suffix := range []string{synth.DrawnSuffix, synth.ReleaseSuffix} {
		st := Staging{Dir: t.TempDir()}
		must.Do(t, errors.Join(st.Sign(t.Context(), Note{RunID: "night", Request: "r"}), os.Mkdir(filepath.Join(st.Dir, "night"+suffix), 0o700)))
		f, ok := inspectAbandoned(t.Context(), st.Dir)
		if !ok || !strings.Contains(f.Describe(), "could not be found out whether noise had been drawn: count its budget as spent") || f.Ends(t.Context()) {
			t.Errorf("%s: found %v, said %s", suffix, ok, f.Describe())
		}
		f.Unlock()
	}
	st := Staging{Dir: t.TempDir()}
	must.Do(t, st.Sign(t.Context(), Note{RunID: "night"}))
	f, ok := inspectAbandoned(t.Context(), st.Dir)
	must.Hold(t, ok && f.Ends(t.Context()), "a run that has not drawn cannot be ended")
	f.Unlock()
	_, drawn, err := Open(st.Dir).Get(t.Context(), "night"+synth.DrawnSuffix)
	must.Hold(t, !drawn && err != nil, "after its end it may draw: %v, %v", drawn, err)
}

// A release that an earlier version has kept cannot be taken up: who reads of it learns why.
func TestKeptByAnotherVersion(t *testing.T) {
	f := Leftover{Note: Note{Version: "v0.9.0", RunID: "a"}, Drawn: true}
	must.Contain(t, f.Describe(), "counts as spent (written by dapple v0.9.0; this is ", "said")
}
