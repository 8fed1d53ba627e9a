"""Values that a label before them makes a secret, in English and Chinese."""

# ruff: noqa: E501 - a table of patterns reads better unbroken

from __future__ import annotations

from superbiz_cli.harness.tool.redact_rules.checks import is_credential_value, is_secret_token_value
from superbiz_cli.harness.tool.redact_rules.rule import LABEL_END, Rule, rule, value

_PASS_LABELS = r"pass(?:word|wd|phrase|code|wort)|pwd|(?<![a-z])pass|(?-i:(?<=[a-z])Pass)|mot_de_passe|contrase[ñn]a|kennwort"  # noqa: S105 - labels, no password
_KEY_LABELS = (
    r"secret|token|api[_.-]?key|apikey|access[_.-]?key(?:[_.-]?(?:id|secret))?|secret[_.-]?(?:key(?:[_.-]?base)?|id|access[_.-]?key)"
    r"|private[_.-]?key|encryption[_.-]?key|encrypt[_.-]?key|signing[_.-]?key|master[_.-]?key|account[_.-]?key"
    r"|shared[_.-]?key|license[_.-]?key|auth[_.-]?key|app[_.-]?(?:key|secret)|client[_.-]?secret|aes[_.-]?key|des[_.-]?key"
    r"|credentials?|auth[_.-]?(?:code|token)|jwt|signature|sig|sign|hmac|salt|nonce|otp|totp|captcha"
    r"|verification[_.-]?code|verify[_.-]?code|sms[_.-]?code|session[_.-]?(?:id|key|token)|sessid|sessionid|csrf(?:[_.-]?token)?"
    r"|webhook[_.-]?key|connection[_.-]?string"
)
_ZH_LABELS = (
    r"密码|口令|密钥|秘钥|私钥|令牌|授权码|认证码|签名|验证码|校验码|凭证|凭据|访问密钥|安全码|支付密码"
)

LABELLED: tuple[Rule, ...] = (
    rule(
        "labelled password",
        rf"(?i)(?:{_PASS_LABELS})\d?{LABEL_END}{value('PASSWORD')}",
        needs=("pass", "pwd", "contrase"),
        accepts=is_credential_value("PASSWORD"),
    ),
    rule(
        "labelled secret",
        rf"(?i)(?:\b|[_.-]|(?<=[a-z])(?=[A-Z]))(?:{_KEY_LABELS}){LABEL_END}{value('SECRET')}",
        accepts=is_secret_token_value("SECRET"),
    ),
    rule(
        "labelled secret in camel case",
        rf"(?:Secret|Token|ApiKey|AccessKey(?:Id|Secret)?|SecretKey|SecretId|PrivateKey|AppKey|AppSecret|EncryptionKey|Signature|Credentials?|SessionId|SessionKey|Salt|AuthCode|VerifyCode|SmsCode|TOKEN|SECRET|API_KEY|_KEY){LABEL_END}{value('SECRET')}",
        accepts=is_secret_token_value("SECRET"),
    ),
    rule(
        "secret named by the word before it",
        r"(?i)\b(?:secret|token|password|passwd|api[ _-]?key|access[ _-]?key|signing key|private key)(?:\s+is)?\s+[\"']?(?P<SECRET>(?=[^\s\"']*\d)[A-Za-z0-9+/=_.-]{16,})",
        needs=("secret", "token", "passw", "key"),
        accepts=is_secret_token_value("SECRET"),
    ),
    rule(
        "password in quotes",
        r"(?i)\b(?:password|passwd|passphrase|pwd|rootpw)\s+(?:\"(?P<PASSWORD1>[^\"\s]{3,})\"|'(?P<PASSWORD2>[^'\s]{3,})')",
        needs=("passw", "pwd", "rootpw", "passph"),
        accepts=is_credential_value("PASSWORD"),
    ),
    rule("kickstart password", r"\brootpw\s+(?:--\w+\s+)*(?P<PASSWORD>[^\s\"']{4,})", needs=("rootpw",)),
    rule(
        "one-time code",
        r"(?i)\b(?:t?otp|captcha|pin|(?:verify|verification|sms|auth|security)[_ -]?code)[\"']?\s*[:=]\s*[\"']?(?P<CODE>\d{4,8})\b",
        needs=("otp", "captcha", "pin", "code"),
    ),
    rule(
        "secret named earlier in the sentence",
        r"(?i)\b(?:password|passwd|secret|token|pin)\s+(?:(?:for|of)\s+(?:\S+\s+){1,3})?(?:is|was|set to|changed to|=)\s*[\"']?(?P<SECRET>(?=[^\s\"']*\d)[^\s\"',;]{4,})",
        needs=("passw", "secret", "token", "pin"),
        accepts=is_credential_value("SECRET"),
    ),
    rule(
        "secret in an XML element",
        r"(?i)<(?:\w+:)?\w*(?:password|passwd|pwd|secret|token|apikey|api_key|accesskey)\w*(?:\s[^<>]*)?>(?P<SECRET>[^<>\s][^<>]*)</",
        needs=("</",),
    ),
    rule(
        "parameters of a MyBatis statement",
        r"(?P<SQL_LITERAL>(?<=[\s,])[^\s,()][^,()\n]*)(?=\((?:String|Timestamp|LocalDateTime|Date|LocalDate|Object|byte\[\])\))",
        needs=("parameters:",),
    ),
    rule(
        "labelled secret (Chinese)",
        rf"(?:{_ZH_LABELS})[\"'”」]?\s*(?:[:=：＝]|为|是|(?=[【\[]))\s*{value('SECRET')}",
        accepts=is_credential_value("SECRET"),
    ),
    rule(
        "secret in a query string",
        r"(?i)[?&;](?:access_token|refresh_token|id_token|token|key|api_?key|code|state|sign|signature|sig|secret|client_secret|password|passwd|pwd|ticket|auth|session|sid|jwt|x-amz-signature|x-amz-credential|x-amz-security-token|se?ckey|access_?key(?:_?id)?)=(?P<TOKEN>[^&\s\"'<>#;]+)",
        needs=("=",),
        accepts=is_credential_value("TOKEN", shortest_number=7),
    ),
    rule(
        "shared access signature",
        r"(?i)\b(?:sig|AccountKey|SharedAccessKey|SharedSecret\w*)=(?P<SECRET>[A-Za-z0-9%+/=_-]+)",
        needs=("sig=", "sharedaccess", "accountkey", "sharedsecret"),
    ),
)
