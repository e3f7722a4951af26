"""Who may query this bot: its host, and never a web page."""

import hmac
import ipaddress
import os
import re
from email.message import Message

# Taken out of the environment, which programs that the bot starts inherit.
_TOKEN = os.environ.pop("QUERY_TOKEN", "")

_HOST = re.compile(r"(?:\[([^\]]*)\]|([^:\[\]]*))(?::[0-9]{1,5})?", re.ASCII)


def _is_address(text: str, version: int) -> bool:
    try:
        return ipaddress.ip_address(text).version == version
    except ValueError:
        return False


def _is_own_host(text: str) -> bool:
    """True for an IP address or `localhost`, with or without a port: a page on another site cannot have such a name."""
    match = _HOST.fullmatch(text.strip())
    if match is None:
        return False
    if match[1] is not None:
        return _is_address(match[1], 6)
    return _is_address(match[2], 4) or match[2].lower() == "localhost"


def refusal(headers: Message) -> tuple[int, str] | None:
    """Why a request is not answered: status and text. None for one that may ask. Reads only the headers."""
    if headers.get("Origin") is not None:
        return 403, "Web pages may not query a bot: the request has an Origin"
    hosts = headers.get_all("Host", [])
    if len(hosts) != 1 or not _is_own_host(str(hosts[0])):
        return 403, "Query a bot by IP address or localhost: the request has another Host"
    given = headers.get_all("X-Query-Token", [])
    if not _TOKEN or (len(given) == 1 and hmac.compare_digest(str(given[0]).strip().encode(), _TOKEN.encode())):
        return None
    return 401, "This bot answers its host only: X-Query-Token is missing or wrong"
