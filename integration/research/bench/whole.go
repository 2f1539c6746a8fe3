package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
)

// adultColumns are the columns of UCI Adult's files, which have no header line.
const adultColumns = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex," +
	"capital-gain,capital-loss,hours-per-week,native-country,income"

// wholeCommand prints the CPU time of the command, as a process, on UCI Adult as it is found over the domain that infer
// proposes, and how well a classifier trained on its rows does on the true test table. The classifier is Python's.
func wholeCommand(out *tabwriter.Writer, data, only string, seeds int) error {
	if ok, _ := path.Match(only, "whole/adult"); !ok && only != "" {
		return nil
	}
	fmt.Fprintln(out, "\ntable, whole command\tCPU s\tAUC on the true test table\ttrained on the true table")
	defer out.Flush()
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	for from, to := range map[string]string{"adult.data": "train.csv", "adult.test": "test.csv"} {
		if err := withHeader(filepath.Join(data, "adult", from), in(to)); err != nil {
			fmt.Fprintf(out, "adult\tleft out: %v\n", err)
			return nil
		}
	}
	if text, err := exec.Command("go", "build", "-C", "..", "-o", in("dapple"), "./pipelines/dapple").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	domain, err := exec.Command(in("dapple"), "infer", "--input="+in("train.csv"), "--privacy_id=none", "--from_data").Output()
	if err == nil {
		err = os.WriteFile(in("adult.yaml"), domain, 0o600)
	}
	if err != nil {
		return err
	}
	seconds, score := 0.0, 0.0
	for i := range seeds {
		rows := in("rows" + strconv.Itoa(i))
		c := exec.Command(in("dapple"), "synth", "--domain="+in("adult.yaml"), "--input="+in("train.csv"), "--output="+rows,
			"--epsilon=1", "--delta=1e-9", "--format=csv", "--shards=1", "--quiet")
		if text, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		seconds += (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() / float64(seeds)
		x, err := classified(in("test.csv"), filepath.Join(rows, "part-00000-of-00001.csv"))
		if err != nil {
			fmt.Fprintf(out, "adult\t%.1f\tleft out: %v\n", seconds*float64(seeds)/float64(i+1), err)
			return nil
		}
		score += x[0] / float64(seeds)
	}
	best, err := classified(in("test.csv"), in("train.csv"))
	if err == nil {
		fmt.Fprintf(out, "adult\t%.1f\t%.4f\t%.4f\n", seconds, score, best[0])
	}
	return err
}

// withHeader writes one of Adult's files as CSV: without blanks and the dots and remarks of the test table.
func withHeader(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return errors.New("there is no " + filepath.Base(from))
	}
	var b strings.Builder
	b.WriteString(adultColumns + "\n")
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if line := strings.TrimSuffix(strings.ReplaceAll(s.Text(), " ", ""), "."); strings.Count(line, ",") == 14 {
			b.WriteString(line + "\n")
		}
	}
	return os.WriteFile(to, []byte(b.String()), 0o600)
}

// classified returns the areas under the curve that classifier.py prints for its arguments, in order.
func classified(arguments ...string) (areas []float64, err error) {
	var stderr bytes.Buffer
	c := exec.Command("python3", append([]string{"bench/classifier.py"}, arguments...)...)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // several spin while they wait for a core
	c.Stderr = &stderr
	text, err := c.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("python3 with pandas and scikit-learn: %w %s", err, lines[len(lines)-1])
	}
	for _, line := range strings.Fields(string(text)) {
		x, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, err
		}
		areas = append(areas, x)
	}
	return areas, nil
}
