package pipelines

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// sampleFrom draws rows of the model that c's run released, as CSV in one file.
func sampleFrom(t *testing.T, c Config, more func(*SampleConfig)) ([][]string, *Sampled) {
	t.Helper()
	s := SampleConfig{
		Model: filepath.Join(c.Output+".release", modelFile), Output: filepath.Join(t.TempDir(), "more"), Format: "csv", Shards: 1,
		SampleSeed: 5, HasSampleSeed: true, Runner: "direct",
	}
	more(&s)
	r, err := ValidateSample(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	res, err := RunSample(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(s.Output, "part-00000-of-00001.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:], res
}

// Rows of a released model: as many as asked or as many as it stands for, under a condition, the same
// for the same seed on every runner.
func TestSample(t *testing.T) {
	c := shop(t, 400)
	c.Epsilon = 10
	mustRun(t, c)

	rows, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Rows = 50 })
	again, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Rows, s.Runner = 50, "prism" })
	other, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Rows, s.SampleSeed = 50, 6 })
	if len(rows) != 50 || !reflect.DeepEqual(rows, again) || reflect.DeepEqual(rows, other) {
		t.Errorf("%d rows; equal for one seed: %v; for another: %v", len(rows), reflect.DeepEqual(rows, again), reflect.DeepEqual(rows, other))
	}

	// A quarter of 400 customers are on plan pro. At ε = 10 their number has a standard deviation of 1.3
	// (100 runs), and 50 are more than 30 of these. Without the condition there are 400 rows.
	pro, res := sampleFrom(t, c, func(s *SampleConfig) { s.Where = "plan=pro" })
	if len(pro) < 50 || len(pro) > 150 || res.Rows != int64(len(pro)) {
		t.Errorf("%d rows on plan pro, %d reported", len(pro), res.Rows)
	}
	for _, row := range pro {
		if row[0] != "pro" {
			t.Fatalf("row %v does not meet the condition", row)
		}
	}
	var text strings.Builder
	if err := res.WriteText(&text); err != nil || !strings.HasPrefix(text.String(), "wrote   ") || !strings.Contains(text.String(), "at no privacy cost") {
		t.Errorf("said %q, %v", text.String(), err)
	}
}

func TestSampleFaults(t *testing.T) {
	c := shop(t, 100)
	mustRun(t, c)
	s := SampleConfig{Model: filepath.Join(c.Output+".release", modelFile), Output: c.Output, Rows: -1, Shards: -1, Format: "xml", Runner: "magic", Where: "age>=20"}
	_, err := ValidateSample(context.Background(), s)
	for _, flag := range []string{"--rows", "--shards", "--format", "--runner", "--output", "--where"} {
		if err == nil || !strings.Contains(err.Error(), flag+": ") {
			t.Errorf("no fault of %s in %v", flag, err)
		}
	}
	s = SampleConfig{Model: s.Model, Output: filepath.Join(c.Output, "more"), Where: "plan=basic AND plan=plus"}
	if _, err := ValidateSample(context.Background(), s); err == nil || !strings.Contains(err.Error(), "--where: no cell of the model meets") {
		t.Errorf("a condition that nothing meets: %v", err)
	}
	if err := os.WriteFile(s.Output, []byte("not a model"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ValidateSample(context.Background(), SampleConfig{Model: s.Output, Output: s.Output + "x"}); err == nil || !strings.Contains(err.Error(), "--model: ") {
		t.Errorf("a file that is no model: %v", err)
	}
}
