"""Products that exclude each other: a procedure for one database is none for another one.

Each row is one product with its wordings, separated by "|"; English ones are compared as whole words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

_KINDS: Mapping[str, Mapping[str, str]] = {
    "database": {
        "mysql": "mysql|mariadb|innodb|percona",
        "postgresql": "postgresql|postgres|pg|psql|pgbouncer|autovacuum",
        "oracle": "oracle|ora",
        "sql server": "sql server|mssql|sqlserver",
        "mongodb": "mongodb|mongo|mongod|mongos",
        "cassandra": "cassandra|scylla|scylladb",
        "sqlite": "sqlite",
        "elasticsearch": "elasticsearch|opensearch|elastic|solr",
        "clickhouse": "clickhouse",
        "dynamodb": "dynamodb",
        "hbase": "hbase",
        "db2": "db2",
        "couchdb": "couchdb|couchbase",
        "neo4j": "neo4j",
        "influxdb": "influxdb|prometheus|timescaledb",
        "etcd": "etcd|zookeeper",
        "dameng": "达梦",
        "oceanbase": "oceanbase",
    },
    "cache": {
        "redis": "redis|jedis|lettuce|redisson|valkey",
        "memcached": "memcached|memcache",
        "in-process": "ehcache|caffeine|guava",
        "http": "varnish|cdn",
    },
    "runtime": {
        "jvm": "jvm|java|kotlin|scala|tomcat|spring|jetty|metaspace",
        "python": "python|django|celery|gunicorn",
        "node": "node.js|nodejs|node process|npm|v8",
        "php": "php|php-fpm|laravel",
        "ruby": "ruby|rails|sidekiq|puma",
        "go": "golang|goroutine|goroutines",
        "dotnet": "dotnet|.net|iis",
    },
}
_GENERIC = re.compile(
    r"(?<![a-z0-9])(?:database|databases|db|sql|jdbc|hikari\w*|druid|select|tables?|rds)(?![a-z0-9])|数据库|主库|从库|表"
)


def products_in(text: str) -> dict[str, frozenset[str]]:
    """Return the products that `text` names, by kind; a kind of which none is named is left out."""
    said = text.lower()
    named = {
        kind: frozenset(product for product, pattern in products.items() if pattern.search(said))
        for kind, products in _patterns().items()
    }
    return {kind: products for kind, products in named.items() if products}


def is_about_another(asked: Mapping[str, frozenset[str]], own: Mapping[str, frozenset[str]]) -> bool:
    """Whether, of some kind, `asked` names products and `own` has only others."""
    return any(kind in own and own[kind].isdisjoint(products) for kind, products in asked.items())


def is_beside(text: str, asked: Mapping[str, frozenset[str]], own: Mapping[str, frozenset[str]]) -> bool:
    """Whether a question names stores, but of no kind that `own` is about.

    `text` is the question: "the database" names the one that is meant.
    """
    if not own.keys() & {"database", "cache"} or not asked.keys() & {"database", "cache"}:
        return False
    if asked.keys() & own.keys():
        return False
    return not ("database" in own and _GENERIC.search(text.lower()))


@cache
def _patterns() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    return {
        kind: {product: _any_of(wordings.split("|")) for product, wordings in products.items()}
        for kind, products in _KINDS.items()
    }


def _any_of(wordings: Iterable[str]) -> re.Pattern[str]:
    words = "|".join(map(re.escape, wordings))
    return re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])" if words.isascii() else f"(?:{words})")
