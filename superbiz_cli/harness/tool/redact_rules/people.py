"""Numbers and addresses of people: identity, cards, accounts, e-mail, telephone."""

# ruff: noqa: E501 - a table of patterns reads better unbroken

from __future__ import annotations

from superbiz_cli.harness.tool.redact_rules.checks import (
    has_digits,
    is_bank_card,
    is_iban,
    is_identity_number,
    is_not_labelled_otherwise,
)
from superbiz_cli.harness.tool.redact_rules.rule import Rule, rule

PEOPLE: tuple[Rule, ...] = (
    rule(
        "identity number",
        r"(?<![\w.])(?P<ID_NUMBER>[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx])(?!\w)",
        accepts=is_identity_number("ID_NUMBER"),
    ),
    rule(
        "labelled identity number",
        r"(?i)(?:id_?card(?:_?no)?|identity_?no|身份证(?:号码?)?|证件号码?|护照号?|passport_?no|ssn)[\"']?\s*[:=：为]?\s*[\"']?(?P<ID_NUMBER>[A-Z0-9][A-Z0-9-]{5,19})",
        needs=("card", "identity", "身份证", "证件", "护照", "passport", "ssn"),
    ),
    rule(
        "labelled card number",
        r"(?i)(?:银行卡号?|卡号|信用卡号?|card_?(?:no|num|number)|\bpan|账号|bank_?account)[\"']?\s*[:=：为]?\s*[\"']?(?P<CARD>\d[\d -]{10,22}\d)",
        needs=("卡", "card", "pan", "账号", "account"),
    ),
    rule(
        "card security code",
        r"(?i)\b(?:cvv2?|cvc2?)[\"']?\s*[:=]\s*[\"']?(?P<CARD_CODE>\d{3,4})\b",
        needs=("cv",),
    ),
    rule(
        "card number",
        r"(?<![\w.-])(?P<CARD>(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|62\d\d|35\d\d)(?:[ -]?\d{4}){3}\d{0,3}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?![\w.-])",
        accepts=is_bank_card("CARD"),
    ),
    rule(
        "IBAN",
        r"\b(?P<IBAN>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b",
        accepts=is_iban("IBAN"),
    ),
    rule(
        "e-mail address",
        r"(?P<EMAIL>[A-Za-z0-9][\w.+%-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})(?![\w-])",
        needs=("@",),
    ),
    rule(
        "Chinese mobile number",
        r"(?<![\w.-])(?P<PHONE>(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4})(?![\w-]|\.\d)",
        accepts=is_not_labelled_otherwise,
    ),
    rule(
        "international phone number",
        r"(?<![\w.])(?P<PHONE>\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,5}(?:[ .-]?\d{2,5}){1,4})(?![\w-])",
        needs=("+",),
        accepts=has_digits("PHONE", 9),
    ),
    rule(
        "labelled phone number",
        r"(?i)(?:\b(?:phone|mobile|tel|telephone|msisdn|cell|fax)(?:_?(?:no|num|number))?|手机号?码?|电话(?:号码)?|联系电话)[\"']?\s*[:=：为]\s*[\"']?(?P<PHONE>\+?\d[\d() -]{5,18}\d)",
        needs=("phone", "mobile", "tel", "msisdn", "cell", "fax", "手机", "电话"),
    ),
)
