package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Canaries are values that no domain declares: whoever sees one outside has seen a record.
const (
	canaryText   = "canarytext"
	canaryID     = "canaryid"
	canaryNumber = 731731731731731
	canaryDay    = "1066-10-14"
)

// needles are the forms in which a canary could show: as text, in base64 and hex, and the number in
// decimal with and without an exponent, and in eight bytes. Of thirteen digits a chance hit has probability
// 1e-13 at each place, and a run writes fewer than 1,000 numbers with so many, noisy or drawn: 1e-10 in all.
func needles() map[string][]byte {
	number := []byte("3173173173173") // 731731731731731 and the next, 7.31731731731731e+14
	all := map[string][]byte{
		"the number": number, "the number's bits": littleEndian(math.Float64bits(canaryNumber)),
		"the whole number": littleEndian(canaryNumber), "the day": []byte(canaryDay),
	}
	for _, text := range []string{canaryText, canaryID} {
		all[text], all[text+" in hex"] = []byte(text), []byte(hex.EncodeToString([]byte(text)))
		for skip := range 3 { // base64 has three ways to begin
			inner := text[skip : skip+(len(text)-skip)/3*3]
			all[fmt.Sprint(text, " in base64 ", skip)] = []byte(strings.ToLower(base64.StdEncoding.EncodeToString([]byte(inner))))
		}
	}
	return all
}

func littleEndian(x uint64) (b []byte) {
	for range 8 {
		b = append(b, byte(x))
		x >>= 8
	}
	return b
}

// shown lists the canaries in content, whatever their case.
func shown(content []byte) (list []string) {
	lower := bytes.ToLower(content)
	for name, needle := range needles() {
		if bytes.Contains(content, needle) || bytes.Contains(lower, needle) {
			list = append(list, name)
		}
	}
	return list
}

// TestNeedles: the search sees every form of a canary.
func TestNeedles(t *testing.T) {
	json64 := base64.StdEncoding.EncodeToString([]byte("id=" + canaryID + ";"))
	for _, content := range []string{
		canaryText, strings.ToUpper(canaryID), fmt.Sprint(float64(canaryNumber)), fmt.Sprint(canaryNumber), canaryDay,
		fmt.Sprint(canaryNumber + 1), fmt.Sprint(canaryNumber + .5),
		json64, base64.StdEncoding.EncodeToString([]byte("x" + canaryText)), fmt.Sprintf("%X", canaryText),
		string(littleEndian(math.Float64bits(canaryNumber))), string(littleEndian(canaryNumber)),
	} {
		must.Hold(t, len(shown([]byte("before"+content+"after"))) != 0, "%q is not seen", content)
	}
	list := shown([]byte(peopleHeader + "p1,Female,30,1000,2024-01-01\n"))
	must.Hold(t, len(list) <= 0, "a table without canaries shows %v", list)
}

// noCanary fails if a canary is in what was found at a place. It does not repeat the content.
func noCanary(t *testing.T, place string, content []byte) {
	t.Helper()
	for _, name := range shown(content) {
		t.Errorf("%s shows %s", place, name)
	}
}

// noCanaryIn searches the names and contents of all files of a directory, which need not be there.
func noCanaryIn(t *testing.T, dir string) (files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		noCanary(t, "a file name", []byte(path))
		if err != nil || e.IsDir() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		noCanary(t, filepath.Base(path), b)
		noCanary(t, "the decoded content of "+filepath.Base(path), decoded(t, path))
		return err
	})
	must.Hold(t, err == nil, "%v", err)
	return files
}

// canaryRecords are records of 50 people whose cells are canaries, usable or not, all of them.
func canaryRecords() string {
	var b strings.Builder
	for i := range 100 {
		age, day := fmt.Sprint(canaryNumber+i%2), canaryDay
		if i%3 == 0 {
			age, day = canaryText, canaryText
		}
		fmt.Fprintf(&b, "%s%d,%s,%s,%d.5,%s\n", canaryID, i/2, canaryText, age, canaryNumber, day)
	}
	return b.String()
}

// noted puts a column of canaries that the domain does not name before the others.
func noted(table string) string {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	return "note," + strings.Join(lines, "\n"+canaryText+",") + "\n"
}

