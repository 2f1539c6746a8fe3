package table_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dapple-dp/dapple/dp/domain"
	_ "github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// A table is compared with a domain by its header or footer, before a record is read.
func ExampleFind() {
	dir, err := os.MkdirTemp("", "table")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "people.csv")
	if err := os.WriteFile(name, []byte("age,plan\n41,plus\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	people, err := table.Find(context.Background(), name, table.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, column := range []string{"age", "height"} {
		d := &domain.Domain{Attributes: []domain.Attribute{{Name: column, Type: domain.Int64, Cuts: []int64{0, 50, 250}, Resolution: 1, Null: true}}}
		fmt.Println(column, people.Check(context.Background(), d, schema.CSV{}) == nil)
	}
	// Output:
	// age true
	// height false
}
