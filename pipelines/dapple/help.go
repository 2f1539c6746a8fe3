package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/release/report"
)

// The headings of commands in help, in their order.
const (
	groupMake  = "Make a synthetic table:"
	groupJudge = "Judge it:"
	groupKeep  = "Keep order:"
)

// root is the command line: cobra finds the command, prints help and completes; do runs what it found.
func root(cmds []command, stdout, stderr io.Writer, do func(c command) error) *cobra.Command {
	top := &cobra.Command{
		Use:           "dapple COMMAND [FILE] [flags]",
		Short:         "dapple makes differentially private synthetic tables.",
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	cobra.EnableCommandSorting = false
	top.SetOut(stdout)
	top.SetErr(stderr)
	for _, g := range []string{groupMake, groupJudge, groupKeep} {
		top.AddGroup(&cobra.Group{ID: g, Title: g})
	}
	top.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	top.SetCompletionCommandGroupID(groupKeep)
	top.SetHelpFunc(writeHelp)
	for _, c := range cmds {
		top.AddCommand(c.cobra(do))
	}
	for _, page := range filePages {
		top.AddCommand(page.cobra())
	}
	top.SetHelpCommand(helpCommand(top))
	top.InitDefaultHelpCmd()
	top.InitDefaultCompletionCmd()
	for _, c := range top.Commands() {
		if c.Name() == "completion" {
			c.Use, c.Short, c.Long = "completion SHELL", "print what completes commands and flags in bash, zsh, fish or powershell", ""
			c.Args, c.RunE = cobra.ArbitraryArgs, func(*cobra.Command, []string) error {
				return pipelines.Faults{{Where: "SHELL", What: "want bash, zsh, fish or powershell"}}
			}
		}
	}
	return top
}

// cobra is a command as cobra knows it.
func (c command) cobra(do func(command) error) *cobra.Command {
	execute := func(*cobra.Command, error) error { return do(c) }
	args, long := "", ""
	for _, name := range c.words {
		o := c.options[slices.IndexFunc(c.options, func(o option) bool { return o.name == name })]
		if o.word {
			args += " " + o.value
			long += fmt.Sprintf("  %-8s %s\n", o.value, o.line())
		} else {
			args += " [" + o.value + "]"
			long += fmt.Sprintf("  %-8s is --%s\n", o.value, o.name)
		}
	}
	out := &cobra.Command{
		Use: c.name + args + " [flags]", DisableFlagsInUseLine: true,
		Short: c.summary, Long: long, Example: "  " + c.example, GroupID: c.group,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return execute(cmd, nil) },
	}
	out.SetFlagErrorFunc(execute) // which finds all faults, not the first alone
	out.Flags().SortFlags = false
	declare(out.Flags(), c.options)
	for _, o := range c.options {
		if o.choices != nil {
			_ = out.RegisterFlagCompletionFunc(o.name, cobra.FixedCompletions(o.choices, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
		}
	}
	return out
}

// writeHelp prints the commands, or one command's flags by group.
func writeHelp(cmd *cobra.Command, _ []string) {
	out := cmd.OutOrStdout()
	if !cmd.HasParent() {
		writeCommands(out, cmd)
		return
	}
	fmt.Fprintf(out, "dapple %s: %s\n\nusage:\n  %s\n%s", cmd.Name(), cmd.Short, cmd.UseLine(), cmd.Long)
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nexample:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() { // completion
		fmt.Fprintln(out)
		for _, sub := range cmd.Commands() {
			fmt.Fprintf(out, "  %-11s %s\n", sub.Name(), sub.Short)
		}
		return
	}
	by := map[string]*pflag.FlagSet{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		group := groupMore
		if g, ok := f.Value.(*given); ok && g.o.group != "" {
			group = g.o.group
		}
		if by[group] == nil {
			by[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
			by[group].SortFlags = false
		}
		by[group].AddFlag(f)
	})
	for _, g := range groups {
		if by[g] != nil && by[g].HasAvailableFlags() {
			fmt.Fprintf(out, "\n%s:\n%s", g, usages.Replace(by[g].FlagUsages()))
		}
	}
	if e := by[groupEngines]; e != nil && e.HasAvailableFlags() {
		fmt.Fprintln(out, "\nFlags for Beam's workers, Flink, Spark and Dataflow: dapple help engines")
	}
}

// writeEngines prints the flags that help leaves out of synth.
func writeEngines(out io.Writer) error {
	engines := slices.DeleteFunc(requestOptions(&pipelines.Config{}), func(o option) bool { return o.group != groupEngines })
	_, err := fmt.Fprintf(out, "Flags of dapple synth for Beam's workers, Flink, Spark and Dataflow:\n%s", usages.Replace(flagSet(engines).FlagUsages()))
	return err
}

// usages replaces what pflag says of flags that may stand without a value, by texts as long.
var usages = strings.NewReplacer(" FILE[=-]", "[=FILE]  ", "--help[=true|false]", "--help             ")

func writeCommands(out io.Writer, top *cobra.Command) {
	fmt.Fprintln(out, top.Short)
	for _, g := range top.Groups() {
		fmt.Fprintln(out, g.Title)
		for _, c := range top.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				fmt.Fprintf(out, "  %-10s %s\n", c.Name(), c.Short)
			}
		}
	}
	fmt.Fprint(out, "\nBegin with dapple synth TABLE --privacy_id=COLUMN --epsilon=1 --delta=1e-9 --output=out. Flags are in dapple COMMAND --help.\n"+
		"Licences of dapple and of what it is linked from: dapple --licenses.\n")
}

