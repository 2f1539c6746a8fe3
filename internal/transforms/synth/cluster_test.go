package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/solver"
)

// What surrounds a run. The page says where these limits were met.
const (
	flinkElement  = 15e6      // the largest element that Flink of default memory has sorted in front of a combine; 30 MB were refused
	flinkDirect   = 128 << 20 // taskmanager.memory.framework.off-heap.size, unless it is set
	flinkMessages = 100       // that Beam's runners in Java send before they look whether any has arrived
	workerMemory  = 4e9       // a choice: the smallest machines of clusters have it
	prismMessage  = 2 << 30   // all input of a step, at an --endpoint

	elementHead = 40 // bytes around an element in a message, as private.BoundParams.MaxBundle counts them
)

// cluster is what runs a pipeline: workers that have a bundle of each step, as on Flink.
type cluster struct {
	workers    int
	maxEntries int // records at which a worker passes on what it holds

	seen map[[3]int64][2]float64 // what spread returned, for all records, the records of a flush, and shards
}

// costs is what code of this version makes of a table's records.
type costs struct {
	head, record float64 // bytes of an element of people: it has some, and some for each record
	width        int     // bytes of a record
}

// flow is what a run sends, and to whom.
type flow struct {
	flushes  int     // of all workers: how often one passes its records on
	elements float64 // of people
	largest  float64 // records of the largest of them
	sent     float64 // bytes of all
	shards   int
	parts    float64 // elements of a shard
	shard    float64 // bytes of the largest shard
	holds    float64 // bytes that a worker holds while records are on their way: its log, or a shard
}

// people simulates the way of n records of people to their shards. Which shard a person belongs to is decided as in a run.
func (c cluster) people(k costs, n int64, shards int) flow {
	f := flow{shards: shards}
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	for w := range int64(c.workers) {
		for left := n/int64(c.workers) + min(1, max(0, n%int64(c.workers)-w)); left > 0; {
			records := min(left, int64(c.maxEntries))
			left -= records
			flush := [3]int64{n, records, int64(shards)}
			hit, ok := c.seen[flush] // flushes of equal size are alike
			if !ok {
				hit[0], hit[1] = spread(records, n/perPerson, shards)
				c.seen[flush] = hit
			}
			f.flushes++
			f.elements += hit[0]
			f.largest = max(f.largest, hit[1])
			f.sent += hit[0]*(k.head+elementHead) + k.record*float64(records)
			f.holds = max(f.holds, 2*float64(records)*(k.record+logHead))
		}
	}
	f.parts = f.elements / float64(shards)
	// The number of people of a shard varies as a Poisson variable does.
	mean, most := float64(n)/perPerson/float64(shards), 0.0
	for range shards {
		most = max(most, mean+math.Sqrt(mean)*rng.NormFloat64())
	}
	f.shard = most*perPerson*k.record + f.parts*(k.head+elementHead)
	f.holds = max(f.holds, most*perPerson*(k.record+unitHead))
	return f
}

// Of a record a log has so many bytes beside those that are sent, and what is decoded has numbers of so many.
const logHead, unitHead = 20, 48

// spread deals so many records of people, drawn at random, to shards: how many get any, and the most that one gets.
func spread(n, people int64, shards int) (hit, most float64) {
	rng, got, id := rand.New(rand.NewPCG(3, uint64(n))), make([]int32, shards), []byte(nil)
	for range n {
		id = strconv.AppendInt(id[:0], 1e9+rng.Int64N(people), 10)
		got[records.Shard(records.Hash(id), shards)]++
	}
	for _, k := range got {
		hit, most = hit+float64(min(k, 1)), max(most, float64(k))
	}
	return hit, most
}

// costs encodes two elements of different sizes.
func (m input) costs(rows []byte) costs {
	width := len(rows) / madeRows
	bytes := func(n int) (size float64) {
		set := records.NewSet(width, maxEntries)
		for i := range n {
			set.Add(strconv.AppendInt(nil, int64(1e9+i), 10), rows[i*width:][:width])
		}
		set.Flush(1, func(_ int, u *records.Units) { size = float64(len(u.Encode(nil))) })
		return size
	}
	small, large := bytes(200), bytes(4200)
	return costs{head: small - 200*(large-small)/4000, record: (large - small) / 4000, width: width}
}

// TestClusterSendsWhatSetsSend: the simulation of a cluster of four workers sends what the code that a run has does.
func TestClusterSendsWhatSetsSend(t *testing.T) {
	const n, shards = 200_000, 64
	m := input{columns: 14, least: 2, most: 24}
	rng := rand.New(rand.NewPCG(4, 4))
	rows := randomRows(rng, m.domain())
	c := cluster{workers: 4, maxEntries: 1 << 9, seen: map[[3]int64][2]float64{}}
	k := m.costs(rows)
	got := c.people(k, n, shards)
	var elements, sent float64
	var shard [shards]float64
	for range c.workers {
		set := records.NewSet(k.width, c.maxEntries)
		flush := func() {
			set.Flush(shards, func(s int, u *records.Units) {
				size := float64(len(u.Encode(nil)) + elementHead)
				elements, sent, shard[s] = elements+1, sent+size, shard[s]+size
			})
		}
		for i := range n / c.workers {
			set.Add(strconv.AppendInt(nil, 1e9+rng.Int64N(n/perPerson), 10), rows[i%madeRows*k.width:][:k.width])
			if i%c.maxEntries == c.maxEntries-1 { // a set is full a little earlier, or later if rows are equal
				flush()
			}
		}
		flush()
	}
	most := 0.0
	for _, size := range shard {
		most = max(most, size)
	}
	for name, pair := range map[string][2]float64{"elements": {got.elements, elements}, "bytes": {got.sent, sent}, "the largest shard": {got.shard, most}} {
		d := pair[0]/pair[1] - 1
		must.Hold(t, math.Abs(d) <= .03, "%s: simulated %.0f, sent %.0f", name, pair[0], pair[1])
	}
}

