package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/request/contract"
	"github.com/dapple-dp/dapple/internal/request/infer"
)

func inferCommand() command {
	p, c := &infer.Params{}, &pipelines.Config{}
	output, people, unit, described, overwrite := "", "", "", "", false
	var src *infer.Source
	var proposal []byte             // from a description
	var find *pipelines.FindRequest // nil: nothing private is asked for
	return command{
		name:    "infer",
		group:   groupMake,
		words:   []string{"input"},
		summary: "propose a domain file: private with --epsilon, NOT private with --from_data",
		example: "dapple infer people.csv --privacy_id=person_id --from_data --output=people.yaml",
		beam:    true,
		options: append(append([]option{
			{name: "input", group: groupWhat, value: "TABLE", usage: "the table: files, a pattern, or a bq:// table (required, or --schema)", set: text(&p.Input)},
			{name: "schema", group: groupWhat, value: "FILE[#TABLE]", usage: "in place of --input: a contract or schema that is public", set: text(&described)},
			{name: "output", group: groupOutput, value: "FILE", def: "-", stream: true, usage: "the domain file to write; - is standard output", set: text(&output)},
			{name: "overwrite", group: groupOutput, usage: "replace the file of --output; changes made in it are lost", set: toggle(&overwrite)},
			{name: "from_data", group: groupWhat, usage: "read the rows too: cells are proposed, and are NOT private", set: toggle(&p.FromData)},
			{name: "privacy_id", group: groupPrivacy, value: "COLUMN|none", usage: "the column that names the people; none if every record is another person", set: text(&unit)},
			{name: "people_input", group: groupWhat, value: "TABLE", usage: "the table of all people, if some have no rows in --input", set: text(&people)},
		}, privateOptions(c)...), readingServices(&p.Services)...),
		check: func(ctx context.Context) (err error) {
			if c.Epsilon != 0 || c.Delta != 0 {
				c.Input, c.People, c.Output, c.PrivacyID, c.Services = p.Input, people, output, unit, p.Services
				find, err = privately(ctx, *c, p.FromData, described, overwrite)
				return err
			}
			if c.Domain != "" {
				return pipelines.Faults{{Where: "--domain", What: "is a file whose open parts are found privately", Fix: "add --epsilon and --delta, or leave it out"}}
			}
			if unit != schema.NoPrivacyID {
				p.PrivacyID = unit
			}
			var faults pipelines.Faults
			switch {
			case described != "":
				proposal, faults = fromSchema(described, *p, people)
			case p.Input == "":
				faults = pipelines.Faults{{Where: "--input", What: "is required: the table", Fix: "name it, or name its description by --schema"}}
			default:
				src, faults = openTable(ctx, *p, people)
			}
			if unit == "" {
				faults = append(faults, undecided(src))
			}
			return append(faults, nameFaults(ctx, output, overwrite)...).Err()
		},
		run: func(ctx context.Context, out io.Writer) error {
			if find != nil {
				return inferPrivately(ctx, find, overwrite, out)
			}
			if src != nil {
				return propose(ctx, src, output, people, overwrite, out)
			}
			if err := save(ctx, proposal, output, overwrite, out); err != nil || output == "" || output == standard {
				return err
			}
			domain := quoteForShell("--domain=" + output)
			_, err := fmt.Fprintf(out, "wrote %s: review it, then run\n  dapple sample %s --rows=1000 --output=dry\n  dapple plan %s --epsilon=1 --delta=1e-9\n", output, domain, domain)
			return err
		},
	}
}

// nameFaults finds what is wrong with the name of a file that is not to be there yet, unless it is to be replaced.
func nameFaults(ctx context.Context, output string, overwrite bool) pipelines.Faults {
	faults := placeFaults(ctx, "--output", output)
	if output == "" || output == standard || overwrite || len(faults) > 0 {
		return faults
	}
	_, err := os.Lstat(output)
	if files.Remote(output) {
		_, err = files.Stat(ctx, output)
	}
	if err == nil {
		faults = pipelines.Faults{{Where: "--output", What: output + " is there already", Fix: "set --overwrite, or name another file"}}
	}
	return faults
}

// placeFaults finds out whether there is a place for a file: its bucket, or its directory on this machine.
// An empty name means no file.
func placeFaults(ctx context.Context, flag, name string) pipelines.Faults {
	if name == "" || name == standard {
		return nil
	}
	err := files.CheckName(name)
	switch {
	case err != nil:
	case files.Remote(name):
		_, err = files.Names(ctx, name)
	default:
		return dirFaults(flag, name)
	}
	if err != nil {
		return pipelines.Faults{{Where: flag, What: err.Error()}}
	}
	return nil
}

