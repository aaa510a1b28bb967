// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{DynamicPruningExpression, Expression, NamedExpression, PlanExpression}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, PartitionDirectory}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{StructField, StructType}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Fragment, PlanSupport, Reason, ResultSettings, WireLiterals, WireTypes}

/** Scans of Parquet files on this machine. */
object Scans {

  val rules: Seq[(Class[_], OperatorRule)] = Seq(on[FileSourceScanExec](scan))

  private def scan(node: FileSourceScanExec, support: PlanSupport): Outcome = {
    val problems = support.session.scanProblems ++ sourceProblems(node, support)
    if (problems.nonEmpty) Left(problems)
    else {
      for {
        data <- dataFields(node)
        dataFields <- collectAll(data.map(wireField))
        partitionFields <- collectAll(node.relation.partitionSchema.map(wireField))
        files <- filesOf(node, support)
      } yield {
        val list = wire.FileList.newBuilder()
        dataFields.foreach(field => list.addDataFields(field))
        partitionFields.foreach(field => list.addPartitionFields(field))
        files.foreach(file => list.addFiles(file))
        val action = wire.Action.newBuilder().setScan(wire.Scan.newBuilder().setFileList(list)).build()
        Fragment(Nil, Seq(action), columnsOf(node, data))
      }
    }
  }

  private def sourceProblems(node: FileSourceScanExec, support: PlanSupport): Seq[Reason] = {
    val relation = node.relation
    def problem(met: Boolean, code: String, text: => String) = if (met) Some(Reason(code, text)) else None
    Seq(
      problem(relation.fileFormat.getClass != classOf[ParquetFileFormat], "FILE_FORMAT",
        s"files are read as ${relation.fileFormat.getClass.getSimpleName}, not as Parquet"),
      problem(node.logicalLink.exists(_.isStreaming), "STREAMING", "streams are not supported"),
      problem(node.bucketedScan, "BUCKETS", "the buckets of the table serve as partitions"),
      problem(hasMetadataColumns(node), "METADATA_COLUMN", "metadata of files is read as columns"),
      problem(node.partitionFilters.exists(needsSubquery), "SUBQUERY", "a subquery chooses the partitions"),
      problem(support.listing.encrypts(node), "ENCRYPTION", "parquet.crypto.factory.class is set")
    ).flatten ++ ResultSettings.readerProblems(relation.options)
  }

  /** Pruning by the other side of a join is only an optimisation, and the node does it by itself. */
  private def needsSubquery(filter: Expression): Boolean = filter match {
    case _: DynamicPruningExpression => false
    case other => other.exists(_.isInstanceOf[PlanExpression[_]])
  }

  /** Spark puts columns of the file first, then those of the partitions, then those about the file. */
  private def hasMetadataColumns(node: FileSourceScanExec): Boolean = {
    val known = node.relation.dataSchema.fieldNames.toSet
    !node.requiredSchema.fieldNames.forall(known) ||
    node.output.length != node.requiredSchema.length + node.relation.partitionSchema.length
  }

  /** A scan for no column but the count of rows reads the narrowest one. */
  private def dataFields(node: FileSourceScanExec): Either[Seq[Reason], StructType] =
    if (node.requiredSchema.nonEmpty) Right(node.requiredSchema)
    else {
      val partitions = node.relation.partitionSchema.fieldNames.toSet
      val candidates = node.relation.dataSchema.filter { field =>
        !partitions(field.name) && WireTypes.isSupported(field.dataType)
      }
      if (candidates.isEmpty) Left(Seq(Reason("NO_COLUMN", "the files have no column that the node can read")))
      else Right(StructType(Seq(candidates.minBy(_.dataType.defaultSize))))
    }

  private def columnsOf(node: FileSourceScanExec, data: StructType): Columns =
    if (data.length == node.requiredSchema.length) Columns.of(node.output)
    else new Columns(NamedExpression.newExprId +: Columns.of(node.output).ids)

  private def wireField(field: StructField): Either[Reason, wire.Field] =
    WireTypes.of(field.dataType).left.map(reason => reason.copy(text = s"column ${field.name}: ${reason.text}"))
      .map(wire.Field.newBuilder().setName(field.name).setNullable(field.nullable).setType(_).build())

  private def filesOf(node: FileSourceScanExec, support: PlanSupport): Either[Seq[Reason], Seq[wire.ListedFile]] =
    collectAll(support.listing.directories(node).flatMap(filesIn(_, node.relation.partitionSchema)))

  private def filesIn(directory: PartitionDirectory, schema: StructType): Seq[Either[Reason, wire.ListedFile]] = {
    val values = collectAll(schema.fields.toSeq.zipWithIndex.map { case (field, i) =>
      WireLiterals.of(directory.values.get(i, field.dataType), field.dataType)
    })
    directory.files.map { file =>
      values.left.map(_.head).flatMap(literals => listedFile(file, literals))
    }
  }

  private def listedFile(file: FileStatusWithMetadata, values: Seq[wire.Literal]): Either[Reason, wire.ListedFile] = {
    val uri = file.getPath.toUri
    if (uri.getScheme != null && uri.getScheme != "file") {
      Left(Reason("REMOTE_FILE", s"files of ${uri.getScheme}: are not on this machine"))
    } else {
      val listed = wire.ListedFile.newBuilder()
        .setPath(uri.getPath).setSize(file.getLen).setModifiedMs(file.getModificationTime)
      values.foreach(value => listed.addPartitionValues(value))
      Right(listed.build())
    }
  }
}
