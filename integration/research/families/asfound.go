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

	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// AsFound is a made-up table of numbers, money, dates and times as people keep them: not coded, as CSV.
type AsFound struct {
	Name  string
	rows  int
	write func(w *cells)
}

// AllAsFound lists such tables. Constants of rake were chosen while looking at the first four alone.
func AllAsFound() []AsFound {
	return []AsFound{
		{"claims", 20_000, claims},
		{"stones", 50_000, stones},
		{"orders", 40_000, orders},
		{"weather", 26_000, weather},
		{"delays", 300_000, delays},
		{"payments", 30_000, payments},
		{"consultations", 25_000, consultations},
		{"players", 22_000, players},
		{"sessions", 35_000, sessions},
	}
}

// Write writes the table with a header line.
func (t AsFound) Write(w io.Writer, seed uint64) error {
	c := &cells{w: bufio.NewWriter(w), rng: rand.New(rand.NewPCG(seed, 0x6173666f)), header: true}
	t.write(c)
	c.end()
	for c.header = false; c.row < t.rows; c.row++ {
		t.write(c)
		c.end()
	}
	return c.w.Flush()
}

// cells writes one row after the other.
type cells struct {
	w      *bufio.Writer
	rng    *rand.Rand
	row    int
	header bool
	line   []string
}

func (c *cells) text(name, value string) {
	if c.header {
		value = name
	}
	c.line = append(c.line, value)
}

// number writes x with so many decimals.
func (c *cells) number(name string, decimals int, x float64) {
	c.text(name, strconv.FormatFloat(x+0, 'f', decimals, 64))
}

func (c *cells) end() {
	fmt.Fprintln(c.w, strings.Join(c.line, ","))
	c.line = c.line[:0]
}

func (c *cells) chance(p float64) bool { return c.rng.Float64() < p }

// pick returns one of the texts by their weights.
func (c *cells) pick(weights []float64, texts ...string) (int, string) {
	sum := summation.InOrder(weights)
	u := c.rng.Float64() * sum
	for i, w := range weights {
		if u -= w; u < 0 {
			return i, texts[i]
		}
	}
	return len(texts) - 1, texts[len(texts)-1]
}

// claims is a year of health insurance: most amounts and counts are 0, the others have long tails, and all follow how
// ill somebody is.
func claims(c *cells) {
	ill := c.rng.NormFloat64()
	age := math.Round(math.Min(64, math.Max(0, 28+16*c.rng.NormFloat64()+3*ill)))
	count := func(zero, mean float64) float64 {
		if c.chance(zero) {
			return 0
		}
		return math.Floor(mean*math.Exp(.6*ill+.5*c.rng.NormFloat64())*c.rng.ExpFloat64() + .5)
	}
	plan, name := c.pick([]float64{5, 2, 2, 1}, "free", "quarter", "half", "most")
	visits := count(.28, 3.5/(1+.3*float64(plan)))
	inpatient, stay := 0., 0.
	if c.chance(.09 * math.Exp(.5*ill)) {
		inpatient = math.Exp(6.6 + .9*c.rng.NormFloat64() + .2*ill)
		stay = 1 + count(.3, 3)
	}
	outpatient := visits * 22 * math.Exp(.5*c.rng.NormFloat64())
	drugs := 0.
	if visits > 0 && c.chance(.75) {
		drugs = math.Exp(2.6 + 1.1*c.rng.NormFloat64() + .5*ill)
	}
	c.text("plan", name)
	c.number("age", 0, age)
	_, sex := c.pick([]float64{52, 48}, "f", "m")
	c.text("sex", sex)
	c.number("visits", 0, visits)
	c.number("other_visits", 0, count(.83, 4))
	c.number("dental", 0, count(.5, 2))
	c.number("nights", 0, stay)
	c.number("inpatient", 2, inpatient)
	c.number("outpatient", 2, outpatient)
	c.number("drugs", 2, drugs)
	c.number("total", 2, inpatient+outpatient+drugs)
	c.number("income", 0, math.Max(0, math.Round(9000*math.Exp(.7*c.rng.NormFloat64())-400)))
	c.number("health", 1, math.Min(100, math.Max(0, math.Round((70-12*ill+9*c.rng.NormFloat64())*10)/10)))
	size := 1 + math.Floor(2.2*c.rng.ExpFloat64())
	c.number("household", 0, math.Min(size, 14))
}

