"""Keep the libraries that we load from reporting to their makers: a tour shows somebody's home.

They read these variables when they are imported, and some cannot be stopped afterwards, so each of our packages
imports this module before anything else. Children and tasks on other machines import it too, or inherit the variables.
A variable that is set already stays as it is.
"""

from __future__ import annotations

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime: on by default, some seconds after the import
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub and, through it, transformers
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",  # Ray: on by default for clusters that are made without a prompt
}
"""Environment variable and the value that turns reports off."""

for _name, _value in SWITCHES.items():
    os.environ.setdefault(_name, _value)
