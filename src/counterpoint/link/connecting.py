"""How two programs find each other: addresses, tokens, who connects to whom."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from .. import _core
from ..errors import SetupError

TOKEN_VARIABLE = "COUNTERPOINT_TOKEN"


def is_local(address: str) -> bool:
    """Whether an address can be reached from this computer only; raise SetupError if it is invalid."""
    try:
        return bool(_core.link.check_address(address))
    except ValueError as error:
        raise SetupError(str(error)) from None


def check_scenario_address(address: str) -> None:
    """Raise SetupError if an address that a scenario names is invalid or not of this computer."""
    if not is_local(address):
        raise SetupError(
            f"{address}: is not an address of this computer, links are not encrypted, and a scenario cannot allow "
            "this; use an ssh tunnel (ssh -L 4711:127.0.0.1:4711 host) and tcp://127.0.0.1:4711, or type "
            f"--allow-remote {address} (allow_remote={address!r})"
        )


def check_address(address: str, insecure: bool) -> None:
    """Raise SetupError if an address is invalid, or reachable from other computers without ``insecure``."""
    if not is_local(address) and not insecure:
        raise SetupError(
            f"{address}: can be reached from other computers, and links are not encrypted; use an ssh tunnel "
            "(ssh -L 4711:127.0.0.1:4711 host) and tcp://127.0.0.1:4711, or allow it with insecure=True (--insecure)"
        )


def make_token() -> str:
    """Return a new random token."""
    return secrets.token_hex(16)


def read_token(token: str | None, token_file: str | os.PathLike[str] | None) -> str:
    """Return the token to send: the one given, that of a file, or that of the environment."""
    if token is None and token_file is not None:
        try:
            token = Path(token_file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise SetupError(f"{token_file}: cannot read the token: {error.strerror or error}") from None
    token = token or os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise SetupError(
            f"token: missing; pass the one that the other program prints, or set {TOKEN_VARIABLE} or token_file"
        )
    if len(token) > 256 or not token.isprintable() or " " in token:
        raise SetupError("token: expected at most 256 printable characters without blanks")
    return token


def shared_token(token_file: str | os.PathLike[str]) -> str:
    """Return the token in a file; create the file if it does not exist, readable only by its owner."""
    path = Path(token_file)
    with suppress(FileExistsError):
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise
        except OSError as error:
            raise SetupError(f"{path}: cannot write the token: {error.strerror or error}") from None
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(make_token() + "\n")
    return read_token(None, path)


def connect(address: str, token: str, wait: float) -> _core.link.OpenLink:
    """Connect to a program that listens; raise SetupError if this fails."""
    try:
        return _core.link.connect(address, token, wait)
    except RuntimeError as error:
        raise SetupError(str(error)) from None
