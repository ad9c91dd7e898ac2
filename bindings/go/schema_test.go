package simpleagents

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type mood string

func (mood) JSONSchema() json.RawMessage { return json.RawMessage(`{"enum":["calm","angry"]}`) }

type level int

func (own *level) UnmarshalText(text []byte) error {
	*own = level(len(text))
	return nil
}

type tree struct {
	Value    int    `json:"value"`
	Children []tree `json:"children"`
}

type nested []nested

type forest struct {
	Trees map[string]*forest `json:"trees"`
	Lists nested             `json:"lists"`
}

type base struct {
	ID   string `json:"id"`
	Name string
	Note string
}

type other struct{ Note string }

type everything struct {
	base
	*other
	Name      string            `json:"name" description:"the full name"`
	Age       uint8             `json:"age"`
	Height    float32           `json:"height,omitempty"`
	Partner   *string           `json:"partner"`
	Tags      []string          `json:"tags,omitzero"`
	Place     [2]float64        `json:"place"`
	Counts    map[string]int    `json:"counts"`
	ByLevel   map[level]bool    `json:"by_level"`
	Born      time.Time         `json:"born"`
	Picture   []byte            `json:"picture"`
	Raw       json.RawMessage   `json:"raw"`
	Any       any               `json:"any"`
	Mood      mood              `json:"mood" description:"now"`
	Level     level             `json:"level"`
	Size      string            `json:"size" enum:"S,M,L"`
	Quoted    int               `json:"quoted,string"`
	Ignored   chan int          `json:"-"`
	Inner     struct{ OK bool } `json:"inner"`
	private   func()
	Untouched bool
}

func schemaText[T any](t *testing.T) string {
	t.Helper()
	schema, err := SchemaOf[T]()
	if err != nil {
		t.Fatal(err)
	}
	return string(schema)
}

func TestSchemaOfEverything(t *testing.T) {
	_ = everything{}.private
	expected := strings.Join([]string{
		`{"type":"object","properties":{"id":{"type":"string"}`,
		`"Name":{"type":"string"}`,
		`"name":{"type":"string","description":"the full name"}`,
		`"age":{"type":"integer","minimum":0}`,
		`"height":{"type":"number"}`,
		`"partner":{"anyOf":[{"type":"string"},{"type":"null"}]}`,
		`"tags":{"type":"array","items":{"type":"string"}}`,
		`"place":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}`,
		`"counts":{"type":"object","additionalProperties":{"type":"integer"}}`,
		`"by_level":{"type":"object","additionalProperties":{"type":"boolean"}}`,
		`"born":{"type":"string","format":"date-time"}`,
		`"picture":{"type":"string","contentEncoding":"base64"}`,
		`"raw":{}`,
		`"any":{}`,
		`"mood":{"enum":["calm","angry"],"description":"now"}`,
		`"level":{"type":"string"}`,
		`"size":{"type":"string","enum":["S","M","L"]}`,
		`"quoted":{"type":"string"}`,
		`"inner":{"type":"object","properties":{"OK":{"type":"boolean"}},"required":["OK"]}`,
		`"Untouched":{"type":"boolean"}}`,
		`"required":["id","Name","name","age","partner","place","counts","by_level","born","picture","raw","any",` +
			`"mood","level","size","quoted","inner","Untouched"]}`,
	}, ",")
	if found := schemaText[everything](t); found != expected {
		t.Errorf("got  %s\nwant %s", found, expected)
	}
}

func TestSchemaOfTypesThatContainThemselves(t *testing.T) {
	expected := `{"$ref":"#/$defs/type1","$defs":{"type1":{"type":"object","properties":{"value":{"type":"integer"},` +
		`"children":{"type":"array","items":{"$ref":"#/$defs/type1"}}},"required":["value","children"]}}}`
	if found := schemaText[tree](t); found != expected {
		t.Errorf("got %s", found)
	}
	expected = `{"$ref":"#/$defs/type1","$defs":{"type2":{"type":"array","items":{"$ref":"#/$defs/type2"}},` +
		`"type1":{"type":"object","properties":{"trees":{"type":"object","additionalProperties":{"anyOf":` +
		`[{"$ref":"#/$defs/type1"},{"type":"null"}]}},"lists":{"$ref":"#/$defs/type2"}},"required":["trees","lists"]}}}`
	if found := schemaText[forest](t); found != expected {
		t.Errorf("got %s", found)
	}
	text := `{value: 1, children: [{value: "2", children: []}]}`
	healed, err := Heal[tree](text)
	if err != nil || healed.Value.Children[0].Value != 2 {
		t.Errorf("got %+v, %v", healed, err)
	}
}

func TestTypesWithoutSchema(t *testing.T) {
	type bad struct{ Callback func() }
	if _, err := SchemaOf[bad](); err == nil || !strings.Contains(err.Error(), "bad.Callback: func()") {
		t.Errorf("got %v", err)
	}
	if _, err := SchemaOf[map[float64]int](); err == nil {
		t.Error("a map with numbers as keys")
	}
	if _, err := SchemaOf[struct {
		Size int `enum:"1,2"`
	}](); err == nil {
		t.Error("an enum of numbers")
	}
}

// What the schema allows must be what encoding/json reads.
func TestSchemaAgreesWithEncodingJSON(t *testing.T) {
	value := everything{Name: "Ada", Mood: "calm", other: &other{}, Raw: json.RawMessage("1")}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var written, described struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal([]byte(`{"properties":`+string(text)+`}`), &written); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(schemaText[everything](t)), &described); err != nil {
		t.Fatal(err)
	}
	for name := range written.Properties {
		if _, isKnown := described.Properties[name]; !isKnown {
			t.Errorf("the schema has no %s", name)
		}
	}
	for name := range described.Properties {
		if _, isWritten := written.Properties[name]; !isWritten && name != "height" && name != "tags" {
			t.Errorf("encoding/json does not write %s", name)
		}
	}
}
