package bigqueryio

import (
	"strings"
	"time"
)

// SQL returns the query that reads the source: the needed columns, and if the table is read as of a
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
	return b.String() + s.from()
}

// countSQL returns the query of the number of rows, which reads no data and costs nothing.
func (s *Source) countSQL() string { return "SELECT COUNT(*)" + s.from() }

func (s *Source) from() string {
	from := " FROM " + quoted(s.Table.String())
	if s.Snapshot != 0 {
		from += " FOR SYSTEM_TIME AS OF TIMESTAMP '" + s.asOf().Format("2006-01-02 15:04:05.000000+00") + "'"
	}
	return from
}

func (s *Source) asOf() time.Time { return time.UnixMicro(s.Snapshot).UTC() }

// quoted encloses a name that nameFault or ParseTable has let through.
func quoted(name string) string {
	if strings.ContainsAny(name, "`\\\n\r") {
		panic("bigqueryio: a name that was not checked")
	}
	return "`" + name + "`"
}
