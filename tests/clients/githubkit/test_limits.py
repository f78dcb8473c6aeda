"""An exceeded rate limit. The server of this test allows two anonymous requests per hour."""

from datetime import timedelta

import pytest
from githubkit.exception import PrimaryRateLimitExceeded

from conftest import client


def test_an_exceeded_rate_limit_has_the_time_of_its_reset():
    anonymous = client()
    for _ in range(2):
        anonymous.rest.git.get_ref("acme", "gadgets", "heads/main")
    with pytest.raises(PrimaryRateLimitExceeded) as error:
        anonymous.rest.git.get_ref("acme", "gadgets", "heads/main")
    assert timedelta(minutes=50) < error.value.retry_after <= timedelta(hours=1, seconds=1)
