"""A package of its own, so that a `tests` which a client of our exports installs beside itself (verl does) never stands
for ours.
"""

import os

# Before NumPy is loaded: threads that wait for each other in small products cost several times what they save.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # else joblib asks a process of its own for the number of cores
