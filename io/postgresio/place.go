package postgresio

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dapple-dp/dapple/internal/io/table"
)

func init() {
	for _, scheme := range []string{"postgresql", "postgres"} {
		table.RegisterPlace(table.Place{
			Scheme: scheme,
			Source: func(_ context.Context, name string, _ table.Options) (table.Source, error) { return parse(name) },
			Target: func(table.Target) []*table.FieldError {
				return []*table.FieldError{{Field: "Output", Err: errors.New("tables of PostgreSQL are read only"), Fix: "write files, and COPY them into a table"}}
			},
			Sink: func(table.Target) table.Sink { panic("postgres: no target is valid") },
		})
	}
}

// source is a table of a database.
type source struct {
	name  string // as it was given
	url   string // without the table
	table string
}

// parse reads the name of a table.
func parse(name string) (*source, error) {
	u, err := url.Parse(name)
	if err != nil {
		return nil, errors.New("postgres: the name is no URL; write postgresql://user@host/database?table=NAME")
	}
	if _, has := u.User.Password(); has || u.Query().Has("password") {
		return nil, errors.New("postgres: the URL has a password, which plans and logs would show; set PGPASSWORD, or write a password file, and leave it out")
	}
	query := u.Query()
	s := &source{name: name, table: query.Get("table")}
	if s.table == "" || strings.ContainsRune(s.table, 0) {
		return nil, fmt.Errorf("postgres: %s: there is no table; add ?table=NAME", name)
	}
	query.Del("table")
	u.RawQuery = query.Encode()
	s.url = u.String()
	if _, err := s.config(); err != nil {
		return nil, err
	}
	return s, nil
}

// config returns how to connect: to a session that writes nothing and prints values as domains read them.
func (s *source) config() (*pgconn.Config, error) {
	c, err := pgconn.ParseConfig(s.url)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	for name, value := range map[string]string{
		"application_name": "dapple", "default_transaction_read_only": "on", "datestyle": "ISO, YMD", "timezone": "UTC",
		"extra_float_digits": "1", "client_encoding": "UTF8",
	} {
		c.RuntimeParams[name] = value
	}
	return c, nil
}

func (s *source) connect(ctx context.Context) (*pgconn.PgConn, error) {
	c, err := s.config()
	if err != nil {
		return nil, err
	}
	conn, err := pgconn.ConnectConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err) // which names host, user and database
	}
	return conn, nil
}
