"""Words that people use for services and symptoms, and the terms that logs use for them."""

from __future__ import annotations

# What stands where the name of a service could stand, and is none.
NOT_A_SERVICE = frozenset(
    """time-out time-outs on-call read-only e-mail out-of-memory oom-kill set-up start-up follow-up up-to-date
    the our all any this that which what every each some with from and web http https rest rpc micro failed
    failing slow many most several other new old why are does log logs error errors health its their these
    those when while last first next more few one two three api apis app remote external internal upstream
    downstream customer customers mobile backend frontend""".split()  # noqa: SIM905 (a list of words to read)
)

# Business words of a Chinese question and the stem that English logs have in common.
DOMAIN_WORDS = {
    "支付": "pay",
    "付款": "pay",
    "收款": "pay",
    "退款": "refund",
    "订单": "order",
    "下单": "order",
    "库存": "inventory",
    "商品": "product",
    "购物车": "cart",
    "结算": "checkout",
    "结账": "checkout",
    "用户": "user",
    "会员": "member",
    "登录": "login",
    "登陆": "login",
    "认证": "auth",
    "鉴权": "auth",
    "网关": "gateway",
    "短信": "sms",
    "邮件": "mail",
    "通知": "notif",
    "物流": "ship",
    "配送": "deliver",
    "搜索": "search",
    "推荐": "recommend",
    "优惠券": "coupon",
    "营销": "promo",
    "账单": "billing",
    "对账": "reconcil",
    "回调": "callback",
    "导出": "export",
    "报表": "report",
    "上传": "upload",
}

# (what the question says, what logs say): the first entry that fits wins, specific ones first.
SYMPTOMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("out of memory", "oom", "内存溢出", "内存不足"), ("OutOfMemory", "oom")),
    (("deadlock", "死锁"), ("deadlock",)),
    (("lock wait", "锁等待"), ("lock wait",)),
    (("connection pool", "连接池"), ("connection",)),
    (("no space", "disk", "磁盘", "空间不足"), ("No space left", "disk")),
    (("certificate", "cert ", "tls", "ssl", "证书"), ("certificate", "SSL")),
    (("dns", "resolve", "域名", "解析失败"), ("resolve", "UnknownHost")),
    (("refused", "拒绝连接", "连接被拒"), ("refused",)),
    (
        ("timeout", "time out", "times out", "timed out", "timing out", "超时"),
        ("timed out", "timeout"),
    ),
    (("kafka", "rabbit", "backlog", "consumer", "积压", "队列", "消费"), ("consumer", "queue")),
    (("redis", "缓存"), ("redis",)),
    (("crash", "restart", "重启", "崩溃", "宕机"), ("restart", "terminated")),
    (("denied", "forbidden", "unauthorized", "权限", "拒绝访问"), ("denied",)),
    (("5xx", "502", "503", "504"), ("upstream",)),
    (("slow", "latency", "慢", "延迟", "卡顿"), ("slow",)),
    (("fail", "失败"), ("failed",)),
)
