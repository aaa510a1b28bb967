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
