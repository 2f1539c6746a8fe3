package postgresio_test

import (
	"context"
	"fmt"

	_ "github.com/dapple-dp/dapple/io/postgresio" // registers the place
	"github.com/dapple-dp/dapple/io/table"
)

// The blank import is all that a program needs to read tables of PostgreSQL.
func Example() {
	_, err := table.Find(context.Background(), "postgresql://me@host/shop", nil)
	fmt.Println(err)
	// Output: postgres: postgresql://me@host/shop: there is no table; add ?table=NAME
}
