"""Rows of the ledger: metric types with fields that the host knows."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, NotRequired, TypedDict, Unpack

from .output import metric

Number = Decimal | str | int | float
Id = str | int
Time = str | int | float | datetime
Side = Literal["BUY", "SELL"]
PositionSide = Literal["net", "long", "short"]


class _Row(TypedDict):
    venue: NotRequired[str | None]
    account: NotRequired[str | None]
    timestamp: NotRequired[str | int | None]


class Order(_Row):
    client_order_id: Id
    symbol: str
    side: Side
    quantity: Number
    status: Literal["new", "accepted", "partially_filled", "filled", "cancelled", "rejected", "expired"]
    type: NotRequired[str | None]
    price: NotRequired[Number | None]
    decision_id: NotRequired[Id | None]
    leg: NotRequired[Id | None]
    reason: NotRequired[str | None]
    currency: NotRequired[str | None]
    time: NotRequired[Time | None]


class Fill(_Row):
    """`side`, `quantity` and `price` may be left out only of a fill that is taken back."""

    fill_id: Id
    symbol: str
    side: NotRequired[Side]
    quantity: NotRequired[Number]
    price: NotRequired[Number]
    client_order_id: NotRequired[Id | None]
    fee: NotRequired[Number | None]
    fee_currency: NotRequired[str | None]
    currency: NotRequired[str | None]
    base: NotRequired[str | None]
    multiplier: NotRequired[Number | None]
    contract: NotRequired[Literal["spot", "linear", "inverse", "option"] | None]
    position_side: NotRequired[PositionSide | None]
    realised: NotRequired[Number | None]
    revises: NotRequired[Id | None]
    cancelled: NotRequired[bool | None]
    time: NotRequired[Time | None]


class Position(_Row):
    symbol: str
    quantity: Number
    average_price: NotRequired[Number | None]
    price: NotRequired[Number | None]
    value: NotRequired[Number | None]
    currency: NotRequired[str | None]
    position_side: NotRequired[PositionSide | None]


class Equity(_Row):
    value: Number
    currency: NotRequired[str | None]


class CashFlow(_Row):
    flow_id: Id
    amount: Number
    currency: str
    kind: Literal[
        "deposit", "withdrawal", "funding", "interest", "dividend", "fee", "rebate", "borrow", "tax", "other"
    ]
    symbol: NotRequired[str | None]
    fill_id: NotRequired[Id | None]
    time: NotRequired[Time | None]


class Adjustment(_Row):
    """A split needs `ratio`, the new units for an old one."""

    adjustment_id: Id
    symbol: str
    kind: Literal[
        "opening", "split", "transfer", "reward", "dust", "conversion", "expiry", "exercise", "assignment"
    ]
    quantity: Number
    ratio: NotRequired[Number | None]
    cost: NotRequired[Number | None]
    currency: NotRequired[str | None]
    time: NotRequired[Time | None]


class Rate(_Row):
    base: str
    quote: str
    value: Number
    time: NotRequired[Time | None]


class Price(_Row):
    symbol: str
    value: Number
    currency: NotRequired[str | None]


class Signal(_Row):
    type: Side
    symbol: str
    price: NotRequired[Number | None]
    confidence: NotRequired[Number | None]
    reason: NotRequired[str | None]
    currency: NotRequired[str | None]


# Whole numbers beyond this lose digits in programs that read JSON numbers as floats; they go out as text.
_MOST_EXACT = 2**53 - 1
_MOST_DIGITS = 38
_LONGEST_NUMBER = 128
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_CURRENCY = re.compile(r"[A-Za-z0-9._:-]{1,32}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class _Wrong(Exception):
    """What a check found wrong with the field; put behind its name."""


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(value: int) -> int | str:
    return value if abs(value) <= _MOST_EXACT else str(value)


def _significant_digits(text: str) -> int:
    return len(re.sub("[^0-9]", "", re.sub("[eE].*", "", text)).lstrip("0").rstrip("0"))


def _decimal(value: Any) -> Any:
    is_float = isinstance(value, float)
    # A huge whole number has no text in Python.
    if is_float:
        text = repr(float(value)) if math.isfinite(value) else ""
    elif _is_int(value):
        text = str(value) if abs(value) < 10**_LONGEST_NUMBER else ""
    else:
        text = str(value) if isinstance(value, (Decimal, str)) else ""
    is_number = len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None
    if not is_number or _significant_digits(text) > _MOST_DIGITS:
        raise _Wrong(f"must be a number, or its digits as text, with at most {_MOST_DIGITS} significant digits")
    return float(value) if is_float else _whole(value) if _is_int(value) else text


def _positive(value: Any) -> Any:
    given = _decimal(value)
    if str(given).startswith("-") or _significant_digits(str(given)) == 0:
        raise _Wrong("must be greater than 0")
    return given


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= longest and _CONTROL.search(value) is None


def _text(longest: int) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not _is_text(value, longest):
            raise _Wrong(f"must be text of 1 to {longest} characters without control characters")
        return value

    return check


def _id(value: Any) -> Any:
    if _is_int(value) and abs(value) < 10**_LONGEST_NUMBER:
        return _whole(value)
    if not _is_text(value, 256):
        raise _Wrong("must be text of 1 to 256 characters, or a whole number")
    return value


def _currency(value: Any) -> Any:
    if not isinstance(value, str) or _CURRENCY.fullmatch(value) is None:
        raise _Wrong("must have 1 to 32 letters, digits, or signs of . _ : -")
    return value


def _time(value: Any) -> Any:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            # The clock of the machine may have another zone than the UTC that the host would read.
            raise _Wrong("must be a datetime with a zone, such as datetime.now(timezone.utc)")
        return value.isoformat()
    if _is_int(value) or (isinstance(value, float) and math.isfinite(value)) or _is_text(value, 64):
        return value
    raise _Wrong("must be ISO text, or seconds or milliseconds since 1970")


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise _Wrong("must be true or false")
    return value


def _one_of(*words: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value not in words:
            raise _Wrong(f"must be one of {', '.join(words)}")
        return value

    return check


_symbol = _text(128)
_side = _one_of("BUY", "SELL")
_position_side = _one_of("net", "long", "short")
_PLACE: dict[str, Callable[[Any], Any]] = {"venue": _text(64), "account": _text(64)}
_TYPES: dict[str, tuple[dict[str, Callable[[Any], Any]], dict[str, Callable[[Any], Any]]]] = {
    "order": (
        {
            "client_order_id": _id,
            "symbol": _symbol,
            "side": _side,
            "quantity": _positive,
            "status": _one_of("new", "accepted", "partially_filled", "filled", "cancelled", "rejected", "expired"),
        },
        {
            "type": _text(64),
            "price": _decimal,
            "decision_id": _id,
            "leg": _id,
            "reason": _text(1000),
            "currency": _currency,
            "time": _time,
            **_PLACE,
        },
    ),
    "fill": (
        {"fill_id": _id, "symbol": _symbol, "side": _side, "quantity": _positive, "price": _decimal},
        {
            "client_order_id": _id,
            "fee": _decimal,
            "fee_currency": _currency,
            "currency": _currency,
            "base": _currency,
            "multiplier": _positive,
            "contract": _one_of("spot", "linear", "inverse", "option"),
            "position_side": _position_side,
            "realised": _decimal,
            "revises": _id,
            "cancelled": _flag,
            "time": _time,
            **_PLACE,
        },
    ),
    "position": (
        {"symbol": _symbol, "quantity": _decimal},
        {
            "average_price": _decimal,
            "price": _decimal,
            "value": _decimal,
            "currency": _currency,
            "position_side": _position_side,
            **_PLACE,
        },
    ),
    "equity": ({"value": _decimal}, {"currency": _currency, **_PLACE}),
    "cash_flow": (
        {
            "flow_id": _id,
            "amount": _decimal,
            "currency": _currency,
            "kind": _one_of(
                "deposit", "withdrawal", "funding", "interest", "dividend", "fee", "rebate", "borrow", "tax", "other"
            ),
        },
        {"symbol": _symbol, "fill_id": _id, "time": _time, **_PLACE},
    ),
    "adjustment": (
        {
            "adjustment_id": _id,
            "symbol": _symbol,
            "kind": _one_of(
                "opening", "split", "transfer", "reward", "dust", "conversion", "expiry", "exercise", "assignment"
            ),
            "quantity": _decimal,
        },
        {"ratio": _positive, "cost": _decimal, "currency": _currency, "time": _time, **_PLACE},
    ),
    "rate": ({"base": _currency, "quote": _currency, "value": _positive}, {"time": _time, **_PLACE}),
    "price": ({"symbol": _symbol, "value": _decimal}, {"currency": _currency, **_PLACE}),
    "signal": (
        {"type": _side, "symbol": _symbol},
        {"price": _decimal, "confidence": _decimal, "reason": _text(1000), "currency": _currency},
    ),
}


def _required_of(type: str, fields: Mapping[str, Any]) -> list[str]:
    # A fill that is taken back needs no trade.
    if type == "fill" and fields.get("cancelled") is True:
        return ["fill_id", "symbol", "revises"]
    split = type == "adjustment" and fields.get("kind") == "split"
    return [*_TYPES[type][0], *(["ratio"] if split else [])]


def _emit(type: str, fields: Mapping[str, Any]) -> None:
    given = {name: value for name, value in fields.items() if value is not None}
    for name in _required_of(type, given):
        if name not in given:
            raise ValueError(f"{type} needs `{name}`")
    required, optional = _TYPES[type]
    for name, check in {**required, **optional}.items():
        if name not in given:
            continue
        try:
            given[name] = check(given[name])
        except _Wrong as wrong:
            raise ValueError(f"`{name}` of {type} {wrong}") from None
    metric(type, given)


def order(**fields: Unpack[Order]) -> None:
    """Reports an order and its status.

    This and the other functions of this module keep fields of your own, leave out those that are None, and raise
    ValueError that names a missing or wrong field. A Decimal or text keeps every digit; a float is written by its shortest
    text.
    """
    _emit("order", fields)


def fill(**fields: Unpack[Fill]) -> None:
    """Reports a trade, corrects one (`revises`), or takes one back (`revises` and `cancelled=True`)."""
    _emit("fill", fields)


def position(**fields: Unpack[Position]) -> None:
    """Reports what is held of a symbol; `quantity` is negative for a short position."""
    _emit("position", fields)


def equity(**fields: Unpack[Equity]) -> None:
    """Reports what the account is worth."""
    _emit("equity", fields)


def cash_flow(**fields: Unpack[CashFlow]) -> None:
    """Reports money that came (positive) or went (negative)."""
    _emit("cash_flow", fields)


def adjustment(**fields: Unpack[Adjustment]) -> None:
    """Reports a change of a holding that is no trade."""
    _emit("adjustment", fields)


def rate(**fields: Unpack[Rate]) -> None:
    """Reports that one unit of `base` is worth `value` units of `quote`."""
    _emit("rate", fields)


def price(**fields: Unpack[Price]) -> None:
    """Reports the price of a symbol."""
    _emit("price", fields)


def signal(**fields: Unpack[Signal]) -> None:
    """Reports a decision to buy or sell, which charts show as a mark."""
    _emit("signal", fields)
