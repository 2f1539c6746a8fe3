package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// services says how services are reached. BIGQUERY_EMULATOR_HOST names an emulator, as it does for other
// tools; Cloud Storage's client looks for STORAGE_EMULATOR_HOST itself.
func services() table.Options {
	host := os.Getenv("BIGQUERY_EMULATOR_HOST")
	if host == "" {
		return nil
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	var o table.Options
	bigqueryio.Configure(&o, func(b *bigqueryio.Options) {
		b.Client = bigqueryio.Client{Endpoint: host, Anonymous: true}
		b.Read.Pin = bigqueryio.AsRead // emulators know no earlier states
	})
	return o
}

// readingServices are the flags of commands that read tables of BigQuery.
func readingServices(o *table.Options) []option {
	*o = services()
	return []option{
		project(o),
		{name: "storage_read", group: groupWhere, usage: "read bq:// by the Storage Read API: faster, and billed apart", set: func(s string) error {
			on := false
			if err := toggle(&on)(s); err != nil {
				return err
			}
			bigqueryio.Configure(o, func(b *bigqueryio.Options) {
				if b.Read.Via = bigqueryio.ViaQuery; on {
					b.Read.Via = bigqueryio.ViaStorage
				}
			})
			return nil
		}},
	}
}

// project is the flag of who pays for queries and jobs.
func project(o *table.Options) option {
	return beamFlag(option{name: "project", value: "PROJECT", usage: "Google's project that pays for queries and jobs of BigQuery", set: func(name string) error {
		if err := text(&name)(name); err != nil {
			return err
		}
		bigqueryio.Configure(o, func(b *bigqueryio.Options) { b.Project = name })
		return nil
	}})
}

// writingTables are the flags of commands that write tables of BigQuery.
func writingTables(write *string, labels *map[string]string) []option {
	modes := []string{"empty", "truncate", "append"}
	tags := beamFlag(option{name: "labels", value: "JSON", usage: `labels of bq:// tables and of jobs, such as {"team": "data"}`, set: func(s string) error {
		if json.Unmarshal([]byte(s), labels) != nil {
			return errors.New(`want JSON such as {"team": "data"}`)
		}
		return nil
	}})
	return []option{
		{name: "write", group: groupOutput, value: "MODE", def: "empty", choices: modes, usage: "to a bq:// table: empty, truncate or append", set: oneOf(write, modes...)},
		tags,
	}
}

// emulators are the variables that send what is read and written to an emulator, by the names that are meant.
var emulators = []struct{ scheme, service, variable string }{
	{"bq://", "BigQuery", "BIGQUERY_EMULATOR_HOST"},
	{"gs://", "Cloud Storage", "STORAGE_EMULATOR_HOST"},
	{"s3://", "S3", "AWS_ENDPOINT_URL_S3"},
}

// emulatorNotes says for each service that the arguments name if the environment sends private data to
// another place, which nothing else would show.
func emulatorNotes(args []string) (notes string) {
	for _, e := range emulators {
		if host := os.Getenv(e.variable); host != "" && namesAny(args, e.scheme) {
			notes += fmt.Sprintf("dapple: note: %s is set: %s is %s, for all that is read and written\n", e.variable, e.service, host)
		}
	}
	return notes
}

func namesAny(args []string, scheme string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, scheme) })
}

// servicesOf lists the services that the arguments name.
func servicesOf(args []string) string {
	var used []string
	for _, e := range emulators {
		if namesAny(args, e.scheme) {
			used = append(used, e.service)
		}
	}
	return strings.Join(used, " or ")
}

// patientFor is how long a service is waited for without a word: most answer within a second.
const patientFor = 5 * time.Second

// sayIfSlow says what is waited for if stop is not called in time. It says nothing of no service.
func sayIfSlow(w io.Writer, after time.Duration, service string) (stop func()) {
	if service == "" {
		return func() {}
	}
	t := time.AfterFunc(after, func() {
		fmt.Fprintf(w, "dapple: waiting for an answer of %s; it is given up after a minute\n", service)
	})
	return func() { t.Stop() }
}
