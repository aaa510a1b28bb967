-- SPDX-License-Identifier: Apache-2.0
-- SPDX-FileCopyrightText: The ShadowVM authors

-- node
SELECT count(*), count(s_quantity), sum(s_quantity), min(s_price), max(s_day) FROM sales

-- node
SELECT s_product, sum(s_price) AS total, avg(s_quantity), min(s_note), max(s_note) FROM sales GROUP BY s_product

-- node
SELECT s_product % 3 AS third, s_note, count(*) FROM sales GROUP BY s_product % 3, s_note

-- node
SELECT DISTINCT s_product FROM sales WHERE s_quantity > 50

-- node
SELECT s_customer, sum(s_price) AS total FROM sales GROUP BY s_customer HAVING sum(s_price) > 2000

-- node
SELECT sum(s_price * s_quantity) FROM sales WHERE s_id < 0
