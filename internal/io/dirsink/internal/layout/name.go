package layout

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// TableNames are the directories of the tables of an output that has two, in the order of their parts: one row for each
// person, and the rows of all people.
var TableNames = []string{"people", "events"}

// IsPart reports whether a run of dapple can have written a file of this name among its rows.
func IsPart(name string) bool {
	dir, base := path.Split(name)
	return strings.HasPrefix(base, "part-") && (dir == "" || isTable(strings.TrimSuffix(dir, "/")))
}

func isTable(name string) bool { return slices.Contains(TableNames, name) }

// ofPeople reports whether a part is of the table of people.
func ofPeople(part string) bool { return strings.HasPrefix(part, TableNames[0]+"/") }

// OfPeople returns how many of the first parts are of the table of people.
func (m *Manifest) OfPeople() (n int) {
	for _, f := range m.Parts {
		if ofPeople(f.Name) {
			n++
		}
	}
	return n
}

// PartName is the name of the part of a shard.
func (d Dir) PartName(shard int) string {
	dir, shards := "", d.Shards
	if d.Tables {
		shards /= len(TableNames)
		dir, shard = TableNames[shard/shards]+"/", shard%shards
	}
	return dir + fmt.Sprintf("part-%05d-of-%05d.%s", shard, shards, d.Extension)
}

// OwnPart reports whether name is the name of one of this run's parts.
func (d Dir) OwnPart(name string) bool {
	dir, base := path.Split(name)
	var i, n int
	_, err := fmt.Sscanf(base, "part-%d-of-%d.", &i, &n)
	if d.Tables && err == nil {
		i += n * slices.Index(TableNames, strings.TrimSuffix(dir, "/"))
	}
	return err == nil && i >= 0 && i < d.Shards && name == d.PartName(i)
}

// Rows lists what is in the directory of the rows; what is in one of a table has that before its name. There is nothing
// in one that is absent.
func (d Dir) Rows() (names []string, err error) {
	if d.Path == "" {
		return nil, nil
	}
	here, err := d.List(d.Path)
	for _, name := range here {
		if isProbe(name) { // of a run that was killed
			continue
		}
		if !isTable(name) {
			names = append(names, name)
			continue
		}
		below, listErr := d.List(d.At(name))
		if listErr != nil {
			return nil, listErr
		}
		for _, part := range below {
			names = append(names, name+"/"+part)
		}
	}
	return names, err
}

// Dirs returns the directories that there are, the rows' directory first.
func (d Dir) Dirs() (list []string) {
	if d.Path != "" {
		list = append(list, d.Path)
		for _, name := range TableNames {
			if d.Tables {
				list = append(list, d.At(name))
			}
		}
	}
	return append(list, d.ReleaseDir())
}
