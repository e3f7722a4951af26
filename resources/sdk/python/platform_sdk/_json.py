"""JSON text as every SDK of the platform writes it: compact, in UTF-8, with the keys in their order."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_HALF_PAIR = re.compile("[\ud800-\udfff]")


def _number(value: float) -> str:
    """As JavaScript writes it: 100 for 100.0, 1e-7 and not 1e-07, null for NaN and infinity."""
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The decimal point stands after this many digits.
    point = len(whole.lstrip("0")) + int(exponent or 0)
    if not whole.lstrip("0"):
        point -= len(fraction) - len(fraction.lstrip("0"))
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if point > 21 or point < -5:
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if len(digits) <= point:
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _pairs(value: Mapping[Any, Any]) -> str:
    return ",".join(f"{_text(key if isinstance(key, str) else dumps(key))}:{dumps(item)}" for key, item in value.items())


def _text(value: str) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii():
        return text
    # Half a surrogate pair has no UTF-8.
    return _HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def dumps(value: Any) -> str:
    """The JSON text of a value. Raises TypeError for what JSON cannot hold."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return f"{{{_pairs(value)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(dumps, value))}]"
    return json.dumps(value)
