# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""How queries are to be run goes to the node with them."""

import pyarrow.flight as flight
from node_client import message
from numbers_table import SUMS
from spark_process import SparkProcess

NO_GPU = "libcuda.so.1 was not found"


class ListeningNode(flight.FlightServerBase):
    """Takes every query, remembers how it should have been run, and does not run it."""

    def __init__(self, address: str):
        super().__init__(address)
        self.executions = []

    def do_action(self, context, action):
        if action.type != "handshake":
            return [b""]
        hello = message("HandshakeResponse", protocol_version=1, version="0", session="s", lease_ms=60_000,
                        devices=[message("Device", name="cpu", workers=1)], no_gpu=NO_GPU)
        return [hello.SerializeToString()]

    def get_flight_info(self, context, descriptor):
        request = message("RunRequest")
        request.ParseFromString(descriptor.command)
        self.executions.append((request.execution.mode, request.execution.partitions))
        raise flight.FlightUnimplementedError("this node runs nothing")


def test_mode_and_partitions_arrive(conf, numbers, stand_in):
    node, socket = stand_in(ListeningNode)
    conf = conf | {"spark.shadowvm.node.address": str(socket), "spark.shadowvm.minBytes": "0"}
    with SparkProcess(conf, numbers, ["numbers"]) as spark:
        assert len(spark.ask(SUMS)["rows"]) == 7
        spark.request("set", key="spark.shadowvm.partitions", value="12")
        for mode in ("cpu", "gpu", "mixed", "auto"):
            spark.request("set", key="spark.shadowvm.mode", value=mode)
            assert len(spark.ask(SUMS)["rows"]) == 7
        lines = [line for line in spark.log().splitlines() if NO_GPU in line]
    modes = {name: message("Execution", mode=f"MODE_{name}").mode for name in ("AUTO", "CPU", "GPU", "MIXED")}
    assert node.executions == [(modes["AUTO"], 0), (modes["CPU"], 12), (modes["GPU"], 12), (modes["MIXED"], 12),
                               (modes["AUTO"], 12)]
    assert len(lines) == 1 and "spark.shadowvm.mode is gpu" in lines[0], lines
