"""Periods of UTC in which the bot buys once."""

from datetime import timezone

FORMATS = {"hour": "%Y-%m-%dT%H", "day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}


def period_of(every, moment):
    """Name of the hour, day, week (ISO 8601) or month of UTC that a moment lies in."""
    return moment.astimezone(timezone.utc).strftime(FORMATS[every])
