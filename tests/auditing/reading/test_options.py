"""An option of reading is stated once, as a field of `Reading`; everything that takes it has it from there."""

import inspect
from dataclasses import fields

import pytest

from unrandom.auditing.audit import audit
from unrandom.auditing.reading.options import Reading
from unrandom.cli.parsing import full_parser
from unrandom.core.errors import UserError


@pytest.mark.parametrize("option", fields(Reading), ids=lambda one: one.name)
def test_an_audit_and_its_command_take_each_option(option):
    taken = inspect.signature(audit).parameters[option.name]
    assert (taken.default, taken.kind) == (option.default, taken.KEYWORD_ONLY)
    words = ["audit", "-", f"--{option.name}", *(["u8"] if option.default is None else [])]
    assert vars(full_parser().parse_args(words))[option.name] == (words[3] if words[3:] else True)


def test_what_is_stated_is_checked():
    assert Reading.of() == Reading()
    with pytest.raises(UserError, match="--high must be text, not 3"):
        Reading.of(high=3)
    with pytest.raises(TypeError, match="colour"):
        Reading.of(colour="red")
    assert Reading(column="x", rows=True).stated("rows", "regex", "column") == ["rows", "column"]
    assert set(Reading.names()) - set(Reading.names(of_audits=False)) == {"low", "high", "alphabet", "formula"}
