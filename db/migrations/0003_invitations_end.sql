-- Housekeeping looks for invitations that ended long ago.

-- A migration is one transaction, in which no index can be built concurrently; invitations are few.
-- squawk-ignore require-concurrent-index-creation
create index invitations_expires_at on auth.invitations (expires_at);