// page is a text of help on files that people write, or on engines.
type page struct {
	name, summary string
	write         func(io.Writer) error
}

var filePages = []page{
	{"domain", "the keys of the domain file", schema.WriteReference},
	{"about", "the keys of the file of --about", schema.WriteAboutReference},
	{"engines", "the flags of synth for Beam's workers, Flink, Spark and Dataflow", writeEngines},
	{"schema", "the JSON Schema of the domain file, for editors", func(out io.Writer) error {
		b, err := schema.JSONSchema()
		if err == nil {
			_, err = out.Write(b)
		}
		return err
	}},
}

// cobra is a page as a topic of help: a command that does nothing.
func (p page) cobra() *cobra.Command {
	topic := &cobra.Command{Use: p.name, Short: p.summary}
	topic.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = p.write(cmd.OutOrStdout()) }) // as cobra does for all help
	return topic
}

// helpCommand prints the help of a command or a page. Cobra's own takes an unknown name for none.
func helpCommand(top *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "explain a command, engines, or a file: domain, about, schema", GroupID: groupKeep,
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := top.Find(args)
			if err != nil || c == nil || len(rest) > 0 {
				return unknownCommand(top, args[len(args)-1])
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return commandNames(top), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func commandNames(top *cobra.Command) (list []string) {
	for _, c := range top.Commands() {
		if !c.Hidden {
			list = append(list, c.Name())
		}
	}
	return list
}

// unknownCommand is the fault of a word that is no command.
func unknownCommand(top *cobra.Command, name string) error {
	f := pipelines.Fault{Where: name, What: "is not a command", Fix: "dapple help lists all"}
	if name == "upgrade" || name == "update" {
		f.Fix = "put the program of a newer release in its place"
	} else if near := top.SuggestionsFor(name); len(near) > 0 {
		f.Fix = "did you mean dapple " + strings.Join(near, " or dapple ") + "?"
	}
	return pipelines.Faults{f}
}

// version says what this program was built from.
func version() string {
	v := report.ReadVersions()
	commit := buildinfo.Commit()
	if commit == "" {
		commit = "unknown"
	}
	return fmt.Sprintf("dapple %s, commit %s, %s, Beam %s", v.Dapple, commit, v.Go, v.Beam)
}

// isTerminal reports whether a file is a terminal that can redraw its lines.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
