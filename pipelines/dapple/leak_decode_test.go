package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The bytes of a Parquet file are compressed, and the bytes of an Arrow file are numbers: a search sees neither.
// decoded returns everything that a reader of such a file can get at, in text and in the clear: footer,
// statistics, dictionaries and pages; schema and records. Of other files it returns nothing.
func decoded(t *testing.T, path string) []byte {
	t.Helper()
	switch filepath.Ext(path) {
	case ".parquet":
		return parquetInTheClear(t, path)
	case ".arrow":
		return arrowInTheClear(t, path)
	}
	return nil
}

func parquetInTheClear(t *testing.T, path string) []byte {
	t.Helper()
	var out bytes.Buffer
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Errorf("%s: %v", filepath.Base(path), err)
		return nil
	}
	defer r.Close()
	fmt.Fprintln(&out, r.MetaData().Schema, r.MetaData().KeyValueMetadata(), r.MetaData().GetCreatedBy())
	for g := range r.NumRowGroups() {
		for c := range r.MetaData().Schema.NumColumns() {
			group := r.RowGroup(g)
			chunk, err := group.MetaData().ColumnChunk(c)
			if err != nil {
				t.Error(err)
				continue
			}
			if s, err := chunk.Statistics(); err == nil && s != nil {
				out.Write(s.EncodeMin())
				out.Write(s.EncodeMax())
			}
			pages, err := group.GetColumnPageReader(c)
			if err != nil {
				t.Error(err)
				continue
			}
			for pages.Next() {
				out.Write(pages.Page().Data())
			}
			must.Pass(t, pages.Err())
		}
	}
	return out.Bytes()
}

func arrowInTheClear(t *testing.T, path string) []byte {
	t.Helper()
	var out bytes.Buffer
	f, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Errorf("%s: %v", filepath.Base(path), err)
		return nil
	}
	defer r.Close()
	fmt.Fprintln(&out, r.Schema())
	for i := range r.NumRecords() {
		record, err := r.RecordBatch(i)
		if err != nil {
			t.Error(err)
			continue
		}
		fmt.Fprintln(&out, record)
	}
	return out.Bytes()
}

// TestDecodedSeesPages: the canaries of a compressed table are invisible in its bytes and seen by decoded.
func TestDecodedSeesPages(t *testing.T) {
	dir := tableOf(t, peopleHeader+canaryRecords())
	peopleParquet(t, dir)
	path := filepath.Join(dir, "people.parquet")
	found := map[string]bool{}
	for _, name := range shown(decoded(t, path)) {
		found[name] = true
	}
	for _, want := range []string{canaryText, canaryID, "the whole number"} {
		must.Hold(t, found[want], "%s is in the table and not seen: %v", want, found)
	}
}

// TestDecodedSeesModels: what is put into the schema of a model, or its records, is seen.
func TestDecodedSeesModels(t *testing.T) {
	dir := people(t, 100)
	dapple(t, dir, synth("--quiet")...).want(t, 0)
	model := decoded(t, filepath.Join(dir, "out.release", "_model.arrow"))
	for _, want := range []string{"Female", "weight"} {
		must.Hold(t, bytes.Contains(model, []byte(want)), "the text of a model lacks %q: the search is blind", want)
	}
}
