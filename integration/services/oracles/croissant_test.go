package oracles

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The Croissant description of a release passes Croissant's own checker, which then reads all rows by it and compares their
// file with the SHA-256 given.
func TestCroissantChecker(t *testing.T) {
	py, bin, dir := python(t), dapple(t), t.TempDir()
	save(t, filepath.Join(dir, "people.yaml"), []byte(people))
	save(t, filepath.Join(dir, "in.csv"), []byte("sex,age,born,income\n"+strings.Repeat("Female,31,1985-02-03,700.5\nMale,,1940-12-31,20\n", 500)))
	for _, args := range []string{
		"synth --domain=people.yaml --input=in.csv --output=out --epsilon=1 --delta=1e-9 --rows=432 --shards=1 --quiet",
		"report out --croissant=croissant.json",
	} {
		cmd := exec.CommandContext(t.Context(), bin, strings.Fields(args)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, out)
	}
	read := exec.CommandContext(t.Context(), py, "-c", `
import mlcroissant
d = mlcroissant.Dataset("croissant.json")
assert not d.metadata.issues.errors, d.metadata.issues.errors
rows = list(d.records("records"))
print(len(rows), *sorted(k.split("/")[-1] for k in rows[0]))`)
	read.Dir = dir
	out, err := read.CombinedOutput()
	must.Hold(t, err == nil && strings.HasSuffix(strings.TrimSpace(string(out)), "432 age born income sex"), "%v\n%s", err, out)
}
