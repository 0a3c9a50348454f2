"""Beside a running metric: Ctrl-C, other threads, forked processes."""

import multiprocessing
import signal
import subprocess
import sys
import threading
import time

import pytest
import unbraid
from conftest import made

LONG = """
import sys, time
sys.path.insert(0, {tests!r})
import unbraid
from conftest import made

table = made(20_000)
begun = []
def progress(metric, share):
    if not begun:
        begun.append(print("begun", flush=True))
try:
    unbraid.mig(*table, bootstrap=10**6, progress=progress)
except KeyboardInterrupt:
    print(time.time(), flush=True)
"""


def seconds_to_stop():
    script = LONG.format(tests=str(__import__("pathlib").Path(__file__).parent))
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "begun\n"
            time.sleep(0.2)
            asked = time.time()
            child.send_signal(signal.SIGINT)
            return float(child.communicate(timeout=60)[0]) - asked
        finally:
            child.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="a child is not interrupted so on Windows")
def test_ctrl_c_ends_a_long_metric_within_a_second():
    # The best of three: a machine with much else to do may take its time.
    took = []
    while len(took) < 3 and not (took and took[-1] < 1):
        took.append(seconds_to_stop())
    assert min(took) < 1, took


def test_other_threads_run_on_meanwhile():
    table, turns, done = made(20_000), 0, threading.Event()

    def work():
        unbraid.mig(*table, bootstrap=20)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        turns += 1
    thread.join()
    # With the GIL held, this loop would hardly turn at all.
    assert turns > 20


def test_several_threads_may_score_at_once():
    table = made()
    expected, found = float(unbraid.mig(*table)), []
    threads = [
        threading.Thread(target=lambda: found.append(float(unbraid.mig(*table)))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def in_child(send):
    send.send(float(unbraid.mig(*made())))


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    # The parent's threads are up before the fork, as in a training loop with a DataLoader.
    expected = float(unbraid.mig(*made()))
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=in_child, args=(send,))
    child.start()
    try:
        assert receive.poll(30), "the child waits for threads it does not have"
        assert receive.recv() == expected
    finally:
        child.kill()
        child.join()
