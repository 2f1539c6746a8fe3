package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dapple-dp/dapple/pipelines"
)

// What is wrong with a request is said before any server is asked.
func Example() {
	dir, err := os.MkdirTemp("", "bigquery")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	people := "privacy_id: id\ncolumns:\n  - {name: colour, type: STRING, values: [red, green, blue], other: true}\n"
	domain := filepath.Join(dir, "people.yaml")
	if err := os.WriteFile(domain, []byte(people), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run(context.Background(), pipelines.Config{
		Domain: domain, Input: "bq://raw.people", Output: "bq://public", Write: "replace", Epsilon: 1, Delta: 1e-9,
	}, os.Stdout))
	// Output:
	// nothing was read or spent:
	// --input: got "bq://raw.people"; want bq://project.dataset.table
	// --output: got "bq://public"; want bq://project.dataset.table
	// --write: got "replace"; want empty, truncate or append
	// --release: is required if the rows go to a table: the directory for statement and model
}
