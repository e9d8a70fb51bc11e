"""Two network namespaces with a link between them, and runs with half of the ranks in each."""
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import machine

# How the second namespace's daemon is started, in place of ssh: HOST COMMAND…. A host name of its
# own keeps Open MPI from taking both namespaces for one machine, whose ranks would share memory.
_AGENT = """#!/bin/sh
shift
exec ip netns exec {name} unshare --uts --mount sh -c "{own}hostname {name}; $*"
"""
# Prints the bits per second that arrive, once one has connected.
_RECEIVE = """import socket, sys, time
listening = socket.create_server(("", 5201))
print("ready", flush=True)
there, _ = listening.accept()
got, begin = 0, time.monotonic()
while piece := there.recv(1 << 16):
    got += len(piece)
print(8 * got / (time.monotonic() - begin))
"""
_SEND = """import socket, sys, time
there = socket.create_connection((sys.argv[1], 5201))
begin = time.monotonic()
while time.monotonic() - begin < 0.5:
    there.sendall(bytes(1 << 16))
there.close()
"""


class Unavailable(Exception):
    """Why there can be no link here."""


class Link:
    """Made on entry and removed on exit, also on SIGINT and SIGTERM, with what still runs in it."""

    addresses = ("10.77.0.1", "10.77.0.2")
    prefix = "10.77.0.0/24"

    def __init__(self, rate="1gbit", unshared=None):
        """`unshared`: a folder that each side has for itself."""
        self.rate = rate
        self.own = f"mount -t tmpfs none {shlex.quote(os.path.abspath(unshared))}; " if unshared else ""
        self.names = [f"gas-bench-{os.getpid()}-{side}" for side in "ab"]
        self.folder = self.before = None

    def __enter__(self):
        for tool in ("ip", "tc", "unshare", "mpirun"):
            if not shutil.which(tool):
                raise Unavailable(f"{tool} is not installed (iproute2, util-linux, openmpi-bin)")
        if os.geteuid() != 0:
            raise Unavailable("only root may make network namespaces")
        self.before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            self._make()
        except BaseException as error:
            self.__exit__()
            if isinstance(error, machine.Failure):
                raise Unavailable(str(error).replace("\n", ": ")) from error
            raise
        return self

    def _make(self):
        self.folder = tempfile.mkdtemp(prefix="gas-link-")
        for name in self.names:
            machine.output(["ip", "netns", "add", name])
        first, second = self.names
        machine.output(["ip", "link", "add", "link0", "netns", first, "type", "veth", "peer",
                        "name", "link0", "netns", second])
        for name, address in zip(self.names, self.addresses):
            machine.output(["ip", "-n", name, "address", "add", address + "/24", "dev", "link0"])
            for device in ("lo", "link0"):
                machine.output(["ip", "-n", name, "link", "set", device, "up"])
            machine.output(["tc", "-n", name, "qdisc", "add", "dev", "link0", "root", "tbf", "rate",
                            self.rate, "burst", "256kb", "latency", "50ms"])
        self.agent = os.path.join(self.folder, "agent")
        with open(self.agent, "w", encoding="utf-8") as file:
            file.write(_AGENT.format(name=second, own=self.own))
        os.chmod(self.agent, 0o755)

    def __exit__(self, *_):
        for name in self.names:
            if not os.path.exists("/run/netns/" + name):
                continue
            for process in machine.output(["ip", "netns", "pids", name]).split():
                try:
                    os.kill(int(process), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            machine.output(["ip", "netns", "delete", name])
        if self.folder:
            shutil.rmtree(self.folder)
        if self.before is not None:
            signal.signal(signal.SIGTERM, self.before)

    def inside(self, side, command):
        return ["ip", "netns", "exec", self.names[side], *command]

    def options(self):
        """For mpirun, so that it starts daemons in the second namespace and uses the link."""
        return {"plm_rsh_agent": self.agent, "btl": "self,vader,tcp", "pml": "ob1",
                "btl_tcp_if_include": self.prefix, "oob_tcp_if_include": self.prefix,
                "mpi_yield_when_idle": "1"}

    def command(self, command):
        """`command`, to be run in the first namespace."""
        setup = f'{self.own}hostname {self.names[0]}; exec "$@"'
        return self.inside(0, ["unshare", "--uts", "--mount", "sh", "-c", setup, "sh", *command])

    def environment(self):
        """For such a command: what mpirun within it shall do."""
        hosts = os.path.join(self.folder, "hosts")
        with open(hosts, "w", encoding="utf-8") as file:
            file.writelines(f"{address} slots=2\n" for address in self.addresses)
        options = {**self.options(), "orte_default_hostfile": hosts,
                   "rmaps_base_oversubscribe": "1"}
        return {"OMPI_MCA_" + name: value for name, value in options.items()}

    def launcher(self, ranks):
        """What stands before a command that is to run on that many ranks, an even number: the
        first half in the first namespace."""
        hosts = ",".join(f"{address}:{ranks // 2}" for address in self.addresses)
        return self.command([shutil.which("mpirun"), "--oversubscribe", "--host", hosts, "-n",
                             str(ranks),
                             *(word for pair in self.options().items() for word in ("--mca", *pair))])

    def carried(self):
        """Bytes that have gone over the link, both ways, with the headers of all layers."""
        here = ["cat", *(f"/sys/class/net/link0/statistics/{way}_bytes" for way in ("rx", "tx"))]
        return sum(map(int, machine.output(self.inside(0, here)).split()))

    def speed(self):
        """Bits per second that one socket gets over it."""
        with subprocess.Popen(self.inside(0, [sys.executable, "-c", _RECEIVE]), text=True,
                              stdout=subprocess.PIPE) as receiver:
            receiver.stdout.readline()
            machine.output(self.inside(1, [sys.executable, "-c", _SEND, self.addresses[0]]))
            return float(receiver.stdout.readline())
