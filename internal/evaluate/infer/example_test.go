package infer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dapple-dp/dapple/internal/evaluate/infer"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "infer-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "people.csv")
	table := "sex,age,born\n" + strings.Repeat("Female,38,1986-03-01\nMale,71,1953-10-30\nMale,,1953-10-30\n", 20)
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	src, err := infer.Open(context.Background(), infer.Params{Input: path, FromData: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := src.Propose(context.Background())
	fmt.Print(string(text), err)
	// Output:
	// # NOT PRIVATE: derived from the data; review before use:
	// #   "sex": type, values, null flag
	// #   "age": type, min, max, null flag
	// #   "born": type, min, max, null flag
	// # Replace each of these by what is known without the table, then delete this list.
	// # review: the names of the columns are the first line of the file
	// # review: every record is protected by itself; if a column names people, add privacy_id: COLUMN
	// columns:
	//   - {name: sex, type: STRING, values: [Female, Male], fallback: Male}  # review: fallback is what an unusable value becomes; is the list complete? other: true makes a cell of what it lacks
	//   - {name: age, type: INT64, min: 38, max: 71, null: true}
	//   - {name: born, type: DATE, min: 1953-01-01, max: 1986-12-31, fallback: 1953-01-01}  # review: fallback is what an unusable value becomes
	// <nil>
}
