package synth

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

var update = flag.Bool("update", false, "write the table of pipelines/deploy/README.md anew")

const (
	workers    = 100     // each has one bundle of a step at a time, as on Flink
	perPerson  = 5       // records, in no order
	maxEntries = 1 << 20 // the default of private.BoundParams
	idBytes    = 10
)

// input is a made-up table: its columns have from least to most values, and the last ones numbers whose bins are learned.
type input struct {
	name                          string
	columns, least, most, learned int
	noID                          bool
}

func (m input) domain() *domain.Domain {
	d := &domain.Domain{}
	if !m.noID {
		d.PrivacyID = "id"
	}
	for i := range m.columns {
		a := domain.Attribute{Name: fmt.Sprint("c", i), Type: domain.String, HasFallback: true}
		for v := range m.least + i%(m.most-m.least+1) {
			a.Values = append(a.Values, fmt.Sprint(v))
		}
		if i >= m.columns-m.learned {
			a = domain.Attribute{Name: a.Name, Type: domain.Int64, Cuts: []int64{0, 9999}, Resolution: 1, Learned: 20, HasFallback: true}
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// problem has the most records: the memory and time of a solve are largest.
func (m input) problem() solver.Problem {
	d := m.domain()
	return solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: 1e-9, Units: 1e10}
}

// rates returns the measured CPU seconds of a record with an ID, and without.
func rates(t *testing.T) (linked, single float64) {
	text := must.Value(os.ReadFile("../../../integration/README.md"))(t)
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 4 && strings.TrimSpace(cells[1]) == "100,000,000" {
			var seconds float64
			must.Value(fmt.Sscan(cells[3], &seconds))(t)
			if linked = max(linked, seconds/1e8); strings.Contains(cells[2], "no privacy ID") {
				single = seconds / 1e8
			}
		}
	}
	must.Need(t, linked > single && single > 0, "no measured rates of records with an ID and without: %g, %g", linked, single)
	return linked, single
}

// TestScale: the table of pipelines/deploy/README.md is what elements of this version make of the graph.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to fill bundles of a million records; make integration runs it")
	}
	const header = "| table | records |"
	var b strings.Builder
	b.WriteString(header + " shards | people: sent | largest element | counts: sent | largest element | memory: worker | combiner | solver | CPU: counting | bounding | solve |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	linked, single := rates(t)
	fourteen := input{name: "14 columns", columns: 14, least: 2, most: 24}
	alone, learned := fourteen, fourteen
	alone.name, alone.noID = "14 columns, no ID", true
	learned.name, learned.learned = "14 columns, 4 with learned bins", 4
	few, some, all := []int64{1e10}, []int64{1e6, 1e8, 1e10}, []int64{1e6, 1e7, 1e8, 1e9, 1e10}
	for _, of := range []struct {
		input input
		sizes []int64
	}{
		{fourteen, all}, {alone, few}, {input{name: "60 columns", columns: 60, least: 2, most: 9}, some},
		{input{name: "200 columns", columns: 200, least: 2, most: 9}, few}, {learned, all},
	} {
		p := of.input.problem()
		method, _, err := methods.Choose(p, solver.Auto)
		must.Do(t, err)
		solving, seconds := method.Cost(p)
		for _, n := range of.sizes {
			s := of.input.scale(t, method, p, n)
			count, bound := "?", "?"
			if of.input.columns == 14 {
				count, bound = duration(float64(n)*single), duration(float64(n)*(linked-single))
			}
			if of.input.noID {
				bound = ""
			}
			fmt.Fprintf(&b, "| %s | 10^%d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", of.input.name, len(fmt.Sprint(n))-1, strings.TrimPrefix(fmt.Sprint(s.shards), "0"),
				size(s.first), size(s.firstElement), size(s.second), size(s.secondElement), size(s.worker), size(s.combiner), size(s.solver+solving), count, bound, duration(seconds))
		}
	}
	ref := ModelRef{Path: "RUN" + ReleaseSuffix, SHA256: strings.Repeat("0", 64), Bytes: 1 << 20}
	n := len(encodeModelRef(ref)) + len(encodeSeed(mechanism.NewSeed()))
	must.Hold(t, n <= 200, "a seed and a reference take %d bytes; the page says less than 200", n)
	const page = "../../../pipelines/deploy/README.md"
	text := must.Value(os.ReadFile(page))(t)
	before, rest, found := strings.Cut(string(text), header)
	_, after, ends := strings.Cut(rest, "\n\n")
	must.Need(t, found && ends, "the page has no such table")
	want := before + b.String() + "\n" + after
	if *update {
		must.Do(t, os.WriteFile(page, []byte(want), 0o666))
	} else if want != string(text) {
		t.Errorf("%s has another table; go test -run TestScale ./internal/transforms/synth -update writes this:\n%s", page, b.String())
	}
}

// size and duration write two digits, and nothing for 0.
func size(bytes float64) string { return scaledBy(bytes, 1000, " B", " kB", " MB", " GB", " TB") }

func duration(seconds float64) string { return scaledBy(seconds, 60, " s", " min", " h") }

func scaledBy(v, step float64, names ...string) string {
	for len(names) > 1 && v >= step {
		v, names = v/step, names[1:]
	}
	switch {
	case v == 0:
		return ""
	case v < 9.95:
		return fmt.Sprintf("%.1f%s", v, names[0])
	}
	return fmt.Sprintf("%.0f%s", v, names[0])
}
