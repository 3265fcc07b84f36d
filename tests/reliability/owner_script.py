"""A process that owns a workspace and describes a clip, printing a line at each event: something to kill.

Usage: ``python owner_script.py WORKSPACE CLIP``. Prints ``workers {kind: pid}`` with each event line.
"""

import json
import sys

import vidbench as vb


def main(workspace: str, clip: str) -> None:
    """Describe *clip*, or go on where an earlier process was killed."""
    bench = vb.open(workspace)
    job = bench.add(clip).describe()
    for event in job.events(timeout=0.2):
        if event.kind != "tick":
            print(
                json.dumps({"kind": event.kind, "stage": event.stage, "pids": bench.engine.pool.pids()}),
                flush=True,
            )
    job.result(timeout=60)
    print(json.dumps({"kind": "done", "attempt": job.record.attempt}), flush=True)
    bench.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
