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
