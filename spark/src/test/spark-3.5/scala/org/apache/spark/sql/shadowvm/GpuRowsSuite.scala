// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

// Every query that the node takes, on the emulated GPU, and on it and cores at once. For one version of Spark only: it
// takes more than a minute, and what differs between versions is done before a node hears of a query.

class SqlFilesGpuSuite extends SqlFilesSuite with EmulatedGpu

class SsbGpuRowsSuite extends SsbRowsSuite with EmulatedGpu

class TpchGpuRowsSuite extends TpchRowsSuite with EmulatedGpu
