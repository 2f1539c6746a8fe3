// Package tables connects the stage to the places where tables are. Its public package shows how it is used.
package tables
