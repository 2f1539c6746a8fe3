package answer_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// records are people of a few columns, counted by cell of all of them.
type records struct{ *solvertest.Table }

// Units is the number of people.
func (p records) Units() int64 { return int64(p.Table.Units()) }

// Marginal counts them.
func (p records) Marginal(c domain.Clique) []int64 {
	cells, _ := c.Cells(p.Sizes)
	out := make([]int64, cells)
	for i, n := range p.Counts {
		codes, at := make([]int, len(p.Sizes)), 0
		for a, rest := len(p.Sizes)-1, i; a >= 0; a-- {
			codes[a], rest = rest%p.Sizes[a], rest/p.Sizes[a]
		}
		for _, a := range c {
			at = at*p.Sizes[a] + codes[a]
		}
		out[at] += int64(n)
	}
	return out
}

// holding counts the 95 % intervals of a kind that hold the truth, and sums how many standard errors the answers are off.
type holding struct {
	held, all int
	off       float64
}

func (x *holding) add(a answer.Answer, truth float64) {
	if x.all++; a.Low <= truth && truth <= a.High {
		x.held++
	}
	x.off += math.Abs(truth-a.Value) / a.StandardError
}

func (x *holding) String() string {
	return fmt.Sprintf("%d of %d intervals hold, answers are %.2f standard errors off", x.held, x.all, x.off/float64(x.all))
}

// holdings are intervals by kind.
type holdings map[string]*holding

func (h holdings) of(kind string) *holding {
	if h[kind] == nil {
		h[kind] = &holding{}
	}
	return h[kind]
}

// addAll adds the kinds of others under a prefix.
func (h holdings) addAll(others holdings, prefix string) {
	for kind, x := range others {
		y := h.of(prefix + kind)
		y.held, y.all, y.off = y.held+x.held, y.all+x.all, y.off+x.off
	}
}

// check fails if less than this part of all intervals of a kind hold, with a false-alarm rate below 1 in 100,000.
func (h holdings) check(t *testing.T, by string, bar func(kind string) float64) {
	t.Helper()
	for kind, x := range h {
		t.Logf("%s, %s: %v", by, kind, x)
		must.Hold(t, x.held >= x.all || (distuv.Binomial{N: float64(x.all), P: bar(kind)}).CDF(float64(x.held)) >= 1e-5,
			"%s, %s: %d of %d intervals hold", by, kind, x.held, x.all)
	}
}

// seen returns the first answer to a query, if noise does not hide it.
func seen(t *testing.T, r *answer.Release, sql string) (a answer.Answer, ok bool) {
	t.Helper()
	list, err := r.Answer(must.Value(answer.Parse(sql))(t), answer.Options{})
	if err != nil || list[0].Hidden != 0 {
		return a, false
	}
	return list[0], true
}

// codeOf returns the number that a label begins with.
func codeOf(t *testing.T, label string) (code int) {
	t.Helper()
	must.Value(fmt.Sscanf(strings.TrimLeft(label, "v["), "%d", &code))(t)
	return code
}

// fitted returns the counts of a release's model.
func fitted(r *answer.Release, c domain.Clique) []float64 {
	counts := r.Model.Marginal(c, nil)
	for i := range counts {
		counts[i] *= r.Units / r.Model.Total()
	}
	return counts
}

// published returns the intervals of cells as a release publishes them.
func published(r *answer.Release, c domain.Clique) []answer.Answer {
	counts := fitted(r, c)
	errors := r.Errors.StandardErrors(c, counts, nil)
	highs, out := r.Errors.Highs(c, counts, errors, nil), make([]answer.Answer, len(counts))
	for i, x := range counts {
		out[i] = answer.Answer{Value: x, StandardError: errors[i], Low: x - 1.96*errors[i], High: highs[i]}
	}
	return out
}
