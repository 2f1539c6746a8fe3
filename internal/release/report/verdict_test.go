package report

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestVerdicts: the first screen says in a word how well people are protected and how good the rows are, and calls people
// as the curator does.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta, tv float64
		about              map[string]string
		want               []string
	}{
		{1, 1e-9, .02, nil, []string{`class="verdict good"><h2>Protection: strict`, `class="verdict good"><h2>Usefulness: good`, "that one person is in the table can become 73"}},
		{3, 1e-9, .08, nil, []string{`class="verdict fair"><h2>Protection: usual`, `class="verdict fair"><h2>Usefulness: fair`, "Good for shares and tables"}},
		{8, 1e-9, .3, map[string]string{"unit": "patient"}, []string{`class="verdict poor"><h2>Protection: weak`, `class="verdict poor"><h2>Usefulness: poor`,
			"that one patient is in the table", "if all rows of this patient had", "too few patients"}},
		{12, 1e-9, .02, nil, []string{`class="verdict poor"><h2>Protection: weak`}},
		{1, .4, 0, nil, []string{`class="verdict poor"><h2>Protection: weak`, "δ is too large", "Usefulness: not measured"}},
	} {
		p := madePage(3, 4, []string{"x"})
		p.Privacy.Epsilon, p.Privacy.Delta, p.Privacy.PrivacyID, p.Privacy.About, p.Privacy.Error.AverageTV = c.epsilon, c.delta, "id", c.about, c.tv
		p.Privacy.Units.Count = 1000
		for _, m := range p.Marginals {
			for i := range m.FittedError {
				m.FittedError[i] /= 10
			}
		}
		p.Privacy.Meaning = meaningOf(p.Privacy)
		var b bytes.Buffer
		must.Do(t, WriteHTML(&b, p))
		large := strings.Contains(b.String(), "δ is too large")
		must.Hold(t, large == (c.delta > LargeDelta), "ε = %g, δ = %g: the card says of δ that it is too large: %v", c.epsilon, c.delta, large)
		for _, want := range c.want {
			must.Hold(t, strings.Contains(b.String(), want), "ε = %g, δ = %g, error %g: the page does not say %q", c.epsilon, c.delta, c.tv, want)
		}
	}
}

// TestPoorFit: rows of a model that misses what was released are called poor, whatever their error is said to be.
func TestPoorFit(t *testing.T) {
	p := madePage(3, 4, []string{"x"})
	p.Privacy.Error.AverageTV, p.Privacy.Fit = .001, &Fit{Tables: 3, Off: []OffFit{{[]string{"a", "b"}, 3.14, 0}}}
	if v := p.usefulness(known{}, nil); v.Word != Poor || v.Level != Poor || !strings.Contains(v.Lines[0], "1 of 3 tables misses what was released, a × b by 3.1 times its noise") {
		t.Errorf("%+v", v)
	}
	p.Privacy.Error.AverageTV, p.Privacy.Constraints, p.Privacy.Fit.Off[0].Times = .4, []string{"1 combination of cells is in no row"}, 281
	if v, c := p.usefulness(known{}, nil), p.card(known{}); !strings.Contains(v.Lines[0], "by 281 times its noise; a rule may not hold: `dapple check`") || strings.Contains(strings.Join(c.Not, " "), "too few") {
		t.Errorf("what every method misses: %+v, %+v", v, c)
	}
	p.Privacy.Error.AverageTV, p.Privacy.Constraints = .001, nil
	p.Privacy.Fit = &Fit{Tables: 215, Off: []OffFit{{[]string{"a", "b"}, 1.7, 0}}}
	if v := p.usefulness(known{}, nil); v.Level == Poor || v.Level == Good || !strings.Contains(v.Lines[0], "The fit is partly off: 1 of 215 tables misses") {
		t.Errorf("one table that is off by little: %+v", v)
	}
	p.Privacy.Fit.Off = slices.Repeat(p.Privacy.Fit.Off, 11)
	if v := p.usefulness(known{}, nil); v.Level != Poor {
		t.Errorf("a twentieth of the tables: %+v", v)
	}
}

