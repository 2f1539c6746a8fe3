package dirsink

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

func (d Dir) partName(shard int) string {
	dir, shards := "", d.Shards
	if d.Tables {
		shards /= len(TableNames)
		dir, shard = TableNames[shard/shards]+"/", shard%shards
	}
	return dir + fmt.Sprintf("part-%05d-of-%05d.%s", shard, shards, d.Extension)
}

// ownPart reports whether name is the name of one of this run's parts.
func (d Dir) ownPart(name string) bool {
	dir, base := path.Split(name)
	var i, n int
	_, err := fmt.Sscanf(base, "part-%d-of-%d.", &i, &n)
	if d.Tables && err == nil {
		i += n * slices.Index(TableNames, strings.TrimSuffix(dir, "/"))
	}
	return err == nil && i >= 0 && i < d.Shards && name == d.partName(i)
}

// rows lists what is in the directory of the rows; what is in one of a table has that before its name. There is nothing
// in one that is absent.
func (d Dir) rows() (names []string, err error) {
	if d.Path == "" {
		return nil, nil
	}
	here, err := d.list(d.Path)
	for _, name := range here {
		if isProbe(name) { // of a run that was killed
			continue
		}
		if !isTable(name) {
			names = append(names, name)
			continue
		}
		below, listErr := d.list(d.at(name))
		if listErr != nil {
			return nil, listErr
		}
		for _, part := range below {
			names = append(names, name+"/"+part)
		}
	}
	return names, err
}

// dirs returns the directories that there are, the rows' directory first.
func (d Dir) dirs() (list []string) {
	if d.Path != "" {
		list = append(list, d.Path)
		for _, name := range TableNames {
			if d.Tables {
				list = append(list, d.at(name))
			}
		}
	}
	return append(list, d.release())
}
