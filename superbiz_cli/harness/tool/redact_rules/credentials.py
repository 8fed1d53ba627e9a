"""Credentials that are known by their place or their shape."""

# ruff: noqa: E501 - a table of patterns reads better unbroken

from __future__ import annotations

from superbiz_cli.harness.tool.redact_rules.checks import (
    is_credential_value,
    is_secret_token_value,
    is_token_like,
)
from superbiz_cli.harness.tool.redact_rules.rule import Rule, rule

CREDENTIALS: tuple[Rule, ...] = (
    rule(
        "private key block",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?P<PRIVATE_KEY>(?:(?!-----END)[\s\S])*)",
        needs=("private key",),
    ),
    rule(
        "password in a URL",
        r"\b[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/\"'<>:@]*):(?P<PASSWORD>[^\s/\"'<>]+)@",
        needs=("://",),
    ),
    rule(
        "token as the user of a URL",
        r"\bhttps?://(?P<TOKEN>[A-Za-z0-9_-]{20,})@",
        needs=("://",),
    ),
    rule(
        "data source name (Go)",
        r"(?:[\w.-]+):(?P<PASSWORD>[^\s:@/]+)@(?:tcp|udp|unix)\((?P<HOST>[^\s():]+)(?::(?P<PORT>\d+))?\)",
        needs=("@tcp(", "@udp(", "@unix("),
    ),
    rule(
        "user/password@ (Oracle)",
        r"(?:jdbc:oracle:\w+:|sqlplus\s+(?:-\w+\s+)*)(?:[\w$#]+)/(?P<PASSWORD>[^\s@]+)@(?://)?(?P<HOST>[\w.-]+)?(?::(?P<PORT>\d+))?",
        needs=("oracle", "sqlplus"),
    ),
    rule(
        "Authorization header with parameters",
        r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:AWS4-HMAC-SHA256|Digest|OAuth|Signature|HMAC-\w+|Negotiate|NTLM)\s+(?P<CREDENTIAL>[^\n]+)",
        needs=("authorization",),
    ),
    rule(
        "Authorization header",
        r"(?i)\b(?:proxy-)?authorization\\?[\"']?\]?\s*[:=]\s*\\?[\"']?(?:\[\s*)?(?:(?:Basic|Bearer|Token|ApiKey|Key|JWT|AWS|GoogleLogin|Splunk|GenieKey)\s+)?(?P<CREDENTIAL>[^\s\"',;\]\\]+)",
        needs=("authorization",),
        accepts=is_token_like("CREDENTIAL"),
    ),
    rule(
        "bearer or basic credential",
        r"(?i)\b(?:bearer|basic)\s+(?P<TOKEN>[A-Za-z0-9._~+/=-]{8,})",
        needs=("bearer", "basic"),
        accepts=is_secret_token_value("TOKEN"),
    ),
    rule(
        "Set-Cookie header",
        r"(?i)\bset-cookie[\"']?\s*[:=]\s*[\"']?[^\s=;\"']+=(?P<COOKIE>[^;\s\"']+)",
        needs=("set-cookie",),
    ),
    rule(
        "Cookie header",
        r"(?i)(?<!set-)\bcookies?[\"']?\s*[:=]\s*[\"'\[{]?(?P<COOKIE>[\w.%-]+=[^\n\"'\]}]+)",
        needs=("cookie",),
    ),
    rule(
        "session identifier",
        r"(?i)\b(?:j?sessionid|phpsessid|aspsessionid\w*|asp\.net_sessionid|connect\.sid|laravel_session|sessid|x?csrf-?token|xsrf-token|ptoken|passport)[\"']?\s*[=:]\s*[\"']?(?P<SESSION>[^\s;,&\"'<>()]+)",
        needs=("sess", "csrf", "xsrf", "connect.sid", "ptoken", "passport"),
        accepts=is_credential_value("SESSION"),
    ),
    rule(
        "JSON web token",
        r"\b(?P<JWT>eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){0,3})",
        needs=("eyj",),
    ),
    rule(
        "cloud access key",
        r"\b(?P<ACCESS_KEY>(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,}|LTAI[A-Za-z0-9]{10,}|AKID[A-Za-z0-9]{13,}|AKLT[A-Za-z0-9_-]{10,})\b",
        needs=("akia", "asia", "aroa", "aida", "abia", "acca", "ltai", "akid", "aklt"),
    ),
    rule(
        "code hosting token",
        r"\b(?P<TOKEN>gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|gl(?:pat|rt|cbt|dt|soat|ptt|ft|imt|agent)-[\w.-]{16,}|ATBB\w{20,}|ATATT3\S{20,})",
        needs=("gh", "gl", "github_pat", "atbb", "atatt3"),
    ),
    rule(
        "chat token or webhook",
        r"(?P<TOKEN>\bxox[a-z]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{10,}|(?<=hooks\.slack\.com/services/)[\w/]+"
        r"|(?<=discord\.com/api/webhooks/)[\w/-]+|(?<=/open-apis/bot/v2/hook/)[\w-]+|(?<=webhook/send\?key=)[\w-]+"
        r"|(?<=/bot)\d{6,}:[\w-]{20,}|\b\d{8,10}:[A-Za-z0-9_-]{35}\b)",
        needs=("xox", "xapp-", "hooks.slack", "webhook", "/hook/", "bot", ":"),
    ),
    rule(
        "service token with a prefix",
        r"\b(?P<TOKEN>sk-[A-Za-z0-9_-]{16,}|[sprk]{2}_(?:live|test)_\w{8,}|whsec_\w{16,}|AIza[\w-]{20,}|ya29\.[\w-]{10,}|1//0[\w-]{20,}|GOCSPX-[\w-]{10,}"
        r"|pypi-[\w-]{16,}|npm_\w{20,}|hf_\w{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|dckr_pat_[\w-]{16,}|dop_v1_\w{20,}|shp(?:at|ca|pa|ss)_\w{16,}"
        r"|hv[sbr]\.[\w-]{16,}|s\.[A-Za-z0-9]{24}\b|dapi[0-9a-f]{28,}|key-[0-9a-f]{32}|sq0\w{3}-[\w-]{16,}|EAAC\w{20,}|AGE-SECRET-KEY-\w+"
        r"|glsa_\w{20,}|lin_api_\w{20,}|nvapi-[\w-]{20,}|gsk_\w{20,}|xai-\w{20,}|r8_\w{20,}|pk_(?:live|test)_\w{8,}|rubygems_\w{20,}|tfp_\w{20,}|figd_[\w-]{20,}|NRAK-\w{16,}|PMAK-[\w-]{20,}|sntrys_\S{20,})",
    ),
    rule(
        "password hash",
        r"(?P<PASSWORD_HASH>\$(?:2[abxy]|1|5|6|y|apr1|argon2[id]{1,2}|scrypt|pbkdf2[\w-]*)\$[^\s\"',;]+)",
        needs=("$",),
    ),
    rule(
        "curl -u user:password",
        r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user|-U)[ =]?[\"']?(?:[^\s:\"']+):(?P<PASSWORD>[^\s\"']+)",
        needs=("curl",),
    ),
    rule(
        "-p of a MySQL client",
        r"\b(?:mysql\w*|mariadb[\w-]*|mongo\w*|sshpass|xtrabackup|innobackupex|mycli)\b[^\n|;]{0,300}?\s-p\s?[\"']?(?P<PASSWORD>[^\s\"']+)",
        needs=("mysql", "mariadb", "mongo", "sshpass", "backup", "mycli"),
    ),
    rule(
        "redis-cli -a",
        r"\bredis-cli\b[^\n|;]{0,300}?\s(?:-a|--pass)[ =][\"']?(?P<PASSWORD>[^\s\"']+)",
        needs=("redis-cli",),
    ),
    rule(
        "-w of an LDAP client",
        r"\bldap\w+\b[^\n|;]{0,300}?\s-w\s?[\"']?(?P<PASSWORD>[^\s\"']+)",
        needs=("ldap",),
    ),
    rule(
        "password option",
        r"(?i)(?<!\w)--?(?:\w+-)*(?:password|passwd|pass|token|secret|api-?key|access-?key|secret-?key|auth-?token|client-?secret)[ =][\"']?(?P<PASSWORD>[^\s\"',;]+)",
        needs=("--", " -"),
        accepts=is_credential_value("PASSWORD"),
    ),
    rule(
        "SQL password clause",
        r"(?i)\b(?:identified\s+(?:with\s+\S+\s+)?(?:by|as)(?:\s+password)?|password\s*\(|set\s+password[^\n=]*=)\s*(?P<PASSWORD>'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\\.)*\")",
        needs=("identified", "password"),
    ),
    rule(
        "AUTH command",
        r"\bAUTH\s+(?:[\w-]+\s+)?[\"'](?P<PASSWORD>[^\s\"']+)[\"']",
        needs=("auth",),
    ),
)
