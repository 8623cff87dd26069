-- For people at a sqlite3 prompt: select * from overview;
create view overview as
select 'memories, active' as what, count(*) as how_many from memories where active = 1
union all
select 'memories, superseded', count(*) from memories where superseded_by is not null
union all
select 'memories, forgotten', count(*) from memories where active = 0 and superseded_by is null
union all
select 'memories of kind ' || kind, count(*) from memories where active = 1 group by kind
union all
select 'uses of memories that helped', coalesce(sum(access_count), 0) from usage
union all
select 'actions that memories influenced', coalesce(sum(citation_count), 0) from usage
union all
select 'memories served and not used', coalesce(sum(ignore_count), 0) from usage
union all
select 'tags', count(*) from tags
union all
select 'edges', count(*) from edges
union all
select 'open contradictions', count(*) from open_contradictions
union all
select 'questions without an answer', count(*) from gaps
union all
select 'tasks ' || status, count(*) from task_history group by status
union all
select 'sessions', count(*) from sessions
union all
select 'calls of tools', count(*) from tool_executions
union all
select 'files read or changed', count(*) from file_interactions
union all
select 'patterns', count(*) from learned_patterns where active = 1
union all
select 'commits', count(*) from commits
union all
select 'files of the code', count(*) from code_files
union all
select 'symbols of the code', count(*) from code_symbols
union all
select 'edges of the code', count(*) from code_edges;
