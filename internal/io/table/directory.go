package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// directory is a sink of files in one directory, and of the released files in another.
type directory struct {
	Target
	format *Format // nil: unknown
	dir    dirsink.Dir
}

func (d *directory) Check(ctx context.Context) error { return d.dir.Check(ctx) }

func (d *directory) Prepare(ctx context.Context) error {
	if err := d.dir.Prepare(ctx); err != nil {
		return &FieldError{Field: "Output", Err: err}
	}
	return nil
}

// release is the directory of everything but the rows.
func (d *directory) release() string {
	if d.Release != "" {
		return d.Release
	}
	beside, _ := dirsink.Beside(d.Output) // a target without one was refused
	return beside
}

func (d *directory) Hold() (release func(), err error) { return d.dir.Hold() }

func (d *directory) Create(ctx context.Context, shard, shards int) (Shard, error) {
	if d.format == nil || d.format.NewWriter == nil {
		return nil, noFormat(d.Format)
	}
	part, err := d.ofShards(shards).Create(ctx, shard)
	if err != nil {
		return nil, err
	}
	columns := d.Domain
	if d.People != nil && shard < shards/2 {
		columns = d.People
	}
	w, err := d.format.NewWriter(part, columns, d.Null)
	if err != nil {
		return nil, errors.Join(err, part.Abort())
	}
	return NewShard(part, w), nil
}

// ofShards returns the directory for so many shards: their number can depend on the released number of rows.
func (d *directory) ofShards(n int) dirsink.Dir {
	dir := d.dir
	dir.Shards = n
	return dir
}

func (d *directory) Publish(ctx context.Context, refs []FileRef, r Release) (Published, error) {
	m, err := d.ofShards(len(refs)).Publish(ctx, refs, r.Files, d.columns())
	if err != nil {
		return Published{}, err
	}
	return d.published(m), nil
}

func (d *directory) published(m *dirsink.Manifest) Published {
	p := Published{URI: d.Output, Files: len(m.Parts), Rows: m.Rows, People: m.People, Digest: m.FileSHA256()}
	for _, f := range m.Parts {
		p.Bytes += f.Bytes
	}
	return p
}

// columns describes the parts in the manifest; of two tables, people come first.
func (d *directory) columns() (columns []map[string]string) {
	add := func(of *domain.Domain, table string) {
		for i := range of.Attributes {
			c := map[string]string{"name": of.Attributes[i].Name, "type": of.Attributes[i].Type.String()}
			if d.Null != "" {
				c[nullText] = d.Null
			}
			if table != "" {
				c["table"] = table
			}
			columns = append(columns, c)
		}
	}
	if d.People == nil {
		add(d.Domain, "")
		return columns
	}
	add(d.People, dirsink.TableNames[0])
	add(d.Domain, dirsink.TableNames[1])
	return columns
}

func (d *directory) Find(ctx context.Context, _ string) (Written, bool, error) {
	o, err := dirsink.Open(ctx, d.release())
	if err != nil {
		return Written{}, false, err
	}
	return Written{Published: d.published(o.Manifest), Release: d.release()}, o.RunID == d.RunID, nil
}

func (d *directory) Abandon(ctx context.Context, released ...string) error {
	return d.dir.Abandon(ctx, released...)
}

func (d *directory) Unfinished() string {
	return "the output was being published: its manifest is there if it is complete"
}

func (d *directory) Note() string { return "" }

// lakes are directories whose files are not the table: a log beside them says which of their rows have been deleted.
var lakes = []struct{ name, log, suffix, function string }{
	{"Delta", "_delta_log", "", "delta_scan"},
	{"Iceberg", "metadata", ".metadata.json", "iceberg_scan"},
}

// checkLake refuses a directory, or files in one or below it, that is a table of Delta or Iceberg.
func checkLake(ctx context.Context, dir string) error {
	for range 2 { // the files of Iceberg are one directory below
		for _, lake := range lakes {
			names, _ := files.Names(ctx, files.Join(dir, lake.log)) // what cannot be listed is none
			if slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, lake.suffix) }) {
				return fmt.Errorf("table: %s is a table of %s, whose files hold deleted rows too; turn it into Parquet, such as by duckdb -c \"INSTALL %s; LOAD %s; COPY (FROM %s('%s')) TO 'FILE.parquet'\"",
					dir, lake.name, strings.ToLower(lake.name), strings.ToLower(lake.name), lake.function, dir)
			}
		}
		up := files.Dir(dir)
		if up == dir || up == "." || files.IsBucket(up) {
			return nil
		}
		dir = up
	}
	return nil
}
