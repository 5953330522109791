from collections.abc import Iterator

import pytest

from tests.support.doubles.s3_server import serve_s3


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    """A server of S3 with a bucket named `tours`, and the variables by which its clients find it."""
    with serve_s3() as variables:
        yield variables
