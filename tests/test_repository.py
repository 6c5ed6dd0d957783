"""The files that people and GitHub expect of a repository have the keys that their readers need, and no other pins."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)

TEXT = {"type": "string", "minLength": 1}
STEP = {
    "type": "object",
    "oneOf": [{"required": ["uses"]}, {"required": ["run"]}],
    "properties": {
        "uses": {"pattern": r"^[\w-]+/[\w-]+@(v\d+|release/v\d+)$"},  # the tag of a major version
        "run": TEXT,
        "with": {"type": "object"},
        "env": {"type": "object"},
        "name": TEXT,
        "if": {},
    },
    "additionalProperties": False,
}
JOB = {
    "type": "object",
    "required": ["runs-on", "timeout-minutes", "steps"],
    "properties": {"steps": {"type": "array", "items": STEP}},
}
WORKFLOW = {
    "type": "object",
    "required": ["name", "on", "permissions", "concurrency", "jobs"],
    "properties": {
        "permissions": {"const": {"contents": "read"}},
        "concurrency": {"required": ["group", "cancel-in-progress"]},
        "jobs": {"type": "object", "minProperties": 1, "additionalProperties": JOB},
    },
}
FIELD = {
    "required": ["type", "attributes"],
    "properties": {
        "type": {"enum": ["markdown", "textarea", "input", "dropdown", "checkboxes"]},
        "id": {"pattern": r"^[\w-]+$"},
        "validations": {"properties": {"required": {"type": "boolean"}}, "additionalProperties": False},
    },
    "if": {"properties": {"type": {"const": "markdown"}}},
    "then": {"properties": {"attributes": {"required": ["value"]}}},
    "else": {"required": ["id"], "properties": {"attributes": {"required": ["label"]}}},
}
FORM = {
    "required": ["name", "description", "body"],
    "properties": {
        "name": TEXT,
        "description": TEXT,
        "labels": {"type": "array"},
        "body": {"type": "array", "items": FIELD},
    },
    "additionalProperties": False,
}
CHOOSER = {
    "required": ["blank_issues_enabled", "contact_links"],
    "properties": {
        "blank_issues_enabled": {"type": "boolean"},
        "contact_links": {"items": {"required": ["name", "url", "about"], "additionalProperties": TEXT}},
    },
    "additionalProperties": False,
}
HOOK = {
    "required": ["id", "name", "entry", "language"],
    "properties": {"language": {"const": "system"}, "additional_dependencies": False},
}
HOOKS = {
    "required": ["repos"],
    "properties": {
        "repos": {"items": {"required": ["repo", "hooks"], "properties": {"repo": {"const": "local"},
                                                                         "hooks": {"items": HOOK}}}}
    },
    "additionalProperties": False,
}  # fmt: skip


def read(path: Path | str) -> Any:
    """A YAML file; ``on`` is a word, as GitHub reads it, and no truth value."""
    values = yaml.safe_load((ROOT / path).read_text())
    return {"on" if key is True else key: value for key, value in values.items()}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_read_only_has_a_time_limit_and_pins_actions_by_major_version(path):
    jsonschema.validate(read(path), WORKFLOW)


def test_the_lanes_are_the_checks_every_python_on_two_systems_and_all_of_it():
    workflow = read(".github/workflows/checks.yml")
    check, test, everything, nightly = (workflow["jobs"][name] for name in ("check", "test", "everything", "nightly"))
    pythons = [f"3.{minor}" for minor in range(11, 15)]
    assert test["strategy"]["matrix"] == {"system": ["ubuntu-latest", "macos-latest"], "python": pythons}
    runs = [job["steps"][-1]["run"] for job in (check, test, everything, nightly)]
    assert runs == ["make check", "make test", ".ci/run", "make test-all"]
    assert everything["if"] == "github.event_name != 'pull_request'"
    assert nightly["if"] == "github.event_name == 'schedule'"
    assert workflow["on"].keys() >= {"pull_request", "push", "schedule"}
    assert workflow["on"]["push"] == {"branches": ["main"]}
    assert workflow["concurrency"]["cancel-in-progress"]
    assert workflow["env"] == {"TORCH_BACKEND": "cpu"}  # of the Makefile
    floor = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert floor == f">={pythons[0]}"


def test_a_release_is_built_by_make_and_only_the_jobs_that_need_it_may_write():
    jobs = read(".github/workflows/release.yml")["jobs"]
    assert {"run": "make package"} in jobs["build"]["steps"]
    rights = {name: job.get("permissions") for name, job in jobs.items()}
    assert rights == {"build": None, "publish": {"id-token": "write"}, "attach": {"contents": "write"}}
    assert [jobs[name]["needs"] for name in ("publish", "attach")] == ["build", "publish"]
    assert any(step.get("uses", "").startswith("pypa/gh-action-pypi-publish@") for step in jobs["publish"]["steps"])


def test_the_audit_of_this_repository_is_the_example_with_the_checkout_installed():
    example, own = (read(path) for path in ("examples/audit-workflow.yml", ".github/workflows/audit.yml"))
    assert json.dumps(own) == json.dumps(example).replace("'unrandom[fast,smt]'", "'.[fast,smt]'")
    assert own != example


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_for_issues_has_what_github_needs(path):
    jsonschema.validate(form := read(path), FORM)
    ids = [field["id"] for field in form["body"] if "id" in field]
    assert len(ids) == len(set(ids))


def test_links_of_the_chooser_are_the_project_s_own():
    jsonschema.validate(chooser := read(".github/ISSUE_TEMPLATE/config.yml"), CHOOSER)
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"].values()
    assert all(link["url"].startswith(tuple(own)) for link in chooser["contact_links"])


def test_hooks_before_a_commit_are_the_commands_of_make_check():
    jsonschema.validate(hooks := read(".pre-commit-config.yaml"), HOOKS)
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    commands = [line.strip().removeprefix("$(BIN)/") for line in recipe[1].splitlines() if "$(BIN)/" in line]
    assert [hook["entry"] for hook in hooks["repos"][0]["hooks"]] == commands


def test_the_editor_s_lines_are_as_long_as_the_formatter_s():
    sections = re.findall(r"^(?:root = true|\[.+\]|[a-z_]+ = [a-z0-9-]+)?$", (ROOT / ".editorconfig").read_text(), re.M)
    assert len(sections) == len((ROOT / ".editorconfig").read_text().split("\n"))
    length = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["line-length"]
    assert f"max_line_length = {length}" in sections


def test_a_vulnerability_is_reported_in_private_and_nobody_is_named():
    policy = (ROOT / "SECURITY.md").read_text()
    assert "Report a vulnerability" in policy
    assert "@" not in policy


def test_constraints_are_the_one_list_of_pins():
    """The Dockerfile names uv before constraints.txt is read; it is the same version."""
    files = [*(ROOT / ".github").rglob("*.*"), *(ROOT / name for name in ("Dockerfile", "Makefile", ".ci/run"))]
    files += [ROOT / "pyproject.toml", ROOT / ".pre-commit-config.yaml"]
    pinned = [pin for path in files if path.is_file() for pin in re.findall(r"([\w.-]+)==(\d[\w.]*)", path.read_text())]
    assert pinned == [("uv", PINS["uv"])]
