package privacy

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// person is one who has each row of two columns so many times.
type person struct {
	rows  [][]domain.Code // ascending
	times []uint64
}

var (
	several = person{[][]domain.Code{{0, 0}, {0, 1}}, []uint64{2, 1}}
	many    = person{[][]domain.Code{{0, 0}, {1, 1}}, []uint64{9_999, 1}}
	shared  = person{[][]domain.Code{{0, 0}, {0, 1}}, []uint64{1, 6}} // rows that the first one has too; no share is a whole number of steps
	others  = person{[][]domain.Code{{1, 0}, {1, 1}}, []uint64{5_000, 5_001}}
)

// people returns the table of their weighted rows, as the rule of bounding makes them.
func people(list ...person) table {
	kind := func(name string) domain.Attribute {
		return domain.Attribute{Name: name, Type: domain.String, Values: []string{"a", "b"}, HasFallback: true}
	}
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{kind("x"), kind("y")}}
	d, err := d.WithEvents(nil, nil, domain.EqualRatioCuts(100), 100)
	if err != nil {
		panic("privacy: " + err.Error())
	}
	t := table{sizes: d.Sizes(), bits: d.WeightBits(), people: int64(len(list))}
	s, rank := contribution.NewSummary(d), contribution.NewRanker(make([]byte, contribution.RunKeySize))
	in, out := contribution.NewLayout(square), contribution.NewWeightedLayout(t.sizes, t.bits)
	for i, p := range list {
		var rows []byte
		for _, r := range p.rows {
			rows = in.Pack(rows, r)
		}
		packed, n := s.Append(nil, rank, fmt.Append(nil, i), rows, p.times)
		columns := make([][]domain.Code, len(t.sizes)+1)
		for a := range columns {
			columns[a] = make([]domain.Code, n)
		}
		out.Unpack(columns, packed)
		for j := range n {
			record := make([]domain.Code, len(t.sizes))
			for a := range record {
				record[a] = columns[a][j]
			}
			t.records, t.weights = append(t.records, record), append(t.weights, int64(columns[len(t.sizes)][j]))
		}
	}
	return t
}
