"""Grants for a fitting account, and what is wrong with another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from superbiz_cli.harness.tool.mysql.grants import (
    AccountFinding,
    FindingKind,
    account_findings,
    allow_list_findings,
    grant_statements,
)
from superbiz_cli.harness.tool.mysql.schema import SchemaColumn, column_types, schema_skeleton
from tests.support.sql_shop import SECRETS, SOURCE

FITTING = (
    "GRANT USAGE ON *.* TO `ro`@`%` IDENTIFIED BY PASSWORD '*0123456789ABCDEF'",
    "GRANT SELECT (`offset`, `id`, `owner_id`, `state`, `price`, `opened_at`) "
    "ON `store`.`tickets` TO `ro`@`%`",
    "GRANT SELECT (`id`, `ticket_id`, `kind`, `took_ms`, `opened_at`) ON `store`.`events` TO `ro`@`%`",
    "GRANT SELECT (`id`, `name`, `rank`) ON `store`.`people` TO `ro`@`%`",
    "GRANT SELECT (`id`, `ticket_id`, `total`) ON `ledger`.`entries` TO `ro`@`%`",
)


def findings(*grants: str) -> set[tuple[FindingKind, str]]:
    return {(finding.kind, finding.text) for finding in account_findings(grants, SOURCE)}


def test_the_statements_grant_exactly_the_listed_columns() -> None:
    assert grant_statements(SECRETS, user="o'neil", host="10.0.0.%") == (
        "GRANT SELECT (`id`, `name`, `rank`, `password_hash`, `apiToken`, `API_KEY`) "
        "ON `store`.`people` TO 'o''neil'@'10.0.0.%';",
    )
    assert len(grant_statements(SOURCE)) == 4
    assert grant_statements(replace(SOURCE, allowed={"a`b": {"t": ("c",), "none": ()}})) == (
        "GRANT SELECT (`c`) ON `a``b`.`t` TO 'superbiz_ro'@'%';",
    )


def test_a_fitting_account_has_no_findings() -> None:
    assert findings(*FITTING) == set()


@pytest.mark.parametrize(
    ("grant", "finding"),
    [
        (
            "GRANT INSERT, UPDATE (`state`) ON `store`.`tickets` TO `ro`@`%`",
            (FindingKind.CAN_WRITE, "the account has INSERT on store.tickets"),
        ),
        ("GRANT FILE ON *.* TO `ro`@`%`", (FindingKind.CAN_WRITE, "the account has FILE on *.*")),
        (
            "GRANT EXECUTE ON PROCEDURE `store`.`p` TO `ro`@`%`",
            (FindingKind.CAN_WRITE, "the account has EXECUTE on store.p"),
        ),
        ("GRANT PROCESS ON *.* TO `ro`@`%`", (FindingKind.CAN_ADMINISTER, "the account has PROCESS on *.*")),
        ("GRANT SELECT ON `store`.* TO `ro`@`%`", (FindingKind.READS_BEYOND, "the account may read store.*")),
        (
            "GRANT SELECT (`id`, `salary`) ON `store`.`people` TO `ro`@`%`",
            (FindingKind.READS_BEYOND, "the account may read store.people.salary"),
        ),
        (
            "GRANT ALL PRIVILEGES ON *.* TO `ro`@`%` WITH GRANT OPTION",
            (FindingKind.CAN_ADMINISTER, "the account may pass its rights on *.* on to others"),
        ),
        (
            "GRANT `reader`@`%` TO `ro`@`%`",
            (FindingKind.UNKNOWN_GRANT, "the account has a role, whose rights were not judged"),
        ),
        (
            "GRANT PROXY ON ''@'%' TO 'ro'@'%'",
            (FindingKind.UNKNOWN_GRANT, "a grant of the account could not be judged: look at SHOW GRANTS"),
        ),
    ],
)
def test_whatever_goes_beyond_the_list_is_told(grant: str, finding: tuple[FindingKind, str]) -> None:
    assert finding in findings(*FITTING, grant)


def test_the_default_role_alone_says_nothing() -> None:
    assert findings(*FITTING, "SET DEFAULT ROLE NONE FOR `ro`@`%`") == set()


def test_what_cannot_be_read_is_told() -> None:
    assert findings(*FITTING[:-1]) == {
        (
            FindingKind.CANNOT_READ,
            "the account cannot read ledger.entries.id, ledger.entries.ticket_id, ledger.entries.total",
        )
    }
    ((kind, text),) = findings()
    assert kind is FindingKind.CANNOT_READ
    assert text.endswith(" ...")


def test_the_hash_of_the_password_is_never_repeated() -> None:
    assert "0123456789ABCDEF" not in repr(
        account_findings((*FITTING, FITTING[0] + " WITH GRANT OPTION"), SOURCE)
    )


def test_a_listed_secret_is_warned_about() -> None:
    assert AccountFinding(
        FindingKind.SENSITIVE_COLUMN,
        "store.people.apiToken is allow-listed although its name says that it is secret",
    ) in list(allow_list_findings(SECRETS))


def test_the_skeleton_lists_columns_and_leaves_secrets_out() -> None:
    columns = [
        SchemaColumn("store", "people", "id", "int(11)"),
        SchemaColumn("store", "people", "api_key", "text"),
        SchemaColumn("store", "odd name", 'q"\n', "text"),
        SchemaColumn("a.b", "t", "c", "int(11)"),
    ]

    assert schema_skeleton(columns).splitlines()[1:] == [
        "[mysql.data_sources.allowed.store]",
        "# people: left out api_key",
        'people = ["id"]',
        '"odd name" = ["q\\"\\n"]',
        '[mysql.data_sources.allowed."a.b"]',
        't = ["c"]',
    ]
    assert column_types(columns)["store.people.id"] == "int(11)"
