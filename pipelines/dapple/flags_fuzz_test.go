package main

import (
	"io"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// FuzzFlags reads command lines of arbitrary words, one a line, for every command: each word is taken or
// named as a fault, and nothing else happens. Flags of the test program itself are left alone.
func FuzzFlags(f *testing.F) {
	for _, c := range commands(io.Discard, false) {
		f.Add(strings.ReplaceAll(c.example, " ", "\n"))
	}
	f.Add("--epsilon=NaN\n--delta\n-1\n--rows=99999999999999999999\n--\n-=\n=\n--=x\n--epsilon=1\n--epsilon=2")
	f.Add("--domian=x\n--max_cells=0x10\n--marginals=-0\n--shards=1e9\n--sample_seed=18446744073709551616\n--where")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "test.") || len(text) > 1<<14 {
			return // flags of the test program, and texts that only take time
		}
		args := strings.Split(text, "\n")
		for _, c := range commands(io.Discard, false) {
			dptest.WithinMemory(t, 1<<20+1024*uint64(len(text)), func() {
				for _, fault := range parse(args, c.options, c.words...) {
					must.Hold(t, fault.What != "", "%s: a fault without a reason", c.name)
				}
			})
		}
	})
}
