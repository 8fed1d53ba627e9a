"""Errors of operating system and drivers, told in our words."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from sqlalchemy.exc import NoSuchModuleError, OperationalError

from superbiz_cli.adapters.sql_audit.address import parse_address
from superbiz_cli.adapters.sql_audit.faults import told_in_our_words, unavailable
from superbiz_cli.harness.audit.failure import AuditFault, AuditUnavailable

SERVER = parse_address("mysql://ann:hunter2@db/audit", environ={})
FILE = parse_address(Path("/var/audit.db"), environ={})


class DriverError(Exception):
    """As PyMySQL raises it: a number and a text of the server."""


def server_error(number: int) -> OperationalError:
    return OperationalError("SELECT hunter2", {}, DriverError(number, "hunter2"))


def told(error: Exception) -> AuditUnavailable:
    with pytest.raises(AuditUnavailable) as refused, told_in_our_words(SERVER):
        raise error
    assert "hunter2" not in str(refused.value) + refused.value.where + refused.value.remedy
    return refused.value


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (server_error(1045), AuditFault.REFUSED),
        (server_error(1205), AuditFault.LOCKED),
        (server_error(1290), AuditFault.READ_ONLY),
        (server_error(1114), AuditFault.FULL),
        (server_error(2006), AuditFault.UNREACHABLE),
        (OperationalError("SELECT hunter2", {}, DriverError()), AuditFault.UNREACHABLE),
        (OSError(errno.ENOSPC, "hunter2"), AuditFault.FULL),
        (OSError(errno.EROFS, "hunter2"), AuditFault.READ_ONLY),
        (OSError("hunter2"), AuditFault.UNREACHABLE),
        (NoSuchModuleError("hunter2"), AuditFault.UNREACHABLE),
        (ValueError("hunter2"), AuditFault.REFUSED),
    ],
)
def test_each_error_has_its_fault(error: Exception, fault: AuditFault) -> None:
    assert told(error).fault is fault


@pytest.mark.parametrize("fault", sorted(set(AuditFault) - {AuditFault.MISCONFIGURED}))
@pytest.mark.parametrize("address", [SERVER, FILE], ids=["server", "file"])
def test_every_fault_has_a_sentence_with_the_place_and_a_remedy(fault: AuditFault, address: object) -> None:
    assert address in {SERVER, FILE}
    error = unavailable(fault, SERVER if address is SERVER else FILE)
    assert error.where in str(error)
    assert str(error).endswith(".")
    assert error.remedy
    assert "{" not in str(error) + error.remedy
