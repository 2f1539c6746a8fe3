// Package fakes makes up names, streets and the like, for columns that are never read off a table. It knows no table: what it
// makes follows from random words alone, row by row, so that any shard of rows can be made by itself.
//
// Names and cities come from the United States, as gofakeit has them; no other locale is there. Mails are at example.com,
// and phone numbers from 555-0100 to 555-0199, which nobody has.
package fakes

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/brianvoe/gofakeit/v7"
)

// person is all that is made up for a row. It is drawn in one order, so that the columns of a row fit together.
type person struct {
	first, last, street, city, zip, company string
	area, line, host                        int
}

// kinds are the fakes by name.
var kinds = []struct {
	name string
	of   func(p *person) string
}{
	{"name", func(p *person) string { return p.first + " " + p.last }},
	{"first_name", func(p *person) string { return p.first }},
	{"last_name", func(p *person) string { return p.last }},
	{"email", func(p *person) string {
		return strings.ToLower(p.first+"."+p.last) + "@example." + [...]string{"com", "net", "org"}[p.host]
	}},
	{"phone", func(p *person) string { return fmt.Sprintf("%03d-555-01%02d", p.area, p.line) }},
	{"street", func(p *person) string { return p.street }},
	{"city", func(p *person) string { return p.city }},
	{"zip", func(p *person) string { return p.zip }},
	{"company", func(p *person) string { return p.company }},
}

// Names lists the kinds of fakes.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Maker makes fakes of one kind. It is not safe for concurrent use.
type Maker struct {
	src   *rand.PCG
	faker *gofakeit.Faker
	of    func(*person) string
}

// New returns a maker of a kind; nil if there is no such kind.
func New(name string) *Maker {
	for _, k := range kinds {
		if k.name == name {
			src := rand.NewPCG(0, 0)
			return &Maker{src, gofakeit.NewFaker(src, false), k.of}
		}
	}
	return nil
}

// Make returns the fake of a row, which two random words give. The same words give fakes of all kinds that fit together.
func (m *Maker) Make(a, b uint64) string {
	m.src.Seed(a, b)
	f := m.faker
	p := person{first: f.FirstName(), last: f.LastName(), street: f.Street(), city: f.City(), zip: f.Zip(), company: f.Company()}
	p.area, p.line, p.host = f.IntN(800)+200, f.IntN(100), f.IntN(3)
	return m.of(&p)
}
