package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	df "google.golang.org/api/dataflow/v1b3"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The parameters of the Flex Template are flags of synth, as Dataflow's own type has them, and all that synth requires
// are required.
func TestFlexTemplate(t *testing.T) {
	b := must.Value(os.ReadFile("../deploy/dataflow/metadata.json"))(t)
	var m df.TemplateMetadata
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	must.Need(t, d.Decode(&m) == nil && m.Name != "", "metadata.json is not of Dataflow's TemplateMetadata: %s", b)
	given := map[string]*df.ParameterMetadata{}
	for _, p := range m.Parameters {
		given[p.Name] = p
		for _, re := range p.Regexes {
			_, err := regexp.Compile(re)
			must.Hold(t, err == nil && p.Label != "" && p.HelpText != "", "%s: %v", p.Name, err)
		}
	}
	all := commands(nil, false)
	synth := all[slices.IndexFunc(all, func(c command) bool { return c.name == "synth" })]
	flags := 0
	for _, o := range synth.options {
		p := given[o.name]
		if p != nil {
			flags++
		}
		if o.required && (p == nil || p.IsOptional) || p != nil && !o.required && !p.IsOptional && o.name != "epsilon" && o.name != "delta" && o.name != "domain" { // none is found there
			t.Errorf("--%s is required by synth: %v; by the template: %+v", o.name, o.required, p)
		}
	}
	must.Hold(t, flags == len(m.Parameters) && flags != 0, "%d of %d parameters are flags of synth", flags, len(m.Parameters))
}

// The task of the Airflow example runs with the command line that Airflow's operator makes of it: with the runner first,
// and with labels and a program for workers, whatever the runner is. (apache-airflow-providers-apache-beam 6.3.1)
func TestAirflow(t *testing.T) {
	source := must.Value(os.ReadFile("../deploy/airflow/synthetic_table.py"))(t)
	dir := people(t, 300)
	made := inProcess(t, "ledger", filepath.Join(dir, "visits.book"), "--create=us", "--input="+filepath.Join(dir, "people.csv"), "--privacy_id=person_id", "--epsilon=1", "--delta=1e-8")
	if made.want(t, 0); t.Failed() {
		return
	}
	here := strings.NewReplacer("gs://my-bucket/visits/*.parquet", filepath.Join(dir, "people.csv"), "gs://my-bucket/visits.yaml", filepath.Join(dir, "people.yaml"),
		"gs://my-bucket", dir, "{{ ds_nodash }}", "20260101")
	args := []string{"--runner=PrismRunner"}
	for _, option := range regexp.MustCompile(`(?m)^ {12}"([a-z_]+)": "(.*)",$`).FindAllStringSubmatch(string(source), -1) {
		args = append(args, "--"+option[1]+"="+here.Replace(option[2]))
	}
	args = append(args, `--labels={"airflow-version":"v3-1-0"}`, "--worker_binary=/opt/dapple/dapple-linux-amd64")
	must.Need(t, len(args) >= 9, "the task has only %q", args)
	must.Do(t, os.Mkdir(filepath.Join(dir, "synthetic"), 0o777))
	dapple(t, dir, args...).want(t, 0)
	again := dapple(t, dir, args...) // a retry
	again.want(t, 0)
	must.Hold(t, strings.Contains(again.stdout, "had finished before: nothing was read, written or spent now"), "%v", again.stdout)
}