// TestFitBySize: misses that are small among the people leave rows as good as their errors say, however large they are beside the noise;
// misses that are more than the stated error make them poor.
func TestFitBySize(t *testing.T) {
	for _, c := range []struct {
		tv, share, worst, times float64
		level                   string
	}{
		{.011, .0002, .035, 3.3, Good},
		{.011, .0002, .035, 300, Good},
		{.011, .0002, .15, 30, Fair},
		{.011, .0002, .3, 30, Poor},
		{.07, .01, .035, 3, Fair},
		{.2, .01, .035, 3, Poor},
		{.00006, .0027, .003, 160, Poor}, // few of many people, but the error is said to be less
		{.011, .03, 0, 0, Poor},          // all tables together
	} {
		p := madePage(3, 4, []string{"x"})
		for _, m := range p.Marginals {
			for i := range m.FittedError {
				m.FittedError[i] /= 1000
			}
		}
		p.Privacy.Error.AverageTV, p.Privacy.Fit = c.tv, &Fit{Tables: 20, Share: c.share}
		if c.times > 0 {
			p.Privacy.Fit.Off = []OffFit{{[]string{"a", "b"}, c.times, c.worst}}
		}
		v := p.usefulness(known{}, nil)
		must.Hold(t, v.Level == c.level && v.Word == c.level, "%+v: %+v", c, v)
	}
}

// TestEarlierVersion: the first card says that an earlier version computed a release's errors.
func TestEarlierVersion(t *testing.T) {
	p := madePage(3, 4, []string{"x"})
	for _, p.Earlier = range []bool{false, true} {
		v := p.usefulness(known{}, nil)
		must.Hold(t, strings.Contains(strings.Join(v.Lines, " "), "An earlier version made this release") == p.Earlier, "%v: %+v", p.Earlier, v)
	}
}

// TestColumnsThatChanged: a column that is not as in the table stands on the first card, the rows are not called good, and the
// largest parts of the budget are named.
func TestColumnsThatChanged(t *testing.T) {
	p := madePage(3, 4, []string{"x"})
	p.Privacy.DidNotFit = []string{"x0: about 60 % of its values did not fit INT64 and became NULL"}
	p.Privacy.LeftOut = []string{"gone: one value"}
	p.Privacy.Ledger = nil
	for i := range 30 {
		p.Privacy.Ledger = append(p.Privacy.Ledger, accountant.Line{Stage: fmt.Sprintf("measure %d", i), Kind: "discrete_gaussian", Count: 1, Rho: "1/100"})
	}
	var b bytes.Buffer
	must.Do(t, WriteHTML(&b, p))
	first, _, _ := strings.Cut(b.String(), "<nav")
	for _, want := range []string{"<bdi>x0</bdi>: about 60 % of its values did not fit INT64 and became NULL", "<bdi>gone</bdi>: left out: one value"} {
		must.Hold(t, strings.Contains(first, want), "the first screen does not say %q", want)
	}
	must.Hold(t, p.grade(known{}, nil, 0, p.changed(make([]*Marginal, 3))) == Fair, "rows whose columns are not as they were are called good")
	s := spent(charges(p.Privacy))
	must.Hold(t, len(s.Labels) == 1 && s.Labels[0] == "measure", "%+v", s)
}

// TestVerdictOnPairs: rows are not called good where a pair is badly wrong, which is named, however small the average of many tables is.
func TestVerdictOnPairs(t *testing.T) {
	for _, c := range []struct {
		times, tv float64
		want      string
	}{{1, .02, Good}, {4, .02, Good}, {9, .04, Fair}, {20, .04, Fair}, {20, .01, Good}, {20, .2, Poor}} {
		p := madePage(12, 4, []string{"x"})
		p.Privacy.Error.AverageTV = c.tv
		pair := &p.Marginals[len(p.Marginals)-1]
		for i := range pair.FittedError {
			pair.FittedError[i] *= c.times
		}
		columns, worst := p.errors()
		v := p.usefulness(known{}, nil)
		if named := strings.Contains(v.Lines[0], "least known is the pair x10 × x11"); v.Level != c.want || named != (worst.TV > worstPair) {
			t.Errorf("a pair off by %.3f, columns by %.3f, all by %g: %s, want %s; %q", worst.TV, columns[0].TV, c.tv, v.Level, c.want, v.Lines[0])
		}
	}
}

