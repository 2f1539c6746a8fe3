// Command suite runs go test with the given arguments, prints a line for each package and whatever fails, and
// ends with a list of the tests that were left out, with what they miss.
//
//	suite -log out/integration.log -list out/skipped.txt -count=1 ./...
//
// The list is added to the file, and printed with what the file held before: several suites end with one list.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	log := flag.String("log", os.DevNull, "file for the output of all tests")
	list := flag.String("list", os.DevNull, "file for the list of tests that were left out")
	flag.CommandLine.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: suite [-log FILE] [-list FILE] -- [arguments of go test]")
	}
	flag.Parse()
	if err := run(*log, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

// run runs go test. It returns an error if a test has failed.
func run(log, list string, args []string) (err error) {
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
	readErr := r.read(events)
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
