package simpleagents

import (
	"encoding/json"
	"fmt"
)

// Role is the author of a message.
type Role string

const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is a message of a conversation. System, User and Assistant make one from a text.
type Message struct {
	Role    Role
	Content string
	// Blocks replaces Content if it is not empty: a JSON list of blocks, for images, documents and results of tools, as
	// in src/core/message.ts. The messages of a Result have blocks.
	Blocks json.RawMessage
}

// System is a message with instructions.
func System(content string) Message { return Message{Role: RoleSystem, Content: content} }

// User is a message of the user.
func User(content string) Message { return Message{Role: RoleUser, Content: content} }

// Assistant is a message of the model.
func Assistant(content string) Message { return Message{Role: RoleAssistant, Content: content} }

// MarshalJSON writes the message for the engine.
func (message Message) MarshalJSON() ([]byte, error) {
	if len(message.Blocks) > 0 {
		return json.Marshal(rawMessage{message.Role, message.Blocks})
	}
	return json.Marshal(map[string]string{"role": string(message.Role), "content": message.Content})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (message *Message) UnmarshalJSON(text []byte) error {
	var raw rawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	*message = Message{Role: raw.Role}
	if len(raw.Content) > 0 && raw.Content[0] == '"' {
		return json.Unmarshal(raw.Content, &message.Content)
	}
	message.Blocks = raw.Content
	return nil
}

// Request is a request to a model. Only Messages is necessary.
type Request struct {
	Messages []Message
	// Model is an alias, "provider/model", or a model's own name. Default: the client's model.
	Model string
	// System is a system message at the start.
	System    string
	MaxTokens int
	// Temperature is nil for the provider's default.
	Temperature *float64
	// Tools are functions that the model may call.
	Tools []Tool
	// MaxToolRounds is how often the model may call tools before it has to answer. 0 means 10; -1 means never.
	MaxToolRounds int
	// Schema is the JSON Schema of the answer. ChatAs and StreamAs derive it from their type if it is nil.
	Schema json.RawMessage
	// Options are further fields with the names of the TypeScript package, such as "topP", "stop", "toolChoice",
	// "reasoning", "healing" or "cache".
	Options map[string]any
}

// own are the fields that Options must not contain.
var own = map[string]string{
	"messages":    "Messages",
	"model":       "Model",
	"system":      "System",
	"maxTokens":   "MaxTokens",
	"temperature": "Temperature",
	"tools":       "Tools",
	"schema":      "Schema",
}

// fields are those of the engine's request, without messages and tools.
func (request Request) fields() (map[string]any, error) {
	fields := map[string]any{}
	for name, value := range request.Options {
		if field, isOwn := own[name]; isOwn {
			return nil, badRequest(fmt.Sprintf("Options: has %q; set the field %s instead", name, field))
		}
		fields[name] = value
	}
	if request.Model != "" {
		fields["model"] = request.Model
	}
	if request.System != "" {
		fields["system"] = request.System
	}
	if request.MaxTokens != 0 {
		fields["maxTokens"] = request.MaxTokens
	}
	if request.Temperature != nil {
		fields["temperature"] = *request.Temperature
	}
	if request.Schema != nil {
		fields["schema"] = request.Schema
	}
	return fields, nil
}
