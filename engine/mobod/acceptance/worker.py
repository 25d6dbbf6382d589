"""The process of one check: `python -m mobod.acceptance.worker FOLDER` reads task.pickle and writes result.pickle there."""

import pickle
import sys
from pathlib import Path

from mobod.acceptance.declared_checks import DeclaredCheck
from mobod.acceptance.subject import Monitor, Subject

TASK, RESULT, NOTE, OUTPUT = "task.pickle", "result.pickle", "note.txt", "output.txt"


def work(folder: Path) -> None:
    declared: DeclaredCheck
    subject: Subject
    declared, subject = pickle.loads((folder / TASK).read_bytes())
    monitor = Monitor(folder / NOTE)
    monitor.note("the check was loaded")
    result = declared.function()(subject, monitor)
    # renamed when it is whole: a process that is killed leaves no half of it
    unfinished = folder / f"{RESULT}.unfinished"
    unfinished.write_bytes(pickle.dumps(result))
    unfinished.rename(folder / RESULT)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
