package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bash completes commands, flags, pages of help and files, as one who types sees it.
func TestBashCompletion(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("missing: bash")
	}
	dir := t.TempDir()
	script := dapple(t, dir, "completion", "bash")
	script.want(t, 0)
	for _, name := range []string{"dapple.bash", "people.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script.stdout), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ typed, want string }{
		{"dapple pl", "plan"},
		{"dapple synth --eps", "--epsilon="},
		{"dapple sample --wh", "--where="},
		{"dapple synth --qu", "--quiet"},
		{"dapple completion f", "fish"},
		{"dapple help dom", "domain"},
		{"dapple help sy", "synth"},
		{"dapple plan --domain = peo", "people.yaml"}, // as bash cuts --domain=peo
		{"dapple verify peo", "people.yaml"},
		{"dapple synth --format = pa", "parquet"},
		{"dapple sample --layout =", "joined two"},
		{"dapple evaluate --qui", "--quiet"},
		{"dapple plan --digest", ""},
	} {
		words := strings.Fields(c.typed)
		cmd := exec.Command("bash", "-c", `source ./dapple.bash; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dapple; echo "${COMPREPLY[*]}"`, "bash")
		cmd.Args, cmd.Dir = append(cmd.Args, words...), dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: got %q, want %q; %v", c.typed, got, c.want, err)
		}
	}
}

// Every value that is offered for a flag is one that the flag takes, in every command that has it.
func TestOfferedValues(t *testing.T) {
	offered := map[string]int{}
	for _, c := range commands(nil, false) {
		for _, o := range c.options {
			for _, word := range flagWords[o.name] {
				offered[o.name]++
				if err := o.set(word); err != nil {
					t.Errorf("%s --%s=%s: %v", c.name, o.name, word, err)
				}
			}
		}
	}
	for name := range flagWords {
		if offered[name] == 0 {
			t.Errorf("no command has --%s", name)
		}
	}
}

// The scripts for all shells have every command and every flag.
func TestCompletionIsWhole(t *testing.T) {
	forms := map[string]struct{ command, flag string }{
		"bash": {"NAME", "--NAME"}, "zsh": {"'NAME:", "'--NAME"}, "fish": {"-a NAME ", "-l NAME"},
	}
	for shell, form := range forms {
		got := dapple(t, t.TempDir(), "completion", shell)
		got.want(t, 0)
		for _, c := range commands(nil, false) {
			if !strings.Contains(got.stdout, strings.ReplaceAll(form.command, "NAME", c.name)) {
				t.Errorf("%s: no command %s", shell, c.name)
			}
			for _, o := range c.options {
				if o.name != "" && !strings.Contains(got.stdout, strings.ReplaceAll(form.flag, "NAME", o.name)) {
					t.Errorf("%s: no flag --%s", shell, o.name)
				}
			}
		}
	}
	dapple(t, t.TempDir(), "completion", "csh").want(t, 2, "want bash or zsh or fish")
}

// A plan for programs says what the text says.
func TestPlanJSON(t *testing.T) {
	dir := people(t, 10)
	args := append([]string{"plan", "--json=plan.json", "--target_error=0.05"}, slices.DeleteFunc(synth()[1:], func(a string) bool { return strings.HasPrefix(a, "--epsilon") })...)
	got := dapple(t, dir, args...)
	got.want(t, 0)
	b, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Epsilon   float64  `json:"epsilon"`
		Method    string   `json:"method"`
		AverageTV *float64 `json:"average_tv"`
		Columns   []string `json:"columns"`
		Curve     []struct {
			Epsilon float64 `json:"epsilon"`
			TV      float64 `json:"average_tv"`
		} `json:"curve"`
		Given   bool `json:"units_given"`
		ByUnits []struct {
			Units float64 `json:"units"`
			TV    float64 `json:"average_tv"`
		} `json:"at_other_units"`
		Target struct {
			Epsilon float64 `json:"epsilon"`
		} `json:"target"`
		Privacy struct {
			Epsilon float64          `json:"epsilon"`
			Ledger  []map[string]any `json:"ledger"`
		} `json:"privacy"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	if p.Epsilon <= 0 || p.Epsilon != p.Target.Epsilon || p.Epsilon != p.Privacy.Epsilon || p.AverageTV == nil || *p.AverageTV > .05 ||
		len(p.Columns) != 4 || len(p.Curve) == 0 || len(p.Privacy.Ledger) == 0 || !strings.Contains(got.stdout, "method    "+p.Method) {
		t.Errorf("got %+v of %s", p, b)
	}
	for i := 1; i < len(p.Curve); i++ {
		if p.Curve[i].Epsilon <= p.Curve[i-1].Epsilon || p.Curve[i].TV > p.Curve[i-1].TV {
			t.Errorf("the curve does not fall: %+v", p.Curve)
		}
	}
	if u := p.ByUnits; p.Given || len(u) != 3 || !(u[0].TV > u[1].TV && u[1].TV > *p.AverageTV && *p.AverageTV > u[2].TV) || u[2].Units != 500_000 ||
		!strings.Contains(got.stdout, "50000 (ASSUMED") || !strings.Contains(got.stdout, "of other numbers of units: ") {
		t.Errorf("of an assumed number of units: %+v", u)
	}
	dapple(t, dir, append(args, "--json=no/plan.json")...).want(t, 2, "--json")
	dapple(t, dir, "plan", "--json=no/plan.json", "--domain=nowhere.yaml", "--epsilon=1", "--delta=0").want(t, 2, "2 problems", "--json", "nowhere.yaml")
}
