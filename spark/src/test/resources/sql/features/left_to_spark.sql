-- SPDX-License-Identifier: Apache-2.0
-- SPDX-FileCopyrightText: The ShadowVM authors

-- spark LITTLE_TO_DO
SELECT s_id, s_price FROM sales WHERE s_quantity = 3

-- spark OPERATOR
SELECT count(*) FROM range(10)

-- both
SELECT s_product, n, rank() OVER (ORDER BY n, s_product) FROM
(SELECT s_product, count(*) AS n FROM sales GROUP BY s_product)

-- both
SELECT s_product, count(*) FROM sales GROUP BY s_product
UNION ALL
SELECT s_customer, count(*) FROM sales GROUP BY s_customer
