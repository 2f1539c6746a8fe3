package privacy

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/transforms/counts"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/synth"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// build is a program under audit: a whole pipeline from records to a release, whose claim is ε = 1.
type build struct {
	name      string
	epsilon   dp.Epsilon // its noise is calibrated for this
	privacyID string     // without one it counts every row
	x, y      [2]float64 // what it counts with and without the audited person
	refuted   bool
}

var builds = []build{
	{"as it is", 1, "id", [2]float64{2, 1}, [2]float64{2, 0}, false},
	{"half of the noise", 2, "id", [2]float64{2, 1}, [2]float64{2, 0}, true},
	{"rows for persons", 1, "", [2]float64{4, 2}, [2]float64{4, 0}, true},
}

// rowsOfThree are two rows for each of three persons, and idsOfThree says whose they are: the audited
// person's are the last two.
var (
	rowsOfThree = [][]string{{"no"}, {"no"}, {"no"}, {"no"}, {"yes"}, {"yes"}}
	idsOfThree  = []string{"a", "a", "b", "b", "c", "c"}
)

// TestPipelineAudit audits whole pipelines on two tables that differ in one person of three: records,
// Encode, Bound, Count, Solve, release, 1,000 runs each on the direct runner (nightly 10,000, and 1,000 on
// prism). The attacker sees the released noisy answers and says "x" where their exact log-likelihood ratio
// is above 0.
//
// The noise of a pipeline is drawn with a fresh secret, here too, so that every run of this test is
// another sample. False alarms 1e-6 at most, for any sound law; of this one (.731 and .269, the claim's very
// ratio) both rates must err together, which 1.1e-10 of runs do. By the same binomial laws 1,000 runs miss half of the
// noise (.881 and .119) with probability 1e-21, and rows for persons (.731 and .099) with 2e-12; 200 runs
// would miss half of the noise with .39.
func TestPipelineAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for 6,000 pipelines; make verify runs them")
	}
	claim := accountant.Params{Neighbouring: dp.AddRemove, Accounting: dp.Pure, Epsilon: 1}
	for runner, runs := range map[string]int{"direct": dptest.Size(1_000, 10_000), "prism": dptest.Size(0, 1_000)} {
		if runs == 0 {
			continue // prism takes 30 times as long as direct
		}
		for _, b := range builds {
			t.Run(runner+"/"+b.name, func(t *testing.T) {
				r := b.rates(t, runner, runs)
				if refuted := r.excess(claim) > 0; refuted != b.refuted {
					t.Errorf("the claim is refuted: %t, want %t; true positives above %.4f, false ones below %.4f",
						refuted, b.refuted, r.low, r.high)
				}
				dptest.Figure(t, "%s, %s: 2×%d pipelines; ε = 1 claimed, above %.2f proved", b.name, runner, runs, r.proved(claim))
			})
		}
	}
}

// rates runs the pipeline on both tables and bounds how often the attacker says "x".
func (b build) rates(t *testing.T, runner string, runs int) (r rates) {
	t.Helper()
	var hits [2]int
	for side, rows := range []int{len(rowsOfThree), len(rowsOfThree) - 2} {
		for range runs {
			if b.ratio(t, b.release(t, runner, rows)) > 0 {
				hits[side]++
			}
		}
	}
	r.low, _ = dptest.ClopperPearson(hits[0], runs, confidence)
	_, r.high = dptest.ClopperPearson(hits[1], runs, confidence)
	return r
}

// release runs one pipeline on the first rows of the table.
func (b build) release(t *testing.T, runner string, rows int) *synth.Artifact {
	t.Helper()
	d := &domain.Domain{PrivacyID: b.privacyID, Attributes: []domain.Attribute{
		{Name: "answer", Type: domain.String, Values: []string{"no", "yes"}, HasFallback: true},
	}}
	chunk := transformtest.Chunk(rowsOfThree[:rows], idsOfThree[:rows])
	if b.privacyID == "" {
		chunk = transformtest.Chunk(rowsOfThree[:rows], nil)
	}
	p, s := beam.NewPipelineWithRoot()
	units := private.Bound(s, private.Encode(s, transformtest.Create(s, chunk), d, private.EncodeParams{}), private.BoundParams{})
	stats := counts.Count(s, units, query.AllMarginals(d.Sizes(), 1, 10), counts.Params{})
	model := synth.Solve(s, stats, synth.SolveParams{Epsilon: b.epsilon, Neighbouring: dp.AddRemove, Method: "dpam", ErrorShare: -1}) // the table has all of ε
	refs := transformtest.Capture[synth.ModelRef](s, model.Refs())
	if err := transformtest.RunOn(runner, p); err != nil {
		t.Fatal(err)
	}
	if n := len(refs.Elements()); n != 1 {
		t.Fatalf("%d releases, want 1", n)
	}
	data, err := refs.Elements()[0].Read(context.Background(), synth.StoreRef{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := synth.DecodeArtifact(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ratio returns the log-likelihood ratio of a release: of discrete Laplace noise with the released scale
// around either table's counts.
func (b build) ratio(t *testing.T, a *synth.Artifact) (sum float64) {
	t.Helper()
	ledger, ms := a.Statement.Ledger, a.Result.Measurements
	if len(ledger) != 1 || ledger[0].Kind != dp.DiscreteLaplace.String() || len(ms) != 1 || len(ms[0].Values) != 2 {
		t.Fatalf("%d charges and %d tables: want one table of discrete Laplace noise", len(ledger), len(ms))
	}
	text, _ := strings.CutPrefix(ledger[0].Scale, "scale=")
	scale, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("scale %q", ledger[0].Scale)
	}
	perCount, _ := scale.Inv(scale).Float64()
	for cell, v := range ms[0].Values {
		sum += perCount * (math.Abs(v-b.y[cell]) - math.Abs(v-b.x[cell]))
	}
	return sum
}
