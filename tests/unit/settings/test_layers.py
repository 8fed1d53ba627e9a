"""Which layer wins, and where each value is said to come from."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.assets import config_root, default_config
from superbiz_cli.bootstrap.limits import run_limits
from superbiz_cli.harness.contract.limits import AttemptLimits, RunLimits, TimeLimits
from superbiz_cli.settings.keys import known_keys
from superbiz_cli.settings.layers import Layer, Origin, OriginKind, merge
from tests.unit.settings.loading import loaded

LAYERS = ("flags", "environ", "named", "project", "user", None)


@pytest.mark.parametrize("strongest", range(len(LAYERS)))
def test_a_stronger_layer_hides_the_weaker_ones(tmp_path: Path, strongest: int) -> None:
    sources: dict[str, object] = {
        "flags": {"run.deadline_s": 10.0},
        "environ": {"SUPERBIZ_RUN__DEADLINE_S": "20"},
        "named": "[run]\ndeadline_s = 30\n",
        "project": "[run]\ndeadline_s = 40\n",
        "user": "[run]\ndeadline_s = 50\n",
    }
    present = {name: sources[name] for name in LAYERS[strongest:] if name is not None}
    found = loaded(tmp_path, **present)  # type: ignore[arg-type]
    expected = [10.0, 20.0, 30.0, 40.0, 50.0, 300.0][strongest]
    places = [
        "--run.deadline_s",
        "SUPERBIZ_RUN__DEADLINE_S",
        str(tmp_path / "c.toml"),
        "./superbiz.toml",
        str(tmp_path / "own" / "config.toml"),
        "config/default.toml",
    ]
    origin = found.origin_of("run.deadline_s")
    assert found.settings.run.deadline_s == expected
    assert origin is not None
    assert origin.place == places[strongest]


def test_a_layer_changes_only_the_keys_that_it_names(tmp_path: Path) -> None:
    found = loaded(tmp_path, user="[run]\nmax_tool_calls = 3\n", project="[run]\nmax_model_calls = 4\n")
    assert (found.settings.run.max_tool_calls, found.settings.run.max_model_calls) == (3, 4)
    assert found.settings.run.max_total_tokens == 200_000


def test_a_list_replaces_the_list_below_it(tmp_path: Path) -> None:
    source = '[[logs.sources]]\nname = "{}"\ntopic = "APPLICATION"\npaths = ["a"]\n'
    found = loaded(tmp_path, user=source.format("old"), project=source.format("new"))
    assert [item.name for item in found.settings.logs.sources] == ["new"]


def test_no_config_ignores_every_file(tmp_path: Path) -> None:
    found = loaded(tmp_path, user="nonsense", project="nonsense", use_files=False)
    assert found.settings.run.deadline_s == 300


def test_the_variable_ignores_every_file_too(tmp_path: Path) -> None:
    found = loaded(tmp_path, user="nonsense", project="nonsense", environ={"SUPERBIZ_NO_CONFIG": "1"})
    assert found.settings.run.deadline_s == 300


def test_a_file_named_by_a_variable_is_read(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[run]\ndeadline_s = 7\n")
    found = loaded(tmp_path, environ={"SUPERBIZ_CONFIG": str(other)})
    assert found.settings.run.deadline_s == 7


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("SUPERBIZ_RUN__MAX_TOOL_CALLS", "5", ("run", "max_tool_calls"), 5),
        ("SUPERBIZ_AUDIT__REASONING", "false", ("audit", "reasoning"), False),
        ("SUPERBIZ_MODEL__AGENT__NAME", "123", ("model", "agent", "name"), "123"),
        ("SUPERBIZ_UI__LANGUAGE", "zh", ("ui", "language"), "zh"),
        ("SUPERBIZ_SKILLS__PATHS", '["a", "b"]', ("skills", "paths"), ("a", "b")),
    ],
)
def test_a_variable_is_read_as_the_type_of_its_key(
    tmp_path: Path, name: str, text: str, key: tuple[str, ...], value: object
) -> None:
    found: object = loaded(tmp_path, environ={name: text}).settings
    for part in key:
        found = getattr(found, part)
    assert found == value


def test_the_shipped_defaults_are_those_of_the_harness(tmp_path: Path) -> None:
    shipped = run_limits(loaded(tmp_path).settings)
    agent = AttemptLimits(attempt_s=120.0, total_s=120.0)
    assert shipped == RunLimits(time=TimeLimits(agent=agent))


def test_every_key_stands_in_the_default_file_with_a_comment_above_it() -> None:
    lines = default_config().read_text(encoding="utf-8").splitlines()
    section = ""
    explained = set()
    for above, line in itertools.pairwise(lines):
        bare = line.removeprefix("# ")
        if bare.startswith(("[[", "[mysql.data_sources.")):
            section = "an entry"
        elif line.startswith("["):
            section = line.strip("[]")
        elif " = " in bare and above.startswith(("#", "[")):
            explained.add(f"{section}.{bare.split(' = ')[0]}")
    assert set(known_keys()) <= explained


@pytest.mark.parametrize("example", sorted(config_root().glob("examples/*.toml")), ids=lambda path: path.stem)
def test_every_example_is_accepted(tmp_path: Path, example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    assert loaded(tmp_path, named=text).settings.run.deadline_s > 0
    uncommented = "\n".join(
        line.removeprefix("# ") for line in text.splitlines() if " = " in line or "[" in line[:4]
    )
    if example.stem == "starter":
        tomllib.loads(uncommented)
        assert loaded(tmp_path, named=uncommented).settings.logs.sources


_KEYS = st.sampled_from(["a", "b", "c"])
_TABLES = st.recursive(
    st.dictionaries(_KEYS, st.integers(), max_size=3),
    lambda inner: st.dictionaries(_KEYS, st.integers() | inner, max_size=3),
    max_leaves=8,
)


@given(tables=st.lists(_TABLES, min_size=1, max_size=4))
def test_every_leaf_of_a_merge_has_the_origin_that_holds_its_value(tables: list[dict[str, object]]) -> None:
    kinds = list(OriginKind)
    layers = [Layer(Origin(kinds[n], str(n)), table) for n, table in enumerate(tables)]
    merged = merge(layers)
    for path, origin in merged.origins.items():
        value: object = tables[int(origin.place)]
        result: object = merged.values
        for name in path:
            value = value[name]  # type: ignore[index]
            result = result[name]  # type: ignore[index]
        assert value == result
