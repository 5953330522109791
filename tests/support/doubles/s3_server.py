"""A server that speaks S3, moto's, in a process of its own on loopback."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from roomtour.batch.results.s3 import open_store

KEYS = {"AWS_ACCESS_KEY_ID": "made-up-id", "AWS_SECRET_ACCESS_KEY": "made-up-secret-word"}


@contextmanager
def serve_s3() -> Iterator[dict[str, str]]:
    """Start it with a bucket `tours`; gives the environment in which clients find it."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    variables = {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    try:
        while True:
            assert server.poll() is None
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        open_store.cache_clear()
        try:
            import boto3

            boto3.Session().client("s3").create_bucket(Bucket="tours")
            yield variables
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
            open_store.cache_clear()
    finally:
        server.kill()
        server.wait()
