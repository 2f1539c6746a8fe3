package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"

	"github.com/dapple-dp/dapple/io/bigqueryio"
	"github.com/dapple-dp/dapple/io/table"
)

// services says how services are reached. BIGQUERY_EMULATOR_HOST names an emulator, as it does for other
// tools; Cloud Storage's client looks for STORAGE_EMULATOR_HOST itself.
func services() table.Options {
	host := os.Getenv("BIGQUERY_EMULATOR_HOST")
	if host == "" {
		return table.Options{}
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	return table.Options{
		BigQuery: bigqueryio.Client{Endpoint: host, Anonymous: true},
		Read:     bigqueryio.ReadOptions{Pin: bigqueryio.AsRead}, // emulators know no earlier states
	}
}

// beamText is a text flag of Beam's, which not every runner defines; help lists it no more than Beam's others.
func beamText(name, arg string, set func(string) error) option {
	return option{name: name, arg: arg, set: func(s string) error {
		if f := flag.Lookup(name); f != nil {
			if err := f.Value.Set(s); err != nil {
				return err
			}
		}
		return set(s)
	}}
}

// readingServices are the flags of commands that read tables of BigQuery. Help has no line to spare for
// --storage_read, which reads by the Storage Read API: faster, and billed apart.
func readingServices(o *table.Options) []option {
	*o = services()
	return []option{
		beamText("project", "PROJECT", text(&o.BigQuery.Project)),
		{name: "storage_read", set: func(s string) error {
			on := false
			if err := toggle(&on)(s); err != nil {
				return err
			}
			if o.Read.Via = bigqueryio.ViaQuery; on {
				o.Read.Via = bigqueryio.ViaStorage
			}
			return nil
		}},
	}
}

// writingTables are the flags of commands that write tables of BigQuery.
func writingTables(write *string, labels *map[string]string) []option {
	return []option{
		{name: "write", arg: "MODE", usage: "to bq://: empty (default), truncate or append", set: oneOf(write, "empty", "truncate", "append")},
		beamText("labels", "JSON", func(s string) error {
			if json.Unmarshal([]byte(s), labels) != nil {
				return errors.New(`want JSON such as {"team": "data"}`)
			}
			return nil
		}),
	}
}
