"""What waiting costs: llama.cpp with OpenMP threads that spin and with threads that sleep, idle and busy.

Usage: ``python benchmarks/threads.py``. Each figure comes from a process of its own; the busy machine has as many
spinning processes as it has cores. Prints seconds for a prompt of about 480 tokens and for 40 tokens of answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

WORK = """
import json, sys, time
from llama_cpp import Llama
llama = Llama(sys.argv[1], n_ctx=2048, n_threads=int(sys.argv[2]), n_threads_batch=int(sys.argv[2]), verbose=False)
tokens = llama.tokenize(("Creative Commons lets people share their work. " * 60).encode())
started = time.perf_counter()
llama.eval(tokens)
read = time.perf_counter()
for _ in range(40):
    llama.eval([llama.sample(temp=0)])
print(json.dumps([read - started, time.perf_counter() - read]))
"""


def measured(model: str, threads: int, policy: str) -> tuple[float, float]:
    """Seconds for the prompt and for the answer."""
    environment = {**os.environ, "OMP_WAIT_POLICY": policy}
    command = [sys.executable, "-c", WORK, model, str(threads)]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    read, wrote = json.loads(output)
    return read, wrote


def table(model: str, title: str) -> None:
    """One line for each policy."""
    threads = os.cpu_count() or 1
    print(f"{title}, {threads} threads")
    for policy in ("active", "passive"):
        read, wrote = measured(model, threads, policy)
        print(f"  {policy:8} prompt {read:6.2f} s   answer {wrote:6.2f} s")


def main() -> None:
    """Idle first, then busy."""
    from vidbench.models import choose, pull

    model = str(pull(choose("language", tier="tiny")) / "model.gguf")
    table(model, "idle")
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        table(model, "busy")
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main()
