-- SPDX-License-Identifier: Apache-2.0
-- SPDX-FileCopyrightText: The ShadowVM authors

-- node
SELECT c_region, count(*) FROM sales JOIN customers ON s_customer = c_id GROUP BY c_region

-- node
SELECT c_region, p_brand, sum(s_price) AS total FROM sales JOIN customers ON s_customer = c_id
JOIN products ON s_product = p_id WHERE c_region <> 'ASIA' GROUP BY c_region, p_brand ORDER BY c_region, total DESC

-- node
SELECT /*+ MERGE(customers) */ c_name, count(*) AS n FROM sales JOIN customers ON s_customer = c_id GROUP BY c_name

-- node
SELECT count(*) FROM sales LEFT SEMI JOIN customers ON s_customer = c_id AND c_region = 'EUROPE'

-- node
SELECT count(*) FROM sales LEFT ANTI JOIN customers ON s_customer = c_id

-- node
SELECT count(*) FROM sales a JOIN sales b ON a.s_product = b.s_product JOIN sales c ON b.s_product = c.s_product
WHERE a.s_id < 40 AND b.s_id < 400 AND c.s_id < 400 AND b.s_id + c.s_id <> a.s_id

-- node
SELECT c_region, count(*), count(c_id), sum(s_price) FROM sales LEFT JOIN customers ON s_customer = c_id GROUP BY c_region

-- node
SELECT c_name, count(s_id) AS n, max(s_note), sum(s_price), min(s_day) FROM customers
LEFT JOIN sales ON c_id = s_customer AND s_note NOT LIKE '%7' AND s_quantity < 3 GROUP BY c_name

-- node
SELECT /*+ MERGE(customers, sales) */ c_id, c_region, count(s_id) FROM sales
RIGHT JOIN customers ON s_quantity = c_id GROUP BY c_id, c_region

-- A null for a key meets nothing, and stays.
-- node
SELECT s_quantity, p_brand, count(*) FROM sales LEFT JOIN products ON s_quantity = p_id GROUP BY s_quantity, p_brand

-- node
SELECT s_id, s_customer, c_name FROM sales LEFT JOIN customers ON s_customer = c_id
WHERE c_name IS NULL AND s_id < 2000 ORDER BY s_id

-- An empty side.
-- node
SELECT count(*), count(c_id), max(c_name) FROM sales LEFT JOIN (SELECT * FROM customers WHERE c_region = 'NOWHERE')
ON s_customer = c_id

-- Keys that an outer join has left without a value: of another outer join, of an inner join, of an anti join.
-- node
SELECT c_region, p_brand, count(*), count(s_id), max(p_big) FROM customers LEFT JOIN sales ON c_id = s_quantity
LEFT JOIN products ON s_product = p_id GROUP BY c_region, p_brand

-- node
SELECT c_region, p_brand, count(*) FROM customers LEFT JOIN sales ON c_id = s_quantity AND s_id < 4000
JOIN products ON coalesce(s_product, 3) = p_id GROUP BY c_region, p_brand

-- node
SELECT count(*), count(s_id) FROM customers LEFT JOIN sales ON c_id = s_quantity AND s_id < 4000
LEFT ANTI JOIN products ON s_product = p_id + 1

-- Groups, and values computed of columns that are null without a match.
-- node
SELECT coalesce(c_region, 'none'), c_id IS NULL, sum(s_price * s_quantity / (c_id + 1)), max(c_id % 7) FROM sales
LEFT JOIN customers ON s_customer = c_id GROUP BY 1, 2

-- Two keys, of which one is text.
-- node
SELECT a.s_note, count(*), count(b.s_id) FROM sales a LEFT JOIN (SELECT * FROM sales WHERE s_id % 501 = 0) b
ON a.s_note = b.s_note AND a.s_customer = b.s_customer GROUP BY a.s_note

-- spark JOIN_CONDITION
SELECT s_id, c_name FROM sales LEFT JOIN customers ON s_customer = c_id AND s_quantity > length(c_name) ORDER BY s_id

-- NOT IN: no null on the right, then one, then nothing.
-- node
SELECT count(*), count(s_quantity) FROM sales WHERE s_quantity NOT IN (SELECT p_id FROM products)

-- node
SELECT count(*) FROM products WHERE p_id NOT IN (SELECT s_quantity FROM sales WHERE s_id % 3 = 0)

-- node
SELECT count(*) FROM products WHERE p_id NOT IN (SELECT s_quantity FROM sales WHERE s_quantity IS NOT NULL AND s_id < 9)

-- node
SELECT count(*), count(s_quantity) FROM sales WHERE s_quantity NOT IN (SELECT p_id FROM products WHERE p_id < 0)

-- node
SELECT count(*) FROM sales WHERE s_note NOT IN (SELECT c_name FROM customers)

-- Spark tells 0.0 from -0.0 here, and nowhere else.
-- spark JOIN_KIND
SELECT count(*) FROM sales WHERE CAST(s_quantity AS DOUBLE) NOT IN (SELECT -CAST(p_id AS DOUBLE) FROM products)

-- EXISTS with a comparison beside the keys.
-- node
SELECT count(*), sum(s_id) FROM sales a WHERE EXISTS
(SELECT * FROM sales b WHERE b.s_customer = a.s_customer AND b.s_quantity <> a.s_quantity AND b.s_id % 97 = 0)

-- node
SELECT count(*), sum(s_id) FROM sales a WHERE NOT EXISTS
(SELECT * FROM sales b WHERE b.s_product = a.s_quantity AND b.s_quantity <> a.s_product AND b.s_id % 1997 = 0)

-- node
SELECT count(*), sum(s_id) FROM sales a WHERE EXISTS
(SELECT * FROM sales b WHERE b.s_customer = a.s_customer AND b.s_note < a.s_note AND b.s_id % 7 = 0)

-- node
SELECT count(*), sum(s_id) FROM sales a WHERE NOT EXISTS
(SELECT * FROM sales b WHERE b.s_customer = a.s_customer AND a.s_price + 1 <= b.s_price AND b.s_id % 97 = 0)

-- node
SELECT count(*), sum(s_id) FROM sales a WHERE EXISTS
(SELECT * FROM sales b WHERE b.s_customer = a.s_customer AND b.s_day > a.s_day AND b.s_id < 3000)
AND NOT EXISTS (SELECT * FROM sales b WHERE b.s_customer = a.s_customer AND b.s_day >= a.s_day AND b.s_id < 900)

-- spark JOIN_CONDITION
SELECT s_id FROM sales a WHERE EXISTS
(SELECT * FROM sales b WHERE b.s_customer = a.s_customer AND b.s_day > a.s_day AND b.s_price < a.s_price) ORDER BY s_id
