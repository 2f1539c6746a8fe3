package families

import (
	"math"
	"time"
)

// payments have Pareto amounts, fees and taxes that follow them, mostly no refund, and one balance that nobody has.
func payments(c *cells) {
	_, kind := c.pick([]float64{6, 3, 1}, "card", "transfer", "cash")
	rich := c.rng.NormFloat64()
	amount := 4 * math.Exp(.3*rich) * math.Pow(c.rng.Float64(), -1/1.9)
	if c.chance(.3) {
		amount = []float64{5, 10, 20, 50, 100}[c.rng.IntN(5)]
	}
	amount = math.Round(amount*100) / 100
	fee := 0.
	if kind == "card" {
		fee = math.Round(amount*(1.2+.3*c.rng.Float64())) / 100
	}
	balance := 1500 * math.Exp(.9*rich+.5*c.rng.NormFloat64())
	if c.row == 9_999 {
		balance = 999_999
	}
	refund := 0.
	if c.chance(.05) {
		refund = math.Round(amount*c.rng.Float64()*100) / 100
	}
	limit := 500 * math.Ceil(4*math.Exp(.7*rich+.2*c.rng.NormFloat64()))
	c.text("kind", kind)
	c.number("amount", 2, amount)
	c.number("tax", 2, math.Round(amount*(.17+.04*c.rng.Float64())*100)/100)
	c.number("fee", 2, fee)
	c.number("refund", 2, refund)
	c.number("balance", 2, balance)
	c.number("limit", 0, math.Min(limit, 40_000))
	c.number("score", 0, math.Round(math.Min(850, math.Max(300, 640+70*rich+40*c.rng.NormFloat64()))))
	c.number("items", 0, 1+math.Floor(1.5*c.rng.ExpFloat64()))
}

// consultations begin while the practice is open, on workdays more than on Saturdays and never on Sundays; most bills are
// 0, and the others follow how long it took, as do laboratory charges.
func consultations(c *cells) {
	day := time.Date(2022, 1, 3, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*c.rng.IntN(104)) // a Monday
	weekday, _ := c.pick([]float64{6, 5, 3, 5, 4, 1}, "", "", "", "", "", "")
	hour := []float64{8, 8.5, 9, 9.5, 10, 10.5, 11, 14, 14.5, 15, 16, 17}[c.rng.IntN(12)]
	begin := day.AddDate(0, 0, weekday).Add(time.Duration(hour*60+float64(5*c.rng.IntN(6))) * time.Minute)
	ill := c.rng.ExpFloat64()
	minutes := math.Round(6 + 9*ill*math.Exp(.3*c.rng.NormFloat64()))
	bill, tests, charge := 0., 0., 0.
	if c.chance(.4) {
		bill = math.Round(minutes*230*math.Exp(.15*c.rng.NormFloat64())) / 100
	}
	if c.chance(.25) {
		tests = 1 + math.Floor(2*ill*c.rng.ExpFloat64())
		charge = math.Round(tests*1850*math.Exp(.2*c.rng.NormFloat64())) / 100
	}
	height := 168 + 9*c.rng.NormFloat64()
	c.text("begin", begin.Format("2006-01-02 15:04:05"))
	c.text("end", begin.Add(time.Duration(minutes)*time.Minute).Format("2006-01-02 15:04:05"))
	c.text("born", time.Date(1975, 6, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(6500*c.rng.NormFloat64())).Format(time.DateOnly))
	_, room := c.pick([]float64{3, 2, 1}, "1", "2", "east")
	c.text("room", room)
	c.number("minutes", 0, minutes)
	c.number("bill", 2, bill)
	c.number("tests", 0, tests)
	c.number("charge", 2, charge)
	c.number("pulse", 0, math.Round(72+5*ill+8*c.rng.NormFloat64()))
	c.number("height", 0, math.Round(height))
	c.number("weight", 1, math.Max(38, 24*height*height/10_000+3*ill+8*c.rng.NormFloat64()))
}
