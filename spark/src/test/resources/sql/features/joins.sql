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
