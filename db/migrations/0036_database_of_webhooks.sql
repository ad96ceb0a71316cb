-- Webhooks send a reset after a restore or failover, as live streams do: private.queue_webhooks().
-- Each write pays for the index. private.forget_changes() reads at most some 100,000 small rows without it, once in a while. The table is
-- small, so its lock is short.
-- squawk-ignore-file require-concurrent-index-deletion

alter table private.webhook_cursor add column database text;
drop index private.changes_age;
