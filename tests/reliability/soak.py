"""Reads and writes for `--seconds`: memory and descriptors stay flat, and every response is
correct."""

import random
import threading
import time

from harness import check, on_each_database
from writers import create_writers, start_writers

READS = ["/repos/acme/work/git/matching-refs/heads/", "/repos/acme/work/pulls/1/comments?per_page=100",
         "/orgs/acme/issue-fields", "/repos/acme/work/git/ref/heads/main", "/repos/acme/work", "/openapi/service.json"]


class Reader:
    def __init__(self, server):
        self.server, self.responses, self.wrong = server, 0, []

    def work(self, stop, pause):
        client = self.server.client()
        turn = 0
        while not stop.wait(pause):
            turn += 1
            if turn % 100 == 0:
                client.close()
            response = client.get(READS[turn % len(READS)])
            self.responses += 1
            if response.status != 200:
                self.wrong.append(f"{READS[turn % len(READS)]}: {response.status}")


def run(options):
    on_each_database("soak", options, soak)


def soak(server, kind, options):
    server.load_world()
    server.start()
    try:
        writers = create_writers(server, lambda number: random.Random(f"{options.seed}/{number}"))
        readers = [Reader(server) for _ in range(4)]
        end = start_writers(writers, options.pause)
        stop = threading.Event()
        threads = [threading.Thread(target=reader.work, args=(stop, options.pause), daemon=True) for reader in readers]
        for thread in threads:
            thread.start()
        samples = []
        started = time.monotonic()
        while time.monotonic() - started < options.seconds:
            time.sleep(max(1, options.seconds / 60))
            samples.append((server.memory_kib(), server.descriptors()))
        stop.set()
        end()
        for thread in threads:
            thread.join(60)
            check(not thread.is_alive(), "a reader hangs")
        verify(server, kind, options, writers, readers, samples)
    finally:
        server.kill()


def verify(server, kind, options, writers, readers, samples):
    wrong = [text for reader in readers for text in reader.wrong]
    check(not wrong, f"{len(wrong)} reads failed, for example: {wrong[:1]}")
    unanswered = sum(writer.unanswered for writer in writers)
    check(unanswered == 0, f"{unanswered} writes got no response")
    client = server.client()
    for writer in writers:
        writer.verify(client)
    third = len(samples) // 3
    early = max(memory for memory, _ in samples[third: 2 * third])
    late = max(memory for memory, _ in samples[2 * third:])
    check(late < early * 1.15 + 8192, f"memory grows: {early} to {late} KiB")
    opened = max(count for _, count in samples[2 * third:])
    check(opened <= max(count for _, count in samples[third: 2 * third]) + 10, "descriptors grow")
    check(server.panics() == 0, "the server panicked")
    server.doctor()
    reads = sum(reader.responses for reader in readers)
    writes = sum(writer.acknowledged for writer in writers)
    print(f"soak {kind}: {options.seconds} s, {reads} reads and {writes} writes, all correct, "
          f"memory {samples[0][0] // 1024} MiB at the start, {early // 1024} MiB in the middle and "
          f"{late // 1024} MiB at the end, {opened} descriptors")
