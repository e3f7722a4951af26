"""Decimals and their digits."""

from decimal import Decimal


def exact(value):
    """A number of the settings as a decimal: its shortest text has the digits that a person typed."""
    return Decimal(str(value))


def text(value):
    """The digits of a decimal, without an exponent and without zeros at the end."""
    return format(value.normalize(), "f")
