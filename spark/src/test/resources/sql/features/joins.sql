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

-- spark JOIN_CONDITION
SELECT s_id, c_name FROM sales LEFT JOIN customers ON s_customer = c_id AND s_quantity > length(c_name) ORDER BY s_id
