package synth

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

type codesRow struct{ A, B, C, D, E string }

func init() { beam.RegisterType(reflect.TypeFor[codesRow]()) }

// codes returns a domain of five columns with n values each, of six random letters and digits: such codes can hardly be
// compressed.
func codes(n int) *domain.Domain {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	rng, d := rand.New(rand.NewPCG(1, 2)), &domain.Domain{}
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		a := domain.Attribute{Name: name, Type: domain.String, HasFallback: true}
		for range n {
			v := make([]byte, 6)
			for i := range v {
				v[i] = letters[rng.IntN(len(letters))]
			}
			a.Values = append(a.Values, string(v))
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// Runners refuse graphs of some megabytes. The steps that encode and that solve have the domain each, compressed; those that
// make rows, eight branches on prism, take it from the model.
func TestGraphOfManyValuesIsSmall(t *testing.T) {
	const limit = 1_000_000
	size := func(n int, runner string) int {
		p, s := beam.NewPipelineWithRoot()
		Synthesize(s, beam.Create(s, codesRow{}), Params{Domain: codes(n), Epsilon: 1, Delta: 1e-9, Runner: runner, NoStore: "nothing is run"})
		return graphSize(t, p)
	}
	p, s := beam.NewPipelineWithRoot()
	private.Encode(s, beam.Create(s, codesRow{}), codes(10_000), private.EncodeParams{})
	encode := graphSize(t, p)
	for _, runner := range []string{"prism", "flink", "dataflow"} {
		few, many := size(1, runner), size(10_000, runner)
		must.Hold(t, many <= limit && many-few <= 2*encode,
			"%s: 50,000 values make a graph of %d bytes, %d of them for the values; want at most %d, and twice the %d of Encode alone", runner, many, many-few, limit, encode)
	}
}

// graphSize is the size of a pipeline as a runner gets it.
func graphSize(t *testing.T, p *beam.Pipeline) int {
	t.Helper()
	edges, _, err := p.Build()
	must.Do(t, err)
	graph := must.Value(graphx.Marshal(edges, &graphx.Options{Environment: &pipepb.Environment{}}))(t)
	return proto.Size(graph)
}
