"""The redaction table: one rule a line of thought, in the order in which they run.

A rule's named groups are what is replaced, and the group's name is the kind in the placeholder
(trailing digits only keep names apart). `needs` are lower-case words of which one must occur, a cheap
test before the pattern. `accepts` sees the match and may refuse it: most of the work here is not to
find a secret but to leave versions, identifiers, durations, class names and plain prose alone.
"""

# ruff: noqa: E501 - tables of patterns and words read better unbroken

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from superbiz_cli.harness.tool.redact_checks import (
    has_digits,
    is_address_v6,
    is_bank_card,
    is_credential_value,
    is_domain_name,
    is_host_value,
    is_iban,
    is_identity_number,
    is_named_machine,
    is_not_a_version,
    is_not_labelled_otherwise,
    is_secret_token_value,
    is_token_like,
)

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret and how to find it."""

    name: str
    pattern: re.Pattern[str]
    needs: tuple[str, ...] = ()
    accepts: Callable[[Match], bool] | None = None
    after: re.Pattern[str] | None = None


def _rule(
    name: str,
    pattern: str,
    *,
    needs: tuple[str, ...] = (),
    accepts: Callable[[Match], bool] | None = None,
    after: re.Pattern[str] | None = None,
) -> Rule:
    return Rule(name=name, pattern=re.compile(pattern), needs=needs, accepts=accepts, after=after)


PRIVATE_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
SQL_BEGIN = re.compile(
    r"(?is)\bselect\b.{1,2000}?\bfrom\b|\bselect\s+[\w@(]|\binsert\s+(?:ignore\s+)?into\b|\breplace\s+into\b|\bupdate\b.{1,200}?\bset\b"
    r"|\bdelete\s+from\b|\bwhere\s+[\w.`\"()]+\s*(?:=|<|>|!=|like\b|in\b|between\b|is\b)|\bvalues\s*\(|\bhaving\s|\bcall\s+\w+\s*\("
)
PRIVATE_KEY_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")

# A value: quoted (escapes allowed), in braces or brackets, or up to the next delimiter.
_Q = r"\\?[\"'`]"
_VALUE = (
    r"(?:"
    r"\\\"(?P<{k}1>(?:(?!\\\")[^\n])*)\\\""
    r"|\"(?P<{k}2>(?:[^\"\\\n]|\\.)*)\""
    r"|'(?P<{k}3>(?:[^'\\\n]|\\.)*)'"
    r"|`(?P<{k}4>[^`\n]*)`"
    r"|\{{(?P<{k}5>[^}}\n]*)\}}"
    r"|\|(?P<{k}6>[^|\n]*)\|"
    r"|<(?P<{k}7>[^>\n]*)>"
    r"|【(?P<{k}8>[^】\n]*)】"
    r"|(?P<{k}9>[^\s\"'`,;&|<>(){{}}\[\]，。；、】）\\]+)"
    r")"
)


def _value(kind: str) -> str:
    return _VALUE.format(k=kind)


_LABEL_END = r"[\"'`\\]{0,2}\]?\s*(?:=>|:=|==|[:=：＝])\s*"

_PASS_LABELS = r"pass(?:word|wd|phrase|code|wort)|pwd|(?<![a-z])pass|(?-i:(?<=[a-z])Pass)|mot_de_passe|contrase[ñn]a|kennwort"  # noqa: S105 - labels, no password
_KEY_LABELS = (
    r"secret|token|api[_.-]?key|apikey|access[_.-]?key(?:[_.-]?(?:id|secret))?|secret[_.-]?(?:key|id|access[_.-]?key)"
    r"|private[_.-]?key|encryption[_.-]?key|encrypt[_.-]?key|signing[_.-]?key|master[_.-]?key|account[_.-]?key"
    r"|shared[_.-]?key|license[_.-]?key|auth[_.-]?key|app[_.-]?(?:key|secret)|client[_.-]?secret|aes[_.-]?key|des[_.-]?key"
    r"|credentials?|auth[_.-]?(?:code|token)|jwt|signature|sig|sign|hmac|salt|nonce|otp|totp|captcha"
    r"|verification[_.-]?code|verify[_.-]?code|sms[_.-]?code|session[_.-]?(?:id|key|token)|sessid|sessionid|csrf(?:[_.-]?token)?"
    r"|webhook[_.-]?key|connection[_.-]?string"
)
_ZH_LABELS = (
    r"密码|口令|密钥|秘钥|私钥|令牌|授权码|认证码|签名|验证码|校验码|凭证|凭据|访问密钥|安全码|支付密码"
)

RULES: tuple[Rule, ...] = (
    # --- whole blocks -------------------------------------------------------------------------
    _rule(
        "private key block",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?P<PRIVATE_KEY>(?:(?!-----END)[\s\S])*)",
        needs=("private key",),
    ),
    # --- credentials inside addresses ---------------------------------------------------------
    _rule(
        "password in a URL",
        r"\b[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/\"'<>:@]*):(?P<PASSWORD>[^\s/\"'<>]+)@",
        needs=("://",),
    ),
    _rule(
        "token as the user of a URL",
        r"\bhttps?://(?P<TOKEN>[A-Za-z0-9_-]{20,})@",
        needs=("://",),
    ),
    _rule(
        "data source name (Go)",
        r"(?:[\w.-]+):(?P<PASSWORD>[^\s:@/]+)@(?:tcp|udp|unix)\((?P<HOST>[^\s():]+)(?::(?P<PORT>\d+))?\)",
        needs=("@tcp(", "@udp(", "@unix("),
    ),
    _rule(
        "user/password@ (Oracle)",
        r"(?:jdbc:oracle:\w+:|sqlplus\s+(?:-\w+\s+)*)(?:[\w$#]+)/(?P<PASSWORD>[^\s@]+)@(?://)?(?P<HOST>[\w.-]+)?(?::(?P<PORT>\d+))?",
        needs=("oracle", "sqlplus"),
    ),
    # --- headers ------------------------------------------------------------------------------
    _rule(
        "Authorization header with parameters",
        r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:AWS4-HMAC-SHA256|Digest|OAuth|Signature|HMAC-\w+|Negotiate|NTLM)\s+(?P<CREDENTIAL>[^\"'\n]+)",
        needs=("authorization",),
    ),
    _rule(
        "Authorization header",
        r"(?i)\b(?:proxy-)?authorization\\?[\"']?\]?\s*[:=]\s*\\?[\"']?(?:\[\s*)?(?:(?:Basic|Bearer|Token|ApiKey|Key|JWT|AWS|GoogleLogin|Splunk|GenieKey)\s+)?(?P<CREDENTIAL>[^\s\"',;\]\\]+)",
        needs=("authorization",),
        accepts=is_token_like("CREDENTIAL"),
    ),
    _rule(
        "bearer or basic credential",
        r"(?i)\b(?:bearer|basic)\s+(?P<TOKEN>[A-Za-z0-9._~+/=-]{8,})",
        needs=("bearer", "basic"),
        accepts=is_secret_token_value("TOKEN"),
    ),
    _rule(
        "Set-Cookie header",
        r"(?i)\bset-cookie[\"']?\s*[:=]\s*[\"']?[^\s=;\"']+=(?P<COOKIE>[^;\s\"']+)",
        needs=("set-cookie",),
    ),
    _rule(
        "Cookie header",
        r"(?i)(?<!set-)\bcookies?[\"']?\s*[:=]\s*[\"'\[{]?(?P<COOKIE>[\w.%-]+=[^\n\"'\]}]+)",
        needs=("cookie",),
    ),
    _rule(
        "session identifier",
        r"(?i)\b(?:j?sessionid|phpsessid|aspsessionid\w*|asp\.net_sessionid|connect\.sid|laravel_session|sessid|x?csrf-?token|xsrf-token|ptoken|passport)[\"']?\s*[=:]\s*[\"']?(?P<SESSION>[^\s;,&\"'<>()]+)",
        needs=("sess", "csrf", "xsrf", "connect.sid", "ptoken", "passport"),
        accepts=is_credential_value("SESSION"),
    ),
    # --- tokens with a shape of their own -------------------------------------------------------
    _rule(
        "JSON web token",
        r"\b(?P<JWT>eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){0,3})",
        needs=("eyj",),
    ),
    _rule(
        "cloud access key",
        r"\b(?P<ACCESS_KEY>(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,}|LTAI[A-Za-z0-9]{10,}|AKID[A-Za-z0-9]{13,}|AKLT[A-Za-z0-9_-]{10,})\b",
        needs=("akia", "asia", "aroa", "aida", "abia", "acca", "ltai", "akid", "aklt"),
    ),
    _rule(
        "code hosting token",
        r"\b(?P<TOKEN>gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|gl(?:pat|rt|cbt|dt|soat|ptt|ft|imt|agent)-[\w.-]{16,}|ATBB\w{20,}|ATATT3\S{20,})",
        needs=("gh", "gl", "atbb", "atatt3"),
    ),
    _rule(
        "chat token or webhook",
        r"(?P<TOKEN>\bxox[a-z]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{10,}|(?<=hooks\.slack\.com/services/)[\w/]+"
        r"|(?<=discord\.com/api/webhooks/)[\w/-]+|(?<=/open-apis/bot/v2/hook/)[\w-]+|(?<=webhook/send\?key=)[\w-]+"
        r"|(?<=/bot)\d{6,}:[\w-]{20,}|\b\d{8,10}:[A-Za-z0-9_-]{35}\b)",
        needs=("xox", "xapp-", "hooks.slack", "webhook", "/hook/", "bot", ":"),
    ),
    _rule(
        "service token with a prefix",
        r"\b(?P<TOKEN>sk-[A-Za-z0-9_-]{16,}|[sprk]{2}_(?:live|test)_\w{8,}|whsec_\w{16,}|AIza[\w-]{20,}|ya29\.[\w-]{10,}|1//0[\w-]{20,}|GOCSPX-[\w-]{10,}"
        r"|pypi-[\w-]{16,}|npm_\w{20,}|hf_\w{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|dckr_pat_[\w-]{16,}|dop_v1_\w{20,}|shp(?:at|ca|pa|ss)_\w{16,}"
        r"|hv[sbr]\.[\w-]{16,}|s\.[A-Za-z0-9]{24}\b|dapi[0-9a-f]{28,}|key-[0-9a-f]{32}|sq0\w{3}-[\w-]{16,}|EAAC\w{20,}|AGE-SECRET-KEY-\w+"
        r"|glsa_\w{20,}|lin_api_\w{20,}|nvapi-[\w-]{20,}|gsk_\w{20,}|xai-\w{20,}|r8_\w{20,}|pk_(?:live|test)_\w{8,}|rubygems_\w{20,}|tfp_\w{20,}|figd_[\w-]{20,}|NRAK-\w{16,}|PMAK-[\w-]{20,}|sntrys_\S{20,})",
    ),
    _rule(
        "password hash",
        r"(?P<PASSWORD_HASH>\$(?:2[abxy]|1|5|6|y|apr1|argon2[id]{1,2}|scrypt|pbkdf2[\w-]*)\$[^\s\"',;]+)",
        needs=("$",),
    ),
    # --- credentials on a command line ----------------------------------------------------------
    _rule(
        "curl -u user:password",
        r"\bcurl\b[^\n]*?\s(?:-u|--user|--proxy-user|-U)[ =]?[\"']?(?:[^\s:\"']+):(?P<PASSWORD>[^\s\"']+)",
        needs=("curl",),
    ),
    _rule(
        "-p of a MySQL client",
        r"\b(?:mysql\w*|mariadb[\w-]*|mongo\w*|sshpass|xtrabackup|innobackupex|mycli)\b[^\n|;]*?\s-p\s?[\"']?(?P<PASSWORD>[^\s\"']+)",
        needs=("mysql", "mariadb", "mongo", "sshpass", "backup", "mycli"),
    ),
    _rule(
        "redis-cli -a",
        r"\bredis-cli\b[^\n|;]*?\s(?:-a|--pass)[ =][\"']?(?P<PASSWORD>[^\s\"']+)",
        needs=("redis-cli",),
    ),
    _rule(
        "password option",
        r"(?i)(?<!\w)--?(?:\w+-)*(?:password|passwd|pass|token|secret|api-?key|access-?key|secret-?key|auth-?token|client-?secret)[ =][\"']?(?P<PASSWORD>[^\s\"',;]+)",
        needs=("--", " -"),
        accepts=is_credential_value("PASSWORD"),
    ),
    _rule(
        "SQL password clause",
        r"(?i)\b(?:identified\s+(?:with\s+\S+\s+)?(?:by|as)(?:\s+password)?|password\s*\(|set\s+password[^\n=]*=)\s*(?P<PASSWORD>'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\\.)*\")",
        needs=("identified", "password"),
    ),
    _rule(
        "AUTH command",
        r"\bAUTH\s+(?:[\w-]+\s+)?[\"'](?P<PASSWORD>[^\s\"']+)[\"']",
        needs=("auth",),
    ),
    # --- labelled values ------------------------------------------------------------------------
    _rule(
        "labelled password",
        rf"(?i)(?:{_PASS_LABELS})\d?{_LABEL_END}{_value('PASSWORD')}",
        needs=("pass", "pwd", "contrase"),
        accepts=is_credential_value("PASSWORD"),
    ),
    _rule(
        "labelled secret",
        rf"(?i)(?:\b|[_.-]|(?<=[a-z])(?=[A-Z]))(?:{_KEY_LABELS}){_LABEL_END}{_value('SECRET')}",
        accepts=is_secret_token_value("SECRET"),
    ),
    _rule(
        "labelled secret in camel case",
        rf"(?:Secret|Token|ApiKey|AccessKey(?:Id|Secret)?|SecretKey|SecretId|PrivateKey|AppKey|AppSecret|EncryptionKey|Signature|Credentials?|SessionId|SessionKey|Salt|AuthCode|VerifyCode|SmsCode|TOKEN|SECRET|API_KEY|_KEY){_LABEL_END}{_value('SECRET')}",
        accepts=is_secret_token_value("SECRET"),
    ),
    _rule(
        "secret named by the word before it",
        r"(?i)\b(?:secret|token|password|passwd|api[ _-]?key|access[ _-]?key|signing key|private key)(?:\s+is)?\s+[\"']?(?P<SECRET>(?=[^\s\"']*\d)[A-Za-z0-9+/=_.-]{16,})",
        needs=("secret", "token", "passw", "key"),
        accepts=is_secret_token_value("SECRET"),
    ),
    _rule(
        "labelled secret (Chinese)",
        rf"(?:{_ZH_LABELS})[\"'”」]?\s*(?:[:=：＝]|为|是|(?=【))\s*{_value('SECRET')}",
        accepts=is_credential_value("SECRET"),
    ),
    _rule(
        "secret in a query string",
        r"(?i)[?&;](?:access_token|refresh_token|id_token|token|key|api_?key|code|state|sign|signature|sig|secret|client_secret|password|passwd|pwd|ticket|auth|session|sid|jwt|x-amz-signature|x-amz-credential|x-amz-security-token|se?ckey|access_?key(?:_?id)?)=(?P<TOKEN>[^&\s\"'<>#;]+)",
        needs=("=",),
        accepts=is_credential_value("TOKEN", shortest_number=7),
    ),
    _rule(
        "shared access signature",
        r"(?i)\b(?:sig|AccountKey|SharedAccessKey|SharedSecret\w*)=(?P<SECRET>[A-Za-z0-9%+/=_-]+)",
        needs=("sig=", "sharedaccess", "accountkey", "sharedsecret"),
    ),
    # --- people -----------------------------------------------------------------------------------
    _rule(
        "identity number",
        r"(?<![\w.])(?P<ID_NUMBER>[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx])(?!\w)",
        accepts=is_identity_number("ID_NUMBER"),
    ),
    _rule(
        "labelled identity number",
        r"(?i)(?:id_?card(?:_?no)?|identity_?no|身份证(?:号码?)?|证件号码?|护照号?|passport_?no|ssn)[\"']?\s*[:=：为]?\s*[\"']?(?P<ID_NUMBER>[A-Z0-9][A-Z0-9-]{5,19})",
        needs=("card", "identity", "身份证", "证件", "护照", "passport", "ssn"),
    ),
    _rule(
        "labelled card number",
        r"(?i)(?:银行卡号?|卡号|信用卡号?|card_?(?:no|num|number)|\bpan|账号|bank_?account)[\"']?\s*[:=：为]?\s*[\"']?(?P<CARD>\d[\d -]{10,22}\d)",
        needs=("卡", "card", "pan", "账号", "account"),
    ),
    _rule(
        "card security code",
        r"(?i)\b(?:cvv2?|cvc2?)[\"']?\s*[:=]\s*[\"']?(?P<CARD_CODE>\d{3,4})\b",
        needs=("cv",),
    ),
    _rule(
        "card number",
        r"(?<![\w.-])(?P<CARD>(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|62\d\d|35\d\d)(?:[ -]?\d{4}){3}\d{0,3}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?![\w.-])",
        accepts=is_bank_card("CARD"),
    ),
    _rule(
        "IBAN",
        r"\b(?P<IBAN>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b",
        accepts=is_iban("IBAN"),
    ),
    _rule(
        "e-mail address",
        r"(?P<EMAIL>[A-Za-z0-9][\w.+%-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})(?![\w-])",
        needs=("@",),
    ),
    _rule(
        "Chinese mobile number",
        r"(?<![\w.-])(?P<PHONE>(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4})(?![\w-]|\.\d)",
        accepts=is_not_labelled_otherwise,
    ),
    _rule(
        "international phone number",
        r"(?<![\w.])(?P<PHONE>\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,5}(?:[ .-]?\d{2,5}){1,4})(?![\w-])",
        needs=("+",),
        accepts=has_digits("PHONE", 9),
    ),
    _rule(
        "labelled phone number",
        r"(?i)(?:\b(?:phone|mobile|tel|telephone|msisdn|cell|fax)(?:_?(?:no|num|number))?|手机号?码?|电话(?:号码)?|联系电话)[\"']?\s*[:=：为]\s*[\"']?(?P<PHONE>\+?\d[\d() -]{5,18}\d)",
        needs=("phone", "mobile", "tel", "msisdn", "cell", "fax", "手机", "电话"),
    ),
    # --- SQL --------------------------------------------------------------------------------------
    _rule(
        "SQL string literal",
        r"(?P<SQL_LITERAL>(?<![\w'])(?:[NnXxBb]|_utf8\w*\s?)?'(?:[^'\\]|''|\\.)*'"
        r"|(?<=[=(,\s<>])\"(?:[^\"\\\n]|\\.)*\"(?=\s*(?:[,);]|$|(?i:and|or|order|group|limit)\b)))",
        needs=(
            "select",
            "insert",
            "update",
            "delete",
            "where",
            "values",
            "replace",
            "call",
            "having",
            "like",
        ),
        after=SQL_BEGIN,
    ),
    # --- machines ---------------------------------------------------------------------------------
    _rule(
        "host in a URL",
        r"(?i)(?<![\w.])(?!(?:s3[an]?|gs|oss|cos|obs|file|classpath|jar|zip|data|about|urn|res|resource|content|blob)://)"
        r"[a-z][a-z0-9+.-]*://(?:[^\s/\"'<>@]*@)?(?P<HOST>[^\s/\"'<>:?#,;()\[\]{}|\\@]+)(?::(?P<PORT>\d{1,5})\b)?",
        needs=("://",),
        accepts=is_host_value("HOST"),
    ),
    _rule(
        "IPv4 address",
        r"(?<![\w.])(?P<IP>(?:(?:25[0-5]|2[0-4]\d|[01]?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d?\d))"
        r"(?!\w|\.\d|\.[A-Za-z]{2}|-\w*[A-Za-z])(?::(?P<PORT>\d{1,5})\b(?!\.\d))?",
        needs=(".",),
        accepts=is_not_a_version("IP"),
    ),
    _rule(
        "IPv6 address",
        r"(?<![\w:.])(?P<IP>(?:[0-9A-Fa-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{1,4})?(?:%\w+)?)(?![\w:])"
        r"(?:\]:(?P<PORT>\d{1,5})\b)?",
        needs=(":",),
        accepts=is_address_v6("IP"),
    ),
    _rule(
        "MAC address",
        r"(?<![\w:-])(?P<MAC>[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5}))(?![\w:-])",
    ),
    _rule(
        "host and process in a syslog header",
        r"(?m)^(?:<\d+>)?(?:\d )?(?:\[?[A-Z][a-z]{2} {1,2}\d{1,2}(?: \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?\]?"
        r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))\s+"
        r"(?!(?:[A-Z]+|\S*\[\d+\]?:?)\s)(?P<HOST>[\w.:-]+)\s+(?=[\w./()-]+(?:\[\d+\])?:\s)",
        accepts=is_named_machine("HOST", sure=True),
    ),
    _rule(
        "labelled pod",
        r"(?i)(?:(?<![a-z])pod(?:_?name)?|(?<=[a-z_])pod_?name)(?:[\"'\\]{0,2}\s*[:=]\s*[\"'\\]{0,2}|/)(?P<POD>[a-z0-9][\w./-]*[a-z0-9])",
        needs=("pod",),
        accepts=is_named_machine("POD", sure=True),
    ),
    _rule(
        "pod named in prose",
        r"\b[Pp]ods?\s+[\"']?(?P<POD>[a-z0-9][a-z0-9./-]*-[a-z0-9]*\d[a-z0-9-]*|[a-z0-9][a-z0-9./-]*-[a-z0-9]{5})(?![\w-])",
        needs=("pod",),
    ),
    _rule(
        "pod of a ReplicaSet",
        r"(?<![\w.-])(?P<POD>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?-(?=[a-z]*\d)[bcdfghjklmnpqrstvwxz0-9]{8,10}-[bcdfghjklmnpqrstvwxz0-9]{5})(?![\w-])",
        needs=("-",),
    ),
    _rule(
        "domain name",
        r"(?<![\w.@/\\$:-])(?P<HOST>(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\.)+[A-Za-z]{2,})(?::(?P<PORT>\d{2,5})\b)?(?![\w(]|[.-]\w)",
        needs=(".",),
        accepts=is_domain_name("HOST"),
    ),
    _rule(
        "domain name behind @ or /",
        r"(?<=[@/:])(?P<HOST>(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\.)+(?:com|net|org|cn|io|local|internal|lan|corp|example|svc|localdomain))"
        r"(?::(?P<PORT>\d{2,5})\b)?(?![\w(]|[.-]\w)",
        needs=(".",),
        accepts=is_domain_name("HOST"),
    ),
    _rule(
        "labelled host",
        rf"(?i)(?:(?<![a-z])|(?<=_))r?host(?:_?name)?{_LABEL_END}{_value('HOST')}(?::(?P<PORT>\d{{2,5}})\b)?",
        needs=("host",),
        accepts=is_named_machine("HOST", sure=True),
    ),
    _rule(
        "labelled machine",
        rf"(?i)(?:(?<![a-z])|(?<=_))(?:server|node(?:_?name)?|broker|upstream|instance|machine(?:_?name)?|computer(?:_?name)?|peer|remote(?:_?addr(?:ess)?)?|addr(?:ess)?|backend|data source|dbserver|master|slave|replica){_LABEL_END}{_value('HOST')}(?::(?P<PORT>\d{{2,5}})\b)?",
        accepts=is_named_machine("HOST"),
    ),
    _rule(
        "host in quotes",
        r"(?i)\b(?:host|hostname|server|node|broker)\s+[\"'](?P<HOST>[\w.-]+)[\"']",
        accepts=is_named_machine("HOST", sure=True),
    ),
    _rule(
        "host of an account",
        r"@[\"'`](?P<HOST>[\w.-]+)[\"'`]|(?<=[\w.-]@)(?P<HOST2>[A-Za-z][\w-]*[\d-][\w-]*)\b(?!\.\d)",
        needs=("@",),
        accepts=is_named_machine("HOST", sure=True),
    ),
    _rule(
        "host that could not be resolved",
        r"(?:UnknownHostException|ENOTFOUND|EAI_AGAIN|[Uu]nknown host|[Cc]ould not resolve host|[Rr]esolve|lookup)[:\s]+[\"']?(?P<HOST>[A-Za-z0-9][\w.-]*)",
        accepts=is_named_machine("HOST"),
    ),
    _rule(
        "host and port after a preposition",
        r"(?i)\b(?:to|from|at|on|with|tcp|udp|via|upstream|server|host|node|broker|peer|dial)[ :]\s*[\"'(\[]?(?P<HOST>[a-z][\w-]*(?:\.[\w-]+)*):(?P<PORT>\d{2,5})(?![\w.:])",
        needs=(":",),
        accepts=is_host_value("HOST"),
    ),
    _rule(
        "machine name with a port",
        r"(?<![\w./:-])(?P<HOST>[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:\d+|[a-z]*(?:db|redis|kafka|mysql|rabbit\w*|mq|es|zk|mongo\w*|pg|postgres\w*|master|slave|primary|replica|svc|service|gateway|server|node|broker|cache|proxy|web|api|app)\d*)):(?P<PORT>\d{4,5})(?![\w.:])",
        needs=(":",),
    ),
    _rule(
        "machine name with its environment",
        r"(?<![\w./-])(?P<HOST>[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:prod|production|prd|stg|stage|staging|dev|test|uat|qa|pre|sit|live|online)(?:-[a-z0-9]+)*-?\d{1,4}|ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3})(?![\w-])",
        needs=("-",),
    ),
    # --- ports and processes ------------------------------------------------------------------------
    _rule(
        "process identifier",
        r"(?i)(?<![a-z])(?:p?pid|process(?:[ _]?id)?|spid)[\"'\\]{0,2}(?:\s*[=:#]\s*|\s+)[\"'(]?(?P<PID>\d{1,10})(?![\w.])",
        needs=("pid", "process"),
    ),
    _rule("process in brackets", r"(?<=[\w)])\[(?P<PID>\d{2,10})\](?=:|\s|$)", needs=("[",)),
    _rule("process of an nginx line", r"(?<=\] )(?P<PID>\d+)(?=#\d+: )", needs=("#",)),
    _rule("process of a Spring Boot line", r"(?<=\s)(?P<PID>\d{1,10})(?= --- \[)", needs=(" --- [",)),
    _rule(
        "port",
        r"(?:(?<![A-Za-z])[Pp]orts?|(?<=[a-z])Port|(?<![A-Za-z])PORT)[\"'\\]{0,2}(?:\s*[=:]\s*|\s+)[\"']?(?P<PORT>\d{2,5})(?![\w.])",
        needs=("port",),
    ),
    _rule("listening port", r"(?<=[\s(]):(?P<PORT>\d{4,5})(?![\w.:])", needs=(":",)),
)
