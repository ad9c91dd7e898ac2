package simpleagents

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type place struct {
	City string `json:"city" description:"The name of a city"`
	Days int    `json:"days,omitempty"`
}

func weather(ctx context.Context, where place) (string, error) {
	return "sunny in " + where.City, nil
}

func askOslo(tool Tool) Request {
	return Request{Messages: ask("The weather in Oslo?"), Tools: []Tool{tool}}
}

var weatherTool = NewTool("get_weather", "The weather in a city", weather)

func TestTools(t *testing.T) {
	request := Request{Messages: ask("What is the weather in Lisbon?"), Tools: []Tool{weatherTool}}
	client := openClient(t, nil)
	result, err := client.Chat(context.Background(), request)
	if err != nil || !strings.Contains(result.Text, "sunny in Lisbon") || len(result.ToolCalls) != 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	if len(result.Messages) != 3 || !strings.Contains(string(result.Messages[1].Blocks), "tool-result") {
		t.Errorf("messages: %+v", result.Messages)
	}
	stream := client.OpenStream(context.Background(), request)
	pieces, err := collect(stream.Texts())
	if err != nil || !strings.Contains(strings.Join(pieces, ""), "sunny in Lisbon") {
		t.Fatalf("got %q, %v", pieces, err)
	}
	streamed, err := stream.Result()
	if err != nil || streamed.Usage != result.Usage || streamed.Text != result.Text {
		t.Errorf("got %+v, %v", streamed, err)
	}
}

func TestToolResultsAreJSON(t *testing.T) {
	tool := NewTool("get_weather", "", func(ctx context.Context, where place) (map[string]any, error) {
		return map[string]any{"degrees": 21, "city": where.City}, nil
	})
	result, err := simulated(t).Chat(context.Background(), askOslo(tool))
	if err != nil || !strings.Contains(string(result.Messages[1].Blocks), `{\"city\":\"Oslo\",\"degrees\":21}`) {
		t.Fatalf("got %+v, %v", result, err)
	}
}

func TestAFailingToolIsAResult(t *testing.T) {
	tool := NewTool("get_weather", "", func(context.Context, place) (string, error) {
		return "", errors.New("the station is offline")
	})
	result, err := simulated(t).Chat(context.Background(), askOslo(tool))
	if err != nil {
		t.Fatal(err)
	}
	blocks := string(result.Messages[1].Blocks)
	if !strings.Contains(blocks, "the station is offline") || !strings.Contains(blocks, `"isError":true`) {
		t.Errorf("got %s", blocks)
	}
}

func TestToolsOfTheProgram(t *testing.T) {
	tool := Tool{Name: "get_weather", InputSchema: weatherTool.InputSchema}
	result, err := simulated(t).Chat(context.Background(), askOslo(tool))
	if err != nil || result.StopReason != "tool-calls" || len(result.ToolCalls) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	var input place
	if err := json.Unmarshal(result.ToolCalls[0].Input, &input); err != nil || input.City != "Oslo" {
		t.Errorf("got %s, %v", result.ToolCalls[0].Input, err)
	}
}

func TestToolLoop(t *testing.T) {
	request := Request{
		Messages: ask("What is the weather in Lisbon?"),
		Tools:    []Tool{weatherTool},
		Options:  map[string]any{"toolChoice": "required"},
	}
	for _, rounds := range []int{-1, 2} {
		request.MaxToolRounds = rounds
		if _, err := simulated(t).Chat(context.Background(), request); !errors.Is(err, ErrToolLoop) {
			t.Errorf("%d rounds: %v", rounds, err)
		}
		if _, err := simulated(t).OpenStream(context.Background(), request).Result(); !errors.Is(err, ErrToolLoop) {
			t.Errorf("%d rounds in a stream: %v", rounds, err)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	set, err := newToolSet([]Tool{weatherTool})
	if err != nil {
		t.Fatal(err)
	}
	results := set.run(context.Background(), []ToolCall{{Name: "get_wether"}, {Name: "get_weather", Error: "not JSON"}})
	if !strings.Contains(results[0].Content[0].Text, "the tools are get_weather") || !results[1].IsError {
		t.Errorf("got %+v", results)
	}
}

func TestToolWithAWrongType(t *testing.T) {
	tool := NewTool("wait", "", func(context.Context, chan int) (string, error) { return "", nil })
	_, err := simulated(t).Chat(context.Background(), Request{Messages: ask("wait"), Tools: []Tool{tool}})
	if !errors.Is(err, ErrBadRequest) || !strings.Contains(err.Error(), "Tools: wait: chan int") {
		t.Errorf("got %v", err)
	}
}
