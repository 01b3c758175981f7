-- The file of rtbwire check: where requests are refused, by country and channel.
SELECT
    country,
    channel,
    count() AS requests,
    countIf(action = 'refuse') AS refused,
    topK(1)(assumeNotNull(reason))[1] AS main_reason,
    countIf(arrayExists(f -> f.severity = 'observe', findings)) AS observed
FROM file('verdicts.parquet', Parquet)
WHERE type = 'request'
GROUP BY country, channel
ORDER BY requests DESC, country, channel
LIMIT 20
