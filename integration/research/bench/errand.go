package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/solver"
)

// errand is one run of one method.
type errand struct {
	Data, Table string
	Width       int
	Relation    dp.Neighbouring
	Epsilon     dp.Epsilon
	Method      string
	Seed        uint64 // of noise and of all else: a run can be made again
	Written     bool   // written rows are judged, and a fifth of the people is left out for it
	Rows        string // file to write as many rows to as the table has; "": none
	Test, Real  string // files to write other people of its law and the table to, if Rows is given
}

// outcome is what an errand finds: errors of the released weights, 0 if not measured.
type outcome struct {
	Average, Largest   float64 // on the widest marginals of the workload
	Average4, Average5 float64 // on all marginals of 4 and 5 columns, whatever the workload
	AUC                float64 // of a classifier trained on rows, tried on other people
	Worst              float64 `json:",omitempty"` // mean total variation of the one-ways inside the worst group, of rows
	Apart              float64 `json:",omitempty"` // area under the curve of a classifier that tells rows from the table
	Kept, Rank, Rare   float64 `json:",omitempty"` // families.Strength of rows: Kept, Largest, Rare
	CPU                float64 // seconds of the solve
	MB                 float64 // by which memory grows in the solve, at most; with what is not yet collected
	Chosen             bool    // the rule of package methods takes this method
	Public             bool    // a public table is given
	Refused            string
}

// add makes o the mean of n outcomes and one more.
func (o *outcome) add(one outcome, n int) {
	was, before := float64(n)/float64(n+1), *o
	*o = one
	for _, x := range []struct {
		to   *float64
		from float64
	}{{&o.Average, before.Average}, {&o.Largest, before.Largest}, {&o.Average4, before.Average4}, {&o.Average5, before.Average5}, {&o.Worst, before.Worst},
		{&o.Kept, before.Kept}, {&o.Rank, before.Rank}, {&o.Rare, before.Rare}, {&o.CPU, before.CPU}, {&o.MB, before.MB}} {
		*x.to = (1-was)**x.to + was*x.from
	}
}

// runErrand does an errand and writes its outcome.
func runErrand(w io.Writer, text string) error {
	var job errand
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		return err
	}
	o, err := job.run()
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(o)
}

