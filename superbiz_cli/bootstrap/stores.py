"""Opens the canonical store and the audit archive that the settings name."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from superbiz_cli.bootstrap.run_ids import AUDIT_FILE
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.audit.archive import AuditUnavailable, RunArchive
from superbiz_cli.harness.audit.failure import AuditFault
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.tool.invocation import InvocationStore, StoreError, StoreFault
from superbiz_cli.settings import Settings

CANONICAL_FILE = "canonical.db"
_NEEDS_A_PERSON = {AuditFault.CORRUPT, AuditFault.NEWER, AuditFault.MISCONFIGURED}


def canonical_path(settings: Settings) -> Path:
    """Return the file of the embedded canonical store."""
    return settings.home / CANONICAL_FILE


def audit_target(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> Path | str:
    """Return the audit database: a URL if one is configured, else a file in the home."""
    audit = settings.audit
    if audit.url_env:
        return _from_environment(audit.url_env, "audit.url_env", environ)
    return audit.url or settings.home / AUDIT_FILE


def open_store(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> InvocationStore:
    """Open the canonical store. Raises SuperbizError if it cannot be used."""
    canonical = settings.canonical
    max_record_bytes = settings.run.payload.canonical_record_bytes
    try:
        if canonical.backend == "redis":
            from superbiz_cli.adapters.redis_invocations import RedisInvocationStore

            url = (
                _from_environment(canonical.url_env, "canonical.url_env", environ)
                if canonical.url_env
                else canonical.url or ""
            )
            return RedisInvocationStore.open(
                url,
                key_prefix=canonical.key_prefix,
                ttl_s=canonical.ttl_s,
                max_record_bytes=max_record_bytes,
                timeout_s=canonical.timeout_s,
            )
        from superbiz_cli.adapters.sqlite_invocations import SqliteInvocationStore

        return SqliteInvocationStore.open(
            canonical_path(settings), ttl_s=canonical.ttl_s, max_record_bytes=max_record_bytes
        )
    except StoreError as error:
        raise _unusable_store(settings, error) from error


def open_run_archive(settings: Settings, *, create: bool = True) -> RunArchive:
    """Open the audit archive. Raises AuditUnavailable."""
    from superbiz_cli.adapters.sql_audit.archive import open_archive as open_sql_archive
    from superbiz_cli.bootstrap.registered_secrets import redactor_for

    return open_sql_archive(
        audit_target(settings),
        redact=redactor_for(settings).redact,
        owner=getpass.getuser(),
        keep_reasoning=settings.audit.reasoning,
        create=create,
    )


def archive_for_run(settings: Settings) -> tuple[RunArchive, str | None]:
    """Open the archive for a Run, and a warning if it has to do without.

    A fault that may pass (locked, full, unreachable) costs a warning: auditing never stops a Run.
    Raises SuperbizError for one that needs a person, before anything is spent.
    """
    try:
        return open_run_archive(settings), None
    except AuditUnavailable as error:
        if error.fault in _NEEDS_A_PERSON:
            raise _unusable_audit(error) from error
        return NoArchive(), f"This run is not recorded: {error}"


@contextmanager
def open_archive(settings: Settings, *, create: bool = False) -> Iterator[RunArchive]:
    """Open the archive; one that does not exist yet is empty and stays absent, unless `create`.

    Raises SuperbizError if it cannot be used, also while it is read.
    """
    try:
        archive = open_run_archive(settings, create=create)
    except AuditUnavailable as error:
        raise _unusable_audit(error) from error
    try:
        yield archive
    except AuditUnavailable as error:
        raise _unusable_audit(error) from error
    finally:
        archive.close()


def _from_environment(name: str, key: str, environ: Mapping[str, str]) -> str:
    value = environ.get(name)
    if not value:
        raise SuperbizError(
            ErrorCode.CREDENTIAL_MISSING,
            f"The environment variable {name}, named by {key}, is not set.",
            hint=f"export {name}=...",
        )
    return value


def _unusable_audit(error: AuditUnavailable) -> SuperbizError:
    return SuperbizError(ErrorCode.AUDIT_UNAVAILABLE, str(error), hint=error.remedy)


def _unusable_store(settings: Settings, error: StoreError) -> SuperbizError:
    if settings.canonical.backend == "redis":
        return SuperbizError(
            ErrorCode.STORE_UNAVAILABLE,
            "Redis, the canonical store, does not answer.",
            hint='check [canonical] url, or set backend = "embedded"',
        )
    path = canonical_path(settings)
    if error.fault is StoreFault.CORRUPT:
        return SuperbizError(
            ErrorCode.STORE_UNAVAILABLE,
            f"The canonical store {path} is damaged.",
            hint=f"it only holds tool results of the last hours: move {path} away and try again",
        )
    return SuperbizError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The canonical store {path} cannot be opened ({error.fault.value}).",
        hint="check that SUPERBIZ_HOME belongs to you, is writable, and that the disk is not full",
    )
