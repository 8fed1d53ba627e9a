"""Every sentence that the offline model writes, in English and Chinese. Values come from observations."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_MANY_DECIMALS = re.compile(r"\d{1,9}\.\d{4,12}")

PHRASES: Final[dict[str, dict[str, str]]] = {
    "en": {
        "pattern": '{service} logged {count} times from {first} to {last}: "{quote}".',
        "pattern_unnamed": 'Logged {count} times from {first} to {last}: "{quote}".',
        "sampled": '{service} logged at least {count} times, in a sample from {first} to {last}: "{quote}".',
        "sampled_unnamed": 'Logged at least {count} times, in a sample from {first} to {last}: "{quote}".',
        "event": '{service} logged "{quote}" at {first}.',
        "event_unnamed": '"{quote}" was logged at {first}.',
        "row": "The query returned the row {quote}.",
        "passage": 'The knowledge base says: "{quote}"',
        "new": " It is new: the equally long time before shows none.",
        "began": " It did not occur earlier in the window searched, which starts at {start}.",
        "background": " It was there before the reported incident, so it does not explain how that began.",
        "seen_before": " It also occurred in the equally long time before.",
        "background_unknown": " It was there from the start of the window searched.",
        "negative_logs": "No {topic} log event from {start} to {end} matched the search: {query}",
        "negative_other": "The search found nothing in the {source}.",
        "scope": "{topic} logs {window} ({searches})",
        "searches_one": "one search",
        "searches": "{count} searches",
        "scope_mysql": "MySQL {source}",
        "scope_knowledge": "knowledge base",
        "nothing_checked": "Nothing could be searched.",
        "no_rule": "A procedure (skill) for this question: none fits, so errors could only be ranked.",
        "rule_unproven": "Proof of a cause that the procedure {skill} knows: it found none.",
        "service_unseen": "No line written by a service like {service} was found: is its log configured?",
        "trigger_new": 'What triggered this error, which is new since {first}: "{quote}"',
        "trigger_sampled": 'What triggered this error, and when it began: "{quote}"',
        "trigger_loudest": 'What triggers the most frequent error: "{quote}"',
        "offline": (
            "Written by the built-in offline model: fixed rules over the search results, no language model."
        ),
        "failed_calls": "A search failed, so its source was not checked.",
        "look_first": 'Look first at the error that began inside the window: "{quote}".',
        "look_loudest": 'Look first at the most frequent error: "{quote}".',
        "read_runbook": "Read the runbook passage that the search found for this question.",
        "no_events": "Any event of that time: the sources hold none. Check window, zone and paths.",
        "no_source": "A source to search: none is configured; run superbiz config init.",
        "nothing_found": "An event that reports trouble: no search found one.",
    },
    "zh": {
        "pattern": "{service} 记录了 {count} 次“{quote}”，从 {first} 到 {last}。",
        "pattern_unnamed": "“{quote}”出现了 {count} 次，从 {first} 到 {last}。",
        "sampled": "{service} 至少记录了 {count} 次“{quote}”，抽样中从 {first} 到 {last}。",
        "sampled_unnamed": "“{quote}”至少出现了 {count} 次，抽样中从 {first} 到 {last}。",
        "event": "{service} 在 {first} 记录了“{quote}”。",
        "event_unnamed": "{first} 出现了“{quote}”。",
        "row": "查询返回了一行：{quote}。",
        "passage": "知识库写道：“{quote}”",
        "new": "这是新出现的：此前同样长的时间内没有。",
        "began": "在检索窗口（从 {start} 开始）内，此前没有出现过。",
        "background": "它在所报告的故障之前就已存在，因此不能解释故障的发生。",
        "seen_before": "此前同样长的时间内也出现过。",
        "background_unknown": "它从检索窗口一开始就存在。",
        "negative_logs": "{start} 到 {end} 之间没有{topic}日志事件匹配检索：{query}",
        "negative_other": "在{source}中没有检索到任何内容。",
        "scope": "{topic}日志 {window}（{searches}）",
        "searches_one": "检索一次",
        "searches": "检索 {count} 次",
        "scope_mysql": "MySQL {source}",
        "scope_knowledge": "知识库",
        "nothing_checked": "没有可以检索的数据源。",
        "no_rule": "适用于这个问题的排查步骤（skill）：没有，只能对错误排序。",
        "rule_unproven": "能证明某个原因的证据：按照排查步骤 {skill} 没有找到。",
        "service_unseen": "没有找到由类似 {service} 的服务写出的日志：它的日志是否在已配置的数据源里？",
        "trigger_new": "是什么触发了从 {first} 起新出现的错误：“{quote}”",
        "trigger_sampled": "是什么触发了这个错误，它从何时开始：“{quote}”",
        "trigger_loudest": "是什么触发了出现最多的错误：“{quote}”",
        "offline": "由内置离线模型撰写：对检索结果套用固定规则，没有使用语言模型。",
        "failed_calls": "有一次检索失败，其数据源没有被检查。",
        "look_first": "先看在检索窗口之内开始的错误：“{quote}”。",
        "look_loudest": "先看出现最多的错误：“{quote}”。",
        "read_runbook": "阅读检索到的相关手册段落。",
        "no_events": "该时段的任何事件：数据源里没有。请检查时间窗口、时区和路径。",
        "no_source": "可以检索的数据源：还没有配置；请运行 superbiz config init。",
        "nothing_found": "报告异常的事件：所有检索都没有找到。",
    },
}


def say(language: str, phrase: str, **values: str) -> str:
    """Return a sentence with its values filled in."""
    return PHRASES[language][phrase].format(**values)


def readable_number(value: str) -> str:
    """Return a number of four and more decimals cut to three digits or one decimal; all else as it is."""
    if not _MANY_DECIMALS.fullmatch(value) or not (number := Decimal(value)):
        return value
    step = Decimal("0.1") if number >= 10 else Decimal(1).scaleb(number.adjusted() - 2)
    return f"{number.quantize(step):f}"
