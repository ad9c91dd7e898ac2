"""One client for every language model: typed answers healed from damaged text, streaming, fallback, tools.

>>> from simple_agents import SimpleAgentsClient
>>> client = SimpleAgentsClient("simulated", "")
>>> client.complete("Hello!")
"""

from .client import SimpleAgentsClient
from .conversation import Message, Messages
from .error import (
    AbortedError,
    AuthError,
    BadRequestError,
    BadResponseError,
    ConfigurationError,
    ContextOverflowError,
    HealingError,
    InternalError,
    NetworkError,
    NotFoundError,
    OverloadedError,
    QuotaError,
    RateLimitError,
    RequestTimeoutError,
    SimpleAgentsError,
    ToolLoopError,
    UpstreamError,
)
from .healing import heal
from .option import ClientOptions, HealOptions, RequestOptions
from .result import ChatResult, Flag, HealResult, ToolCall, Usage
from .stream import AsyncChatStream, ChatStream, Partial

__all__ = [
    "AbortedError",
    "AsyncChatStream",
    "AuthError",
    "BadRequestError",
    "BadResponseError",
    "ChatResult",
    "ChatStream",
    "ClientOptions",
    "ConfigurationError",
    "ContextOverflowError",
    "Flag",
    "HealOptions",
    "HealResult",
    "HealingError",
    "InternalError",
    "Message",
    "Messages",
    "NetworkError",
    "NotFoundError",
    "OverloadedError",
    "Partial",
    "QuotaError",
    "RateLimitError",
    "RequestOptions",
    "RequestTimeoutError",
    "SimpleAgentsClient",
    "SimpleAgentsError",
    "ToolCall",
    "ToolLoopError",
    "UpstreamError",
    "Usage",
    "heal",
]
