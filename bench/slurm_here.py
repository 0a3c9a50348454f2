"""A Slurm of one node on this machine, and what can happen to jobs on it. Needs root and Debian's packages."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation={place}/ctld
SlurmdSpoolDir={place}/d
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=1,bf_interval=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MaxArraySize=1001
MinJobAge=3600
ReturnToService=2
KillWait=5
JobRequeue=1
SlurmctldTimeout=30
SlurmdTimeout=30
MpiDefault=none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=10
PartitionName=high Nodes={host} MaxTime=INFINITE State=UP PriorityTier=10
"""

NEEDED = ["slurmctld", "slurmd", "sbatch", "srun", "scontrol", "munged"]


def missing() -> str | None:
    """Why Slurm cannot be started here, or nothing."""
    if os.geteuid() != 0:
        return "this is not root"
    gone = [name for name in NEEDED if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    return f"{', '.join(gone)} not found" if gone else None


class Slurm:
    """A cluster of this machine alone."""

    def __init__(self, place: Path) -> None:
        """Start it, and wait until its node is idle."""
        for part in ("ctld", "d"):
            (place / part).mkdir(parents=True)
        self.place, self.host = place, socket.gethostname().split(".")[0]
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        words = {"place": place, "host": self.host, "cpus": os.cpu_count(), "memory": memory}
        text = CONFIGURATION.format(**words)
        (place / "slurm.conf").write_text(text)
        os.environ["SLURM_CONF"] = str(place / "slurm.conf")
        os.environ["PATH"] += ":/usr/sbin"
        self.start_munge()
        subprocess.run(["slurmctld"], check=True)
        self.start_node()

    @staticmethod
    def start_munge() -> None:
        """The daemon that signs messages, which does not run as root."""
        subprocess.run("install -d -o munge -g munge -m 0755 /run/munge", shell=True, check=True)
        if subprocess.run(["pgrep", "-x", "munged"], stdout=subprocess.DEVNULL).returncode:
            subprocess.run(["runuser", "-u", "munge", "--", "/usr/sbin/munged"], check=True)

    def start_node(self) -> None:
        """Start the daemon of the node."""
        subprocess.run(["slurmd", "-N", self.host], check=True)
        for _ in range(240):
            said = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True).stdout
            if any(word in said for word in ("idle", "mixed", "allocated")):
                return
            time.sleep(0.5)
        raise RuntimeError("the node of Slurm does not come up")

    def kill_node(self) -> None:
        """Kill the daemon of the node, and those of every step, at once."""
        for name in ("slurmd", "slurmstepd"):
            subprocess.run(["pkill", "-9", "-x", name], check=False)

    def tasks(self, job: str) -> dict[str, str]:
        """The state of every task of an array that has not ended."""
        words = ["squeue", "-h", "-r", "-j", job, "-o", "%i %T"]
        said = subprocess.run(words, capture_output=True, text=True).stdout
        return dict(line.split() for line in said.splitlines())

    def stop(self) -> None:
        """End it."""
        for name in ("slurmd", "slurmctld"):
            pid = self.place / f"{name}.pid"
            if pid.exists():
                os.kill(int(pid.read_text()), signal.SIGTERM)


def running(slurm: Slurm, job: str, least: int = 1) -> list[str]:
    """Wait until some tasks run, and name them."""
    for _ in range(600):
        now = sorted(task for task, state in slurm.tasks(job).items() if state == "RUNNING")
        if len(now) >= least:
            return now
        if not slurm.tasks(job):
            return []
        time.sleep(0.5)
    return []


def disturb(program: Path, study: Path, place: Path) -> dict[str, int]:
    """Have Slurm work on a study while all that can happen on a cluster happens, in turn, until it is done."""
    slurm = Slurm(place)
    done = {"scontrol requeue": 0, "preemption": 0, "death of slurmd": 0, "scancel, submitted again": 0}
    submit = [program, "--quiet", "study", "submit", study, "--engine", "slurm", "--shards", "2", "--memory", "500"]
    submit += ["--time", "01:00:00"]

    def submitted() -> str:
        said = subprocess.run(submit, check=True, capture_output=True, text=True).stdout
        return said.split()[3].rstrip(",")

    def count() -> int:
        return len(list((study / "runs").glob("*/scores.json")))

    try:
        job = submitted()
        for what in itertools.cycle(done):
            tasks = running(slurm, job)
            if not tasks:
                break
            time.sleep(5)
            if what == "scontrol requeue":
                subprocess.run(["scontrol", "requeue", tasks[-1]], check=False)
            elif what == "preemption":
                rival = ["sbatch", "--parsable", "--partition=high", "--exclusive", "--wrap", "sleep 3"]
                subprocess.run([*rival, "--output=/dev/null"], check=True, stdout=subprocess.DEVNULL)
            elif what == "death of slurmd":
                slurm.kill_node()
                time.sleep(40)
                slurm.start_node()
            else:
                subprocess.run(["scancel", job], check=True)
                while slurm.tasks(job):
                    time.sleep(1)
                job = submitted()
            done[what] += 1
            print(f"  after {what}: {count()} runs are done", flush=True)
        while slurm.tasks(job):
            time.sleep(2)
    finally:
        slurm.stop()
    return done


def main() -> int:
    """For the tests: start Slurm, have it work on a study, disturb it once in each way that takes no minutes."""
    program, study, place = (Path(word) for word in sys.argv[1:4])
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        return 0
    slurm = Slurm(place)
    try:
        submit = [program, "--quiet", "study", "submit", study, "--engine", "slurm", "--shards", "2"]
        submit += ["--memory", "500", "--time", "00:10:00"]

        def submitted() -> str:
            said = subprocess.run(submit, check=True, capture_output=True, text=True).stdout
            return said.split()[3].rstrip(",")

        job = submitted()
        first = running(slurm, job)[0]
        time.sleep(1)
        # Time is short: the worker has itself queued again, and Slurm would let it wait two minutes.
        subprocess.run(["scancel", "--signal=USR1", first], check=True)
        while slurm.tasks(job).get(first) == "RUNNING":
            time.sleep(0.2)
        print("after SIGUSR1:", slurm.tasks(job).get(first, "gone"))
        # Cancelled, it stays so.
        subprocess.run(["scancel", job], check=True)
        while slurm.tasks(job):
            time.sleep(0.2)
        job = submitted()
        while slurm.tasks(job):
            time.sleep(0.2)
        print("done:", len(list((study / "runs").glob("*/scores.json"))))
    finally:
        slurm.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
