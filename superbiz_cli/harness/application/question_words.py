"""The words that tell reports of trouble from other questions, in English and Chinese."""

from __future__ import annotations

import re


def _any_of(alternatives: str) -> re.Pattern[str]:
    """Compile alternatives that are separated by line ends or " | "."""
    parts = re.split(r"\s*\n\s*| \| ", alternatives.strip())
    return re.compile("|".join(part for part in parts if part), re.IGNORECASE)


# Something is wrong.
TROUBLE = _any_of(r"""
    time[sd]? ?-?out | timing out | \berrors?\b | \bfail(?:s|ed|ing|ure|ures)?\b | \bdown\b
    \bslow(?:er|ly|ness)?\b | \blatency\b | \bexception\b | \bcrash\w* | \brestart(?:s|ed|ing)\b
    \boom\w* | \bout of memory\b | \bdeadlock\w* | \brefus\w+ | \bstuck\b | \bhang(?:s|ing)?\b
    \bunavailable\b | \b5\d\d\b | \b5xx\b | \balert\w* | \bfiring\b | \bspik\w+ | \bbacklog\b
    \blag(?:s|ging)?\b | \bfull\b | \bexpired?\b | \bbroken\b | \bdrop(?:s|ped|ping)?\b | \bwrong\b
    \bincident\b | \boutage\b | \bunhealthy\b | \bdegraded\b | \bblocked\b
    \bnot (?:working|responding|available|reachable)\b | \b(?:can't|cannot|unable)\b | \broot cause\b
    \bdiagnos\w+ | \binvestigat\w+ | \bwhat happened\b
    超时 | 报错 | 错误 | 失败 | 异常 | 故障 | 宕机 | 挂了 | 崩溃 | 重启 | 变慢 | 很慢 | 太慢 | 卡顿
    卡住 | 延迟
    告警 | 报警 | 积压 | 堆积 | 打满 | 飙升 | 升高 | 暴涨 | 下跌 | 拒绝 | 死锁 | 泄漏 | 溢出 | 不可用
    无法 | 不了
    没反应 | 没响应 | 无响应 | 过期 | 丢失 | 不通 | 断开 | 耗尽 | 爆了 | 满了 | 慢查询 | 根因
    排查一下 | 查一下
    看一下 | 怎么回事 | 出了什么 | 定位 | 诊断
""")

# It is happening in a running system.
HAPPENING = _any_of(r"""
    \bsince\b | \bnow\b | \btoday\b | \byesterday\b | \blast (?:night|hour|week)\b | \bago\b | \bstill\b
    \bagain\b | \bsuddenly\b | \bkeeps?\b | \bstarted\b | \bjust\b | \bour\b | \bprod(?:uction)?\b
    \b\d{1,2}:\d{2}\b | \bis (?:it|there)\b | \bwhy (?:is|are|did|does|do|was|were)\b | \bcheck\b
    \blook into\b | \bhave been\b | \bgoing on\b | \bhappen(?:s|ed|ing)\b | \bwhat is wrong\b
    \bwhat's wrong\b
    \b(?:fails|crashes|hangs|keep|is down|are down|is slow|are slow|times out|time out)\b
    开始 | 刚才 | 刚刚 | 现在 | 今天 | 昨天 | 昨晚 | 早上 | 上午 | 下午 | 凌晨 | 目前 | 突然 | 一直
    又 | 还在
    频繁 | 大量 | 线上 | 生产 | 我们的 | 为什么 | 为何 | \d点 | 帮我查 | 查一下 | 看一下 | 看看
    怎么回事 | 出了什么 | 怎么了 | 什么原因 | 什么问题 | 什么情况
""")

# Someone wrote down the answer.
DOCUMENTED = _any_of(r"""
    \bhow (?:do|can|should|to|would)\b | \bwhat(?:'s| is| are) (?:the|our|a|an)\b
    \bwhat does\b.*\bmean\b
    \brunbook\b | \bplaybook\b | \bprocedure\b | \bdocumentation\b | \bdocs?\b | \bpolicy\b
    \bbest practices?\b | \bexplain\b | \bmeaning of\b | \bwho (?:is|owns)\b | \bdifference between\b
    \bsteps? (?:to|for)\b | \bguide(?:line)?s?\b | \bdefault value\b | \bwhere (?:is|are|do|can)\b
    \brecommended\b | \bshould (?:we|i)\b
    如何 | 怎么(?!回事|办|了|样) | 怎样 | 是什么(?!原因|问题|情况|导致|引起) | 什么是 | 什么意思
    含义 | 流程 | 手册
    文档 | 规范 | 步骤 | 最佳实践 | 有哪些 | 区别 | 谁负责 | 在哪里 | 说明 | 教程 | 指南 | 建议值
    默认值 | 预案
""")

