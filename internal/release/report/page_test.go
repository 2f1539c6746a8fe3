package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/pagetest"
)

// madePage is a report on columns of so many values each, whose names and labels are those given, in turn.
func madePage(columns, values int, texts []string) Page {
	d := &domain.Domain{PrivacyID: texts[len(texts)-1]}
	p := Page{Domain: d, Privacy: Privacy{
		Format: 1, PrivacyID: d.PrivacyID, Rows: 1000, RowsAt: texts[0], RowsFormat: "parquet", NotCover: texts, NotPrivate: texts,
		Statement: accountant.Statement{
			Epsilon: 1, Delta: 1e-9, AchievedEpsilon: 1, Neighbouring: "AddRemove", Capacity: "1/2", RhoTotal: "1/2", Mu: .2,
			Ledger: []accountant.Line{{Stage: "total", Kind: "discrete_gaussian", Count: 1, Coordinates: 1, Scale: "sigma2=25", Rho: "1/4"},
				{Stage: "choose", Kind: "exponential", Count: 3, Scale: "b=2", Rho: "1/4"}},
		},
		Units: Units{Count: 1000, StdDev: 5, From: "noisy"}, Error: Errors{Cells: 10, MaxCell: .01, AverageTV: .02, From: "the noise alone"},
	}}
	for a := range columns {
		attr := domain.Attribute{Name: fmt.Sprint(texts[a%len(texts)], a), Type: domain.String, Other: true, OtherValue: "o", Null: a%2 == 0}
		for v := range values {
			attr.Values = append(attr.Values, fmt.Sprint(texts[v%len(texts)], v))
		}
		if a%3 == 1 {
			attr.Type, attr.Values, attr.Resolution, attr.Other = domain.Int64, nil, 1, false
			attr.Cuts = domain.EqualCuts(0, int64(values), values)
		}
		d.Attributes = append(d.Attributes, attr)
	}
	add := func(c domain.Clique) {
		cells, err := c.Cells(d.Sizes())
		if err != nil {
			panic(err)
		}
		m := Marginal{Clique: c}
		for i := range cells {
			m.Fitted = append(m.Fitted, 1/float64(cells))
			m.FittedError = append(m.FittedError, float64(i%5)/float64(10*cells))
			m.FittedFrom = append(m.FittedFrom, "measured")
		}
		p.Marginals = append(p.Marginals, m)
	}
	for a := range columns {
		add(domain.NewClique(a))
	}
	if values <= 10 {
		for a := range columns {
			for b := range a {
				add(domain.NewClique(a, b))
			}
		}
	}
	return p
}

// TestReportOfHostileNames: names and values that are markup, very long or of another direction, a thousand values and
// two hundred columns make a well-formed page of known elements, and none of it is lost.
func TestReportOfHostileNames(t *testing.T) {
	for name, p := range map[string]Page{
		"hostile":     madePage(len(pagetest.Hostile), 7, pagetest.Hostile[2:]),
		"1000 values": madePage(3, 1000, []string{"value"}),
		"200 columns": madePage(200, 4, []string{"column"}),
		"one column":  madePage(1, 1, []string{"x"}),
	} {
		var b bytes.Buffer
		err := WriteHTML(&b, p)
		must.Need(t, err == nil, "%v, %v", name, err)
		text := pagetest.WellFormed(t, b.Bytes())
		must.Equal(t, strings.Count(b.String(), `<figure class="card">`), p.Domain.Len(), "%s", name)
		must.Hold(t, name != "hostile" || strings.Contains(text, "<script>alert(1)</script>"), "markup in names is not shown as it stands")
		must.Hold(t, b.Len() <= 8<<20, "%s: %d bytes", name, b.Len())
		t.Logf("%s: %d bytes", name, b.Len())
		if dir := os.Getenv("DAPPLE_PAGES"); dir != "" {
			must.Do(t, os.WriteFile(dir+"/"+strings.ReplaceAll(name, " ", "-")+".html", b.Bytes(), 0o644))
		}
	}
}

