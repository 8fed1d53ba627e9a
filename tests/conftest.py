"""Fixtures for every test: a temporary home, a frozen clock where asked for, no network but loopback."""

from __future__ import annotations
