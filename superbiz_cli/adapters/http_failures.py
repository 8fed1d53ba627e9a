"""What an HTTP status of a model endpoint means for a retry, and what to tell the user about it.

Only numbers are looked at: the texts of a provider can hold keys, prompts and answers.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from superbiz_cli.harness.contract.model import RetryFailure

_TIMEOUT_STATUSES = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT}
MAX_RETRY_AFTER_S = 86_400.0


def failure_for_status(status: int) -> RetryFailure:
    """Return the retry class of a response with this status.

    A 2xx that could not be used is INVALID_OUTPUT; 408 and 504 are TIMEOUT; 429 and the other 5xx
    are TRANSPORT; all the rest (3xx, 400, 401, 403, 404, 422, ...) would fail again: UNKNOWN.
    """
    if 200 <= status < 300:
        return RetryFailure.INVALID_OUTPUT
    if status in _TIMEOUT_STATUSES:
        return RetryFailure.TIMEOUT
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= 500:
        return RetryFailure.TRANSPORT
    return RetryFailure.UNKNOWN


def hint_for_status(status: int) -> str:
    """Return our own sentence about this status, with what to check next."""
    match status:
        case 401:
            return "the endpoint refused the key (401)"
        case 402:
            return "the endpoint asks for payment (402)"
        case 403:
            return "the endpoint does not allow this key to use the model (403)"
        case 404:
            return "the endpoint knows no such model or path (404): check the route and api_base"
        case 429:
            return "the endpoint limits the rate of requests (429)"
    if 200 <= status < 300:
        return "the endpoint answered with something that is not a chat completion"
    if 300 <= status < 400:
        return f"the endpoint redirects elsewhere ({status}): set api_base to its final address"
    if status >= 500:
        return f"the endpoint failed ({status})"
    return f"the endpoint refused the request ({status})"


def retry_after_s(header: str | None, *, now: datetime | None = None) -> float | None:
    """Read a Retry-After header (RFC 9110, section 10.2.3): seconds or an HTTP date; else None."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) <= 12:
        return min(float(text), MAX_RETRY_AFTER_S)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    seconds = (aware - (now or datetime.now(UTC))).total_seconds()
    return min(max(0.0, seconds), MAX_RETRY_AFTER_S)
