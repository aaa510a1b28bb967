-- SPDX-License-Identifier: Apache-2.0
-- SPDX-FileCopyrightText: The ShadowVM authors

-- node
SELECT count(*) FROM sales WHERE s_quantity BETWEEN 10 AND 20 AND s_day >= DATE'2024-06-01'

-- node
SELECT count(*) FROM sales WHERE s_note IN ('note 1', 'note 2') OR s_note IS NULL

-- node
SELECT count(*) FROM sales WHERE s_note LIKE 'note 1%' AND NOT s_note LIKE '%7'

-- node
SELECT year(s_day), month(s_day), count(*) FROM sales GROUP BY year(s_day), month(s_day)

-- node
SELECT count(*) FROM sales WHERE s_quantity IS NULL

-- node
SELECT substring(s_note, 6, 1) AS digit, left(s_note, 2), right(s_note, 2), count(*), max(substring(s_note, -2))
FROM sales WHERE substring(s_note, 1, 4) = 'note' OR s_note IS NULL GROUP BY 1, 2, 3

-- node
SELECT count(*), min(substring(concat_note, -3, 2)), min(substr(concat_note, 0, 3)), max(substr(concat_note, -40, 36))
FROM (SELECT s_note AS concat_note FROM sales) WHERE substring(concat_note, 2, 0) = '' AND substr(concat_note, 7) > '1'
