// Command handout makes what goes with the programs of a release: the licences of all that they are linked from, and the
// same list for machines, and images of containers.
//
//	handout notices ROOT          writes the file that the command embeds
//	handout sbom ROOT VERSION     prints CycloneDX
//	handout image -program=FILE OUT
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// noticesFile is what the command embeds, below the root.
const noticesFile = "pipelines/dapple/THIRD_PARTY_NOTICES"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "handout:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) > 0 && args[0] == "image":
		return image(args[1:])
	case len(args) == 2 && args[0] == "notices":
		all, err := linked(args[1])
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(args[1], filepath.FromSlash(noticesFile)), notices(all), 0o644)
	case len(args) == 3 && args[0] == "sbom":
		all, err := linked(args[1])
		if err != nil {
			return err
		}
		b, err := materials(all, args[2])
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(b)
		return err
	}
	return errors.New("want notices ROOT, sbom ROOT VERSION, or image: the Makefile runs them")
}
