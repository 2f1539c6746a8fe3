package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

const (
	// lineageEvent is the form of the events.
	lineageEvent = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
	// schemaFacet is the form of the list of columns.
	schemaFacet = "https://openlineage.io/spec/facets/1-1-1/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"
)

type lineageFacet map[string]any

type lineageDataset struct {
	Namespace string                  `json:"namespace"`
	Name      string                  `json:"name"`
	Facets    map[string]lineageFacet `json:"facets,omitempty"`
}

// Lineage returns the two OpenLineage events of a release, START and COMPLETE, one a line. Both have the time at which the
// run was asked for: how long it took depends on the private table. No event has a number of its rows.
func (p Privacy) Lineage() ([]byte, error) {
	if p.Began == "" {
		return nil, fmt.Errorf("report: the statement was written by an older version, which did not record when the run began; lineage needs that")
	}
	event := map[string]any{
		"eventTime": p.Began, "producer": p.producer(), "schemaURL": lineageEvent,
		"run": map[string]any{"runId": p.runID()},
		"job": map[string]any{"namespace": "dapple", "name": "synth"},
	}
	inputs := []lineageDataset{}
	if namespace, name, ok := strings.Cut(p.About["source"], " "); ok {
		inputs = append(inputs, lineageDataset{Namespace: namespace, Name: strings.TrimSpace(name)})
	}
	outputs := p.lineageOutputs()
	var b bytes.Buffer
	for _, kind := range []string{"START", "COMPLETE"} {
		event["eventType"], event["inputs"], event["outputs"] = kind, inputs, outputs
		line, err := json.Marshal(event)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}

// producer is the program, in the form that lineage asks for.
func (p Privacy) producer() string {
	return repository + "tree/" + tagOf(p.Versions.Dapple)
}

// runID is a UUID of version 8 that follows from the release.
func (p Privacy) runID() string {
	sum := sha256.Sum256([]byte("dapple run\n" + p.Hashes.Model + "\n" + p.Hashes.Rows + "\n" + p.Began))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// lineageOutputs names the table of the rows, or both.
func (p Privacy) lineageOutputs() (list []lineageDataset) {
	for _, table := range p.Tables {
		list = append(list, p.lineageOutput(tableAt(p.RowsAt, table), p.columnsOf(table)))
	}
	if len(list) == 0 {
		list = append(list, p.lineageOutput(p.RowsAt, p.Dictionary))
	}
	return list
}

// lineageOutput names a table, with its columns and the promise.
func (p Privacy) lineageOutput(at string, columns []Column) lineageDataset {
	d := lineageDataset{Namespace: "file", Name: at}
	if name, ok := strings.CutPrefix(at, "bq://"); ok {
		d.Namespace, d.Name = "bigquery", name
	} else if name, ok := strings.CutPrefix(at, "gs://"); ok {
		bucket, path, _ := strings.Cut(name, "/")
		d.Namespace, d.Name = "gs://"+bucket, path
	}
	fields := make([]map[string]string, len(columns))
	for i, c := range columns {
		fields[i] = map[string]string{"name": c.Name, "type": c.Type}
	}
	facet := func(url string, with lineageFacet) lineageFacet {
		with["_producer"], with["_schemaURL"] = p.producer(), url
		return with
	}
	d.Facets = map[string]lineageFacet{
		"schema": facet(schemaFacet, lineageFacet{"fields": fields}),
		"dapple_privacy": facet(sourceAt(p.Versions.Dapple)+"internal/report/privacyfacet.json#/$defs/DapplePrivacyDatasetFacet", lineageFacet{
			"epsilon": p.Epsilon, "delta": p.Delta, "achievedEpsilon": p.AchievedEpsilon, "neighbouring": p.Neighbouring,
			"privacyUnit": p.Unit, "relation": p.Relation, "mechanisms": p.Mechanisms(), "releases": p.Releases,
			"notCovered": p.NotCover, "notPrivate": p.NotPrivate, "otherReleases": p.Process.Other, "modelHash": p.Hashes.Model,
		}),
	}
	return d
}