// TestReportSays: the first screen has unit, ε, δ, relation, mechanisms and what is not covered, each once more in the
// words of the relation.
func TestReportSays(t *testing.T) {
	for _, c := range []struct {
		id, relation string
		want         []string
	}{
		{"person_id", "AddRemove", []string{"one person", "add or remove", "one of them with all rows of one person more", "if all rows of this person had not been in the table"}},
		{"person_id", "Replace", []string{"equally many people that differ in the rows of one person", "if all rows of this person had held something else"}},
		{"", "AddRemove", []string{"one row", "every row counts as a person", "one of them with one row more", "if this row had not been in the table"}},
		{"", "Replace", []string{"of equally many rows that differ in one row", "if this row had held something else"}},
	} {
		p := madePage(3, 4, []string{"x"})
		p.Privacy.PrivacyID, p.Privacy.Neighbouring = c.id, c.relation
		var b bytes.Buffer
		must.Do(t, WriteHTML(&b, p))
		first, _, _ := strings.Cut(b.String(), "<nav")
		text := pagetest.WellFormed(t, b.Bytes())
		for _, want := range append(c.want, "10⁻⁹", "discrete Gaussian noise; exponential mechanism (a choice)", "becomes 73 % at most", "dp/CLAIMS.md",
			"k of them together have k times the ε", "Whatever anybody concludes") {
			must.Hold(t, strings.Contains(strings.Join(strings.Fields(first), " "), want), "%s %s: the first screen does not say %q", c.id, c.relation, want)
		}
		must.Hold(t, !strings.Contains(text, "ZgotmplZ") && !strings.Contains(text, "NaN"), "a figure is missing")
	}
}

// TestCard: what is predicted to be far off is not listed as good, and answers to linear queries are.
func TestCard(t *testing.T) {
	for _, c := range []struct {
		tv, half  float64
		good, not []string
	}{
		{.02, .01, []string{"Shares of single columns", "Tables of "}, []string{"Any single person"}},
		{.3, .01, []string{"Shares of single columns"}, []string{"Tables of ", "too few people"}},
		{.3, .08, nil, []string{"Tables of ", "Shares of single columns"}},
	} {
		p := madePage(3, 4, []string{"x"})
		p.Privacy.PrivacyID, p.Privacy.Error.AverageTV, p.Privacy.Error.Answers = "person_id", c.tv, 6
		card := p.card(known{half: 2 * c.half, middle: c.half})
		good, not := strings.Join(card.Good, "\n"), strings.Join(card.Not, "\n")
		for _, want := range append(c.good, "The 6 linear queries") {
			must.Hold(t, strings.Contains(good, want) && !strings.Contains(not, want), "at %g, %g: %q is not among what is good: %s", c.tv, c.half, want, good)
		}
		for _, want := range c.not {
			must.Hold(t, strings.Contains(not, want) && !strings.Contains(good, want), "at %g, %g: %q is not among what is not good: %s", c.tv, c.half, want, not)
		}
	}
}

// TestEvidenceIsThere: every section that the report points at is in dp/PRIVACY.md.
func TestEvidenceIsThere(t *testing.T) {
	text := must.Value(os.ReadFile("../../../dp/PRIVACY.md"))(t)
	all := slices.Clone(sections)
	for _, p := range promiseTemplates {
		all = append(all, p.section)
	}
	for _, s := range all {
		must.Hold(t, strings.Contains(string(text), "\n## "+s+"\n"), "dp/PRIVACY.md has no section %q", s)
	}
}