// limit is what an engine or a machine has of something, and from how many records on a run wants more.
type limit struct {
	name string
	has  float64
}

// limits ends with prism's, which is no cluster of many workers.
var limits = []limit{
	{"memory of a worker, 4 GB", workerMemory},
	{"memory of the solver, 4 GB", workerMemory},
	{"element of counts on Flink, 15 MB", flinkElement},
	{"100 shards on Flink, 128 MB", flinkDirect},
	{"counts at one combiner, 128 MB", flinkDirect},
	{"prism at an endpoint: input of a step, 2 GB", prismMessage},
}

// wants returns what n records take of each limit, fit being the memory of the fit.
func (m input) wants(t *testing.T, c cluster, p solver.Problem, shape counts.Shape, fit float64, n int64) (f flow, wants []float64) {
	rows := randomRows(rand.New(rand.NewPCG(1, uint64(m.columns))), p.Domain)
	width := float64(len(rows) / madeRows)
	units, worker, step := n, 0.0, float64(n)*width // coded records are the input of a step, if no ID holds them up
	if !m.noID {
		_, input := plan.Written(p, n)
		f = c.people(m.costs(rows), n, plan.Shards(int64(input)+n*idBytes, true))
		units, worker, step = n/perPerson, f.holds, f.sent
	}
	var held, element, combiner float64
	if p.Domain.Learns() {
		held = 2 * float64(units) * width // sorted, as plan counts it
		step = max(step, held/2)
	} else {
		for _, c := range shape.Cliques {
			k, _ := c.Cells(p.Domain.Sizes()) // at most plan.CountedCells
			held += 8 * float64(k)
		}
		k := tables(t, p.Domain, shape, rows, units/int64(c.workers), int64(c.workers))
		element, worker, combiner, held = k.piece, worker+2*held+k.piece, k.combiner, 2*held+k.sum
	}
	return f, []float64{worker, held + fit, element, flinkMessages * f.shard, combiner, step}
}

// TestLimits: the simulated tables of pipelines/deploy/README.md are what a cluster of this version's elements makes.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to deal a million records at each of many sizes; make integration runs it")
	}
	c := cluster{workers, maxEntries, map[[3]int64][2]float64{}}
	fourteen := input{name: "14 columns", columns: 14, least: 2, most: 24}
	alone, learned := fourteen, fourteen
	alone.name, alone.noID = "14 columns, no ID", true
	learned.name, learned.learned = "14 columns, 4 with learned bins", 4
	const growing, limiting = "| records | passed on |", "| table | first |"
	var growth, first strings.Builder
	growth.WriteString(growing + " elements | of them a shard | records of one | sent | largest shard |\n|---|---|---|---|---|---|---|\n")
	first.WriteString(limiting)
	for _, l := range limits {
		first.WriteString(" " + l.name + " |")
	}
	first.WriteString("\n|---|---|" + strings.Repeat("---|", len(limits)) + "\n")
	for _, m := range []input{
		fourteen, alone, {name: "60 columns", columns: 60, least: 2, most: 9}, {name: "200 columns", columns: 200, least: 2, most: 9}, learned,
	} {
		p := m.problem()
		method, _, err := methods.Choose(p, solver.Auto)
		must.Do(t, err)
		fit, _ := method.Cost(p)
		shape := counts.NewShape(p.Workload, counts.Params{MaxCells: plan.CountedCells, Cliques: method.Cliques(p)})
		from, least, which := make([]string, len(limits)), "", ""
		for e := 6; e <= 12; e++ {
			for _, digit := range []int64{1, 3} {
				n := digit * int64(math.Pow10(e))
				f, wants := m.wants(t, c, p, shape, fit, n)
				if m.name == fourteen.name && digit == 1 && e%2 == 0 {
					fmt.Fprintf(&growth, "| 10^%d | %d | %s | %s | %s | %s | %s |\n", e, f.flushes, number(f.elements), number(f.parts),
						number(float64(n)/f.elements), size(f.sent), size(f.shard))
				}
				for i, l := range limits {
					if from[i] == "" && wants[i] > l.has {
						from[i] = strings.TrimPrefix(fmt.Sprintf("%d·10^%d", digit, e), "1·")
						if least == "" && i < len(limits)-1 {
							least, which = from[i], l.name
						}
					}
				}
			}
		}
		name, _, _ := strings.Cut(which, ",")
		fmt.Fprintf(&first, "| %s | %s |", m.name, strings.TrimSpace(least+" "+name))
		for _, at := range from {
			first.WriteString(" " + at + " |")
		}
		first.WriteString("\n")
	}
	const page = "../../../pipelines/deploy/README.md"
	text := must.Value(os.ReadFile(page))(t)
	want := string(text)
	for header, table := range map[string]string{growing: growth.String(), limiting: first.String()} {
		before, rest, found := strings.Cut(want, header)
		_, after, ends := strings.Cut(rest, "\n\n")
		must.Need(t, found && ends, "the page has no table that begins with %q; it is this:\n%s", header, table)
		want = before + table + "\n" + after
	}
	if *update {
		must.Do(t, os.WriteFile(page, []byte(want), 0o666))
	} else if want != string(text) {
		t.Errorf("%s has other tables; go test -run TestLimits ./internal/transforms/synth -update writes these:\n%s\n%s", page, growth.String(), first.String())
	}
}

// number writes two digits.
func number(v float64) string {
	return strings.TrimSuffix(scaledBy(v, 1000, "", " thousand", " million", " thousand million", " million million"), " ")
}
