package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/pipelines"
)

// option is one flag of a command, or one word. Help, completion and the parser read it; docs/reference is made of help.
type option struct {
	name     string
	value    string // placeholder of its value in help; empty for switches
	usage    string // one line
	def      string // the default, as help shows it; empty: none, or said in usage
	group    string // its heading in help; empty: groupMore
	choices  []string
	variable string // the environment variable that gives it where the flag does not
	required bool
	word     bool   // the command takes it as a word, and has no flag of this name
	optional bool   // the flag may stand without its value, which is "-" then
	stream   bool   // "-" stands for standard input or output
	hidden   bool   // accepted, and not listed
	from     string // how its faults say that the variable has given it
	set      func(string) error
}

// The headings of flags in help, in their order.
const (
	groupWhat    = "Table and model"
	groupPrivacy = "Privacy"
	groupOutput  = "Output"
	groupWhere   = "Where it runs"
	groupEngines = "Engines" // a page of help of their own
	groupMore    = "More"
)

var groups = []string{groupWhat, groupPrivacy, groupOutput, groupWhere, groupMore}

// standard in place of a file's name is standard input or output.
const standard = "-"

// given collects the texts of a flag. It takes every text, so that one command line shows all its faults.
type given struct {
	texts []string
	o     *option
}

func (g *given) String() string     { return g.o.def }
func (g *given) Set(s string) error { g.texts = append(g.texts, s); return nil }
func (g *given) Type() string {
	if g.o.value == "" {
		return "bool" // pflag shows no value of it
	}
	return g.o.value
}

// flagSet declares options to pflag. Dashes in names are read as underscores.
func flagSet(opts []option) *pflag.FlagSet {
	set := pflag.NewFlagSet("dapple", pflag.ContinueOnError)
	set.SortFlags = false
	declare(set, opts)
	return set
}

func declare(set *pflag.FlagSet, opts []option) {
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "-", "_"))
	})
	for i := range opts {
		o := &opts[i]
		if o.word {
			continue
		}
		f := set.VarPF(&given{o: o}, o.name, "", o.line())
		f.Hidden = o.hidden
		switch {
		case o.value == "":
			f.NoOptDefVal = "true"
		case o.optional:
			f.NoOptDefVal = standard
		}
	}
}

// line is the help of an option: what it is, and what else gives it.
func (o *option) line() string {
	text := o.usage
	if o.required {
		text += " (required)"
	}
	if o.variable != "" {
		text += " [$" + o.variable + "]"
	}
	return text
}

// text is how an option is written, without its value.
func (o *option) text() string {
	if o.word {
		return o.value
	}
	return "--" + o.name
}

// accept takes the texts that were given for an option.
func (o *option) accept(texts ...string) (faults pipelines.Faults) {
	where := o.text()
	if len(texts) > 1 {
		return pipelines.Faults{{Where: where, What: "is given twice", Fix: "keep one"}}
	}
	value := texts[0]
	if strings.HasPrefix(value, "--") && !o.word { // --rows --epsilon=1
		return pipelines.Faults{{Where: where, What: "has no value", Fix: "write --" + o.name + "=value"}}
	}
	if value == standard && namesFiles(*o) && !o.stream {
		return pipelines.Faults{{Where: where, What: "got -; standard input and output are not for it", Fix: "name a file"}}
	}
	if err := o.set(value); err != nil {
		faults = append(faults, pipelines.Fault{Where: where, What: fmt.Sprintf("got %q; %v", value, err)})
	}
	return faults
}

// namesFiles reports whether the value of an option can be a file.
func namesFiles(o option) bool {
	return slices.Contains([]string{"FILE", "FILES", "DIR", "TABLE", "BOOK"}, o.value)
}

// parse reads args against the options of a command. words are the options that words without a flag stand for, in
// their order; a word goes to the first of them that no flag has given, but a domain file, told by its name, may stand
// anywhere. It finds every fault: unknown flags, unusable values, missing ones and stray words.
func parse(args []string, opts []option, words ...string) pipelines.Faults {
	set, faults := flagsIn(args, opts)
	texts := map[string][]string{}
	var order []string
	set.Visit(func(f *pflag.Flag) {
		order = append(order, f.Name)
		texts[f.Name] = f.Value.(*given).texts
	})
	takes := func(name string) bool {
		return slices.ContainsFunc(opts, func(o option) bool { return o.name == name }) && texts[name] == nil
	}
	clear := slices.ContainsFunc(set.Args(), isYAML) && takes("domain")
	for _, word := range set.Args() {
		name := ""
		switch k := slices.IndexFunc(words, func(name string) bool { return texts[name] == nil && !(clear && name == "domain") }); {
		case clear && isYAML(word) && takes("domain"):
			name = "domain"
		case k >= 0:
			name = words[k]
		case clear && takes("input"):
			name = "input"
		default:
			faults = append(faults, pipelines.Fault{Where: word, What: "is one word too many", Fix: strayFix(words)})
			continue
		}
		order, texts[name] = append(order, name), []string{word}
	}
	for i := range opts {
		o := &opts[i]
		if value := os.Getenv(o.variable); o.variable != "" && value != "" && texts[o.name] == nil {
			order, texts[o.name] = append(order, o.name), []string{value}
			o.from = " (from " + o.variable + ")"
		}
		if o.required && texts[o.name] == nil && !lacksValue(faults, o) {
			faults = append(faults, pipelines.Fault{Where: o.text(), What: "is required: " + o.usage})
		}
	}
	var values pipelines.Faults
	for _, name := range order {
		k := slices.IndexFunc(opts, func(o option) bool { return o.name == name })
		values = append(values, opts[k].accept(texts[name]...)...)
	}
	return append(values, faults...)
}

