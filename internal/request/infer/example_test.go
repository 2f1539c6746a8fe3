package infer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dapple-dp/dapple/internal/request/infer"
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
	// # yaml-language-server: $schema=https://raw.githubusercontent.com/dapple-dp/dapple/main/docs/reference/domain-file.schema.json
	// # NOT PRIVATE: derived_from_data lists what was read off the table. Replace it by what is known without the table,
	// # and delete the line of each column that you have reviewed. A release repeats what is left.
	// derived_from_data:
	//   "sex": [type, values, null flag]
	//   "age": [type, min, max, null flag]
	//   "born": [type, min, max, null flag]
	//   "(expected_rows)": [the first digit]
	// # review: the names of the columns are the first line of the file
	// privacy_id: none  # every record is protected by itself
	// expected_rows: 60  # records, for planning
	// # review values: is each list complete? other: true makes a cell of what it lacks
	// # review fallback: it is what an unusable value becomes; null: true makes a cell of those
	// columns:
	//   - {name: sex, type: STRING, values: [Female, Male], fallback: Male}
	//   - {name: age, type: INT64, min: 38, max: 71, null: true}
	//   - {name: born, type: DATE, min: 1953-01-01, max: 1986-12-31, fallback: 1953-01-01}
	// <nil>
}
