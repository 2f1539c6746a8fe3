// Package postgresio reads tables of PostgreSQL.
//
//	import _ "github.com/dapple-dp/dapple/io/postgresio" // postgresql://user@host/database?table=visits
//
// A name is a connection URL of PostgreSQL with the table, or a view, as the parameter table; without a schema the search
// path finds it. Other parameters are libpq's, such as sslmode. A URL with a password is refused, since names stand
// in plans, logs and lineage: PGPASSWORD, a password file or PGSERVICE hold it, as for psql.
//
// A table is read by one COPY, which is one statement and so one snapshot, in a session that writes nothing. In a pipeline
// it is one element of work. A worker that is started again reads the table again, as it is then.
//
// # Types
//
//	STRING      text, varchar, char, uuid, enums
//	INT64       smallint, integer, bigint
//	FLOAT64     real, double precision
//	NUMERIC     numeric
//	BOOL        boolean
//	DATE        date
//	DATETIME    timestamp without time zone
//	TIMESTAMP   timestamp with time zone
//	TIME        time without time zone
//
// A privacy ID is a text or a whole number. An empty text is a text, and NULL alone is NULL. Values that no column can have,
// such as infinity, become what the domain declares for them. A record of more than 16 MiB is read as one of NULLs.
//
// # Privacy
//
// The server's messages while rows are read may hold their values, as where a view casts a text: of them only the code is
// shown. The server's own log has them.
package postgresio
