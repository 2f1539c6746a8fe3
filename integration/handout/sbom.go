package main

import (
	"encoding/json"
	"net/url"
)

// The parts of CycloneDX 1.6 that a list of linked modules needs.
type (
	billOfMaterials struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version,omitempty"`
		URL      string    `json:"purl,omitempty"`
		Licenses []licence `json:"licenses"`
	}
	licence struct {
		Expression string `json:"expression"`
	}
)

// materials is the list of modules for machines, of the program of a version.
func materials(all []module, version string) ([]byte, error) {
	out := billOfMaterials{Format: "CycloneDX", Spec: "1.6", Version: 1, Components: []component{}}
	for _, m := range all {
		c := component{Type: "library", Name: m.path, Version: m.version, Licenses: []licence{{m.expression()}}}
		if m.path == own {
			c.Type, c.Version = "application", version
		}
		if m.path != goLibrary {
			c.URL = "pkg:golang/" + m.path
			if c.Version != "" {
				c.URL += "@" + url.QueryEscape(c.Version)
			}
		}
		if c.Ref = c.Name; c.URL != "" {
			c.Ref = c.URL
		}
		if m.path == own {
			out.Metadata.Component = c
			continue
		}
		out.Components = append(out.Components, c)
	}
	b, err := json.MarshalIndent(out, "", "  ")
	return append(b, '\n'), err
}
