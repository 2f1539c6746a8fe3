package families

import "math"

// players have counts with long tails that follow each other: most of them play little, and who never bats has no hits.
func players(c *cells) {
	role, name := c.pick([]float64{45, 40, 15}, "field", "pitch", "bench")
	skill := c.rng.NormFloat64()
	games := 1 + math.Floor(math.Min(161, math.Exp(3.2+.9*c.rng.NormFloat64()+.3*skill)))
	bats := c.poisson(games * []float64{3.4 * math.Exp(.25*c.rng.NormFloat64()), .15, 1.2}[role])
	hits := math.Min(bats, c.poisson(bats*(.25+.03*skill)))
	steals := 0.
	if c.chance(.5) {
		steals = c.poisson(games * .08 * c.rng.ExpFloat64())
	}
	salary := 1000 * math.Round(math.Exp(6+.9*skill+.5*c.rng.NormFloat64()+.004*games))
	c.text("role", name)
	c.number("year", 0, float64(1985+c.rng.IntN(31)))
	c.number("games", 0, games)
	c.number("bats", 0, bats)
	c.number("hits", 0, hits)
	c.number("homers", 0, c.poisson(hits*.1*math.Exp(.6*c.rng.NormFloat64())))
	c.number("walks", 0, c.poisson(bats*.09*math.Exp(.3*skill)))
	c.number("runs", 0, c.poisson(hits*.5))
	c.number("steals", 0, steals)
	c.number("salary", 0, math.Max(200_000, salary))
}

// sessions are visits of a site: who sees more pages stays longer and causes more events, and few buy anything.
func sessions(c *cells) {
	pages := 1 + math.Floor(math.Exp(.4+.9*c.rng.NormFloat64())*c.rng.ExpFloat64())
	seconds, revenue, lag := 0., 0., 0.
	if pages > 1 {
		seconds = math.Round(pages * 25 * math.Exp(.7*c.rng.NormFloat64()))
	}
	cart := math.Min(pages, c.poisson(pages*.06))
	if cart > 0 && c.chance(.3) {
		revenue = math.Floor(math.Exp(3+.7*c.rng.NormFloat64()))*cart + .99
	}
	if c.chance(.7) {
		x := c.rng.ExpFloat64()
		lag = math.Round(40 * x * x)
	}
	_, device := c.pick([]float64{12, 7, 1}, "phone", "desk", "tablet")
	_, source := c.pick([]float64{4, 3, 2, 1}, "search", "direct", "ad", "mail")
	c.text("device", device)
	c.text("source", source)
	c.number("pages", 0, pages)
	c.number("seconds", 0, seconds)
	c.number("events", 0, c.poisson(pages*1.8*math.Exp(.4*c.rng.NormFloat64())))
	c.number("cart", 0, cart)
	c.number("revenue", 2, revenue)
	c.number("bytes", 0, math.Round(180_000*pages*math.Exp(.5*c.rng.NormFloat64())))
	c.number("lag", 0, lag)
}

// poisson returns a number of events with the given mean: the waiting times that fit into it.
func (c *cells) poisson(mean float64) float64 {
	n := 0.
	for at := c.rng.ExpFloat64(); at < mean; at += c.rng.ExpFloat64() {
		n++
	}
	return n
}
