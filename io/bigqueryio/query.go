package bigqueryio

import (
	"strings"
	"time"
)

// SQL returns the query that reads the source: the needed columns, and where the table is read as of a
// time, that time.
func (s *Source) SQL() string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range s.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(c.Name))
	}
	b.WriteString(" FROM " + quoted(s.Table.String()))
	if s.Snapshot != 0 {
		b.WriteString(" FOR SYSTEM_TIME AS OF TIMESTAMP '" + s.asOf().Format("2006-01-02 15:04:05.000000+00") + "'")
	}
	return b.String()
}

func (s *Source) asOf() time.Time { return time.UnixMicro(s.Snapshot).UTC() }

// quoted encloses a name that nameFault or ParseTable has let through.
func quoted(name string) string {
	if strings.ContainsAny(name, "`\\\n\r") {
		panic("bigqueryio: a name that was not checked")
	}
	return "`" + name + "`"
}
