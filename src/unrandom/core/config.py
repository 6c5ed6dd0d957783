"""Configurations: frozen, nested, typed fields with one canonical JSON form, a hash and dotted overrides."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from unrandom.core.errors import UserError, near_misses

C = TypeVar("C", bound="Config")
_POWER = re.compile(r"(\d+)(?:\*\*|\^)(\d+)")


class Config(BaseModel):
    """Base of every configuration: immutable, strict in its types, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    # Fields added after run ids were published; left out of the hash at their default.
    added_later: ClassVar[frozenset[str]] = frozenset()
    # Fields that change how something is computed but not the result; always left out of the hash.
    not_hashed: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def parse(cls: type[C], values: Any) -> C:
        """A configuration from JSON values. Raises a one-line UserError for the first value that does not fit."""
        try:
            return cls.model_validate_json(json.dumps(values))
        except ValidationError as error:
            raise UserError(_first_error(error, values)) from None

    def to_json(self) -> dict[str, Any]:
        """This configuration as JSON values."""
        return self.model_dump(mode="json")

    def at(self, key: str) -> Any:
        """The value of a dotted key, such as ``model.depth``, as JSON. Raises KeyError for an unknown key."""
        value: Any = self.to_json()
        for part in key.split("."):
            value = value[part]
        return value

    def digest(self) -> str:
        """The first 8 hex digits of the SHA-256 of the canonical JSON (sorted keys, no spaces)."""
        canonical = json.dumps(self.identity(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:8]

    def identity(self) -> dict[str, Any]:
        """The JSON values that are hashed, which distinguish this configuration from others."""
        values = self.to_json()
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if name in self.not_hashed or (name in self.added_later and value == field.default):
                del values[name]
            elif isinstance(value, Config):
                values[name] = value.identity()
            elif isinstance(value, tuple) and value and isinstance(value[0], Config):
                values[name] = [each.identity() for each in value]
        return values

    def replace(self: C, **changes: Any) -> C:
        """A validated copy with other values: ``config.replace(steps=100, model={"depth": 2})``.

        A dictionary changes fields of a nested configuration. Raises UserError for an unknown key, naming near misses,
        and for a value that does not fit.
        """
        values = {name: getattr(self, name) for name in type(self).model_fields}
        for name, change in changes.items():
            if name not in values:
                raise UserError(_unknown_key(name, list(values)))
            is_nested = isinstance(values[name], Config) and isinstance(change, dict)
            values[name] = values[name].replace(**change) if is_nested else change
        try:
            return type(self)(**values)
        except ValidationError as error:
            raise UserError(_first_error(error, self.to_json())) from None

    def override(self: C, assignments: Sequence[str]) -> C:
        """A copy with dotted assignments applied, e.g. ``["model.depth=2", "data.modulus=2^16"]``.

        Values are JSON, or bare words, or comma-separated lists, or powers such as ``2^32``.
        Raises UserError for an unknown key, naming near misses, and for a value that does not fit.
        """
        values = self.to_json()
        for assignment in assignments:
            key, separator, text = assignment.partition("=")
            if not separator or not key:
                raise UserError(f"--set takes key=value, not {assignment!r}")
            _assign(values, key.strip(), text.strip())
        return type(self).parse(values)


def dotted_items(values: Mapping[str, Any], prefix: str = "", dot: str = ".") -> Iterator[tuple[str, Any]]:
    """Every leaf of a nested dictionary with its dotted key ``a.b.c``; an empty dictionary is a leaf."""
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from dotted_items(value, f"{prefix}{key}{dot}", dot)
        else:
            yield f"{prefix}{key}", value


def as_typed(value: Any) -> str:
    """A setting's value as it is typed on the command line."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _assign(values: dict[str, Any], key: str, text: str) -> None:
    known = dict(dotted_items(values))
    if key not in known:
        raise UserError(_unknown_key(key, list(known)))
    *parents, leaf = key.split(".")
    for parent in parents:
        values = values[parent]
    value = _parse_value(text)
    if isinstance(values[leaf], list) and not isinstance(value, list):
        value = [value]
    values[leaf] = value


def _unknown_key(key: str, known: list[str]) -> str:
    return f"unknown key {key!r:.80}{near_misses(key, known)}"


def parse_integer(text: str) -> int:
    """A whole number, in decimal or as ``0x1f``, or a power such as ``2^32``. Raises UserError for anything else."""
    if power := _POWER.fullmatch(text):
        base, exponent = int(power[1]), int(power[2])
        if exponent > 128 or base**exponent > 2**128:
            raise UserError(f"{text} is larger than 2^128, the largest power here")
        return base**exponent
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,32}", text):
        return int(text, 16)
    if not re.fullmatch(r"-?\d{1,40}", text):
        raise UserError(f"{text[:40]!r} is not a whole number")
    return int(text)


def _parse_value(text: str) -> Any:
    if _POWER.fullmatch(text):
        return parse_integer(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # not JSON that can be read: a list without brackets, or a bare word
    if "," in text:
        return [_parse_value(part.strip()) for part in text.split(",") if part.strip()]
    return {"none": None, "None": None, "True": True, "False": False}.get(text, text)


def _first_error(error: ValidationError, values: Any) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:80]
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        return _unknown_key(where, [key for key, _ in dotted_items(values) if key != where])
    if first["type"] == "value_error":
        return f"{where}: {message}" if where else message
    if not where:
        return "a JSON object is needed"
    if isinstance(first["input"], dict | list):
        return f"{where}: {message[0].lower()}{message[1:]}"
    return f"{where}={first['input']!r:.60}: {message[0].lower()}{message[1:]}"
