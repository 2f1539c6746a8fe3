package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/io/schema"
)

// The setters below turn a flag's text into a field.

func text(p *string) func(string) error {
	return func(s string) error {
		if s == "" {
			return fmt.Errorf("want a value that is not empty")
		}
		*p = s
		return nil
	}
}

// list reads names between commas.
func list(p *[]string) func(string) error {
	return func(s string) error {
		*p = strings.Split(s, ",")
		if slices.Contains(*p, "") {
			return fmt.Errorf("want names between commas")
		}
		return nil
	}
}

func oneOf(p *string, allowed ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(allowed, s) {
			return fmt.Errorf("want %s", strings.Join(allowed, " or "))
		}
		*p = s
		return nil
	}
}

// unit sets the column that names the people, empty if every record is another person.
func unit(p *string) func(string) error {
	return func(s string) error {
		if s == schema.NoPrivacyID {
			*p = ""
			return nil
		}
		return text(p)(s)
	}
}

func toggle(p *bool) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("want true or false")
		}
		*p = v
		return nil
	}
}

// whole reads a whole number of at least 1, allowing 1e6 and 1_000_000.
func whole[T int | int64](p *T, most T) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
		if f, ferr := strconv.ParseFloat(s, 64); err != nil && ferr == nil && f == math.Trunc(f) && math.Abs(f) < 1e15 {
			v, err = int64(f), nil
		}
		if err != nil || v < 1 || v > int64(most) {
			return fmt.Errorf("want a whole number from 1 to %d", most)
		}
		*p = T(v)
		return nil
	}
}

func seed(p *uint64, has *bool) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return fmt.Errorf("want a whole number from 0 to 18446744073709551615")
		}
		*p, *has = v, true
		return nil
	}
}

func epsilon(p *dp.Epsilon) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || dp.Epsilon(v).Validate() != nil {
			point := strings.Replace(s, ",", ".", 1)
			if _, err := strconv.ParseFloat(point, 64); err == nil && point != s {
				return fmt.Errorf("want a finite number above 0 with a decimal point; write %s", point)
			}
			return fmt.Errorf("want a finite number above 0; 1 is a common choice, smaller is more private")
		}
		*p = dp.Epsilon(v)
		return nil
	}
}

// errorShare reads 0 as none, where a parameter of 0 is the default.
func errorShare(p *float64) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v != 0 && !(v >= .0001 && v <= .5) {
			return fmt.Errorf("want 0.0001 to 0.5, a part of the budget, or 0")
		}
		if *p = v; v == 0 {
			*p = -1
		}
		return nil
	}
}

func delta(p *dp.Delta) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || dp.Delta(v).Validate() != nil {
			return fmt.Errorf("want a number of at least 0 and below 1; choose one far below 1/(number of people), or 0 for pure privacy")
		}
		*p = dp.Delta(v)
		return nil
	}
}

func fraction(p *float64) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v > 0 && v < 1) {
			return fmt.Errorf("want a number between 0 and 1, such as 0.02")
		}
		*p = v
		return nil
	}
}

func relation(p *dp.Neighbouring) func(string) error {
	return func(s string) error {
		v, err := dp.ParseNeighbouring(s)
		if err != nil {
			return fmt.Errorf("want add_remove or replace")
		}
		*p = v
		return nil
	}
}

func port(p *int) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return errors.New("want a number from 0 to 65535")
		}
		*p = int(v)
		return nil
	}
}

// choice turns a word into whether it is the second of two.
func choice(second *bool, first, other string) func(string) error {
	return func(s string) error {
		form := ""
		err := oneOf(&form, first, other)(s)
		*second = form == other
		return err
	}
}
