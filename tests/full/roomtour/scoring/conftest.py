from tests.support.export.made_datasets import made  # noqa: F401
