"""Log tables as teams have them, each with its own form of time and text. All times are around NOON."""

OTEL = """
CREATE TABLE otel_logs (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TimestampTime DateTime DEFAULT toDateTime(Timestamp),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  TraceFlags UInt8,
  SeverityText LowCardinality(String) CODEC(ZSTD(1)),
  SeverityNumber UInt8,
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  Body String CODEC(ZSTD(1)),
  ResourceSchemaUrl LowCardinality(String) CODEC(ZSTD(1)),
  ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  ScopeSchemaUrl LowCardinality(String) CODEC(ZSTD(1)),
  ScopeName String CODEC(ZSTD(1)),
  ScopeVersion LowCardinality(String) CODEC(ZSTD(1)),
  ScopeAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  LogAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_body Body TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8
) ENGINE = MergeTree PARTITION BY toDate(TimestampTime)
PRIMARY KEY (ServiceName, TimestampTime) ORDER BY (ServiceName, TimestampTime, Timestamp)
"""

# A steady service for three days, a failing one in the last ten minutes before noon.
OTEL_ROWS = (
    """
INSERT INTO otel_logs (Timestamp, TraceId, SeverityText, SeverityNumber, ServiceName, Body,
  ResourceAttributes, LogAttributes)
SELECT toDateTime64('2026-11-30 12:00:00', 9, 'UTC') - toIntervalSecond(number * 20),
  lower(hex(sipHash64(number))), 'INFO', 9, 'cart', concat('GET /api/cart/', toString(number), ' 200'),
  map('service.name', 'cart', 'host.name', 'node-3'), map('http.status_code', '200')
FROM numbers(1, 12960)
""",
    """
INSERT INTO otel_logs (Timestamp, TraceId, SeverityText, SeverityNumber, ServiceName, Body,
  ResourceAttributes, LogAttributes)
SELECT toDateTime64('2026-11-30 12:00:00', 9, 'UTC') - toIntervalSecond(number * 15)
    + toIntervalNanosecond(7),
  lower(hex(sipHash64(number))), '', 17, 'payment',
  concat('HikariPool-1 - Connection is not available, request timed out after ',
    toString(30000 + number), 'ms'),
  map('service.name', 'payment', 'k8s.pod.name', 'payment-5d9c'),
  map('exception.type', 'java.sql.SQLTransientConnectionException', 'http.route', '/api/pay')
FROM numbers(1, 40)
""",
)

_MINUTES = """
INSERT INTO {table} SELECT {columns} FROM (
  SELECT toDateTime64('2026-11-30 12:00:00', 3, 'UTC') - toIntervalMinute(number) AS at,
    number = 7 AS is_bad, if(is_bad, 'connect refused', 'tick') AS text
  FROM numbers(120)
)
"""


def _minutely(table: str, ddl: str, columns: str) -> tuple[str, str]:
    """A table with an event each minute of the two hours before NOON, one of them an error."""
    return f"CREATE TABLE {table} {ddl}", _MINUTES.format(table=table, columns=columns)


_LEVEL = "if(is_bad, 'error', 'info')"
FORMS = (
    *_minutely(
        "in_a_zone",
        "(event_time DateTime('Asia/Shanghai'), severity Enum8('info' = 1, 'error' = 2), app String, "
        "msg String) ENGINE = MergeTree ORDER BY event_time",
        f"at, {_LEVEL}, 'pay', text",
    ),
    *_minutely(
        "in_millis",
        "(ts UInt64, level String, service LowCardinality(String), message String, inserted DateTime) "
        "ENGINE = MergeTree ORDER BY ts",
        f"toUnixTimestamp64Milli(at), {_LEVEL}, 'pay', text, now()",
    ),
    *_minutely(
        "in_seconds",
        "(time UInt32, level String, service String, message String) ENGINE = MergeTree ORDER BY time",
        f"intDiv(toUnixTimestamp64Milli(at), 1000), {_LEVEL}, 'pay', text",
    ),
    *_minutely(
        "in_nanos",
        "(timestamp Int64, level String, service String, body String) ENGINE = MergeTree ORDER BY timestamp",
        f"toUnixTimestamp64Milli(at) * 1000000, {_LEVEL}, 'pay', text",
    ),
    *_minutely(
        "by_date",
        "(day Date DEFAULT toDate(ts), ts DateTime64(3, 'America/New_York'), Level String, Service String, "
        "Message String) ENGINE = MergeTree PARTITION BY day ORDER BY (Service, ts)",
        f"toDate(at), at, {_LEVEL}, 'pay', text",
    ),
    *_minutely(
        "nullable",
        "(at Nullable(DateTime64(6)), level LowCardinality(Nullable(String)), service Nullable(String), "
        "host Nullable(String), message Nullable(String)) ENGINE = MergeTree ORDER BY tuple()",
        f"at, {_LEVEL}, 'pay', NULL, text",
    ),
)

