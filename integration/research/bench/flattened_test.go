package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A flattened table of people, made rows again, is the table, but for their IDs; rows behind one that is NULL in part are none.
func TestFlattening(t *testing.T) {
	h := families.Histories()[0]
	f := newFlattening(h, []string{"sex", "age"}, 1499)
	in := func(name string) string { return filepath.Join(t.TempDir(), name) }
	from, flat, back := in("a.csv"), in("b.csv"), in("c.csv")
	const rows = "7,1,4,10,5,9\n7,1,4,10,0,8\n7,1,4,1400,3,0\n9,0,0,3,1,1\n"
	must.Do(t, os.WriteFile(from, []byte(h.Columns+"\n"+rows), 0o600))
	must.Do(t, f.flatten(from, flat))
	text := must.Value(os.ReadFile(flat))(t)
	lines := strings.Split(string(text), "\n")
	must.Hold(t, len(lines) == 4 && strings.Count(lines[0], ",") == 122 && strings.HasPrefix(lines[0], "pid,sex,age,day,state_0,cost_0,gap_1,state_1,") && strings.HasPrefix(lines[1], "7,1,4,10,5,9,0,0,8,1390,3,0,,,") && strings.HasPrefix(lines[2], "9,0,0,3,1,1,,,"),
		"flattened:\n%s", text)
	for change, want := range map[string]string{
		"":                                       "0,1,4,10,5,9\n0,1,4,10,0,8\n0,1,4,1400,3,0\n1,0,0,3,1,1\n",
		"7,1,4,10,5,9,0,0,8,=7,1,4,10,5,9,0,,8,": "0,1,4,10,5,9\n1,0,0,3,1,1\n",
		",1390,=,1495,":                          "0,1,4,10,5,9\n0,1,4,10,0,8\n0,1,4,1499,3,0\n1,0,0,3,1,1\n",
	} {
		old, changed, _ := strings.Cut(change, "=")
		must.Do(t, os.WriteFile(flat, []byte(strings.Replace(string(text), old, changed, 1)), 0o600))
		must.Do(t, f.unflatten(flat, back))
		got, err := os.ReadFile(back)
		must.Hold(t, err == nil && string(got) == h.Columns+"\n"+want, "%s:\n%s, want\n%s (%v)", change, got, want, err)
	}
}
