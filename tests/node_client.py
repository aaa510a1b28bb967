# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A node as a process, and a client of it that is plain pyarrow.flight: what any Flight client would have to do."""

import json
import os
import signal
import subprocess
import time
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.flight as flight
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 240  # with a machine that is busy


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    """The wire contract, read from the .proto files."""
    files = sorted((ROOT / "proto/shadowvm/v1").glob("*.proto"))
    made = subprocess.run(["protoc", f"-I{ROOT / 'proto'}", "--include_imports", "--descriptor_set_out=/dev/stdout",
                           *files], capture_output=True, check=True)
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(made.stdout).file:
        pool.Add(file)
    return pool


def message(name: str, /, **fields):
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"shadowvm.v1.{name}"))(**fields)


def command_bytes(command) -> bytes:
    return json_format.Parse(command.text(), message("Command")).SerializeToString()


def code_of(error: flight.FlightError) -> int:
    """The number an error carries as data; its message begins with the same one."""
    read = message("Error")
    read.ParseFromString(error.extra_info)
    assert f"SVM-{read.code} " in str(error), str(error)
    return read.code


class Node:
    """The daemon. Its socket lies in a folder of its own below 'folder', its shared files in another."""

    def __init__(self, program, folder: Path, *options, shared_memory: str = "shared", **environment):
        self.socket = folder / "run" / "node.sock"
        self.shared = folder / shared_memory
        (folder / "shared").mkdir(exist_ok=True)
        self.process = subprocess.Popen([program.path, "node", "--socket", self.socket, "--shared-memory", self.shared,
                                         *map(str, options)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=os.environ | environment)
        line = self.process.stdout.readline()
        assert line, self.process.communicate(timeout=PATIENCE_S)[1]
        self.ready = json.loads(line)

    def client(self, **handshake) -> "Client":
        return Client(self.socket, **handshake)

    def stop(self, with_signal=signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        if self.process.stdin.closed:
            self.process.stdin = None
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode


class Client:
    """A connection and its session, which does not end by itself while tests run, unless they say so."""

    def __init__(self, socket: Path, protocol_version: int = 1, lease_ms: int = 600_000):
        self.connection = flight.connect(f"grpc+unix://{socket}")
        self.options = flight.FlightCallOptions(timeout=PATIENCE_S)
        request = message("HandshakeRequest", protocol_version=protocol_version, client="tests", lease_ms=lease_ms)
        self.hello = self.act("handshake", request.SerializeToString(), "HandshakeResponse")
        self.options = flight.FlightCallOptions(timeout=PATIENCE_S,
                                                headers=[(b"shadowvm-session", self.hello.session.encode())])

    def act(self, name: str, body: bytes = b"", answer: str = ""):
        (result,) = self.connection.do_action(flight.Action(name, body), self.options)
        if not answer:
            return None
        read = message(answer)
        read.ParseFromString(result.body.to_pybytes())
        return read

    def status(self):
        return self.act("status", answer="StatusResponse")

    def validate(self, command):
        return self.act("validate", command_bytes(command), "ValidateResponse")

    def cancel(self, query_id: str) -> bool:
        request = message("CancelRequest", query_id=query_id)
        return self.act("cancel", request.SerializeToString(), "CancelResponse").found

    def register(self, command, query_id: str = "", **execution) -> flight.FlightInfo:
        request = message("RunRequest", query_id=query_id, command=command_bytes(command),
                          execution=message("Execution", **execution))
        return self.connection.get_flight_info(
            flight.FlightDescriptor.for_command(request.SerializeToString()), self.options)

    def execute(self, command, **execution):
        """A whole query in one call."""
        request = message("RunRequest", command=command_bytes(command),
                          execution=message("Execution", **execution))
        return self.act("execute", request.SerializeToString(), "RunPipelineResponse")

    def pipelines(self, info: flight.FlightInfo) -> list:
        """What a registered query consists of."""
        read = message("RegisterResponse")
        read.ParseFromString(info.app_metadata)
        return list(read.pipelines)

    def run_pipeline(self, query_id: str, pipeline: int, shared: bool = False, **fields):
        request = message("RunPipelineRequest", query_id=query_id, pipeline=pipeline, accept_shared_memory=shared,
                          **fields)
        return self.act("run", request.SerializeToString(), "RunPipelineResponse")

    def fetch(self, info: flight.FlightInfo):
        """The answer and what the query did."""
        reader = self.connection.do_get(info.endpoints[0].ticket, self.options)
        batches, metrics = [], message("QueryMetrics")
        for chunk in reader:
            batches.append(chunk.data)
            if chunk.app_metadata is not None:
                metrics.ParseFromString(chunk.app_metadata.to_pybytes())
        return pa.Table.from_batches(batches, reader.schema), metrics

    def run(self, command, query_id: str = "") -> pa.Table:
        return self.fetch(self.register(command, query_id))[0]

    def close(self):
        self.connection.close()


def answer_of(response) -> pa.Table:
    """The answer that came with a response, whose files are removed as a receiver must."""
    if response.inline_answer:
        return pa.ipc.open_stream(response.inline_answer).read_all()
    tables = []
    for file in response.shared_answer:
        mapped = pa.memory_map(file.path)
        assert mapped.size() == file.bytes < 2**31
        os.unlink(file.path)
        tables.append(pa.ipc.open_stream(mapped).read_all())
    return pa.concat_tables(tables)


def wait_until(condition, what: str):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"never happened: {what}"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Not once it has ended, though whoever inherits it may take a while to reap it."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
