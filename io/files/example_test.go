package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dapple-dp/dapple/io/files"
)

// A pattern is expanded once, at launch; what it found is read later, if it is still the same.
func ExampleExpand() {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"people-1.csv", "people-2.csv", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("id\n"), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	list, err := files.Expand(context.Background(), filepath.Join(dir, "people-*.csv"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range list {
		fmt.Println(files.Base(f.Name), f.Size)
	}
	// Output:
	// people-1.csv 3
	// people-2.csv 3
}
