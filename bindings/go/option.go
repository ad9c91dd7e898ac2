package simpleagents

import "time"

// ClientOption is an option of NewClient.
type ClientOption func(options map[string]any)

// WithOption sets any option of the TypeScript package's createClient by its name, such as "router", "breaker",
// "proxy", "network", "prices" or "healing". The value is written as JSON. An unknown name is an error that suggests
// the right one.
func WithOption(name string, value any) ClientOption {
	return func(options map[string]any) { options[name] = value }
}

// WithBaseURL sets the address of the provider's API.
func WithBaseURL(url string) ClientOption { return WithOption("baseUrl", url) }

// WithHeaders adds headers to each request.
func WithHeaders(headers map[string]string) ClientOption { return WithOption("headers", headers) }

// WithModel sets the model for requests that do not name one.
func WithModel(model string) ClientOption { return WithOption("model", model) }

// WithTimeout limits the time to the first token of a stream, and of a complete plain call.
func WithTimeout(timeout time.Duration) ClientOption {
	return WithOption("timeout", milliseconds(timeout))
}

// WithConfigFile reads a configuration file. Options override it.
func WithConfigFile(path string) ClientOption { return WithOption("config", path) }

// WithMaxAttempts limits how often a target is called for one request. 1 means no retries.
func WithMaxAttempts(count int) ClientOption {
	return WithOption("retry", map[string]any{"maxAttempts": count})
}

// WithCache caches responses in memory for this time.
func WithCache(ttl time.Duration) ClientOption {
	return WithOption("cache", map[string]any{"ttl": milliseconds(ttl)})
}

// WithFallback names the targets of a model in order: the next is called when one fails. The model is the name exactly
// as in requests; empty stands for requests that name none. The option can be given several times.
func WithFallback(model string, targets ...string) ClientOption {
	chain := map[string]any{"targets": targets}
	if model != "" {
		chain["model"] = model
	}
	return func(options map[string]any) {
		chains, _ := options["chains"].([]any)
		options["chains"] = append(chains, chain)
	}
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}
