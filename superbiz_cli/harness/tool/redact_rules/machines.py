"""Addresses and names of machines and pods."""

# ruff: noqa: E501 - a table of patterns reads better unbroken

from __future__ import annotations

from superbiz_cli.harness.tool.redact_rules.checks import (
    is_address_v6,
    is_domain_name,
    is_host_value,
    is_named_machine,
    is_not_a_version,
)
from superbiz_cli.harness.tool.redact_rules.rule import LABEL_END, Rule, rule, value

MACHINES: tuple[Rule, ...] = (
    rule(
        "host in a URL",
        r"(?i)(?<![\w.])(?!(?:s3[an]?|gs|oss|cos|obs|file|classpath|jar|zip|data|about|urn|res|resource|content|blob)://)"
        r"[a-z][a-z0-9+.-]*://(?:[^\s/\"'<>@]*@)?(?P<HOST>[^\s/\"'<>:?#,;()\[\]{}|\\@]+)(?::(?P<PORT>\d{1,5})\b)?",
        needs=("://",),
        accepts=is_host_value("HOST"),
    ),
    rule(
        "IPv4 address",
        r"(?<![\w.])(?P<IP>(?:(?:25[0-5]|2[0-4]\d|[01]?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d?\d))"
        r"(?!\w|\.\d|\.[A-Za-z]{2}|-\w*[A-Za-z])(?::(?P<PORT>\d{1,5})\b(?!\.\d))?",
        needs=(".",),
        accepts=is_not_a_version("IP"),
    ),
    rule(
        "IPv6 address",
        r"(?<![\w:.])(?P<IP>(?:[0-9A-Fa-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{1,4})?(?:%\w+)?)(?![\w:])"
        r"(?:\]:(?P<PORT>\d{1,5})\b)?",
        needs=(":",),
        accepts=is_address_v6("IP"),
    ),
    rule(
        "MAC address",
        r"(?<![\w:-])(?P<MAC>[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5}))(?![\w:-])",
    ),
    rule(
        "host and process in a syslog header",
        r"(?m)^(?:<\d+>)?(?:\d )?(?:\[?[A-Z][a-z]{2} {1,2}\d{1,2}(?: \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?\]?"
        r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))\s+"
        r"(?!(?:[A-Z]+|\S*\[\d+\]?:?)\s)(?P<HOST>[\w.:-]+)\s+(?=[\w./()-]+(?:\[\d+\])?:\s)",
        accepts=is_named_machine("HOST", sure=True),
    ),
    rule(
        "labelled pod",
        r"(?i)(?:(?<![a-z])pod(?:_?name)?|(?<=[a-z_])pod_?name)(?:[\"'\\]{0,2}\s*[:=]\s*[\"'\\]{0,2}|/)(?P<POD>[a-z0-9][\w./-]*[a-z0-9])",
        needs=("pod",),
        accepts=is_named_machine("POD", sure=True),
    ),
    rule(
        "pod named in prose",
        r"\b[Pp]ods?\s+[\"']?(?P<POD>[a-z0-9][a-z0-9./-]*-[a-z0-9]*\d[a-z0-9-]*|[a-z0-9][a-z0-9./-]*-[a-z0-9]{5})(?![\w-])",
        needs=("pod",),
    ),
    rule(
        "pod of a ReplicaSet",
        r"(?<![\w.-])(?P<POD>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?-(?=[a-z]*\d)[bcdfghjklmnpqrstvwxz0-9]{8,10}-[bcdfghjklmnpqrstvwxz0-9]{5})(?![\w-])",
        needs=("-",),
    ),
    rule(
        "domain name",
        r"(?<![\w.@/\\$:-])(?P<HOST>(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\.)+[A-Za-z]{2,})(?::(?P<PORT>\d{2,5})\b)?(?![\w(]|[.-]\w)",
        needs=(".",),
        accepts=is_domain_name("HOST"),
    ),
    rule(
        "domain name behind @ or /",
        r"(?<=[@/:])(?P<HOST>(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\.)+(?:com|net|org|cn|io|local|internal|lan|corp|example|svc|localdomain))"
        r"(?::(?P<PORT>\d{2,5})\b)?(?![\w(]|[.-]\w)",
        needs=(".",),
        accepts=is_domain_name("HOST"),
    ),
    rule(
        "account of a client in a MySQL log",
        r"(?i)\bUser@Host:\s*(?P<USER>[^\s\[\]]+)?\s*\[(?P<USER2>[^\]\n]*)\]",
        needs=("@host:",),
    ),
    rule(
        "host of a client in a MySQL log",
        r"(?i)\bUser@Host:\s*[^\s\[\]]*\[[^\]\n]*\]\s*@\s*(?P<HOST>[\w.-]+)",
        needs=("@host:",),
        accepts=is_named_machine("HOST", sure=True),
    ),
    rule(
        "labelled host",
        rf"(?i)(?:(?<![a-z])(?<!user@)|(?<=_))r?host(?:_?name)?{LABEL_END}{value('HOST')}(?::(?P<PORT>\d{{2,5}})\b)?",
        needs=("host",),
        accepts=is_named_machine("HOST", sure=True),
    ),
    rule(
        "labelled machine",
        rf"(?i)(?:(?<![a-z])|(?<=_))(?:server|node(?:_?name)?|broker|upstream|instance|machine(?:_?name)?|computer(?:_?name)?|peer|remote(?:_?addr(?:ess)?)?|addr(?:ess)?|backend|data source|dbserver|master|slave|replica){LABEL_END}{value('HOST')}(?::(?P<PORT>\d{{2,5}})\b)?",
        accepts=is_named_machine("HOST"),
    ),
    rule(
        "host in quotes",
        r"(?i)\b(?:host|hostname|server|node|broker)\s+[\"'](?P<HOST>[\w.-]+)[\"']",
        accepts=is_named_machine("HOST", sure=True),
    ),
    rule(
        "machine named in prose",
        r"\b(?:[Nn]ode|[Hh]ost|[Ss]erver|[Mm]achine|[Bb]roker|[Ww]orker node)\s+(?P<HOST>[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[a-z]*\d[a-z0-9]*)(?![\w.-])",
    ),
    rule(
        "host of an account",
        # the first branch takes a Java object's identity (a class, then a hash) out of the others' way
        r"\b(?:[a-z_]\w*\.)*[A-Z][\w$]*@[0-9a-f]{5,8}(?![\w.-])|@[\"'`](?P<HOST>[\w.-]+)[\"'`]|(?<=[\w.-]@)(?P<HOST2>[A-Za-z][\w-]*[\d-][\w-]*)\b(?!\.\d)",
        needs=("@",),
        accepts=is_named_machine("HOST", sure=True),
    ),
    rule(
        "host that could not be resolved",
        r"(?:UnknownHostException|ENOTFOUND|EAI_AGAIN|[Uu]nknown host|[Cc]ould not resolve host|[Rr]esolve|lookup)[:\s]+[\"']?(?P<HOST>[A-Za-z0-9][\w.-]*)",
        accepts=is_named_machine("HOST"),
    ),
    rule(
        "host and port after a preposition",
        r"(?i)\b(?:to|from|at|on|with|tcp|udp|via|upstream|server|host|node|broker|peer|dial)[ :]\s*[\"'(\[]?(?P<HOST>[a-z][\w-]*(?:\.[\w-]+)*):(?P<PORT>\d{2,5})(?![\w.:])",
        needs=(":",),
        accepts=is_host_value("HOST"),
    ),
    rule(
        "machine name with a port",
        r"(?<![\w./:-])(?P<HOST>[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:\d+|[a-z]*(?:db|redis|kafka|mysql|rabbit\w*|mq|es|zk|mongo\w*|pg|postgres\w*|master|slave|primary|replica|svc|service|gateway|server|node|broker|cache|proxy|web|api|app)\d*)):(?P<PORT>\d{4,5})(?![\w.:])",
        needs=(":",),
    ),
    rule(
        "machine name with its environment",
        r"(?<![\w./-])(?P<HOST>[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:prod|production|prd|stg|stage|staging|dev|test|uat|qa|pre|sit|live|online)(?:-[a-z0-9]+)*-?\d{1,4}|ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3})(?![\w-])",
        needs=("-",),
    ),
)
