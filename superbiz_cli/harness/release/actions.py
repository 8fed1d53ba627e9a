"""Steps that change something are published only with a request for a person's confirmation.

A step counts as harmless only if it begins with a verb of looking and names no change at all, in
English or Chinese. Everything else, also what we do not understand, needs confirmation. What is said to
have been done already is left out: this program only reads, so nobody did it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from superbiz_cli.harness.contract.draft import Action, Recommendation

_LOOKING_EN = """
    analyse analyze ask assess audit check collect compare confirm consult contact correlate count
    determine discuss estimate evaluate examine find gather identify inform inspect investigate list
    look measure monitor observe query read review search see talk trace track verify view watch
"""
_LOOKING_ZH = """
    检查 查看 查询 查找 查阅 核对 核实 核查 确认 观察 监控 监测 关注 分析 排查 对比 比较 收集 联系 询问
    咨询 定位 评估 统计 追踪 跟踪 审查 复核 了解 梳理 阅读 搜索 检索 通知 告知
"""
# Stems: "restart" also finds restarts, restarted and restarting, "scal" scale and scaling.
_STEMS = """
    abort add alter apply archiv ban block bounc bump bypass cancel chang clean clear clos commit
    configur cordon correct creat decreas delet demot deploy disabl doubl downgrad downsiz drain drop
    eject enabl evict execut expand extend failover fix flush forc free freez grant grow halv hotfix
    increas insert install isolat kill launch lengthen lift limit lock lower merg migrat modif mount mov
    optimi[sz] overrid patch paus promot provision publish purg push raise rais reapply reassign
    rebalanc reboot rebuild recreat recover recycl redeploy redirect reduc refresh refund reindex
    reinstall relax releas reload remov renam renew repair replac replay requeue rerout rerun resend
    reset resiz restart restor resum retir retry revert revok roll rollback rotat run scal schedul set
    shed shorten shrink shutdown start stop suspend swap switch sync terminat throttl tighten toggl
    trigger truncat tun turn undo uninstall unlock unmount unset updat upgrad vacuum warm whitelist wip
    writ
"""
_PHRASES_EN = (
    r"(?:shut|take)[\s-]+down|(?:fail|cut)[\s-]+over|roll[\s-]+back|(?:bring|scale)[\s-]+up|kick[\s-]+off"
)
_CHANGES_ZH = """
    重启 重新启动 启动 杀 kill 终止 结束 停止 停掉 停用 关停 关闭 关掉 下线 上线 扩容 缩容 扩大 缩小
    回滚 回退 恢复 还原 删除 删掉 删去 清空 清理 清除 清掉 截断 修改 更改 变更 更新 改为 改成 改回 调整
    调大 调小 调高 调低 调优 提高 提升 降低 增大 增加 加大 减少 减小 放宽 收紧 延长 缩短 设置 设为
    配置为 启用 禁用 打开 开启 切换 切到 切流 发布 部署 升级 降级 替换 更换 轮换 续期 吊销 授权 屏蔽
    封禁 拉黑 限流 熔断 摘除 摘掉 隔离 驱逐 迁移 重建 重放 重试 重跑 重发 重置 补发 取消 撤销 暂停 解锁
    加锁 归档 执行 释放 断开 踢掉 踢出 新增 添加 创建 新建 写入 插入 加索引 建索引 优化 冻结 解冻 推送
    合并 刷新 预热 修复 安装 卸载
"""
# Steps rather than advice: what of a recommendation would be done at once.
_OPERATIONS_EN = (
    r"restart|reboot|kill|terminat|delet|truncat|purg|flush|drop|failover|rollback|revert|shutdown|redeploy|drain|"
    r"cordon|evict|scal(?=e|ing)|remov|wip"
)
_OPERATIONS_ZH = """
    重启 重新启动 杀 终止 停止 停掉 关停 关闭 下线 扩容 缩容 回滚 回退 删除 删掉 清空 清除 截断 驱逐
    摘除 切换 降级
