"""JSON text as every SDK of the platform writes it: compact, in UTF-8, with the keys in their order."""

import json
import math
from typing import Any


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def dumps(value: Any) -> str:
    """A number without a value (NaN, infinity) becomes null, 100.0 becomes 100."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
