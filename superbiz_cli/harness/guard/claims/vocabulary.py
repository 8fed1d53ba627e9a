"""Words that may stand in a claim without standing in the evidence, because they name no fact of it."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Abbreviations of the field that say what kind of thing something is. Error codes, states, currencies
# and record types are not among them: those are facts.
ACRONYMS = _words(
    """
    api cpu db id ids io i/o os rpc url qps tps vm mq json sla ntp am pm utc gmt cst vip vpn cdn csv pdf
    xml yaml sdk cli etl ci cd lb ha kpi qa uat iot sso html css ram ssd ip ok ui tv usa it vs a i ai
    dba sre
    """
)

# English compounds with a hyphen: recognised by their parts, not listed one by one.
COMPOUND_HEADS = _words(
    """
    a all back best beyond by close co counter cross de double down dry early end ever even ex extra
    fail fall far fast few fine first five follow four full garbage get go half hand hard heavy high hot
    in inter intra just knock large last late left less life light like live load log long look low
    macro main many medium mid mini more most multi near new next no non not now off old on once one
    only out over part peak per point post pre pro read real right roll run second self semi set short
    shut side single six slow small so start step still stop sub super switch ten then third three
    through time timed tight to too top trade trust twelve two un under up upper user warm well wide
    worst write zero cool clean built open round stand take turn work wake
    """
)
COMPOUND_TAILS = _words(
    """
    balancing based bound class consuming facing handling lasting limiting running saving sharing
    testing driven facing free going grade hand heavy in ins know less level like long made mortem off
    offs on only open order out outs over oriented parallel party phase point proof proven purpose ready
    related run runs safe sensitive side sided size sized specific state step term the through time
    times to up ups ended wide world wise world's up-to-date end back date point down downs minute
    second hour day week month year fold way
    generation collection region zone rate count length depth usage
    world memory pool call calls write writes read reads
    """
)
_SUFFIXES = re.compile(r"(?!feed|seed|speed|shed|sched)[a-z]*[aeiouy][a-z]*(?:ed|ly|able|ible|ness)$")

# Plain Latin words that Chinese engineers write inside Chinese sentences.
LATIN_IN_CHINESE = _words(
    """
    app bug cache client cluster cpu crash error errors fatal full gc heap info job jvm key keys lag
    leader limit log logs master message node old online offline pod pool queue request requests
    response retry server session shard slave slot slots socket sql stack swap task thread threads
    timeout token topic user warn warning web worker young the of and or in on at to for with by from is
    are as via per ok id api dns http https tls ssl tcp ip db mq ms qps tps rpc url json binlog
    checkpoint commit rollback failover broker consumer producer offset partition rebalance index row
    rows table schema header body proxy gateway host port
    """
)

_POSTGRES = r"postgres|\bpg[_-]|psql|pgbouncer|_lsn\b|conflict with recovery|checkpoint complete|autovacuum"

# Products that need not be named by a line which plainly comes from them.
IMPLIED_BY: dict[str, str] = {
    "redis": (
        r"redis|clusterdown|\bmoved\b|hash slot|lettuce|jedis|hot key|used_memory|maxmemory|evicted_keys"
    ),
    "mysql": (
        r"mysql|innodb|hy000|sqlstate|error 1\d{3}|threads_connected|max_connections|binlog|jdbc|"
        r"lock wait|deadlock"
    ),
    "mariadb": r"mariadb|innodb",
    "postgresql": _POSTGRES,
    "postgres": _POSTGRES,
    "wal": rf"\bwal\b|segment|{_POSTGRES}",
    "lsn": r"lsn",
    "kafka": r"kafka|consumer|partition|rebalanc|broker|offset",
    "rabbitmq": r"rabbit|amqp",
    "rocketmq": r"rocketmq|mqclient|consumequeue",
    "kubernetes": r"kube|container|\bpod|deployment|oomkilled|replica|crashloop",
    "k8s": r"kube|container|\bpod|deployment|oomkilled|replica|crashloop",
    "docker": r"docker|container",
    "elasticsearch": r"elastic|\bshard|lucene|circuit_breaking",
    "es": r"elastic|\bshard|lucene|circuit_breaking",
    "nginx": r"nginx|upstream|limiting requests|\bzone\b",
    "mongodb": r"mongo|wiredtiger|oplog",
    "zookeeper": r"zookeeper|\bzk\b|curator",
    "java": r"java|jvm|\bgc\b|heap|exception|jdk|hikari|tomcat|spring",
    "jvm": r"java|jvm|\bgc\b|heap|exception|jdk|safepoint",
    "linux": r"kernel|oom|systemd|kubelet|cgroup|/dev/|/var/",
    "jwt": r"jwt|\bjti\b|\biat\b",
    "sigkill": r"sigkill|\b137\b|oomkilled|signal 9",
    "sigterm": r"sigterm|\b143\b|signal 15",
    "smtp": r"smtp|mail",
    "ssh": r"sshd?\b",
    "ldap": r"ldap",
    "nfs": r"nfs|mount",
    "gpu": r"gpu|cuda|nvidia|xid",
    "oom": r"oom|out of ?memory|used_memory|maxmemory",
    "gc": r"\bgc\b|garbage|heap|safepoint",
    "tls": r"tls|ssl|certificate|handshake|pkix|x509",
    "ssl": r"tls|ssl|certificate|handshake|pkix|x509",
    "dns": r"dns|resolv|resolution|unknownhost|nxdomain|lookup",
    "tcp": r"tcp|connect|socket|port|reset|refused|timed? ?out",
    "http": r"http|status|\b[1-5]\d\d\b|\bget\b|\bpost\b|/\w",
    "https": r"http|status|\b[1-5]\d\d\b|tls|ssl|certificate",
    "sql": r"sql|select|insert|update|query|innodb|lock|table|hy000",
    "jdk": r"java|jvm|jdk",
    "sms": r"sms|短信|vendor|gateway",
    "udp": r"udp",
    "cuda": r"cuda",
    "hikari": r"hikari",
    "hikaricp": r"hikari",
    "grpc": r"grpc|deadline_exceeded|unavailable",
    "coredns": r"coredns",
    "etcd": r"etcd|raft",
    "prometheus": r"prometheus|alertmanager",
    "spring": r"spring",
    "tomcat": r"tomcat|http-nio|catalina",
    "netty": r"netty|nioeventloop",
    "dubbo": r"dubbo",
    "nacos": r"nacos",
}

# Those of them that are names wherever and however they stand; "spring" is a word too.
PRODUCTS = frozenset(name for name in IMPLIED_BY if len(name) > 4) - {"spring"}

# Reason phrases of HTTP (RFC 9110): the status code stands for the phrase.
REASON_PHRASES: dict[str, str] = {
    "400": "bad request",
    "401": "unauthorized",
    "403": "forbidden",
    "404": "not found",
    "408": "request timeout",
    "409": "conflict",
    "413": "content too large",
    "429": "too many requests",
    "500": "internal server error",
    "502": "bad gateway",
    "503": "service unavailable",
    "504": "gateway timeout",
}

# Programs whose plain lower-case names are as particular as any service's.
PROGRAMS = _words(
    """
    alertmanager apache chronyd consul containerd coredns cron crond crio deployer dockerd dnsmasq envoy etcd
    filebeat fluentd grafana haproxy istiod journald keepalived kubelet kubeproxy logstash mysqld nginx ntpd
    pgbouncer postfix postgres prometheus proxysql rsyslogd sentinel sshd systemd telegraf traefik twemproxy
    varnish vault watchdog zookeeper
    """
)

# Capitalised words inside an English sentence that name no fact of the evidence.
CAPITALISED = _words(
    """
    i monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december english chinese internet google full note
    """
)


# Hyphenated words of everyday technical English whose parts are no heads and tails in general.
ORDINARY_COMPOUNDS = _words(
    """
    ad-hoc add-on all-clear back-off best-case best-effort by-product clean-up cold-start cross-check cut-off
    cut-over day-to-day de-facto double-check end-user fail-over fail-safe fall-back far-end first-come
    follow-on follow-up hand-off hand-over head-of-line high-water in-flight knock-on lead-time lead-up
    left-over line-up log-in low-water mid-air near-miss non-zero off-peak off-site on-call on-site one-off
    one-way per-minute per-second per-user pick-up post-deploy pre-existing ramp-up real-time re-run re-try
    read-only roll-back roll-out root-cause round-robin round-trip run-up rush-hour self-heal set-up
    short-cut shut-down sign-in slow-down so-called speed-up spin-up stand-by start-up step-by-step
    store-and-forward
    sub-second take-off time-out trade-off turn-around two-way up-front warm-up wind-down work-around
    worst-case write-only
    """
)


def is_compound(word: str) -> bool:
    """Whether a lower-case word with hyphens is ordinary English rather than the name of something."""
    if word.lower() in ORDINARY_COMPOUNDS:
        return True
    parts = word.lower().split("-")
    if parts[-1] in COMPOUND_TAILS or _SUFFIXES.match(parts[-1]):
        return True
    return all(part in COMPOUND_HEADS or part in COMPOUND_TAILS for part in parts)
