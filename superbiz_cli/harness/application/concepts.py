"""What on-call engineers speak about, in English and Chinese: one row a concept, with its wordings.

Two people describe one fault in different words and in two languages; the concepts make them
comparable. A weight says how much a shared concept tells: that two incidents "time out" says little,
that both are about an empty connection pool says much. English wordings are compared word by word
with their endings cut (`terms.stem`), Chinese ones as written.
"""

from __future__ import annotations

from collections.abc import Mapping

SPECIFIC = 1.5  # a part of the system, or a mechanism
VAGUE = 0.7  # a symptom that many mechanisms share

# What a service is for says which one is affected, but nothing about the mechanism of a fault.
BUSINESS = frozenset(
    {
        "payment",
        "order",
        "checkout",
        "refund",
        "inventory",
        "user",
        "login",
        "search",
        "coupon",
        "delivery",
        "report",
        "sms",
    }
)

# What is noticed first; many mechanisms have them.
SYMPTOMS = frozenset(
    {"timeout", "slow", "unavailable", "rejected", "crash", "full", "missing", "duplicate", "traffic"}
)

# concept: (weight, English wordings separated by "|", Chinese wordings separated by "|")
CONCEPTS: Mapping[str, tuple[float, str, str]] = {
    # symptoms
    "timeout": (
        VAGUE,
        "timeout|time out|times out|timed out|timing out|deadline exceeded|hang|hangs|hanging|stuck"
        "|no response|not responding|does not respond|stopped responding|never returns",
        "超时|卡住|卡死|无响应|没有响应|没响应|不响应|未响应",
    ),
    "slow": (
        VAGUE,
        "slow|slower|slowness|sluggish|latency|latencies|slowly|slow response|takes long"
        "|takes forever|delayed|response time",
        "很慢|变慢|缓慢|太慢|延迟|延时|卡顿|耗时|响应慢|慢",
    ),
    "unavailable": (
        VAGUE,
        "unavailable|down|unreachable|outage|not available|cannot connect|cant connect|refused"
        "|connection refused|cannot reach|cant reach",
        "不可用|宕机|挂了|连不上|连接不上|无法连接|拒绝连接|打不开|访问不了|无法访问",
    ),
    "rejected": (VAGUE, "rejected|denied|forbidden|unauthorized|not allowed", "被拒绝|拒绝|无权限|未授权"),
    "crash": (
        SPECIFIC,
        "crash|crashes|crashed|crashing|crashloop|crash loop|crashloopbackoff|restarts|restarting"
        "|keeps restarting|killed|panic|segfault",
        "崩溃|频繁重启|不断重启|反复重启|被杀|异常退出",
    ),
    "leak": (SPECIFIC, "leak|leaks|leaked|leaking|leakage", "泄漏|泄露"),
    "full": (
        VAGUE,
        "full|exhausted|exhaustion|used up|ran out|run out|runs out|out of|limit reached|filled|fills up"
        "|filling up|eaten up",
        "耗尽|打满|用尽|占满|写满|满了|用完|撑爆|撑满|爆了|爆满",
    ),
    "missing": (
        VAGUE,
        "missing|lost|never arrives|not received|not arrive",
        "丢失|缺失|没收到|未收到|收不到",
    ),
    "duplicate": (SPECIFIC, "duplicate|duplicated|duplicates|twice", "重复"),
    "http5xx": (
        SPECIFIC,
        "5xx|500|502|503|504|bad gateway|gateway timeout|service unavailable|internal server error",
        "网关错误|网关报错",
    ),
    # parts of the business
    "payment": (
        SPECIFIC,
        "payment|payments|pay|paying|paid|payout|billing|charge|charges",
        "支付|付款|收银|收款|扣款|缴费",
    ),
    "order": (SPECIFIC, "order|orders|ordering|purchase", "订单|下单"),
    "checkout": (SPECIFIC, "checkout|check out|cart|basket", "结算|结账|购物车"),
    "refund": (SPECIFIC, "refund|refunds|refunded|chargeback", "退款|退货|冲正"),
    "inventory": (SPECIFIC, "inventory|stock|warehouse", "库存|仓储|仓库"),
    "user": (
        SPECIFIC,
        "user service|user center|account|accounts|member|membership|profile",
        "用户中心|用户服务|账户|账号|会员",
    ),
    "login": (
        SPECIFIC,
        "login|log in|logging in|logins|signin|sign in|authentication|auth|sso|token|tokens",
        "登录|登陆|鉴权|认证|令牌",
    ),
    "search": (SPECIFIC, "search|searches|elasticsearch", "搜索|检索"),
    "coupon": (SPECIFIC, "coupon|coupons|voucher|promotion|discount", "优惠券|红包|促销|折扣"),
    "delivery": (SPECIFIC, "delivery|shipping|shipment|logistics|courier", "物流|配送|发货|快递"),
    "report": (SPECIFIC, "report|reports|reporting|export|exports", "报表|导出"),
    "sms": (SPECIFIC, "sms|text message|email|mail|push notification", "短信|邮件|推送"),
    "callback": (
        SPECIFIC,
        "callback|callbacks|webhook|webhooks|notification|notifications|notify",
        "回调|异步通知|支付通知|通知",
    ),
    "channel": (
        SPECIFIC,
        "channel|acquirer|third party|provider|psp|alipay|wechat pay|paypal|stripe|adyen|unionpay"
        "|payment gateway",
        "渠道|第三方|通道|上游渠道|支付宝|微信支付|银联",
    ),
    "signature": (SPECIFIC, "signature|signatures|signing|sign verification", "签名|验签"),
    # databases
    "database": (SPECIFIC, "mysql|database|databases|db|sql|innodb|mariadb|postgres|rds", "数据库|主库|从库"),
    "pool": (
        SPECIFIC,
        "pool|pools|connection pool|connection pools|database connection|database connections|db connection"
        "|db connections|jdbc connection|hikari|hikaripool|hikaricp|druid|queuepool|too many connections",
        "连接池|数据库连接|连接数",
    ),
    "connection": (1.0, "connection|connections|connect|connecting|connects", "连接"),
    "slow query": (
        SPECIFIC,
        "slow query|slow queries|slow sql|slow statement|slow statements|full table scan|full scan"
        "|missing index|no index|index|indexes|statement timeout",
        "慢查询|全表扫描|缺索引|缺少索引|没走索引|索引",
    ),
    "lock": (
        SPECIFIC,
        "lock|locks|locked|locking|lock wait|lock waits|lock wait timeout|row lock|metadata lock|blocked",
        "锁等待|锁超时|锁表|行锁|锁冲突|元数据锁|锁",
    ),
    "deadlock": (SPECIFIC, "deadlock|deadlocks|deadlocked|dead lock", "死锁"),
    "replication": (
        SPECIFIC,
        "replication|replica|replicas|slave|replica lag|replication lag",
        "主从|同步延迟|复制延迟",
    ),
    "transaction": (1.0, "transaction|transactions|rollback|commit", "事务"),
    # caches and queues
    "redis": (SPECIFIC, "redis|jedis|lettuce|cache|caches|caching|memcached", "缓存"),
    "big key": (
        SPECIFIC,
        "big key|big keys|bigkey|bigkeys|hot key|hotkey|hot keys",
        "",
    ),
    "eviction": (SPECIFIC, "eviction|evictions|evict|evicted|maxmemory", "淘汰|驱逐"),
    "queue": (
        SPECIFIC,
        "queue|queues|kafka|rabbitmq|rocketmq|mq|broker|brokers|topic|topics|message|messages",
        "消息|队列|消息队列",
    ),
    "backlog": (
        SPECIFIC,
        "backlog|lag|lagging|pile up|piling up|piles up|piled up|accumulate|accumulating",
        "积压|堆积",
    ),
    "consumer": (
        SPECIFIC,
        "consumer|consumers|consume|consumes|consumed|consuming|consumption|rebalance|rebalancing",
        "消费|重平衡",
    ),
    # machines and runtimes
    "memory": (
        SPECIFIC,
        "memory|heap|heap space|oom|out of memory|outofmemoryerror|oomkilled|oom killed|metaspace",
        "内存|堆内存|堆|内存溢出",
    ),
    "gc": (
        SPECIFIC,
        "gc|fullgc|full gc|garbage collection|garbage collector|stop the world|gc pause|gc pauses",
        "垃圾回收|gc停顿|停顿",
    ),
    "jvm": (SPECIFIC, "jvm|java", "虚拟机"),
    "cpu": (SPECIFIC, "cpu|load average|high load", "处理器|负载"),
    "thread": (SPECIFIC, "thread|threads|thread pool|threadpool", "线程|线程池"),
    "disk": (
        SPECIFIC,
        "disk|disks|disk full|disk space|no space left|enospc|inode|inodes|filesystem|file system"
        "|volume|disk partition|data partition",
        "磁盘|硬盘|空间不足|文件系统|分区",
    ),
    "pod": (SPECIFIC, "pod|pods|kubernetes|k8s|container|containers|node|nodes|evicted pod", "容器|节点"),
    # networks
    "network": (
        SPECIFIC,
        "network|networks|packet loss|no route|route|firewall|vpn|connection reset|reset by peer",
        "网络|丢包|专线|防火墙|连接被重置",
    ),
    "dns": (
        SPECIFIC,
        "dns|name resolution|unknown host|unknownhostexception|no such host|resolve|resolving|resolver",
        "域名|域名解析|解析失败|解析",
    ),
    "certificate": (
        SPECIFIC,
        "certificate|certificates|cert|certs|tls|ssl|x509|pkix|https|handshake",
        "证书|握手",
    ),
    "gateway": (SPECIFIC, "gateway|nginx|ingress|proxy|load balancer|lb|envoy", "网关|负载均衡|代理"),
    "upstream": (SPECIFIC, "upstream|upstreams|downstream|dependency|dependencies", "上游|下游|依赖"),
    "circuit breaker": (
        SPECIFIC,
        "circuit breaker|circuit breakers|breaker|fallback triggered|retry storm",
        "熔断|降级",
    ),
    "rate limit": (
        SPECIFIC,
        "rate limit|rate limited|rate limiting|throttle|throttled|throttling|429|too many requests",
        "限流|频率限制",
    ),
    # changes
    "deploy": (
        SPECIFIC,
        "deploy|deploys|deployed|deployment|deployments|release|released|releases|rollout|rolled out"
        "|new version|upgrade|upgraded|canary|rolled back|roll back|regression",
        "发布|上线|部署|新版本|灰度|升级|回滚|变更|发版",
    ),
    "config": (
        SPECIFIC,
        "config|configuration|configurations|setting|settings|parameter|feature flag|toggle",
        "配置|参数|开关",
    ),
    "job": (
        SPECIFIC,
        "job|jobs|batch|cron|scheduler|scheduled task|nightly",
        "定时任务|批处理|跑批|任务调度",
    ),
    "traffic": (SPECIFIC, "traffic|spike|surge|qps|peak|flash sale", "流量|突增|大促|秒杀|高峰"),
}
