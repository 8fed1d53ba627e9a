"""Which steps need a person's confirmation, whatever the model said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.draft import Action, Recommendation
from superbiz_cli.harness.release.actions import confirmed, only_looks, steps_and_advice

CHANGES = [
    "Restart payment-service",
    "restart the pods one by one",
    "Kill the statement that holds the connections",
    "Scale the deployment to 6 replicas",
    "Roll back the deployment of 10:02",
    "rollback to revision 22",
    "Delete the stale keys",
    "Drop the memo search",
    "Truncate the queue table",
    "Increase maximumPoolSize to 40",
    "Set max_connections to 800",
    "Fail over to the replica",
    "Shut down the batch job",
    "Check which transaction holds the connections before raising the pool size",
    "Look at the pool, then restart it",
    "Disable the promo.stack switch",
    "docker stop web-1",
    "echo 3 > /proc/sys/vm/drop_caches",
    "Frobnicate the cluster",
    "重启 payment-service",
    "杀掉占用连接的语句",
    "扩容到 6 个副本",
    "回滚 10:02 的发布",
    "删除过期的键",
    "把 max_connections 调到 800",
    "先检查连接池，再重启服务",
    "检查主从延迟后切换到从库",
    "关闭 promo.stack 开关",
    "修改配置",
    "コネクションプールを再起動する",
]
LOOKS = [
    "Check the slow query log of payment-service",
    "1. Look at the GC log",
    "Ask the channel for trace ids of order 2001",
    "Compare the failed requests with those of yesterday",
    "Confirm with the DBA that the index exists",
    "Monitor the last restart and the limit of the pool",
    "查看慢查询日志",
    "先检查连接池的使用情况",
    "向渠道方询问 2001 号订单的 trace id",
    "联系 DBA 确认索引是否存在",
]


@pytest.mark.parametrize("text", CHANGES)
@pytest.mark.parametrize("claimed", [True, False])
def test_a_step_that_changes_something_needs_confirmation_whatever_the_model_said(
    text: str, claimed: bool
) -> None:
    assert confirmed(Action(action=text, requires_human_confirmation=claimed)).requires_human_confirmation


@pytest.mark.parametrize("text", LOOKS)
def test_a_step_that_only_looks_may_go_without_confirmation(text: str) -> None:
    assert not confirmed(Action(action=text, requires_human_confirmation=False)).requires_human_confirmation


@pytest.mark.parametrize("text", LOOKS)
def test_a_confirmation_that_the_model_asked_for_stays(text: str) -> None:
    assert confirmed(Action(action=text, requires_human_confirmation=True)).requires_human_confirmation


@given(text=st.text(max_size=60))
def test_what_is_not_understood_needs_confirmation(text: str) -> None:
    step = confirmed(Action(action=text, requires_human_confirmation=False))
    assert step.requires_human_confirmation or only_looks(text)


@given(look=st.sampled_from(LOOKS), change=st.sampled_from(CHANGES[:12]))
def test_a_change_behind_a_look_is_found(look: str, change: str) -> None:
    assert not only_looks(f"{look}, then {change}")


def test_an_operation_among_the_recommendations_becomes_a_step_that_needs_confirmation() -> None:
    steps, advice = steps_and_advice(
        [Action(action="Look at the pool", requires_human_confirmation=False, based_on_analysis_ids=("a1",))],
        [
            Recommendation(text="Restart the pod now", based_on_analysis_ids=("a2",)),
            Recommendation(text="Add an index on memo", based_on_analysis_ids=("a1",)),
            Recommendation(text="立即重启服务", based_on_analysis_ids=("a1",)),
        ],
    )
    assert [(step.action, step.requires_human_confirmation) for step in steps] == [
        ("Look at the pool", False),
        ("Restart the pod now", True),
        ("立即重启服务", True),
    ]
    assert steps[1].based_on_analysis_ids == ("a2",)
    assert [item.text for item in advice] == ["Add an index on memo"]


def test_nothing_to_do_stays_nothing() -> None:
    assert steps_and_advice([], [Recommendation(text=None)]) == ((), (Recommendation(text=None),))


def test_a_step_without_a_text_needs_confirmation() -> None:
    assert confirmed(Action(action=None, requires_human_confirmation=False)).requires_human_confirmation


@pytest.mark.parametrize(
    "text",
    [
        "I have restarted payment-service and verified that it works now",
        "We've scaled the pool to 40",
        "1. I killed query 928",
        "Look at the pool. The system has deleted the key",
        "已重启 payment-service",
        "我已经将连接池扩大到 40",
        "系统已自动回滚",
    ],
)
def test_what_is_said_to_be_done_is_left_out(text: str) -> None:
    step = Action(action=text, requires_human_confirmation=True, based_on_analysis_ids=("A1",))
    advice = Recommendation(text=text, based_on_analysis_ids=("A1",))
    assert steps_and_advice([step], [advice]) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "Restart payment-service",
        "Confirm that the configuration has been applied",
        "Ask whether we restarted it yesterday",
        "If the system has scaled up, scale it down",
        "Kill the statements that still run",
        "检查是否已重启",
        "已有事务先等待结束再重启",
        "确认已完成回滚",
    ],
)
def test_a_step_that_speaks_of_what_was_done_stays(text: str) -> None:
    step = Action(action=text, requires_human_confirmation=True, based_on_analysis_ids=("A1",))
    assert [one.action for one in steps_and_advice([step], [])[0]] == [text]