"""


# Behind one of these the same word is a noun: "the last restart", "a limit".
_BEFORE_A_NOUN = "".join(
    rf"(?<!\b{word} )" for word in re.findall(r"\w+", "the a an of any last recent this that its")
)


def _any_of(words: str) -> str:
    return "|".join(re.escape(word) for word in words.split())


_NUMBERING = (
    r"(?:\s*(?:\d+[.)、]|[-*•])\s*)?(?:please\s+|first,?\s+|then\s+|also\s+|请先?|先|再|建议先?|向\S{1,12}?)*"
)
_LOOKS = re.compile(rf"{_NUMBERING}(?:(?:{_any_of(_LOOKING_EN)})\b|{_any_of(_LOOKING_ZH)})", re.IGNORECASE)
_CHANGES = re.compile(
    rf"{_BEFORE_A_NOUN}\b(?:{'|'.join(_STEMS.split())})(?:e|es|ed|ing|s|y|ies|ied|d|[a-z]ed|[a-z]ing)?\b"
    rf"|\b(?:{_PHRASES_EN})\b"
    rf"|{_any_of(_CHANGES_ZH)}",
    re.IGNORECASE,
)
_OPERATES = re.compile(
    rf"\b(?:{_OPERATIONS_EN})[a-z]*\b|\b(?:roll|shut|fail|scale)[a-z]*[\s-]+(?:back|down|over|up|out|in)\b"
    rf"|{_any_of(_OPERATIONS_ZH)}",
    re.IGNORECASE,
)


_PARTICIPLE = (
    rf"(?:(?:{'|'.join(_STEMS.split())})(?:e|[a-z])?(?:d|ed|ied)|(?:ran|run|shut|set|made|put|cut) )"
)
_SAYS_DONE = re.compile(
    rf"(?:^|[.!;]\s+){_NUMBERING}(?:I|we|the (?:agent|assistant|tool|system|model))(?:'ve| have| has)? "
    rf"(?:already |just |now |successfully )*{_PARTICIPLE}"
    rf"|(?:^|[。；;]\s*){_NUMBERING}(?:我们?|系统|工具|助手)?(?:刚刚?)?已经?(?:为您?|帮您?|成功|自动)*"
    rf"(?:将|把|对|{_any_of(_CHANGES_ZH)}|执行|完成)",
    re.IGNORECASE,
)


def says_done(text: str) -> bool:
    """Whether `text` says that somebody here has changed something already."""
    return _SAYS_DONE.search(text) is not None


def only_looks(text: str) -> bool:
    """Whether `text` is a step of looking and names no change."""
    return _LOOKS.match(text) is not None and _CHANGES.search(text) is None


def confirmed(step: Action) -> Action:
    """Return `step` as it may be published: confirmation required unless it only looks."""
    if step.requires_human_confirmation or only_looks(step.action or ""):
        return step
    return step.model_copy(update={"requires_human_confirmation": True})


def steps_and_advice(
    steps: Iterable[Action], advice: Iterable[Recommendation]
) -> tuple[tuple[Action, ...], tuple[Recommendation, ...]]:
    """Return the steps as they may be published, and the advice that is left; none that says it was done.

    A recommendation has no room for a confirmation: one that names an operation (restart, delete,
    roll back, ...) becomes a step that needs it.
    """
    steps = [step for step in steps if not says_done(step.action or "")]
    advice = tuple(item for item in advice if not says_done(item.text or ""))
    operations = tuple(
        Action(
            action=item.text,
            requires_human_confirmation=True,
            based_on_analysis_ids=item.based_on_analysis_ids,
        )
        for item in advice
        if _OPERATES.search(item.text or "")
    )
    remaining = tuple(item for item in advice if not _OPERATES.search(item.text or ""))
    return (*(confirmed(step) for step in steps), *operations), remaining
