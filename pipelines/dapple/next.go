package main

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/solver"
)

// recorded are the flags of a command line that were given a value, in their order.
type recorded []string

// record makes each option note what it is set to, if the value can be used.
func (g *recorded) record(opts []option) {
	for i := range opts {
		o := &opts[i]
		set, name, isSwitch := o.set, o.name, o.value == ""
		o.set = func(value string) error {
			err := set(value)
			switch {
			case err != nil:
			case isSwitch && value == "true":
				*g = append(*g, "--"+name)
			default:
				*g = append(*g, "--"+name+"="+value)
			}
			return err
		}
	}
}

// synth is the command line that does what was planned: with all these flags, those that synth needs besides, and the
// expected rows that were planned for, if they were found elsewhere; 0: they were not.
func (g recorded) synth(p solver.Problem, units float64) string {
	words := []string{"dapple", "synth"}
	has := map[string]bool{}
	for _, arg := range g {
		name, _, _ := cutFlag(arg)
		has[name] = true
		words = append(words, quoteForShell(arg))
	}
	needed := [][2]string{{"input", "TABLE"}, {"output", "DIR"}, {"epsilon", fmt.Sprintf("%g", float64(p.Epsilon))}}
	if e := p.Domain.Events; e != nil && e.NoRows {
		needed = append(needed, [2]string{"people_input", "TABLE"})
	}
	if units > 0 {
		needed = append(needed, [2]string{"expected_rows", fmt.Sprintf("%.0f", units)})
	}
	for _, missing := range needed {
		if !has[missing[0]] {
			words = append(words, "--"+missing[0]+"="+missing[1])
		}
	}
	return strings.Join(words, " ")
}

// plain are the characters that no shell takes for more than themselves.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@%+"

// quoteForShell writes a word so that shells read it as one. The name of a flag stays outside of the quotes.
func quoteForShell(word string) string {
	if strings.Trim(word, plain) == "" {
		return word
	}
	head, tail, found := strings.Cut(word, "=")
	if !found {
		head, tail = "", word
	} else {
		head += "="
	}
	return head + "'" + strings.ReplaceAll(tail, "'", `'\''`) + "'"
}
