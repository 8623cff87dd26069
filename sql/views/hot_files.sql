-- Files by how often they were changed and read, and in how many commits.
create view hot_files as
select path, sum(changes) as changes, sum(reads) as reads, sum(commits) as commits, max(last_at) as last_at
from (
    select file_path as path, operation in ('edit', 'write', 'delete', 'rename') as changes,
        operation in ('read', 'search', 'analyze') as reads, 0 as commits, timestamp as last_at
    from file_interactions
    union all
    select n.name, 0, 0, 1, c.committed_at
    from commit_files f
    join commit_names n on n.id = f.name_id
    join commits c on c.id = f.commit_id
)
group by path
order by changes desc, commits desc, reads desc, path;
