"""Application logs of three services, each in the format of its own world."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from superbiz_cli.demo.story import CLIENT_TIMEOUT_MS, POOL_SIZE, WAIT_MS, Story

Line = tuple[datetime, str]

_CHANNELS = ("alipay", "wechat", "unionpay", "card")
_OPERATOR_SEARCH = "GET /internal/payments/search parameter=memo requested by the back office"


def payment_service(story: Story) -> list[str]:
    """Spring Boot text with thread and logger, offsets in the zone of the story."""
    randomness = random.Random(1)
    return _in_order(
        (
            *_payments_taken(story, randomness),
            *_settlement_retries(story, randomness),
            *_operator_searches(story, randomness),
            *_refused_connections(story, randomness),
            *_leak_reports(story, randomness),
            (story.history_from, _spring(story.history_from, "INFO", "main", "c.s.p.Application", _STARTED)),
        )
    )


_STARTED = "Started PaymentApplication with profile prod, datasource user=payment password=demo-Pa55word"


def _payments_taken(story: Story, randomness: random.Random) -> Iterator[Line]:
    for at in story.moments(9, since=story.history_from, until=story.now, seed=1):
        if at > story.exhausted_from and randomness.random() < 0.9:
            continue
        message = (
            f"payment accepted order=O-{randomness.randrange(10_000, 99_999)} "
            f"channel={randomness.choice(_CHANNELS)} took={randomness.randrange(18, 190)}ms"
        )
        yield at, _spring(at, "INFO", _thread(randomness), "c.s.p.api.PaymentController", message)


def _settlement_retries(story: Story, randomness: random.Random) -> Iterator[Line]:
    for at in story.moments(600, since=story.history_from, until=story.now, seed=2):
        message = f"settlement batch {randomness.randrange(300, 900)} not ready, next try in 60 s"
        yield at, _spring(at, "WARN", "settlement-1", "c.s.p.job.SettlementJob", message)


def _operator_searches(story: Story, randomness: random.Random) -> Iterator[Line]:
    for statement in story.statements[::3]:
        at = statement.ended - timedelta(seconds=statement.seconds)
        yield at, _spring(at, "INFO", _thread(randomness), "c.s.p.api.SearchController", _OPERATOR_SEARCH)


def _refused_connections(story: Story, randomness: random.Random) -> Iterator[Line]:
    for at in story.moments(5, since=story.exhausted_from, until=story.now, seed=3):
        thread = _thread(randomness)
        message = (
            f"HikariPool-1 - Connection is not available, request timed out after "
            f"{WAIT_MS + randomness.randrange(1, 9)}ms (total={POOL_SIZE}, active={POOL_SIZE}, idle=0, "
            f"waiting={randomness.randrange(31, 74)})"
        )
        yield at, _spring(at, "ERROR", thread, "c.s.p.store.PaymentStore", message)
        if randomness.random() < 0.1:
            later = at + timedelta(milliseconds=3)
            yield later, _spring(later, "ERROR", thread, "c.s.p.api.PaymentController", _FAILED)


_FAILED = (
    "payment failed: CannotGetJdbcConnectionException: Failed to obtain JDBC Connection\n"
    "\tat org.springframework.jdbc.datasource.DataSourceUtils.getConnection(DataSourceUtils.java:84)\n"
    "\tat com.shop.payment.store.PaymentStore.insert(PaymentStore.java:61)\n"
    "Caused by: java.sql.SQLTransientConnectionException: Connection is not available"
)


def _leak_reports(story: Story, randomness: random.Random) -> Iterator[Line]:
    for statement in story.statements[::20]:
        thread = _thread(randomness)
        connection = f"com.mysql.cj.jdbc.ConnectionImpl@{randomness.randrange(16**7, 16**8):x}"
        reported = statement.ended - timedelta(seconds=statement.seconds - 20)
        yield (
            reported,
            _spring(
                reported,
                "WARN",
                "HikariPool-1 housekeeper",
                "com.zaxxer.hikari.pool.ProxyLeakTask",
                f"Connection leak detection triggered for {connection} on thread {thread}, "
                "stack trace follows",
            ),
        )
        yield (
            statement.ended,
            _spring(
                statement.ended,
                "INFO",
                thread,
                "com.zaxxer.hikari.pool.ProxyLeakTask",
                f"Previously reported leaked connection {connection} on thread {thread} "
                "was returned to the pool (unleaked)",
            ),
        )


def order_service(story: Story) -> list[str]:
    """JSON lines with UTC times."""
    randomness = random.Random(2)
    lines: list[Line] = []
    for at in story.moments(9, since=story.history_from, until=story.now, seed=4):
        order = f"O-{randomness.randrange(10_000, 99_999)}"
        late = at > story.exhausted_from and randomness.random() < 0.75
        level, message = (
            ("error", f"call to payment-service failed: Read timed out after {CLIENT_TIMEOUT_MS} ms")
            if late
            else ("info", "order placed")
        )
        lines.append((at, _json(at, level, "order-service", message, order=order)))
    for at in story.moments(240, since=story.history_from, until=story.now, seed=5):
        lines.append((at, _json(at, "warn", "order-service", "coupon has expired, order kept without it")))
    return _in_order(lines)


def channel_gateway(story: Story) -> list[str]:
    """Key=value lines; a signature error of one merchant has been there for hours."""
    randomness = random.Random(3)
    lines: list[Line] = []
    for at in story.moments(12, since=story.history_from, until=story.now, seed=6):
        channel = randomness.choice(_CHANNELS)
        took = randomness.randrange(40, 320)
        lines.append((at, _logfmt(at, "info", f'msg="callback delivered" channel={channel} took_ms={took}')))
    for at in story.moments(75, since=story.history_from, until=story.now, seed=7):
        merchant = randomness.choice(("M-1042", "M-1077"))
        lines.append(
            (at, _logfmt(at, "error", f'msg="callback rejected: signature mismatch" merchant={merchant}'))
        )
    for at in story.moments(20, since=story.exhausted_from, until=story.now, seed=8):
        lines.append(
            (at, _logfmt(at, "warn", 'msg="payment-service did not answer in time" status=504 route=/pay'))
        )
    return _in_order(lines)


def _in_order(lines: Iterable[Line]) -> list[str]:
    return [text for _at, text in sorted(lines, key=lambda line: line[0])]


def _thread(randomness: random.Random) -> str:
    return f"http-nio-8080-exec-{randomness.randrange(1, 41)}"


def _spring(at: datetime, level: str, thread: str, logger: str, message: str) -> str:
    stamp = at.isoformat(timespec="milliseconds")
    return f"{stamp} {level:>5} [payment-service,,] 1 --- [{thread[-15:]:>15}] {logger:<40} : {message}"


def _json(at: datetime, level: str, service: str, message: str, **fields: str) -> str:
    stamp = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"time": stamp, "level": level, "service": service, "message": message, **fields})


def _logfmt(at: datetime, level: str, rest: str) -> str:
    return f"time={at.isoformat(timespec='milliseconds')} level={level} service=channel-gateway {rest}"
