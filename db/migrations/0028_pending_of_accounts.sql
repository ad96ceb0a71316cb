-- The pending transactions of an account, which a forecast expects. Among 200,000 rows it read all of the account.

-- The index has only pending rows. Writes wait for a second at a million transactions.
-- squawk-ignore-file require-concurrent-index-creation
create index transactions_pending on api.transactions (account_id) where status = 'pending' and account_id is not null;