// dirFaults is placeFaults for a file of this machine.
func dirFaults(flag, name string) pipelines.Faults {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return pipelines.Faults{{Where: flag, What: name + " is a directory", Fix: "name a file"}}
	}
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return pipelines.Faults{{Where: flag, What: fmt.Sprintf("%s: there is no directory %s", name, dir), Fix: "make it, or name another file"}}
	}
	return nil
}

// openTable finds every fault of a table whose domain is asked for.
func openTable(ctx context.Context, p infer.Params, people string) (*infer.Source, pipelines.Faults) {
	if p.Input == "" {
		return nil, nil // said where flags are read
	}
	src, err := infer.Open(ctx, p)
	faults := pipelines.ErrorFaults("--input", err)
	switch {
	case people != "" && p.PrivacyID == "":
		faults = append(faults, pipelines.Fault{Where: "--people_input", What: "needs --privacy_id: the column that both tables have"})
	case people != "" && err == nil:
		faults = append(faults, pipelines.ErrorFaults("--people_input", src.OpenPeople(ctx, people))...)
	}
	return src, faults
}

// undecided is the fault of a request that leaves open who is protected.
func undecided(src *infer.Source) pipelines.Fault {
	perhaps := ""
	if src != nil {
		perhaps = schema.Suggested(src.Names())
	}
	return pipelines.Fault{
		Where: "--privacy_id", What: "is required, since it says who is protected",
		Fix: "name the column that names the people" + perhaps + ", or " + schema.NoPrivacyID + " if every record is another person",
	}
}

// propose writes a proposal to out, or to a file: one of this machine only its owner can read.
func propose(ctx context.Context, src *infer.Source, output, people string, overwrite bool, out io.Writer) error {
	b, err := src.Propose(ctx)
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	if err := save(ctx, b, output, overwrite, out); err != nil || output == "" || output == standard {
		return err
	}
	note := ""
	if src.FromData {
		note = ", which is NOT private"
	}
	tables := quoteForShell("--input=" + src.Input)
	if people != "" {
		tables += " " + quoteForShell("--people_input="+people)
	}
	_, err = fmt.Fprintf(out, "wrote %s%s: review it%sthen run\n  dapple plan %s %s --epsilon=1 --delta=1e-9\n",
		output, note, doubts(src), quoteForShell("--domain="+output), tables)
	return err
}

// save writes a domain file to out, or to a file.
func save(ctx context.Context, b []byte, output string, overwrite bool, out io.Writer) error {
	if output == "" || output == standard {
		_, err := out.Write(b)
		return err
	}
	if overwrite && !files.Remote(output) {
		if err := os.Remove(output); err != nil && !errors.Is(err, fs.ErrNotExist) { // others could read it
			return err
		}
	}
	if overwrite {
		return files.Replace(ctx, output, b)
	}
	return files.Create(ctx, output, b)
}

// fromSchema proposes a domain file from a description, and finds every fault of the request.
func fromSchema(described string, p infer.Params, people string) ([]byte, pipelines.Faults) {
	var faults pipelines.Faults
	for _, other := range []struct {
		flag string
		set  bool
	}{{"--input", p.Input != ""}, {"--from_data", p.FromData}, {"--people_input", people != ""}} {
		if other.set {
			faults = append(faults, pipelines.Fault{Where: other.flag, What: "is for tables, and --schema names a description", Fix: "leave one of them out"})
		}
	}
	name, table, _ := strings.Cut(described, "#")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, append(faults, pipelines.ErrorFaults("--schema", err)...)
	}
	proposal, err := contract.Propose(name, data, table, p.PrivacyID)
	return proposal, append(faults, pipelines.ErrorFaults("--schema", err)...)
}

// doubts are the lines on what to review first: who is protected, and what is not written.
func doubts(src *infer.Source) string {
	text := ""
	switch people := src.Doubts.People; {
	case src.PrivacyID != "":
	case len(people) == 1:
		text = fmt.Sprintf("\n  does %s name a person, with several rows each? Then single rows alone are protected: infer again\n"+
			"  with --overwrite %s", people[0], quoteForShell("--privacy_id="+people[0]))
	case len(people) > 1:
		text = fmt.Sprintf("\n  does one of %s name a person, with several rows each? Then single rows alone are\n"+
			"  protected: infer again with --overwrite --privacy_id=COLUMN", strings.Join(people, ", "))
	}
	if keys := src.Doubts.Keys; len(keys) > 0 {
		text += fmt.Sprintf("\n  is it a key, as no value is there twice? Then delete its line: %s", strings.Join(keys, ", "))
	}
	if out := src.Doubts.LeftOut; len(out) > 0 {
		text += fmt.Sprintf("\n  left out, and the file says why: %s", strings.Join(out, ", "))
	}
	if text == "" {
		return ", "
	}
	return ", above all" + text + "\n"
}
