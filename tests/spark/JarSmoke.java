// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark program as a user has it: Spark, the plugin's jar and nothing else on the class path. Says "ready" once the
 * plugin is up, then answers every line of its input, which is a query, with its rows; ends with its input.
 */
public final class JarSmoke {
  public static void main(String[] arguments) throws Exception {
    SparkSession.Builder builder =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
            .config("spark.driver.host", "localhost").config("spark.plugins", "org.shadowvm.ShadowPlugin");
    for (String setting : arguments) {
      String[] parts = setting.split("=", 2);
      builder = builder.config(parts[0], parts[1]);
    }
    SparkSession spark = builder.getOrCreate();
    System.out.println("ready");
    var lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      List<Row> rows = spark.sql(line).collectAsList();
      System.out.println(rows);
    }
    spark.stop();
  }
}
