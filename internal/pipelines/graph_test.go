package pipelines

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// wide makes a request for n columns of the given number of categories.
func wide(t *testing.T, n, categories int) Config {
	t.Helper()
	c := shop(t, 0)
	var d, header strings.Builder
	d.WriteString("privacy_id: none\ncolumns:\n")
	for i := range n {
		values := make([]string, categories)
		for v := range values {
			values[v] = fmt.Sprintf("category %d", v)
		}
		fmt.Fprintf(&d, "  - {name: column_%d, type: STRING, values: [%s], other: true}\n", i, strings.Join(values, ", "))
		fmt.Fprintf(&header, ",column_%d", i)
	}
	for path, content := range map[string]string{c.Domain: d.String(), c.Input: header.String()[1:] + "\n"} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	c.Method, c.Epsilon, c.Delta = "rake", 1, 1e-9
	return c
}

// TestGraphIsSmall: what a runner is sent for 100 columns, 166,750 marginals and eight branches is below 500 kB,
// where runners take some megabytes. The domain is in it once for each step that needs it, the workload packed and
// where it is solved and described. No cell of the table is.
func TestGraphIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to validate 100 columns; make integration runs it")
	}
	c := wide(t, 100, 20)
	c.Shards = synth.PrismBranches
	table, err := os.ReadFile(c.Input)
	if err == nil {
		err = os.WriteFile(c.Input, append(table, strings.Repeat(",canary", 100)[1:]+"\n"...), 0o666)
	}
	must.Do(t, err)
	r := mustValidate(t, c)
	p, s := beam.NewPipelineWithRoot()
	build(s, r, launch{runID: "graph", output: r.output("graph", run.Staging{}, time.Time{})})
	graph := marshalled(t, p)
	t.Logf("%d bytes", proto.Size(graph))
	b, err := proto.Marshal(graph)
	must.Hold(t, err == nil && !bytes.Contains(b, []byte("canary")), "%v; or a cell of the table is in the graph", err)
	if n := proto.Size(graph); n > 5e5 || len(r.Problem.Workload.Marginals) != 166_750 {
		t.Errorf("%d marginals make a graph of %d bytes", len(r.Problem.Workload.Marginals), n)
		for _, step := range graph.Components.Transforms {
			if n := proto.Size(step); n > 20_000 {
				t.Logf("%s: %d bytes", step.UniqueName, n)
			}
		}
	}
}

// TestSomethingReadsFromEveryStep: while a step that nothing reads from runs, prism keeps a core busy with asking whether it
// is done. One that does nothing stands behind the last that does something.
func TestSomethingReadsFromEveryStep(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	r := mustValidate(t, wide(t, 2, 2))
	build(s, r, launch{runID: "graph", output: r.output("graph", run.Staging{}, time.Time{})})
	steps, read := marshalled(t, p).Components.Transforms, map[string]bool{}
	for _, step := range steps {
		for _, collection := range step.Inputs {
			read[collection] = true
		}
	}
	last := 0
	for _, step := range steps {
		unread := len(step.Subtransforms) == 0
		for _, collection := range step.Outputs {
			unread = unread && !read[collection]
		}
		switch {
		case unread && strings.HasSuffix(step.UniqueName, "synth.ignore"):
			last++
		case unread:
			t.Errorf("nothing reads from %s", step.UniqueName)
		}
	}
	must.Hold(t, last == 1, "%d last steps, want 1", last)
}

// Engines on clusters add counts up in two levels, in pieces. Prism passes one table of each bundle on, for which one
// level is enough.
func TestLevelsOfCounts(t *testing.T) {
	r := mustValidate(t, wide(t, 2, 2))
	for runner, want := range map[string]int{"prism": 1, "direct": 1, "flink": 2, "SparkRunner": 2, "dataflow": 2} {
		r.Engine.Endpoint = ""
		if want == 2 {
			r.Engine.Endpoint = "localhost:8099"
		}
		r.Runner, r.Engine = runner, r.Engine.withDefaults(runner)
		p, s := beam.NewPipelineWithRoot()
		build(s, r, launch{runID: "graph", output: r.output("graph", run.Staging{}, time.Time{})})
		levels := 0
		for _, step := range marshalled(t, p).Components.Transforms {
			if step.Spec.GetUrn() == graphx.URNCombinePerKey && strings.Contains(step.UniqueName, "dapple.Count") {
				levels++
			}
		}
		must.Hold(t, levels == want, "%s: %d levels, want %d", runner, levels, want)
	}
}

// The domain is in the graph once, however many files are read.
func TestGraphHoldsTheDomainOnce(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "s", Type: domain.String, Values: make([]string, 1000)}}}
	for i := range d.Attributes[0].Values {
		d.Attributes[0].Values[i] = fmt.Sprintf("category %d", i)
	}
	size := func(n int) int {
		p, s := beam.NewPipelineWithRoot()
		table.ReadFiles(s, "csv", make([]files.Info, n), d, schema.CSV{})
		return proto.Size(marshalled(t, p))
	}
	one, many := size(1), size(1000)
	must.Hold(t, many <= one+1000*200, "a file makes a graph of %d bytes, and 1000 make one of %d", one, many)
}

// marshalled is a graph as a runner gets it.
func marshalled(t *testing.T, p *beam.Pipeline) *pipepb.Pipeline {
	t.Helper()
	edges, _, err := p.Build()
	must.Do(t, err)
	graph := must.Value(graphx.Marshal(edges, &graphx.Options{Environment: &pipepb.Environment{}}))(t)
	return graph
}
