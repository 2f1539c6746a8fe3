package privacy

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// build is a program under audit: a whole pipeline from records to a release, whose claim is ε = 1.
type build struct {
	name      string
	epsilon   dp.Epsilon // its noise is calibrated for this
	privacyID string     // without one it counts every row
	ordered   bool       // rows have an order, and it counts answers with those before them
	x, y      []float64  // what it counts with and without the audited person
	refuted   bool
}

var builds = []build{
	{"as it is", 1, "id", false, []float64{2, 1}, []float64{2, 0}, false},
	{"half of the noise", 2, "id", false, []float64{2, 1}, []float64{2, 0}, true},
	{"rows for persons", 1, "", false, []float64{4, 2}, []float64{4, 0}, true},
	{"rows in order", 1, "id", true, withThird, withoutThird, false},
	{"rows in order, a quarter of the noise", 4, "id", true, withThird, withoutThird, true},
}

// Counts of (answer, number of rows, answer before), which is no, yes or none. Everybody has two rows or more, and the
// first two count, a half each.
var (
	withThird    = []float64{0, 0, 0, 1, 0, 1, 0, 0, 0, 0, .5, .5}
	withoutThird = []float64{0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}
)

// rowsOfThree are rows of three persons, and idsOfThree says whose they are: the audited person's are the last ones. In order
// everybody has a third row, which is one too many.
var (
	rowsOfThree = [][]string{{"no"}, {"no"}, {"no"}, {"no"}, {"yes"}, {"yes"}}
	idsOfThree  = []string{"a", "a", "b", "b", "c", "c"}

	orderedRows = [][]string{{"0", "no"}, {"2", "yes"}, {"1", "no"}, {"1", "no"}, {"0", "no"}, {"3", "yes"}, {"3", "no"}, {"2", "yes"}, {"0", "yes"}}
	orderedIDs  = []string{"a", "a", "a", "b", "b", "b", "c", "c", "c"}
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
// would miss half of the noise with .39. In order a person is in two cells by halves, which says less (.47 and .28): half of the
// noise would be missed, and a quarter (.83 and .12) is with 1e-26.
func TestPipelineAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for 10,000 pipelines; make verify runs them")
	}
	claim := accountant.Params{Neighbouring: dp.AddRemove, Accounting: dp.Pure, Epsilon: 1}
	for runner, runs := range map[string]int{"direct": dptest.Size(1_000, 10_000), "prism": dptest.Size(0, 1_000)} {
		if runs == 0 {
			continue // prism takes 30 times as long as direct
		}
		for _, b := range builds {
			t.Run(runner+"/"+b.name, func(t *testing.T) {
				r := b.rates(t, runner, runs)
				refuted := r.excess(claim) > 0
				must.Hold(t, refuted == b.refuted,
					"the claim is refuted: %t, want %t; true positives above %.4f, false ones below %.4f", refuted, b.refuted, r.low, r.high)
				dptest.Figure(t, "%s, %s: 2×%d pipelines; ε = 1 claimed, above %.2f proved", b.name, runner, runs, r.proved(claim))
			})
		}
	}
}

// rates runs the pipeline on both tables and bounds how often the attacker says "x".
func (b build) rates(t *testing.T, runner string, runs int) (r rates) {
	t.Helper()
	var hits [2]int
	for side, people := range []int{3, 2} {
		for range runs {
			if b.ratio(t, b.release(t, runner, people)) > 0 {
				hits[side]++
			}
		}
	}
	r.low, _ = clopperPearson(hits[0], runs, confidence)
	_, r.high = clopperPearson(hits[1], runs, confidence)
	return r
}

// table returns the records of so many people, and what is counted of them.
func (b build) table(t *testing.T, people int) (*domain.Chunk, *domain.Domain, query.Workload) {
	t.Helper()
	d := &domain.Domain{PrivacyID: b.privacyID, Attributes: []domain.Attribute{
		{Name: "answer", Type: domain.String, Values: []string{"no", "yes"}, HasFallback: true},
	}}
	if !b.ordered {
		rows, ids := rowsOfThree[:2*people], idsOfThree[:2*people]
		if b.privacyID == "" {
			ids = nil
		}
		return transformtest.Chunk(rows, ids), d, query.AllMarginals(d.Sizes(), 1, 10)
	}
	day := domain.Attribute{Name: "day", Type: domain.Int64, Cuts: domain.EqualCuts(0, 3, 4), Resolution: 1, HasFallback: true}
	d.Attributes = append([]domain.Attribute{day}, d.Attributes...)
	d, err := d.WithEvents(nil, nil, domain.EqualRatioCuts(2), 2)
	if err == nil {
		d, err = d.WithSequence(domain.Sequence{Column: day.Name})
	}
	must.Do(t, err)
	answers := query.Marginal{Clique: domain.NewClique(1, d.Events.Columns, d.Events.Before(0)), Weight: 1}
	return transformtest.Chunk(orderedRows[:3*people], orderedIDs[:3*people]), d, query.Workload{Sizes: d.Sizes(), Marginals: []query.Marginal{answers}}
}

// release runs one pipeline on the records of so many people.
func (b build) release(t *testing.T, runner string, people int) *synth.Artifact {
	t.Helper()
	chunk, d, workload := b.table(t, people)
	p, s := beam.NewPipelineWithRoot()
	units := private.Bound(s, private.Encode(s, transformtest.Create(s, chunk), d, private.EncodeParams{}), private.BoundParams{})
	stats := counts.Count(s, units, workload, counts.Params{})
	model := synth.Solve(s, stats, synth.SolveParams{Epsilon: b.epsilon, Neighbouring: dp.AddRemove, Method: "dpam", ErrorShare: -1}) // the table has all of ε
	released := transformtest.Capture[*synth.Artifact](s, model.Artifacts(s))
	must.Do(t, transformtest.RunOn(runner, p))
	n := len(released.Elements())
	must.Need(t, n == 1, "%d releases, want 1", n)
	return released.Elements()[0]
}

// ratio returns the log-likelihood ratio of a release: of discrete Laplace noise with the released scale
// around either table's counts.
func (b build) ratio(t *testing.T, a *synth.Artifact) (sum float64) {
	t.Helper()
	ledger, ms := a.Statement.Ledger, a.Result.Measurements
	must.Need(t, len(ledger) == 1 && ledger[0].Kind == dp.DiscreteLaplace.String() && len(ms) == 1 && len(ms[0].Values) == len(b.x),
		"%d charges and %d tables: want one table of discrete Laplace noise", len(ledger), len(ms))
	text, _ := strings.CutPrefix(ledger[0].Scale, "scale=")
	scale, ok := new(big.Rat).SetString(text)
	must.Need(t, ok, "scale %q", ledger[0].Scale)
	perCount, _ := scale.Inv(scale).Float64()
	for cell, v := range ms[0].Values {
		sum += perCount * (math.Abs(v-b.y[cell]) - math.Abs(v-b.x[cell]))
	}
	return sum
}
