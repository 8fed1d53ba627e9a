"""Our own sentences in the two languages of the reader, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from superbiz_cli.harness.contract.status import FallbackType

Language: TypeAlias = Literal["en", "zh"]
LanguageSetting: TypeAlias = Literal["auto", "en", "zh"]

_CJK_FIRST, _CJK_LAST = "\u4e00", "\u9fff"


class Sentence(StrEnum):
    """What a fallback or the limits of a report may say."""

    VALIDATION_FAILED = "VALIDATION_FAILED"
    REFERENCES_FAILED = "REFERENCES_FAILED"
    INSTRUCTIONS_REPEATED = "INSTRUCTIONS_REPEATED"
    JUDGED_UNSUPPORTED = "JUDGED_UNSUPPORTED"
    JUDGE_UNAVAILABLE = "JUDGE_UNAVAILABLE"
    NO_PROOF = "NO_PROOF"
    NOTHING_MATCHED = "NOTHING_MATCHED"
    SATURATED = "SATURATED"
    OUT_OF_BUDGET = "OUT_OF_BUDGET"
    MODEL_LOST = "MODEL_LOST"
    PROTOCOL_BROKEN = "PROTOCOL_BROKEN"
    DRAFT_UNUSABLE = "DRAFT_UNUSABLE"
    CONTEXT_MISSING = "CONTEXT_MISSING"
    EMPTY_IS_NO_PROOF = "EMPTY_IS_NO_PROOF"
    SUPPLY_MISSING = "SUPPLY_MISSING"
    RUN_AGAIN = "RUN_AGAIN"
    CHECK_JUDGE = "CHECK_JUDGE"
    CHECK_MODEL = "CHECK_MODEL"
    RAISE_BUDGET = "RAISE_BUDGET"
    LOOK_AT_TRACE = "LOOK_AT_TRACE"
    COMPARE_CASE = "COMPARE_CASE"
    WINDOW = "WINDOW"
    EVENTS_SHOWN = "EVENTS_SHOWN"
    EVENTS_SAMPLED = "EVENTS_SAMPLED"
    PATTERNS_SHOWN = "PATTERNS_SHOWN"
    SHOWN_OF = "SHOWN_OF"
    SOURCE_REMARK = "SOURCE_REMARK"
    FACT_PATTERN = "FACT_PATTERN"
    FACT_EVENT = "FACT_EVENT"
    FACT_SAMPLED = "FACT_SAMPLED"
    FACT_OTHER = "FACT_OTHER"
    IS_NEW = "IS_NEW"
    WAS_BEFORE = "WAS_BEFORE"
    NO_MATCH = "NO_MATCH"
    NO_EVENT = "NO_EVENT"
    CHECKED = "CHECKED"
    CHECKED_LOGS = "CHECKED_LOGS"
    CHECKED_TIMES = "CHECKED_TIMES"
    READ_LINES = "READ_LINES"
    READ_BEFORE = "READ_BEFORE"
    SINCE_WHEN = "SINCE_WHEN"
    LOOK_AT_SOURCES = "LOOK_AT_SOURCES"
    ASK_WIDER = "ASK_WIDER"
    ROWS_CUT = "ROWS_CUT"
    PASSAGES_CUT = "PASSAGES_CUT"
    REASON_WITHHELD = "REASON_WITHHELD"


_EN: Final[Mapping[Sentence, str]] = {
    Sentence.VALIDATION_FAILED: (
        "A cause was drafted, but {count} of its references, figures or quotations could not be "
        "confirmed in the recorded results. It is not published."
    ),
    Sentence.REFERENCES_FAILED: (
        "The draft names no cause, and {count} of its references could not be confirmed in the "
        "recorded results."
    ),
    Sentence.INSTRUCTIONS_REPEATED: (
        "The draft repeats what the model was told instead of what was found. It is not published."
    ),
    Sentence.JUDGED_UNSUPPORTED: (
        "A cause was drafted and its references are real, but the independent judge found it not "
        "supported by the evidence. It is not published."
    ),
    Sentence.JUDGE_UNAVAILABLE: (
        "A cause was drafted and its references are real, but the independent judge gave no "
        "verdict. Without one it is not published."
    ),
    Sentence.NO_PROOF: "What was found does not prove a cause.",
    Sentence.NOTHING_MATCHED: "Nothing matched in what was searched, so no cause can be shown.",
    Sentence.SATURATED: "The last searches brought nothing new, so it ended there. No cause is proven.",
    Sentence.OUT_OF_BUDGET: "The budget of this run was used up before a cause was proven.",
    Sentence.MODEL_LOST: "The model stopped answering, so the search ended there. No cause is proven.",
    Sentence.PROTOCOL_BROKEN: (
        "The model did not keep to the rules of the search, so it was stopped. No cause is proven."
    ),
    Sentence.DRAFT_UNUSABLE: (
        "The model's final answer could not be used, so only what the searches returned is "
        "shown. No cause is proven."
    ),
    Sentence.CONTEXT_MISSING: "Nothing was searched: something is missing that only you can supply.",
    Sentence.EMPTY_IS_NO_PROOF: "An empty result says that nothing matched there, not that all is well.",
    Sentence.SUPPLY_MISSING: 'Supply what is missing and run  {program} diagnose -c "again"',
    Sentence.RUN_AGAIN: "Judge the facts above yourself, or run it again: the model may cite better.",
    Sentence.CHECK_JUDGE: "Check the guard model with  {program} doctor  and run the diagnosis again.",
    Sentence.CHECK_MODEL: "Check the model with  {program} doctor , then ask again.",
    Sentence.RAISE_BUDGET: "Raise the limit in [run], or narrow the question.",
    Sentence.LOOK_AT_TRACE: "{program} trace show {run_id}  shows every step and what was refused.",
    Sentence.COMPARE_CASE: "Compare with an earlier incident:  {program} case show {case_id}",
    Sentence.WINDOW: "Logs were searched from {start} to {end}. {refs}",
    Sentence.EVENTS_SHOWN: "A sample of the matching events was read, the counts cover all: {parts}.",
    Sentence.EVENTS_SAMPLED: (
        "Only a sample of the matching events was fetched, the counts of messages are those of it: {parts}."
    ),
    Sentence.PATTERNS_SHOWN: "Not all patterns were read: {parts}.",
    Sentence.SHOWN_OF: "{shown} of {total} {refs}",
    Sentence.SOURCE_REMARK: "Log source {remark}",
    Sentence.FACT_PATTERN: '{who}, {count} times from {first} to {last}{new}: "{message}"',
    Sentence.FACT_EVENT: '{who}, once at {first}{new}: "{message}"',
    Sentence.FACT_SAMPLED: (
        '{who}, at least {count} times, in a sample from {first} to {last}{new}: "{message}"'
    ),
    Sentence.FACT_OTHER: "{summary}",
    Sentence.IS_NEW: ", none in the equally long time before",
    Sentence.WAS_BEFORE: ", also in the equally long time before",
    Sentence.NO_MATCH: "No event of the {topic} logs matched the search for {query}, {window}.",
    Sentence.NO_EVENT: "The {topic} logs hold no event, {window}.",
    Sentence.CHECKED: "Nothing but this was searched: {parts}.",
    Sentence.CHECKED_LOGS: "{topic} logs {window}",
    Sentence.CHECKED_TIMES: "{what} ({count} times)",
    Sentence.READ_LINES: "Read the lines where it began:  {command}",
    Sentence.READ_BEFORE: "See what else happened just before:  {command}",
    Sentence.SINCE_WHEN: "See whether it was there earlier:  {command}",
    Sentence.LOOK_AT_SOURCES: "See what the sources hold and how new it is:  {program} logs sources",
    Sentence.ASK_WIDER: "Ask over a longer time:  {command}",
    Sentence.ROWS_CUT: "Only the first {shown} rows were read. {refs}",
    Sentence.PASSAGES_CUT: "Only the first {shown} passages were read. {refs}",
    Sentence.REASON_WITHHELD: "The judge gave no reason of its own.",
}
_ZH: Final[Mapping[Sentence, str]] = {
    Sentence.VALIDATION_FAILED: (
        "草稿给出了根因，但其中 {count} 处引用、数字或引文无法在记录的结果中核实，因此不予发布。"
    ),
    Sentence.REFERENCES_FAILED: "草稿没有给出根因，其中有 {count} 处引用无法在已记录的结果中核实。",
    Sentence.INSTRUCTIONS_REPEATED: "草稿重复了给模型的指令，而不是查到的内容，因此不予发布。",
    Sentence.JUDGED_UNSUPPORTED: "草稿给出了根因，引用也真实存在，但独立裁判认为证据不足，因此不予发布。",
    Sentence.JUDGE_UNAVAILABLE: "草稿给出了根因，引用也真实存在，但独立裁判没有给出裁决，因此不予发布。",
    Sentence.NO_PROOF: "已查到的内容不足以证明根因。",
    Sentence.NOTHING_MATCHED: "检索范围内没有匹配的内容，因此无法说明根因。",
    Sentence.SATURATED: "最近几次检索没有带来新信息，检索已停止，根因尚未证实。",
    Sentence.OUT_OF_BUDGET: "本次运行的预算已用完，根因尚未证实。",
    Sentence.MODEL_LOST: "模型停止响应，检索已停止，根因尚未证实。",
    Sentence.PROTOCOL_BROKEN: "模型没有遵守检索规则，检索已停止，根因尚未证实。",
    Sentence.DRAFT_UNUSABLE: "模型的最终回答无法使用，这里只列出检索返回的内容，根因尚未证实。",
    Sentence.CONTEXT_MISSING: "没有进行检索：缺少只有你才能提供的信息。",
    Sentence.EMPTY_IS_NO_PROOF: "空结果只说明在该范围内没有匹配，不代表没有故障。",
    Sentence.SUPPLY_MISSING: '补充缺少的信息后运行  {program} diagnose -c "再查一次"',
    Sentence.RUN_AGAIN: "请自行判断以上事实，或重新运行诊断，模型可能会给出正确的引用。",
    Sentence.CHECK_JUDGE: "用  {program} doctor  检查裁判模型，然后重新运行诊断。",
    Sentence.CHECK_MODEL: "用  {program} doctor  检查模型后再问一次。",
    Sentence.RAISE_BUDGET: "提高 [run] 中的上限，或缩小问题范围。",
    Sentence.LOOK_AT_TRACE: "{program} trace show {run_id}  可以看到每一步以及被拒绝的内容。",
    Sentence.COMPARE_CASE: "与以前的类似故障对照：{program} case show {case_id}",
    Sentence.WINDOW: "日志检索范围：{start} 至 {end}。{refs}",
    Sentence.EVENTS_SHOWN: "匹配事件只读取了抽样，计数覆盖全部事件：{parts}。",
    Sentence.EVENTS_SAMPLED: "匹配事件只取回了抽样，各类消息的次数和最早时间以抽样为准：{parts}。",
    Sentence.PATTERNS_SHOWN: "日志模式没有全部读取：{parts}。",
    Sentence.SHOWN_OF: "{total} 条中的 {shown} 条 {refs}",
    Sentence.SOURCE_REMARK: "日志源 {remark}",
    Sentence.FACT_PATTERN: "{who}：从 {first} 到 {last} 共 {count} 次{new}：“{message}”",
    Sentence.FACT_EVENT: "{who}：{first} 出现一次{new}：“{message}”",
    Sentence.FACT_SAMPLED: "{who}：至少 {count} 次，抽样中从 {first} 到 {last}{new}：“{message}”",
    Sentence.FACT_OTHER: "查询结果：{summary}",
    Sentence.IS_NEW: "，此前同样长的时间内没有",
    Sentence.WAS_BEFORE: "，此前同样长的时间内也有",
    Sentence.NO_MATCH: "{topic}日志在 {window} 没有事件匹配检索“{query}”。",
    Sentence.NO_EVENT: "{topic}日志在 {window} 没有任何事件。",
    Sentence.CHECKED: "除此之外没有检索：{parts}。",
    Sentence.CHECKED_LOGS: "{topic}日志 {window}",
    Sentence.CHECKED_TIMES: "{what}（{count} 次）",
    Sentence.READ_LINES: "查看开始出现时的日志：{command}",
    Sentence.READ_BEFORE: "查看在那之前还发生了什么：{command}",
    Sentence.SINCE_WHEN: "查看更早是否已经出现：{command}",
    Sentence.LOOK_AT_SOURCES: "查看日志源里有什么、最新到什么时候：{program} logs sources",
    Sentence.ASK_WIDER: "放宽时间再查：{command}",
    Sentence.ROWS_CUT: "只读取了前 {shown} 行。{refs}",
    Sentence.PASSAGES_CUT: "只读取了前 {shown} 段文档。{refs}",
    Sentence.REASON_WITHHELD: "裁判没有给出自己的理由。",
}
_TEXTS: Final[Mapping[Language, Mapping[Sentence, str]]] = {"en": _EN, "zh": _ZH}

MESSAGE_OF: Final[Mapping[FallbackType, Sentence]] = {
    FallbackType.EVIDENCE_VALIDATION_FAILED: Sentence.VALIDATION_FAILED,
    FallbackType.SEMANTIC_UNSUPPORTED: Sentence.JUDGED_UNSUPPORTED,
    FallbackType.SEMANTIC_UNAVAILABLE: Sentence.JUDGE_UNAVAILABLE,
    FallbackType.INSUFFICIENT_EVIDENCE: Sentence.NO_PROOF,
    FallbackType.MISSING_REQUIRED_CONTEXT: Sentence.CONTEXT_MISSING,
}


_TOPICS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "APPLICATION": "application",
        "DATABASE_SLOW_QUERY": "database slow query",
        "SYSTEM_EVENTS": "system",
    },
    "zh": {"APPLICATION": "应用", "DATABASE_SLOW_QUERY": "数据库慢查询", "SYSTEM_EVENTS": "系统"},
}


# What the sources say of themselves, as far as it is a fixed word of ours; names and numbers stay.
_REMARKS_ZH: Final[tuple[tuple[str, str], ...]] = (
    ("binary file", "二进制文件，没有读取"),
    ("does not exist", "不存在"),
    ("permission denied", "没有读取权限"),
    ("cannot be read", "无法读取"),
    ("lines that state no time were not searched", "没有写明时间的行没有检索"),
    ("no line states a time that is understood", "没有一行写明可以识别的时间"),
    ("its newest event is at", "最新的事件在"),
    ("the folder has no files", "文件夹里没有文件"),
)


def remark_in_words(remark: str, language: Language) -> str:
    """Return what a source says that it could not read."""
    if language == "zh":
        for english, chinese in _REMARKS_ZH:
            remark = remark.replace(english, chinese)
    return say(Sentence.SOURCE_REMARK, language, remark=remark)


def topic_in_words(topic: str, language: str) -> str:
    """Return how a reader calls a log topic."""
    return _TOPICS[language].get(topic, topic)


PROGRAM = "superbiz"


def say(sentence: Sentence, language: Language, **values: object) -> str:
    """Return `sentence` in `language` with its placeholders filled.

    `program` is what the reader types before a subcommand, "superbiz" unless it is given.
    """
    return _TEXTS[language][sentence].format(**{"program": PROGRAM, **values}).strip()


def language_of(query: str, setting: LanguageSetting = "auto") -> Language:
    """Return the language to answer in: the setting, else Chinese if the query holds an ideograph."""
    if setting != "auto":
        return setting
    return "zh" if any(_CJK_FIRST <= char <= _CJK_LAST for char in query) else "en"