# The question is about superbiz.
ABOUT_US = _any_of(r"""
    \bsuperbiz\b | \bwho are you\b | \bwhat can you\b | \bwhat do you\b | \bhow do you work\b
    \bare you\b
    \byour (?:name|sources|tools|model|limits)\b | \bcan you (?:read|access|see|write|delete|help)\b
    \bwhich (?:sources|tools|logs|model)\b.*\byou\b
    你是谁 | 你能 | 你可以 | 你会 | 你有什么 | 你支持 | 你用的 | 你的(?:功能|数据源|模型|工具|能力)
    介绍一下(?:你|自己)
    怎么用你 | 支持哪些 | 能做什么
""")

# Something is to be written, counted or built.
WANTED = _any_of(r"""
    \bhow (?:many|much|often|long|big|large)\b
    ^\W*(?:please )?(?:write|draft|generate|translate|summari[sz]e)\b
    \bfeature request\b
    ^\W*(?:can|could|does|is|are|will|which|what|who|when)\b.*\b(?:support\w*|have|changed in|new in)\b
    ^\W*(?:compare|recommend|suggest|teach|explain|introduce)\b | \bwhat is an?\b | \bvs\.? | \bversus\b
    帮(?:我|忙)(?:写|生成|翻译|画) | ^\W*(?:请|麻烦)?(?:写|介绍|推荐|讲|翻译) | 多少(?:个|条|台|钱)
    (?:什么时候|是否|能否|可不可以).{0,6}(?:支持|增加)
""")

SMALL_TALK = _any_of(r"""
    ^\W*(?:hi|hello|hey|thanks?|thank you|thx|good (?:morning|evening)|bye|ok(?:ay)?)[\s\w]{0,12}\W*$
    ^\W*(?:help|test|ping)\W*$
    ^\W*(?:你好|您好|谢谢|多谢|再见|在吗|早上好|晚上好|嗨|哈喽|帮助)[\s\w一-鿿]{0,8}\W*$
    \bwrite (?:a|me|an) (?:poem|story|song|joke|essay)\b | \btell me a joke\b | \bweather\b
    写(?:一)?首 | 讲个笑话 | 天气
""")

# A short remark that continues an earlier question.
FOLLOW_UP = _any_of(r"""
    ^\W*(?:why|and|what about|how about|again|more|continue|go on|retry|same|then|so)\b
    ^\W*(?:那|为什么|为啥|继续|再查|再看|还有|然后|具体|另外|换)
    呢\W*$
""")

_MORE_TROUBLE = _any_of(r"""
    \bexhaust\w* | \bkill(?:s|ed|ing)?\b | \bevict\w* | \bleak\w* | \blos(?:t|es|ing)\b
    \bmissing\b | \bunreachable\b
    \bwhy\b | \breject\w* | \breset\w*\b | \block(?:s|ed)?\b | \bpil(?:e|es|ed|ing) up\b
    \bgrow(?:s|ing)\b | \bbreak(?:s|ing)?\b
    \bexplain (?:shows|says|plan|select)\b | \bout of\b | \bstop(?:s|ped)\b | \bno space\b | \bnot found\b
    打不开 | 访问不 | 连不上 | 拿不到 | 收不到 | 没收到 | 淘汰 | 被杀 | 锁 | 撑
    占满 | 写满 | 不足 | 不够 | 抖动 | 掉线 | 掉单
    熔断 | 降级 | 停顿 | 只读 | 为什么
""")


def reports_no_trouble(text: str) -> bool:
    """Whether `text` asks for knowledge, a piece of work or the tool itself, and of nothing that is wrong."""
    asks = any(words.search(text) for words in (DOCUMENTED, ABOUT_US, WANTED, SMALL_TALK))
    return asks and not (TROUBLE.search(text) or _MORE_TROUBLE.search(text))
