package main

import (
	"fmt"
	"math/rand/v2"
	"path"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/families"
	"github.com/dapple-dp/dapple/internal/methods"
	"github.com/dapple-dp/dapple/solver"
)

// peers are figures of the authors' own programs on adult7 at ε = 1, average TV / largest cell / CPU seconds, under Replace;
// "-" was not measured. RAP is not here, see package comparators.
var peers = map[string]string{
	"adaptive": "AIM .0320/.0045/82–174", "pep": "-/.0058/49", "mwem": "-/.0229/23", "dualquery": ".42/.0445/6–15", "fem": ".470/.0929/23",
}

// rivals prints one run of each method at each ε: the errors of the model on the widest marginals, CPU time and the largest
// heap. pmw-pub and pap get a random tenth of the table's rows as a public table.
func rivals(w *tabwriter.Writer, data, only string) error {
	fmt.Fprintln(w, "\ntable\twidth\tmethod\tε\taverage TV\tlargest\tCPU s\theap MB\tauthors' program, ε = 1")
	defer w.Flush()
	for _, on := range []struct {
		name  string
		width int
	}{{"adult7", 3}, {"parity12", 4}} {
		var t *families.Table
		for _, name := range methods.Names() {
			for _, epsilon := range []dp.Epsilon{.1, 1, 10} {
				if ok, _ := path.Match(only, fmt.Sprintf("rivals/%s/%s/%g", on.name, name, float64(epsilon))); !ok && only != "" {
					continue
				}
				if t == nil {
					var err error
					if t, err = open(data, on.name); err != nil {
						return err
					}
				}
				r := families.Request{Method: name, Epsilon: epsilon, Delta: adult7Delta, Width: on.width, Unrecorded: true}
				if name == "pmw-pub" || name == "pap" {
					r.Public = tenth(t)
				}
				rival(w, t, on.name, r)
				w.Flush()
			}
		}
	}
	return nil
}

func rival(w *tabwriter.Writer, t *families.Table, name string, r families.Request) {
	for _, c := range r.Problem(t, 0).Workload.Cliques() {
		t.Marginal(c) // which the solve is not to be timed for
	}
	heap := make(chan uint64)
	done := make(chan struct{})
	go func() {
		most, m := uint64(0), runtime.MemStats{}
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				heap <- most
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	runtime.GC()
	start := cpu()
	s, err := families.Solve(t, r, families.Fresh())
	seconds := cpu() - start
	close(done)
	most := <-heap
	if err != nil {
		fmt.Fprintf(w, "%s\t%d\t%s\t%g\tdoes not apply: %v\n", name, r.Width, r.Method, float64(r.Epsilon), err)
		return
	}
	tv, largest := t.Errors(ofWidth(s.Problem.Workload, 0), func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
	others := ""
	if r.Epsilon == 1 && name == "adult7" {
		others = peers[r.Method]
	}
	fmt.Fprintf(w, "%s\t%d\t%s\t%g\t%.4f\t%.4f\t%.1f\t%d\t%s\n", name, r.Width, r.Method, float64(r.Epsilon), tv, largest, seconds, most>>20, others)
}

// tenth returns a random tenth of the rows as a public table.
func tenth(t *families.Table) *solver.Public {
	all := make(domain.Clique, len(t.Sizes))
	for a := range all {
		all[a] = a
	}
	b, rng, record := solver.NewPublicBuilder(t.Sizes), rand.New(rand.NewPCG(1, 10)), make([]domain.Code, len(all))
	for z, n := range t.Marginal(all) {
		for range n {
			if rng.IntN(10) > 0 {
				continue
			}
			for a, rest := len(all)-1, z; a >= 0; a-- {
				record[a], rest = domain.Code(rest%t.Sizes[a]), rest/t.Sizes[a]
			}
			b.Add(record)
		}
	}
	p, err := b.Table()
	if err != nil {
		panic("bench: " + err.Error())
	}
	return p
}

// parity12 is a table of 50,000 records of 12 binary columns, uniform but for the last column, which is the parity of three
// others for 90 % of the records: all tables of up to three columns are uniform.
func parity12() *families.Table {
	rng := rand.New(rand.NewPCG(12, 4))
	columns, names, sizes := make([][]domain.Code, 12), make([]string, 12), make([]int, 12)
	for a := range columns {
		names[a], sizes[a] = fmt.Sprint("x", a), 2
		for range 50_000 {
			columns[a] = append(columns[a], domain.Code(rng.IntN(2)))
		}
	}
	for r := range columns[11] {
		if rng.Float64() < .8 {
			columns[11][r] = columns[1][r] ^ columns[4][r] ^ columns[7][r]
		}
	}
	return families.NewTable("parity12", families.Coded(names, sizes), columns)
}
