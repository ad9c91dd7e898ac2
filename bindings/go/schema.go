package simpleagents

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// SchemaOf derives the JSON Schema of a type by the rules of encoding/json: names and options of `json` tags, embedded
// structs, pointers that may be null. A field is required unless it has omitempty or omitzero. Two tags add to it:
//
//	Age  int    `json:"age" description:"in years"`
//	Mood string `json:"mood" enum:"calm,angry"`
//
// A type with a method JSONSchema() json.RawMessage describes itself. Types that JSON cannot express are an error.
func SchemaOf[T any]() (json.RawMessage, error) {
	schemas := schemaBuilder{names: map[reflect.Type]string{}, isOpen: map[reflect.Type]bool{}}
	root, err := schemas.schemaOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	if len(schemas.definitions) > 0 {
		root = append(slices.Clone(root), member{"$defs", schemas.definitions})
	}
	return json.Marshal(root)
}

// schemaFor is the given schema, or that of the type. It is nil if every value is allowed.
func schemaFor[T any](given json.RawMessage) (json.RawMessage, error) {
	if given != nil {
		return given, nil
	}
	schema, err := SchemaOf[T]()
	if err != nil {
		return nil, &Error{Kind: ErrBadRequest, Message: err.Error(), cause: err}
	}
	if string(schema) == "{}" {
		return nil, nil
	}
	return schema, nil
}

func withSchemaOf[T any](request Request) (Request, error) {
	schema, err := schemaFor[T](request.Schema)
	if schema == nil {
		schema = json.RawMessage("{}")
	}
	request.Schema = schema
	return request, err
}

// object is a JSON object whose members keep their order, in which a model writes them.
type object []member

type member struct {
	name  string
	value any
}

