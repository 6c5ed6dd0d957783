"""Two tiers: `pytest` leaves out the tests marked slow; `pytest --all` runs them and checks shapes and types of calls.

Nothing of the package is imported here: the check must be there first, so the fixtures of every folder are in a plugin.
"""

import os
import signal

import pytest

pytest_plugins = ["tiny_runs"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; programs that tests interrupt inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "GRADIO_ANALYTICS_ENABLED": "False"}


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    parser.addoption("--all", action="store_true", help="also slow tests; check shapes and types of every call")
    if "--all" in pluginmanager.get_plugin("pytestconfig").invocation_params.args:
        from typechecking import install

        install()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.all:
        return
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
    items[:] = [item for item in items if not item.get_closest_marker("slow")]
