-- The files of ready attachments: their number and size in the database and in the object storage, and the ids of attachments whose bytes
-- do not have their size and SHA-256. It reads every byte in the database, one file at a time.
select count(*) filter (where not is_external) as files, coalesce(sum(size) filter (where not is_external), 0) as bytes,
  count(*) filter (where is_external) as external_files, coalesce(array_agg(id order by id) filter (where is_wrong), '{}') as wrong
from (
  select a.id, a.size, coalesce(f.is_external, false) as is_external,
    f.id is null or not f.is_external and not exists (
      select from private.file_chunks c where c.file_id = f.id
      having sum(length(c.bytes)) = a.size and encode(sha256(string_agg(c.bytes, '' order by c.number)), 'hex') = a.sha256) as is_wrong
  from api.attachments a left join private.files f on f.attachment_id = a.id and f.stored_at is not null
  where a.status = 'ready'
) files
