import os

os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # else joblib, below scikit-learn, starts lscpu to count cores
