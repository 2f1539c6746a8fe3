package domain_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
)

func Example() {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}, Other: true, OtherValue: "other"},
		{Name: "age", Type: domain.Int64, Cuts: domain.EqualCuts(17, 90, 20), Resolution: 1, Null: true},
	}}
	if err := d.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	enc := domain.NewEncoder(d)
	sex, _ := enc.FromString(0, "Male")
	age, _ := enc.FromInt(1, 38)
	lost, usable := enc.FromString(1, "thirty")
	fmt.Println(sex, age, lost, usable)
	fmt.Println(d.Attributes[0].Label(sex), d.Attributes[1].Label(age), d.Attributes[1].Label(lost))

	var rows domain.Chunk
	domain.NewDecoder(d).Decode(&rows, []domain.Code{sex, age}, func(row, attr int) uint64 { return 1 << 63 })
	fmt.Println(rows.Columns[0].Dict[rows.Columns[0].Ints[0]], rows.Columns[1].Ints[0])
	// Output:
	// 1 5 20 false
	// Male [36, 39) NULL
	// Male 37
}
