-- SPDX-License-Identifier: Apache-2.0
-- SPDX-FileCopyrightText: The ShadowVM authors

-- node
SELECT s_product, count(*) AS n FROM sales GROUP BY s_product ORDER BY n DESC, s_product LIMIT 5

-- node
SELECT s_id, s_note FROM sales WHERE s_product = 3 ORDER BY s_note NULLS LAST, s_id DESC

-- node
SELECT s_product, max(s_price) AS top FROM sales GROUP BY s_product ORDER BY top, s_product LIMIT 4 OFFSET 2
