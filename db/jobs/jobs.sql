-- after: jobs/tables
-- The queue of durable work: mails, messages of webhooks, the download of exchange rates, housekeeping. common/jobs
-- runs it.

comment on table private.jobs is
  'Durable work. A transaction stores a job with its other rows, and a worker runs it, again after a failure. No '
  'job is lost with a process.';
comment on column private.jobs.id is
  'Stays the same for all attempts. The idempotency key of an email and the id of a webhook''s message.';
comment on column private.jobs.task is 'The name of its handler.';
comment on column private.jobs.key is
  'Jobs of a task with the same key run one after another: the one that has started, and then the one that waits. '
  'Null if the order is of no importance.';
comment on column private.jobs.share is
  'Jobs of one share run in a limited number at a time, such as those of a user. Null without a limit.';
comment on column private.jobs.payload is
  'The data of the handler. That of a mail is encrypted, except for the domain of its recipient.';
comment on column private.jobs.run_at is 'The earliest time of the next attempt.';
comment on column private.jobs.started_at is
  'The time of the first attempt. Until then later events may be added to the payload.';
comment on column private.jobs.leased_until is 'During an attempt, the time from which another process may repeat it.';
comment on column private.jobs.failures is 'Attempts that failed, or ended with their process.';
comment on column private.jobs.last_error is 'The reason of the last failure, without an address, a link or a secret.';
grant select, insert, update, delete on private.jobs to auth_service;
