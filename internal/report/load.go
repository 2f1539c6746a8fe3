package report

import (
	"path"
	"strconv"
	"strings"
)

// snippet is how a tool reads the rows.
type snippet struct{ Tool, Code string }

// load says how to read the rows.
func (p Page) load() []snippet {
	at, tables := p.Privacy.RowsAt, p.Privacy.Tables
	if len(tables) == 0 {
		return p.loadTable(at, "rows", "synthetic")
	}
	people, list := p.loadTable(tableAt(at, tables[0]), "people", "people"), p.loadTable(tableAt(at, tables[1]), "rows", "events")
	for i, rows := range list {
		code := rows.Code
		if head, rest, ok := strings.Cut(code, "\n"); ok && strings.HasPrefix(head, "import ") {
			code = rest
		}
		list[i].Code = people[i].Code + "\n" + code
	}
	id := `"` + strings.ReplaceAll(p.Privacy.PrivacyID, `"`, `""`) + `"`
	if list[0].Tool == "BigQuery" {
		id = "`" + p.Privacy.PrivacyID + "`"
	}
	list[0].Code = strings.TrimSuffix(list[0].Code[len(people[0].Code)+1:], ";") + " JOIN " + strings.TrimPrefix(people[0].Code, "SELECT * FROM ")
	list[0].Code = strings.TrimSuffix(list[0].Code, ";") + " USING (" + id + ");"
	return list
}

// tableAt is where one of two tables is.
func tableAt(at, table string) string {
	if strings.HasPrefix(at, "bq://") {
		return at + "_" + table
	}
	return at + "/" + table
}

// loadTable says how to read one table into a variable, or one of BigQuery.
func (p Page) loadTable(at, variable, table string) []snippet {
	if name, ok := strings.CutPrefix(at, "bq://"); ok {
		parts := strings.SplitN(name, ".", 2)
		return []snippet{
			{"BigQuery", "SELECT * FROM `" + name + "`"},
			{"pandas", "import pandas_gbq\n" + variable + " = pandas_gbq.read_gbq(" + strconv.Quote("SELECT * FROM `"+name+"`") + ", project_id=" + strconv.Quote(parts[0]) + ")"},
			{"Polars", "import polars as pl\nfrom google.cloud import bigquery\n" + variable + " = pl.from_arrow(bigquery.Client().list_rows(" + strconv.Quote(name) + ").to_arrow())"},
			{"Spark", variable + " = spark.read.format(\"bigquery\").load(" + strconv.Quote(name) + ")"},
			{"DuckDB", "INSTALL bigquery FROM community; LOAD bigquery;\nSELECT * FROM bigquery_scan('" + strings.ReplaceAll(name, "'", "''") + "');"},
		}
	}
	if at == "" {
		return nil
	}
	format := "parquet"
	if p.Privacy.RowsFormat == "csv" {
		format = "csv"
	}
	dir := strconv.Quote(at)
	files := at + "/*." + format
	sql := "'" + strings.ReplaceAll(files, "'", "''") + "'"
	pandas := "import pandas as pd\n" + variable + " = pd.read_parquet(" + dir + ")"
	spark := variable + " = spark.read.parquet(" + dir + ")"
	if format == "csv" {
		pandas = "import glob, pandas as pd\n" + variable + " = pd.concat(map(pd.read_csv, sorted(glob.glob(" + strconv.Quote(files) + "))))"
		spark = variable + " = spark.read.csv(" + dir + ", header=True, inferSchema=True)"
	}
	return []snippet{
		{"DuckDB", "SELECT * FROM read_" + format + "(" + sql + ");"},
		{"pandas", pandas},
		{"Polars", "import polars as pl\n" + variable + " = pl.read_" + format + "(" + strconv.Quote(files) + ")"},
		{"Spark", spark},
		{"BigQuery", bigQuery(at, format, table)},
	}
}

// bigQuery loads a directory into a table.
func bigQuery(at, format, table string) string {
	upper := strings.ToUpper(format)
	skip := ""
	if format == "csv" {
		skip = ", skip_leading_rows = 1"
	}
	if strings.HasPrefix(at, "gs://") {
		return "LOAD DATA INTO my_dataset." + table + "\nFROM FILES (format = '" + upper + "'" + skip + ", uris = ['" + strings.ReplaceAll(at+"/*."+format, "'", "\\'") + "']);"
	}
	flag := ""
	if format == "csv" {
		flag = " --skip_leading_rows=1 --autodetect"
	}
	return "gcloud storage cp " + shell(at+"/") + "*." + format + " gs://my-bucket/" + shell(path.Base(at)) + "/\n" +
		"bq load --source_format=" + upper + flag + " my_dataset." + table + " " + shell("gs://my-bucket/"+path.Base(at)+"/*."+format)
}

// shell quotes a word for a shell if it has to be.
func shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:@", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
