// Command suite runs go test with the given arguments, prints a line for each package and whatever fails, and
// ends with a list of the tests that were left out, with what they miss.
//
//	suite -log out/integration.log -list out/skipped.txt -count=1 ./...
//	suite -longer -count=1 $(go list -f '{{.Dir}}' ./...)
//
// With -longer only tests run that do less, or nothing, with -short; packages are directories then. With -events the
// events of go test -json are added to a file, which make verify reads.
//
// The list is added to the file, and printed with what the file held before: several suites end with one list.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

func main() {
	log := flag.String("log", os.DevNull, "file for the output of all tests")
	list := flag.String("list", os.DevNull, "file for the list of tests that were left out")
	events := flag.String("events", os.DevNull, "file for the events of go test -json")
	longer := flag.Bool("longer", false, "run only tests that do less with -short, of packages named by their directories")
	flag.CommandLine.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: suite [-log FILE] [-list FILE] [-events FILE] [-longer] -- [arguments of go test]")
	}
	flag.Parse()
	args, err := flag.Args(), error(nil)
	if *longer {
		args, err = onlyLonger(args)
	}
	if err == nil {
		err = run(*log, *list, *events, args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

// onlyLonger adds to the arguments the pattern of the tests that do less with -short, and leaves out directories without
// such a test.
func onlyLonger(args []string) ([]string, error) {
	var names []string
	var kept []string
	for _, a := range args {
		if !filepath.IsAbs(a) {
			kept = append(kept, a)
			continue
		}
		list, err := repo.Longer(a)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			names, kept = append(names, list...), append(kept, a)
		}
	}
	if names == nil {
		return nil, errors.New("no directory has a test that looks at -short")
	}
	slices.Sort(names)
	return append([]string{"-run", "^(" + strings.Join(slices.Compact(names), "|") + ")$"}, kept...), nil
}

// run runs go test. It returns an error if a test has failed.
func run(log, list, kept string, args []string) (err error) {
	raw, err := os.OpenFile(kept, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, raw.Close()) }()
	w, err := os.Create(log)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, w.Close()) }()
	c := exec.Command(cmp.Or(os.Getenv("GO"), "go"), append([]string{"test", "-json"}, args...)...)
	c.Stderr = os.Stderr
	events, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	r := &results{out: os.Stdout, log: w}
	readErr := r.read(io.TeeReader(events, raw))
	err = cmp.Or(c.Wait(), readErr)
	return cmp.Or(err, add(list, r.left()))
}

// add appends text to the file and prints all that it holds.
func add(file, text string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // what was written is read back
	if _, err := io.WriteString(f, text); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil && file != os.DevNull {
		return err
	}
	all, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Println("\nleft out: nothing")
		return nil
	}
	fmt.Printf("\nleft out:\n%s", all)
	return nil
}
