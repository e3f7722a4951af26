"""The arithmetic of the bot, without any I/O."""

import math

MAX_CONFIDENCE = 0.95


def round_half_up(value, decimals):
    """Rounds half up to a number of decimals."""
    scale = 10**decimals
    return math.floor(value * scale + 0.5) / scale


def sma(prices, period):
    """Average of the newest `period` prices."""
    total = 0.0
    for price in prices[-period:]:
        total += price
    return total / period


def change_percent(prices):
    """Change from the last but one price to the last, in percent."""
    return (prices[-1] / prices[-2] - 1) * 100


def crossover(previous, current):
    """Compares two pairs (short, long) of averages: "BUY", "SELL", or None when they did not change places."""
    if previous[0] <= previous[1] and current[0] > current[1]:
        return "BUY"
    if previous[0] >= previous[1] and current[0] < current[1]:
        return "SELL"
    return None


def confidence(short_sma, long_sma):
    """How far apart the averages are, in percent of the long one, at most 0.95."""
    return min(abs(short_sma - long_sma) / long_sma * 100, MAX_CONFIDENCE)
