"""Stub tours that go through `roomtour.batch.children.staged` and make real stages of a run folder."""

STAGES = (("sample", ("frames", "source.json", "mask.png")), ("clips", ("frames.parquet", "clips.json")))
STUB = """
import json, pathlib, sys, time
import roomtour.batch.children.staged as staged
staged._PUSH_EVERY_S = 0.1
staged.CHILD = ("-c", '''
import json, pathlib, sys, time, os
from roomtour.store import RunStore, StageEntry
spec = json.load(open(sys.argv[1]))
run = pathlib.Path(spec["run"])
with RunStore(run).opened() as store:
    for stage, outputs in STAGES:
        if not store.is_done(stage, "k"):
            part = store.begin()
            time.sleep(SECONDS)
            for output in outputs:
                (part / output).write_text(f"{spec['tour']} {stage} {output} {spec['attempt']}")
            store.commit(stage, StageEntry("k", 0.0, 0.0, "", attempt=spec["attempt"]), outputs, ())
        AFTER
    (run / "log.jsonl").write_text("one line")
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
''')
sys.exit(staged.main(sys.argv[1:]))
"""
FALL = "os.abort() if stage == 'clips' else None"


def make_stub(seconds: float = 0.0, after: str = "pass") -> str:
    return STUB.replace("STAGES", repr(STAGES)).replace("SECONDS", str(seconds)).replace("AFTER", after)
