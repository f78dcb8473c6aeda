"""The primary of PostgreSQL dies repeatedly while clients write at three server processes, and a
standby takes its place. With a synchronous standby no acknowledged change is lost, and no response
is stale. With asynchronous ones only changes that no standby had received are lost, and no cache
shows them afterwards."""

import http.client
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path

from cluster import Cluster
from effects import Anonymous, Deliveries, Pushes, Register, Watched
from harness import HERE, CheckFailed, Server, check, percentile, until
from writers import REPOSITORY, References, create_writers, start_writers

DATABASE = "failover"
LIMIT = 60
OPTIONS = ["--base-url", "http://forge.example", "--webhooks-to", "private",
           "--rate-limit-user", "10000000", "--rate-limit-installation", "10000000", "--rate-limit-anonymous", str(LIMIT),
           "--content-limit-minute", "1000000", "--content-limit-hour", "1000000"]

# How long a process may take, on a busy machine, to work again once a primary accepts writes.
RECOVERY = 15


class Site:
    """Three processes on a cluster."""

    def __init__(self, folder, synchronous):
        self.deliveries = Deliveries()
        self.cluster = Cluster(folder, synchronous)
        self.servers = []
        try:
            self.cluster.primary.sql(f"CREATE DATABASE {DATABASE}")
            url = self.cluster.url(DATABASE)
            self.servers = [Server(folder, url, *OPTIONS) for _ in range(3)]
            world = Path(folder) / "world.yaml"
            world.write_text(self.deliveries.subscribed((HERE / "world.yaml").read_text()))
            loaded = self.servers[0].command("world", "load", str(world))
            check(loaded.returncode == 0, f"cannot load the world: {loaded.stderr}")
            for server in self.servers:
                server.spawn()
            for server in self.servers:
                server.await_ready()
        except BaseException:
            self.remove()
            raise

    def recovery(self, accepting):
        """How long after the primary accepts writes each process works."""
        times, failures = [], []

        def wait(server):
            try:
                until(RECOVERY, lambda: works(server), "a process recovers")
                times.append(time.monotonic() - accepting)
            except CheckFailed as failure:
                failures.append(f"{failure}: {server.log_tail()}")
        threads = [threading.Thread(target=wait, args=(server,), daemon=True) for server in self.servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check(not failures, failures[0] if failures else "")
        return max(times)

    def remove(self):
        for server in self.servers:
            if server.process:
                server.kill()
        self.cluster.remove()
        self.deliveries.close()


def works(server):
    """Whether a process reads and writes."""
    client = server.client(timeout=RECOVERY)
    try:
        main = client.get("/repos/acme/work/git/ref/heads/main")
        if main.status != 200:
            return False
        new = {"ref": f"refs/heads/probe/{time.monotonic_ns()}", "sha": main.json["object"]["sha"]}
        return client.call("POST", "/repos/acme/work/git/refs", new).status == 201
    except (OSError, http.client.HTTPException):
        return False
    finally:
        client.close()


def killed(site, rng):
    site.cluster.primary.end()


def switched(site, rng):
    """The primary stops in order, and sends what it has first."""
    site.cluster.primary.stop()


def vanished(site, rng):
    """The machine of the primary stops to answer, without closing a connection."""
    site.cluster.primary.signal_all(signal.SIGSTOP)
    time.sleep(rng.uniform(1, 3))
    site.cluster.primary.end()


def lagging(site, rng):
    """One of the standbys is behind."""
    receiver = rng.choice(site.cluster.standbys()).receiver()
    check(receiver, "a standby does not follow")
    os.kill(receiver, signal.SIGSTOP)
    time.sleep(rng.uniform(0.5, 1.5))
    site.cluster.primary.end()
    os.kill(receiver, signal.SIGCONT)


def crashed(site, rng):
    """A server process dies with the primary."""
    rng.choice(site.servers).kill()
    site.cluster.primary.end()


def filled(site, rng):
    """The disk of the primary is full."""
    site.cluster.primary.fill()
    time.sleep(rng.uniform(1, 2))
    site.cluster.primary.end()


EVENTS = [killed, vanished, filled, crashed, switched, lagging]


def synchronous(options):
    rng = random.Random(options.seed)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="forgewright-failover.") as folder:
        site = Site(folder, synchronous=True)
        try:
            counts, recoveries, totals = {}, [], Totals(site, options)
            for number in range(options.failovers):
                # Only servers that were copied have a small disk; the first one was not.
                event = EVENTS[number % len(EVENTS)] if number < len(EVENTS) else rng.choice(EVENTS)
                recoveries.append(totals.round(site, event, rng))
                counts[event.__name__] = counts.get(event.__name__, 0) + 1
            if options.failovers >= 10:
                without_standbys(site)
            totals.finish(site)
        finally:
            site.remove()
    print(f"failover, synchronous: {options.failovers} failovers ({', '.join(f'{n} {name}' for name, n in counts.items())}), "
          f"{totals.summary()}; each process works {percentile(recoveries, 0.5):.1f} s (median) to {max(recoveries):.1f} s "
          f"after the new primary, {time.monotonic() - started:.0f} s (seed {options.seed})")


