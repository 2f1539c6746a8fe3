package pipelines_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	_ "github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/pipelines"
)

// A request is checked as a whole before anything private is opened.
func ExampleValidate() {
	dir, err := os.MkdirTemp("", "pipelines")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"people.csv":  "age\n41\n",
		"people.yaml": "privacy_id: none\ncolumns:\n  - {name: age, type: INT64, min: 0, max: 110, bins: 22, null: true}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	c := pipelines.Config{
		Domain: filepath.Join(dir, "people.yaml"), Input: filepath.Join(dir, "people.csv"), Output: filepath.Join(dir, "out"),
		Epsilon: 1, Delta: 1e-9,
	}
	fmt.Println(pipelines.Validate(context.Background(), c))
	c.Epsilon, c.Format = -1, "xml"
	fmt.Println(pipelines.Validate(context.Background(), c))
	// Output:
	// <nil>
	// --epsilon: epsilon -1: want a finite number above 0; 1 is a common choice, smaller is more private
	// --format: got "xml"; want parquet or csv
}