func (members object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for index, each := range members {
		if index > 0 {
			text.WriteByte(',')
		}
		name, _ := json.Marshal(each.name)
		value, err := json.Marshal(each.value)
		if err != nil {
			return nil, err
		}
		text.Write(name)
		text.WriteByte(':')
		text.Write(value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// describedType is a type that has a schema of its own.
type describedType interface{ JSONSchema() json.RawMessage }

var (
	describedInterface   = reflect.TypeFor[describedType]()
	unmarshalerInterface = reflect.TypeFor[json.Unmarshaler]()
	textInterface        = reflect.TypeFor[encoding.TextUnmarshaler]()
	known                = map[reflect.Type]object{
		reflect.TypeFor[time.Time]():       {{"type", "string"}, {"format", "date-time"}},
		reflect.TypeFor[json.Number]():     {{"type", "number"}},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[[]byte]():          {{"type", "string"}, {"contentEncoding", "base64"}},
	}
)

// schemaBuilder puts a type that contains itself into the definitions. All others are written where they are used.
type schemaBuilder struct {
	isOpen map[reflect.Type]bool
	// names has the types that contain themselves.
	names       map[reflect.Type]string
	definitions object
}

func (schemas *schemaBuilder) schemaOf(model reflect.Type) (object, error) {
	if schema, isKnown := known[model]; isKnown {
		return schema, nil
	}
	if model.Kind() == reflect.Pointer {
		return schemas.nullable(model.Elem())
	}
	// A method of the pointer belongs to the values of a type too.
	switch pointer := reflect.PointerTo(model); {
	case pointer.Implements(describedInterface):
		return describe(model)
	case model.Kind() == reflect.Interface, pointer.Implements(unmarshalerInterface):
		return object{}, nil
	case pointer.Implements(textInterface):
		return object{{"type", "string"}}, nil
	}
	return schemas.schemaOrReference(model)
}

func describe(model reflect.Type) (object, error) {
	text := reflect.New(model).Interface().(describedType).JSONSchema()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("%s: JSONSchema must return a JSON object: %w", model, err)
	}
	var schema object
	for _, name := range slices.Sorted(maps.Keys(members)) {
		schema = append(schema, member{name, members[name]})
	}
	return schema, nil
}

func (schemas *schemaBuilder) schemaOfKind(model reflect.Type) (object, error) {
	switch model.Kind() {
	case reflect.String:
		return object{{"type", "string"}}, nil
	case reflect.Bool:
		return object{{"type", "boolean"}}, nil
	case reflect.Float32, reflect.Float64:
		return object{{"type", "number"}}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{{"type", "integer"}}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return object{{"type", "integer"}, {"minimum", 0}}, nil
	case reflect.Slice:
		return schemas.list(model.Elem())
	case reflect.Array:
		schema, err := schemas.list(model.Elem())
		return append(schema, member{"minItems", model.Len()}, member{"maxItems", model.Len()}), err
	case reflect.Map:
		return schemas.dictionary(model)
	case reflect.Struct:
		return schemas.structure(model)
	}
	return nil, fmt.Errorf("%s: has no JSON form; leave the field out with the tag `json:\"-\"`", model)
}

func (schemas *schemaBuilder) nullable(model reflect.Type) (object, error) {
	schema, err := schemas.schemaOf(model)
	return object{{"anyOf", []object{schema, {{"type", "null"}}}}}, err
}

func (schemas *schemaBuilder) list(item reflect.Type) (object, error) {
	schema, err := schemas.schemaOf(item)
	return object{{"type", "array"}, {"items", schema}}, err
}

func (schemas *schemaBuilder) dictionary(model reflect.Type) (object, error) {
	switch key := model.Key(); {
	case key.Kind() == reflect.String, key.Kind() >= reflect.Int && key.Kind() <= reflect.Uintptr:
	case reflect.PointerTo(key).Implements(textInterface):
	default:
		return nil, fmt.Errorf("%s: has no JSON form; the keys of a map must be strings or integers", model)
	}
	schema, err := schemas.schemaOf(model.Elem())
	return object{{"type", "object"}, {"additionalProperties", schema}}, err
}

func (schemas *schemaBuilder) schemaOrReference(model reflect.Type) (object, error) {
	if schemas.isOpen[model] {
		return schemas.reference(model), nil
	}
	schemas.isOpen[model] = true
	schema, err := schemas.schemaOfKind(model)
	delete(schemas.isOpen, model)
	if name, isRecursive := schemas.names[model]; isRecursive && err == nil {
		schemas.define(name, schema)
		return schemas.reference(model), nil
	}
	return schema, err
}

func (schemas *schemaBuilder) reference(model reflect.Type) object {
	name, isKnown := schemas.names[model]
	if !isKnown {
		name = fmt.Sprintf("type%d", len(schemas.names)+1)
		schemas.names[model] = name
	}
	return object{{"$ref", "#/$defs/" + name}}
}

func (schemas *schemaBuilder) define(name string, schema object) {
	if !slices.ContainsFunc(schemas.definitions, func(each member) bool { return each.name == name }) {
		schemas.definitions = append(schemas.definitions, member{name, schema})
	}
}

func (schemas *schemaBuilder) structure(model reflect.Type) (object, error) {
	properties, required := object{}, []string{}
	for _, field := range fieldsOf(model) {
		schema, err := schemas.schemaOfField(field)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", model, field.Name, err)
		}
		properties = append(properties, member{field.name, schema})
		if !field.isOptional {
			required = append(required, field.name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}}, nil
}

func (schemas *schemaBuilder) schemaOfField(field taggedField) (object, error) {
	schema, err := schemas.schemaOf(field.Type)
	if err != nil {
		return nil, err
	}
	if field.isQuoted {
		schema = object{{"type", "string"}}
	}
	schema = slices.Clone(schema)
	if values, hasEnum := field.Tag.Lookup("enum"); hasEnum {
		if field.Type.Kind() != reflect.String {
			return nil, fmt.Errorf("the tag enum is for strings only")
		}
		schema = append(schema, member{"enum", strings.Split(values, ",")})
	}
	if description, isDescribed := field.Tag.Lookup("description"); isDescribed {
		schema = append(schema, member{"description", description})
	}
	return schema, nil
}
