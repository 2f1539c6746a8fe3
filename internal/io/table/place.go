package table

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Options are the settings of places, by scheme, as JSON. The zero value is right for most.
type Options map[string]json.RawMessage

// Set sets the settings of a place, which are plain data of a type that its package declares.
func (o *Options) Set(scheme string, settings any) {
	all := Options{scheme: wire.JSON(settings)}
	for other, settings := range *o { // copies of o are not changed
		if other != scheme {
			all[other] = settings
		}
	}
	*o = all
}

// Get reads the settings of a place; without any, it leaves settings unchanged.
func (o Options) Get(scheme string, settings any) error {
	if len(o[scheme]) == 0 {
		return nil
	}
	if err := json.Unmarshal(o[scheme], settings); err != nil {
		return fmt.Errorf("table: settings for %s://: %w", scheme, err)
	}
	return nil
}

// Place is a service that holds tables, whose names begin with its scheme.
type Place struct {
	Scheme string // such as "bq"
	// Source finds a table by its name, scheme included, and does not open it.
	Source func(ctx context.Context, name string, o Options) (Source, error)
	// Target returns the faults in a target: its name, and the way to write.
	Target func(t Target) []*FieldError
	// Sink returns the sink of a valid target, and sends no request to the service.
	Sink func(t Target) Sink
}

var places = map[string]Place{}

// RegisterPlace assigns names that begin with p.Scheme:// to p. Packages call it from an init function. It panics if
// the scheme is taken.
func RegisterPlace(p Place) {
	if _, taken := places[p.Scheme]; taken || p.Scheme == "" || p.Source == nil || p.Target == nil || p.Sink == nil {
		panic("table: a place needs a scheme that is free, a source and a sink")
	}
	places[p.Scheme] = p
}

// known refuses a name that begins with the scheme of neither files nor a place.
func known(name string) error {
	if files.Scheme(name) == "" || files.SystemOf(name) != nil {
		return nil
	}
	err := files.CheckName(name)
	for _, scheme := range slices.Sorted(maps.Keys(places)) {
		err = fmt.Errorf("%w, or a table of %s://", err, scheme)
	}
	return err
}

// PlaceOf returns the place of a table's name; false for names of files and directories.
func PlaceOf(name string) (Place, bool) {
	scheme, _, _ := strings.Cut(name, "://")
	p, ok := places[scheme]
	return p, ok && strings.HasPrefix(name, scheme+"://")
}
