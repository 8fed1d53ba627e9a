"""Which files an ingestion reads, and what each document is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from superbiz_cli.knowledge.ingest.discover import Found, Source, discover
from superbiz_cli.knowledge.ingest.naming import assign_names
from tests.support.knowledge import document, write

SUFFIXES = {".md", ".txt"}


def found(*arguments: Path | str, stdin: bytes = b"") -> Found:
    return discover([str(argument) for argument in arguments], suffixes=SUFFIXES, stdin=lambda: stdin)


def names(*arguments: Path | str) -> list[str]:
    return [source.relative for source in found(*arguments).sources]


def test_a_folder_is_read_in_a_stable_order(tmp_path: Path) -> None:
    write(tmp_path, b="x", a="x", sub__c="x")
    assert names(tmp_path) == ["a.md", "b.md", "sub/c.md"]


def test_other_formats_and_hidden_files_are_counted_not_read(tmp_path: Path) -> None:
    write(tmp_path, a="x", **{".git__b": "x", "node_modules__c": "x"})
    (tmp_path / "picture.png").write_bytes(b"x")
    (tmp_path / ".hidden.md").write_text("x")
    result = found(tmp_path)
    assert [source.relative for source in result.sources] == ["a.md"]
    assert result.ignored == 2


def test_a_file_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "RUNBOOK").write_text("x")
    assert names(tmp_path / "RUNBOOK") == ["RUNBOOK"]


def test_a_glob_is_relative_to_its_fixed_part(tmp_path: Path) -> None:
    write(tmp_path, team__a="x", team__deep__b="x", c="x")
    assert names(f"{tmp_path}/team/**/*.md") == ["a.md", "deep/b.md"]


def test_overlapping_arguments_name_a_file_once(tmp_path: Path) -> None:
    write(tmp_path, a="x")
    assert names(tmp_path, tmp_path / "a.md", f"{tmp_path}/*.md") == ["a.md"]


def test_links_are_followed_and_loops_are_not(tmp_path: Path) -> None:
    write(tmp_path, docs__a="x", elsewhere__b="x")
    (tmp_path / "docs" / "loop").symlink_to(tmp_path / "docs")
    (tmp_path / "docs" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "docs" / "self").symlink_to(tmp_path / "docs" / "self")
    result = found(tmp_path / "docs")
    assert [source.relative for source in result.sources] == ["a.md", "linked/b.md"]


def test_what_is_not_there_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path, a="x")
    result = found(tmp_path / "gone", f"{tmp_path}/*.txt", tmp_path / "a.md")
    assert [problem.reason for problem in result.problems] == ["does not exist", "matches no file"]
    assert len(result.sources) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_said(tmp_path: Path) -> None:
    write(tmp_path, open__a="x", closed__b="x")
    (tmp_path / "closed").chmod(0)
    try:
        result = found(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert [source.relative for source in result.sources] == ["open/a.md"]
    assert "no permission" in result.problems[0].reason


def test_standard_input_is_a_document() -> None:
    source = found("-", stdin=b"# Title").sources[0]
    assert (source.location, source.relative, source.content) == ("-", "stdin.md", b"# Title")


def test_the_folder_of_a_source_is_its_nearest_one() -> None:
    assert Source(Path("/r/a/b/c.md"), Path("/r"), "a/b/c.md").folder == "b"
    assert Source(Path("/r/c.md"), Path("/r"), "c.md").folder == ""


def source_at(path: str, root: str) -> Source:
    return Source(Path(path), Path(root), path.removeprefix(f"{root}/"))


def test_a_document_is_called_by_its_path_below_the_argument() -> None:
    assert list(assign_names([source_at("/r/team/a.md", "/r")], {})) == ["team/a.md"]


def test_equal_names_of_two_folders_are_told_apart_by_the_folder() -> None:
    named = assign_names([source_at("/x/one/a.md", "/x/one"), source_at("/x/two/a.md", "/x/two")], {})
    assert list(named) == ["a.md", "two/a.md"]


def test_a_name_is_kept_by_its_source(tmp_path: Path) -> None:
    write(tmp_path, one__a="x", two__a="x")
    one, two = tmp_path / "one", tmp_path / "two"
    published = {
        "a.md": document("a.md", source=str(one / "a.md")),
        "two/a.md": document("two/a.md", source=str(two / "a.md")),
    }
    only_two = assign_names([source_at(str(two / "a.md"), str(two))], published)
    assert list(only_two) == ["two/a.md"]


def test_a_name_of_another_living_file_is_not_taken(tmp_path: Path) -> None:
    write(tmp_path, one__a="x", two__a="x")
    published = {"a.md": document("a.md", source=str(tmp_path / "one" / "a.md"))}
    named = assign_names([source_at(str(tmp_path / "two" / "a.md"), str(tmp_path / "two"))], published)
    assert list(named) == ["two/a.md"]


def test_a_moved_folder_takes_its_names_along(tmp_path: Path) -> None:
    write(tmp_path, new__a="x")
    published = {"a.md": document("a.md", source=str(tmp_path / "old" / "a.md"))}
    assert list(
        assign_names([source_at(str(tmp_path / "new" / "a.md"), str(tmp_path / "new"))], published)
    ) == ["a.md"]


def test_endless_names_are_shortened_and_stay_apart() -> None:
    long = "/r/" + "x" * 600
    named = assign_names([source_at(f"{long}1.md", "/r"), source_at(f"{long}2.md", "/r")], {})
    assert len(named) == 2
    assert max(map(len, named)) < 400
