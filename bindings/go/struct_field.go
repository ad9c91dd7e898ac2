package simpleagents

import (
	"reflect"
	"slices"
	"strings"
)

// taggedField is a field of a struct as encoding/json sees it.
type taggedField struct {
	reflect.StructField
	name string
	// isTagged: the name comes from a tag.
	isTagged   bool
	isOptional bool
	// isQuoted: a number or boolean is written as a string.
	isQuoted bool
	// depth counts the embedded structs around it.
	depth int
}

// fieldsOf returns the fields in their order. Of several with the same name, the least embedded one counts, then one
// with a tag; if that leaves several, none counts.
func fieldsOf(model reflect.Type) []taggedField {
	found := collectFields(model, 0, nil)
	var visible []taggedField
	for position, field := range found {
		others := slices.Concat(found[:position], found[position+1:])
		if !slices.ContainsFunc(others, func(other taggedField) bool { return hides(other, field) }) {
			visible = append(visible, field)
		}
	}
	return visible
}

// hides reports whether another field has the same name and wins, or neither does.
func hides(other, field taggedField) bool {
	if other.name != field.name || other.depth != field.depth {
		return other.name == field.name && other.depth < field.depth
	}
	return other.isTagged || !field.isTagged
}

// collectFields follows embedded structs. `around` are those that are being read, because one may contain itself.
func collectFields(model reflect.Type, depth int, around []reflect.Type) []taggedField {
	var found []taggedField
	for index := range model.NumField() {
		field := model.Field(index)
		tag, hasTag := field.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if hasTag && tag == "-" {
			continue
		}
		if inner := embeddedStruct(field); inner != nil && name == "" {
			if !slices.Contains(around, inner) {
				found = append(found, collectFields(inner, depth+1, append(slices.Clone(around), model))...)
			}
			continue
		}
		if field.IsExported() {
			found = append(found, toTaggedField(field, name, options, depth))
		}
	}
	return found
}

func toTaggedField(field reflect.StructField, name, options string, depth int) taggedField {
	has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
	tagged := taggedField{StructField: field, name: name, isTagged: name != "", depth: depth}
	if name == "" {
		tagged.name = field.Name
	}
	tagged.isOptional = has("omitempty") || has("omitzero")
	tagged.isQuoted = has("string") && isScalar(field.Type.Kind())
	return tagged
}

// embeddedStruct is the struct that a field embeds, also by a pointer; nil if it embeds none.
func embeddedStruct(field reflect.StructField) reflect.Type {
	inner := field.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	if !field.Anonymous || inner.Kind() != reflect.Struct {
		return nil
	}
	return inner
}

func isScalar(kind reflect.Kind) bool {
	return kind == reflect.Bool || kind == reflect.String || kind >= reflect.Int && kind <= reflect.Float64
}