// stones has measures of one thing that are nearly proportional, a price that follows them, and in each of two columns
// one value far from all others.
func stones(c *cells) {
	size := math.Exp(-.45 + .5*c.rng.NormFloat64())
	if c.chance(.35) { // round weights are asked for
		size = []float64{.3, .5, .7, 1, 1.01, 1.5, 2}[c.rng.IntN(7)]
	}
	size = math.Min(math.Max(math.Round(size*100)/100, .2), 5)
	clarity, name := c.pick([]float64{1, 3, 5, 4, 2}, "low", "fair", "good", "fine", "pure")
	long := 6.4*math.Cbrt(size) + .05*c.rng.NormFloat64()
	wide := long + .04*c.rng.NormFloat64()
	depth := 61.7 + 1.3*c.rng.NormFloat64()
	high := (long + wide) / 2 * depth / 100
	switch c.row {
	case 17_000:
		wide = 58.9
	case 31_000:
		high = 31.8
	}
	if c.row%2700 == 5 {
		high = 0
	}
	c.number("carat", 2, size)
	c.text("clarity", name)
	_, cut := c.pick([]float64{2, 5, 4}, "plain", "good", "ideal")
	c.text("cut", cut)
	c.number("price", 0, math.Floor(3900*math.Pow(size, 1.7)*math.Exp(.12*float64(clarity)+.2*c.rng.NormFloat64())))
	c.number("depth", 1, depth)
	c.number("table", 1, math.Round(57.5+2.2*c.rng.NormFloat64()))
	c.number("x", 2, long)
	c.number("y", 2, wide)
	c.number("z", 2, high)
}

// orders is a shop: prices end in .99, most discounts are 0, shipping has three prices, orders come while the shop is
// open and on some days more than on others, and nothing arrives before it is ordered.
func orders(c *cells) {
	category, name := c.pick([]float64{6, 4, 3, 2, 1}, "books", "kitchen", "toys", "garden", "phones")
	price := math.Floor(math.Exp(2.5+.4*float64(category)+.8*c.rng.NormFloat64())) + .99
	if c.chance(.1) {
		price = math.Floor(price) + .5
	}
	quantity := 1.
	for c.chance(.25) && quantity < 20 {
		quantity++
	}
	discount := 0.
	if c.chance(.15) {
		discount = math.Round(price * quantity * []float64{.05, .1, .2, .3}[c.rng.IntN(4)] * 100)
		discount /= 100
	}
	amount := price*quantity - discount
	shipping := 4.99
	switch {
	case amount > 60:
		shipping = 0
	case c.chance(.2):
		shipping = 9.99
	}
	day := c.rng.IntN(730)
	at := time.Date(2023, 1, 2, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day) // a Monday
	for at.Weekday() == time.Sunday || at.Weekday() == time.Saturday && c.chance(.4) {
		at = at.AddDate(0, 0, -c.rng.IntN(6))
	}
	opened := 9 + 9*math.Sqrt(c.rng.Float64()*c.rng.Float64())
	placed := at.Add(time.Duration(opened*3600) * time.Second)
	delivered := at.AddDate(0, 0, 1+int(2.5*c.rng.ExpFloat64()))
	returned := 0.
	if c.chance(.08) {
		returned = math.Round(amount*100) / 100
	}
	age := ""
	if !c.chance(.06) {
		age = strconv.Itoa(int(math.Min(95, math.Max(18, 42+15*c.rng.NormFloat64()))))
	}
	c.text("category", name)
	c.number("price", 2, price)
	c.number("quantity", 0, quantity)
	c.number("discount", 2, discount)
	c.number("amount", 2, amount)
	c.number("shipping", 2, shipping)
	c.number("returned", 2, returned)
	c.text("placed", placed.Format("2006-01-02 15:04:05"))
	c.text("delivered", delivered.Format(time.DateOnly))
	c.text("age", age)
	_, channel := c.pick([]float64{5, 3, 1}, "web", "app", "desk")
	c.text("channel", channel)
}

