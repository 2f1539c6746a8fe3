package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// registryNeeds are the keys of About that a registry's record cannot do without.
var registryNeeds = []string{"name", "curator", "curator_type", "use", "region", "authors"}

// RegistryLacks returns which of them are not there.
func RegistryLacks(about map[string]string) (list []string) {
	for _, key := range registryNeeds {
		if about[key] == "" {
			list = append(list, key)
		}
	}
	return list
}

// record is an entry of OpenDP's registry of deployments (opendp/deployments-registry-data), as a draft.
type record struct {
	Slug       string `yaml:"url_slug"`
	Deployment struct {
		Basic struct {
			Name     string            `yaml:"name"`
			Curators []registryCurator `yaml:"data_curators"`
			About    string            `yaml:"description"`
			Use      string            `yaml:"intended_use"`
			Type     string            `yaml:"data_product_type"`
			Region   string            `yaml:"data_product_region"`
			Sector   string            `yaml:"data_product_sector,omitempty"`
			Date     string            `yaml:"publication_date"`
		} `yaml:"basic"`
		Variant struct {
			Name        string `yaml:"variant_name"`
			Domain      string `yaml:"data_domain"`
			Unprotected string `yaml:"unprotected_quantities"`
		} `yaml:"dp_variant"`
		Loss struct {
			Unit       string             `yaml:"privacy_unit"`
			Details    string             `yaml:"privacy_unit_details"`
			Units      int64              `yaml:"number_of_privacy_units"`
			Parameters map[string]float64 `yaml:"privacy_parameters"`
			More       string             `yaml:"privacy_parameters_details"`
		} `yaml:"privacy_loss"`
		Model struct {
			Name     string `yaml:"model_name"`
			Trust    string `yaml:"trust_assumptions"`
			Release  string `yaml:"release_type"`
			Releases string `yaml:"release_type_details"`
			Source   string `yaml:"data_source_type"`
			Access   string `yaml:"access_type"`
		} `yaml:"deployment_model"`
		Implementation struct {
			Before        string `yaml:"preprocessing_and_hyperparameter_tuning"`
			Mechanisms    string `yaml:"mechanisms"`
			Composition   string `yaml:"composition"`
			After         string `yaml:"post_processing"`
			Justification string `yaml:"justification,omitempty"`
			Utility       string `yaml:"utility"`
			More          string `yaml:"additional_information"`
		} `yaml:"implementation"`
		Administrative struct {
			Status  string   `yaml:"status"`
			Authors []string `yaml:"registry_authors"`
			Tier    int      `yaml:"tier"`
		} `yaml:"administrative"`
	} `yaml:"deployment"`
}

type registryCurator struct {
	Name string `yaml:"data_curator_name"`
	Type string `yaml:"data_curator_type"`
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Registry returns the record of a release for OpenDP's registry of deployments, of status Draft. What RegistryLacks names
// has to be there.
func (p Privacy) Registry() ([]byte, error) {
	if lacks := RegistryLacks(p.About); len(lacks) > 0 {
		return nil, fmt.Errorf("report: a registry's record needs %s of the curator", strings.Join(lacks, ", "))
	}
	var r record
	d := &r.Deployment
	r.Slug = strings.Trim(notSlug.ReplaceAllString(strings.ToLower(p.About["name"]+" "+p.About["curator"]), "-"), "-")
	d.Basic.Name, d.Basic.About = p.About["name"], cmp.Or(p.About["description"], p.summary())
	d.Basic.Curators = []registryCurator{{p.About["curator"], p.About["curator_type"]}}
	d.Basic.Use, d.Basic.Region, d.Basic.Sector = p.About["use"], p.About["region"], p.About["sector"]
	d.Basic.Type, d.Basic.Date = "Synthetic data", p.published()

	d.Variant.Name = "Approximate DP"
	if p.Delta == 0 {
		d.Variant.Name = "Pure DP"
	}
	d.Variant.Domain = fmt.Sprintf("Tables of the columns %s, with the cells that `_privacy.json` lists.", p.columnNames())
	d.Variant.Unprotected = "None."
	if p.replaces() {
		d.Variant.Unprotected = "The number of privacy units is public."
	}
	if len(p.NotPrivate) > 0 {
		d.Variant.Unprotected = bullets(p.NotPrivate)
	}
	d.Loss.Unit, d.Loss.Details = p.Unit, fmt.Sprintf("Neighbours are %s. %s.", p.Relation, capital(p.Bounding))
	d.Loss.Units = int64(math.Round(max(0, p.Units.Count)))
	d.Loss.Parameters = map[string]float64{"epsilon": p.Epsilon, "delta": p.Delta}
	d.Loss.More = fmt.Sprintf("%s accounting; the charges reach ε = %g by %s. A belief of 50 %% becomes %.3g %% at most%s. The number of units is %s.",
		p.Accounting, p.AchievedEpsilon, p.Conversion, 100*p.Meaning.BeliefAtMost, p.butFor(), map[bool]string{true: "public", false: "a noisy release"}[p.Units.From == "public"])
	d.Model.Name, d.Model.Release, d.Model.Source, d.Model.Access = "Central", "One release", "Static", "Non-interactive"
	d.Model.Trust = "Trusted:\n" + bullets(p.Process.Trusted)
	d.Model.Releases = p.Process.Other
	d.Implementation.Before = p.Process.Tuning
	d.Implementation.Mechanisms = bullets(append(append([]string{}, p.Mechanisms()...),
		fmt.Sprintf("method %s of dapple %s, %s", p.Method, p.Versions.Dapple, repository),
		"no floating-point number decides a draw; timing and memory are not covered",
		"random bits: "+p.Generator, "raw data: "+cmp.Or(p.About["security"], "not stated")))
	d.Implementation.Composition = fmt.Sprintf("%d releases, adaptive composition under %s; `_privacy.json` has every charge as an exact fraction.", p.Releases, p.Accounting)
	d.Implementation.After = bullets(p.Process.After)
	d.Implementation.Justification = p.About["justification"]
	d.Implementation.Utility = errorSentence(p.Error)
	d.Implementation.More = bullets(append(append([]string{}, p.Process.Validated...), p.Meaning.Anonymity))
	d.Administrative.Status, d.Administrative.Tier = "Draft", 2
	if p.About["justification"] != "" && p.About["security"] != "" {
		d.Administrative.Tier = 3
	}
	for a := range strings.SplitSeq(p.About["authors"], ";") {
		d.Administrative.Authors = append(d.Administrative.Authors, strings.TrimSpace(a))
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), e.Close()
}

// summary describes a release for which the curator has no words.
func (p Privacy) summary() string {
	return fmt.Sprintf("Synthetic rows of %d columns: %s.", len(p.Dictionary), p.columnNames())
}

func (p Privacy) columnNames() string {
	names := lists.Of(p.Dictionary, func(c Column) string { return c.Name })
	return strings.Join(names, ", ")
}

// published is the day of publication.
func (p Privacy) published() string {
	date, _, _ := strings.Cut(p.Began, "T")
	return cmp.Or(p.About["published"], date)
}

func bullets(list []string) string { return "- " + strings.Join(list, "\n- ") }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// butFor is what a bound on beliefs does not hold for; empty if δ is 0.
func (p Privacy) butFor() string {
	if p.Delta == 0 {
		return ""
	}
	return fmt.Sprintf(", but for a chance of about %g", p.Delta)
}