WORDS = (
    "100% done",
    "a_b",
    "it's here",
    'x="now"',
    "C:\\temp\\new",
    "连接池 超时",
    "/api/v1/pay",
    "ÄRGER Straße",
    "[x]{y}(z)",
    "50% of c_d",
)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _words() -> list[str]:
    """One table for each type a text can be in; decoys hold what a wildcard or a lost escape would match."""
    texts = [*WORDS, "100x done", "acb", "its here", "x=now", "C:tempnew", "C:\temp\new", "/api-v1-pay"]
    types = {
        "message": ("String", "{}"),
        "attributes": ("Map(LowCardinality(String), String)", "map('k', {})"),
        "list": ("Array(String)", "[{}]"),
        "document": ("JSON", "CAST(concat('{{\"k\":', toJSONString({}), '}}') AS JSON)"),
        "pair": ("Tuple(a String, b UInt8)", "tuple({}, 1)"),
        "label": ("LowCardinality(Nullable(String))", "{}"),
    }
    statements = []
    for name, (kind, value) in types.items():
        rows = ", ".join(
            f"('2026-11-30 11:50:00', 'n{n}n', NULL, {value.format(_literal(text))})"
            for n, text in enumerate(texts)
        )
        statements += [
            f"CREATE TABLE words_{name} (ts DateTime('UTC'), id String, none Nullable(String), v {kind}) "
            "ENGINE = MergeTree ORDER BY ts",
            f"INSERT INTO words_{name} VALUES {rows}",
        ]
    return statements


OTHERS = (
    "CREATE TABLE typed (ts DateTime64(3, 'UTC'), trace UUID, ip IPv4, status UInt16, cost Decimal(9, 2), "
    "ok Bool, message String) ENGINE = MergeTree ORDER BY ts",
    "INSERT INTO typed VALUES "
    "('2026-11-30 11:50:00', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '10.9.8.7', 503, 12.5, true, 'x'), "
    "('2026-11-30 11:51:00', '00000000-0000-4000-8000-000000000001', '10.1.1.1', 200, 1, true, 'y')",
    "CREATE DATABASE odd",
    *(
        statement
        for name in ("`my\\`table`", "`a.b`", "`q'\"\\\\t`")
        for statement in (
            f"CREATE TABLE odd.{name} (ts DateTime('UTC'), `the \\`text` String) "
            "ENGINE = MergeTree ORDER BY ts",
            f"INSERT INTO odd.{name} VALUES ('2026-11-30 11:50:00', 'odd')",
        )
    ),
    "CREATE TABLE computed (ts DateTime('UTC'), raw String, seed String EPHEMERAL, "
    "level String MATERIALIZED JSONExtractString(raw, 'level'), "
    "service String ALIAS JSONExtractString(raw, 'service'), "
    "sums AggregateFunction(sum, UInt64)) ENGINE = MergeTree ORDER BY ts",
    """INSERT INTO computed (ts, raw) VALUES ('2026-11-30 11:50:00',
    '{"level":"error","service":"pay","message":"boom"}')""",
    "CREATE TABLE long (ts DateTime('UTC'), message String) ENGINE = MergeTree ORDER BY ts",
    "INSERT INTO long SELECT toDateTime('2026-11-30 11:50:00', 'UTC') + number, "
    "concat('failed', repeat(' at com.example.Deep', 5000), ' needle') FROM numbers(200)",
    "CREATE TABLE untimed (day Date, n UInt64, message String) ENGINE = MergeTree ORDER BY day",
    "CREATE TABLE numbered (ts UInt64, message String) ENGINE = MergeTree ORDER BY ts",
    "INSERT INTO numbered VALUES (17, 'x')",
    "CREATE TABLE beats (ts DateTime, message String) ENGINE = MergeTree ORDER BY ts",
    "CREATE TABLE empty (ts DateTime, message String) ENGINE = MergeTree ORDER BY ts",
    "CREATE TABLE empty_millis (ts UInt64, message String) ENGINE = MergeTree ORDER BY ts",
    "CREATE TABLE young (ts DateTime('UTC'), message String) ENGINE = MergeTree ORDER BY ts",
    "INSERT INTO young VALUES ('2026-11-30 11:40:00', 'a b'), ('2026-11-30 11:41:00', 'c'), "
    "('2026-11-30 11:42:00', 'd')",
    "CREATE VIEW slow AS SELECT toDateTime('2026-11-30 11:50:00', 'UTC') AS ts, toString(number) AS message "
    "FROM numbers(100000000000) WHERE sipHash64(number) = 1",
    "CREATE VIEW many AS SELECT toDateTime('2026-11-30 11:40:00', 'UTC') + intDiv(number, 1000) AS ts, "
    "'tick' AS message FROM numbers(1000000)",
)

STATEMENTS = (OTEL, *OTEL_ROWS, *FORMS, *_words(), *OTHERS)