// weather has temperatures that go together, rain that mostly does not fall, and one gust that is a slip of the pen.
func weather(c *cells) {
	month := 1 + c.rng.IntN(12)
	hour := c.rng.IntN(24)
	temperature := 54 - 22*math.Cos(2*math.Pi*float64(month-1)/12) - 5*math.Cos(2*math.Pi*float64(hour-4)/24) + 8*c.rng.NormFloat64()
	gap := 4 + 7*c.rng.ExpFloat64()
	humid := math.Min(100, math.Max(12, 100*math.Exp(-gap/26)))
	wind := math.Round(math.Max(0, 9+5*c.rng.NormFloat64())) * 1.15
	if c.row == 12_345 {
		wind = 1048.36
	}
	rain := 0.
	if c.chance(.07) {
		rain = math.Round(100*(.01+.08*c.rng.ExpFloat64()*c.rng.ExpFloat64())) / 100
	}
	visible := 10.
	if rain > 0 || c.chance(.06) {
		visible = math.Round(10*math.Sqrt(c.rng.Float64())*4) / 4
	}
	direction := "NA"
	if wind > 0 {
		direction = strconv.Itoa(10 * (1 + c.rng.IntN(36)))
	}
	_, place := c.pick([]float64{1, 1, 1}, "EWR", "JFK", "LGA")
	c.text("place", place)
	c.number("month", 0, float64(month))
	c.number("day", 0, float64(1+c.rng.IntN(28)))
	c.number("hour", 0, float64(hour))
	c.number("temp", 2, temperature)
	c.number("dew", 2, temperature-gap)
	c.number("humid", 2, humid)
	c.text("direction", direction)
	c.number("wind", 5, wind)
	c.number("rain", 2, rain)
	c.number("pressure", 1, 1017.9-.1*(temperature-54)+7*c.rng.NormFloat64())
	c.number("visible", 2, visible)
}

// delays is a timetable: delays have a spike and a long tail, arrivals follow departures, and hours and minutes follow
// from the time planned.
func delays(c *cells) {
	carrier, name := c.pick([]float64{6, 5, 5, 3, 2, 2, 1}, "UA", "B6", "EV", "DL", "AA", "MQ", "US")
	_, from := c.pick([]float64{4, 3, 3}, "EWR", "JFK", "LGA")
	route := c.rng.IntN(60)
	distance := float64(100 + route*41 + (carrier*route*route)%97)
	hour := 6 + min(c.rng.IntN(18), c.rng.IntN(20))
	minute := []int{0, 0, 0, 15, 30, 30, 45, 55, 59, 5, 10, 20, 25, 29}[c.rng.IntN(14)]
	start := hour*60 + minute
	late := math.Round(-4 + 3*c.rng.NormFloat64())
	if c.chance(.12 + .012*float64(hour)) {
		late += math.Round(30 * c.rng.ExpFloat64() * (1 + .5*c.rng.ExpFloat64()))
	}
	air := math.Round(18 + distance/7.5 + 8*c.rng.NormFloat64())
	arrived := late + math.Round(-3+14*c.rng.NormFloat64())
	clock := func(minutes int) float64 { m := (minutes%1440 + 1440) % 1440; return float64(m/60*100 + m%60) }
	date := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, c.rng.IntN(365))
	c.number("month", 0, float64(date.Month()))
	c.number("day", 0, float64(date.Day()))
	c.text("carrier", name)
	c.text("from", from)
	c.number("planned", 0, clock(start))
	c.number("departed", 0, clock(start+int(late)))
	c.number("departure_delay", 0, late)
	c.number("arrival_planned", 0, clock(start+int(air)+25))
	c.number("arrived", 0, clock(start+int(air)+25+int(arrived)))
	c.number("arrival_delay", 0, arrived)
	c.number("distance", 0, distance)
	c.number("air_time", 0, air)
	c.number("hour", 0, float64(hour))
	c.number("minute", 0, float64(minute))
	_, kind := c.pick([]float64{5, 3, 2, 1}, "A320", "B737", "E145", "CRJ")
	c.text("type", kind)
	c.text("date", date.Format(time.DateOnly))
}
