package main

import (
	"context"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/internal/pipelines"
)

// privateOptions are the flags of infer that make the proposal private.
func privateOptions(c *pipelines.Config) []option {
	return []option{
		{name: "domain", group: groupWhat, value: "FILE", usage: "with --epsilon: find the open parts of this file alone", set: text(&c.Domain)},
		{name: "epsilon", group: groupPrivacy, value: "E", usage: "find the domain privately, and spend this ε: the file carries the charge", set: epsilon(&c.Epsilon)},
		{name: "delta", group: groupPrivacy, value: "D", usage: "the δ of that, far below 1/(number of people)", set: delta(&c.Delta)},
		{name: "neighbouring", group: groupPrivacy, value: "REL", def: "add_remove", choices: []string{"add_remove", "replace"}, usage: "with --epsilon: the relation later releases will use", set: relation(&c.Neighbouring)},
		{name: "ledger", group: groupPrivacy, value: "BOOK", variable: "DAPPLE_LEDGER", usage: "with --epsilon: charge this budget book, which synth charges too", set: text(&c.Ledger)},
		{name: "expected_rows", group: groupWhat, value: "N", usage: "with --epsilon: about how many people there are; too few are refused", set: whole(&c.ExpectedRows, mostRows)},
	}
}

// privately finds every fault of a request to find a domain privately.
func privately(ctx context.Context, c pipelines.Config, fromData bool, described string, overwrite bool) (*pipelines.FindRequest, error) {
	var faults pipelines.Faults
	if fromData || described != "" {
		faults = append(faults, pipelines.Fault{Where: "--epsilon", What: "finds the domain privately, and --from_data and --schema do without", Fix: "leave one of them out"})
	}
	if c.Output == standard {
		c.Output = "" // which is refused
	}
	faults = append(faults, nameFaults(ctx, c.Output, overwrite)...)
	req, err := pipelines.ValidateInfer(ctx, c)
	return req, append(faults, pipelines.ErrorFaults("--input", err)...).Err()
}

// inferPrivately finds a domain, writes its file, and says what it has cost.
func inferPrivately(ctx context.Context, req *pipelines.FindRequest, overwrite bool, out io.Writer) error {
	found, err := pipelines.Infer(ctx, req)
	if err != nil {
		return err
	}
	if err := save(ctx, found.Text, req.Output, overwrite, out); err != nil {
		return fmt.Errorf("%w\nthe budget of the finding is spent, and what was found is kept: the same command writes it once there is room", err)
	}
	if err := found.Done(ctx); err != nil {
		return err
	}
	for _, note := range found.Notes {
		if _, err := fmt.Fprintf(out, "note    %s\n", note); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "wrote %s, which may be shared: edit it, but keep its last line, and run\n  dapple plan %s %s --epsilon=1 --delta=1e-9\n",
		req.Output, quoteForShell("--domain="+req.Output), quoteForShell("--input="+req.Input))
	return err
}
