package synth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// metricsOf runs the whole graph over the rows and returns every metric that dapple itself has counted: a
// line for each name and value. Runners add their own, of exact element counts, which are for the operator.
func metricsOf(t *testing.T, rows [][]string, ids []string) (own, all []string) {
	t.Helper()
	pl, s := beam.NewPipelineWithRoot()
	var chunks []*domain.Chunk
	if len(rows) > 0 {
		chunks = append(chunks, transformtest.Chunk(rows, ids))
	}
	coded := private.Encode(s, transformtest.Create(s, chunks...), visits(), private.EncodeParams{})
	stats := counts.Count(s, private.Bound(s, coded, private.BoundParams{}), workload(), counts.Params{})
	Sample(s, Solve(s, stats, SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: "run"}), SampleParams{Rows: 40, Shards: 2})
	result := must.Value(beam.Run(context.Background(), "prism", pl))(t)
	m := result.Metrics().AllMetrics()
	add := func(namespace, name string, value any) {
		line := fmt.Sprint(namespace, " ", name, " ", value)
		if all = append(all, line); strings.HasPrefix(namespace, "dapple") {
			own = append(own, line)
		}
	}
	for _, c := range m.Counters() {
		add(c.Namespace(), c.Name(), c.Committed)
	}
	for _, d := range m.Distributions() {
		add(d.Namespace(), d.Name(), d.Committed)
	}
	for _, g := range m.Gauges() {
		add(g.Namespace(), g.Name(), g.Committed.Value)
	}
	slices.Sort(own)
	return own, all
}

// TestMetricsAreBlind: the metrics of runs over many people, over one whose cells are canaries, and over
// nobody are the same, names and values, and hold no canary.
func TestMetricsAreBlind(t *testing.T) {
	var rows [][]string
	var ids []string
	for i := range 90 {
		rows, ids = append(rows, []string{"F", fmt.Sprint(i), "2020-01-03"}), append(ids, fmt.Sprint("person", i/2))
	}
	want, _ := metricsOf(t, rows, ids)
	must.Hold(t, slices.Contains(want, "dapple.sample rows 40"), "the rows written are not among %v: the search is blind", want)
	for name, c := range map[string]struct {
		rows [][]string
		ids  []string
	}{
		"canaries": {[][]string{{"canaryvalue", "canaryvalue", "canaryvalue"}}, []string{"canaryid"}},
		"nobody":   {nil, nil},
	} {
		got, all := metricsOf(t, c.rows, c.ids)
		must.Hold(t, slices.Equal(got, want), "%s: metrics %v, want %v", name, got, want)
		must.Hold(t, !strings.Contains(strings.Join(all, "\n"), "canary"), "%s: a metric shows a cell", name)
	}
}