def without_standbys(site):
    """While no standby is left, reads work and writes are refused; they work again with a new one."""
    for node in site.cluster.standbys():
        node.end()
    main = site.servers[0].client().get(f"{REPOSITORY}/git/ref/heads/main")
    check(main.status == 200, f"a read without standbys gets {main.status}")
    new = {"ref": "refs/heads/waits", "sha": main.json["object"]["sha"]}
    written = site.servers[0].client().call("POST", f"{REPOSITORY}/git/refs", new)
    check(written.status == 503 and written.seconds < 21, f"a write without standbys gets {written.status} after {written.seconds:.0f} s")
    for server in site.servers:
        check(server.client().get(f"{REPOSITORY}/git/ref/heads/main").status == 200, "a read fails after the write")
    site.cluster.repair()
    for server in site.servers:
        until(RECOVERY, lambda: works(server), "a process writes with a new standby")
    print(f"failover, no standby left: reads work, a write gets 503 after {written.seconds:.1f} s, and writes work with a new standby")


class Totals:
    """The clients of a site, and what they were told."""

    def __init__(self, site, options):
        of = lambda number: random.Random(f"{options.seed}/{number}")
        self.writers = create_writers(site.servers[0], of)
        self.writers += [Pushes(16, site.servers[0], of(16)), Pushes(17, site.servers[1], of(17)),
                         Watched(18, site.servers[2], of(18), site.deliveries)]
        for number, writer in enumerate(self.writers):
            writer.server = site.servers[number % 3]
        self.registers = [Register(site.servers, number) for number in range(3)]
        self.anonymous = Anonymous(site.servers, LIMIT)

    def round(self, site, event, rng):
        """One failover under load. Returns how long the slowest process took to recover."""
        end = start_writers(self.writers)
        for register in self.registers:
            register.start()
        time.sleep(rng.uniform(0.3, 1.5))
        self.anonymous.spend(LIMIT // 8)
        event(site, rng)
        accepting = site.cluster.promote()
        for server in site.servers:
            if not server.process:
                server.start()
        slowest = site.recovery(accepting)
        end()
        time.sleep(0.5)
        for register in self.registers:
            register.end()
        self.verify(site)
        site.cluster.repair()
        return slowest

    def verify(self, site):
        """Every process returns every acknowledged change, and nothing that was not sent."""
        for server in site.servers:
            client = server.client()
            for writer in self.writers:
                writer.verify(client)
            client.close()
            check(server.panics() == 0, f"a process panicked: {server.log_tail()}")

    def finish(self, site):
        for _ in range(3):
            self.anonymous.spend(LIMIT // 2)
        self.anonymous.check()
        site.deliveries.verify(self.writers[-1])
        site.servers[0].doctor()

    def summary(self):
        acknowledged = sum(writer.acknowledged for writer in self.writers + self.registers)
        doubtful = sum(writer.unanswered for writer in self.writers + self.registers)
        reads = sum(register.reads for register in self.registers)
        return (f"all {acknowledged} acknowledged changes stored, {doubtful} in doubt stored completely or not at all, "
                f"{reads} reads not stale, {self.anonymous.admitted} of {LIMIT} anonymous requests admitted, "
                f"{len(self.writers[-1].known)} events delivered under one id each")


class Changes:
    """Changes that a failover may lose, each read at every process, so that caches have it."""

    def __init__(self, site):
        self.site, self.known = site, []
        self.client = site.servers[0].client()
        self.main = self.client.get(f"{REPOSITORY}/git/ref/heads/main").json["object"]["sha"]

    def make(self):
        """Issues a token, and creates a reference and a comment."""
        issued = self.site.servers[1].command("token", "issue", "classic", "--user", "alice", "--scope", "repo")
        token = next((word for word in issued.stdout.split() if word.startswith("ghp_")), None)
        check(token, f"no token: {issued.stdout}{issued.stderr}")
        name = f"heads/lost/{time.monotonic_ns()}"
        reference = self.client.call("POST", f"{REPOSITORY}/git/refs", {"ref": f"refs/{name}", "sha": self.main})
        check(reference.status == 201, f"a reference: {reference.status}")
        body = {"body": name, "path": "a.txt", "line": 2, "side": "RIGHT", "commit_id": References.commits[2]}
        comment = self.client.call("POST", f"{REPOSITORY}/pulls/1/comments", body)
        check(comment.status == 201, f"a comment: {comment.status}")
        made = (token, f"{REPOSITORY}/git/ref/{name}", f"{REPOSITORY}/pulls/comments/{comment.json['id']}")
        self.known.append((made, name))
        return made

    def statuses(self, server, made):
        token, reference, comment = made
        client = server.client()
        user = server.client(token).get("/user")
        return [user.status, client.get(reference).status, client.get(comment).status]

    def bodies(self, server):
        """Everything that was ever made, as a process shows it."""
        client = server.client()
        lists = [f"{REPOSITORY}/pulls/1/comments?per_page=100", f"{REPOSITORY}/git/matching-refs/heads/"]
        paths = lists + [path for made, _ in self.known for path in made[1:]]
        return [(path, response.status, response.body) for path in paths for response in [client.get(path)]]


def asynchronous(options):
    """The standbys lose their connection to the primary, which dies a little later."""
    rng = random.Random(options.seed)
    windows, lost, kept = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="forgewright-failover.") as folder:
        site = Site(folder, synchronous=False)
        cluster = site.cluster
        plain = Server(folder, cluster.url(DATABASE), *OPTIONS, "--memory", "0")
        try:
            create_writers(site.servers[0], lambda number: random.Random(number))
            changes = Changes(site)
            for _ in range(max(1, options.failovers // 4)):
                before = changes.make()
                seen = int(cluster.primary.sql("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"))
                until(20, lambda: all(node.received() >= seen for node in cluster.standbys()), "the standbys have the changes")
                for node in cluster.standbys():
                    node.follow("")
                until(20, lambda: not any(node.receiver() for node in cluster.standbys()), "the standbys are cut off")
                cut = time.monotonic()
                after = [changes.make() for _ in range(2)]
                for server in site.servers * 2:
                    for made in (before, *after):
                        check(changes.statuses(server, made) == [200] * 3, "a change is not visible")
                time.sleep(rng.uniform(0, 0.5))
                cluster.primary.end()
                windows.append(time.monotonic() - cut)
                site.recovery(cluster.promote())
                for server in site.servers:
                    check(changes.statuses(server, before) == [200] * 3, f"a replicated change is lost: {changes.statuses(server, before)}")
                    for made in after:
                        found = changes.statuses(server, made)
                        check(found == [401, 404, 404], f"a cache shows what was lost: {found}")
                # Their ids are used again.
                again = changes.make()
                plain.start()
                expected = changes.bodies(plain)
                for server in site.servers:
                    check(changes.statuses(server, again) == [200] * 3, "a new change is not visible")
                    check(changes.bodies(server) == expected, "a process with a cache returns something else than one without")
                plain.kill()
                lost, kept = lost + len(after) * 3, kept + 6
                cluster.repair()
            site.servers[0].doctor()
        finally:
            if plain.process:
                plain.kill()
            site.remove()
    print(f"failover, asynchronous: {len(windows)} failovers, the {lost} changes in the {min(windows):.1f} to {max(windows):.1f} s "
          f"before them that no standby had received are lost and no cache shows them, all {kept} others stored (seed {options.seed})")


def run(options):
    synchronous(options)
    asynchronous(options)
