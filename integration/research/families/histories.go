package families

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// History is a made-up table, as CSV, of people whose rows follow each other.
type History struct {
	Name    string
	Columns string // header line
	People  int
	// Domain declares columns and events; the order is behind a comma that begins Order.
	Domain, Order string
	person        func(c *cells, number int)
}

// Histories lists such tables: states that follow from the one before, purchases, visits of a hospital, flights of planes,
// and parcels, whose histories have up to 200 rows.
func Histories() []History {
	return []History{
		{"careers", "pid,sex,age,day,state,cost", 20_000, `privacy_id: pid
columns:
  - {name: sex, type: INT64, values: [0, 1], fallback: 0}
  - {name: age, type: INT64, values: [0, 1, 2, 3, 4], fallback: 0}
  - {name: day, type: INT64, min: 0, max: 1499, fallback: 0}
  - {name: state, type: INT64, values: [0, 1, 2, 3, 4, 5], fallback: 0}
  - {name: cost, type: INT64, min: 0, max: 9, fallback: 0}
events: {person: [sex, age], rows: {max: 40}`, "order: day", careers()},
		{"purchases", "customer,region,bought,category,amount,channel", 25_000, `privacy_id: customer
columns:
  - {name: region, type: STRING, values: [north, east, south, west], fallback: north}
  - {name: bought, type: DATE, min: 2022-01-01, max: 2023-12-31, fallback: 2022-01-01}
  - {name: category, type: INT64, values: [` + upTo(24) + `], fallback: 0}
  - {name: amount, type: NUMERIC, min: 0, max: 1000, resolution: 0.01, fallback: 0}
  - {name: channel, type: STRING, values: [shop, web, phone], fallback: shop}
events: {person: [region], rows: {max: 50}`, "order: bought", purchases()},
		{"hospital", "patient,sex,born,admitted,ward,diagnosis,nights", 15_000, `privacy_id: patient
columns:
  - {name: sex, type: STRING, values: [f, m], fallback: f}
  - {name: born, type: INT64, min: 1930, max: 2009, fallback: 1930}
  - {name: admitted, type: DATETIME, min: 2020-01-01 00:00:00, max: 2023-12-31 23:00:00, resolution: hour, fallback: 2020-01-01 00:00:00}
  - {name: ward, type: STRING, values: [surgery, heart, lungs, birth, children, general], fallback: general}
  - {name: diagnosis, type: INT64, values: [` + upTo(18) + `], fallback: 0}
  - {name: nights, type: INT64, min: 0, max: 60, fallback: 0}
events: {person: [sex, born], rows: {max: 30}`, "order: admitted", hospital()},
		{"flights", "tail,model,departed,airport,delay,distance", 3_000, `privacy_id: tail
columns:
  - {name: model, type: STRING, values: [a, b, c], fallback: a}
  - {name: departed, type: DATETIME, min: 2023-03-01 00:00:00, max: 2023-03-31 23:45:00, resolution: minute, fallback: 2023-03-01 00:00:00}
  - {name: airport, type: INT64, values: [` + upTo(30) + `], fallback: 0}
  - {name: delay, type: INT64, min: -20, max: 300, fallback: 0}
  - {name: distance, type: INT64, min: 100, max: 3000, fallback: 100}
events: {person: [model], rows: {max: 100}`, "order: departed", flights()},
		{"parcels", "van,depot,minute,street,weight", 2_000, `privacy_id: van
columns:
  - {name: depot, type: INT64, values: [0, 1, 2], fallback: 0}
  - {name: minute, type: INT64, min: 0, max: 2999, fallback: 0}
  - {name: street, type: INT64, values: [` + upTo(12) + `], fallback: 0}
  - {name: weight, type: INT64, min: 1, max: 30, fallback: 1}
events: {person: [depot], rows: {max: 200}`, "order: minute", parcels()},
	}
}

// File returns the domain file, with an order or without one.
func (h History) File(ordered bool) string {
	if ordered {
		return h.Domain + ", " + h.Order + "}\n"
	}
	return h.Domain + "}\n"
}

