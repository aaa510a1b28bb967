-- SPDX-License-Identifier: Apache-2.0
-- SPDX-FileCopyrightText: The ShadowVM authors

-- node
SELECT s_customer, count(*) AS n FROM sales GROUP BY s_customer
HAVING count(*) > (SELECT avg(s_quantity) FROM sales) - 30

-- node
SELECT s_product, sum(s_price) / (SELECT sum(s_price) FROM sales) FROM sales GROUP BY s_product

-- node
SELECT s_product, count(*) FROM sales WHERE s_day = (SELECT max(s_day) FROM sales) GROUP BY s_product

-- node
SELECT count(*) FROM customers WHERE c_name < (SELECT max(s_note) FROM sales WHERE s_id < 1000)

-- No row: null.
-- node
SELECT count(*), count(s_quantity) FROM sales WHERE s_price > (SELECT max(s_price) FROM sales WHERE s_id < 0)

-- No row: not even a group.
-- node
SELECT count(*) FROM sales WHERE s_product = (SELECT s_product FROM sales WHERE s_id < 0 GROUP BY s_product) OR s_id = 3

-- One in the other.
-- node
SELECT count(*) FROM sales WHERE s_price > (SELECT min(s_price) + 40 FROM sales
WHERE s_quantity > (SELECT avg(s_quantity) FROM sales))

-- Spark makes one subquery of both, whose value is a struct.
-- both
SELECT count(*) FROM sales WHERE s_price > (SELECT avg(s_price) FROM sales)
AND s_quantity < (SELECT max(s_quantity) FROM sales)
