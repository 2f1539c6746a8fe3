package synth

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// logKeeper keeps everything that is logged while a pipeline runs.
type logKeeper struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logKeeper) Log(_ context.Context, _ beamlog.Severity, _ int, msg string) {
	l.Write([]byte(msg + "\n"))
}

func (l *logKeeper) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String is called while the runner, whose goroutines outlive the job, may still log.
func (l *logKeeper) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Values and IDs of records show in no log line, no error and no released byte, whatever happens to
// them: usable or not, one row or many. Noise makes the word in 10 kB of a release with probability 1e-10.
func TestCanaries(t *testing.T) {
	const value, id = "canaryvalue", "canaryid"
	rows := [][]string{{value, value, value}, {"F", "30", "2020-01-03"}, {value, "1", value}}
	chunk := transformtest.Chunk(rows, []string{id, id, id + "2"})
	chunk.Source, chunk.Lines = "people.csv", []int{2, 3, 4}
	for name, unreadable := range map[string]private.Unreadable{
		"lenient": private.DeclaredCell, "strict": private.FailWithPosition,
	} {
		logs := &logKeeper{}
		beamlog.SetLogger(logs)
		old := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug})))
		dir := t.TempDir()

		pl, s := beam.NewPipelineWithRoot()
		coded := private.Encode(s, transformtest.Create(s, chunk), visits(), private.EncodeParams{Unreadable: unreadable})
		stats := counts.Count(s, private.Bound(s, coded, private.BoundParams{}), workload(), counts.Params{})
		store := StoreRef{Kind: "dir", Config: dir}
		model := Solve(s, stats, SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", Store: store, RunID: "run"})
		got := transformtest.Capture[*domain.Chunk](s, Sample(s, model, SampleParams{Rows: 10}))
		err := transformtest.RunOn("prism", pl)

		slog.SetDefault(old)
		beamlog.SetLogger(&beamlog.Structural{})
		must.Hold(t, (err != nil) == (unreadable == private.FailWithPosition), "%s: error %v", name, err)
		release, _, _ := dirStore{dir}.Get(context.Background(), "run.release")
		seen := fmt.Sprint(err, logs.String(), string(release))
		for _, c := range got.Elements() {
			seen += strings.Join(lines(c), " ")
		}
		must.Hold(t, !strings.Contains(seen, "canary"), "%s: a value or an ID can be seen outside", name)
	}
}
