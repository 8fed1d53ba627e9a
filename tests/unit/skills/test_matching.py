"""Which skills a question activates: the mechanics; the shipped skills have a table of their own."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.application.skills import MAX_PROMPT_CHARS, match_skills, rank_skills
from superbiz_cli.harness.contract.skill import Skill


def a_skill(name: str, *triggers: str, text: str = "text", **fields: object) -> Skill:
    return Skill(
        name=name,
        description=str(fields.get("description", "")),
        text=text,
        triggers=triggers,
        services=tuple(str(one) for one in fields.get("services", ())),  # type: ignore[attr-defined]
    )


POOL = a_skill("pool", "connection pool", "hikari", "连接池")
REDIS = a_skill("redis", "redis memory", "eviction", "redis 内存")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("the connection pool is empty", ["pool"]),
        ("Connection-Pools are exhausted", ["pool"]),
        ("HIKARI complains", ["pool"]),
        ("连接池满了", ["pool"]),
        ("redis is out of memory", ["redis"]),
        ("redis的内存爆了", ["redis"]),
        ("redis 内存告警", ["redis"]),
        ("a connection failed", []),
        ("memory is high", []),
        ("内存很高", []),
        ("the poolside bar", []),
        ("", []),
    ],
)
def test_a_trigger_must_be_named_whole(query: str, names: list[str]) -> None:
    assert [match.skill.name for match in rank_skills(query, [POOL, REDIS])] == names


def test_the_better_match_comes_first_and_a_weak_second_is_left_out() -> None:
    query = "connection pool, hikari, 连接池: maybe eviction"
    assert [skill.name for skill in match_skills(query, [REDIS, POOL])] == ["pool"]


def test_two_equal_matches_are_both_active() -> None:
    found = match_skills("eviction here, hikari too", [POOL, a_skill("redis", "eviction")])
    assert [skill.name for skill in found] == ["pool", "redis"]


def test_never_more_than_two() -> None:
    skills = [a_skill(name, name) for name in ("alpha", "beta", "gamma")]
    assert [skill.name for skill in match_skills("alpha beta gamma", skills)] == ["alpha", "beta"]


def test_what_every_skill_claims_says_nothing() -> None:
    assert match_skills("deadlock", [a_skill(name, "deadlock") for name in "abc"]) == ()


def test_a_trigger_with_its_words_apart_weighs_less() -> None:
    together = rank_skills("the connection pool is empty", [POOL])[0].score
    apart = rank_skills("the pool has no connection", [POOL])[0].score
    assert apart < together


def test_what_does_not_fit_the_prompt_is_left_out_whole() -> None:
    long = a_skill("long", "deadlock here", text="x" * (MAX_PROMPT_CHARS - 3))
    short = a_skill("short", "deadlock", text="xxxx")
    assert [skill.name for skill in match_skills("deadlock here", [short, long])] == ["long"]


def test_a_skill_without_triggers_is_found_by_its_description() -> None:
    foreign = a_skill("kafka-tuning", description="Use when Kafka consumer lag grows.")
    assert match_skills("kafka consumer lag is growing", [foreign]) == (foreign,)
    assert match_skills("the kafka meetup", [foreign]) == ()


def test_a_named_service_helps_but_is_not_enough() -> None:
    skill = a_skill("pay", "callback", services=("payment",))
    plain = rank_skills("the callback fails", [skill])[0].score
    assert rank_skills("the payment callback fails", [skill])[0].score > plain
    assert rank_skills("payment is odd", [skill]) == ()


def test_what_is_asked_in_other_words_is_found_by_shared_concepts() -> None:
    locks = a_skill("locks", "lock wait", "deadlock", description="Use when transactions block each other.")
    assert match_skills("a transaction is blocked by another one", [POOL, locks]) == (locks,)


def test_one_shared_concept_activates_nothing() -> None:
    locks = a_skill("locks", "lock wait", "deadlock", description="Use when transactions block each other.")
    assert match_skills("how many transactions do we have?", [POOL, locks]) == ()


@pytest.mark.parametrize(
    "query",
    [
        "PostgreSQL: the slow query log grows, index missing",
        "mongodb slow query without index",
        "pg 慢查询",
    ],
)
def test_a_procedure_for_one_product_is_none_for_another(query: str) -> None:
    slow = a_skill("mysql-slow-query", "slow query", "慢查询", "index")
    assert match_skills(query, [slow]) == ()
    assert match_skills(f"mysql behind {query}", [slow]) == (slow,)


def test_the_product_that_is_named_decides_between_two_skills() -> None:
    pool = a_skill("mysql-pool", "连接池", "connection pool")
    redis = a_skill("redis-timeout", "jedis", description="Use when Redis cannot be reached.")
    assert match_skills("jedis 连接池 取不到连接", [pool, redis]) == (redis,)
    assert match_skills("数据库 连接池 取不到连接", [pool, redis]) == (pool,)


def test_symptoms_alone_activate_nothing() -> None:
    redis = a_skill("redis", "redis failover", description="Use after a restart, or when it is down or slow.")
    assert match_skills("search is down, restarts", [redis]) == ()


@pytest.mark.parametrize(
    "query",
    [
        "how do I size a connection pool?",
        "please write a guide on the connection pool",
        "怎么配置连接池",
        "what is a connection pool",
    ],
)
def test_a_question_that_reports_no_trouble_activates_nothing(query: str) -> None:
    assert match_skills(query, [POOL]) == ()


def test_a_how_to_question_about_trouble_still_finds_its_skill() -> None:
    assert match_skills("how do I find why the connection pool is exhausted?", [POOL]) == (POOL,)


@pytest.mark.parametrize("query", ["the conection pool is empty", "conneciton pool", "the connecttion pool"])
def test_a_mistyped_word_is_read_as_what_was_meant(query: str) -> None:
    assert match_skills(query, [POOL]) == (POOL,)


def test_the_name_of_a_class_is_read_as_its_words() -> None:
    dns = a_skill("dns", "unknown host")
    assert match_skills("java.net.UnknownHostException: shop", [dns]) == (dns,)


def test_more_wordings_of_one_thing_weigh_no_more() -> None:
    for query, trigger, others in (
        ("连接池满了", "连接池", ("连接", "池")),
        ("connection pool", "connection pool", ("pool", "connection")),
    ):
        plain = rank_skills(query, [a_skill("pool", trigger)])[0].score
        assert rank_skills(query, [a_skill("pool", trigger, *others)])[0].score == plain
