package pipelines

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/dirsink"
	"github.com/dapple-dp/dapple/io/parquetio"
)

// source reads the private table.
func (r *Request) source(s beam.Scope) beam.PCollection {
	d := r.File.Domain
	if !isParquet(r.Inputs[0]) {
		return csvio.Read(s, r.Inputs, d, r.File.CSV)
	}
	files := r.files
	if files == nil { // not looked at before: any state of the files will do
		for _, path := range r.Inputs {
			files = append(files, parquetio.File{Path: path})
		}
	}
	return parquetio.Read(s, files, d)
}

func isParquet(name string) bool { return strings.EqualFold(filepath.Ext(name), ".parquet") }

// checkInput finds the files that the input names, and opens none of them.
func checkInput(r *Request, f *Faults) {
	switch {
	case r.Input == "":
		f.add("--input", "is required: the private table", "")
		return
	case strings.Contains(r.Input, "://"):
		f.add("--input", fmt.Sprintf("got %q; want local CSV or Parquet files, or a pattern", r.Input), "copy the table to a local file")
		return
	}
	paths, fault := expandInput(r.Input)
	if fault.What != "" {
		f.add("--input", fault.What, fault.Mend)
		return
	}
	r.Inputs = paths
	of := map[bool]string{}
	for _, name := range paths {
		if parquet := isParquet(name); of[parquet] == "" {
			of[parquet] = name
		}
		if info, err := os.Stat(name); err != nil {
			f.add("--input", plainPathError(err), "check the path")
		} else if info.IsDir() {
			f.add("--input", fmt.Sprintf("%s is a directory", name), "name files, such as "+filepath.Join(name, "*.csv"))
		}
	}
	if len(of) == 2 {
		f.add("--input", fmt.Sprintf("%s is Parquet and %s is not", of[true], of[false]), "name files of one format, such as dir/*.parquet")
		r.Inputs = nil // there is no format to look at them in
	}
}

// expandInput returns the files that input names. A directory stands for the rows that a finished run
// wrote to it, of which its manifest alone is trusted.
func expandInput(input string) ([]string, Fault) {
	if info, err := os.Stat(input); err != nil || !info.IsDir() {
		paths, err := csvio.Expand(input)
		if err != nil {
			return nil, Fault{What: strings.TrimPrefix(err.Error(), "csv: "), Mend: "check the path"}
		}
		return paths, Fault{}
	}
	mend := "name files, such as " + filepath.Join(input, "*.csv") + " or " + filepath.Join(input, "*.parquet")
	m, err := dirsink.ReadManifest(input)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Fault{What: input + " is a directory without a manifest: it is not the output of a finished run", Mend: mend}
	}
	var paths []string
	if err == nil {
		paths, err = m.Files(input)
	}
	if err != nil {
		return nil, Fault{What: strings.TrimPrefix(err.Error(), "sink: "), Mend: mend}
	}
	if len(paths) == 0 {
		return nil, Fault{What: input + " holds no rows", Mend: mend}
	}
	return paths, Fault{}
}

// checkTable compares the input's columns with the domain's. It leaves out what is no regular file: a
// pipe can be read only once.
func checkTable(r *Request, f *Faults) {
	switch {
	case len(r.Inputs) == 0:
	case isParquet(r.Inputs[0]):
		checkFooters(r, f)
	default:
		checkHeaders(r, f)
	}
}

// checkFooters reads the footer of every Parquet file.
func checkFooters(r *Request, f *Faults) {
	var err error
	r.files, err = parquetio.Check(r.Inputs, r.File.Domain)
	for _, err := range eachError(err) {
		f.add("--input", strings.TrimPrefix(plainPathError(err), "parquet: "), "")
	}
}

// checkHeaders looks for the domain's columns in the header line of every CSV file.
func checkHeaders(r *Request, f *Faults) {
	for _, name := range r.Inputs {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		for _, err := range eachError(checkHeader(name, r)) {
			f.add("--input", strings.TrimPrefix(plainPathError(err), "csv: "), "")
		}
	}
}

func checkHeader(name string, r *Request) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() // only read from
	_, err = csvio.NewReader(file, name, r.File.Domain, r.File.CSV)
	return err
}

// eachError takes joined errors apart.
func eachError(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
