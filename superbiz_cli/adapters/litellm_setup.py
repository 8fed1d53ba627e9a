"""Importing litellm so that it stays quiet, offline and without retries of its own.

The import takes seconds and loads thousands of modules; `litellm_runtime` does it in a background
thread. The environment variables must be set before it:
otherwise litellm fetches a price list and reads a `.env` file found upwards of its own folder.
"""

from __future__ import annotations

import logging
import os
import warnings
from typing import Any

_ENVIRONMENT = {
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "litellm", "openai", "asyncio")
_CALLBACK_LISTS = (
    "callbacks",
    "input_callback",
    "success_callback",
    "failure_callback",
    "service_callback",
    "_async_success_callback",
    "_async_failure_callback",
)


def import_litellm() -> Any:
    """Import litellm and switch off everything that prints, reports, retries or falls back."""
    os.environ.update(_ENVIRONMENT)
    _silence_warnings()
    import litellm

    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.num_retries = None
    litellm.model_fallbacks = None
    litellm.drop_params = False
    litellm.telemetry = False
    for name in _CALLBACK_LISTS:
        setattr(litellm, name, [])
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    _silence_warnings()
    return litellm


def _silence_warnings() -> None:
    warnings.filterwarnings("ignore", module=r"pydantic\..*")
    warnings.filterwarnings("ignore", module=r"litellm\..*")
    warnings.filterwarnings("ignore", message=r".*was never awaited")
    warnings.filterwarnings("ignore", message=r"Pydantic serializer warnings")
