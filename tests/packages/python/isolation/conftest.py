"""Fails the run if a world is left behind."""

import os

import forgewright


def pytest_sessionfinish(session):
    # In the process that starts the others, after they have ended.
    if not hasattr(session.config, "workerinput"):
        left = [world["name"] for world in forgewright.connect(os.environ["FORGEWRIGHT_SERVER"]).worlds()]
        if left != ["main"]:
            print(f"worlds are left behind: {left}")
            session.exitstatus = 1
