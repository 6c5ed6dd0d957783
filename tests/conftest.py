"""Which tests run, and whether the types of calls are checked, are two switches: see CONTRIBUTING.md.

Nothing of the package is imported here: the check of types must be there first, so the fixtures of every folder are in
a plugin.
"""

import gc
import os
import signal
from pathlib import Path
from zlib import crc32

import pytest

pytest_plugins = ["tiny_runs"]

AUDITS = Path(__file__).parent / "auditing"
QUARTERS = 4

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; programs that tests interrupt inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "GRADIO_ANALYTICS_ENABLED": "False"}


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    parser.addoption("--slow", action="store_true", help="also tests marked slow")
    parser.addoption("--nightly", action="store_true", help="every test: also those marked slow or nightly")
    parser.addoption("--not-slow-audits", action="store_true", help="with --slow, leave out the slow tests of audits")
    parser.addoption("--types", action="store_true", help="check shapes and types of every call of the package")
    parser.addoption("--quarter", type=int, choices=range(QUARTERS), help="only this quarter of the test files")
    if "--types" in pluginmanager.get_plugin("pytestconfig").invocation_params.args:
        from typechecking import install

        install()


def pytest_collection_finish() -> None:
    gc.freeze()  # all that was imported stays, and need not be searched for garbage again and again


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen: dict[bool, list[pytest.Item]] = {True: [], False: []}
    for item in items:
        chosen[_is_chosen(item, config.option)].append(item)
    config.hook.pytest_deselected(items=chosen[False])
    items[:] = chosen[True]


def _is_chosen(item: pytest.Item, option: object) -> bool:
    if item.get_closest_marker("typed"):
        return option.types
    if option.quarter is not None and crc32(item.path.name.encode()) % QUARTERS != option.quarter:
        return False
    if option.nightly:
        return True
    if item.get_closest_marker("nightly"):
        return False
    if item.get_closest_marker("slow"):
        return option.slow and not (option.not_slow_audits and item.path.is_relative_to(AUDITS))
    return True
