"""Settings as a machine with these files, variables and flags would load them."""

from __future__ import annotations

from pathlib import Path

from superbiz_cli.settings import LoadedSettings, Override, load


def loaded(
    tmp_path: Path,
    *,
    project: str | None = None,
    user: str | None = None,
    named: str | None = None,
    environ: dict[str, str] | None = None,
    flags: dict[str, object] | None = None,
    use_files: bool = True,
    model: str | None = None,
) -> LoadedSettings:
    """Load with these texts as ./superbiz.toml, the user's file and the file of --config."""
    folder, own = tmp_path / "folder", tmp_path / "own"
    for place in (folder, own):
        place.mkdir(exist_ok=True)
    for path, text in (
        (folder / "superbiz.toml", project),
        (own / "config.toml", user),
        (tmp_path / "c.toml", named),
    ):
        if text is not None:
            path.write_text(text)
    return load(
        environ={
            "SUPERBIZ_HOME": str(tmp_path / "home"),
            "SUPERBIZ_CONFIG_DIR": str(own),
            **(environ or {}),
        },
        folder=folder,
        config_file=tmp_path / "c.toml" if named is not None else None,
        use_files=use_files,
        overrides=tuple(Override(key, value, f"--{key}") for key, value in (flags or {}).items()),
        model=model,
    )
