package report

import (
	"bytes"
	"html"
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/buildinfo"
)

// TestVerdicts: the first screen says in a word how well people are protected and how good the rows are, and calls people
// as the curator does.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta, tv float64
		about              map[string]string
		want               []string
	}{
		{1, 1e-9, .02, nil, []string{`class="verdict good"><h2>Protection: strong`, `class="verdict good"><h2>Usefulness: good`, "that one person is in the table can become 73"}},
		{3, 1e-9, .08, nil, []string{`class="verdict fair"><h2>Protection: moderate`, `class="verdict fair"><h2>Usefulness: fair`, "Good for shares and tables"}},
		{8, 1e-9, .3, map[string]string{"unit": "patient"}, []string{`class="verdict poor"><h2>Protection: weak`, `class="verdict poor"><h2>Usefulness: poor`,
			"that one patient is in the table", "if all rows of this patient had", "too few patients"}},
		{1, .4, 0, nil, []string{`class="verdict poor"><h2>Protection: weak`, "δ is too large", "Usefulness: not measured"}},
	} {
		p := madePage(3, 4, []string{"x"})
		p.Privacy.Epsilon, p.Privacy.Delta, p.Privacy.PrivacyID, p.Privacy.About, p.Privacy.Error.AverageTV = c.epsilon, c.delta, "id", c.about, c.tv
		p.Privacy.Units.Count = 1000
		p.Privacy.Meaning = meaningOf(p.Privacy)
		var b bytes.Buffer
		if err := WriteHTML(&b, p); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("ε = %g, δ = %g, error %g: the page does not say %q", c.epsilon, c.delta, c.tv, want)
			}
		}
	}
}

// TestVerdictOnOrder: only rows in order are said to have one.
func TestVerdictOnOrder(t *testing.T) {
	for order, want := range map[string]string{"": "small groups and the order of rows", "day": "what depends on more than the row before"} {
		p := madePage(3, 4, []string{"x"})
		p.Privacy.RowsMax, p.Privacy.RowsInOrder = 5, order
		if v := p.usefulness(known{}); !strings.Contains(strings.Join(v.Lines, " "), want) {
			t.Errorf("order %q: the card says %q, without %q", order, v.Lines, want)
		}
	}
}

// TestMeans: the mean of a column of numbers follows from its shares, and its interval from their errors.
func TestMeans(t *testing.T) {
	a := &domain.Attribute{Name: "n", Type: domain.Int64, Cuts: []int64{0, 10, 20}, Resolution: 1, Null: true}
	m := &Marginal{Fitted: []float64{.2, .6, .2}, FittedError: []float64{.01, .02, .01}}
	mean, half, ok := meanOf(a, m)
	wantHalf := 1.96 * math.Sqrt(7.5*7.5*.01*.01+2.5*2.5*.02*.02) / .8
	if !ok || math.Abs(mean-12.5) > 1e-12 || math.Abs(half-wantHalf) > 1e-12 {
		t.Errorf("mean %g ± %g (%v), want 12.5 ± %g", mean, half, ok, wantHalf)
	}
	a.Runs = []domain.Run{{From: 0, Share: .75}, {From: 18, Share: .25}} // of values 0 … 20
	if mean, _, _ = meanOf(a, m); math.Abs(mean-(.75*8.5+.25*19)) > 1e-9 {
		t.Errorf("mean of learned values %g, want %g", mean, .75*8.5+.25*19)
	}
	for _, other := range []*domain.Attribute{
		{Name: "c", Type: domain.String, Values: []string{"a", "b"}},
		{Name: "d", Type: domain.Date, Cuts: []int64{0, 10}, Resolution: 1},
	} {
		if _, _, ok := meanOf(other, &Marginal{Fitted: []float64{.5, .5}}); ok {
			t.Errorf("%s: has a mean", other.Name)
		}
	}
	for _, c := range []struct {
		mean, half float64
		want       string
	}{{12.345, .123, "mean 12.35 ± 0.12"}, {1983.4, 3, "mean 1983.4 ± 3.0"}, {52000, 140, "mean 52000 ± 140"}} {
		if got := meanText(c.mean, c.half); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestSourceAt: links lead to the version that ran, and never to a branch.
func TestSourceAt(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0": "v0.1.0", "v1.2.3-rc.1": "v1.2.3-rc.1", "v0.1.0-development": "v0.1.0", "v0.1.0+dirty": "v0.1.0",
		"v0.1.1-0.20261124180000-0123456789ab": "0123456789ab", "v0.1.1-0.20261124180000-0123456789ab+dirty": "0123456789ab",
		"": buildinfo.Release, "main": buildinfo.Release, "../../other": buildinfo.Release,
	} {
		if got := sourceAt(version); got != repository+"blob/"+want+"/" {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
}

// TestStatementIsEmbedded: the page carries its statement, so that it can be checked without the other files. The hashes of
// files are left out: one of them is that of the page.
func TestStatementIsEmbedded(t *testing.T) {
	p := madePage(3, 4, []string{"</pre><b>"})
	p.Privacy.Hashes = Hashes{Model: "ab12", Rows: "cd34", Files: map[string]string{"_report.html": "ef56"}}
	var b bytes.Buffer
	if err := WriteHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(b.String(), `aria-label="Privacy statement">`)
	text, _, _ := strings.Cut(rest, "</pre>")
	got, err := ParsePrivacy([]byte(html.UnescapeString(text)))
	if err != nil {
		t.Fatal(err)
	}
	p.Privacy.Hashes = Hashes{Model: "ab12"}
	one, _ := got.JSON()
	two, _ := p.Privacy.JSON()
	if !bytes.Equal(one, two) {
		t.Errorf("got %s, want %s", one, two)
	}
	for link := range strings.SplitSeq(b.String(), `href="`+repository) {
		if strings.HasPrefix(link, "blob/main/") {
			t.Errorf("a link to a branch: %.60s", link)
		}
	}
}
