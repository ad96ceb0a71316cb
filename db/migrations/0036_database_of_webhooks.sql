-- Webhooks send a reset after a restore or failover, as live streams do: private.queue_webhooks().
alter table private.webhook_cursor add column database text;