// canaryCases are ends that a run can come to, with a text that tells which.
var canaryCases = []struct {
	name, csv string
	flags     []string
	status    int
	want      string
}{
	{"rows", peopleHeader + canaryRecords(), []string{"--format=csv", "--rows=500"}, 0, ""},
	{"rows of the noisy number", peopleHeader + canaryRecords(), nil, 0, ""},
	{"selections", peopleHeader + canaryRecords(), []string{"--method=dpfw"}, 0, ""},
	{"many columns' method", peopleHeader + canaryRecords(), []string{"--method=rake", "--neighbouring=replace"}, 0, ""},
	{"column that the domain lacks", noted(peopleHeader + canaryRecords()), []string{"--format=csv"}, 0, ""},
	{"too few cells", peopleHeader + canaryRecords() + canaryID + "," + canaryText + "\n", nil, 0, ""},
	{"too few cells under --strict", peopleHeader + canaryRecords() + canaryID + "," + canaryText + "\n", []string{"--strict"}, 1, "line 102: 2 cells, and the header line has 5"},
	{"too many cells", peopleHeader + canaryRecords() + strings.Repeat(canaryText+",", 9) + "\n", nil, 0, ""},
	{"bare quote", peopleHeader + canaryRecords() + canaryID + "," + canaryText + "\"x,1,1,1\n", nil, 0, ""},
	{"text after a quote", peopleHeader + canaryRecords() + canaryID + ",\"" + canaryText + "\"" + canaryText + ",1,1,1\n", nil, 0, ""},
	{"open quote", peopleHeader + canaryRecords() + canaryID + ",\"" + canaryText + "\n" + canaryRecords(), nil, 1, "a quote opens a cell and never closes"},
	{"unreadable cells under --strict", peopleHeader + canaryRecords(), []string{"--strict"}, 1, "cannot be used as it is"},
	{"record for a header", canaryRecords(), nil, 2, "--input"},
}

// TestCanaries runs the command on tables of canaries to each of these ends, and searches for them standard
// output, standard error, names and contents of all files that it left, and the temporary directory, which
// must be empty.
func TestCanaries(t *testing.T) {
	for _, tt := range canaryCases {
		for _, runner := range []string{"prism", "direct"} {
			t.Run(tt.name+" on "+runner, func(t *testing.T) {
				t.Parallel()
				dir, temp := tableOf(t, tt.csv), t.TempDir()
				got := dappleWith(t, dir, temp, synth(append(tt.flags, "--runner="+runner)...)...)
				got.want(t, tt.status, tt.want)
				got.noCanary(t, dir, temp)
				if tt.status == 0 { // now the output is not empty
					again := dappleWith(t, dir, temp, synth("--runner="+runner)...)
					again.want(t, 2, "--output")
					again.noCanary(t, dir, temp)
				} else {
					noOutput(t, filepath.Join(dir, "out"))
				}
			})
		}
	}
}

// noCanary searches everything that a run in dir has left.
func (e ended) noCanary(t *testing.T, dir, temp string) {
	t.Helper()
	noCanary(t, "standard output", []byte(e.stdout))
	noCanary(t, "standard error", []byte(e.stderr))
	files := noCanaryIn(t, filepath.Join(dir, "out")) + noCanaryIn(t, filepath.Join(dir, "out.release"))
	must.Hold(t, e.status != 0 || files >= 4, "%d files were searched: the search is blind", files)
	noCanaryIn(t, temp)
	left := names(t, temp)
	must.Hold(t, len(left) <= 0, "the temporary directory holds %v", left)
}

// A run that is interrupted while it writes rows has released a model and shows no canary either.
func TestInterruptedCanaries(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to let a run get under way; make integration runs it")
	}
	dir := tableOf(t, peopleHeader+canaryRecords())
	r := start(t, dir, synth(long["writing"]...)...)
	r.until(t, "writing")
	status, _, _ := r.end(t, os.Interrupt)
	noCanaryIn(t, r.temp) // where the release is kept
	dappleWith(t, dir, r.temp, "clean", "--releases").want(t, 0)
	ended{stderr: r.all.String(), status: status}.noCanary(t, dir, r.temp)
	must.Hold(t, status == 4, "exit status %d, want 4: the release is kept", status)
}

// The same of a Parquet file, whose numbers come as numbers; of one whose pages are damaged and of one
// whose end is missing.
func TestParquetCanaries(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func(file []byte) []byte
		status int
	}{
		"whole":           {func(b []byte) []byte { return b }, 0},
		"pages damaged":   {func(b []byte) []byte { return append(append(bytes.Clone(b[:4]), make([]byte, 60)...), b[64:]...) }, 1},
		"without its end": {func(b []byte) []byte { return b[:len(b)-20] }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, temp := tableOf(t, peopleHeader+canaryRecords()), t.TempDir()
			peopleParquet(t, dir)
			path := filepath.Join(dir, "people.parquet")
			b := must.Value(os.ReadFile(path))(t)
			put(t, dir, "people.parquet", string(tt.damage(b)))
			got := dappleWith(t, dir, temp, "synth", "--domain=people.yaml", "--input=people.parquet", "--output=out",
				"--epsilon=1", "--delta=1e-9", "--rows=500", "--format=csv")
			got.want(t, tt.status)
			got.noCanary(t, dir, temp)
		})
	}
}