func (e errand) run() (outcome, error) {
	method, public := strings.CutSuffix(e.Method, withPublic)
	public = public || method == "pmw-pub" || method == "pap"
	t, test, rows, err := e.open(public)
	if err != nil {
		return outcome{}, err
	}
	r := families.Request{Method: method, Neighbouring: e.Relation, Epsilon: e.Epsilon, Delta: adult7Delta, Width: e.Width, Public: rows, Unrecorded: true}
	p := r.Problem(t, e.Seed)
	for _, c := range p.Workload.Cliques() {
		t.Marginal(c) // which the solve is not to be timed for
	}
	o, wide := outcome{Public: public}, query.AllMarginals(t.Sizes, 5, 10_000)
	judge := func(other func(domain.Clique) []float64) {
		o.Average, o.Largest = t.Errors(ofWidth(p.Workload, 0), other)
		o.Average4, _ = t.Errors(ofWidth(wide, 4), other)
		o.Average5, _ = t.Errors(ofWidth(wide, 5), other)
	}
	if method == itself {
		again, rows := t.Resampled(e.Seed), t
		judge(again.Shares)
		if e.Written {
			o.judgeRows(t, again)
			rows = again
		}
		return o, e.write(rows, t, test)
	}
	if chosen, _, err := methods.Choose(p, solver.Auto); err == nil {
		o.Chosen = chosen.Name == method
	}
	debug.FreeOSMemory()
	before, start := resident("VmRSS:"), cpu()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // from now on VmHWM is the most since now; without it MB is 0
	s, err := families.Solve(t, r, families.Fixed(e.Seed))
	o.CPU, o.MB = cpu()-start, max(0, resident("VmHWM:")-before)
	if err != nil {
		return outcome{Refused: err.Error()}, nil
	}
	judge(func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
	if e.Rows == "" {
		return o, nil
	}
	written := sample(t, population.NewRows(s.Model, p.Workload.Maximal().Cliques(), t.Units(), e.Seed))
	if e.Written {
		o.judgeRows(t, written)
	}
	return o, e.write(written, t, test)
}

// judgeRows sets what only rows of judged contests have.
func (o *outcome) judgeRows(t, rows *families.Table) {
	s := t.Strength(rows.Shares)
	o.Worst, o.Kept, o.Rank, o.Rare = worstGroup(t, rows), s.Kept, s.Largest, s.Rare
}

// resident returns a line of the process's status in MB; 0 if the system has none.
func resident(line string) (mb float64) {
	text, _ := os.ReadFile("/proc/self/status")
	if _, rest, ok := strings.Cut(string(text), line); ok {
		if _, err := fmt.Sscan(rest, &mb); err != nil {
			return 0
		}
	}
	return mb / 1024
}

// write writes the files that are asked for.
func (e errand) write(rows, real, test *families.Table) error {
	if e.Rows == "" {
		return nil
	}
	return errors.Join(writeCodes(e.Rows, rows), writeCodes(e.Real, real), writeCodes(e.Test, test))
}

// writeCodes writes a table as CSV; codes are words, but numbers in the last column.
func writeCodes(name string, t *families.Table) error {
	var b strings.Builder
	last := len(t.Columns) - 1
	for a := range last {
		fmt.Fprintf(&b, "c%d,", a)
	}
	b.WriteString("label\n")
	for r := range t.Columns[0] {
		for a := range last {
			fmt.Fprintf(&b, "v%d,", t.Columns[a][r])
		}
		fmt.Fprintln(&b, t.Columns[last][r])
	}
	return os.WriteFile(name, []byte(b.String()), 0o600)
}

// open returns the table of an errand, one of other people from the same law if the table is for classifiers, and the public
// table, a tenth of as many rows, if one is wanted.
func (e errand) open(public bool) (t, test *families.Table, rows *solver.Public, err error) {
	var others *families.Table
	if law := laws[e.Table]; law != nil {
		t, test = law(50_000, 1), law(12_500, 2)
		if public {
			others = law(5_000, 3)
		}
	} else {
		if t, err = e.base(); err != nil {
			return nil, nil, nil, err
		}
		if e.Table == "people" || e.Written {
			t, test = split(t, .2)
		}
		if public {
			t, others = split(t, .1)
		}
	}
	if public {
		rows, err = published(others)
	}
	return t, test, rows, err
}

// madeUpRows is the number of records of a made-up table whose rows are judged.
const madeUpRows = 20_000

// base returns the whole table: a made-up one, or one of Adult's with its income last.
func (e errand) base() (*families.Table, error) {
	for _, f := range families.All() {
		if f.Name == e.Table {
			return f.Make(madeUpRows, 1), nil
		}
	}
	name := e.Table
	if name == "people" {
		name = "adult7"
	}
	t, err := open(e.Data, name)
	if err != nil {
		return nil, err
	}
	names, sizes, columns := []string(nil), []int(nil), [][]domain.Code(nil)
	for _, income := range []bool{false, true} {
		for a := range t.Columns {
			if name := t.Domain.Attributes[a].Name; (name == "income>50K") == income {
				names, sizes, columns = append(names, name), append(sizes, t.Sizes[a]), append(columns, t.Columns[a])
			}
		}
	}
	return families.NewTable(t.Name, families.Coded(names, sizes), columns), nil
}

// split puts a random part of the rows into a table of its own.
func split(t *families.Table, part float64) (rest, taken *families.Table) {
	rng := rand.New(rand.NewPCG(1, 10))
	columns := [2][][]domain.Code{make([][]domain.Code, len(t.Columns)), make([][]domain.Code, len(t.Columns))}
	for r := range t.Columns[0] {
		to := columns[0]
		if rng.Float64() < part {
			to = columns[1]
		}
		for a := range t.Columns {
			to[a] = append(to[a], t.Columns[a][r])
		}
	}
	return families.NewTable(t.Name, t.Domain, columns[0]), families.NewTable(t.Name, t.Domain, columns[1])
}

// published returns a table as a public one.
func published(t *families.Table) (*solver.Public, error) {
	b, record := solver.NewPublicBuilder(t.Sizes), make([]domain.Code, len(t.Sizes))
	for r := range t.Columns[0] {
		for a := range record {
			record[a] = t.Columns[a][r]
		}
		b.Add(record)
	}
	return b.Table()
}
