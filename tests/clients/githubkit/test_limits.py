"""An exhausted budget. The server of this test allows two anonymous requests an hour."""

from datetime import timedelta

import pytest
from githubkit.exception import PrimaryRateLimitExceeded

from conftest import client


def test_an_exhausted_budget_says_when_it_is_full_again():
    anonymous = client()
    for _ in range(2):
        anonymous.rest.git.get_ref("acme", "gadgets", "heads/main")
    with pytest.raises(PrimaryRateLimitExceeded) as refusal:
        anonymous.rest.git.get_ref("acme", "gadgets", "heads/main")
    assert timedelta(minutes=50) < refusal.value.retry_after <= timedelta(hours=1, seconds=1)
