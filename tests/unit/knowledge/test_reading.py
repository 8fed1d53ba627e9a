"""One file read: bounded, labelled, redacted."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli.adapters.document_text import extract
from superbiz_cli.knowledge.document import DocumentRefused
from superbiz_cli.knowledge.ingest.discover import Source
from superbiz_cli.knowledge.ingest.reading import Prepared, ReadingOptions, prepare, read_file
from superbiz_cli.knowledge.ingest.secrets import scan_secrets


def source(tmp_path: Path, text: str | bytes, name: str = "team/a.md") -> Source:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Source(path, tmp_path, name)


def prepared(tmp_path: Path, text: str, **choices: object) -> Prepared:
    options = ReadingOptions(**choices)  # type: ignore[arg-type]
    made = source(tmp_path, text)
    return prepare(read_file(made, options), doc_id=made.relative, options=options, extract=extract)


def refused(made: Source, options: ReadingOptions | None = None) -> str:
    with pytest.raises(DocumentRefused) as caught:
        read_file(made, options or ReadingOptions())
    return caught.value.reason


def test_labels_come_from_the_command_then_front_matter_then_the_folder(tmp_path: Path) -> None:
    front = "---\ntitle: T\ncategory: front\nscope: team-x\n---\ntext"
    assert prepared(tmp_path, front, category="flag").category == "flag"
    assert (prepared(tmp_path, front).category, prepared(tmp_path, front).scope) == ("front", "team-x")
    plain = prepared(tmp_path, "# Heading\ntext")
    assert (plain.category, plain.scope, plain.title) == ("team", "default", "Heading")


def test_a_document_without_a_heading_is_called_by_its_file(tmp_path: Path) -> None:
    assert prepared(tmp_path, "just text").title == "a"


def test_labels_hold_no_control_characters(tmp_path: Path) -> None:
    assert prepared(tmp_path, "text", category="a\x1b[31m\nb" + "c" * 99).category == "a[31mb" + "c" * 58


def test_a_secret_is_redacted_and_its_line_is_told(tmp_path: Path) -> None:
    document = prepared(tmp_path, "# T\nok\nexport DB_PASSWORD=hunter2secret\n")
    assert "hunter2secret" not in document.text
    assert document.secrets == 1
    assert "line 3" in document.notes[0]


def test_a_secret_is_kept_only_when_asked_for_and_still_told(tmp_path: Path) -> None:
    document = prepared(tmp_path, "password=hunter2secret", keep_secrets=True)
    assert "hunter2secret" in document.text
    assert "kept" in document.notes[0]


def test_hosts_and_addresses_of_a_runbook_are_no_secrets() -> None:
    text = "curl http://127.0.0.1:8848/nacos on host db-01.example.com, pod web-7d9f8-x2x1p, pid 4711"
    assert scan_secrets(text).text == text


def test_a_private_key_over_many_lines_is_one_secret() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nMIIdef\n-----END RSA PRIVATE KEY-----"
    scanned = scan_secrets(f"before\n{key}\nafter")
    assert "MIIabc" not in scanned.text
    assert scanned.text.startswith("before\n")
    assert scanned.text.endswith("after")
    assert scanned.count >= 1


def test_whatever_shapes_the_chunks_is_in_the_hash(tmp_path: Path) -> None:
    made = source(tmp_path, "text")
    hashes = {
        read_file(made, ReadingOptions(**choices)).content_hash
        for choices in ({}, {"scope": "x"}, {"category": "x"}, {"keep_secrets": True})
    }
    assert len(hashes) == 4
    assert read_file(made, ReadingOptions()).content_hash in hashes


def test_a_file_above_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.md"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert "too large (50.0 MB" in refused(Source(path, tmp_path, "huge.md"))


def test_a_file_that_vanished_is_refused(tmp_path: Path) -> None:
    assert refused(Source(tmp_path / "gone.md", tmp_path, "gone.md")) == "has vanished"


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    assert refused(Source(tmp_path, tmp_path, "x.md")) == "cannot be read"


def test_a_file_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = source(tmp_path, "text")

    def deny(_path: Path) -> bytes:
        raise PermissionError

    monkeypatch.setattr(Path, "read_bytes", deny)
    assert "no permission" in refused(made)
