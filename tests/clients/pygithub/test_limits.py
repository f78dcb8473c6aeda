"""An exceeded rate limit. The server of this test allows three anonymous requests per hour."""

import github
import pytest


def test_an_exceeded_rate_limit_raises_an_exception(anonymous):
    for _ in range(3):
        assert anonymous.get_repo("acme/gadgets").id == 2002
    with pytest.raises(github.RateLimitExceededException):
        anonymous.get_repo("acme/gadgets")
    assert anonymous.rate_limiting == (0, 3)
    limits = anonymous.get_rate_limit()
    assert (limits.resources.core.limit, limits.resources.core.remaining) == (3, 0)
