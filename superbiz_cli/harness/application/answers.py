"""The two branches that are not a diagnosis: talk about the tool itself, and knowledge questions."""

from __future__ import annotations

from collections.abc import Sequence

from superbiz_cli.harness.contract.report import Answer, CitedText, SafeFallback
from superbiz_cli.harness.contract.status import FailureStage, FallbackType
from superbiz_cli.harness.contract.tool_call import ToolName

_ABOUT_EN = (
    "I diagnose incidents: I search logs, runbooks and an allow-listed MySQL database, all read-only, and "
    "publish a cause only when every claim can be traced to a tool result and an independent judge agrees.",
    "Sources configured now: {sources}. Model: {model}.",
    'Ask me about an incident, for example:  superbiz diagnose "payment service times out since 10:00"',
    "Other commands:  superbiz doctor  checks the set-up,  superbiz trace list  shows earlier runs,  "
    "superbiz demo  runs a bundled incident.",
)
_ABOUT_ZH = (
    "我用来诊断线上故障：只读地检索日志、知识库和白名单内的 MySQL 数据；"
    "只有当每个论断都能追溯到真实的工具结果、并且独立裁判认可时，才会发布根因。",
    "当前已配置的数据源：{sources}。模型：{model}。",
    '直接描述故障即可，例如：superbiz diagnose "支付服务从 10:00 开始超时"',
    "其他命令：superbiz doctor 检查配置，superbiz trace list 查看历史运行，"
    "superbiz demo 运行内置的故障演示。",
)
_SOURCE_WORD = {
    ToolName.LOOKUP_KNOWLEDGE: "knowledge base",
    ToolName.QUERY_LOGS: "logs",
    ToolName.QUERY_MYSQL: "MySQL",
}
_SOURCE_WORD_ZH = {
    ToolName.LOOKUP_KNOWLEDGE: "知识库",
    ToolName.QUERY_LOGS: "日志",
    ToolName.QUERY_MYSQL: "MySQL",
}


def about_the_tool(query: str, *, tools: Sequence[ToolName], model: str) -> Answer:
    """Answer a question about superbiz itself. Written by code: no model can be wrong about us."""
    chinese = is_chinese(query)
    words = _SOURCE_WORD_ZH if chinese else _SOURCE_WORD
    none = "无" if chinese else "none"
    sources = ("、" if chinese else ", ").join(words[tool] for tool in tools) or none
    lines = _ABOUT_ZH if chinese else _ABOUT_EN
    return Answer(
        statements=tuple(CitedText(text=line.format(sources=sources, model=model), refs=()) for line in lines)
    )


def no_knowledge_base(query: str) -> SafeFallback:
    """Say that the question needs a knowledge base and that none is configured."""
    if is_chinese(query):
        return SafeFallback(
            type=FallbackType.MISSING_REQUIRED_CONTEXT,
            message="这个问题需要知识库才能回答，但当前没有配置知识库。",
            missing_info=("包含答案的运维手册或文档",),
            next_steps=("如果这是一次故障，请描述现象，我会改为检索日志",),
            failure_stage=FailureStage.DIAGNOSIS_INPUT,
        )
    return SafeFallback(
        type=FallbackType.MISSING_REQUIRED_CONTEXT,
        message="This question needs a knowledge base, and none is configured.",
        missing_info=("the runbooks or documents that hold the answer",),
        next_steps=("if this is an incident, describe its symptoms and the logs will be searched",),
        failure_stage=FailureStage.DIAGNOSIS_INPUT,
    )


def is_chinese(text: str) -> bool:
    """Whether `text` holds a CJK ideograph, so that we answer in Chinese."""
    return any("一" <= char <= "鿿" for char in text)
