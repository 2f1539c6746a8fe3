package relation

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A column that is computed from columns of the person is the person's; one computed from both is of the rows.
func TestTables(t *testing.T) {
	d := &domain.Domain{
		PrivacyID: "who", Attributes: []domain.Attribute{ints("born", 1900, 2000), ints("year", 2000, 2020)},
		Derived: []domain.Derived{
			{Column: domain.Attribute{Name: "age", Type: domain.Int64}, From: "year - born", Place: 2},
			{Column: domain.Attribute{Name: "decade", Type: domain.Int64}, From: "born / 10", Place: 0},
			{Column: domain.Attribute{Name: "century", Type: domain.Int64}, From: "decade / 10", Place: 4},
		},
		Generated: []domain.Generated{{Column: "key", As: "serial"}},
	}
	d, err := d.WithEvents([]string{"born"}, nil, []int64{1, 2}, 4)
	if err == nil {
		err = Resolve(d, nil)
	}
	must.Do(t, err)
	names := func(t Table) (list []string) {
		for i := range t.Domain.Attributes {
			list = append(list, t.Domain.Attributes[i].Name)
		}
		return list
	}
	people, rows := Tables(d)
	must.List(t, names(people), []string{"who", "decade", "born", "century"}, "people")
	must.List(t, names(rows), []string{"who", "key", "year", "age"}, "rows")
	for behind, want := range map[string][]string{
		"key": {"key", "who", "year", "age"}, "age": {"key", "year", "age", "who"}, "born": {"who", "key", "year", "age"}, "": {"who", "key", "year", "age"},
	} {
		d.KeyBehind = behind
		if _, rows = Tables(d); !slices.Equal(names(rows), want) {
			t.Errorf("the key behind %q: %v", behind, names(rows))
		}
	}
	d.KeyBehind = "year"
	_, rows = Tables(d)
	c := &domain.Chunk{Rows: 1, Columns: make([]domain.Column, d.Written().Len())}
	for i := range c.Columns {
		c.Columns[i].Ints = []int64{int64(i)}
	}
	rows.Keep(c)
	for i, from := range rows.Columns {
		must.Hold(t, d.Written().Attributes[from].Name == rows.Domain.Attributes[i].Name && c.Columns[i].Ints[0] == int64(from),
			"column %d is %d", i, c.Columns[i].Ints[0])
	}
}
