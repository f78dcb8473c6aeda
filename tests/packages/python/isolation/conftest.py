"""Fails the run if a test leaves a world behind."""

import os

import forgewright


def pytest_sessionfinish(session):
    # Only in the controller process of pytest-xdist, after its workers have exited.
    if not hasattr(session.config, "workerinput"):
        worlds = [world["name"] for world in forgewright.connect(os.environ["FORGEWRIGHT_SERVER"]).worlds()]
        if worlds != ["main"]:
            print(f"the tests left worlds behind: {worlds}")
            session.exitstatus = 1
