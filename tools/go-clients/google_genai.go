package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"iter"

	"google.golang.org/genai"
)

// googleGenAI is the official client of Google.
type googleGenAI struct {
	models *genai.Models
}

func newGoogleGenAI(baseURL string) (googleGenAI, error) {
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      "any",
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: baseURL},
	})
	if err != nil {
		return googleGenAI{}, err
	}
	return googleGenAI{models: client.Models}, nil
}

func (googleGenAI) status(err error) (int, bool) {
	var failure genai.APIError
	if !errors.As(err, &failure) {
		return 0, false
	}
	return failure.Code, true
}

// isStreamError: an error in a stream has the type of an error status.
func (c googleGenAI) isStreamError(err error) bool {
	_, isError := c.status(err)
	return isError
}

func newGenAIConfig() *genai.GenerateContentConfig {
	return &genai.GenerateContentConfig{MaxOutputTokens: 4000}
}

func (t tool) toGenAI() *genai.FunctionDeclaration {
	return &genai.FunctionDeclaration{Name: t.name, Description: t.description, ParametersJsonSchema: t.schema()}
}

func toGenAITools(declared ...tool) []*genai.Tool {
	var functions []*genai.FunctionDeclaration
	for _, t := range declared {
		functions = append(functions, t.toGenAI())
	}
	return []*genai.Tool{{FunctionDeclarations: functions}}
}

func genAIUsage(response *genai.GenerateContentResponse) *usage {
	used := response.UsageMetadata
	return &usage{int64(used.PromptTokenCount), int64(used.CandidatesTokenCount)}
}

func genAICalls(response *genai.GenerateContentResponse) ([]call, error) {
	var calls []call
	for _, called := range response.FunctionCalls() {
		arguments, err := json.Marshal(called.Args)
		if err != nil {
			return nil, err
		}
		calls = append(calls, newCall(called.Name, string(arguments)))
	}
	return calls, nil
}

func (c googleGenAI) text(ctx context.Context, asked question) (seen, error) {
	response, err := c.models.GenerateContent(ctx, asked.Model, genai.Text(asked.Prompt), newGenAIConfig())
	if err != nil {
		return seen{}, err
	}
	return seen{Text: response.Text(), Usage: genAIUsage(response)}, nil
}

func (c googleGenAI) stream(ctx context.Context, asked question) (seen, error) {
	var saw seen
	for chunk, err := range c.models.GenerateContentStream(ctx, asked.Model, genai.Text(asked.Prompt), newGenAIConfig()) {
		if err != nil {
			return seen{}, err
		}
		saw.Deltas = append(saw.Deltas, chunk.Text())
		if chunk.UsageMetadata != nil {
			saw.Usage = genAIUsage(chunk)
		}
	}
	return saw, nil
}

func (c googleGenAI) twoTools(ctx context.Context, asked question) (seen, error) {
	config := newGenAIConfig()
	config.Tools = toGenAITools(tools...)
	first, second, err := c.answerCalls(ctx, asked, config)
	if err != nil {
		return seen{}, err
	}
	calls, err := genAICalls(first)
	return seen{Calls: calls, Text: second.Text()}, err
}

// answerCalls asks, sends the results of the calls back, and returns both responses.
func (c googleGenAI) answerCalls(
	ctx context.Context, asked question, config *genai.GenerateContentConfig,
) (first, second *genai.GenerateContentResponse, err error) {
	contents := genai.Text(asked.Prompt)
	if first, err = c.models.GenerateContent(ctx, asked.Model, contents, config); err != nil {
		return nil, nil, err
	}
	var results []*genai.Part
	for _, called := range first.FunctionCalls() {
		result := genai.NewPartFromFunctionResponse(called.Name, map[string]any{"output": resultOf(called.Name)})
		result.FunctionResponse.ID = called.ID
		results = append(results, result)
	}
	contents = append(contents, first.Candidates[0].Content, genai.NewContentFromParts(results, genai.RoleUser))
	second, err = c.models.GenerateContent(ctx, asked.Model, contents, config)
	return first, second, err
}

func (c googleGenAI) strictStreamedTools(ctx context.Context, asked question) (seen, error) {
	config := newGenAIConfig()
	config.Tools = toGenAITools(tools...)
	config.ToolConfig = &genai.ToolConfig{
		FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeValidated},
	}
	var saw seen
	for chunk, err := range c.models.GenerateContentStream(ctx, asked.Model, genai.Text(asked.Prompt), config) {
		if err != nil {
			return seen{}, err
		}
		calls, err := genAICalls(chunk)
		if err != nil {
			return seen{}, err
		}
		saw.Calls = append(saw.Calls, calls...)
	}
	return saw, nil
}

// genAIPersonSchema has an order of properties, which the client loses in a JSON Schema.
func genAIPersonSchema() *genai.Schema {
	names := []string{"name", "age"}
	return &genai.Schema{
		Type:             genai.TypeObject,
		Properties:       map[string]*genai.Schema{"name": {Type: genai.TypeString}, "age": {Type: genai.TypeInteger}},
		Required:         names,
		PropertyOrdering: names,
	}
}

func (c googleGenAI) structured(ctx context.Context, asked question) (seen, error) {
	config := newGenAIConfig()
	config.ResponseMIMEType = "application/json"
	config.ResponseSchema = genAIPersonSchema()
	response, err := c.models.GenerateContent(ctx, asked.Model, genai.Text(asked.Prompt), config)
	if err != nil {
		return seen{}, err
	}
	value, err := parsePerson(response.Text())
	if err != nil {
		return seen{}, err
	}
	var text string
	for chunk, err := range c.models.GenerateContentStream(ctx, asked.Model, genai.Text(asked.Prompt), config) {
		if err != nil {
			return seen{}, err
		}
		text += chunk.Text()
	}
	streamed, err := parsePerson(text)
	return seen{Value: value, Streamed: streamed}, err
}

func (c googleGenAI) image(ctx context.Context, asked question) (seen, error) {
	data, err := base64.StdEncoding.DecodeString(asked.Image)
	if err != nil {
		return seen{}, err
	}
	parts := []*genai.Part{genai.NewPartFromBytes(data, "image/png"), genai.NewPartFromText(asked.Prompt)}
	contents := []*genai.Content{genai.NewContentFromParts(parts, genai.RoleUser)}
	response, err := c.models.GenerateContent(ctx, asked.Model, contents, newGenAIConfig())
	if err != nil {
		return seen{}, err
	}
	return seen{Text: response.Text()}, nil
}

func (c googleGenAI) reasoning(ctx context.Context, asked question) (seen, error) {
	config := newGenAIConfig()
	config.Tools = toGenAITools(weather)
	config.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true, ThinkingBudget: genai.Ptr[int32](1024)}
	first, second, err := c.answerCalls(ctx, asked, config)
	if err != nil {
		return seen{}, err
	}
	var reasoning string
	for _, part := range first.Candidates[0].Content.Parts {
		if part.Thought {
			reasoning += part.Text
		}
	}
	return seen{Reasoning: reasoning, Text: second.Text()}, nil
}

func (c googleGenAI) deltas(ctx context.Context, asked question) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for chunk, err := range c.models.GenerateContentStream(ctx, asked.Model, genai.Text(asked.Prompt), newGenAIConfig()) {
			if err != nil {
				// The client reads what had arrived of the next frame when it was cancelled as a frame.
				if ctx.Err() != nil {
					err = ctx.Err()
				}
				yield("", err)
				return
			}
			if !yield(chunk.Text(), nil) {
				return
			}
		}
	}
}
