"""A federation inside this process: threads, and times granted by the rules of HELICS, without HELICS.

Times are granted when every federate that sends to us has asked for a time as late; a message sent at one time is seen at
later times only. When all are waiting for each other the test fails instead of hanging.
"""

import threading

from counterpoint._run.options import RunOptions
from counterpoint.errors import PeerLost
from counterpoint.federation.foreign import Foreign
from counterpoint.federation.partition import share_of
from counterpoint.federation.running import _run


class Meeting:
    def __init__(self, sources):
        self.sources = sources  # federate -> those that send to it
        self.asked = dict.fromkeys(sources, 0.0)
        self.waiting = set()
        self.over = set()
        self.messages = {}
        self.changed = threading.Condition()
        self.failure = None

    def is_granted(self, name):
        return all(s in self.over or self.asked[s] >= self.asked[name] for s in self.sources[name])


class FakeSession:
    subscribed = ()

    def __init__(self, name, meeting):
        self.name, self.meeting = name, meeting
        self.granted = 0.0
        self.times = []

    def publishes(self, key, unit, *, vector):
        return lambda value: None

    def sends_to(self, other):
        pass

    def reads_from(self, other):
        self.meeting.messages.setdefault((other, self.name), [])

    def enter(self):
        pass

    def send(self, other, data):
        with self.meeting.changed:
            self.meeting.messages.setdefault((self.name, other), []).append((self.granted, data))

    def receive(self, other):
        with self.meeting.changed:
            queue = self.meeting.messages[other, self.name]
            seen = [data for sent, data in queue if sent < self.granted]
            queue[:] = [entry for entry in queue if not entry[0] < self.granted]
        return seen

    def request(self, t, waits_for):
        assert t > self.granted or t == self.granted == 0.0, (self.name, t, self.granted)
        meeting = self.meeting
        with meeting.changed:
            meeting.asked[self.name] = t
            meeting.waiting.add(self.name)
            meeting.changed.notify_all()
            while not meeting.is_granted(self.name):
                stuck = meeting.waiting | meeting.over == set(meeting.sources)
                if meeting.failure or (stuck and not any(meeting.is_granted(n) for n in meeting.waiting)):
                    meeting.failure = meeting.failure or f"all wait for each other: {waits_for()}"
                    meeting.changed.notify_all()
                    raise PeerLost(meeting.failure)
                meeting.changed.wait(10.0)
            meeting.waiting.discard(self.name)
            self.granted = t
            self.times.append(t)
        return t

    def leave(self):
        with self.meeting.changed:
            self.meeting.over.add(self.name)
            self.meeting.changed.notify_all()


def run_parts(make, parts, **options):
    """Run each part in a thread; return part -> FederateRun. ``make`` builds the system anew for each."""
    chosen = RunOptions(**options)
    shares = {part: share_of(make(), chosen, parts, part) for part in parts}
    meeting = Meeting({part: share.sources for part, share in shares.items()})
    made, errors = {}, []

    def work(part):
        session = FakeSession(part, meeting)
        try:
            made[part] = _run(shares[part], session, chosen, chosen.until, Foreign())
        except BaseException as error:
            errors.append(error)
            with meeting.changed:
                meeting.failure = meeting.failure or repr(error)
                meeting.changed.notify_all()
        finally:
            session.leave()

    threads = [threading.Thread(target=work, args=(part,), daemon=True) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return made, shares