// TestVerdictOnOrder: only rows in order are said to have one.
func TestVerdictOnOrder(t *testing.T) {
	for order, want := range map[string]string{"": "small groups and the order of rows", "day": "what depends on more than the row before"} {
		p := madePage(3, 4, []string{"x"})
		p.Privacy.RowsMax, p.Privacy.RowsInOrder = 5, order
		v := p.usefulness(known{}, nil)
		must.Hold(t, strings.Contains(strings.Join(v.Lines, " "), want), "order %q: the card says %q, without %q", order, v.Lines, want)
	}
}

// TestSourceAt: links lead to the version that ran, and never to a branch.
func TestSourceAt(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0": "v0.1.0", "v1.2.3-rc.1": "v1.2.3-rc.1", "v0.1.0-development": "v0.1.0", "v0.1.0+dirty": "v0.1.0",
		"v0.1.1-0.20261124180000-0123456789ab": "0123456789ab", "v0.1.1-0.20261124180000-0123456789ab+dirty": "0123456789ab",
		"": buildinfo.Release, "main": buildinfo.Release, "../../other": buildinfo.Release,
	} {
		got := sourceAt(version)
		must.Hold(t, got == repository+"blob/"+want+"/", "%q: %s, want %s", version, got, want)
	}
}

// TestStatementIsEmbedded: the page carries its statement, so that it can be checked without the other files. The hashes of
// files are left out: one of them is the page's own.
func TestStatementIsEmbedded(t *testing.T) {
	p := madePage(3, 4, []string{"</pre><b>"})
	p.Privacy.Hashes = Hashes{Model: "ab12", Rows: "cd34", Files: map[string]string{"_report.html": "ef56"}}
	var b bytes.Buffer
	must.Do(t, WriteHTML(&b, p))
	_, rest, _ := strings.Cut(b.String(), `aria-label="Privacy statement">`)
	text, _, _ := strings.Cut(rest, "</pre>")
	got := must.Value(ParsePrivacy([]byte(html.UnescapeString(text))))(t)
	p.Privacy.Hashes = Hashes{Model: "ab12"}
	one, _ := got.JSON()
	two, _ := p.Privacy.JSON()
	must.Hold(t, bytes.Equal(one, two), "got %s, want %s", one, two)
	for link := range strings.SplitSeq(b.String(), `href="`+repository) {
		must.Hold(t, !strings.HasPrefix(link, "blob/main/"), "a link to a branch: %.60s", link)
	}
}

// TestRowsBeyondTheMost: the page says how many people may have had more rows than are written.
func TestRowsBeyondTheMost(t *testing.T) {
	for _, part := range []float64{0, .03, .07, .41, 1} {
		d := must.Value((&domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "k", Type: domain.String, Values: []string{"a", "b"}}}}).WithEvents(nil, nil, domain.EqualRatioCuts(3), 3))(t)
		p := Page{Domain: d, Privacy: Privacy{RowsMax: 3}, Marginals: []Marginal{{Clique: domain.Clique{0}, Fitted: []float64{.5, .5}}, {Clique: domain.Clique{1}, Fitted: []float64{1 - part, 0, part}}}}
		said := strings.Join(p.card(known{}).Not, "\n")
		must.Hold(t, strings.Contains(said, "Nobody has more than 3: about") == (part >= .05), "%g of the people have the most rows: %s", part, said)
	}
}

// TestCardAgrees: the card of uses states the average error in the figures of the first card, however small it is.
func TestCardAgrees(t *testing.T) {
	for _, tv := range []float64{.00009, .004, .07, .3} {
		p := madePage(3, 4, []string{"x"})
		p.Privacy.Error.AverageTV = tv
		c := p.card(known{})
		said := strings.Join(append(c.Good, c.Not...), " ")
		must.Hold(t, strings.Contains(said, "to miss "+page.Figures(tv, 2)+" of the") && strings.Contains(strings.Join(p.usefulness(known{}, nil).Lines, " "), page.Figures(tv, 2)), "an error of %g: %s", tv, said)
	}
}
