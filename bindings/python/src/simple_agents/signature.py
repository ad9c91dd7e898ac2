"""Signatures and docstrings that show the options that a function takes by name, for `help` and editors."""

from __future__ import annotations

import inspect
from typing import Any, Callable, List, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def with_options(*groups: Any) -> Callable[[F], F]:
    """Shows the members of these typed dicts instead of ``**options``, and their docstrings."""

    def show(function: F) -> F:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        parameters = [*own, *(parameter for group in groups for parameter in _parameters_of(group))]
        documented: Any = function
        documented.__signature__ = signature.replace(parameters=parameters)
        texts = [function.__doc__ or "", *(group.__doc__ for group in groups)]
        documented.__doc__ = "\n\n".join(inspect.cleandoc(text) for text in texts if text)
        return function

    return show


def _parameters_of(group: Any) -> List[inspect.Parameter]:
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in group.__annotations__.items()
    ]
