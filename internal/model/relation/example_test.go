package relation_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

func Example() {
	d := &domain.Domain{
		Attributes: []domain.Attribute{{Name: "time", Type: domain.Int64, Values: []string{"730", "1715"}, Null: true}},
		Derived:    []domain.Derived{{Column: domain.Attribute{Name: "hour", Type: domain.Int64}, Place: 1, From: "time / 100"}},
		Generated:  []domain.Generated{{Column: "id", As: "V-###"}},
	}
	if err := relation.Resolve(d, nil); err != nil {
		fmt.Println(err)
		return
	}
	p, err := relation.New(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &domain.Chunk{}
	domain.NewDecoder(d).Decode(c, []domain.Code{1, 0}, nil)
	p.Complete(c, 0, nil)
	for row := range c.Rows {
		fmt.Printf("%s %d %d\n", c.Columns[0].Text(row), c.Columns[1].Ints[row], c.Columns[2].Ints[row])
	}
	// Output:
	// V-001 1715 17
	// V-002 730 7
}
