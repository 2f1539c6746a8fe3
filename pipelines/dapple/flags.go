package main

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/nearest"
	"github.com/dapple-dp/dapple/pipelines"
)

// option is one flag of a command.
type option struct {
	name      string // empty: the command's one word that is no flag
	value     string // placeholder of its value in help; empty for switches
	usage     string // empty: not listed by help
	required  bool
	elsewhere bool // for runs on other machines: dapple help runners lists it
	set       func(string) error
}

// harmless are Beam's own flags that a run of this process takes. All others are for Beam's own launcher, which
// leaves jobs alone: nobody could say what they have spent.
var harmless = []string{"job_name", "experiments", "beam_strict"}

// elsewhere is the fault of one of the others.
func elsewhere(name string) pipelines.Fault {
	f := pipelines.Fault{
		Where: "--" + name,
		What:  "is for Beam's own launcher, which does not say what a job has spent; this command has its own",
		Fix:   "leave it out; dapple help synth lists the flags for runs at a job service",
	}
	if name == "async" {
		f.Fix = "use --detach, and --run_id to ask again"
	}
	return f
}

// parse reads args against the command's options and Beam's own flags. It finds every fault: unknown
// flags, unusable values, missing ones and stray words.
func parse(args []string, opts []option) pipelines.Faults {
	var faults pipelines.Faults
	seen := map[string]bool{}
	for i := 0; i < len(args); i++ {
		name, value, hasValue := cutFlag(args[i])
		if k := word(args[i], opts); k >= 0 && !seen[""] {
			seen[""] = true
			if err := opts[k].set(args[i]); err != nil {
				faults = append(faults, pipelines.Fault{Where: opts[k].value, What: fmt.Sprintf("got %q; %v", args[i], err)})
			}
			continue
		}
		if name == "" {
			faults = append(faults, pipelines.Fault{Where: args[i], What: "is not a flag", Fix: "write --flag=value"})
			continue
		}
		k := slices.IndexFunc(opts, func(o option) bool { return o.name == name })
		beamFlag := flag.CommandLine.Lookup(name)
		if k < 0 && beamFlag == nil {
			faults = append(faults, unknown(name, opts))
			continue
		}
		if k < 0 && !slices.Contains(harmless, name) {
			faults = append(faults, elsewhere(name))
			if !hasValue && !isBool(beamFlag) && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++ // its value
			}
			continue
		}
		isSwitch := k >= 0 && opts[k].value == "" || k < 0 && isBool(beamFlag)
		switch {
		case !hasValue && isSwitch:
			value = "true"
		case !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--"):
			i++
			value = args[i]
		case !hasValue:
			faults = append(faults, pipelines.Fault{Where: "--" + name, What: "has no value", Fix: "write --" + name + "=value"})
			seen[name] = true
			continue
		}
		if seen[name] && k >= 0 {
			faults = append(faults, pipelines.Fault{Where: "--" + name, What: "is given twice", Fix: "keep one"})
			continue
		}
		seen[name] = true
		var err error
		if k >= 0 {
			err = opts[k].set(value)
		} else {
			err = flag.CommandLine.Set(name, value)
		}
		if err != nil {
			faults = append(faults, pipelines.Fault{Where: "--" + name, What: fmt.Sprintf("got %q; %v", value, err)})
		}
	}
	for _, o := range opts {
		if o.required && !seen[o.name] {
			faults = append(faults, pipelines.Fault{Where: o.text(), What: "is required: " + o.usage})
		}
	}
	return faults
}

// word returns the option that arg is the word of; −1: it is a flag, or the command takes no word.
func word(arg string, opts []option) int {
	if strings.HasPrefix(arg, "-") {
		return -1
	}
	return slices.IndexFunc(opts, func(o option) bool { return o.name == "" })
}

// text is how an option is written, without its value.
func (o option) text() string {
	if o.name == "" {
		return o.value
	}
	return "--" + o.name
}

// cutFlag splits --name=value; name is empty if arg is no flag.
func cutFlag(arg string) (name, value string, hasValue bool) {
	trimmed, ok := strings.CutPrefix(arg, "--")
	if !ok {
		trimmed, ok = strings.CutPrefix(arg, "-")
	}
	if !ok {
		return "", "", false
	}
	name, value, hasValue = strings.Cut(trimmed, "=")
	return name, value, hasValue
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// unknown names the closest flag, since most unknown flags are misspelt ones.
func unknown(name string, opts []option) pipelines.Fault {
	names := make([]string, len(opts))
	for i, o := range opts {
		names[i] = o.name
	}
	f := pipelines.Fault{Where: "--" + name, What: "is not a flag of this command", Fix: "see dapple help"}
	if near := nearest.Name(name, names); near != "" {
		f.Fix = "did you mean --" + near + "?"
	}
	return f
}

// The setters below turn a flag's text into a field.

func text(p *string) func(string) error {
	return func(s string) error {
		if s == "" {
			return fmt.Errorf("want a value that is not empty")
		}
		*p = s
		return nil
	}
}

// list reads names between commas.
func list(p *[]string) func(string) error {
	return func(s string) error {
		*p = strings.Split(s, ",")
		if slices.Contains(*p, "") {
			return fmt.Errorf("want names between commas")
		}
		return nil
	}
}

func oneOf(p *string, allowed ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(allowed, s) {
			return fmt.Errorf("want %s", strings.Join(allowed, " or "))
		}
		*p = s
		return nil
	}
}

func toggle(p *bool) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("want true or false")
		}
		*p = v
		return nil
	}
}

// whole reads a whole number of at least 1, allowing 1e6 and 1_000_000.
func whole[T int | int64](p *T, most T) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
		if f, ferr := strconv.ParseFloat(s, 64); err != nil && ferr == nil && f == math.Trunc(f) && math.Abs(f) < 1e15 {
			v, err = int64(f), nil
		}
		if err != nil || v < 1 || v > int64(most) {
			return fmt.Errorf("want a whole number from 1 to %d", most)
		}
		*p = T(v)
		return nil
	}
}

func seed(p *uint64, has *bool) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return fmt.Errorf("want a whole number from 0 to 18446744073709551615")
		}
		*p, *has = v, true
		return nil
	}
}

func epsilon(p *dp.Epsilon) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || dp.Epsilon(v).Validate() != nil {
			return fmt.Errorf("want a finite number above 0; 1 is a common choice, smaller is more private")
		}
		*p = dp.Epsilon(v)
		return nil
	}
}

// errorShare reads 0 as none, where a parameter of 0 is the default.
func errorShare(p *float64) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v != 0 && !(v >= .0001 && v <= .5) {
			return fmt.Errorf("want 0.0001 to 0.5, a part of the budget, or 0")
		}
		if *p = v; v == 0 {
			*p = -1
		}
		return nil
	}
}

func delta(p *dp.Delta) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || dp.Delta(v).Validate() != nil {
			return fmt.Errorf("want a number of at least 0 and below 1; choose one far below 1/(number of people), or 0 for pure privacy")
		}
		*p = dp.Delta(v)
		return nil
	}
}

func fraction(p *float64) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v > 0 && v < 1) {
			return fmt.Errorf("want a number between 0 and 1, such as 0.02")
		}
		*p = v
		return nil
	}
}

func relation(p *dp.Neighbouring) func(string) error {
	return func(s string) error {
		v, err := dp.ParseNeighbouring(s)
		if err != nil {
			return fmt.Errorf("want add_remove or replace")
		}
		*p = v
		return nil
	}
}