// Write writes the table with a header line.
func (h History) Write(w io.Writer, seed uint64) error {
	c := &cells{w: bufio.NewWriter(w), rng: rand.New(rand.NewPCG(seed, 0x68697374))}
	fmt.Fprintln(c.w, h.Columns)
	for i := range h.People {
		h.person(c, i)
	}
	return c.w.Flush()
}

// add writes a row.
func (c *cells) add(values ...any) {
	for _, v := range values {
		c.line = append(c.line, fmt.Sprint(v))
	}
	c.end()
}

// upTo lists the whole numbers below n.
func upTo(n int) string {
	var list []string
	for i := range n {
		list = append(list, strconv.Itoa(i))
	}
	return strings.Join(list, ", ")
}

// world is what all people of a family share: chains between states, and laws of their own.
type world struct{ rng *rand.Rand }

func newWorld(name string) world {
	seed := uint64(0)
	for _, c := range name {
		seed = 31*seed + uint64(c)
	}
	return world{rand.New(rand.NewPCG(seed, 0x776f726c64))}
}

// law returns weights of n states, few of them likely: the weights of a Dirichlet law with parameter 1/2.
func (w world) law(n int) []float64 {
	out, sum := make([]float64, n), 0.0
	for i := range out {
		x := w.rng.NormFloat64()
		out[i] = x * x
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// laws returns a law for each of so many states.
func (w world) laws(states, n int) [][]float64 {
	out := make([][]float64, states)
	for i := range out {
		out[i] = w.law(n)
	}
	return out
}

// state draws by a law.
func (c *cells) state(law []float64) int {
	x := c.rng.Float64()
	for i, p := range law {
		if x -= p; x < 0 {
			return i
		}
	}
	return len(law) - 1
}

// mixed draws by one law, or with a chance by another.
func (c *cells) mixed(law, other []float64, chance float64) int {
	if c.chance(chance) {
		return c.state(other)
	}
	return c.state(law)
}

// careers have six states that depend on the one before and on age; days in a state have a mean of its own, costs walk.
func careers() func(*cells, int) {
	w := newWorld("careers")
	base, old, first := w.laws(6, 6), w.laws(6, 6), w.laws(5, 6)
	mean := make([]float64, 6)
	for i := range mean {
		mean[i] = 3 + 57*w.rng.Float64()
	}
	ages := []float64{.15, .25, .25, .2, .15}
	return func(c *cells, pid int) {
		sex, age := c.rng.IntN(2), c.state(ages)
		rows := min(40, 1+int(c.poisson(math.Exp(1.2+.12*float64(age)+.7*c.rng.NormFloat64()))))
		state, day, cost := c.state(first[age]), c.rng.IntN(365), c.rng.IntN(3)
		for range rows {
			if day >= 1500 {
				return
			}
			c.add(pid, sex, age, day, state, cost)
			state = c.mixed(base[state], old[state], .05*float64(age))
			day += 2 + int(c.rng.ExpFloat64()*mean[state])
			if cost += c.rng.IntN(3) - 1; state == 0 {
				cost++
			}
			cost = min(9, max(0, cost))
		}
	}
}

// purchases are of categories that lead to each other; what is dear is bought less often, and who buys on the web does so again.
func purchases() func(*cells, int) {
	w := newWorld("purchases")
	next, first := w.laws(24, 24), w.laws(4, 24)
	price := make([]float64, 24)
	for i := range price {
		price[i] = math.Exp(1.5 + 3*w.rng.Float64())
	}
	begin := time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)
	channels := []string{"shop", "web", "phone"}
	return func(c *cells, customer int) {
		region, keen := c.rng.IntN(4), math.Exp(.8*c.rng.NormFloat64())
		category, channel, day := c.state(first[region]), c.rng.IntN(3), c.rng.IntN(500)
		for range min(50, 1+int(c.poisson(4*keen))) {
			if day >= 730 {
				return
			}
			amount := math.Min(1000, price[category]*math.Exp(.4*c.rng.NormFloat64()))
			c.add(customer, []string{"north", "east", "south", "west"}[region], begin.AddDate(0, 0, day).Format(time.DateOnly),
				category, fmt.Sprintf("%.2f", amount), channels[channel])
			category = c.mixed(next[category], first[region], .2)
			if c.chance(.2) {
				channel = c.rng.IntN(3)
			}
			day += int(c.rng.ExpFloat64() * (5 + 10*math.Log(price[category])) / math.Sqrt(keen))
		}
	}
}

// hospital visits return soon for some diagnoses and never for others; the ward follows from the diagnosis.
func hospital() func(*cells, int) {
	w := newWorld("hospital")
	next, first := w.laws(18, 18), w.laws(8, 18)
	wards := w.laws(18, 6)
	soon, stay := make([]float64, 18), make([]float64, 18)
	for i := range soon {
		soon[i], stay[i] = math.Exp(4+4*w.rng.Float64()), math.Exp(2.5*w.rng.Float64())
	}
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	names := []string{"surgery", "heart", "lungs", "birth", "children", "general"}
	return func(c *cells, patient int) {
		sex, born := c.rng.IntN(2), 1930+c.rng.IntN(80)
		law := first[(born-1930)/20+4*sex]
		diagnosis, hour := c.state(law), float64(c.rng.IntN(20_000))
		for range min(30, 1+int(c.poisson(math.Exp(.8+float64(2010-born)/80+.6*c.rng.NormFloat64())))) {
			if hour >= 4*365.25*24-24 {
				return
			}
			nights := math.Min(60, math.Floor(c.rng.ExpFloat64()*stay[diagnosis]))
			c.add(patient, []string{"f", "m"}[sex], born, begin.Add(time.Duration(hour)*time.Hour).Format(time.DateTime),
				names[c.state(wards[diagnosis])], diagnosis, nights)
			hour += 24*nights + 6 + math.Floor(c.rng.ExpFloat64()*soon[diagnosis])
			diagnosis = c.mixed(next[diagnosis], law, .25)
		}
	}
}

// flights go from where the one before went, a distance that follows from both ends; delays carry over and fade by night.
func flights() func(*cells, int) {
	w := newWorld("flights")
	at := make([][2]float64, 30)
	for i := range at {
		at[i] = [2]float64{2500 * w.rng.Float64(), 1500 * w.rng.Float64()}
	}
	routes := [3][][]float64{w.laws(30, 30), w.laws(30, 30), w.laws(30, 30)}
	begin := time.Date(2023, 3, 1, 0, 0, 0, 0, time.UTC)
	return func(c *cells, tail int) {
		model := c.rng.IntN(3)
		airport, quarter, delay := c.rng.IntN(30), 20+c.rng.IntN(40), 0.
		for range 60 + c.rng.IntN(41) {
			to := c.state(routes[model][airport])
			distance := math.Max(100, math.Hypot(at[airport][0]-at[to][0], at[airport][1]-at[to][1]))
			if quarter >= 31*96 {
				return
			}
			c.add(fmt.Sprintf("N%04d", tail), []string{"a", "b", "c"}[model], begin.Add(time.Duration(15*quarter)*time.Minute).Format(time.DateTime),
				airport, math.Round(delay), math.Round(distance))
			quarter += 3 + int(distance/150) + c.rng.IntN(6)
			if delay = math.Min(300, math.Max(-20, .7*delay+12*c.rng.ExpFloat64()-9)); quarter%96 > 84 { // the night
				quarter, delay = quarter+36, 5*c.rng.NormFloat64()
			}
			delay = math.Max(-20, delay)
			airport = to
		}
	}
}

// parcels are brought to one street after the other by vans that stop up to 200 times.
func parcels() func(*cells, int) {
	w := newWorld("parcels")
	next := [3][][]float64{w.laws(12, 12), w.laws(12, 12), w.laws(12, 12)}
	return func(c *cells, van int) {
		depot, minute, street := c.rng.IntN(3), c.rng.IntN(120), c.rng.IntN(12)
		for range 20 + c.rng.IntN(181) {
			if minute >= 3000 {
				return
			}
			c.add(van, depot, minute, street, math.Min(30, 1+math.Floor(c.rng.ExpFloat64()*float64(2+street))))
			street = c.state(next[depot][street])
			minute += 1 + int(c.rng.ExpFloat64()*float64(2+street))
		}
	}
}
