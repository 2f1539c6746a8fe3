package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// completionCommand prints what teaches a shell the commands and flags, from the same table that help prints.
func completionCommand(others []command) command {
	shell := ""
	scripts := map[string]func(*strings.Builder, []command){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	c := command{
		name:    "completion",
		summary: "print what makes bash, zsh or fish complete commands and flags",
		example: "dapple completion bash > /etc/bash_completion.d/dapple",
		options: []option{{value: "SHELL", usage: "bash, zsh or fish", required: true, set: oneOf(&shell, "bash", "zsh", "fish")}},
		check:   func(context.Context) error { return nil },
	}
	c.options = append(c.options, unheard()...)
	c.run = func(_ context.Context, out io.Writer) error {
		var b strings.Builder
		scripts[shell](&b, append(others, c))
		_, err := io.WriteString(out, b.String())
		return err
	}
	return c
}

// helpPages are what dapple help shows beside the commands.
var helpPages = []string{"runners", "domain", "schema", "about"}

func bashCompletion(b *strings.Builder, all []command) {
	b.WriteString(`# bash completion for dapple
_dapple() {
	local cur=${COMP_WORDS[COMP_CWORD]} words= flag=
	if [[ $cur == = ]]; then
		flag=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		flag=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $flag in
	'') ;;
`)
	for _, name := range slices.Sorted(maps.Keys(flagWords)) {
		fmt.Fprintf(b, "\t--%s) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", name, strings.Join(flagWords[name], " "))
	}
	b.WriteString(`	*)
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$cur"))
		return ;;
	esac
	case $COMP_CWORD:${COMP_WORDS[1]} in
`)
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	fmt.Fprintf(b, "\t1:*) words=%q ;;\n", strings.Join(append(names, "help"), " "))
	fmt.Fprintf(b, "\t*:help) words=%q ;;\n", strings.Join(append(names, helpPages...), " "))
	for _, c := range all {
		var flags []string
		for _, o := range c.options {
			switch {
			case o.name == "":
				flags = append(flags, completionWords(o)...)
			case o.value == "":
				flags = append(flags, "--"+o.name)
			default:
				flags = append(flags, "--"+o.name+"=")
			}
		}
		fmt.Fprintf(b, "\t*:%s) words=%q ;;\n", c.name, strings.Join(flags, " "))
	}
	b.WriteString(`	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	if [[ $cur != -* && $COMP_CWORD != 1 ]]; then
		compopt -o filenames
		COMPREPLY+=($(compgen -f -- "$cur"))
	fi
	[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _dapple dapple
`)
}

// flagWords are all that the values of some flags can be.
var flagWords = map[string][]string{
	"format":       {"parquet", "csv"},
	"layout":       {"joined", "two"},
	"log":          {"text", "json"},
	"neighbouring": {"add_remove", "replace"},
	"write":        {"empty", "truncate", "append"},
}

// completionWords are what a command's word or the value of a flag can be; nil: a file, or no list.
func completionWords(o option) []string {
	if o.value == "SHELL" {
		return []string{"bash", "zsh", "fish"}
	}
	return flagWords[o.name]
}

// namesFiles reports whether the value of an option can be a file.
func namesFiles(o option) bool {
	return slices.Contains([]string{"FILE", "FILES", "DIR", "TABLE"}, o.value)
}

func zshCompletion(b *strings.Builder, all []command) {
	b.WriteString("#compdef dapple\n_dapple() {\n\tlocal -a commands=(\n\t\t'help:say what a command does'\n")
	quote := strings.NewReplacer("'", "’", "[", `\[`, "]", `\]`, ":", `\:`).Replace
	for _, c := range all {
		fmt.Fprintf(b, "\t\t'%s:%s'\n", c.name, quote(c.summary))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )); then _describe command commands; return; fi\n\tcase $words[2] in\n")
	fmt.Fprintf(b, "\thelp) _values page ${commands%%%%:*} %s ;;\n", strings.Join(helpPages, " "))
	for _, c := range all {
		fmt.Fprintf(b, "\t%s) _arguments", c.name)
		for _, o := range c.options {
			value := ""
			switch {
			case namesFiles(o):
				value = ":" + o.value + ":_files"
			case o.value != "":
				value = ":" + o.value + ":(" + strings.Join(completionWords(o), " ") + ")"
			}
			switch {
			case o.name == "":
				fmt.Fprintf(b, " \\\n\t\t'*%s'", value)
			case o.value == "":
				fmt.Fprintf(b, " \\\n\t\t'--%s[%s]'", o.name, quote(o.usage))
			default:
				fmt.Fprintf(b, " \\\n\t\t'--%s=[%s]%s'", o.name, quote(o.usage), value)
			}
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString("\tesac\n}\n_dapple \"$@\"\n")
}

func fishCompletion(b *strings.Builder, all []command) {
	b.WriteString("# fish completion for dapple\n")
	quote := strings.NewReplacer("'", `\'`, `\`, `\\`).Replace
	fmt.Fprintf(b, "complete -c dapple -f\ncomplete -c dapple -n __fish_use_subcommand -a help -d 'say what a command does'\n")
	for _, c := range all {
		fmt.Fprintf(b, "complete -c dapple -n __fish_use_subcommand -a %s -d '%s'\n", c.name, quote(c.summary))
		for _, o := range c.options {
			line := fmt.Sprintf("complete -c dapple -n '__fish_seen_subcommand_from %s'", c.name)
			switch {
			case o.name == "" && namesFiles(o):
				line += " -F"
			case o.name == "":
				line += " -a '" + strings.Join(completionWords(o), " ") + "'"
			case namesFiles(o):
				line += " -l " + o.name + " -r -F"
			case o.value != "":
				line += " -l " + o.name + " -x"
				if words := completionWords(o); words != nil {
					line += " -a '" + strings.Join(words, " ") + "'"
				}
			default:
				line += " -l " + o.name
			}
			if o.usage != "" {
				line += " -d '" + quote(o.usage) + "'"
			}
			b.WriteString(line + "\n")
		}
	}
}
