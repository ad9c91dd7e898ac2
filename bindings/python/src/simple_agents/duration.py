"""Durations as Python writes them: seconds, or a `timedelta`. The engine counts milliseconds."""

import datetime
import math
from typing import Any, Union

Duration = Union[int, float, datetime.timedelta]
"""Seconds, or a `datetime.timedelta`."""

TextDuration = Union[Duration, str]
"""Seconds, a `datetime.timedelta`, or a text with units such as ``"1m30s"``."""


def to_milliseconds(value: Any) -> float:
    """Raises `ValueError` for what is not a duration. Only zero becomes zero, which means no limit."""
    seconds = value.total_seconds() if isinstance(value, datetime.timedelta) else value
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds) or seconds < 0:
        raise ValueError("must be seconds, at least 0, or a datetime.timedelta")
    # Binary fractions of a second are not exact: 4.35 s is 4,350 ms, not 4,351.
    return math.ceil(round(seconds * 1000, 6))
