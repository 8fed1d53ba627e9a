"""Wrong settings are refused with the key, the place and the remedy, before anything else happens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError
from tests.unit.settings.loading import loaded

SOURCE = '[[logs.sources]]\nname = "a"\ntopic = "APPLICATION"\npaths = ["x"]\n'
CANARY = "sk-canary123"


def refusal(tmp_path: Path, **layers: object) -> SuperbizError:
    with pytest.raises(SuperbizError) as caught:
        loaded(tmp_path, **layers)  # type: ignore[arg-type]
    assert caught.value.exit_code is ExitCode.USAGE
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[run]\ndeadlin_s = 3\n", "unknown key 'run.deadlin_s' (did you mean 'run.deadline_s'?)"),
        ("[run]\nttl_s = 3\n", "unknown key 'run.ttl_s' (did you mean 'canonical.ttl_s'?)"),
        ("[modle.agent]\nname = 'x'\n", "unknown key 'modle'"),
        ("home = '/tmp'\n", "unknown key 'home'"),
        (SOURCE + "zones = {CST = '8'}\n", "'logs.sources[0].zones.CST'"),
        (SOURCE + "zones = {'+08' = '+08:00'}\n", "'logs.sources[0].zones"),
        (SOURCE + "path = ['y']\n", "unknown key 'logs.sources[0].path' (did you mean 'paths'?)"),
        ("[run]\ndeadline_s = '3'\n", "'run.deadline_s' must be a number"),
        ("[run]\ndeadline_s = true\n", "'run.deadline_s' must be a number"),
        ("[run]\nmax_tool_calls = 2.5\n", "'run.max_tool_calls' must be a whole number"),
        ("[run]\nmax_tool_calls = 0\n", "'run.max_tool_calls' must be at least 1"),
        ("[run]\ndeadline_s = -1\n", "'run.deadline_s' must be greater than 0"),
        ("[run]\ndeadline_s = nan\n", "'run.deadline_s' must be"),
        ("[run]\ndeadline_s = inf\n", "'run.deadline_s' must be"),
        ("run = 3\n", "'run' must be a table"),
        ("[ui]\nlanguage = 'fr'\n", "'ui.language' must be one of 'auto', 'en' or 'zh'"),
        ("[ui]\ntimezone = 'Mars/Olympus'\n", "'ui.timezone' is not a time zone name"),
        ("[model.agent]\napi_base = 'ftp://h'\n", "'model.agent.api_base' must begin with http:// or https://"),
        ("[model.guard]\napi_base = 'h:8000/v1'\n", "'model.guard.api_base' must begin with http://"),
        ("[embedding]\napi_base = 'http:///v1'\n", "and name a host"),
        ("[audit]\nreasoning = 'yes'\n", "'audit.reasoning' must be true or false"),
        ("[canonical]\nbackend = 'redis'\n", "'canonical' needs \"url\" or \"url_env\""),
        (SOURCE + SOURCE, "'logs' has two entries with the same \"name\""),
        (SOURCE.replace("paths = ['x']", "").replace('paths = ["x"]', ""), "needs \"paths\""),
        (SOURCE + "kind = 'loki'\n", "'logs.sources[0]' needs \"url\", or \"url_env\""),
        (SOURCE + "kind = 'clickhouse'\nurl = 'ch:8123'\n", "'logs.sources[0].url' must begin with http://"),
        (SOURCE.replace("APPLICATION", "APP"), "'logs.sources[0].topic' must be one of"),
        ("[[mysql.data_sources]]\nid = 'a'\n", "needs \"url\", \"url_env\" or \"host\""),
        ("[[mysql.data_sources]]\nid = 'a'\nurl = 'x'\nhost = 'h'\n", "both \"url\" and \"host\""),
        ("[[mysql.data_sources]]\nid = 'a'\nurl = 'x'\ntls = 'required'\n", "\"tls\" goes with \"host\""),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_by_key_and_place(tmp_path: Path, text: str, named: str) -> None:
    error = refusal(tmp_path, project=text)
    assert error.code is ErrorCode.CONFIG_INVALID
    assert error.message.startswith("./superbiz.toml: ")
    assert named in error.message


def test_the_place_is_the_layer_that_holds_the_wrong_value(tmp_path: Path) -> None:
    error = refusal(tmp_path, user="[run]\ndeadline_s = 0\n", project="[run]\nmax_tool_calls = 3\n")
    assert error.message.startswith(str(tmp_path / "own" / "config.toml"))


def test_a_variable_that_names_no_setting_is_refused_with_the_nearest(tmp_path: Path) -> None:
    error = refusal(tmp_path, environ={"SUPERBIZ_RUN__DEADLIN_S": "3"})
    assert "SUPERBIZ_RUN__DEADLIN_S" in error.message
    assert "SUPERBIZ_RUN__DEADLINE_S" in error.message


def test_a_variable_of_the_wrong_type_is_refused_by_its_name(tmp_path: Path) -> None:
    error = refusal(tmp_path, environ={"SUPERBIZ_RUN__DEADLINE_S": "soon"})
    assert error.message == "SUPERBIZ_RUN__DEADLINE_S: 'run.deadline_s' must be a number"


def test_a_variable_without_a_level_is_none_of_ours(tmp_path: Path) -> None:
    assert loaded(tmp_path, environ={"SUPERBIZ_API_KEY": CANARY}).settings.run.deadline_s == 300


@pytest.mark.parametrize("text", ["[run", "a = ", "=", "a = 1\na = 2\n", "[a]\n[a]\n", "x = 'a\n"])
def test_a_file_that_is_no_toml_is_refused_without_its_text(tmp_path: Path, text: str) -> None:
    error = refusal(tmp_path, project=f"# {CANARY}\n{text}")
    assert error.code is ErrorCode.CONFIG_UNREADABLE
    assert "not valid TOML" in error.message
    assert CANARY not in error.message


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b"a = '\xe9'")
    assert "not UTF-8" in refusal(tmp_path, environ={"SUPERBIZ_CONFIG": str(path)}).message


def test_a_named_file_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    error = refusal(tmp_path, environ={"SUPERBIZ_CONFIG": str(tmp_path / "none.toml")})
    assert "there is no such file" in error.message


@pytest.mark.parametrize(
    "text",
    [
        f"[model.agent]\napi_key = '{CANARY}'\n",
        f"[model.agent]\napi_key_env = '{CANARY}'\n",
        f"[knowledge]\ntoken = '{CANARY}'\n",
        f"[canonical]\nurl = 'redis://:{CANARY}@127.0.0.1/0'\n",
        f"[audit]\nurl = 'mysql+pymysql://u:{CANARY}@h/db'\n",
        f"[audit]\nurl = 'mysql+pymysql://h/db?user=u&password={CANARY}'\n",
        f"[[mysql.data_sources]]\nid = 'a'\nurl = 'mysql://u:{CANARY}@h/db'\n",
        f"[[mysql.data_sources]]\nid = 'a'\nurl = 'mysql://u@h/db'\npassword = '{CANARY}'\n",
        f"[[logs.sources]]\nname = 'a'\ntopic = 'APPLICATION'\npaths = ['x']\ntoken = '{CANARY}'\n",
    ],
)
def test_a_literal_secret_is_refused_and_never_repeated(tmp_path: Path, text: str) -> None:
    error = refusal(tmp_path, project=text)
    assert error.code is ErrorCode.CREDENTIAL_IN_CONFIG
    assert CANARY not in f"{error.message} {error.hint}"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"[model.agent]\napi_base = 'http://u:{CANARY}@h/v1'\n", '"api_key_env"'),
        (f"[knowledge]\nuri = 'http://u:{CANARY}@h:19530'\n", '"token_env"'),
        (f"[audit]\nurl = 'mysql+pymysql://u:{CANARY}@h/db'\n", '"url_env"'),
    ],
)
def test_the_remedy_for_a_secret_in_an_address_names_a_key_that_exists(
    tmp_path: Path, text: str, key: str
) -> None:
    assert key in (refusal(tmp_path, project=text).hint or "")


def test_a_secret_in_a_variable_of_a_key_is_refused_too(tmp_path: Path) -> None:
    error = refusal(tmp_path, environ={"SUPERBIZ_MODEL__AGENT__API_KEY": CANARY})
    assert error.code is ErrorCode.CREDENTIAL_IN_CONFIG
    assert CANARY not in f"{error.message} {error.hint}"


def test_a_column_named_token_is_no_secret(tmp_path: Path) -> None:
    text = (
        "[[mysql.data_sources]]\nid = 'a'\nurl = 'mysql://u@h/db'\n"
        "[mysql.data_sources.allowed.shop]\ntoken = ['id']\npassword = ['id', 'token']\n"
    )
    (source,) = loaded(tmp_path, project=text).settings.mysql.data_sources
    assert source.allowed["shop"]["token"] == ("id",)


def test_a_project_file_is_announced(tmp_path: Path) -> None:
    assert loaded(tmp_path, project="[run]\ndeadline_s = 5\n").notices == ("using ./superbiz.toml",)


@pytest.mark.parametrize("mode", [0o666, 0o664, 0o646])
def test_a_project_file_that_others_may_write_is_ignored_and_said_so(tmp_path: Path, mode: int) -> None:
    loaded(tmp_path, project="[run]\ndeadline_s = 5\n")
    (tmp_path / "folder" / "superbiz.toml").chmod(mode)
    found = loaded(tmp_path)
    assert found.settings.run.deadline_s == 300
    assert found.notices == (
        "./superbiz.toml is ignored: others may write it; run: chmod go-w superbiz.toml",
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_project_file_of_another_user_is_ignored_and_said_so(tmp_path: Path) -> None:
    loaded(tmp_path, project="[run]\ndeadline_s = 5\n")
    os.chown(tmp_path / "folder" / "superbiz.toml", 12345, 12345)
    found = loaded(tmp_path)
    assert found.settings.run.deadline_s == 300
    assert "belongs to another user" in found.notices[0]


def test_a_project_file_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "superbiz.toml")
    assert "not a regular file" in loaded(tmp_path).notices[0]
