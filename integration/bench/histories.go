package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/integration/families"
	"github.com/dapple-dp/dapple/internal/evaluate"
)

// histories prints how far the command's rows in order are from the true ones, on made-up tables at ε = 1, and the CPU time of a
// run beside that of one without an order.
func histories(out *tabwriter.Writer, only string, seeds int) error {
	var dir string
	for _, h := range families.Histories() {
		if ok, _ := path.Match(only, "histories/"+h.Name); !ok && only != "" {
			continue
		}
		if dir == "" {
			var err error
			if dir, err = os.MkdirTemp("", "bench-"); err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			if text, err := exec.Command("go", "build", "-C", "..", "-o", filepath.Join(dir, "dapple"), "./pipelines/dapple").CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, text)
			}
			fmt.Fprintln(out, "\nhistories\tpeople\ttransitions, worst column\tshuffled\tfirst rows, worst column\tgaps\tshuffled\ttwo-way\twithout order\tCPU s\twithout order")
		}
		if err := historyLine(out, dir, h, seeds); err != nil {
			return err
		}
		out.Flush()
	}
	return nil
}

// historyLine prints means over runs.
func historyLine(out *tabwriter.Writer, dir string, h families.History, seeds int) error {
	in := func(name string) string { return filepath.Join(dir, h.Name+name) }
	f, err := os.Create(in(".csv"))
	if err != nil {
		return err
	}
	if err := h.Write(f, 1); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	var pairs, shuffled, first, gaps, dealt float64
	var twoWay, seconds [2]float64 // with an order, and without
	n := float64(seeds)
	for i := range 2 * seeds {
		form := i % 2
		if err := os.WriteFile(in(".yaml"), []byte(h.File(form == 0)), 0o600); err != nil {
			return err
		}
		c := exec.Command(filepath.Join(dir, "dapple"), "synth", "--domain="+in(".yaml"), "--input="+in(".csv"), "--output="+in("-rows"),
			"--epsilon=1", "--delta=1e-9", "--format=csv", "--shards=1", "--overwrite", "--quiet")
		if text, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", h.Name, err, text)
		}
		seconds[form] += (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() / n
		text, err := exec.Command(filepath.Join(dir, "dapple"), "evaluate", in(".yaml"), in(".csv"), in("-rows"), "--marginals=2", "--json=-").Output()
		if err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
		var report evaluate.Report
		if err := json.Unmarshal(text, &report); err != nil {
			return err
		}
		twoWay[form] += report.Real.Widths[1].AverageTV / n
		if s := report.Real.People.Sequences; s != nil {
			worst, begin := evaluate.Share{}, 0.0
			for _, t := range s.Transitions {
				if t.Pairs.TV > worst.TV {
					worst = t.Pairs
				}
				begin = max(begin, t.First.TV)
			}
			pairs, shuffled, first, gaps, dealt = pairs+worst.TV/n, shuffled+worst.Dealt/n, first+begin/n, gaps+s.Gaps.TV/n, dealt+s.Gaps.Dealt/n
		}
	}
	fmt.Fprintf(out, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\n", h.Name, h.People, pairs, shuffled, first, gaps, dealt, twoWay[0], twoWay[1], seconds[0], seconds[1])
	return nil
}