// isYAML reports whether a word names a domain file.
func isYAML(word string) bool {
	return strings.HasSuffix(word, ".yaml") || strings.HasSuffix(word, ".yml")
}

// strayFix says what to write in place of a word that has no meaning.
func strayFix(words []string) string {
	if len(words) == 0 {
		return "write --flag=value"
	}
	return "write --flag=value; a flag or another word has given what this one stands for"
}

// lacksValue reports whether a flag has been given, without a value.
func lacksValue(faults pipelines.Faults, o *option) bool {
	return slices.ContainsFunc(faults, func(f pipelines.Fault) bool { return f.Where == "--"+o.name })
}

// flagsIn reads args by pflag, which stops at the first argument that it cannot read: that one is noted and left out.
func flagsIn(args []string, opts []option) (*pflag.FlagSet, pipelines.Faults) {
	args = slices.Clone(args)
	var faults pipelines.Faults
	for {
		set := flagSet(opts)
		err := set.Parse(args)
		var none *pflag.NotExistError
		var bare *pflag.ValueRequiredError
		k := len(args) - 1
		switch {
		case err == nil:
			return set, faults
		case errors.As(err, &none):
			k = max(0, slices.IndexFunc(args, func(a string) bool { return isNamed(a, none) }))
			faults = append(faults, unknown(args[k], opts))
			if takesNext(args, k) {
				args = slices.Delete(args, k+1, k+2)
			}
		case errors.As(err, &bare):
			name := strings.ReplaceAll(bare.GetSpecifiedName(), "-", "_")
			faults = append(faults, pipelines.Fault{Where: "--" + name, What: "has no value", Fix: "write --" + name + "=value"})
		default: // --=x, ---, -hx
			var syntax *pflag.InvalidSyntaxError
			bad := "-h"
			if errors.As(err, &syntax) {
				bad = syntax.GetSpecifiedFlag()
			}
			k = max(0, slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, bad) || strings.HasPrefix(a, "-"+bad) }))
			faults = append(faults, pipelines.Fault{Where: args[k], What: "is not a flag", Fix: "write --flag=value"})
		}
		args = slices.Delete(args, k, k+1)
	}
}

// isNamed reports whether an argument is the one that pflag does not know.
func isNamed(arg string, none *pflag.NotExistError) bool {
	if group := none.GetSpecifiedShortnames(); group != "" {
		return arg == "-"+group
	}
	name, _, _ := strings.Cut(arg, "=")
	return name == "--"+none.GetSpecifiedName()
}

// cutFlag splits --name=value; name is empty if arg is no flag.
func cutFlag(arg string) (name, value string, hasValue bool) {
	trimmed, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return "", "", false
	}
	name, value, hasValue = strings.Cut(strings.TrimPrefix(trimmed, "-"), "=")
	return strings.ReplaceAll(name, "-", "_"), value, hasValue
}

// takesNext reports whether the argument after a flag of Beam's launcher is its value.
func takesNext(args []string, k int) bool {
	name, _, hasValue := cutFlag(args[k])
	f := flag.Lookup(name)
	if f == nil || hasValue || k+1 >= len(args) || strings.HasPrefix(args[k+1], "-") {
		return false
	}
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

// unknown is the fault of a flag that a command does not have. It names the closest one, since most are misspelt.
func unknown(arg string, opts []option) pipelines.Fault {
	name, _, _ := cutFlag(arg)
	if flag.Lookup(name) != nil && !strings.HasPrefix(name, "test.") {
		return launchers(name)
	}
	var known []string
	begun := ""
	for _, o := range opts {
		if o.word {
			continue
		}
		known = append(known, o.name)
		if strings.HasPrefix(o.name, name) && len(name) > 1 && begun == "" {
			begun = o.name
		}
	}
	f := pipelines.Fault{Where: "--" + name, What: "is not a flag of this command", Fix: "dapple help COMMAND lists its flags"}
	near := errtext.Nearest(name, known)
	if near == "" {
		near = begun
	}
	switch {
	case name == "dry_run":
		f.Fix = "dapple plan says what a run would do, and opens no table"
	case near != "":
		f.Fix = "did you mean --" + near + "?"
	}
	return f
}

// launchers is the fault of a flag for Beam's own launcher, which leaves jobs alone: nobody could say what they have spent.
func launchers(name string) pipelines.Fault {
	f := pipelines.Fault{
		Where: "--" + name,
		What:  "is for Beam's own launcher, which does not say what a job has spent; this command has its own",
		Fix:   "leave it out; dapple help engines lists the flags for runs at a job service",
	}
	if name == "async" {
		f.Fix = "use --detach, and --run_id to ask again"
	}
	return f
}