// TestFiguresOfReport compares what the report computes with results known by other means.
func TestFiguresOfReport(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{cramersV([]float64{.5, 0, 0, .5}, 2, 2), 1},
		{cramersV([]float64{.25, .25, .25, .25}, 2, 2), 0},
		{cramersV([]float64{.4, .1, .1, .4}, 2, 2), .6}, // the correlation of two binary columns
		{cramersV([]float64{.5, .5, 0, 0}, 2, 2), 0},
		{cramersV([]float64{1. / 3, 0, 0, 0, 1. / 3, 0, 0, 0, 1. / 3}, 3, 3), 1},
	} {
		must.Hold(t, math.Abs(c.got-c.want) <= 1e-12, "got V = %g, want %g", c.got, c.want)
	}
	for _, c := range []struct{ got, want string }{
		{belief(.5, 1), "73\u00a0%"}, {belief(.5, -1), "27\u00a0%"}, {belief(.5, .1), "52\u00a0%"}, {belief(.5, 5), "99\u00a0%"}, {belief(.9, 10), "above\u00a099.5\u00a0%"},
		{guess(Privacy{Statement: accountant.Statement{AchievedEpsilon: 1}}), "73.2\u00a0%"}, // e/(1+e) = .73106, rounded up
		{guess(Privacy{Statement: accountant.Statement{Mu: 1}}), "69.2\u00a0%"},              // Φ(1/2) = .69146, rounded up
		{noiseOf("sigma2=25"), "σ = 5"}, {noiseOf("sigma2=4 ×1, 25/4 ×20"), "σ = 2 to 2.5"}, {noiseOf("sigma2=4 to 9"), "σ = 2 to 3"}, {noiseOf("b=3/2"), "b = 1.5"}, {noiseOf(""), ""},
	} {
		must.Hold(t, c.got == c.want, "got %q, want %q", c.got, c.want)
	}
	m := Marginal{Fitted: []float64{.5, .5}, FittedError: []float64{.01, .03}}
	got := m.predictedTV()
	must.Hold(t, math.Abs(got-.01596) <= 1e-12, "predicted total variation %g", got)
}

// TestKnownWorst: groups are listed by their interval beside their share, and pooled values are found.
func TestKnownWorst(t *testing.T) {
	p := madePage(2, 3, []string{"x"})
	for i := range p.Marginals {
		if len(p.Marginals[i].Clique) == 2 {
			sizes := p.Domain.Sizes()
			for c := range p.Marginals[i].FittedFrom {
				if c/sizes[1] == 2 { // the third value of the first column
					p.Marginals[i].FittedFrom[c] = "pooled"
				}
			}
		}
	}
	oneWay, _ := p.columns()
	k := p.known(oneWay)
	must.Hold(t, len(k.Pooled) == 1 && k.Pooled[0] == "x0 = x2", "pooled values %q", k.Pooled)
	must.Hold(t, len(k.Groups) != 0 && slices.IsSortedFunc(k.Groups, func(x, y group) int { return cmp.Compare(y.relative, x.relative) }), "groups %v", k.Groups)
}

// TestLearnedBins: a column whose bins were learned is drawn by the distribution over its values, not by its bins, which
// are not equally wide.
func TestLearnedBins(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 999}, Resolution: 1, Learned: 2, Null: true}}}
	d = must.Value(d.WithBins([]domain.LearnedBins{{Starts: []int{0, 10}, Runs: []domain.Run{{From: 0, Share: .6}, {From: 10, Share: .4}}}}))(t)
	m := &Marginal{Clique: domain.NewClique(0), Fitted: []float64{.3, .2, .5}}
	b := bars(&d.Attributes[0], m)
	sum := summation.InOrder(b.Fine)
	// A piece has 1000/160 = 6.25 values. The first ten values hold .6 of one half, so that 6.25 of them hold .1875.
	must.Hold(t, len(b.Fine) == pieces && math.Abs(sum-.5) <= 1e-12 && math.Abs(b.Fine[0]-.1875) <= 1e-12 && math.Abs(b.Fine[100]-.5*.4*6.25/990) <= 1e-12,
		"%d pieces, %g in all, %g, %g", len(b.Fine), sum, b.Fine[0], b.Fine[100])
	must.List(t, b.Ticks, []string{"0", "999"}, "ticks")
	none := domain.Attribute{Name: "x", Type: domain.Int64, Cuts: []int64{0, 1, 3}, Resolution: 1, Runs: []domain.Run{{From: 0}, {From: 1}}}
	if got := fmt.Sprintf("%.2f %.2f", fine(&none, []float64{0, 0, 1}), fine(&none, []float64{.2, .4, .4})); got != "[0.00 0.00 0.00 0.00] [0.15 0.15 0.15 0.15]" {
		t.Errorf("a column of which no value has a share: %s", got) // all are NULL
	}
	must.Hold(t, fine(&domain.Attribute{}, nil) == nil, "a column without learned bins is drawn finer than its bins")
}

// TestMechanismsHaveNames: pages name mechanisms in words, not by their keys in ledgers.
func TestMechanismsHaveNames(t *testing.T) {
	for k := dp.DiscreteGaussian; k <= dp.ValuesAbove; k++ {
		must.Hold(t, mechanismOf(k.String()) != k.String(), "%s has no name", k)
	}
}
