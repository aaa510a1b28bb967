# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The rule of these tests: the same with the plugin on and off gives the same rows, and the test says where it ran."""

import contextlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """Where the operators of a query run."""

    accelerated: int
    operators: int
    text: str
    reasons: list[str]  # codes

    @property
    def whole(self) -> bool:
        return self.operators > 0 and self.accelerated == self.operators

    def lines_in_spark(self) -> list[str]:
        return [line for line in self.text.splitlines() if not line.endswith("-> node")]


class OnOff:
    """A session whose plugin is switched on and off."""

    def __init__(self, session):
        self.session = session

    @contextlib.contextmanager
    def settings(self, **values):
        """Settings below spark.shadowvm. for a while, with '_' for '.'."""
        keys = {f"spark.shadowvm.{name.replace('_', '.')}": value for name, value in values.items()}
        before = {key: self.session.conf.get(key, None) for key in keys}
        for key, value in keys.items():
            self.session.conf.set(key, value)
        try:
            yield
        finally:
            for key, value in before.items():
                self.session.conf.unset(key) if value is None else self.session.conf.set(key, value)

    def off(self, action):
        """What plain Spark answers; nothing of it may run in the node."""
        with self.settings(enabled="false"):
            before = self.queries_done()
            answer = action()
            assert self.queries_done() == before, "the plugin is off, but the node worked"
        return answer

    def on_in_node(self, action):
        """What the plugin answers; something of it must run in the node."""
        before = self.queries_done()
        answer = action()
        assert self.queries_done() > before, "nothing ran in the node"
        return answer

    def check(self, sql: str, ordered: bool = True) -> Report:
        """Rows on and off are equal; where the query ran."""
        expected = self.off(lambda: self.session.sql(sql).collect())
        frame = self.session.sql(sql)
        rows = frame.collect()
        if not ordered:
            rows, expected = sorted(rows, key=repr), sorted(expected, key=repr)
        assert rows == expected
        return self.report(frame)

    def report(self, frame) -> Report:
        report = self.session._jvm.org.shadowvm.ShadowReport.of(frame._jdf)
        return Report(report.accelerated(), report.total(), report.text(), list(report.reasonCodes()))

    def node_client(self):
        runtime = self.session._jvm.org.apache.spark.sql.shadowvm.ShadowRuntime
        client = runtime.of(self.session.sparkContext._jsc.sc()).get().nodes().client()
        assert client.isRight(), client.left().get()
        return client.right().get()

    def queries_done(self) -> int:
        return self.node_client().status().getQueriesDone()
