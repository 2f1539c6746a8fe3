package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// RowFile is a file of rows.
type RowFile struct {
	Name, SHA256 string
}

// croissantContext is the context of Croissant 1.0, as its specification prints it.
var croissantContext = map[string]any{
	"@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column", "conformsTo": "dct:conformsTo",
	"cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/", "data": map[string]string{"@id": "cr:data", "@type": "@json"},
	"dataType": map[string]string{"@id": "cr:dataType", "@type": "@vocab"}, "dct": "http://purl.org/dc/terms/",
	"equivalentProperty": "cr:equivalentProperty", "examples": map[string]string{"@id": "cr:examples", "@type": "@json"},
	"extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject", "fileSet": "cr:fileSet",
	"format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5",
	"parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex",
	"repeated": "cr:repeated", "replace": "cr:replace", "samplingRate": "cr:samplingRate", "sc": "https://schema.org/", "separator": "cr:separator",
	"source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
}

// croissantTypes are the types of columns in Croissant's words.
var croissantTypes = map[string]string{
	"STRING": "sc:Text", "INT64": "cr:Int64", "FLOAT64": "cr:Float64", "NUMERIC": "sc:Float", "BOOL": "sc:Boolean",
	"DATE": "sc:Date", "DATETIME": "sc:DateTime", "TIMESTAMP": "sc:DateTime", "TIME": "sc:Time",
}

type node map[string]any

// Croissant returns the description of the rows in Croissant's form, with the terms of its vocabulary for responsible use.
// Files have the names that they have seen from the directory that holds the rows' own.
func (p Privacy) Croissant(files []RowFile) ([]byte, error) {
	format := map[string]string{"csv": "text/csv", "parquet": "application/x-parquet"}[p.RowsFormat]
	var distribution []node
	for _, f := range files {
		distribution = append(distribution, node{
			"@type": "cr:FileObject", "@id": f.Name, "name": f.Name, "contentUrl": p.RowsAt + "/" + f.Name, "encodingFormat": format, "sha256": f.SHA256,
		})
	}
	var sets []node
	set := func(files []RowFile, set, name, below string, of []Column) {
		if len(files) == 0 {
			return
		}
		at := node{"fileObject": node{"@id": files[0].Name}}
		if len(files) > 1 {
			distribution = append(distribution, node{
				"@type": "cr:FileSet", "@id": set, "name": set, "encodingFormat": format, "includes": p.RowsAt + below + "/part-*." + p.RowsFormat,
			})
			at = node{"fileSet": node{"@id": set}}
		}
		sets = append(sets, node{"@type": "cr:RecordSet", "@id": name, "name": name, "field": croissantFields(of, name, at)})
	}
	if len(p.Tables) == 0 {
		set(files, "rows", "records", "", p.Dictionary)
	}
	for _, table := range p.Tables {
		var own []RowFile
		for _, f := range files {
			if strings.HasPrefix(f.Name, table+"/") {
				own = append(own, f)
			}
		}
		set(own, "files of "+table, table, "/"+table, p.columnsOf(table))
	}
	d := node{
		"@context": croissantContext, "@type": "sc:Dataset", "conformsTo": []string{"http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"},
		"name": cmp.Or(p.About["name"], p.RowsAt, "synthetic rows"), "description": cmp.Or(p.About["description"], p.summary()),
		"version": "1.0.0", "datePublished": p.published(), "distribution": distribution, "recordSet": sets, "isLiveDataset": false,
		"rai:hasSyntheticData":             true,
		"rai:personalSensitiveInformation": fmt.Sprintf("No row is somebody's record. Made from a private table with differential privacy: %s. %s", p.Guarantee(), p.Meaning.Anonymity),
		"rai:dataLimitations":              append([]string{errorSentence(p.Error)}, p.NotCover...),
		"rai:dataBiases":                   "Small groups are known worst: `" + p.Marginals.File + "` has the standard error of every share, and the report lists the worst groups.",
		"rai:dataUseCases":                 cmp.Or(p.About["use"], "not stated"),
		"rai:dataManipulationProtocol":     strings.Join(p.Process.After, "; "),
	}
	if v := p.About["licence"]; v != "" {
		d["license"] = v
	}
	if v := p.About["curator"]; v != "" {
		d["creator"] = node{"@type": "sc:Organization", "name": v}
	}
	b, err := json.MarshalIndent(d, "", " ")
	return append(b, '\n'), err
}

// columnsOf returns the columns of one of two tables.
func (p Privacy) columnsOf(table string) (list []Column) {
	for _, c := range p.Dictionary {
		if c.Table == table || c.Table == "" {
			list = append(list, c)
		}
	}
	return list
}

func croissantFields(columns []Column, set string, at node) (list []node) {
	for _, c := range columns {
		from := node{"extract": node{"column": c.Name}}
		maps.Copy(from, at)
		list = append(list, node{
			"@type": "cr:Field", "@id": set + "/" + c.Name, "name": c.Name, "description": c.inWords(), "dataType": croissantTypes[c.Type], "source": from,
		})
	}
	return list
}

// inWords says in a line what a column holds.
func (c Column) inWords() string {
	text := c.Type
	switch {
	case c.Made != "":
		text += ", " + c.Made
	case len(c.Values) > 0:
		text += fmt.Sprintf(", one of %d values", len(c.Values))
	case len(c.Cuts) > 0:
		text += fmt.Sprintf(" from %s to %s", c.Cuts[0], c.Cuts[len(c.Cuts)-1])
	}
	if c.Null {
		text += ", or NULL"
	}
	return text
}
