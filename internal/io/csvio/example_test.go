package csvio_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/io/schema"
)

func ExampleEach() {
	f, err := schema.Parse("people.yaml", []byte(`
privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: age, type: INT64, min: 17, max: 90, bins: 20, null: true}
csv: {null: ["?"], comma: ";"}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	enc := domain.NewEncoder(f.Domain)
	file := strings.NewReader("age;city;sex\n38;Rome;Female\n?;Oslo;Male\n")
	err = csvio.Each(file, "people.csv", f.Domain, f.CSV, func(c *domain.Chunk) error {
		codes := make([]domain.Code, c.Rows*f.Domain.Len())
		enc.Encode(c, codes)
		fmt.Println(codes)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [0 5 1 20]
	// <nil>
}

func ExampleWriter() {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}, Null: true},
		{Name: "born", Type: domain.Date, Cuts: []int64{0, 365}, Resolution: 1, Null: true},
	}}
	var rows domain.Chunk
	domain.NewDecoder(d).Decode(&rows, []domain.Code{1, 0, 2, 1}, func(row, attr int) uint64 { return 0 })
	w, err := csvio.NewWriter(os.Stdout, d, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(w.Write(&rows), w.Close()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// sex,born
	// Male,1970-01-01
	// ,
}
